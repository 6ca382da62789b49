plugins {
    alias(libs.plugins.android.application)
}

android {
    namespace = "dev.adroit.sample"
    compileSdk = 37

    defaultConfig {
        applicationId = "dev.adroit.sample"
        minSdk = 24
        targetSdk = 37
        versionCode = 1
        versionName = project.version.toString()
    }

    buildTypes {
        release {
            // Shrunk without a rule of its own: what the library needs to keep, it must say itself.
            isMinifyEnabled = true
            proguardFiles(getDefaultProguardFile("proguard-android-optimize.txt"))
            // So that the shrunk app can be installed and tried.
            signingConfig = signingConfigs.getByName("debug")
        }
    }
}

dependencies {
    implementation(project(":adroit"))
    implementation(libs.kotlinx.coroutines.android)
}
