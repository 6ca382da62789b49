// Many callers at once, and what they are told of each other's changes.

package dev.adroit

import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertIs
import kotlin.test.assertTrue
import kotlin.time.Duration.Companion.minutes
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout

class ConcurrencyTest {
    @Test
    fun tasks_of_many_coroutines_are_all_learned_once() = atHome {
        val skills = open()
        val families = 6
        val tasks = rounds(120).coerceAtLeast(24)
        withContext(Dispatchers.Default) {
            (0 until tasks).map { number ->
                async {
                    val family = number % families
                    val recorded = unlike("task $number", family)
                    // Every other task of a family takes a step more: a second version.
                    val longer = recorded.copy(calls = recorded.calls + on("tap", "Done"))
                    val outcome = skills.learn(if (number / families % 2 == 0) recorded else longer)
                    skills.list()
                    assertEquals(outcome.skill!!.lineageId, skills.stored(outcome).lineageId)
                }
            }.awaitAll()
        }
        assertEquals(families.toLong(), skills.count())
        val executions = skills.list().flatMap { newest ->
            val versions = skills.history(newest.lineageId)
            assertEquals(listOf(1u, 2u), versions.map { it.version }.distinct().take(2))
            versions.flatMap { skills.executions(it.skillId) }.map { it.taskId }
        }
        assertEquals((0 until tasks).map { "task $it" }.sorted(), executions.sorted())
    }

    @Test
    fun one_task_of_many_coroutines_is_learned_once() = atHome {
        val skills = open(Words())
        val outcomes = withContext(Dispatchers.Default) {
            List(16) { async { skills.learn(alarm("monday", "7:00")) } }.awaitAll()
        }
        assertEquals(1, outcomes.count { it.decision == Created })
        assertEquals(15, outcomes.count { it.decision == Skipped(AlreadyLearned(Created)) })
        assertEquals(1, outcomes.map { it.skill!!.skillId }.distinct().size)
        assertEquals(1, skills.count())
    }

    @Test
    fun readers_see_whole_states_while_others_learn() = atHome {
        val skills = open(Words())
        val last = 12
        withContext(Dispatchers.Default) {
            val learning = async { repeat(last) { skills.learn(unlike("task $it", it)) } }
            List(6) { reader ->
                async {
                    var seen = 0L
                    while (seen < last) {
                        val count = skills.count()
                        assertTrue(count >= seen, "$count after $seen")
                        seen = count
                        when (reader % 3) {
                            0 -> skills.list().forEach { assertEquals(1, it.steps.size) }
                            1 -> skills.rank("Look after thing 3", k = 3).results.let { found ->
                                assertEquals(found.size, found.map { it.lineageId }.distinct().size)
                            }
                            else -> skills.list(limit = 1).forEach {
                                assertEquals(1, skills.executions(it.skillId).size)
                                assertEquals(1, skills.instantiate(it.skillId).size)
                            }
                        }
                    }
                }
            }.awaitAll()
            learning.await()
        }
    }

    @Test
    fun two_skills_on_one_file_see_each_other_s_changes() = atHome {
        val pair = listOf(open(Words()), open(Words()))
        withContext(Dispatchers.Default) {
            (0 until 24).map { number ->
                async { pair[number % 2].learn(unlike("task $number", number % 8)) }
            }.awaitAll()
        }
        for (skills in pair) {
            assertEquals(8, skills.count())
            assertEquals(24, skills.list().sumOf { skills.executions(it.skillId).size })
            assertEquals(8, skills.found("Look after thing 3", k = 20).size)
            assertTrue(skills.list().all { it.version == 1u })
        }
    }

    @Test
    fun all_skills_are_listed_over_many_pages() = atHome {
        val skills = open()
        // More than one page; each is learned by its own family.
        val many = 104
        withContext(Dispatchers.Default) {
            (0 until many).map { async { skills.learn(unlike("task $it", it)) } }.awaitAll()
        }
        val all = skills.all().toList()
        assertEquals(many, all.size)
        assertEquals(all.map { it.name }.sorted(), all.map { it.name })
        assertEquals(all.take(3), skills.all().take(3).toList())
        assertEquals(all.drop(3).take(2), skills.list(after = all[2].name, limit = 2))
        assertEquals(100, skills.list().size)
        assertEquals(emptyList(), skills.list(limit = 0))
    }

    @Test
    fun changes_come_in_order_and_nothing_else_does() = atHome {
        val words = Words()
        val skills = open(words)
        skills.learn(music("before anyone listened"))
        val changes = mutableListOf<Change>()
        val listening = launch(start = CoroutineStart.UNDISPATCHED) { skills.changes.collect { changes += it } }
        val lineage = skills.learned(alarm("monday", "7:00")).lineageId
        skills.learn(alarm("tuesday", "7:00"))
        skills.learn(alarm("tuesday", "7:00"))
        skills.learn(alarm("wednesday", "8:00").copy(status = Status.FAILED))
        skills.learn(alarmWithLabel("thursday", "7:00"))
        skills.embedPending()
        words.modelId = "words-2"
        skills.embedPending()
        skills.forget("no such lineage")
        skills.forget(lineage)
        val recording = skills.recorder.begin("Order a pizza", taskId = "recorded")
        recording.call("tap", mapOf("text" to "Pizza"))
        recording.finish()
        skills.recorder.begin("Order a salad", taskId = "discarded").discard()
        withTimeout(1.minutes) { while (changes.size < 6) kotlinx.coroutines.yield() }
        listening.cancel()

        assertEquals(listOf("monday", "tuesday", "thursday"), changes.take(3).map { (it as Change.Learned).outcome.taskId })
        assertIs<VersionAdded>((changes[2] as Change.Learned).outcome.decision)
        // The first alarm's version and the music too: vectors of another model count anew.
        assertEquals(Change.Embedded(EmbedReport(stored = 3uL, failed = 0uL, remaining = 0uL)), changes[3])
        assertEquals(Change.Forgotten(lineage), changes[4])
        assertEquals("recorded", (changes[5] as Change.Learned).outcome.taskId)
        assertEquals(6, changes.size)
    }

    @Test
    fun a_collector_that_falls_behind_misses_the_oldest_and_holds_nobody_up() = atHome {
        val skills = open()
        val go = CompletableDeferred<Unit>()
        val changes = mutableListOf<Int>()
        val listening = launch(start = CoroutineStart.UNDISPATCHED) {
            skills.changes.collect { change ->
                go.await()
                changes += (change as Change.Learned).outcome.taskId.toInt()
            }
        }
        val last = 90
        repeat(last + 1) { skills.learn(unlike("$it", 0)) }
        go.complete(Unit)
        withTimeout(1.minutes) { while (changes.lastOrNull() != last) kotlinx.coroutines.yield() }
        listening.cancel()

        assertEquals(0, changes.first(), "the one it had taken")
        assertEquals(changes.sorted().distinct(), changes)
        assertEquals(((last - 63)..last).toList(), changes.takeLast(64))
        assertTrue(changes.size < last, "${changes.size}")
    }

    @Test
    fun every_collector_gets_every_change() = atHome {
        val skills = open()
        val collectors = List(3) { async(start = CoroutineStart.UNDISPATCHED) { skills.changes.first() } }
        val outcome = skills.learn(alarm("monday", "7:00"))
        assertEquals(List(3) { Change.Learned(outcome) }, withTimeout(1.minutes) { collectors.awaitAll() })
    }
}
