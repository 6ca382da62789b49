// The model that comes with the library: goals in other words find their skill.

package dev.adroit

import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertIs
import kotlin.test.assertTrue

class BundledModelTest {
    private val tasks = listOf(
        "Set an alarm for 6:30" to "Wake me up at half past six",
        "Send a message to Ana" to "Text Ben that I am on my way",
        "Turn on the dark theme" to "Make the screen black at night",
        "Order a pizza Margherita for delivery" to "I am hungry, get me something Italian to eat",
        "Play some jazz music" to "Put on a song by Miles Davis",
        "Take a photo with the camera" to "Shoot a picture of the sunset",
        "Book a ride to the airport" to "Get me a taxi to terminal two",
        "Check the weather forecast for tomorrow" to "Will it rain on Friday?",
        "Pay the electricity bill" to "Transfer the money for my power invoice",
        "Add milk to the shopping list" to "Remind me to buy bread at the grocery store",
        "Translate this page into French" to "What does this text mean in German?",
    )

    private suspend fun Skills.learnAll() = tasks.forEachIndexed { number, (goal, _) ->
        val recording = recorder.begin(goal, app = "com.app$number")
        recording.call("tap", mapOf("text" to "Start"))
        recording.call("tap", mapOf("x" to 10 * number, "y" to 20))
        assertIs<Created>(recording.finish().decision)
    }

    @Test
    fun a_goal_in_other_words_finds_its_skill() = atHome {
        val skills = open(bundledModel)
        val recording = skills.recorder.begin("Set an alarm for 6:30", app = "clock")
        recording.call("tap", mapOf("text" to "Alarms"))
        recording.call("input_text", mapOf("text" to "6:30"))
        assertIs<Created>(recording.finish().decision)
        assertEquals("set_alarm", skills.rank("Wake me up at half past six").results.single().name)
    }

    @Test
    fun each_of_many_skills_is_found_by_other_words() = atHome {
        val skills = open(bundledModel)
        skills.learnAll()
        val missed = tasks.filter { (goal, words) -> skills.rank(words, k = 1).results.single().goal != goal }
        assertTrue(missed.size <= 1, "$missed")
        // In the words it was learned from, every one.
        for ((goal, _) in tasks) {
            val results = skills.rank(goal, k = 3).results
            assertEquals(goal, results.first().goal)
            assertEquals(listOf(1u, 2u, 3u), results.map { it.rank })
            assertTrue(results.all { it.score in -1f..1f } && results[0].score > 0.5f, "$results")
        }
        assertEquals(tasks.size, skills.rank("Wake me up", k = 100).results.size)
        assertEquals(0uL, skills.embedPending().remaining)
    }

    @Test
    fun a_long_goal_is_compared_by_its_beginning_and_says_so() = atHome {
        val skills = open(bundledModel)
        skills.learnAll()
        val goal = "Play some jazz music"
        assertEquals(false, skills.rank(goal).goalTruncated)
        val long = skills.rank("$goal " + "and then wait for a while ".repeat(100))
        assertEquals(true, long.goalTruncated)
        assertEquals(5, long.results.size)
        for (text in listOf("x".repeat(1_000_000), "word ".repeat(50_000), "字".repeat(100_000), "🙂".repeat(20_000))) {
            assertEquals(5, skills.rank(text).results.size)
        }
        // The task itself may be long as well.
        val sing = note("long", "x").copy(goal = "Sing about " + "the sea and ".repeat(500), goalFamily = "singing")
        assertEquals(EmbeddingState.STORED, skills.learn(sing).embedding)
    }

    @Test
    fun the_newest_version_is_found_and_the_others_when_asked_for() = atHome {
        val skills = open(bundledModel)
        val first = skills.learned(alarm("monday", "7:00"))
        val second = skills.learned(alarmWithLabel("tuesday", "8:30"))
        val third = skills.learned(alarmTypedFirst("wednesday", "9:45"))
        val pizza = skills.learned(pizza("thursday"))

        assertEquals(listOf(third.skillId, pizza.skillId), skills.found("Wake me up at six"))
        val all = skills.rank("Wake me up at six", wholeHistory = true).results
        assertEquals(setOf(first, second, third).map { it.skillId }.toSet(), all.take(3).map { it.skillId }.toSet())
        assertEquals(pizza.skillId, all[3].skillId)
        assertEquals(1, skills.found("Wake me up at six", k = 1, wholeHistory = true).size)
    }

    @Test
    fun goals_that_are_no_english_or_no_words_are_ranked_all_the_same() = atHome {
        val skills = open(bundledModel)
        skills.learnAll()
        val goals = listOf(
            "설정", "!!!", "\u0000", "😀", "\u202E\u200B", "a\u0301".repeat(500), "\uDBFF\uDFFF", "{}", "7",
        )
        for (goal in goals) {
            val results = skills.rank(goal).results
            assertEquals(5, results.size, goal)
            assertTrue(results.all { !it.score.isNaN() })
        }
    }

    @Test
    fun what_was_learned_without_embeddings_is_found_once_it_is_embedded() = atHome {
        open().learnAll()
        val skills = open(bundledModel)
        assertEquals(emptyList(), skills.found("Wake me up"))
        assertEquals(EmbedReport(3uL, 0uL, tasks.size.toULong() - 3uL), skills.embedPending(limit = 3))
        assertEquals(EmbedReport(tasks.size.toULong() - 3uL, 0uL, 0uL), skills.embedPending())
        assertEquals(EmbedReport(0uL, 0uL, 0uL), skills.embedPending())
        assertEquals(tasks[0].first, skills.rank("Wake me up at six").results.first().goal)
    }
}
