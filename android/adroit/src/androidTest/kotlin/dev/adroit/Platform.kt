// What the tests need of the place they run in: here Android, on a device, an emulator or under Robolectric.

package dev.adroit

import android.app.Instrumentation
import android.content.Context
import android.os.Build
import android.os.Handler
import android.os.Looper
import androidx.test.platform.app.InstrumentationRegistry
import java.io.File
import java.util.UUID
import java.util.concurrent.Executor
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.asCoroutineDispatcher
import kotlinx.coroutines.async
import kotlinx.coroutines.runBlocking

private val instrumentation: Instrumentation get() = InstrumentationRegistry.getInstrumentation()

/** Of the app that the library is in. */
val appContext: Context get() = instrumentation.targetContext

/** Whether this is Android itself, and not its classes on a JVM. */
val onDevice: Boolean get() = Build.FINGERPRINT != "robolectric"

/** A new, empty folder. */
fun newFolder(): File = File(appContext.cacheDir, "test-${UUID.randomUUID()}").apply { check(mkdirs()) }

/** The embedding model that comes with the library, for skills that are opened without a Context. */
val bundledModel: Embeddings by lazy {
    val file = File(appContext.cacheDir, "model.onnx")
    appContext.assets.open(MODEL_ASSET).use { asset -> file.outputStream().use { asset.copyTo(it) } }
    Embeddings.ModelFile(file)
}

/** How often a test repeats what it would do so often on a fast machine. */
fun rounds(usual: Int): Int = (usual / 10).coerceAtLeast(10)

/** Runs a coroutine on the main thread, as an app's screens do. The test may be on that thread itself. */
fun <T> onMain(work: suspend CoroutineScope.() -> T): T {
    val main = Handler(Looper.getMainLooper())
    val result = CoroutineScope(Executor { main.post(it) }.asCoroutineDispatcher()).async(block = work)
    while (!result.isCompleted) {
        instrumentation.waitForIdleSync()
        Thread.sleep(1)
    }
    return runBlocking { result.await() }
}
