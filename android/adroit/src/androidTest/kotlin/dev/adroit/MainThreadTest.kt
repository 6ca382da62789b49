package dev.adroit

import android.os.Build
import android.os.StrictMode
import androidx.test.ext.junit.runners.AndroidJUnit4
import kotlin.test.Test
import kotlin.test.assertEquals
import org.junit.Assume.assumeTrue
import org.junit.runner.RunWith

/** Under Robolectric StrictMode sees little: there these show only that the main thread may call everything. */
@RunWith(AndroidJUnit4::class)
class MainThreadTest {
    @Test
    fun the_main_thread_reads_and_writes_no_file() = inEmptyApp {
        onMain {
            val usual = StrictMode.getThreadPolicy()
            StrictMode.setThreadPolicy(StrictMode.ThreadPolicy.Builder().detectAll().penaltyLog().penaltyDeath().build())
            try {
                useAll()
            } finally {
                StrictMode.setThreadPolicy(usual)
            }
        }
    }

    @Test
    fun nothing_that_needs_closing_is_left_to_the_garbage_collector() = inEmptyApp {
        assumeTrue(Build.VERSION.SDK_INT >= Build.VERSION_CODES.P)
        assertEquals(emptyList(), LeakedClosables.of { onMain { useAll() } })
    }

    /** Opens, uses and closes skills on the thread it is called on. */
    private suspend fun useAll() {
        withSkillsOfCompressedModel { it.learnAlarm() }
        withSkills(Embeddings.Bundled) { skills ->
            skills.foundByMeaning()
            val skill = skills.list().single()
            skills.instantiate(skill.skillId)
            skills.history(skill.lineageId)
            skills.embedPending()
            skills.forget(skill.lineageId)
        }
        Skills.open(appContext).close()
    }
}
