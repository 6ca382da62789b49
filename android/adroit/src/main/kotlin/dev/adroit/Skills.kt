package dev.adroit

import dev.adroit.internal.Config
import dev.adroit.internal.EmbeddingConfig
import dev.adroit.internal.FileRegion
import dev.adroit.internal.Scope
import dev.adroit.internal.SkillLibrary
import dev.adroit.internal.parseTimelines
import java.io.File
import java.util.concurrent.atomic.AtomicReference
import kotlin.coroutines.cancellation.CancellationException
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Job
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.async
import kotlinx.coroutines.channels.BufferOverflow
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.ensureActive
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.MutableSharedFlow
import kotlinx.coroutines.flow.asSharedFlow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.launch

/**
 * What an app has learned from its agent's tasks, in one SQLite file on the device.
 *
 * Open it once, keep it as long as the app lives, and share it: every function may be called from any thread, also the
 * main one. Opening does nothing at all; the first call loads the native library and opens the database, the first text
 * to embed loads the model.
 *
 * Functions suspend until their work, which runs on the builder's dispatcher, is done. A caller that is cancelled goes
 * on at once; work that has begun then ends by itself, and a task that was being learned is learned or not, never half.
 *
 * Failures are [SkillException]s; after [close] everything fails with [SkillsClosedException]. Besides there are
 * [NativeLibraryException], where the device cannot load the library, and [InternalException], which would be the library's
 * own fault.
 */
class Skills internal constructor(
    builder: SkillsBuilder,
    private val open: () -> SkillLibrary,
) : AutoCloseable {
    private val scope = CoroutineScope(SupervisorJob() + builder.dispatcher)

    /** Guarded by [lock], which may be held for as long as opening takes: never on the caller's thread. */
    private var library: SkillLibrary? = null
    private val lock = Any()

    /** Set when closed: the work of closing. */
    private val closing = AtomicReference<Job?>()

    private val changed = MutableSharedFlow<Change>(
        extraBufferCapacity = 64,
        onBufferOverflow = BufferOverflow.DROP_OLDEST,
    )

    /**
     * What these skills change, from now on. A collector that falls behind by more than 64 changes misses the oldest.
     * Changes made by other processes are not among them, and it never completes: collect it in a scope of its own.
     */
    val changes: Flow<Change> = changed.asSharedFlow()

    /** Records an agent's calls while its tasks run. */
    val recorder: AgentRecorder = AgentRecorder(this)

    /**
     * Learns from a finished task: a new skill, a new version, new parameter values, or nothing; the outcome says what and
     * why. With authoring off (the default) nothing is read, opened or written.
     *
     * What was decided is durable when this returns. An embedding that fails is recorded and no error: [embedPending]
     * tries again.
     *
     * @throws InvalidTimelineException when the timeline cannot be taken as it is.
     * @throws StorageException when it cannot be written; also [StoreBusyException], [CorruptStoreException] and
     *   [NewerSchemaException]. Then nothing was stored.
     */
    suspend fun learn(timeline: Timeline): Outcome {
        wellFormed(timeline)
        return call { library -> library.learn(timeline).also(::learned) }
    }

    /**
     * Reads recorded timelines: one JSON object, an array of them, or JSON Lines.
     *
     * @throws InvalidTimelineException with line, field and reason of the first fault; then nothing is returned.
     */
    suspend fun parse(text: String): List<Timeline> {
        wellFormed("text", text)
        return call { parseTimelines(text) }
    }

    /**
     * The skills most similar to a goal, best first.
     *
     * Only versions with a vector of the present model take part. Empty when [k] is 0, the goal is blank, embeddings are
     * off or nothing has a vector.
     *
     * @param goal what is asked for; over 256 tokens the bundled model compares its beginning (`goalTruncated`).
     * @param k the most results; 0 or more.
     * @param wholeHistory whether older versions are ranked too.
     * @param withCatalog whether skills of the synced catalog are ranked too: those that [embedCatalog] embedded.
     * @throws EmbeddingFailedException when the goal cannot be embedded.
     * @throws CatalogException when the catalog was asked for and cannot be read.
     */
    suspend fun rank(
        goal: String,
        k: Int = 5,
        wholeHistory: Boolean = false,
        withCatalog: Boolean = false,
    ): Ranking {
        wellFormed("goal", goal)
        val most = count("k", k)
        return call { it.rank(goal, most, Scope(wholeHistory, withCatalog)) }
    }

    /** The version with this id, whether newest or not; null when there is none. */
    suspend fun skill(skillId: String): Skill? {
        wellFormed("skillId", skillId)
        return call { it.skill(skillId) }
    }

    /** The newest version of the skill with this name; null when there is none. */
    suspend fun skillByName(name: String): Skill? {
        wellFormed("name", name)
        return call { it.skillByName(name) }
    }

    /**
     * The newest version of the skill with this goal family, in this app or, without one, of the skill that was learned
     * into most recently; null when there is none.
     */
    suspend fun skillByGoalFamily(goalFamily: String, app: String? = null): Skill? {
        wellFormed("goalFamily", goalFamily, app)
        return call { it.skillByGoalFamily(goalFamily, app) }
    }

    /** All versions of a skill, version 1 first; empty when there is no such lineage. */
    suspend fun history(lineageId: String): List<Skill> {
        wellFormed("lineageId", lineageId)
        return call { it.history(lineageId) }
    }

    /** The newest versions by name, a page at a time: those behind the name [after] (null: from the start). */
    suspend fun list(after: String? = null, limit: Int = 100): List<Skill> {
        wellFormed("after", after)
        val most = count("limit", limit)
        return call { it.list(after, most) }
    }

    /** The newest versions of all skills by name, fetched a page at a time as they are collected. */
    fun all(): Flow<Skill> = flow {
        var page = list()
        while (page.isNotEmpty()) {
            page.forEach { emit(it) }
            page = list(after = page.last().name)
        }
    }

    /** How many skills there are, each counted once whatever its versions. */
    suspend fun count(): Long = call { it.count().toLong() }

    /** The executions behind a version, oldest first. */
    suspend fun executions(skillId: String): List<Execution> {
        wellFormed("skillId", skillId)
        return call { it.executions(skillId) }
    }

    /**
     * The concrete calls of a version with these values.
     *
     * @param values texts, numbers, booleans, null, or lists and maps of them, by parameter name; secrets are given the
     *   same way. Parameters with a default may be left out.
     * @throws UnknownSkillException, [MissingParameterException], [UnknownParameterException], [WrongTypeException] or
     *   [NeedsSecretException].
     */
    suspend fun instantiate(skillId: String, values: Map<String, Any?> = emptyMap()): List<Call> {
        val texts = values.mapValues { (name, value) -> json(name, value) }
        wellFormed("values", skillId, *texts.keys.toTypedArray(), *texts.values.toTypedArray())
        return call { it.instantiate(skillId, texts) }
    }

    /**
     * Embeds versions that have no vector yet, or one of another model, at most [limit]; what failed lately is left until
     * its time has come.
     *
     * Made for a background job: it works in small portions, a cancelled job stops between two of them, and what is done
     * stays done. In a `CoroutineWorker`:
     *
     *     override suspend fun doWork() =
     *         if (skills.embedPending().remaining == 0uL) Result.success() else Result.retry()
     *
     * @throws EmbeddingFailedException when the provider cannot even say what its model is.
     */
    suspend fun embedPending(limit: Int = Int.MAX_VALUE): EmbedReport = embed(limit) { library, most -> library.embedPending(most) }

    /**
     * Embeds skills of the synced catalog that have no current vector, at most [limit], so that [rank] can include them.
     * The vectors are kept in these skills' own database. Works in portions as [embedPending] does.
     *
     * @throws CatalogException when there is no catalog or it cannot be read.
     */
    suspend fun embedCatalog(limit: Int = Int.MAX_VALUE): EmbedReport = embed(limit) { library, most -> library.embedCatalog(most) }

    /**
     * Forgets a skill for good: all its versions, the executions behind them, and their vectors. Their bytes in the
     * database are overwritten. False when there is no such lineage.
     */
    suspend fun forget(lineageId: String): Boolean {
        wellFormed("lineageId", lineageId)
        return call { library ->
            library.forget(lineageId).also { if (it) changed.tryEmit(Change.Forgotten(lineageId)) }
        }
    }

    /**
     * Puts a damaged database aside, under the path this returns, so that the next [learn] starts a fresh one.
     *
     * @throws InvalidArgumentException while the database is healthy.
     */
    suspend fun resetCorruptStore(): File = File(call { it.resetCorruptStore() })

    /**
     * Closes the skills. Returns at once, also on the main thread; the database closes in the background when the calls in
     * progress have ended. Closing twice is no error.
     */
    override fun close() {
        if (closing.get() != null) return
        val work = scope.launch(start = CoroutineStart.LAZY) {
            val opened = synchronized(lock) { library.also { library = null } }
            opened?.shutDown()
            opened?.destroy()
        }
        if (closing.compareAndSet(null, work)) work.start() else work.cancel()
    }

    /** Closes the skills and waits until the database is closed. Then its file may be moved or deleted. */
    suspend fun closeAndJoin() {
        close()
        closing.get()?.join()
    }

    /** Runs native work off the caller's thread. */
    internal suspend fun <T> call(work: (SkillLibrary) -> T): T {
        if (closing.get() != null) throw SkillsClosedException()
        val running = scope.async { onLibrary(work) }
        try {
            return running.await()
        } catch (cancelled: CancellationException) {
            running.cancel()
            throw cancelled
        }
    }

    /** Says that a task was learned. Belongs to the native work: its caller may be gone by then. */
    internal fun learned(outcome: Outcome) {
        if (outcome.decision !is Skipped) changed.tryEmit(Change.Learned(outcome))
    }

    private fun <T> onLibrary(work: (SkillLibrary) -> T): T {
        val library = synchronized(lock) {
            if (closing.get() != null) throw SkillsClosedException()
            library ?: open().also { library = it }
        }
        try {
            return work(library)
        } catch (gone: IllegalStateException) {
            // The bindings' word for an object that was closed between the line above and its use.
            throw if (closing.get() != null) SkillsClosedException() else gone
        }
    }

    private suspend fun embed(limit: Int, portion: (SkillLibrary, UInt) -> EmbedReport): EmbedReport {
        count("limit", limit)
        var sum = EmbedReport(stored = 0uL, failed = 0uL, remaining = 0uL)
        do {
            currentCoroutineContext().ensureActive()
            val left = limit - (sum.stored + sum.failed).toInt()
            val report = call { library ->
                portion(library, minOf(left, PORTION).toUInt()).also {
                    if (it.stored > 0uL) changed.tryEmit(Change.Embedded(it))
                }
            }
            sum = EmbedReport(sum.stored + report.stored, sum.failed + report.failed, report.remaining)
        } while (report.stored > 0uL && report.remaining > 0uL && sum.stored + sum.failed < limit.toULong())
        return sum
    }

    private fun count(argument: String, value: Int): UInt {
        if (value < 0) throw InvalidArgumentException(argument, "give 0 or more, not $value")
        return value.toUInt()
    }

    companion object {
        /** Texts that are embedded between two looks at whether the caller was cancelled. */
        private const val PORTION = 8

        /**
         * Skills in a database file.
         *
         * On Android prefer the variant that takes a `Context`, which knows where the bundled model is.
         */
        fun open(database: File, configure: SkillsBuilder.() -> Unit = {}): Skills =
            open(SkillsBuilder().apply(configure), database = { database }, withBundledModel = { it(null, null) })

        /**
         * Both functions are called off the caller's thread.
         *
         * @param database where the file is when the builder does not say.
         * @param withBundledModel hands over where the bundled model is: a part of an open file, or a file; neither when
         *   it is inside the library.
         */
        internal fun open(
            builder: SkillsBuilder,
            database: () -> File,
            withBundledModel: ((FileRegion?, File?) -> SkillLibrary) -> SkillLibrary,
        ): Skills {
            // Read now: what is changed in the builder later changes nothing.
            val embeddings = builder.embeddings
            val deadline = builder.embeddingDeadline
            val chosen = builder.database
            val config = Config(
                databasePath = "",
                authoringEnabled = builder.authoring,
                coordinateTolerance = builder.coordinateTolerance,
                toolOverrides = builder.toolOverrides.toMap(),
                embedding = EmbeddingConfig(
                    enabled = embeddings != Embeddings.Off,
                    modelPath = (embeddings as? Embeddings.ModelFile)?.file?.path,
                    deadlineMs = deadline.inWholeMilliseconds.coerceAtLeast(0).toULong(),
                ),
                catalogPath = builder.catalog?.path,
            )
            return Skills(builder) {
                NativeLibrary.load()
                val here = config.copy(databasePath = (chosen ?: database()).path)
                wellFormed("configuration", here.databasePath, here.catalogPath, here.embedding.modelPath, *here.toolOverrides.keys.toTypedArray())
                when (embeddings) {
                    is Embeddings.Provider -> SkillLibrary.openWithProvider(here, HostProvider(embeddings.provider, deadline))
                    Embeddings.Bundled -> withBundledModel { region, file ->
                        val embedding = here.embedding.copy(modelRegion = region, modelPath = file?.path)
                        SkillLibrary.open(here.copy(embedding = embedding))
                    }
                    else -> SkillLibrary.open(here)
                }
            }
        }
    }
}
