package dev.adroit

import android.app.ActivityManager
import android.app.Service
import android.content.Context
import android.content.Intent
import android.os.IBinder
import android.os.Process
import androidx.test.ext.junit.runners.AndroidJUnit4
import kotlin.concurrent.thread
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertIs
import kotlinx.coroutines.runBlocking
import org.junit.Assume.assumeTrue
import org.junit.runner.RunWith

@RunWith(AndroidJUnit4::class)
class ProcessDeathTest {
    @Test
    fun a_recording_that_nobody_finished_is_found_and_goes_on() = inEmptyApp {
        withSkills { dead ->
            // Never closed, as when its process dies.
            dead.recordHalf()
            withSkills { it.finishWhatWasLeft() }
        }
    }

    @Test
    fun a_recording_outlives_its_process() = inEmptyApp {
        assumeTrue("needs a second process", onDevice)
        appContext.startService(Intent(appContext, DyingService::class.java))
        withSkills { skills ->
            eventually("the other process recorded") { skills.recorder.unfinished().singleOrNull()?.calls?.size == 1 }
            eventually("the other process is gone") { DyingService.PROCESS !in processes() }
            skills.finishWhatWasLeft()
        }
    }

    private suspend fun Skills.finishWhatWasLeft() {
        val left = recorder.unfinished().single()
        assertEquals(Status.RUNNING, left.status)
        assertEquals("tap", left.calls.single().tool)
        val recording = recorder.resume(left.taskId)
        recording.call("input_text", mapOf("text" to "6:30"))
        assertIs<Created>(recording.finish().decision)
        assertEquals(listOf("tap", "input_text"), list().single().steps.map { it.tool })
        assertEquals(emptyList(), recorder.unfinished())
    }

    private fun processes(): List<String> {
        val manager = appContext.getSystemService(Context.ACTIVITY_SERVICE) as ActivityManager
        return manager.runningAppProcesses.orEmpty().map { it.processName.substringAfter(':') }
    }
}

private suspend fun Skills.recordHalf() {
    val recording = recorder.begin("Set an alarm for 6:30", app = "clock", taskId = "half")
    recording.call("tap", mapOf("text" to "Alarms"))
}

/** Records a call in a process of its own, which the manifest gives it, and dies. */
class DyingService : Service() {
    override fun onBind(intent: Intent?): IBinder? = null

    override fun onStartCommand(intent: Intent?, flags: Int, startId: Int): Int {
        thread {
            runBlocking { Skills.open(this@DyingService) { authoring = true }.recordHalf() }
            Process.killProcess(Process.myPid())
        }
        return START_NOT_STICKY
    }

    companion object {
        const val PROCESS = "dying"
    }
}
