// A forgotten skill is gone, and nothing else is.

package dev.adroit

import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertIs
import kotlin.test.assertNotEquals
import kotlin.test.assertNull
import kotlin.test.assertTrue
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.withContext

class ForgetTest {
    @Test
    fun a_forgotten_skill_is_found_no_more_and_the_others_stay() = atHome {
        val skills = open(Words())
        val first = skills.learned(alarm("monday", "7:00"))
        val second = skills.learned(alarmWithLabel("tuesday", "8:30"))
        val other = skills.learned(music("wednesday"))
        assertEquals(listOf(first, second), skills.history(first.lineageId))
        assertEquals(second.skillId, skills.found("Set an alarm").first())

        assertEquals(true, skills.forget(first.lineageId))

        for (version in listOf(first, second)) {
            assertNull(skills.skill(version.skillId))
            assertEquals(emptyList(), skills.executions(version.skillId))
        }
        assertNull(skills.skillByName(first.name))
        assertNull(skills.skillByGoalFamily(first.goalFamily))
        assertNull(skills.skillByGoalFamily(first.goalFamily, CLOCK))
        assertEquals(emptyList(), skills.history(first.lineageId))
        assertEquals(listOf(other), skills.list())
        assertEquals(listOf(other), skills.all().toList())
        assertEquals(1, skills.count())
        assertEquals(listOf(other.skillId), skills.found("Set an alarm"))
        assertEquals(listOf(other.skillId), skills.found("Set an alarm", wholeHistory = true))
        assertEquals(1, skills.executions(other.skillId).size)
        assertEquals(0uL, skills.embedPending().remaining)
    }

    @Test
    fun nothing_of_a_forgotten_skill_is_in_any_file() = atHome {
        val skills = open(Words())
        repeat(20) { skills.learn(unlike("other $it", it)) }
        val skill = skills.learned(note("frobozz task", "zanzibar-quokka"))
        skills.learn(note("second", "plugh again"))
        skills.learn(note("third", "xyzzy").run { copy(calls = calls + on("tap", "wolpertinger")) })
        val words = listOf("Write down a note", "zanzibar", "plugh", "xyzzy", "wolpertinger", "frobozz", skill.skillId)
        for (word in words) assertNotEquals(emptySet(), filesWith(word), word)

        assertEquals(true, skills.forget(skill.lineageId))

        for (word in words) assertEquals(emptySet(), filesWith(word), word)
        skills.closeAndJoin()
        for (word in words) assertEquals(emptySet(), filesWith(word), word)
        assertNotEquals(emptySet(), filesWith("Look after thing 3"))
    }

    @Test
    fun other_skills_on_the_file_rank_it_no_more_and_give_as_many() = atHome {
        val here = open(Words())
        val there = open(Words())
        val learned = List(6) { here.learned(unlike("task $it", it)) }
        assertEquals(learned[3].skillId, there.found("Look after thing 3", k = 3).first())

        assertTrue(here.forget(learned[3].lineageId))
        assertTrue(here.forget(learned[5].lineageId))

        val found = there.found("Look after thing 3", k = 4)
        assertEquals(4, found.size)
        assertTrue(learned[3].skillId !in found && learned[5].skillId !in found)
        assertNull(there.skill(learned[3].skillId))
        val newest = here.learned(unlike("task 6", 6))
        assertEquals(newest.skillId, there.found("Look after thing 6", k = 1).single())
    }

    @Test
    fun forgetting_what_is_not_there_is_false() = atHome {
        val skills = open()
        assertEquals(false, skills.forget("nobody"))
        assertEquals(emptyMap(), files(), "nor is a file created")
        val skill = skills.learned(alarm("monday", "7:00"))
        for (id in listOf("", "nobody", skill.skillId, skill.name, "a\u0000b", "%", skill.lineageId + " ")) {
            assertEquals(false, skills.forget(id), id)
        }
        assertEquals(skill, skills.skill(skill.skillId))
        assertEquals(true, skills.forget(skill.lineageId))
        assertEquals(false, skills.forget(skill.lineageId))
    }

    @Test
    fun a_forgotten_task_may_be_learned_again() = atHome {
        val skills = open(Words())
        val first = skills.learned(alarm("monday", "7:00"))
        skills.forget(first.lineageId)
        val outcome = skills.learn(alarm("monday", "7:00"))
        assertIs<Created>(outcome.decision)
        val again = skills.stored(outcome)
        assertEquals(first.name to 1u, again.name to again.version)
        assertNotEquals(first.lineageId, again.lineageId)
        assertEquals(listOf(again.skillId), skills.found("Set an alarm"))
    }

    @Test
    fun many_may_forget_at_once_and_one_of_them_did() = atHome {
        val pair = listOf(open(Words()), open(Words()))
        val learned = List(4) { pair[0].learned(unlike("task $it", it)) }
        val forgotten = withContext(Dispatchers.Default) {
            List(16) { number -> async { pair[number % 2].forget(learned[number % 4].lineageId) } }.awaitAll()
        }
        assertEquals(4, forgotten.count { it }, "$forgotten")
        for (skills in pair) {
            assertEquals(0, skills.count())
            assertEquals(emptyList(), skills.found("Look after thing"))
        }
    }

    @Test
    fun authoring_need_not_be_on_to_forget() = atHome {
        val learning = open()
        val skill = learning.learned(alarm("monday", "7:00"))
        learning.closeAndJoin()
        assertEquals(true, open { authoring = false }.forget(skill.lineageId))
        assertEquals(emptySet(), filesWith("Set an alarm"))
    }
}
