package dev.adroit.sample

import android.app.Application
import android.content.Context
import dev.adroit.Skills
import dev.adroit.open
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.sync.Mutex
import kotlinx.coroutines.sync.withLock
import kotlinx.coroutines.withContext

/** Holds what all screens share: the skills, and whether the user wants them to learn. */
open class SampleApp : Application() {
    private val lock = Mutex()
    private var opened: Skills? = null

    // Looking for the file of the settings is work for another thread, and so is reading it.
    private val settings by lazy { getSharedPreferences("settings", Context.MODE_PRIVATE) }

    /** The skills, opened when they are first asked for. */
    suspend fun skills(): Skills = lock.withLock {
        opened ?: open().also { opened = it }
    }

    private suspend fun open(): Skills {
        val learns = learning()
        val skills = Skills.open(this) { authoring = learns }
        // What an earlier process left when it died. The pretend agent cannot go on where it was.
        skills.recorder.unfinished().forEach { skills.recorder.discard(it.taskId) }
        return skills
    }

    /** Whether the user has switched learning on. */
    suspend fun learning(): Boolean = withContext(Dispatchers.IO) { settings.getBoolean(LEARNING, false) }

    /** Skills learn or not from the moment they are opened, so they are opened anew. */
    suspend fun setLearning(on: Boolean) = lock.withLock {
        withContext(Dispatchers.IO) { settings.edit().putBoolean(LEARNING, on).commit() }
        opened?.closeAndJoin()
        opened = null
    }

    private companion object {
        const val LEARNING = "learning"
    }
}
