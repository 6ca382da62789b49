// Everything the sample says, in one place. Android would keep it in resources; this app has none.

package dev.adroit.sample

import dev.adroit.AuthoringDisabled
import dev.adroit.Created
import dev.adroit.InternalException
import dev.adroit.NativeLibraryException
import dev.adroit.Outcome
import dev.adroit.Parameter
import dev.adroit.ParametersUpdated
import dev.adroit.Skill
import dev.adroit.SkillException
import dev.adroit.Skipped
import dev.adroit.Unchanged
import dev.adroit.VersionAdded

object Words {
    const val APP = "Adroit"
    const val BACK = "Back"

    const val HOME = "What the agent has learned stays on this device."
    const val LEARN = "Learn from tasks"
    const val LEARNING = "Every task that succeeds is learned from."
    const val NOT_LEARNING = "Nothing is recorded. Skills that are known can be used."
    const val RUN_A_TASK = "Run a task"
    const val FIND_A_SKILL = "Find a skill"
    const val NO_SKILLS = "No skills yet. Switch learning on, and let the agent run a task."
    fun skills(count: Int) = if (count == 1) "1 skill" else "$count skills"
    fun summary(skill: Skill) = "${version(skill.version.toInt())}, ${counted(skill.steps.size, "step")}, " +
        if (skill.parameters.isEmpty()) "no parameters" else counted(skill.parameters.size, "parameter")

    const val TASK = "A pretend agent does it in a pretend messages app, call by call, and records what it does."
    const val SEND = "Send a message"
    const val MUTE = "Mute a chat"
    const val DARK = "Turn on the dark theme"
    const val TO = "To"
    const val MESSAGE = "Message"
    const val BY_SEARCH = "Use the search field of the app"
    const val RUN = "Run"
    const val RUNNING = "Running"
    const val LEARNING_IS_OFF = "Learning is off: the agent will do the task, and nothing will be kept."
    const val SHOW_SKILL = "Show the skill"
    fun effect(effect: String) = "In the app: “$effect”"

    const val SEARCH = "In any words: skills are compared by meaning."
    const val GOAL = "What shall be done?"
    const val FIND = "Find"
    const val NOTHING_FOUND = "There is no skill to compare this with."
    const val TRUNCATED = "That is long: its beginning was compared."
    fun score(score: Float) = "%.2f".format(score)
    fun similarity(score: Float) = "Similarity ${score(score)}"

    const val STEPS = "Steps"
    const val VALUES = "Values for a new run"
    const val NO_VALUES = "Every run is the same: there is nothing to fill in."
    const val SHOW_CALLS = "Show the calls"
    const val CALLS = "Calls for the agent"
    const val FORGET = "Forget this skill"
    const val FORGET_REALLY = "All versions and what they were learned from will be deleted. This cannot be undone."
    const val FORGET_YES = "Forget it"
    const val FORGET_NO = "Keep it"
    const val GONE = "This skill is no longer there."
    const val SECRET = "never stored"
    fun version(version: Int) = "Version $version"
    fun runs(count: Int) = "Learned from ${counted(count, "run")}"
    fun hint(parameter: Parameter): String {
        val default = parameter.default?.let { "else ${Lines.plain(it)}" }
        return default ?: parameter.seen.takeLast(3).joinToString(prefix = "such as ") { Lines.plain(it) }
    }

    /** The name of a skill or a parameter as one would write it. */
    fun name(name: String): String = name.replace('_', ' ').replaceFirstChar(Char::uppercase)

    /** What became of a task: a headline and what it means. */
    fun outcome(outcome: Outcome): Pair<String, String> {
        val skill = outcome.skill
        val name = name(skill?.name.orEmpty())
        return when (val decision = outcome.decision) {
            is Created -> "New skill" to "“$name” was learned. Run it with other values: what differs becomes a parameter."
            is Unchanged -> "Nothing new" to "“$name” knew all of this already."
            is ParametersUpdated ->
                if (decision.added.isNotEmpty()) {
                    "Parameters added" to "“$name” can now be given: ${decision.added.joinToString { name(it).lowercase() }}."
                } else {
                    "New values" to "“$name” has seen other values for: ${decision.changed.joinToString { name(it).lowercase() }}."
                }
            is VersionAdded -> "New version" to "Other steps for the same goal: “$name” has a version ${skill?.version} now."
            is Skipped ->
                if (decision.reason is AuthoringDisabled) {
                    "Done" to "Learning is off, so nothing was kept."
                } else {
                    "Nothing learned" to "Only tasks that succeed and change something are learned from."
                }
        }
    }

    /** What went wrong; null when that is no failure of the skills. */
    fun failure(error: Throwable): String? = when (error) {
        // The library says it in English and without anything private.
        is SkillException -> "$error".replaceFirstChar(Char::uppercase) + "."
        is NativeLibraryException -> "This build does not fit the device: ${error.message}."
        is InternalException -> "A fault of the library, which its authors would like to hear of: ${error.message}"
        else -> null
    }

    private fun counted(count: Int, what: String) = if (count == 1) "1 $what" else "$count ${what}s"
}
