// Shrinking a program with R8, as the release build of an app does, and running it.

package dev.adroit.shrinking

import com.android.tools.r8.ClassFileResourceProvider
import com.android.tools.r8.CompilationFailedException
import com.android.tools.r8.CompilationMode
import com.android.tools.r8.Diagnostic
import com.android.tools.r8.DiagnosticsHandler
import com.android.tools.r8.OutputMode
import com.android.tools.r8.ProgramResource
import com.android.tools.r8.R8
import com.android.tools.r8.R8Command
import com.android.tools.r8.origin.Origin
import com.sun.jna.Native
import dev.adroit.Embeddings
import dev.adroit.Skills
import dev.adroit.bundledModel
import java.io.File
import java.net.URI
import java.nio.file.FileSystems
import java.nio.file.Files
import java.nio.file.Path
import java.util.concurrent.TimeUnit
import kotlin.io.path.createTempDirectory
import kotlin.io.path.createTempFile
import kotlin.io.path.extension
import kotlin.io.path.invariantSeparatorsPathString
import kotlin.io.path.readBytes
import kotlin.io.path.relativeTo
import kotlin.streams.asSequence
import kotlinx.coroutines.Job
import org.jetbrains.annotations.NotNull
import org.json.JSONObject

/** Where a class is loaded from. */
private fun origin(type: Class<*>) = File(type.protectionDomain.codeSource.location.toURI())

private val library = origin(Skills::class.java)
private val tests = origin(WordCounts::class.java)
private val jna = origin(Native::class.java)
private val others = listOf(Unit::class.java, Job::class.java, JSONObject::class.java, NotNull::class.java).map(::origin)

/** What a device has: stand-ins for Android's classes in [androids], and Java without `java.awt`. */
private class Device(androids: File) : ClassFileResourceProvider {
    private val classes: Map<String, ByteArray> = buildMap {
        val modules = FileSystems.getFileSystem(URI("jrt:/")).getPath("modules")
        for (root in listOf(androids.toPath(), modules.resolve("java.base"), modules.resolve("java.logging"))) {
            Files.walk(root).use { files ->
                for (file in files.asSequence().filter { it.extension == "class" }) {
                    val name = file.relativeTo(root).invariantSeparatorsPathString.removeSuffix(".class")
                    if (name.startsWith("java/") || name.startsWith("android/")) put("L$name;", file.readBytes())
                }
            }
        }
        // R8 refuses the class files of a Java that is newer than itself, though it only reads their signatures.
        values.forEach { it[7] = minOf(it[7], 61) }
    }

    override fun getClassDescriptors(): Set<String> = classes.keys

    override fun getProgramResource(descriptor: String): ProgramResource? =
        classes[descriptor]?.let { ProgramResource.fromBytes(Origin.unknown(), ProgramResource.Kind.CF, it, setOf(descriptor)) }
}

/** R8 cannot make an app of the program. */
internal class UnshrinkableException(reason: String) : Exception(reason)

/** A program as it is in an app. */
internal class Shrunk(
    private val main: String,
    private val classPath: List<File>,
    /** What its classes are called now, by their former names; what is gone is missing. */
    val names: Map<String, String>,
) {
    /** What it says, with how it failed if it does. */
    fun run(): String = run(main, classPath)
}

/** Shrinks and renames programs, in a folder of its own. */
internal class Shrinker(private val folder: File) {
    private val androids = File(folder, "device").apply { File(library, "android").copyRecursively(File(this, "android")) }
    private val device = Device(androids)

    /**
     * @param main the program's main class, in this package.
     * @param whole whether everything is shrunk, and optimized as well. Otherwise it is only what the rules are about,
     *   which is much faster.
     */
    fun shrink(main: String, rules: List<String>, whole: Boolean): Shrunk {
        val faults = mutableListOf<String>()
        val diagnostics = object : DiagnosticsHandler {
            override fun info(info: Diagnostic) = Unit

            override fun warning(warning: Diagnostic) = Unit

            override fun error(error: Diagnostic) {
                faults += error.diagnosticMessage
            }
        }
        val app = listOf(
            "-keep class $main { public static void main(java.lang.String[]); }",
            // What Android's build tools set for every app.
            "-allowaccessmodification",
            "-repackageclasses",
            // Java's own classes name what is inside it.
            "-dontwarn jdk.internal.**, sun.**",
            if (whole) "" else "-dontoptimize",
        )
        val jar = createTempFile(folder.toPath(), suffix = ".jar")
        val names = StringBuilder()
        val command = R8Command.builder(diagnostics)
            .setMode(CompilationMode.RELEASE)
            .setOutput(jar, OutputMode.ClassFile)
            .addProgramFiles(classFiles(File(library, "dev")) + classFiles(File(tests, "dev/adroit/shrinking")))
            .addProgramFiles(jna.toPath())
            .addLibraryResourceProvider(device)
            .addProguardConfiguration(app + rules, Origin.unknown())
            .setProguardMapConsumer { text, _ -> names.append(text) }
        if (whole) command.addProgramFiles(others.map(File::toPath)) else command.addLibraryFiles(others.map(File::toPath))
        try {
            R8.run(command.build())
        } catch (failed: CompilationFailedException) {
            throw UnshrinkableException("${failed.cause ?: failed}\n" + faults.joinToString("\n"))
        }
        return Shrunk(
            main,
            classPath = listOf(jar.toFile(), androids) + if (whole) emptyList() else others,
            names = Regex("^(\\S+) -> (\\S+):$", RegexOption.MULTILINE).findAll(names).associate { it.groupValues[1] to it.groupValues[2] },
        )
    }
}

private fun classFiles(folder: File): List<Path> = folder.walk().filter { it.extension == "class" }.map(File::toPath).toList()

/** What a program says as it is. */
internal fun runUnshrunk(main: String): String = run(main, listOf(library, tests, jna) + others)

private fun run(main: String, classPath: List<File>): String {
    val folder = createTempDirectory("adroit").toFile()
    try {
        val output = File(folder, "output")
        val errors = File(folder, "errors")
        val process = ProcessBuilder(
            File(System.getProperty("java.home"), "bin/java").path,
            "-XX:TieredStopAtLevel=1",
            "-Djna.library.path=" + System.getProperty("jna.library.path"),
            "-Djava.library.path=" + System.getProperty("java.library.path"),
            "-classpath",
            classPath.joinToString(File.pathSeparator),
            main,
            folder.path,
            (bundledModel as Embeddings.ModelFile).file.absolutePath,
        ).redirectOutput(output).redirectError(errors).start()
        val ended = process.waitFor(1, TimeUnit.MINUTES)
        if (!ended) process.destroyForcibly().waitFor()
        return output.readText() + if (ended && process.exitValue() == 0) "" else "failed: ${errors.readText()}"
    } finally {
        folder.deleteRecursively()
    }
}
