package dev.adroit.sample

import android.view.View
import android.widget.Button
import android.widget.CheckBox
import android.widget.LinearLayout
import android.widget.RadioButton
import android.widget.RadioGroup
import dev.adroit.Outcome
import org.json.JSONObject

/** One run of the agent: what it did so far, what came of it in the app, and what was learned from it. */
data class Run(val task: DemoTask, val done: Int = 0, val effect: String? = null, val outcome: Outcome? = null)

/** What is asked of the agent, and its last run. */
data class Asked(
    val task: Task = Task.SEND,
    val to: String = "Ana",
    val message: String = "I am late",
    val bySearch: Boolean = false,
    val learning: Boolean = true,
    val run: Run? = null,
    val running: Boolean = false,
) {
    enum class Task(val words: String) { SEND(Words.SEND), MUTE(Words.MUTE), DARK(Words.DARK) }

    fun demo(): DemoTask = when (task) {
        Task.SEND -> DemoTask.message(to, message, bySearch)
        Task.MUTE -> DemoTask.mute(to)
        Task.DARK -> DemoTask.darkTheme()
    }
}

/** Lets the pretend agent do a task, and tells what was learned from it. */
class TaskScreen : Screen<Asked>() {
    override val name = Words.RUN_A_TASK
    override val note = Words.TASK
    private lateinit var to: View
    private lateinit var message: View
    private lateinit var bySearch: View
    private lateinit var learningIsOff: View
    private lateinit var start: Button
    private lateinit var result: LinearLayout
    private var shown: Run? = null

    override fun initial() = Asked()

    override fun onStart() {
        super.onStart()
        state.work {
            val learning = (application as SampleApp).learning()
            state.change { copy(learning = learning) }
        }
    }

    override fun build(): View {
        val asked = state.content.value
        to = look.field(Words.TO, asked.to) { state.change { copy(to = it) } }
        message = look.field(Words.MESSAGE, asked.message) { state.change { copy(message = it) } }
        bySearch = CheckBox(this).apply {
            text = Words.BY_SEARCH
            style(this)
            isChecked = asked.bySearch
            setOnCheckedChangeListener { _, on -> state.change { copy(bySearch = on) } }
        }
        learningIsOff = look.note(Words.LEARNING_IS_OFF)
        start = look.mainButton(Words.RUN, ::run)
        result = look.column(gap = 12).apply { accessibilityLiveRegion = View.ACCESSIBILITY_LIVE_REGION_POLITE }
        return page(head(look.card(tasks(asked.task), to, message, bySearch, learningIsOff, start), result))
    }

    private fun tasks(chosen: Asked.Task) = RadioGroup(this).apply {
        for (task in Asked.Task.entries) {
            addView(
                RadioButton(this@TaskScreen).apply {
                    // The group finds the chosen one by its id.
                    id = View.generateViewId()
                    text = task.words
                    style(this)
                    isChecked = task == chosen
                    setOnCheckedChangeListener { _, on -> if (on) state.change { copy(task = task) } }
                },
            )
        }
    }

    private fun style(choice: Button) = choice.run {
        textSize = 15f
        setTextColor(look.ink)
        minHeight = look.dp(40)
        isSaveEnabled = false
    }

    override fun show(content: Asked) {
        to.visible(content.task != Asked.Task.DARK)
        message.visible(content.task == Asked.Task.SEND)
        bySearch.visible(content.task == Asked.Task.SEND)
        learningIsOff.visible(!content.learning)
        start.isEnabled = !content.running
        start.alpha = if (content.running) 0.5f else 1f
        start.text = if (content.running) Words.RUNNING else Words.RUN
        if (content.run !== shown) {
            shown = content.run
            result.removeAllViews()
            content.run?.let(::tell)
            if (content.run != null) reveal(result)
        }
    }

    private fun View.visible(yes: Boolean) {
        visibility = if (yes) View.VISIBLE else View.GONE
    }

    private fun tell(run: Run): Unit = with(look) {
        val lines = Lines(look)
        val done = run.task.actions.take(run.done).mapIndexed { index, action ->
            body(lines.call(index, action.tool, JSONObject(action.arguments).toString()))
        }
        val effect = listOfNotNull(run.effect?.let { note(Words.effect(it)) })
        result.stack(card(heading(run.task.goal), *(done + effect).toTypedArray(), gap = 6))
        val outcome = run.outcome ?: return
        val (headline, meaning) = Words.outcome(outcome)
        val card = card(label(headline), body(meaning), gap = 4)
        card.background = rounded(tint)
        outcome.skill?.let { skill ->
            card.stack(button(Words.SHOW_SKILL) { SkillScreen.start(this@TaskScreen, skill.skillId) }, gap = 12)
        }
        result.stack(card, gap = 12)
    }

    private fun run() = state.work {
        val task = state.content.value.demo()
        val app = PretendMessages()
        state.change { copy(run = Run(task), running = true) }
        try {
            val outcome = FakeAgent(skills()).run(task, app) { state.change { copy(run = run?.run { copy(done = done + 1) }) } }
            state.change { copy(run = run?.copy(effect = app.effect, outcome = outcome)) }
        } finally {
            state.change { copy(running = false) }
        }
    }
}
