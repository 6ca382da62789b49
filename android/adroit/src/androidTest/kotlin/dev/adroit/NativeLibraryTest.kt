package dev.adroit

import androidx.test.ext.junit.runners.AndroidJUnit4
import kotlin.test.Test
import org.junit.Assume.assumeTrue
import org.junit.runner.RunWith

@RunWith(AndroidJUnit4::class)
class NativeLibraryTest {
    @Test
    fun it_logs_to_logcat_so_the_runtime_has_called_its_hook() = inEmptyApp {
        assumeTrue("only Android has logcat", onDevice)
        // A new database is worth a line in the log.
        withSkills { it.learnAlarm() }
        eventually("there is a line of the library") {
            ProcessBuilder("logcat", "-d", "-s", "adroit:I").start().inputStream.bufferedReader().use { log ->
                log.readLines().any { "schema" in it }
            }
        }
    }
}
