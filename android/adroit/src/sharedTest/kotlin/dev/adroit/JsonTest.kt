// Arguments and values as JSON: what is none is refused, by a typed exception that quotes nothing of it.

package dev.adroit

import java.io.File
import java.math.BigDecimal
import java.math.BigInteger
import java.util.Date
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertFailsWith
import kotlin.test.assertIs
import kotlin.test.assertNotEquals
import kotlin.test.assertTrue
import org.json.JSONArray
import org.json.JSONObject

class JsonTest {
    @Test
    fun arguments_that_are_not_json_are_refused() = atHome {
        val skills = open()
        val recording = skills.recorder.begin("Order a pizza", taskId = "recorded")
        val deep = 10_000
        val broken = listOf(
            "", " ", "zanzibar", "{", "}", "{\"a\"}", "{a:1}", "{'a':'zanzibar'}", "[1,]", "[1 2]", "{\"a\":zanzibar}",
            "{\"a\":1}{\"a\":1}", "{\"text\":\"zanzibar\"} zanzibar", "\"zanzibar", "\"a\nb\"", "\"\\x\"", "\u0000",
            "{\u0000}",
            "NaN", "-", "+1", "01", ".5", "1.", "0x10", "Infinity", "-Infinity", "1e400", "1e-400", "123456789012345678901",
            "0.1234567890123456789012", "True", "nul", "undefined", "\uFEFF{}", "{\"a\":1,}", "{\"a\":1,\"a\":2}",
            "{\"a\":{\"b\":\"zanzibar\",\"\\u0062\":\"zanzibar\"}}", "\"\\ud83d\"", "\"\\ude00\\ud83d\"", "{\"\\ud83d\":1}",
            "[".repeat(deep), "[".repeat(deep) + "]".repeat(deep), "{\"a\":".repeat(deep) + "1" + "}".repeat(deep),
            "[".repeat(2_000_000),
        )
        for (arguments in broken) {
            val call = made("tap", arguments)
            val shown = arguments.take(40)
            for (refused in listOf<suspend () -> Any?>(
                { skills.learn(task("monday", "Order a pizza", null, call)) },
                { recording.call(call) },
                { recording.call(on("tap", "OK").copy(target = Target(bounds = arguments))) },
            )) {
                val error = assertFailsWith<InvalidArgumentException>(shown) { refused() }
                assertTrue("zanzibar" !in error.message, error.message)
            }
        }
        assertEquals(0, skills.count())
        assertEquals(emptyList(), skills.recorder.unfinished().single().calls)
    }

    @Test
    fun arguments_may_be_any_json_value() = atHome {
        val skills = open()
        val values = listOf(
            "null" to "null", "true" to "true", " 12 " to "12", "-0.5" to "-0.5", "\"text\"" to "\"text\"", "[ ]" to "[]",
            "\n{ }\t" to "{}", "[1, {\"b\": null, \"a\": [\"{x}\"]}]" to "[1,{\"a\":[\"{x}\"],\"b\":null}]",
            "18446744073709551615" to "18446744073709551615", "-9223372036854775808" to "-9223372036854775808",
            "\"\\ud83d\\ude00\\u0041\\/\"" to "\"😀A/\"",
        )
        for ((number, value) in values.withIndex()) {
            val (given, expected) = value
            val skill = skills.learned(task("task $number", "Do thing $number", "app $number", made("do_it", given)))
            assertEquals(listOf(Call("do_it", expected)), skills.instantiate(skill.skillId), given)
        }
    }

    @Test
    fun values_without_a_json_form_are_refused() = atHome {
        val skills = open()
        skills.learn(alarm("monday", "7:00"))
        val id = skills.learned(alarm("tuesday", "8:30")).skillId
        val name = skills.skill(id)!!.parameters.single().name
        val recording = skills.recorder.begin("Order a pizza", taskId = "recorded")
        val broken = listOf(
            Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, Float.NaN, Float.NEGATIVE_INFINITY,
            BigDecimal("1e400"), BigInteger.valueOf(2).pow(70), Any(), "a" to "b", Status.FAILED, sequenceOf(1),
            StringBuilder("text"), byteArrayOf(1), charArrayOf('a'), File("a"), Date(), Thread.currentThread(), { 1 },
            mapOf(1 to "a"), mapOf(null to "a"), mapOf(Any() to 1), doubleArrayOf(Double.NaN), floatArrayOf(Float.NaN), 5u,
        )
        for (value in broken) {
            for (nested in listOf(value, listOf(1, value), mapOf("a" to mapOf("b" to value)), arrayOf(value))) {
                assertFailsWith<InvalidArgumentException>("$value") { recording.call("tap", mapOf("x" to nested)) }
                assertFailsWith<InvalidArgumentException>("$value") { skills.instantiate(id, mapOf(name to nested)) }
            }
        }
        assertEquals(emptyList(), skills.recorder.unfinished().single().calls)
    }

    @Test
    fun values_may_be_nested_but_not_without_end() = atHome {
        val skills = open()
        val recording = skills.recorder.begin("Order a pizza", taskId = "recorded")
        fun nested(levels: Int): Any = (1 until levels).fold(emptyList<Any>()) { inner, _ -> listOf(inner) }
        recording.call("tap", mapOf("x" to nested(60)))
        for (levels in listOf(61, 64, 65, 200)) {
            val error = assertFailsWith<SkillException>("$levels") { recording.call("tap", mapOf("x" to nested(levels))) }
            assertTrue(error is InvalidArgumentException || error is InvalidTimelineException, "$error")
        }
        assertEquals(1, skills.recorder.unfinished().single().calls.size)
    }

    @Test
    fun values_nested_ten_thousand_deep_or_in_themselves_are_refused() = atHome {
        val skills = open()
        val recording = skills.recorder.begin("Order a pizza", taskId = "recorded")
        val deep = (1..10_000).fold(emptyList<Any>()) { inner, _ -> listOf(inner) }
        val deepMap = (1..10_000).fold(emptyMap<String, Any>()) { inner, _ -> mapOf("a" to inner) }
        val ownElement = mutableListOf<Any>().apply { add(this) }
        val ownValue = mutableMapOf<String, Any>().apply { put("a", this) }
        val ownMember = JSONObject().apply { put("a", this) }
        val id = skills.learned(alarm("monday", "7:00")).skillId
        for (value in listOf(deep, deepMap, ownElement, ownValue, ownMember)) {
            assertFailsWith<InvalidArgumentException> { recording.call("tap", mapOf("x" to value)) }
            assertFailsWith<InvalidArgumentException> { skills.instantiate(id, mapOf("x" to value)) }
        }
    }

    @Test
    fun a_json_object_that_cannot_be_written_never_becomes_null() = atHome {
        val skills = open()
        val recording = skills.recorder.begin("Order a pizza", taskId = "recorded")
        // Which of these org.json lets be made, and which it then cannot write, depends on where it is from.
        val makers = listOf<() -> Any>(
            { JSONArray(listOf(Double.NaN)) },
            { JSONObject(mapOf("a" to Float.NEGATIVE_INFINITY)) },
            { JSONObject().put("a", mapOf(null to 1) as Any) },
        )
        for ((number, make) in makers.withIndex()) {
            val value = runCatching(make).getOrNull() ?: continue
            val failure = runCatching { recording.call("tap", mapOf("x" to value)) }.exceptionOrNull()
            if (failure != null) {
                assertIs<InvalidArgumentException>(failure)
            } else {
                val arguments = skills.recorder.unfinished().single().calls.last().arguments
                assertNotEquals("{\"x\":null}", arguments, "value $number")
            }
        }
    }

    @Test
    fun recorded_timelines_are_read_with_the_place_of_their_fault() = atHome {
        val skills = open()
        val good = """{"task_id":"monday","goal":"Écrire 😀","status":"succeeded","calls":[{"tool":"tap","args":{"text":"OK"}}]}"""
        val read = skills.parse("\n$good\n\n[]\n$good".replace("[]\n", ""))
        assertEquals(2, read.size)
        assertEquals(task("monday", "Écrire 😀", null, on("tap", "OK")), read[0])
        assertIs<Created>(skills.learn(read[0]).decision)
        val error = assertFailsWith<InvalidTimelineException> { skills.parse(good + "\n" + good.replace("\"tap\"", "7")) }
        assertEquals(2uL to "calls[0].tool", error.line to error.field)
        for (text in listOf("", "zanzibar", "[".repeat(100_000), "{\"goal\":\"zanzibar\"}", "\u0000")) {
            val failure = runCatching { skills.parse(text) }.exceptionOrNull()
            if (failure != null) assertTrue("zanzibar" !in assertIs<InvalidTimelineException>(failure).message)
        }
    }
}
