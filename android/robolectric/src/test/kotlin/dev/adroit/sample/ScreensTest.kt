package dev.adroit.sample

import androidx.test.core.app.ApplicationProvider
import androidx.test.ext.junit.runners.AndroidJUnit4
import kotlin.test.Test
import kotlinx.coroutines.runBlocking
import org.junit.runner.RunWith
import org.robolectric.annotation.Config

/** The sample as its users see it. Leaves a picture of each screen in `target/pictures`. */
@RunWith(AndroidJUnit4::class)
@Config(qualifiers = "w360dp-h640dp-xhdpi")
class ScreensTest {
    @Test
    fun tasks_become_skills_that_are_found_filled_in_and_forgotten() {
        val phone = Phone()
        phone.sees(Words.NO_SKILLS)
        phone.learns()

        phone.touch(Words.RUN_A_TASK)
        phone.runs(to = "Ana", message = "I am late")
        phone.sees("“Send message” was learned")
        phone.runs(to = "Ben", message = "See you at noon")
        phone.sees("“Send message” can now be given: to, message")
        phone.picture("task")
        phone.touch(Words.BY_SEARCH)
        phone.runs(to = "Noor", message = "The bus is late")
        phone.sees("“Send message” has a version 2 now")
        phone.runs(to = "Mia", message = "Happy birthday")
        phone.sees("Parameters added")
        phone.touch(Words.MUTE)
        phone.runs(to = "Ana")
        phone.sees("“Mute chat” was learned")
        phone.touch(Words.DARK)
        phone.runs()
        phone.sees("“Turn on dark theme” was learned")
        phone.runs()
        phone.sees("Nothing new")
        phone.back()
        phone.sees(Words.skills(3))
        phone.picture("skills")

        phone.touch(Words.FIND_A_SKILL)
        phone.type(Words.GOAL, "Text Priya that the train is late")
        phone.touch(Words.FIND)
        phone.sees("Send message")
        phone.picture("search")
        phone.touch("Send message")

        phone.sees(Words.runs(2))
        phone.sees("tap  contact")
        phone.touch(Words.version(1))
        phone.seesNo("contact")
        phone.sees("input_text  message")
        phone.touch(Words.SHOW_CALLS)
        phone.sees("Parameter to needs a value.")
        phone.type("To", "Priya")
        phone.type("Message", "The train is late")
        phone.touch(Words.SHOW_CALLS)
        phone.sees("input_text  “The train is late”")
        phone.seesNo("needs a value")
        phone.picture("skill")

        phone.touch(Words.FORGET)
        phone.touch(Words.FORGET_NO)
        phone.sees(Words.STEPS)
        phone.touch(Words.FORGET)
        phone.touch(Words.FORGET_YES)
        phone.returned()
        phone.touch(Words.FIND)
        phone.seesNo("Send message")
        phone.back()
        phone.sees(Words.skills(2))
    }

    @Test
    fun nothing_is_kept_until_the_user_switches_learning_on() {
        val phone = Phone()
        phone.sees(Words.NOT_LEARNING)
        phone.touch(Words.RUN_A_TASK)
        phone.sees(Words.LEARNING_IS_OFF)
        phone.runs(to = "Ana", message = "I am late")
        phone.sees("In the app: “Ana: I am late”")
        phone.sees("nothing was kept")
        phone.back()
        phone.sees(Words.NO_SKILLS)
    }

    @Test
    @Config(qualifiers = "+night")
    fun what_was_typed_and_what_runs_outlive_a_turn_of_the_device() {
        val phone = Phone()
        phone.learns()
        phone.turn()
        phone.sees(Words.LEARNING)
        phone.touch(Words.RUN_A_TASK)
        phone.type(Words.TO, "Priya")
        phone.touch(Words.RUN)
        phone.turn()
        phone.sees("“Send message” was learned")
        phone.turn()
        phone.sees("In the app: “Priya: I am late”")
        phone.runs(to = "Ben")
        phone.picture("night")
        phone.touch(Words.SHOW_SKILL)
        phone.type("To", "Noor")
        phone.touch(Words.SHOW_CALLS)
        phone.turn()
        phone.sees("input_text  “Noor”")
        phone.touch(Words.FORGET)
        phone.turn()
        phone.sees(Words.FORGET_REALLY)
    }

    @Test
    fun a_run_that_is_left_is_not_learned_from() {
        val phone = Phone()
        phone.learns()
        phone.touch(Words.RUN_A_TASK)
        phone.touch(Words.RUN)
        phone.sees("open_app")
        phone.back()
        phone.sees(Words.NO_SKILLS)
        val app = ApplicationProvider.getApplicationContext<SampleApp>()
        phone.waitFor("the recording to be discarded") { runBlocking { app.skills().recorder.unfinished().isEmpty() } }
    }

    private fun Phone.learns() {
        touch(Words.LEARN)
        sees(Words.LEARNING)
    }

    private fun Phone.runs(to: String? = null, message: String? = null) {
        to?.let { type(Words.TO, it) }
        message?.let { type(Words.MESSAGE, it) }
        touch(Words.RUN)
        find(Words.RUN)
    }
}
