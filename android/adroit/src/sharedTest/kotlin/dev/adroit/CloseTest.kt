// Closing: at once, whenever, and for good.

package dev.adroit

import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertFailsWith
import kotlin.test.assertIs
import kotlin.test.assertTrue
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.minutes
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout

class CloseTest {
    @Test
    fun closed_skills_say_so_to_every_call() = atHome {
        val skills = open(Words())
        val skill = skills.learned(alarm("monday", "7:00"))
        val recording = skills.recorder.begin("Order a pizza", taskId = "unfinished")
        skills.close()
        // At once, and after the database is closed.
        repeat(2) {
            val calls = listOf<suspend () -> Any?>(
                { skills.learn(alarm("tuesday", "8:00")) },
                { skills.parse("[]") },
                { skills.rank("Set an alarm") },
                { skills.rank("Set an alarm", k = 0) },
                { skills.skill(skill.skillId) },
                { skills.skillByName(skill.name) },
                { skills.skillByGoalFamily(skill.goalFamily) },
                { skills.history(skill.lineageId) },
                { skills.list() },
                { skills.all().toList() },
                { skills.count() },
                { skills.executions(skill.skillId) },
                { skills.instantiate(skill.skillId) },
                { skills.embedPending() },
                { skills.embedPending(limit = 0) },
                { skills.embedCatalog() },
                { skills.forget(skill.lineageId) },
                { skills.resetCorruptStore() },
                { skills.recorder.begin("Order a salad") },
                { skills.recorder.unfinished() },
                { skills.recorder.discard("unfinished") },
                { skills.recorder.resume("unfinished").finish() },
                { recording.call("tap", mapOf("text" to "Pizza")) },
                { recording.call(on("tap", "Pizza")) },
                { recording.finish() },
                { recording.discard() },
            )
            for ((number, call) in calls.withIndex()) {
                assertFailsWith<SkillsClosedException>("call $number") { call() }
            }
            skills.closeAndJoin()
        }
        // What was learned and recorded is there for the next one.
        val reopened = open()
        assertEquals(skill, reopened.skill(skill.skillId))
        assertEquals(listOf("unfinished"), reopened.recorder.unfinished().map { it.taskId })
    }

    @Test
    fun closing_twice_is_no_error() = atHome {
        val skills = open()
        skills.learn(alarm("monday", "7:00"))
        skills.close()
        skills.close()
        skills.closeAndJoin()
        skills.closeAndJoin()
        skills.close()
        withContext(Dispatchers.Default) { List(8) { launch { skills.closeAndJoin() } } }
        assertFailsWith<SkillsClosedException> { skills.count() }
    }

    @Test
    fun skills_may_be_closed_before_they_were_used() = atHome {
        val skills = open()
        skills.close()
        assertFailsWith<SkillsClosedException> { skills.learn(alarm("monday", "7:00")) }
        skills.closeAndJoin()
        assertEquals(emptyMap(), files())
        open(Words()).closeAndJoin()
        assertEquals(emptyMap(), files())
    }

    @Test
    fun closing_returns_at_once_while_a_call_is_in_progress() = atHome {
        val blocking = Blocking()
        val skills = open(blocking.words)
        val learning = async { skills.learn(alarm("monday", "7:00")) }
        blocking.reached.await()
        try {
            // The provider blocks, and would for as long as this waited.
            skills.close()
            assertFailsWith<SkillsClosedException> { skills.count() }
            assertTrue(learning.isActive)
        } finally {
            blocking.letGo()
        }
        // What was decided was stored before.
        assertIs<Created>(learning.await().decision)
        skills.closeAndJoin()
        assertEquals(1, open().count())
    }

    @Test
    fun a_call_that_outlives_the_database_does_not_bring_it_back() = atHome {
        val blocking = Blocking()
        val skills = open(blocking.words)
        val learning = async { skills.learn(alarm("monday", "7:00")) }
        blocking.reached.await()
        val closing = launch { skills.closeAndJoin() }
        delay(200.milliseconds)
        blocking.letGo()
        closing.join()
        assertTrue(database.delete())
        assertIs<Created>(learning.await().decision)
        assertEquals(emptyMap(), files())
    }

    @Test
    fun calls_during_closing_end_or_are_told() = atHome {
        repeat(rounds(30)) { round ->
            val skills = open(Words())
            val calls = withContext(Dispatchers.Default) {
                val calls = List(8) { number ->
                    async {
                        runCatching {
                            when (number % 4) {
                                0 -> skills.learn(unlike("task $round $number", number))
                                1 -> skills.rank("Look after thing $number")
                                2 -> skills.list()
                                else -> skills.count()
                            }
                        }
                    }
                }
                delay((round % 10).milliseconds)
                skills.close()
                withTimeout(1.minutes) { calls.awaitAll() }
            }
            calls.mapNotNull { it.exceptionOrNull() }.forEach { assertIs<SkillsClosedException>(it) }
            skills.closeAndJoin()
        }
    }

    @Test
    fun after_closing_the_file_is_whole_and_may_be_moved() = atHome {
        val skills = open(Words())
        val skill = skills.learned(alarm("monday", "7:00"))
        skills.closeAndJoin()
        assertEquals(setOf("adroit/skills.db"), files().keys, "no journal is left")

        val moved = java.io.File(folder, "moved.db")
        assertTrue(database.renameTo(moved))
        assertEquals(0, open().count())
        Skills.open(moved) { embeddings = Embeddings.Provider(Words()) }.use {
            assertEquals(listOf(skill), it.list())
            assertEquals(listOf(skill.skillId), it.found("Set an alarm"))
            it.closeAndJoin()
        }
    }

    @Test
    fun a_deleted_database_starts_anew() = atHome {
        repeat(3) {
            val skills = open(Words())
            assertEquals(0, skills.count())
            assertIs<Created>(skills.learn(alarm("monday", "7:00")).decision)
            skills.closeAndJoin()
            assertTrue(database.delete())
        }
    }

    @Test
    fun reopened_skills_find_what_was_learned() = atHome {
        val learned = mutableListOf<Skill>()
        repeat(4) { number ->
            val skills = open(Words())
            assertEquals(learned, learned.map { skills.skill(it.skillId) })
            learned += skills.learned(unlike("task $number", number))
            assertEquals(learned.last().skillId, skills.found("Look after thing $number").first())
            skills.closeAndJoin()
        }
        assertEquals(4, open().count())
    }
}
