package dev.adroit

import java.util.Collections

/** A provider whose vectors count a text's words: equal words, equal vectors, and no meaning. */
class Words(@Volatile override var modelId: String = "words-1") : EmbeddingProvider {
    /** What it was asked to embed. */
    val texts: MutableList<String> = Collections.synchronizedList(mutableListOf<String>())

    /** What it does before it answers: nothing, or fail, or take its time. */
    @Volatile
    var first: suspend (String) -> Unit = {}

    override val dimension get() = BUCKETS

    override suspend fun embed(text: String): Embedding {
        texts += text
        first(text)
        val vector = FloatArray(BUCKETS)
        // Shared by all texts, so that no vector is zero.
        vector[0] = 0.1f
        for (word in text.lowercase().split(Regex("[^\\p{L}\\p{N}]+"))) {
            vector[1 + (word.hashCode() and Int.MAX_VALUE) % (BUCKETS - 1)] += 1f
        }
        return Embedding(vector.asList())
    }

    private companion object {
        const val BUCKETS = 256
    }
}
