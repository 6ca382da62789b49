package dev.adroit.sample

import android.content.Intent
import android.view.View
import android.widget.ListView
import android.widget.Switch
import android.widget.TextView
import dev.adroit.Skill
import kotlinx.coroutines.flow.toList

/** What there is: null until it is known. */
data class Home(val learning: Boolean?, val skills: List<Skill>?)

/** All skills, and whether there will be more. */
class HomeScreen : Screen<Home>() {
    override val first = true
    override val name = Words.APP
    override val note = Words.HOME
    private lateinit var switch: Switch
    private lateinit var explanation: TextView
    private lateinit var count: TextView

    private val rows = Rows<Skill> { skill ->
        look.card(
            look.heading(Words.name(skill.name)),
            look.body(skill.goal),
            look.note(Words.summary(skill)),
            gap = 4,
        )
    }

    override fun initial() = Home(learning = null, skills = null)

    /** Other screens change what is there. */
    override fun onStart() {
        super.onStart()
        refresh()
    }

    private fun refresh() = state.work {
        val now = Home((application as SampleApp).learning(), skills().all().toList())
        state.change { now }
    }

    override fun build(): View {
        explanation = look.note("")
        switch = Switch(this).apply {
            text = Words.LEARN
            textSize = 17f
            setTextColor(look.ink)
            minHeight = look.dp(48)
            isSaveEnabled = false
        }
        count = look.note("").apply { setPadding(0, look.dp(6), 0, 0) }
        val head = head(
            look.card(switch, explanation, gap = 0),
            look.row(
                look.mainButton(Words.RUN_A_TASK) { startActivity(Intent(this, TaskScreen::class.java)) },
                look.button(Words.FIND_A_SKILL) { startActivity(Intent(this, SearchScreen::class.java)) },
            ),
            count,
        )
        return rows.below(head, look, ListView(this)) { SkillScreen.start(this, it.skillId) }
    }

    override fun show(content: Home) {
        // Told of what the user does alone.
        switch.setOnCheckedChangeListener(null)
        switch.isEnabled = content.learning != null
        switch.isChecked = content.learning == true
        switch.setOnCheckedChangeListener { _, on -> learn(on) }
        explanation.text = if (content.learning == true) Words.LEARNING else Words.NOT_LEARNING
        count.text = content.skills?.let { if (it.isEmpty()) Words.NO_SKILLS else Words.skills(it.size) }
        rows.items = content.skills.orEmpty()
    }

    private fun learn(on: Boolean) = state.work {
        state.change { copy(learning = on) }
        (application as SampleApp).setLearning(on)
    }
}
