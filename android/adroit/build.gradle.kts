plugins {
    alias(libs.plugins.android.library)
    `maven-publish`
    id("org.jetbrains.dokka")
}

android {
    namespace = "dev.adroit"
    compileSdk = 37

    defaultConfig {
        minSdk = 24
        consumerProguardFiles("consumer-rules.pro")
        // The bindings name a class that came with this one: R8 misses it in an app that is compiled against less.
        aarMetadata { minCompileSdk = 33 }
        testInstrumentationRunner = "androidx.test.runner.AndroidJUnitRunner"
    }

    sourceSets {
        named("main") { kotlin.directories += "src/android/kotlin" }
        named("androidTest") { kotlin.directories += "src/sharedTest/kotlin" }
    }

    publishing {
        singleVariant("release") { withSourcesJar() }
    }
}

dependencies {
    api(libs.kotlin.stdlib)
    api(libs.kotlinx.coroutines.core)
    // The AAR, not the jar: only that holds the native half of JNA for phones.
    implementation(variantOf(libs.jna) { artifactType("aar") })
    compileOnly(libs.androidx.annotation)

    androidTestImplementation(libs.androidx.annotation)
    androidTestImplementation(libs.androidx.test.core)
    androidTestImplementation(libs.androidx.test.junit)
    androidTestImplementation(libs.androidx.test.runner)
    androidTestImplementation(libs.kotlin.test.junit)
}

/** Puts the embedding model among the assets, under an ending that build tools leave uncompressed. */
abstract class ModelAsset : DefaultTask() {
    @get:InputFile
    @get:PathSensitive(PathSensitivity.NONE)
    abstract val model: RegularFileProperty

    @get:OutputDirectory
    abstract val assets: DirectoryProperty

    @TaskAction
    fun copy() {
        val source = model.get().asFile
        source.copyTo(assets.file("adroit/${source.name}.jet").get().asFile, overwrite = true)
    }
}

val modelAsset = tasks.register<ModelAsset>("modelAsset") {
    model = layout.projectDirectory.file("../../models/all-minilm-l6-v2.onnx")
}

androidComponents {
    // Known to every task that reads assets, lint's among them, which a folder named in a source set would not be.
    onVariants { variant ->
        variant.sources.assets?.addGeneratedSourceDirectory(modelAsset, ModelAsset::assets)
    }
}

dokka {
    dokkaSourceSets.configureEach {
        // Each variant is documented from the same sources: one is enough.
        suppress = name != "release"
        perPackageOption {
            matchingRegex = """dev\.adroit\.internal.*"""
            suppress = true
        }
    }
}

// Not the Android plugin's withJavadocJar: its own Dokka is too old for sealed classes.
val javadocJar = tasks.register<Jar>("javadocJar") {
    archiveClassifier = "javadoc"
    from(tasks.dokkaGeneratePublicationHtml.flatMap { it.outputDirectory })
}

publishing {
    publications.register<MavenPublication>("release") {
        // The Android plugin makes the component only after this script.
        afterEvaluate { from(components["release"]) }
        artifact(javadocJar)
        pom {
            name = "Adroit"
            description = "On-device memory for phone agents: learns versioned skills from finished tasks"
            licenses {
                license {
                    name = "MIT"
                    url = "https://spdx.org/licenses/MIT.html"
                }
                license {
                    name = "Apache-2.0"
                    url = "https://www.apache.org/licenses/LICENSE-2.0.txt"
                }
            }
        }
    }
}
