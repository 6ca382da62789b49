package dev.adroit

import android.content.Context
import androidx.test.core.app.ApplicationProvider
import androidx.test.ext.junit.runners.AndroidJUnit4
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertTrue
import org.junit.runner.RunWith

@RunWith(AndroidJUnit4::class)
class ReadmeTest {
    @Test
    fun the_example_of_the_readme_does_what_it_says() = running {
        val context = ApplicationProvider.getApplicationContext<Context>()
        // README
        val skills = Skills.open(context) { authoring = true } // Off by default: then nothing is recorded or learned.

        // While the agent works, for each of its tasks:
        for ((name, text) in listOf("Ana" to "I am late", "Ben" to "See you at noon")) {
            val recording = skills.recorder.begin(goal = "Text $name: $text", app = "com.example.messages")
            recording.call("tap", mapOf("label" to name))
            recording.call("input_text", mapOf("text" to text))
            recording.finish() // The second execution differs in two values: they are parameters now.
        }

        // When another goal comes:
        val found = skills.rank("Tell Priya that the train is late", k = 1).results.first()
        val calls = skills.instantiate(found.skillId, mapOf("label" to "Priya", "text" to "The train is late"))
        // README
        assertEquals(listOf("tap", "input_text"), calls.map { it.tool })
        assertTrue("Priya" in calls[0].arguments && "The train is late" in calls[1].arguments)
        skills.closeAndJoin()
    }
}
