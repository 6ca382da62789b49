// A caller that is cancelled goes on at once; the work it began is done whole or not at all.

package dev.adroit

import java.util.concurrent.CountDownLatch
import java.util.concurrent.Executors
import kotlin.random.Random
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertFailsWith
import kotlin.test.assertIs
import kotlin.test.assertTrue
import kotlin.time.Duration.Companion.microseconds
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.minutes
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.TimeoutCancellationException
import kotlinx.coroutines.asCoroutineDispatcher
import kotlinx.coroutines.async
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.launch
import kotlinx.coroutines.withTimeout

class CancellationTest {
    private suspend fun eventually(what: String, condition: suspend () -> Boolean) =
        try {
            withTimeout(1.minutes) { while (!condition()) delay(10.milliseconds) }
        } catch (_: TimeoutCancellationException) {
            throw AssertionError("never: $what")
        }

    @Test
    fun a_cancelled_caller_goes_on_while_a_provider_blocks() = atHome {
        val blocking = Blocking()
        val skills = open(blocking.words)
        try {
            val learning = launch { skills.learn(alarm("monday", "7:00")) }
            blocking.reached.await()
            withTimeout(1.minutes) { learning.cancelAndJoin() }
            // The provider is still at it, and the skill is there.
            assertEquals(1, skills.count())
            assertEquals(listOf("monday"), skills.executions(skills.list().single().skillId).map { it.taskId })
        } finally {
            blocking.letGo()
        }
        eventually("the vector is stored") { skills.rank("Set an alarm").results.size == 1 }
    }

    @Test
    fun a_caller_that_has_no_more_time_is_told_so_by_its_own_timeout() = atHome {
        val blocking = Blocking()
        val skills = open(blocking.words)
        open(Words()).learn(alarm("monday", "7:00"))
        try {
            assertFailsWith<TimeoutCancellationException> { withTimeout(50.milliseconds) { skills.rank("Set an alarm") } }
        } finally {
            blocking.letGo()
        }
        assertEquals(1, skills.rank("Set an alarm").results.size)
    }

    @Test
    fun what_was_cancelled_before_it_began_is_not_done() = atHome {
        val gate = CountDownLatch(1)
        val thread = Executors.newSingleThreadExecutor()
        val skills = open { dispatcher = thread.asCoroutineDispatcher() }
        try {
            thread.execute { gate.await() }
            val learning = launch(start = CoroutineStart.UNDISPATCHED) { skills.learn(alarm("monday", "7:00")) }
            val reading = launch(start = CoroutineStart.UNDISPATCHED) { skills.count() }
            withTimeout(1.minutes) {
                learning.cancelAndJoin()
                reading.cancelAndJoin()
            }
            gate.countDown()
            assertEquals(0, skills.count())
            assertEquals(emptyMap(), files())
            skills.closeAndJoin()
        } finally {
            gate.countDown()
            thread.shutdown()
        }
    }

    @Test
    fun cancelled_tasks_are_learned_whole_or_not_at_all() = atHome {
        val skills = open(Words())
        val random = Random(7)
        val tasks = rounds(150)
        repeat(tasks) { number ->
            val learning = launch(Dispatchers.Default) { skills.learn(unlike("task $number", number)) }
            delay(random.nextInt(15_000).microseconds)
            learning.cancelAndJoin()
        }
        skills.closeAndJoin()
        val reopened = open()
        var learned = 0
        for (number in 0 until tasks) {
            val skill = reopened.skillByGoalFamily("thing $number")
            val again = reopened.learn(unlike("task $number", number))
            if (skill == null) {
                assertIs<Created>(again.decision)
            } else {
                learned++
                assertEquals(Skipped(AlreadyLearned(Created)), again.decision)
                val calls = unlike("", number).calls.map { Call(it.tool, it.arguments) }
                assertEquals(calls, reopened.instantiate(skill.skillId))
                assertEquals(1, reopened.executions(skill.skillId).size)
            }
        }
        assertEquals(tasks.toLong(), reopened.count())
        assertTrue(learned > 0, "every one was cancelled in time")
    }

    @Test
    fun embedding_what_is_pending_stops_between_portions_and_keeps_what_is_done() = atHome {
        val many = 40
        val off = open()
        repeat(many) { off.learn(unlike("task $it", it)) }
        // In the second portion.
        val blocking = Blocking(at = 10)
        val words = blocking.words
        val skills = open(words)
        val told = mutableListOf<ULong>()
        val listening = launch(start = CoroutineStart.UNDISPATCHED) {
            skills.changes.collect { told += (it as Change.Embedded).report.stored }
        }
        try {
            val embedding = launch { skills.embedPending() }
            blocking.reached.await()
            withTimeout(1.minutes) { embedding.cancelAndJoin() }
        } finally {
            blocking.letGo()
        }
        var before = ULong.MAX_VALUE
        eventually("it stops") {
            val remaining = skills.embedPending(limit = 0).remaining
            delay(500.milliseconds)
            (remaining == before).also { before = remaining }
        }
        val done = words.texts.size
        assertTrue(done in 10 until many, "$done of $many were embedded")
        assertEquals((many - done).toULong(), before)
        assertEquals(done, skills.found("Look after thing", k = many).size)
        assertEquals(EmbedReport((many - done).toULong(), 0uL, 0uL), skills.embedPending())
        assertEquals(many + 1, words.texts.size, "none is embedded twice; the last is the goal")
        eventually("all of it is told, portion by portion") { told.sum() == many.toULong() }
        listening.cancel()
    }

    @Test
    fun what_a_cancelled_caller_began_is_among_the_changes() = atHome {
        val blocking = Blocking()
        val skills = open(blocking.words)
        val change = async(start = CoroutineStart.UNDISPATCHED) { skills.changes.first() }
        val learning = launch { skills.learn(alarm("monday", "7:00")) }
        blocking.reached.await()
        learning.cancelAndJoin()
        blocking.letGo()
        // The task is learned all the same, so whoever shows the skills has to be told.
        eventually("its vector is stored") { skills.rank("Set an alarm").results.size == 1 }
        val told = kotlinx.coroutines.withTimeoutOrNull(1_000.milliseconds) { change.await() }
        change.cancel()
        assertEquals("monday", assertIs<Change.Learned>(told).outcome.taskId)
    }

    @Test
    fun a_recording_whose_end_was_cancelled_ends_by_itself() = atHome {
        val blocking = Blocking()
        val skills = open(blocking.words)
        val recording = skills.recorder.begin("Set an alarm for 7:00", app = CLOCK, taskId = "monday")
        recording.call("tap", mapOf("text" to "Alarms"))
        try {
            val finishing = launch { recording.finish() }
            blocking.reached.await()
            withTimeout(1.minutes) { finishing.cancelAndJoin() }
            assertEquals(1, skills.count())
        } finally {
            blocking.letGo()
        }
        eventually("the recording is deleted") { skills.recorder.unfinished().isEmpty() }
        assertEquals(1, skills.executions(skills.list().single().skillId).size)
    }
}
