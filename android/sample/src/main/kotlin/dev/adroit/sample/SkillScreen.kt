package dev.adroit.sample

import android.content.Context
import android.content.Intent
import android.view.View
import android.widget.LinearLayout
import dev.adroit.Call
import dev.adroit.Skill
import dev.adroit.ValueType
import org.json.JSONException
import org.json.JSONTokener

/** One version of a skill among its others, and what was done with it here. Without versions it is not known yet. */
data class Opened(
    val versions: List<Skill> = emptyList(),
    val version: Skill? = null,
    val runs: Int = 0,
    val calls: List<Call> = emptyList(),
    /** Whether the user is asked if it shall really be forgotten. */
    val asking: Boolean = false,
    val forgotten: Boolean = false,
    /** What was typed, by parameter. Changed in place: the fields show it already. */
    val typed: MutableMap<String, String> = mutableMapOf(),
)

/** A skill: its steps, the calls for other values, its versions, and the end of it. */
class SkillScreen : Screen<Opened>() {
    override val name = ""
    override val note = null
    private lateinit var parts: LinearLayout

    override fun initial() = Opened()

    override fun onStart() {
        super.onStart()
        if (state.content.value.version == null) state.work { open(intent.getStringExtra(SKILL).orEmpty()) }
    }

    private suspend fun open(skillId: String) {
        val skills = skills()
        val version = skills.skill(skillId)
        if (version == null) {
            state.failure.value = Words.GONE
            return
        }
        val versions = skills.history(version.lineageId)
        val runs = skills.executions(skillId).size
        state.change { Opened(versions, version, runs, typed = typed) }
    }

    override fun build(): View {
        parts = look.column()
        return page(head(parts))
    }

    override fun show(content: Opened) {
        if (content.forgotten) return finish()
        parts.removeAllViews()
        val version = content.version ?: return
        title.text = Words.name(version.name)
        with(look) {
            parts.stack(
                body(version.description),
                note(Words.runs(content.runs)),
                gap = 6,
            )
            if (content.versions.size > 1) parts.stack(versions(content.versions, version), gap = 12)
            val lines = Lines(look)
            val steps = version.steps.mapIndexed { index, step -> body(lines.step(index, step.tool, step.arguments)) }
            parts.stack(listing(Words.STEPS, steps), values(version, content.typed), gap = 14)
            if (content.calls.isNotEmpty()) {
                val calls = listing(Words.CALLS, content.calls.mapIndexed { index, call -> body(lines.call(index, call.tool, call.arguments)) })
                calls.background = rounded(tint)
                parts.stack(calls, gap = 14)
                reveal(calls)
            }
            val forget = button(Words.FORGET, danger) { state.change { copy(asking = true) } }
            parts.stack(if (content.asking) confirmation(version) else forget, gap = 14)
        }
    }

    private fun versions(all: List<Skill>, shown: Skill): View {
        val buttons = all.takeLast(4).map { version ->
            val chosen = version.skillId == shown.skillId
            look.button(Words.version(version.version.toInt()), if (chosen) look.ink else look.accent) {
                if (!chosen) state.work { open(version.skillId) }
            }.apply {
                isSelected = chosen
                if (chosen) background = look.rounded(look.tint)
            }
        }
        return look.row(*buttons.toTypedArray(), gap = 8)
    }

    private fun listing(heading: String, lines: List<View>) = look.card(look.heading(heading), *lines.toTypedArray(), gap = 6)

    private fun values(version: Skill, typed: MutableMap<String, String>): View = with(look) {
        val fields = version.parameters.map { parameter ->
            field(Words.name(parameter.name), typed[parameter.name].orEmpty(), Words.hint(parameter)) { typed[parameter.name] = it }
        } + version.secrets.map { name ->
            field(Words.name(name), typed[name].orEmpty(), Words.SECRET, secret = true) { typed[name] = it }
        }
        val intro = if (fields.isEmpty()) listOf(note(Words.NO_VALUES)) else emptyList()
        card(heading(Words.VALUES), *(intro + fields).toTypedArray(), mainButton(Words.SHOW_CALLS) { instantiate(version, typed) }, gap = 10)
    }

    private fun instantiate(version: Skill, typed: Map<String, String>) = state.work {
        val types = version.parameters.associate { it.name to it.valueType } + version.secrets.associateWith { ValueType.STRING }
        // Not given is not the same as empty: without a value the default is taken, where there is one.
        val values = types.filterKeys { !typed[it].isNullOrEmpty() }.mapValues { (name, type) -> value(typed.getValue(name), type) }
        state.change { copy(calls = emptyList()) }
        val calls = skills().instantiate(version.skillId, values)
        state.change { copy(calls = calls) }
    }

    /** What was typed in the parameter's type. Where it is not of that type, the library says so. */
    private fun value(text: String, type: ValueType): Any? {
        if (type == ValueType.STRING) return text
        return try {
            JSONTokener(text).nextValue()
        } catch (_: JSONException) {
            text
        }
    }

    private fun confirmation(version: Skill): View = with(look) {
        card(
            body(Words.FORGET_REALLY),
            row(
                button(Words.FORGET_NO) { state.change { copy(asking = false) } },
                button(Words.FORGET_YES, danger) { forget(version) },
            ),
            gap = 12,
        )
    }

    private fun forget(version: Skill) = state.work {
        skills().forget(version.lineageId)
        state.change { copy(forgotten = true) }
    }

    companion object {
        private const val SKILL = "skill"

        fun start(from: Context, skillId: String) =
            from.startActivity(Intent(from, SkillScreen::class.java).putExtra(SKILL, skillId))
    }
}
