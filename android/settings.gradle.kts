// The Android build. It needs Gradle, which is not kept here: `gradle wrapper` in this folder, once and with the Gradle
// that gradle/wrapper/gradle-wrapper.properties names or a newer one, makes ./gradlew for everything after.
// Before the first build, `./build.sh android` in the folder above makes the native libraries.

pluginManagement {
    repositories {
        google()
        mavenCentral()
        gradlePluginPortal()
    }
}

dependencyResolutionManagement {
    repositories {
        google()
        mavenCentral()
    }
}

rootProject.name = "adroit-android"
include(":adroit", ":sample")
