package dev.adroit

import android.os.Build
import android.os.StrictMode
import android.os.strictmode.Violation
import androidx.annotation.RequiresApi
import java.util.concurrent.ConcurrentLinkedQueue
import kotlinx.coroutines.delay

/** Apart from the tests, whose class could not be looked into where there are no [Violation]s. */
@RequiresApi(Build.VERSION_CODES.P)
object LeakedClosables {
    /** What the garbage collector finds unclosed after some work. */
    suspend fun of(work: () -> Unit): List<Violation> {
        val seen = ConcurrentLinkedQueue<Violation>()
        val usual = StrictMode.getVmPolicy()
        StrictMode.setVmPolicy(
            StrictMode.VmPolicy.Builder().detectLeakedClosableObjects().penaltyListener(Runnable::run, seen::add).build(),
        )
        try {
            work()
            repeat(5) {
                System.gc()
                System.runFinalization()
                delay(100)
            }
        } finally {
            StrictMode.setVmPolicy(usual)
        }
        return seen.toList()
    }
}
