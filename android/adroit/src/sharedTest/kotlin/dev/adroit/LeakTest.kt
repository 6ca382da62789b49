// Nothing keeps skills alive that nobody uses any more.

package dev.adroit

import dev.adroit.internal.FfiConverterTypeEmbeddingProvider
import java.io.File
import java.lang.ref.WeakReference
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertNull
import kotlin.test.assertTrue

class LeakTest {
    /** Uses skills, ends with them as told, and leaves no other trace of them than this. */
    private fun leftBehind(database: File, end: suspend (Skills) -> Unit): List<WeakReference<out Any>> {
        val words = Words()
        val skills = Skills.open(database) {
            authoring = true
            embeddings = Embeddings.Provider(words)
        }
        running {
            skills.learn(alarm("monday", "7:00"))
            skills.rank("Set an alarm")
            skills.recorder.begin("Order a pizza").discard()
            end(skills)
        }
        return listOf(WeakReference(skills), WeakReference(words))
    }

    private fun assertGone(left: List<WeakReference<out Any>>) {
        repeat(200) {
            if (left.all { it.get() == null }) return
            Runtime.getRuntime().gc()
            System.runFinalization()
            Thread.sleep(25)
        }
        left.forEach { assertNull(it.get()) }
    }

    @Test
    fun closed_skills_and_their_provider_are_freed() {
        val folder = newFolder()
        assertGone(leftBehind(File(folder, "skills.db")) { it.closeAndJoin() })
    }

    @Test
    fun closing_gives_the_provider_back_without_waiting_for_a_collection() = atHome {
        val before = FfiConverterTypeEmbeddingProvider.handleMap.size
        val skills = List(3) { open(Words()) }
        for (one in skills) one.learn(unlike("task", 1))
        assertTrue(FfiConverterTypeEmbeddingProvider.handleMap.size >= 3)
        for (one in skills) one.closeAndJoin()
        // The threads that embedded end a moment after their answer.
        repeat(500) { if (FfiConverterTypeEmbeddingProvider.handleMap.size > before) Thread.sleep(10) }
        assertTrue(FfiConverterTypeEmbeddingProvider.handleMap.size <= before)
    }

    @Test
    fun skills_that_nobody_closed_are_freed_with_their_file() {
        val folder = newFolder()
        val before = FfiConverterTypeEmbeddingProvider.handleMap.size
        val left = List(5) { leftBehind(File(folder, "skills $it.db")) {} }
        assertGone(left.flatten())
        assertTrue(FfiConverterTypeEmbeddingProvider.handleMap.size <= before)
        val descriptors = File("/proc/self/fd").listFiles().orEmpty().map { it.canonicalPath }
        assertEquals(emptyList(), descriptors.filter { it.startsWith(folder.canonicalPath) })
    }

    @Test
    fun skills_whose_settings_were_refused_keep_nothing() {
        val before = FfiConverterTypeEmbeddingProvider.handleMap.size
        val skills = Skills.open(File(newFolder(), "skills.db")) {
            coordinateTolerance = Double.NaN
            embeddings = Embeddings.Provider(Words())
        }
        running { repeat(100) { runCatching { skills.count() } } }
        assertTrue(FfiConverterTypeEmbeddingProvider.handleMap.size <= before)
    }
}
