buildscript {
    repositories {
        google()
        mavenCentral()
    }
    dependencies {
        // The Android plugin compiles Kotlin itself, with the newest compiler on this path; its own is older.
        classpath(libs.kotlin.gradle.plugin)
        classpath(libs.dokka.gradle.plugin)
    }
}

plugins {
    alias(libs.plugins.android.application) apply false
    alias(libs.plugins.android.library) apply false
}
