// What the shared tests need of the place they run in: here a plain JVM.

package dev.adroit

import java.io.File
import kotlin.concurrent.thread
import kotlin.io.path.createTempDirectory

/** Above all new folders; deleted with all that is in them when the JVM ends. */
private val folders: File = createTempDirectory("adroit").toFile().also { all ->
    Runtime.getRuntime().addShutdownHook(thread(start = false) { all.deleteRecursively() })
}

/** A new, empty folder. */
fun newFolder(): File = createTempDirectory(folders.toPath(), "test").toFile()

/** The embedding model that comes with the library. */
val bundledModel: Embeddings = Embeddings.ModelFile(File("../../models/all-minilm-l6-v2.onnx"))

/** How often a test repeats what it would do so often on a fast machine. */
fun rounds(usual: Int): Int = if (System.getProperty("adroit.emulated") == "true") (usual / 100).coerceAtLeast(10) else usual
