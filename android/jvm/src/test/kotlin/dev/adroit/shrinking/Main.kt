// A program that uses all of the library, to be shrunk and run. Prints a line for each thing it did.

package dev.adroit.shrinking

import dev.adroit.AgentRecorder
import dev.adroit.AlreadyLearned
import dev.adroit.AuthoringDisabled
import dev.adroit.CatalogException
import dev.adroit.Change
import dev.adroit.CorruptStoreException
import dev.adroit.Created
import dev.adroit.Embedding
import dev.adroit.EmbeddingConnectionException
import dev.adroit.EmbeddingDisabledException
import dev.adroit.EmbeddingFailedException
import dev.adroit.EmbeddingProvider
import dev.adroit.EmbeddingTimeoutException
import dev.adroit.Embeddings
import dev.adroit.InvalidArgumentException
import dev.adroit.InvalidTimelineException
import dev.adroit.MissingParameterException
import dev.adroit.NeedsSecretException
import dev.adroit.NewerSchemaException
import dev.adroit.ParametersUpdated
import dev.adroit.RateLimitedException
import dev.adroit.Screen
import dev.adroit.SkillException
import dev.adroit.Skills
import dev.adroit.SkillsClosedException
import dev.adroit.Skipped
import dev.adroit.Status
import dev.adroit.StorageException
import dev.adroit.StoreBusyException
import dev.adroit.Target
import dev.adroit.Timeline
import dev.adroit.ToolCall
import dev.adroit.UnknownParameterException
import dev.adroit.UnknownSkillException
import dev.adroit.VersionAdded
import dev.adroit.WrongTypeException
import java.io.File
import java.io.RandomAccessFile
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.runBlocking

/** @param arguments an empty folder, and the file of the bundled model. */
fun main(arguments: Array<String>) {
    val folder = File(arguments[0])
    runBlocking {
        withoutEmbeddings(File(folder, "skills.db"))
        withProvider(File(folder, "skills.db"))
        withBundledModel(File(folder, "bundled.db"), model = File(arguments[1]))
        withBrokenDatabases(folder)
    }
    println("done")
}

/** Counts words. */
internal class WordCounts : EmbeddingProvider {
    override val modelId = "word counts"
    override val dimension = 64

    override suspend fun embed(text: String): Embedding {
        delay(1.milliseconds)
        val counts = FloatArray(dimension) { 0.01f }
        for (word in text.lowercase().split(' ')) counts[word.hashCode().mod(dimension)] += 1f
        return Embedding(counts.toList())
    }
}

/** Fails when told to. */
private class Failing(private val working: EmbeddingProvider) : EmbeddingProvider by working {
    @Volatile
    var failure: (() -> Nothing)? = null

    override suspend fun embed(text: String): Embedding {
        failure?.invoke()
        return working.embed(text)
    }
}

private suspend fun withoutEmbeddings(file: File) {
    Skills.open(file).use { println("not learned ${(it.learn(timeline("0", "Call Ana")).decision as Skipped).reason == AuthoringDisabled}") }
    val skills = Skills.open(file) {
        authoring = true
        embeddings = Embeddings.Off
    }
    println("pending ${skills.learn(timeline("0", "Call Ana")).embedding} ${skills.rank("Call Ana").results}")
    skills.closeAndJoin()
}

private suspend fun withProvider(file: File) {
    val provider = Failing(WordCounts())
    val skills = Skills.open(File("unused")) {
        authoring = true
        database = file
        coordinateTolerance = 2.0
        toolOverrides = mapOf("peek" to false)
        embeddings = Embeddings.Provider(provider)
        embeddingDeadline = 2.seconds
        catalog = File(file.path + ".catalog")
        dispatcher = Dispatchers.Default
    }
    runBlocking {
        val changes = async(start = CoroutineStart.UNDISPATCHED) { skills.changes.take(6).toList() }
        learn(skills)
        record(skills.recorder)
        find(skills)
        embed(skills, provider)
        fail(skills)
        println("forget ${skills.forget(skills.skillByName("set_alarm")!!.lineageId)} ${skills.forget("unknown")}")
        for (change in changes.await()) {
            when (change) {
                is Change.Learned -> println("change learned ${change.outcome.skill?.name}")
                is Change.Embedded -> println("change embedded ${change.report.stored}")
                is Change.Forgotten -> println("change forgotten ${change.lineageId.isNotEmpty()}")
            }
        }
    }
    skills.close()
    skills.closeAndJoin()
    failing("closed") { skills.count() }
}

private suspend fun learn(skills: Skills) {
    val parsed = skills.parse(
        """{"task_id": "1", "goal": "Set an alarm for 6:30", "status": "succeeded", "app": "clock", "calls": [
            {"tool": "tap", "arguments": {"text": "Alarms"}, "ok": true},
            {"tool": "peek", "arguments": {}, "ok": true},
            {"tool": "input_text", "arguments": {"text": "6:30"}, "ok": true}]}""".replace("\n", " "),
    ).single()
    println("parsed ${parsed.calls.size} ${parsed.status}")
    println("learned ${skills.learn(parsed).embedding}")
    val longer = parsed.copy(
        taskId = "2",
        goal = "Set an alarm for 7:15",
        screen = Screen(1080u, 1920u),
        calls = listOf(
            ToolCall("tap", """{"text": "Alarms"}""", target = Target(resourceId = "tab", bounds = """{"left": 1}""")),
            ToolCall("input_text", """{"text": "7:15"}"""),
            ToolCall("tap", """{"text": "Save"}"""),
        ),
    )
    println("version ${(skills.learn(longer).decision as VersionAdded).changes.map { it.kind }}")
    val other = longer.copy(taskId = "3", goal = "Set an alarm for 8:45", calls = longer.calls.map { it.copy(arguments = it.arguments.replace("7:15", "8:45")) })
    val outcome = skills.learn(other)
    println("parameters ${(outcome.decision as ParametersUpdated).added.size} ${outcome.evidence.matchedBy}")
    val first = ((skills.learn(other).decision as Skipped).reason as AlreadyLearned).first
    println("again ${first == outcome.decision}")
}

private suspend fun record(recorder: AgentRecorder) {
    val recording = recorder.begin("Log in to the bank", app = "bank", taskId = "4", goalFamily = "login", screen = Screen(1u, 2u))
    recording.call("tap", mapOf("text" to "Log in", "x" to 3, "all" to listOf(true, null)), readOnly = false)
    recording.call("input_text", mapOf("text" to "hunter2"), sensitive = true, target = Target(text = "Password"))
    println("unfinished ${recorder.unfinished().map { it.taskId }}")
    val outcome = recorder.resume(recording.taskId).finish(Status.SUCCEEDED)
    println("finished ${outcome.decision == Created} ${outcome.skill?.version}")
    println("discard ${recorder.begin("Stop", taskId = "5").discard()} ${recorder.discard("5")}")
}

private suspend fun find(skills: Skills) {
    val ranking = skills.rank("Set an alarm for 8:00", k = 1, wholeHistory = true)
    println("ranked ${ranking.results.single().name} ${ranking.results.single().origin} ${ranking.goalTruncated}")
    val skill = skills.skillByName("set_alarm")!!
    println("skill ${skills.skill(skill.skillId) == skill} ${skills.skill("unknown")}")
    println("family ${skills.skillByGoalFamily("login", app = "bank")?.secrets?.size}")
    println("history ${skills.history(skill.lineageId).map { it.version }}")
    println("list ${skills.list(after = "a", limit = 9).map { it.name }}")
    println("all ${skills.all().toList().size} of ${skills.count()}")
    println("executions ${skills.executions(skill.skillId).map { it.values.values }}")
    val parameter = skill.parameters.single()
    println("parameter ${parameter.valueType} ${parameter.role} ${parameter.seen}")
    println("calls ${skills.instantiate(skill.skillId, mapOf(parameter.name to "9:45")).map { it.arguments }}")
}

private suspend fun embed(skills: Skills, provider: Failing) {
    val failures: List<() -> Nothing> = listOf(
        { throw RateLimitedException(0uL) },
        { throw EmbeddingTimeoutException(1uL) },
        { throw EmbeddingDisabledException() },
        { throw EmbeddingConnectionException("no network") },
        { throw IllegalStateException() },
    )
    for (failure in failures) {
        provider.failure = failure
        try {
            skills.rank("Set an alarm")
        } catch (failed: EmbeddingFailedException) {
            when (val source = failed.source) {
                is RateLimitedException -> println("rate limited ${source.retryAfterMs}")
                is EmbeddingTimeoutException -> println("timeout ${source.afterMs}")
                is EmbeddingDisabledException -> println("disabled")
                is EmbeddingConnectionException -> println("connection ${source.reason.substringBefore(" java")}")
            }
        }
    }
    provider.failure = null
    val report = skills.embedPending(limit = 10)
    println("embedded ${report.stored} ${report.failed} ${report.remaining}")
}

private suspend fun fail(skills: Skills) {
    failing("timeline") { skills.parse("{}") }
    failing("argument") { skills.rank("x", k = -1) }
    failing("unknown skill") { skills.instantiate("unknown") }
    val skill = skills.skillByName("set_alarm")!!
    failing("missing parameter") { skills.instantiate(skill.skillId) }
    failing("unknown parameter") { skills.instantiate(skill.skillId, mapOf("colour" to "red")) }
    failing("wrong type") { skills.instantiate(skill.skillId, mapOf(skill.parameters.single().name to 3)) }
    failing("secret") { skills.instantiate(skills.skillByGoalFamily("login")!!.skillId) }
    failing("catalog") { skills.embedCatalog() }
    failing("catalog in ranking") { skills.rank("x", withCatalog = true) }
    failing("healthy") { skills.resetCorruptStore() }
}

private suspend fun withBundledModel(file: File, model: File) {
    val skills = Skills.open(file) {
        authoring = true
        embeddings = Embeddings.ModelFile(model)
    }
    skills.learn(timeline("1", "Wake me up at 6:30"))
    println("bundled ${skills.rank("alarm in the morning").results.size}")
    skills.closeAndJoin()
}

private suspend fun withBrokenDatabases(folder: File) {
    val newer = File(folder, "newer.db")
    val skills = Skills.open(newer) { authoring = true; embeddings = Embeddings.Off }
    skills.learn(timeline("1", "Call Ana"))
    skills.closeAndJoin()
    // Where SQLite keeps the schema's version.
    RandomAccessFile(newer, "rw").use { it.seek(60); it.writeInt(1_000_000) }
    failing("newer") { Skills.open(newer).count() }

    val damaged = File(folder, "damaged.db").apply { writeText("not a database ".repeat(1000)) }
    Skills.open(damaged) { authoring = true; embeddings = Embeddings.Off }.use {
        failing("damaged") { it.count() }
        println("reset ${it.resetCorruptStore().exists()} ${it.count()}")
    }
    Skills.open(File(newer, "below.db")) { authoring = true; embeddings = Embeddings.Off }.use {
        failing("no folder") { it.learn(timeline("1", "Call Ana")) }
    }
}

private fun timeline(taskId: String, goal: String) =
    Timeline(taskId, goal, Status.SUCCEEDED, calls = listOf(ToolCall("tap", """{"text": "OK"}""")))

private suspend fun failing(what: String, call: suspend () -> Unit) {
    try {
        call()
        println("$what: no failure")
    } catch (expected: SkillException) {
        val kind = when (expected) {
            is InvalidTimelineException -> "invalid timeline, field ${expected.field}"
            is UnknownSkillException -> "unknown skill ${expected.skill}"
            is MissingParameterException -> "missing parameter ${expected.name}"
            is UnknownParameterException -> "unknown parameter ${expected.name}, known ${expected.known}"
            is WrongTypeException -> "wrong type ${expected.found}, expected ${expected.expected}"
            is NeedsSecretException -> "needs secret ${expected.name}"
            is InvalidArgumentException -> "invalid argument ${expected.argument}"
            is NewerSchemaException -> "newer schema ${expected.found}"
            is CorruptStoreException -> "corrupt store"
            is StoreBusyException -> "busy"
            is StorageException -> "storage"
            is CatalogException -> "catalog"
            is EmbeddingFailedException -> "embedding failed"
            is SkillsClosedException -> "closed"
        }
        // The text itself comes from the native library.
        println("$what: $kind, text ${expected.toString().isNotEmpty()}")
    }
}
