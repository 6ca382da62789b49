package dev.adroit.sample

import dev.adroit.Outcome
import dev.adroit.Skills
import dev.adroit.Status
import dev.adroit.Target
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.delay
import kotlinx.coroutines.withContext

/** One call of a tool, as agents make them, and what it acts on. */
data class Action(val tool: String, val arguments: Map<String, Any?>, val target: Target? = null)

/** A task that somebody could ask of the agent, and how it goes about it. */
class DemoTask(val goal: String, val actions: List<Action>) {
    companion object {
        /** @param bySearch whether the agent looks for the contact in the search field: other steps, the same goal. */
        fun message(to: String, text: String, bySearch: Boolean) = DemoTask(
            "Send $to a message: $text",
            listOf(open) + (if (bySearch) listOf(tap("Search"), type(to, "Contact"), tap(to)) else listOf(tap("New chat"), type(to, "To"))) +
                listOf(type(text, "Message"), tap("Send")),
        )

        fun mute(chat: String) = DemoTask("Mute the chat with $chat", listOf(open, tap(chat), tap("Mute")))

        fun darkTheme() = DemoTask("Turn on the dark theme", listOf(open, tap("Settings"), tap("Dark theme")))

        private val open = Action("open_app", mapOf("app_name" to PretendMessages.NAME))
        private fun tap(label: String) = Action("tap", mapOf("text" to label))

        // What the field is called becomes the name of the parameter.
        private fun type(text: String, field: String) = Action("input_text", mapOf("text" to text), Target(text = field))
    }
}

/** An agent without a model: it knows its tasks by heart. What it does is what any agent does with [Skills.recorder]. */
class FakeAgent(private val skills: Skills) {
    /**
     * Does a task in the app, and gives it to the skills to learn from.
     *
     * @param done hears of each action.
     */
    suspend fun run(task: DemoTask, app: PretendMessages, done: (Action) -> Unit): Outcome {
        val recording = skills.recorder.begin(task.goal, app = PretendMessages.NAME)
        try {
            var reached = true
            for (action in task.actions) {
                delay(PACE_MS)
                val error = app.perform(action)
                recording.call(action.tool, action.arguments, ok = error == null, error = error, target = action.target)
                done(action)
                reached = reached && error == null
            }
            return recording.finish(if (reached) Status.SUCCEEDED else Status.FAILED)
        } catch (stopped: Throwable) {
            withContext(NonCancellable) { recording.discard() }
            throw stopped
        }
    }

    companion object {
        /** So that one can watch. */
        const val PACE_MS = 350L
    }
}

/** The app that the agent works in: as much of a messenger as the demo tasks need. */
class PretendMessages {
    private var chat = ""
    private var draft = ""
    private var naming = false

    /** What a user would see of it in the end. */
    var effect = ""
        private set

    /** Does what a tap or a key would, and says what went wrong. */
    fun perform(action: Action): String? {
        val text = action.arguments["text"]?.toString().orEmpty()
        when (action.tool) {
            "open_app" -> Unit
            "input_text" -> if (naming) named(text) else draft = text
            "tap" -> return tap(text)
            else -> return "no such tool"
        }
        return null
    }

    private fun tap(label: String): String? {
        when (label) {
            "New chat", "Search" -> naming = true
            "Send" -> if (chat.isEmpty() || draft.isEmpty()) return "the button is grey" else effect = "$chat: $draft"
            "Mute" -> effect = "$chat is muted"
            "Settings" -> Unit
            "Dark theme" -> effect = "The theme is dark"
            else -> named(label)
        }
        return null
    }

    private fun named(name: String) {
        chat = name
        naming = false
    }

    companion object {
        const val NAME = "Messages"
    }
}
