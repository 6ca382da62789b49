package dev.adroit

import kotlin.coroutines.cancellation.CancellationException
import kotlin.time.Duration
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeoutOrNull

/**
 * Turns text into a vector, in place of the bundled model: a remote service, another model.
 *
 * Calls come from background threads, several at once. What it throws is recorded and tried again later: an
 * [EmbeddingException] as it is, anything else as a failed connection. It never keeps a skill from being stored.
 */
interface EmbeddingProvider {
    /**
     * Names the model and its version; not empty. Vectors of two models are never compared, so whatever changes the
     * vectors must change this.
     */
    val modelId: String

    /** How many components every vector has; at least 1. */
    val dimension: Int

    /**
     * The vector of a text, which may be empty and is in any language: finite components, not all zero, as many as
     * [dimension]. Its length need not be 1.
     *
     * Cancelled when the deadline passes.
     */
    suspend fun embed(text: String): Embedding
}

/** An [EmbeddingProvider] as the native library calls it: blocking, and throwing nothing that it does not expect. */
internal class HostProvider(
    private val provider: EmbeddingProvider,
    private val deadline: Duration,
) : dev.adroit.internal.EmbeddingProvider {
    override fun modelId(): String = guarded { provider.modelId.also { told("model id", it) } }

    override fun dimension(): UInt = guarded { provider.dimension.coerceAtLeast(0).toUInt() }

    override fun embed(text: String): Embedding = guarded {
        // The native side has given up by then as well; this ends the provider's own work.
        val embedding = runBlocking { withTimeoutOrNull(deadline) { provider.embed(text) } }
            ?: throw EmbeddingTimeoutException(deadline.inWholeMilliseconds.toULong())
        // A list that computes its items does so here, and not where nobody expects it to fail.
        embedding.copy(vector = embedding.vector.toList())
    }

    /** What the native side could not be told would leave the callback as an exception of its own. */
    private fun told(what: String, text: String) {
        if (loneSurrogate(text) >= 0) throw EmbeddingConnectionException("the provider's $what is no text")
    }

    private inline fun <T> guarded(call: () -> T): T =
        try {
            call()
        } catch (expected: EmbeddingException) {
            if (expected is EmbeddingConnectionException) told("reason", expected.reason)
            throw expected
        } catch (unexpected: Throwable) {
            // Errors too: what leaves a callback uncaught has nowhere to go. The message stays out, it may quote the text.
            val what = if (unexpected is CancellationException) "was cancelled" else "threw ${unexpected.javaClass.name}"
            throw EmbeddingConnectionException("the provider $what")
        }
}
