// Settings, and files that are not there, not ours, or damaged.

package dev.adroit

import java.io.File
import java.util.Collections
import java.io.RandomAccessFile
import kotlin.test.Test
import kotlin.test.assertContentEquals
import kotlin.test.assertEquals
import kotlin.test.assertFailsWith
import kotlin.test.assertIs
import kotlin.test.assertTrue
import kotlin.time.Duration
import kotlin.time.Duration.Companion.microseconds
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds
import kotlinx.coroutines.Dispatchers

class ConfigTest {
    @Test
    fun where_the_file_and_the_model_are_is_asked_by_the_first_call_off_the_callers_thread() = atHome {
        val asked = Collections.synchronizedList(mutableListOf<Thread>())
        val skills = Skills.open(
            SkillsBuilder(),
            database = { database.also { asked += Thread.currentThread() } },
            withBundledModel = { open -> open(null, null).also { asked += Thread.currentThread() } },
        )
        assertEquals(emptyList(), asked)
        assertEquals(0, skills.count())
        assertEquals(0, skills.count())
        assertEquals(2, asked.size, "once each")
        assertTrue(Thread.currentThread() !in asked)
        skills.closeAndJoin()
    }

    @Test
    fun with_authoring_off_no_file_is_created() = atHome {
        val skills = open(Words()) { authoring = false }
        assertEquals(Skipped(AuthoringDisabled), skills.learn(alarm("monday", "7:00")).decision)
        // Not even what is wrong with a task is looked at.
        assertEquals(Skipped(AuthoringDisabled), skills.learn(alarm("", "")).decision)
        assertEquals(0, skills.count())
        assertEquals(emptyList(), skills.list())
        assertEquals(emptyList(), skills.found("Set an alarm"))
        assertEquals(EmbedReport(0uL, 0uL, 0uL), skills.embedPending())
        assertEquals(false, skills.forget("nobody"))
        skills.closeAndJoin()
        assertEquals(emptyList(), folder.list()!!.toList())
    }

    @Test
    fun with_authoring_off_what_was_learned_is_found() = atHome {
        val words = Words()
        val learning = open(words)
        val skill = learning.learned(alarm("monday", "7:00"))
        learning.closeAndJoin()
        val before = database.readBytes()
        val skills = open(words) { authoring = false }
        assertEquals(skill, skills.skillByName("set_alarm"))
        assertEquals(listOf(skill.skillId), skills.found("Set an alarm"))
        assertEquals(4, skills.instantiate(skill.skillId).size)
        skills.closeAndJoin()
        assertContentEquals(before, database.readBytes())
    }

    @Test
    fun opening_touches_nothing() = atHome {
        val file = File(folder, "a file").apply { writeText("no folder") }
        val nowhere = File(file, "adroit/skills.db")
        val skills = Skills.open(nowhere) {
            authoring = true
            embeddings = Embeddings.ModelFile(File(nowhere, "model"))
            catalog = File(nowhere, "catalog")
            coordinateTolerance = Double.NaN
            embeddingDeadline = Duration.ZERO
        }
        assertEquals(listOf("a file"), folder.list()!!.toList())
        skills.closeAndJoin()

        // A folder that cannot be is no error until the first call.
        val misplaced = Skills.open(nowhere) {
            authoring = true
            embeddings = Embeddings.Off
        }
        repeat(2) {
            assertFailsWith<StorageException> { misplaced.learn(alarm("monday", "7:00")) }
            assertFailsWith<StorageException> { misplaced.count() }
            assertFailsWith<StorageException> { misplaced.recorder.begin("Set an alarm") }
        }
        misplaced.closeAndJoin()
        assertEquals("no folder", file.readText())
    }

    @Test
    fun settings_out_of_range_are_refused_by_the_first_call() = atHome {
        val refused = listOf<Pair<String, SkillsBuilder.() -> Unit>>(
            "database_path" to { database = File("") },
            "database_path" to { database = File(folder, "a\u0000b") },
            "coordinate_tolerance" to { coordinateTolerance = Double.NaN },
            "coordinate_tolerance" to { coordinateTolerance = Double.POSITIVE_INFINITY },
            "coordinate_tolerance" to { coordinateTolerance = -0.001 },
            "deadline_ms" to { embeddingDeadline = Duration.ZERO },
            "deadline_ms" to { embeddingDeadline = 999.microseconds },
            "deadline_ms" to { embeddingDeadline = (-5).seconds },
            "deadline_ms" to { embeddingDeadline = -Duration.INFINITE },
        )
        for (embeddings in listOf(Embeddings.Off, bundledModel, Embeddings.Provider(Words()))) {
            for ((name, configure) in refused) {
                val skills = open(embeddings, configure)
                repeat(2) {
                    assertEquals(name, refusedFor { skills.count() })
                    assertEquals(name, refusedFor { skills.learn(alarm("monday", "7:00")) })
                }
            }
        }
        assertEquals(emptyMap(), files())
    }

    @Test
    fun settings_at_the_ends_of_their_range_are_taken() = atHome {
        val taken = listOf<SkillsBuilder.() -> Unit>(
            { embeddingDeadline = Duration.INFINITE },
            { embeddingDeadline = Long.MAX_VALUE.milliseconds },
            { coordinateTolerance = Double.MAX_VALUE },
            { coordinateTolerance = -0.0 },
            { toolOverrides = mapOf("" to true, "other\u0000" to false, "🔧" to true) },
        )
        for ((number, configure) in taken.withIndex()) {
            assertEquals(EmbeddingState.STORED, open(Words(), configure).learn(unlike("task $number", number)).embedding)
        }
        assertEquals("k", refusedFor { open().rank("goal", k = -1) })
        assertEquals("limit", refusedFor { open().list(limit = -1) })
        assertEquals("limit", refusedFor { open().embedPending(limit = Int.MIN_VALUE) })
        assertEquals("limit", refusedFor { open().embedCatalog(limit = -1) })
    }

    @Test
    fun the_defaults_are_what_the_builder_says() = atHome {
        lateinit var builder: SkillsBuilder
        Skills.open(database) { builder = this }.close()
        assertEquals(false, builder.authoring)
        assertEquals(10.seconds, builder.embeddingDeadline)
        assertEquals(0.0, builder.coordinateTolerance)
        assertEquals(Embeddings.Bundled, builder.embeddings)
        assertEquals(listOf(null, null), listOf(builder.database, builder.catalog))
        assertEquals(emptyMap(), builder.toolOverrides)
    }

    @Test
    fun changing_the_builder_afterwards_changes_nothing() = atHome {
        lateinit var kept: SkillsBuilder
        val overrides = mutableMapOf("tap" to true)
        val skills = open(Words()) {
            toolOverrides = overrides
            kept = this
        }
        kept.authoring = false
        kept.database = File(folder, "elsewhere.db")
        kept.coordinateTolerance = Double.NaN
        kept.embeddings = Embeddings.Off
        kept.embeddingDeadline = Duration.ZERO
        kept.catalog = File(folder, "catalog.db")
        kept.dispatcher = Dispatchers.Unconfined
        overrides["tap"] = false
        val outcome = skills.learn(alarm("monday", "7:00"))
        assertIs<Created>(outcome.decision)
        assertEquals(EmbeddingState.STORED, outcome.embedding)
        assertEquals(listOf("launch_app", "tap", "input_text", "tap"), skills.stored(outcome).tools)
        assertTrue(database.exists())
    }

    @Test
    fun tools_are_steps_as_the_app_says() = atHome {
        val skills = open { toolOverrides = mapOf("screenshot" to true, "launch_app" to false) }
        val recorded = alarm("monday", "7:00").run { copy(calls = calls + made("screenshot")) }
        assertEquals(listOf("tap", "input_text", "tap", "screenshot"), skills.learned(recorded).tools)
    }

    @Test
    fun coordinates_within_the_tolerance_are_the_same() = atHome {
        val skills = open { coordinateTolerance = 3.0 }
        fun tapped(taskId: String, x: Int) = task(taskId, "Tap the button", "com.app", made("tap", """{"x":$x,"y":5}"""))
        skills.learn(tapped("monday", 100))
        assertIs<Unchanged>(skills.learn(tapped("tuesday", 103)).decision)
        assertIs<ParametersUpdated>(skills.learn(tapped("wednesday", 104)).decision)
    }

    @Test
    fun the_database_may_have_any_name() = atHome {
        val names = listOf(
            "with space.db", "ünï¢ødé 😀.db", ":memory:", "file:x?mode=memory", "%41#?&.db", "a'b\"c.db", "deep/er/skills",
        )
        for (name in names) {
            val file = File(folder, name)
            val skills = Skills.open(file) {
                authoring = true
                embeddings = Embeddings.Off
            }
            assertIs<Created>(skills.learn(alarm("monday", "7:00")).decision, name)
            skills.closeAndJoin()
            assertTrue(file.isFile, name)
        }
        // A folder is no database.
        val taken = open { database = folder }
        assertFailsWith<StorageException> { taken.count() }
        assertFailsWith<StorageException> { taken.learn(alarm("monday", "7:00")) }
    }

    @Test
    fun without_its_model_file_a_skill_is_stored_and_no_goal_is_embedded() = atHome {
        val good = open(bundledModel)
        good.learn(alarm("monday", "7:00"))
        val model = (bundledModel as? Embeddings.ModelFile)?.file
        val damaged = File(folder, "damaged.onnx")
        if (model != null) {
            damaged.writeBytes(model.inputStream().use { whole -> ByteArray(1_000_000).also { whole.read(it) } })
        } else {
            damaged.writeText("no model")
        }
        val garbage = File(folder, "garbage.onnx").apply { writeBytes(ByteArray(50_000) { (it * 31).toByte() }) }
        val empty = File(folder, "empty.onnx").apply { writeBytes(ByteArray(0)) }
        for ((number, file) in listOf(File(folder, "missing.onnx"), folder, damaged, garbage, empty).withIndex()) {
            val skills = open(Embeddings.ModelFile(file))
            val outcome = skills.learn(unlike("task $number", number))
            assertIs<Created>(outcome.decision, file.name)
            assertEquals(EmbeddingState.PENDING, outcome.embedding, file.name)
            val error = assertFailsWith<EmbeddingFailedException>(file.name) { skills.rank("Wake me up at seven") }
            assertIs<EmbeddingConnectionException>(error.source, file.name)
            assertEquals(number + 2L, skills.count())
        }
    }

    @Test
    fun a_damaged_database_is_kept_and_a_fresh_one_starts_when_asked_for() = atHome {
        open().run {
            learn(alarm("monday", "7:00"))
            closeAndJoin()
        }
        val garbage = ByteArray(20_000) { 0xA5.toByte() }
        database.writeBytes(garbage)
        val skills = open(Words())
        repeat(2) {
            assertFailsWith<CorruptStoreException> { skills.learn(alarm("tuesday", "8:00")) }
            assertFailsWith<CorruptStoreException> { skills.count() }
            assertFailsWith<CorruptStoreException> { skills.rank("Set an alarm") }
            assertFailsWith<CorruptStoreException> { skills.recorder.begin("Set an alarm") }
            assertContentEquals(garbage, database.readBytes())
        }
        val kept = skills.resetCorruptStore()
        assertContentEquals(garbage, kept.readBytes())
        assertEquals(database.parentFile, kept.parentFile)
        assertEquals(0, skills.count())
        assertIs<Created>(skills.learn(alarm("tuesday", "8:00")).decision)
        assertEquals(1, skills.rank("Set an alarm").results.size)
        // A sound one stays.
        assertFailsWith<InvalidArgumentException> { skills.resetCorruptStore() }
        assertEquals(1, skills.count())
    }

    @Test
    fun a_database_cut_short_is_damaged() = atHome {
        open(Words()).run {
            repeat(30) { learn(unlike("task $it", it)) }
            closeAndJoin()
        }
        RandomAccessFile(database, "rw").use { it.setLength(it.length() / 2) }
        val skills = open(Words())
        assertFailsWith<CorruptStoreException> {
            skills.list()
            skills.rank("Look after thing")
            repeat(30) { skills.learn(unlike("again $it", it)) }
        }
        assertTrue(skills.resetCorruptStore().isFile)
        assertIs<Created>(skills.learn(alarm("tuesday", "8:00")).decision)
    }

    @Test
    fun a_newer_database_is_refused_and_left_as_it_is() = atHome {
        open().run {
            learn(alarm("monday", "7:00"))
            closeAndJoin()
        }
        // The schema's version stands in the header of the file.
        val supported = RandomAccessFile(database, "rw").use {
            it.seek(60)
            val version = it.readInt()
            it.seek(60)
            it.writeInt(version + 41)
            version
        }
        val before = database.readBytes()
        val skills = open()
        val calls = listOf<suspend () -> Any?>(
            { skills.count() }, { skills.learn(alarm("tuesday", "8:00")) }, { skills.resetCorruptStore() },
        )
        for (refused in calls) {
            val error = assertFailsWith<NewerSchemaException> { refused() }
            assertEquals(supported + 41, error.found.toInt())
            assertEquals(supported, error.supported.toInt())
        }
        skills.closeAndJoin()
        assertContentEquals(before, database.readBytes())
        assertEquals(setOf("adroit/skills.db"), files().keys)
    }

    @Test
    fun the_file_of_another_program_is_refused_and_left_as_it_is() = atHome {
        database.parentFile!!.mkdirs()
        writeCatalog(database, "synced-1" to "Set an alarm for 7:00")
        val before = database.readBytes()
        val skills = open()
        assertFailsWith<StorageException> { skills.count() }
        assertFailsWith<StorageException> { skills.learn(alarm("monday", "7:00")) }
        assertFailsWith<StorageException> { skills.resetCorruptStore() }
        assertContentEquals(before, database.readBytes())
    }

    @Test
    fun a_catalog_that_is_missing_or_no_catalog_is_an_error_only_when_asked_for() = atHome {
        val garbage = File(folder, "garbage.db").apply { writeBytes(ByteArray(9_000) { 0x5A }) }
        for (synced in listOf(File(folder, "missing.db"), garbage, folder)) {
            val skills = open(Words()) { catalog = synced }
            skills.learn(alarm("monday", "7:00"))
            assertEquals(1, skills.rank("Set an alarm").results.size)
            assertFailsWith<CatalogException> { skills.rank("Set an alarm", withCatalog = true) }
            assertFailsWith<CatalogException> { skills.embedCatalog() }
        }
        assertTrue(!File(folder, "missing.db").exists())
    }

    @Test
    fun with_embeddings_off_nothing_is_ranked_and_nothing_fails() = atHome {
        val skills = open()
        assertEquals(EmbeddingState.PENDING, skills.learn(alarm("monday", "7:00")).embedding)
        assertEquals(emptyList(), skills.found("Set an alarm"))
        assertEquals(EmbedReport(stored = 0uL, failed = 0uL, remaining = 1uL), skills.embedPending())
    }
}
