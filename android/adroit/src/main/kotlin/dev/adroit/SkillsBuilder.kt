package dev.adroit

import java.io.File
import kotlin.time.Duration
import kotlin.time.Duration.Companion.seconds
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.Dispatchers

/** How [Skills] are set up. Everything has a default; out of range values are refused by the first call. */
class SkillsBuilder internal constructor() {
    /**
     * Whether [Skills.learn] and [AgentRecorder] do anything. Default false: then nothing is read, opened, recorded or
     * written. What was learned earlier is found all the same.
     */
    var authoring: Boolean = false

    /** The database file; folders above it are created. Default: `adroit/skills.db` in the app's folder without backup. */
    var database: File? = null

    /**
     * Coordinates that differ by no more than this count as the same, in the recorder's unit (mostly pixels); finite,
     * 0 or more. Default 0: every difference becomes a parameter.
     */
    var coordinateTolerance: Double = 0.0

    /** For a tool's name, whether its calls are steps; overrides the table of known tools and the call's own hint. */
    var toolOverrides: Map<String, Boolean> = emptyMap()

    /** What texts are embedded with. Default: the bundled model. */
    var embeddings: Embeddings = Embeddings.Bundled

    /** How long one embedding may take; at least 1 ms. Default 10 seconds. */
    var embeddingDeadline: Duration = 10.seconds

    /** A catalog of synced skills in a SQLite file, opened read-only and only when it is asked for. Default none. */
    var catalog: File? = null

    /** Where calls into the library run; it must allow blocking. Default [Dispatchers.IO]. */
    var dispatcher: CoroutineDispatcher = Dispatchers.IO
}

/** What texts are embedded with. */
sealed interface Embeddings {
    /** The model that comes with the library: offline, English. */
    data object Bundled : Embeddings

    /** Nothing is embedded: skills are learned, and found by name or id only. */
    data object Off : Embeddings

    /** The bundled model from a file of its own. */
    data class ModelFile(
        /** The ONNX file as the library ships it; any other is refused when the first text is embedded. */
        val file: File,
    ) : Embeddings

    /** A provider of the app's own. */
    data class Provider(
        /** Called on background threads. */
        val provider: EmbeddingProvider,
    ) : Embeddings
}
