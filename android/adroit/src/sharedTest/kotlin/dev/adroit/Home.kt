// A place for one test: a folder with a database, and the skills that were opened on it.

package dev.adroit

import java.io.File
import java.util.Collections
import kotlin.time.Duration.Companion.minutes
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.withContext

/** Runs a test in a home of its own. What it opened there is closed afterwards. */
fun atHome(test: suspend Home.() -> Unit): Unit = running {
    val home = Home(this)
    try {
        home.test()
    } finally {
        withContext(NonCancellable) { home.close() }
    }
}

/** A folder of its own for a database. A test that runs in it may launch coroutines. */
class Home(scope: CoroutineScope) : CoroutineScope by scope {
    val folder: File = newFolder()
    val database = File(folder, "adroit/skills.db")
    private val opened = Collections.synchronizedList(mutableListOf<Skills>())

    /** Skills that learn, and embed nothing unless told otherwise. */
    fun open(embeddings: Embeddings = Embeddings.Off, configure: SkillsBuilder.() -> Unit = {}): Skills {
        val skills = Skills.open(database) {
            authoring = true
            this.embeddings = embeddings
            // Where a processor is emulated, the model takes its time.
            embeddingDeadline = 2.minutes
            configure()
        }
        return skills.also(opened::add)
    }

    /** Skills that learn, and embed with this provider. */
    fun open(provider: EmbeddingProvider, configure: SkillsBuilder.() -> Unit = {}): Skills =
        open(Embeddings.Provider(provider), configure)

    /** Every file in the folder, by its path there, with its bytes. */
    fun files(): Map<String, ByteArray> =
        folder.walkTopDown().filter { it.isFile }.associate { it.relativeTo(folder).path to it.readBytes() }

    /** The files that hold a text. */
    fun filesWith(text: String): Set<String> {
        val sought = text.toByteArray()
        return files().filterValues { sought in it }.keys
    }

    /** Closes what was opened here and deletes the folder. */
    suspend fun close() {
        opened.toList().forEach { it.closeAndJoin() }
        folder.deleteRecursively()
    }
}

private operator fun ByteArray.contains(sought: ByteArray): Boolean =
    (0..size - sought.size).any { at -> sought.indices.all { this[at + it] == sought[it] } }
