package dev.adroit

import java.util.concurrent.CountDownLatch
import kotlinx.coroutines.CompletableDeferred

/** A provider that blocks its thread, deaf to cancellation, until it is let go. */
class Blocking(
    /** Which of its texts it blocks at, counted from 1; every one unless told otherwise. */
    at: Int? = null,
) {
    /** Done when it blocks. */
    val reached = CompletableDeferred<Unit>()
    private val gate = CountDownLatch(1)
    val words = Words().apply {
        first = {
            if (at == null || texts.size == at) {
                reached.complete(Unit)
                gate.await()
            }
        }
    }

    fun letGo() = gate.countDown()
}
