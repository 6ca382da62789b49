package dev.adroit

import dev.adroit.internal.uniffiEnsureInitialized

/** Loads the native library once. */
internal object NativeLibrary {
    private val loaded: Unit by lazy {
        // JNA opens the library by itself, but only System.loadLibrary makes the runtime call its JNI_OnLoad, which
        // starts the log and lets the library's threads call Kotlin. Off Android JNA alone may find the file.
        val unloaded = try {
            System.loadLibrary("adroit")
            null
        } catch (error: UnsatisfiedLinkError) {
            error
        }
        try {
            uniffiEnsureInitialized()
        } catch (error: Throwable) {
            throw NativeLibraryException(
                "libadroit.so cannot be loaded: the app must contain it for this device's ABI (arm64-v8a, armeabi-v7a or x86_64)",
                unloaded ?: error,
            )
        }
    }

    /** Fails with [NativeLibraryException]. */
    fun load() = loaded
}
