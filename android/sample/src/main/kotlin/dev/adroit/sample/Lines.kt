package dev.adroit.sample

import android.graphics.Typeface
import android.text.SpannableStringBuilder
import android.text.Spanned
import android.text.style.ForegroundColorSpan
import android.text.style.StyleSpan
import org.json.JSONObject
import org.json.JSONTokener

/** Steps and calls as lines of text. */
class Lines(private val look: Look) {
    /** A step of a skill: its tool, and its arguments with the parameters in another colour. */
    fun step(index: Int, tool: String, arguments: String): CharSequence = line(index, tool, arguments) { text ->
        val parameter = PARAMETER.matchEntire(text)?.groupValues?.get(1)
        if (parameter != null) {
            append(Words.name(parameter).lowercase(), ForegroundColorSpan(look.accent), Spanned.SPAN_EXCLUSIVE_EXCLUSIVE)
        } else {
            // Braces that were typed are stored doubled.
            append(quoted(text.replace("{{", "{").replace("}}", "}")))
        }
    }

    /** A call that can be made as it is. */
    fun call(index: Int, tool: String, arguments: String): CharSequence = line(index, tool, arguments) { append(quoted(it)) }

    private fun line(index: Int, tool: String, arguments: String, appendText: SpannableStringBuilder.(String) -> Unit): CharSequence {
        val line = SpannableStringBuilder("${index + 1}  ").append(tool, StyleSpan(Typeface.BOLD), Spanned.SPAN_EXCLUSIVE_EXCLUSIVE)
        val values = JSONObject(arguments)
        for (key in values.keys()) {
            val value = values.get(key)
            line.append("  ")
            if (value is String) line.appendText(value) else line.append(value.toString())
        }
        return line
    }

    private fun quoted(text: String) = "“$text”"

    companion object {
        private val PARAMETER = Regex("""\{(?:secret:)?([a-z][a-z0-9_]*)\}""")

        /** A JSON value without the quotes of a text. */
        fun plain(json: String): String = JSONTokener(json).nextValue().toString()
    }
}
