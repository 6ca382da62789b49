// Embedding providers of the app's own: what they throw, answer or never answer keeps no skill from being stored.

package dev.adroit

import java.util.Collections
import java.util.concurrent.CountDownLatch
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertFailsWith
import kotlin.test.assertIs
import kotlin.test.assertTrue
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.minutes
import kotlin.time.Duration.Companion.seconds
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancel
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import kotlinx.coroutines.yield

class ProviderTest {
    /** Learns while the provider is as it is: the skill is stored, and found by name, and waits for its vector. */
    private suspend fun Home.storedAllTheSame(provider: EmbeddingProvider, deadline: Duration = 10.seconds): Skills {
        val skills = open(provider) { embeddingDeadline = deadline }
        val outcome = skills.learn(alarm("monday", "7:00"))
        assertIs<Created>(outcome.decision)
        assertEquals(EmbeddingState.PENDING, outcome.embedding)
        val skill = skills.stored(outcome)
        assertEquals(skill, skills.skillByName("set_alarm"))
        assertEquals(4, skills.instantiate(skill.skillId).size)
        return skills
    }

    /** The skill heals with a provider that works, and is found. */
    private suspend fun Home.heals() {
        val skills = open(Words("healed"))
        assertEquals(EmbedReport(stored = 1uL, failed = 0uL, remaining = 0uL), skills.embedPending())
        assertEquals("set_alarm", skills.rank("Set an alarm").results.single().name)
    }

    /** Why no goal can be embedded by a provider that embedded a skill before. */
    private suspend fun Home.reasonOf(failure: suspend (String) -> Unit): EmbeddingException {
        val words = Words("good at first")
        val skills = open(words)
        skills.learn(pizza("tuesday"))
        words.first = failure
        val error = assertFailsWith<EmbeddingFailedException> { skills.rank("Order a pizza") }
        words.first = {}
        assertEquals(1, skills.rank("Order a pizza").results.size, "the next goal is embedded")
        return error.source
    }

    @Test
    fun a_timeout_of_its_own_is_told() = atHome {
        storedAllTheSame(Words().apply { first = { throw EmbeddingTimeoutException(7u) } })
        heals()
        assertEquals(7uL, assertIs<EmbeddingTimeoutException>(reasonOf { throw EmbeddingTimeoutException(7u) }).afterMs)
    }

    @Test
    fun a_rate_limit_is_told() = atHome {
        storedAllTheSame(Words().apply { first = { throw RateLimitedException(1_500u) } })
        heals()
        assertEquals(1_500uL, assertIs<RateLimitedException>(reasonOf { throw RateLimitedException(1_500u) }).retryAfterMs)
    }

    @Test
    fun a_disabled_provider_is_told() = atHome {
        storedAllTheSame(Words().apply { first = { throw EmbeddingDisabledException() } })
        heals()
        assertIs<EmbeddingDisabledException>(reasonOf { throw EmbeddingDisabledException() })
    }

    /** The skill is stored, heals, and the goal's failure is a failed connection with this reason. */
    private fun assertConnectionFails(reason: String, failure: suspend (String) -> Unit) = atHome {
        storedAllTheSame(Words().apply { first = failure })
        heals()
        assertEquals(reason, assertIs<EmbeddingConnectionException>(reasonOf(failure)).reason)
    }

    @Test
    fun a_failed_connection_is_told() = assertConnectionFails("no route to hóst 🛰") {
        throw EmbeddingConnectionException("no route to hóst 🛰")
    }

    @Test
    fun whatever_else_it_throws_is_a_failed_connection_that_quotes_nothing() = atHome {
        val thrown = listOf(
            RuntimeException("zanzibar"), IllegalStateException("zanzibar"), java.io.IOException("zanzibar"),
            InterruptedException("zanzibar"), Exception("zanzibar", Error("zanzibar")), Error("zanzibar"),
            StackOverflowError("zanzibar"), OutOfMemoryError("zanzibar"), NotImplementedError("zanzibar"),
            AssertionError("zanzibar"), SkillsClosedException(), object : Throwable("zanzibar") {},
        )
        for (throwable in thrown) {
            val reason = assertIs<EmbeddingConnectionException>(reasonOf { throw throwable }).reason
            assertTrue(throwable.javaClass.name in reason, reason)
            assertTrue("zanzibar" !in reason, reason)
        }
        // What is learned meanwhile is stored.
        val words = Words("another")
        val skills = open(words)
        for ((number, throwable) in thrown.withIndex()) {
            words.first = { throw throwable }
            assertIs<Created>(skills.learn(unlike("task $number", number)).decision, "$throwable")
        }
        words.first = {}
        assertEquals(thrown.size + 1L, skills.count())
    }

    @Test
    fun a_provider_that_runs_out_of_stack_fails() = atHome {
        fun deeper(depth: Int): Int = 1 + deeper(depth + 1)
        val failure: suspend (String) -> Unit = { deeper(0) }
        storedAllTheSame(Words().apply { first = failure })
        heals()
        assertTrue("StackOverflowError" in assertIs<EmbeddingConnectionException>(reasonOf(failure)).reason)
    }

    @Test
    fun a_provider_without_a_name_or_dimension_keeps_nothing_from_being_stored() = atHome {
        val nameless = listOf<() -> String>(
            { "" }, { throw RateLimitedException(1u) }, { throw RuntimeException() }, { throw StackOverflowError() },
            { "half of a pair \uD83D" }, { "\uDE00" },
        )
        val boundless = listOf<() -> Int>({ 0 }, { -1 }, { Int.MIN_VALUE }, { throw RuntimeException() }, { TODO() })
        val providers = nameless.map { it to { 1 } } + boundless.map { { "bounds" } to it }
        for ((number, calls) in providers.withIndex()) {
            val (name, bounds) = calls
            val skills = open(
                object : EmbeddingProvider {
                    override val modelId get() = name()
                    override val dimension get() = bounds()
                    override suspend fun embed(text: String) = Embedding(listOf(1f))
                },
            )
            val outcome = skills.learn(unlike("task $number", number))
            assertIs<Created>(outcome.decision, "provider $number")
            assertEquals(EmbeddingState.PENDING, outcome.embedding, "provider $number")
            if (number < nameless.size) {
                assertFailsWith<EmbeddingFailedException>("provider $number") { skills.embedPending() }
                assertFailsWith<EmbeddingFailedException>("provider $number") { skills.rank("Look after thing") }
            }
            skills.closeAndJoin()
        }
        val healed = open(Words())
        assertEquals(EmbedReport(providers.size.toULong(), 0uL, 0uL), healed.embedPending())
    }

    @Test
    fun an_answer_that_is_no_embedding_is_a_failure() = atHome {
        class Answers(val vector: List<Float>) : EmbeddingProvider {
            override val modelId get() = "nonsense of ${vector.javaClass.name} ${System.identityHashCode(vector)}"
            override val dimension get() = 3
            override suspend fun embed(text: String) = Embedding(vector)
        }
        val lazy = object : AbstractList<Float>() {
            override val size get() = 3
            override fun get(index: Int): Float = throw NotImplementedError()
        }
        val shrinking = object : AbstractList<Float>() {
            override val size get() = 1_000_000
            override fun get(index: Int) = 1f
            override fun iterator() = listOf(1f).iterator()
        }
        val answers = listOf(
            emptyList(), listOf(1f, 2f), listOf(1f, 2f, 3f, 4f), listOf(0f, 0f, 0f), listOf(0f, -0f, 0f),
            listOf(1f, Float.NaN, 1f), listOf(Float.POSITIVE_INFINITY, 1f, 1f), listOf(1f, 1f, Float.NEGATIVE_INFINITY),
            FloatArray(500_000) { 1f }.asList(), lazy, shrinking,
        )
        for ((number, vector) in answers.withIndex()) {
            val skills = open(Answers(vector))
            val outcome = skills.learn(unlike("task $number", number))
            assertEquals(EmbeddingState.PENDING, outcome.embedding, "answer $number")
            assertEquals(emptyList(), skills.found("Look after thing"), "answer $number")
        }
        assertEquals(answers.size.toULong(), open(Words()).embedPending().stored)
    }

    @Test
    fun a_provider_slower_than_the_deadline_is_cancelled() = atHome {
        val cancelled = CompletableDeferred<Unit>()
        val words = Words().apply {
            first = { try { awaitCancellation() } finally { cancelled.complete(Unit) } }
        }
        val skills = storedAllTheSame(words, deadline = 500.milliseconds)
        withTimeout(1.minutes) { cancelled.await() }
        // No thread of it is left: the next calls are taken as before.
        words.first = {}
        words.modelId = "words-2"
        assertEquals(1uL, skills.embedPending().stored)
        words.first = { awaitCancellation() }
        // More than the threads there are for it.
        repeat(5) {
            val error = assertFailsWith<EmbeddingFailedException> { skills.rank("Set an alarm") }
            assertIs<EmbeddingTimeoutException>(error.source)
        }
        words.first = {}
        // The last one is given up on a moment before its thread is free.
        delay(300.milliseconds)
        assertEquals(1, skills.rank("Set an alarm").results.size)
    }

    @Test
    fun a_provider_that_blocks_holds_nobody_up() = atHome {
        val block = CountDownLatch(1)
        // More than the threads that are kept waiting for such a provider.
        val tasks = 7
        val words = Words().apply { first = { block.await() } }
        try {
            val skills = open(words) { embeddingDeadline = 50.milliseconds }
            repeat(tasks) { number ->
                assertIs<Created>(skills.learn(unlike("task $number", number)).decision)
            }
            assertEquals(tasks.toLong(), skills.count())
        } finally {
            block.countDown()
        }
        assertEquals(tasks.toULong(), open(Words("healed")).embedPending().stored)
    }

    @Test
    fun a_provider_that_is_cancelled_fails() = assertConnectionFails("the provider was cancelled") {
        currentCoroutineContext().cancel()
        yield()
    }

    @Test
    fun a_reason_that_is_no_text_is_replaced() = assertConnectionFails("the provider's reason is no text") {
        throw EmbeddingConnectionException("half a pair: \uD800")
    }

    @Test
    fun what_failed_waits_and_another_model_does_not() = atHome {
        val words = Words().apply { first = { throw EmbeddingDisabledException() } }
        val skills = storedAllTheSame(words)
        words.first = {}
        // Its wait has begun: nobody is asked.
        val asked = words.texts.size
        assertEquals(EmbedReport(stored = 0uL, failed = 0uL, remaining = 1uL), skills.embedPending())
        assertEquals(asked, words.texts.size)
        words.modelId = "words-2"
        assertEquals(EmbedReport(stored = 1uL, failed = 0uL, remaining = 0uL), skills.embedPending())
        assertEquals("set_alarm", skills.rank("Set an alarm").results.single().name)
    }

    @Test
    fun vectors_of_two_models_are_never_compared() = atHome {
        val one = open(Words("one"))
        val alarm = one.learned(alarm("monday", "7:00")).skillId
        val two = open(Words("two"))
        val pizza = two.learned(pizza("tuesday")).skillId

        assertEquals(listOf(alarm), one.found("Set an alarm for 7:00"))
        assertEquals(listOf(pizza), two.found("Set an alarm for 7:00"))
        // Embedded anew, all belong to the second; the first has none left.
        assertEquals(EmbedReport(stored = 1uL, failed = 0uL, remaining = 0uL), two.embedPending())
        assertEquals(listOf(alarm, pizza), two.found("Set an alarm for 7:00"))
        assertEquals(emptyList(), one.found("Set an alarm for 7:00"))
    }

    @Test
    fun a_model_may_have_any_name() = atHome {
        for ((number, name) in listOf("\u0000", " ", "💡", "'; --", "x".repeat(100_000)).withIndex()) {
            val skills = open(Words(name))
            val skill = skills.learned(unlike("task $number", number))
            assertEquals(listOf(skill.skillId), skills.found("Look after thing $number"), name.take(9))
        }
    }

    @Test
    fun a_provider_may_suspend_and_change_its_thread() = atHome {
        val words = Words().apply {
            first = {
                delay(20.milliseconds)
                withContext(Dispatchers.Default) { delay(20.milliseconds) }
            }
        }
        val skills = open(words)
        assertEquals(EmbeddingState.STORED, skills.learn(alarm("monday", "7:00")).embedding)
        assertEquals("set_alarm", skills.rank("Set an alarm").results.single().name)
    }

    @Test
    fun a_provider_may_call_the_skills_it_embeds_for() = atHome {
        val words = Words()
        val skills = open(words)
        val seen = Collections.synchronizedList(mutableListOf<Long>())
        words.first = { text ->
            seen += skills.count()
            skills.list()
            // Once: what is learned in here is embedded too.
            if (seen.size == 1) skills.learn(pizza("from the provider"))
            if ("hungry" in text) assertEquals(emptyList(), skills.rank("hungry", k = 0).results)
        }
        assertEquals(EmbeddingState.STORED, skills.learn(alarm("monday", "7:00")).embedding)
        assertEquals(2, skills.rank("I am hungry").results.size)
        assertEquals(listOf(1L, 2L, 2L), seen.toList())
    }

    @Test
    fun a_provider_that_closes_its_skills_ends_well() = atHome {
        val words = Words()
        val skills = open(words)
        words.first = { skills.close() }
        // The task itself was stored before it was embedded.
        assertIs<Created>(skills.learn(alarm("monday", "7:00")).decision)
        skills.closeAndJoin()
        assertFailsWith<SkillsClosedException> { skills.count() }
        heals()
    }

    @Test
    fun a_provider_is_never_called_on_the_caller_s_thread() = atHome {
        val threads = Collections.synchronizedSet(mutableSetOf<Thread>())
        val provider = object : EmbeddingProvider {
            override val modelId get() = "threads".also { threads += Thread.currentThread() }
            override val dimension get() = 1.also { threads += Thread.currentThread() }
            override suspend fun embed(text: String) = Embedding(listOf(1f)).also { threads += Thread.currentThread() }
        }
        val here = Thread.currentThread()
        // Unconfined as well: that runs the library's work on the caller's thread, but not the provider's.
        for (dispatcher in listOf(Dispatchers.IO, Dispatchers.Unconfined)) {
            val skills = open(provider) { this.dispatcher = dispatcher }
            skills.learn(alarm("monday", "7:00"))
            skills.rank("Set an alarm")
            skills.embedPending()
            skills.closeAndJoin()
        }
        assertTrue(threads.isNotEmpty())
        assertTrue(here !in threads)
    }

    @Test
    fun several_texts_are_embedded_at_once() = atHome {
        val together = CountDownLatch(2)
        val words = Words()
        val skills = open(words)
        words.first = {
            together.countDown()
            together.await()
        }
        // Each waits until the other is there too.
        val learning = List(2) { number ->
            launch(start = CoroutineStart.UNDISPATCHED) {
                assertEquals(EmbeddingState.STORED, skills.learn(unlike("task $number", number)).embedding)
            }
        }
        learning.forEach { it.join() }
        assertEquals(2, words.texts.size)
    }

    @Test
    fun the_mark_of_a_text_that_was_too_long_is_handed_on() = atHome {
        val provider = object : EmbeddingProvider {
            override val modelId get() = "short"
            override val dimension get() = 2
            override suspend fun embed(text: String) = Embedding(listOf(3e38f, 1e-38f), truncated = text.length > 100)
        }
        val skills = open(provider)
        skills.learn(alarm("monday", "7:00"))
        assertEquals(false, skills.rank("Set an alarm").goalTruncated)
        val long = skills.rank("Set an alarm".repeat(20))
        assertEquals(true, long.goalTruncated)
        assertEquals(1f, long.results.single().score, "vectors need not have length 1")
    }

    @Test
    fun a_catalog_is_embedded_when_asked_for() = atHome {
        val synced = java.io.File(folder, "catalog.db")
        writeCatalog(synced, "synced-1" to "Water the plants", "synced-2" to "Feed the cat")
        val words = Words()
        val skills = open(words) { catalog = synced }
        val local = skills.learned(alarm("monday", "7:00")).skillId

        assertEquals(EmbedReport(stored = 1uL, failed = 0uL, remaining = 1uL), skills.embedCatalog(limit = 1))
        words.first = { throw EmbeddingDisabledException() }
        assertEquals(EmbedReport(stored = 0uL, failed = 1uL, remaining = 1uL), skills.embedCatalog())
        words.first = {}
        words.modelId = "words-2"
        assertEquals(EmbedReport(stored = 2uL, failed = 0uL, remaining = 0uL), skills.embedCatalog())
        skills.embedPending()

        assertEquals(listOf(local), skills.found("Water the plants"))
        val results = skills.rank("Water the plants", withCatalog = true).results
        assertEquals("synced-1", results.first().skillId)
        assertEquals(3, results.size)
        assertFailsWith<CatalogException> { open(words).embedCatalog() }
        assertFailsWith<CatalogException> { open(words).rank("Water the plants", withCatalog = true) }
    }
}
