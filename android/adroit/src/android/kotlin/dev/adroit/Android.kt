// What needs a Context.

@file:JvmName("Android")

package dev.adroit

import android.content.Context
import android.content.res.AssetFileDescriptor
import dev.adroit.internal.FileRegion
import dev.adroit.internal.SkillLibrary
import java.io.File
import java.io.FileNotFoundException
import java.io.FileOutputStream
import java.io.IOException

/** The model among the app's assets. Build tools leave files that end so uncompressed. */
internal const val MODEL_ASSET = "adroit/all-minilm-l6-v2.onnx.jet"

/**
 * Skills of an app, by default in `adroit/skills.db` in its folder without backup, with the bundled model from its APK.
 *
 *     val skills = Skills.open(context) { authoring = true }
 *
 * Touches no file: that is left to the first call.
 */
fun Skills.Companion.open(context: Context, configure: SkillsBuilder.() -> Unit = {}): Skills {
    val app = context.applicationContext ?: context
    val folder = { File(app.noBackupFilesDir, "adroit") }
    return open(
        SkillsBuilder().apply(configure),
        database = { File(folder(), "skills.db") },
        withBundledModel = { open -> withModel(app, folder, open) },
    )
}

/** The library takes its own duplicate of the descriptor, so all that is opened here is closed again. */
private fun withModel(context: Context, folder: () -> File, open: (FileRegion?) -> SkillLibrary): SkillLibrary {
    val asset: AssetFileDescriptor? = try {
        context.assets.openFd(MODEL_ASSET)
    } catch (_: FileNotFoundException) {
        // The app's build compresses it after all: it cannot be read in place.
        null
    }
    if (asset != null) {
        return asset.use { open(FileRegion(it.parcelFileDescriptor.fd, it.startOffset.toULong(), it.length.toULong())) }
    }
    val copy = unpacked(context, folder())
    return android.os.ParcelFileDescriptor.open(copy, android.os.ParcelFileDescriptor.MODE_READ_ONLY).use {
        open(FileRegion(it.fd, 0uL, copy.length().toULong()))
    }
}

/** The compressed model as a file, written once for every version of the app. */
private fun unpacked(context: Context, folder: File): File {
    val updated = context.packageManager.getPackageInfo(context.packageName, 0).lastUpdateTime
    val file = File(folder, "model-$updated.onnx")
    if (file.exists()) return file
    try {
        folder.mkdirs()
        folder.listFiles { old -> old.name.startsWith("model-") }?.forEach { it.delete() }
        val part = File(folder, "model-$updated.part")
        context.assets.open(MODEL_ASSET).use { asset ->
            FileOutputStream(part).use { out ->
                asset.copyTo(out)
                out.fd.sync()
            }
        }
        if (!part.renameTo(file)) throw IOException("cannot rename ${part.name}")
        return file
    } catch (error: IOException) {
        throw StorageException("the model cannot be unpacked: ${error.javaClass.simpleName}")
    }
}
