// A program that uses little of the library.

package dev.adroit.shrinking

import dev.adroit.Embeddings
import dev.adroit.Skills
import dev.adroit.Status
import dev.adroit.Timeline
import dev.adroit.ToolCall
import java.io.File
import kotlinx.coroutines.runBlocking

/** @param arguments an empty folder. */
fun main(arguments: Array<String>) = runBlocking {
    val skills = Skills.open(File(arguments[0], "skills.db")) {
        authoring = true
        embeddings = Embeddings.Provider(WordCounts())
    }
    skills.learn(Timeline("1", "Call Ana", Status.SUCCEEDED, calls = listOf(ToolCall("tap", """{"text": "Ana"}"""))))
    println("found ${skills.rank("Call Ana").results.single().name}")
    skills.closeAndJoin()
}
