package dev.adroit.sample

import android.view.View
import android.view.inputmethod.EditorInfo
import android.view.inputmethod.InputMethodManager
import android.widget.EditText
import android.widget.ListView
import android.widget.TextView
import dev.adroit.RankedSkill
import dev.adroit.Ranking

/** What is looked for, and what was found: null before anything was. */
data class Search(val goal: String = "", val found: Ranking? = null)

/** Ranks the skills for a goal. */
class SearchScreen : Screen<Search>() {
    override val name = Words.FIND_A_SKILL
    override val note = Words.SEARCH
    private lateinit var field: EditText
    private lateinit var remark: TextView

    private val rows = Rows<RankedSkill> { found ->
        val score = look.label(Words.score(found.score)).apply { contentDescription = Words.similarity(found.score) }
        look.card(
            look.row(look.heading(Words.name(found.name)), score, fixed = setOf(score)),
            look.note(found.goal),
            look.bar(found.score.coerceIn(0f, 1f)),
            gap = 6,
        )
    }

    override fun initial() = Search()

    override fun build(): View {
        field = look.edit(state.content.value.goal, Words.GOAL) { state.change { copy(goal = it) } }.apply {
            imeOptions = EditorInfo.IME_ACTION_SEARCH
            setOnEditorActionListener { _, _, _ ->
                find()
                true
            }
        }
        remark = look.note("")
        val find = look.mainButton(Words.FIND, ::find)
        val head = head(look.row(field, find, fixed = setOf(find)), remark)
        return rows.below(head, look, ListView(this)) { SkillScreen.start(this, it.skillId) }
    }

    override fun show(content: Search) {
        val found = content.found
        remark.text = when {
            found == null -> null
            found.results.isEmpty() -> Words.NOTHING_FOUND
            found.goalTruncated -> Words.TRUNCATED
            else -> null
        }
        remark.visibility = if (remark.text.isEmpty()) View.GONE else View.VISIBLE
        rows.items = found?.results.orEmpty()
    }

    private fun find() {
        val keyboard = getSystemService(INPUT_METHOD_SERVICE) as InputMethodManager
        keyboard.hideSoftInputFromWindow(field.windowToken, 0)
        state.work {
            val skills = skills()
            // What could not be embedded when it was learned would not be found.
            skills.embedPending()
            val found = skills.rank(state.content.value.goal, k = 10)
            state.change { copy(found = found) }
        }
    }
}
