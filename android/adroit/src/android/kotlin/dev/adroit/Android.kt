// What needs a Context.

@file:JvmName("Android")

package dev.adroit

import android.content.Context
import android.content.res.AssetFileDescriptor
import android.content.res.AssetManager
import android.util.Log
import dev.adroit.internal.FileRegion
import dev.adroit.internal.SkillLibrary
import java.io.File
import java.io.FileOutputStream
import java.io.IOException
import java.util.concurrent.TimeUnit

/** The model among the app's assets. Build tools leave files that end so uncompressed. */
internal const val MODEL_ASSET = "adroit/all-minilm-l6-v2.onnx.jet"

/**
 * Skills of an app, by default in `adroit/skills.db` in its folder without backup, with the bundled model from its APK.
 *
 *     val skills = Skills.open(context) { authoring = true }
 *
 * Touches no file: that is left to the first call.
 */
fun Skills.Companion.open(context: Context, configure: SkillsBuilder.() -> Unit = {}): Skills =
    openWithModel(context, { it.openFd(MODEL_ASSET) }, configure)

/** @param inPlace opens the model where it is; fails with [IOException] when it is compressed there. */
internal fun Skills.Companion.openWithModel(
    context: Context,
    inPlace: (AssetManager) -> AssetFileDescriptor,
    configure: SkillsBuilder.() -> Unit,
): Skills {
    val app = context.applicationContext ?: context
    val folder = { File(app.noBackupFilesDir, "adroit") }
    return open(
        SkillsBuilder().apply(configure),
        database = { File(folder(), "skills.db") },
        withBundledModel = { open -> withModel(app, inPlace, folder, open) },
    )
}

/** The library takes its own duplicate of the descriptor, so what is opened here is closed again. */
private fun withModel(
    context: Context,
    inPlace: (AssetManager) -> AssetFileDescriptor,
    folder: () -> File,
    open: (FileRegion?, File?) -> SkillLibrary,
): SkillLibrary {
    val asset = try {
        inPlace(context.assets)
    } catch (_: IOException) {
        // The app's build compresses it after all.
        return open(null, unpacked(context, folder()))
    }
    return asset.use { open(FileRegion(it.parcelFileDescriptor.fd, it.startOffset.toULong(), it.length.toULong()), null) }
}

/**
 * The compressed model as a file, written once for every version of the app. There is none when that fails: embedding
 * will say so, and everything else works.
 */
private fun unpacked(context: Context, folder: File): File {
    val updated = context.packageManager.getPackageInfo(context.packageName, 0).lastUpdateTime
    val file = File(folder, "model-$updated.onnx")
    try {
        if (!file.exists()) unpack(context, file)
    } catch (error: IOException) {
        Log.w("adroit", "the model cannot be unpacked", error)
    }
    return file
}

@Throws(IOException::class)
private fun unpack(context: Context, file: File) {
    val folder = checkNotNull(file.parentFile)
    folder.mkdirs()
    // A part of its own: other skills, also of another process, may be unpacking at the same time.
    val part = File.createTempFile("model-", ".part", folder)
    try {
        context.assets.open(MODEL_ASSET).use { asset ->
            FileOutputStream(part).use { out ->
                asset.copyTo(out)
                out.fd.sync()
            }
        }
        if (!part.renameTo(file)) throw IOException("cannot rename ${part.name}")
    } finally {
        part.delete()
    }
    // Copies of earlier versions of the app, and what was being written when a process died.
    val abandoned = System.currentTimeMillis() - TimeUnit.HOURS.toMillis(1)
    folder.listFiles { old ->
        old.name.startsWith("model-") && old != file && (old.name.endsWith(".onnx") || old.lastModified() < abandoned)
    }?.forEach { it.delete() }
}
