// Opening, using, cancelling and closing at once, many times over, on one file.

package dev.adroit

import dev.adroit.internal.FfiConverterTypeEmbeddingProvider
import java.io.File
import kotlin.random.Random
import kotlin.test.Test
import kotlin.test.assertFailsWith
import kotlin.test.assertTrue
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import kotlinx.coroutines.yield

class RaceTest {
    private class Cheap : EmbeddingProvider {
        override val modelId get() = "cheap"
        override val dimension get() = 2
        override suspend fun embed(text: String) = Embedding(listOf(1f, text.length.toFloat()))
    }

    @Test
    fun races_of_use_cancelling_and_closing_end_well() = atHome {
        val before = open(Cheap())
        repeat(5) { before.learn(unlike("task $it", it)) }
        before.closeAndJoin()
        val races = rounds(10_000)
        val racers = 4
        race(0 until races / 10, racers)
        val settled = Resources.now()
        race(races / 10 until races, racers)

        val left = Resources.now()
        assertTrue(left.descriptors <= settled.descriptors + 16, "$left after $settled")
        assertTrue(left.threads <= settled.threads + 80, "$left after $settled")
        assertTrue(left.providers <= settled.providers, "$left after $settled")
        assertTrue(left.heap <= settled.heap + 32, "$left after $settled")
        assertTrue(open().count() >= 5)
    }

    private suspend fun Home.race(rounds: IntRange, racers: Int) = withContext(Dispatchers.Default) {
        (0 until racers).map { racer ->
            async { for (round in rounds) if (round % racers == racer) race(round) }
        }.awaitAll()
    }

    private suspend fun Home.race(round: Int) {
        val random = Random(round)
        val file = if (random.nextInt(10) == 0) File(folder, "none/skills.db") else database
        val skills = Skills.open(file) {
            authoring = true
            embeddings = if (random.nextBoolean()) Embeddings.Off else Embeddings.Provider(Cheap())
        }
        val dispatchers = listOf(Dispatchers.Default, Dispatchers.IO, Dispatchers.Unconfined)
        coroutineScope {
            val users = List(1 + random.nextInt(3)) {
                val (use, pause) = random.nextInt(100) to random.nextInt(8)
                launch(dispatchers.random(random)) {
                    repeat(pause) { yield() }
                    try {
                        skills.use(use, round)
                    } catch (_: SkillsClosedException) {
                        // It lost.
                    }
                }
            }
            for (user in users) {
                val pause = random.nextInt(16)
                if (random.nextInt(3) == 0) {
                    launch {
                        repeat(pause) { yield() }
                        user.cancel()
                    }
                }
            }
            repeat(1 + random.nextInt(2)) {
                val pause = random.nextInt(40)
                launch(dispatchers.random(random)) {
                    repeat(pause) { yield() }
                    if (pause % 2 == 0) skills.close() else skills.closeAndJoin()
                }
            }
        }
        skills.closeAndJoin()
        assertFailsWith<SkillsClosedException> { skills.count() }
    }

    private suspend fun Skills.use(use: Int, round: Int) {
        when (use) {
            // Most touch no file, so that there is time for many.
            in 0..31 -> parse("[]")
            in 32..57 -> rank("", k = 0)
            in 58..83 -> learn(unlike("race $round", 0).copy(status = Status.FAILED))
            in 84..87 -> count()
            in 88..90 -> rank("Look after thing 3")
            in 91..92 -> list(limit = 3)
            in 93..94 -> recorder.unfinished()
            in 95..96 -> embedPending(limit = 2)
            in 97..98 -> learn(unlike("race $round", round % 5))
            else -> recorder.begin("Order a pizza", taskId = "race $round").discard()
        }
    }

    /** What the process holds. */
    private data class Resources(val descriptors: Int, val threads: Int, val providers: Int, val heap: Long) {
        companion object {
            fun now(): Resources {
                repeat(5) {
                    Runtime.getRuntime().gc()
                    Thread.sleep(50)
                }
                val memory = Runtime.getRuntime()
                return Resources(
                    // Not everywhere is there such a folder.
                    descriptors = File("/proc/self/fd").list()?.size ?: 0,
                    threads = File("/proc/self/task").list()?.size ?: 0,
                    providers = FfiConverterTypeEmbeddingProvider.handleMap.size,
                    heap = (memory.totalMemory() - memory.freeMemory()) shr 20,
                )
            }
        }
    }
}
