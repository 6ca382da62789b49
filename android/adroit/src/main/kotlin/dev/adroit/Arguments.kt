package dev.adroit

import org.json.JSONArray
import org.json.JSONException
import org.json.JSONObject

/** Longest text, in UTF-16 units, that is handed to the native library, and longest sum of the texts of one call. */
internal const val MAX_TEXT = 8 * 1024 * 1024

/** Refuses what the native library cannot be handed: a text that is too long, or is no Unicode. */
internal fun wellFormed(argument: String, vararg texts: String?) {
    var length = 0L
    for (text in texts) {
        length += text?.length ?: 0
    }
    if (length > MAX_TEXT) throw InvalidArgumentException(argument, "$length characters are too many, at most $MAX_TEXT")
    for (text in texts) {
        val at = loneSurrogate(text ?: continue)
        if (at >= 0) throw InvalidArgumentException(argument, "half of a surrogate pair at character $at: give whole characters")
    }
}

/** Where a half of a surrogate pair stands alone, which no UTF-8 can say; -1 where none does. */
internal fun loneSurrogate(text: String): Int {
    var index = 0
    while (index < text.length) {
        val unit = text[index]
        if (unit.isSurrogate()) {
            val paired = unit.isHighSurrogate() && index + 1 < text.length && text[index + 1].isLowSurrogate()
            if (!paired) return index
            index++
        }
        index++
    }
    return -1
}

internal fun wellFormed(timeline: Timeline) {
    val texts = mutableListOf(timeline.taskId, timeline.goal, timeline.app, timeline.goalFamily, timeline.skillId)
    timeline.calls.forEach { texts += textsOf(it) }
    wellFormed("timeline", *texts.toTypedArray())
}

internal fun wellFormed(call: ToolCall) = wellFormed("call", *textsOf(call).toTypedArray())

private fun textsOf(call: ToolCall): List<String?> {
    val target = call.target
    return listOf(
        call.tool, call.arguments, call.error,
        target?.resourceId, target?.text, target?.contentDesc, target?.`class`, target?.bounds,
    )
}

/** Deepest nesting of lists and maps; the native library has the same limit. */
private const val MAX_DEPTH = 64

/** A Kotlin value as JSON text. [argument] names it in the error when it has no JSON form. */
internal fun json(argument: String, value: Any?): String = JsonText(argument).apply { put(value, 0) }.toString()

/** Grows by one value; refuses it before it has grown without end, as from a list that holds itself. */
private class JsonText(private val argument: String) {
    private val text = StringBuilder()

    override fun toString(): String = text.toString()

    fun put(value: Any?, depth: Int) {
        if (depth > MAX_DEPTH) refuse("nested deeper than $MAX_DEPTH levels")
        if (text.length > MAX_TEXT) refuse("more than $MAX_TEXT characters of JSON")
        when (value) {
            null, JSONObject.NULL -> text.append("null")
            is String -> text.append(JSONObject.quote(value))
            is Char -> text.append(JSONObject.quote(value.toString()))
            is Boolean -> text.append(value)
            is Number -> try {
                text.append(JSONObject.numberToString(value))
            } catch (_: JSONException) {
                refuse("JSON has no number $value: give a finite one")
            }
            is Map<*, *> -> putAll('{', '}', value.entries) { (key, item) ->
                text.append(JSONObject.quote(key as? String ?: refuse("the keys of a map must be texts"))).append(':')
                put(item, depth + 1)
            }
            is Iterable<*> -> putAll('[', ']', value) { put(it, depth + 1) }
            is Array<*> -> put(value.asList(), depth)
            is IntArray -> put(value.asList(), depth)
            is LongArray -> put(value.asList(), depth)
            is DoubleArray -> put(value.asList(), depth)
            is FloatArray -> put(value.asList(), depth)
            is BooleanArray -> put(value.asList(), depth)
            // Their own toString gives null where a number has no JSON form.
            is JSONObject -> put(value.keys().asSequence().associateWith(value::opt), depth)
            is JSONArray -> put(List(value.length(), value::opt), depth)
            else -> refuse("${value.javaClass.name} has no JSON form: give a text, number, boolean, list, map or null")
        }
    }

    private fun <T> putAll(opening: Char, closing: Char, items: Iterable<T>, putItem: (T) -> Unit) {
        text.append(opening)
        items.forEachIndexed { index, item ->
            if (index > 0) text.append(',')
            putItem(item)
        }
        text.append(closing)
    }

    private fun refuse(reason: String): Nothing = throw InvalidArgumentException(argument, reason)
}
