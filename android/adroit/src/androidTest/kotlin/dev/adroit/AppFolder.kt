// The app's folder as the library uses it, and skills in it.

package dev.adroit

import java.io.File
import java.io.FileNotFoundException
import kotlinx.coroutines.delay

/** Where skills that are opened with a Context keep their files. */
val appFolder: File get() = File(appContext.noBackupFilesDir, "adroit")

/** Runs a test that finds the app's folder without skills, and leaves it so. */
fun inEmptyApp(test: suspend () -> Unit) = running {
    appFolder.deleteRecursively()
    try {
        test()
    } finally {
        appFolder.deleteRecursively()
    }
}

/** Runs with skills of the app that learn, and closes them. They embed nothing unless told otherwise: that is slow. */
suspend fun <T> withSkills(
    embeddings: Embeddings = Embeddings.Off,
    database: File? = null,
    work: suspend (Skills) -> T,
): T = closing(
    Skills.open(appContext) {
        authoring = true
        this.embeddings = embeddings
        this.database = database
    },
    work,
)

/** Runs with skills that have the bundled model, in an app whose build compressed it. */
suspend fun <T> withSkillsOfCompressedModel(work: suspend (Skills) -> T): T = closing(
    Skills.openWithModel(appContext, { throw FileNotFoundException("it is probably compressed") }) { authoring = true },
    work,
)

private suspend fun <T> closing(skills: Skills, work: suspend (Skills) -> T): T =
    try {
        work(skills)
    } finally {
        skills.closeAndJoin()
    }

/** Learns a task from a recording of it. */
suspend fun Skills.learnAlarm(): Outcome {
    val recording = recorder.begin("Set an alarm for 6:30", app = "clock")
    recording.call("tap", mapOf("text" to "Alarms"))
    recording.call("input_text", mapOf("text" to "6:30"))
    return recording.finish()
}

/** What the model finds for a goal that has hardly a word in common with that of [learnAlarm]. */
suspend fun Skills.foundByMeaning(): List<String> = rank("Wake me up at half past six").results.map { it.name }

/** Waits for what others do in their own time. */
suspend fun eventually(what: String, holds: suspend () -> Boolean) {
    repeat(600) {
        if (holds()) return
        delay(50)
    }
    throw AssertionError("not within half a minute: $what")
}
