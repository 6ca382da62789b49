package dev.adroit

import androidx.test.ext.junit.runners.AndroidJUnit4
import java.io.File
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertFailsWith
import kotlin.test.assertIs
import org.junit.Assume.assumeFalse
import org.junit.runner.RunWith

@RunWith(AndroidJUnit4::class)
class StorageTest {
    @Test
    fun a_database_that_cannot_be_created_is_a_storage_failure() = running {
        // Nobody may create a folder there.
        withSkills(database = File("/proc/adroit/skills.db")) {
            assertFailsWith<StorageException> { it.learnAlarm() }
            assertFailsWith<StorageException> { it.learn(alarm()) }
        }
    }

    @Test
    fun a_database_works_as_soon_as_there_is_a_place_for_it() = running {
        val folder = newFolder()
        val inTheWay = File(folder, "adroit").apply { writeText("a file") }
        withSkills(database = File(inTheWay, "skills.db")) {
            assertFailsWith<StorageException> { it.learnAlarm() }
            assertEquals(listOf("adroit"), folder.list().orEmpty().asList())
            assertEquals("a file", inTheWay.readText())
            inTheWay.delete()
            assertIs<Created>(it.learnAlarm().decision)
        }
    }

    @Test
    fun a_folder_that_cannot_be_written_keeps_what_was_learned() = running {
        val folder = newFolder()
        val database = File(folder, "skills.db")
        withSkills(database = database) { it.learnAlarm() }
        folder.setWritable(false)
        try {
            assumeFalse("this user may write everywhere", folder.canWrite())
            withSkills(database = database) {
                assertFailsWith<StorageException> { it.recorder.begin("Set an alarm for 7:45", app = "clock") }
                assertFailsWith<StorageException> { it.learn(alarm()) }
            }
        } finally {
            folder.setWritable(true)
        }
        withSkills(database = database) {
            assertEquals("set_alarm", it.list().single().name)
            assertEquals(emptyList(), it.recorder.unfinished())
            assertIs<ParametersUpdated>(it.learn(alarm()).decision)
        }
    }

    private fun alarm() = Timeline(
        taskId = "2",
        goal = "Set an alarm for 7:45",
        status = Status.SUCCEEDED,
        app = "clock",
        calls = listOf(
            ToolCall(tool = "tap", arguments = """{"text":"Alarms"}"""),
            ToolCall(tool = "input_text", arguments = """{"text":"7:45"}"""),
        ),
    )
}
