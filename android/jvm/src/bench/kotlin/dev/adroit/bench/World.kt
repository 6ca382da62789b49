package dev.adroit.bench

import dev.adroit.Embedding
import dev.adroit.EmbeddingProvider
import dev.adroit.Embeddings
import dev.adroit.Ranking
import dev.adroit.Skill
import dev.adroit.Skills
import dev.adroit.Status
import dev.adroit.Timeline
import dev.adroit.ToolCall
import java.io.File
import kotlin.io.path.createTempDirectory
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext

/** Skills to measure on, for callers that know no coroutines. */
class World(bundled: Boolean) {
    private val folder: File = createTempDirectory("adroit-bench").toFile()
    private val skills = Skills.open(File(folder, "skills.db")) {
        authoring = true
        embeddings = if (bundled) Embeddings.ModelFile(File("../../models/all-minilm-l6-v2.onnx")) else Embeddings.Provider(Instant)
    }
    private val skillId: String

    init {
        var last: String? = null
        runBlocking {
            repeat(SKILLS) { number -> last = skills.learn(task(number)).skill?.skillId }
            check(skills.count() == SKILLS.toLong()) { "tasks became one skill" }
        }
        skillId = checkNotNull(last)
    }

    fun count(): Long = runBlocking { skills.count() }

    fun skill(): Skill? = runBlocking { skills.skill(skillId) }

    fun rank(): Ranking = runBlocking { skills.rank("Wake me up at half past six") }

    fun close() {
        runBlocking { skills.closeAndJoin() }
        folder.deleteRecursively()
    }

    /** Tasks of unlike apps are unlike skills. */
    private fun task(number: Int): Timeline {
        val calls = (1..8).map { step ->
            ToolCall(
                tool = if (step % 2 == 0) "input_text" else "tap",
                arguments = """{"text": "step $step of app $number"}""",
                ok = true,
                error = null,
                startedAtMs = null,
                readOnly = null,
                sensitive = false,
                target = null,
            )
        }
        return Timeline("task $number", "Do number $number", Status.SUCCEEDED, "app $number", null, null, null, calls)
    }

    /** Takes no time of its own, so that what is measured is the way to it and back. */
    private object Instant : EmbeddingProvider {
        private val vector = List(384) { index -> (index + 1).toFloat() }
        override val modelId = "instant"
        override val dimension = 384
        override suspend fun embed(text: String) = Embedding(vector, truncated = false)
    }

    companion object {
        /** Skills in the store. */
        const val SKILLS = 1_000

        /** What any suspend function pays that runs elsewhere. */
        @JvmStatic
        fun dispatch(): Unit = runBlocking { withContext(Dispatchers.IO) { } }
    }
}
