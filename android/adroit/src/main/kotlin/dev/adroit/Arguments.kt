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

private fun loneSurrogate(text: String): Int {
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
internal fun json(argument: String, value: Any?, depth: Int = 0): String {
    // A list may hold itself.
    if (depth > MAX_DEPTH) throw InvalidArgumentException(argument, "nested deeper than $MAX_DEPTH levels")
    return when (value) {
        null, JSONObject.NULL -> "null"
        is String -> JSONObject.quote(value)
        is Char -> JSONObject.quote(value.toString())
        is Boolean -> value.toString()
        is Number -> try {
            JSONObject.numberToString(value)
        } catch (_: JSONException) {
            throw InvalidArgumentException(argument, "JSON has no number $value: give a finite one")
        }
        is Map<*, *> -> value.entries.joinToString(",", "{", "}") { (key, item) ->
            if (key !is String) throw InvalidArgumentException(argument, "the keys of a map must be texts")
            JSONObject.quote(key) + ":" + json(argument, item, depth + 1)
        }
        is Iterable<*> -> value.joinToString(",", "[", "]") { json(argument, it, depth + 1) }
        is Array<*> -> json(argument, value.asList(), depth)
        is IntArray -> json(argument, value.asList(), depth)
        is LongArray -> json(argument, value.asList(), depth)
        is DoubleArray -> json(argument, value.asList(), depth)
        is FloatArray -> json(argument, value.asList(), depth)
        is BooleanArray -> json(argument, value.asList(), depth)
        // Their own toString gives null where a number has no JSON form.
        is JSONObject -> json(argument, value.keys().asSequence().associateWith(value::opt), depth)
        is JSONArray -> json(argument, List(value.length(), value::opt), depth)
        else -> throw InvalidArgumentException(
            argument,
            "${value.javaClass.name} has no JSON form: give a text, number, boolean, list, map or null",
        )
    }
}
