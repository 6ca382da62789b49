// From a skill and values to concrete calls.

package dev.adroit

import java.math.BigDecimal
import java.util.concurrent.atomic.AtomicInteger
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertFailsWith
import org.json.JSONArray
import org.json.JSONObject

class InstantiateTest {
    /** A skill whose parameters are a text, a number, a boolean, an array and an object. */
    private suspend fun Home.options(): Pair<Skills, Skill> {
        val skills = open()
        fun options(title: String, arguments: String) =
            task(title, "Set the options to \"$title\"", "com.options", made("set_options", arguments))
                .copy(goalFamily = "options")
        val one = """{"filter":{"a":1},"kinds":["x"],"level":1,"loud":true,"title":"one"}"""
        val two = """{"filter":"none","kinds":["x","y"],"level":2.5,"loud":false,"title":"two"}"""
        skills.learn(options("one", one))
        return skills to skills.learned(options("two", two))
    }

    private val all = mapOf("filter" to 1, "kinds" to listOf("z"), "level" to 3, "loud" to true, "title" to "three")

    @Test
    fun values_of_every_type_take_their_places() = atHome {
        val (skills, skill) = options()
        val types = skill.parameters.associate { it.name to it.valueType }
        assertEquals(
            mapOf(
                "filter" to ValueType.ANY, "kinds" to ValueType.ARRAY, "level" to ValueType.NUMBER,
                "loud" to ValueType.BOOLEAN, "title" to ValueType.STRING,
            ),
            types,
        )
        suspend fun made(vararg values: Pair<String, Any?>) =
            skills.instantiate(skill.skillId, all + values).single().arguments
        assertEquals("""{"filter":1,"kinds":["z"],"level":3,"loud":true,"title":"three"}""", made())
        val forms = listOf(
            Triple("title", "{level}", "\"{level}\""),
            Triple("title", 'x', "\"x\""),
            Triple("title", "", "\"\""),
            Triple("level", 3L, "3"),
            Triple("level", -0.5, "-0.5"),
            Triple("level", 2.toByte(), "2"),
            Triple("level", 1.5f, "1.5"),
            Triple("level", Long.MIN_VALUE, "-9223372036854775808"),
            Triple("level", BigDecimal("12.25"), "12.25"),
            Triple("level", AtomicInteger(4), "4"),
            Triple("loud", false, "false"),
            Triple("kinds", emptyList<Any>(), "[]"),
            Triple("kinds", listOf(1, null, listOf("a", 'b'), mapOf("c" to 2.5)), "[1,null,[\"a\",\"b\"],{\"c\":2.5}]"),
            Triple("kinds", arrayOf<Any>("a", 1), "[\"a\",1]"),
            Triple("kinds", setOf(1, 2), "[1,2]"),
            Triple("kinds", intArrayOf(1, 2), "[1,2]"),
            Triple("kinds", longArrayOf(3), "[3]"),
            Triple("kinds", doubleArrayOf(0.5), "[0.5]"),
            Triple("kinds", floatArrayOf(0.5f), "[0.5]"),
            Triple("kinds", booleanArrayOf(true), "[true]"),
            Triple("kinds", JSONArray("[1,\"a\"]"), "[1,\"a\"]"),
            Triple("filter", null, "null"),
            Triple("filter", JSONObject.NULL, "null"),
            Triple("filter", "text", "\"text\""),
            Triple("filter", mapOf("b" to true, "a" to listOf(null)), "{\"a\":[null],\"b\":true}"),
            Triple("filter", JSONObject("{\"a\":{\"b\":1}}"), "{\"a\":{\"b\":1}}"),
            Triple("filter", emptyMap<String, Any>(), "{}"),
        )
        for ((name, value, json) in forms) {
            val expected = (all.mapValues { (_, value) -> json("", value) } + (name to json)).entries
                .joinToString(",", "{", "}") { (key, text) -> "\"$key\":$text" }
            assertEquals(expected, made(name to value), "$name = $value")
        }
    }

    @Test
    fun what_has_no_default_is_asked_for() = atHome {
        val (skills, skill) = options()
        for (name in all.keys) {
            val error = assertFailsWith<MissingParameterException>(name) { skills.instantiate(skill.skillId, all - name) }
            assertEquals(name, error.name)
        }
        assertFailsWith<MissingParameterException> { skills.instantiate(skill.skillId) }
    }

    @Test
    fun what_the_skill_does_not_have_is_refused_with_what_it_has() = atHome {
        val (skills, skill) = options()
        for (name in listOf("room", "Title", "", "title ", "secret:title", "{title}", "\u0000", "💡")) {
            val values = all + (name to 1)
            val error = assertFailsWith<UnknownParameterException>(name) { skills.instantiate(skill.skillId, values) }
            assertEquals(name, error.name)
            assertEquals(skill.parameters.joinToString(", ") { it.name }, error.known)
        }
        val unknown = assertFailsWith<UnknownSkillException> { skills.instantiate("nobody", all) }
        assertEquals("nobody", unknown.skill)
    }

    @Test
    fun a_value_of_another_type_is_refused_with_both_types() = atHome {
        val (skills, skill) = options()
        val values = mapOf(
            "string" to "text", "number" to 1, "boolean" to true, "array" to listOf(1), "object" to mapOf("a" to 1),
            "null" to null,
        )
        val types = mapOf("title" to "string", "level" to "number", "loud" to "boolean", "kinds" to "array")
        for ((name, expected) in types) {
            for ((found, value) in values - expected) {
                val error = assertFailsWith<WrongTypeException>("$name = $value") {
                    skills.instantiate(skill.skillId, all + (name to value))
                }
                assertEquals(Triple(name, expected, found), Triple(error.name, error.expected, error.found))
            }
        }
    }

    @Test
    fun a_position_has_a_default() = atHome {
        val skills = open()
        fun board(taskId: String, text: String, x: Int) = task(
            taskId, "Write \"$text\" on the board", "com.board", made("tap", """{"x":$x,"y":40}"""), on("input_text", text),
        )
        skills.learn(board("monday", "hello", 10))
        val skill = skills.learned(board("tuesday", "goodbye", 1_000))

        val (required, optional) = skill.parameters.partition { it.required }
        assertEquals("1000", optional.single().default)
        suspend fun tapped(vararg values: Pair<String, Any>) =
            skills.instantiate(skill.skillId, mapOf(required.single().name to "again", *values))[0].arguments
        assertEquals("""{"x":1000,"y":40}""", tapped())
        assertEquals("""{"x":7,"y":40}""", tapped(optional.single().name to 7))
    }

    @Test
    fun a_secret_is_given_by_its_name() = atHome {
        val skills = open()
        val skill = skills.learned(
            task(
                "monday", "Sign in as ann", "com.bank",
                on("input_text", "ann"),
                made("input_text", """{"hint":"Password","text":"hush-hush"}"""),
                on("tap", "Sign in"),
            ),
        )
        val name = skill.secrets.single()
        assertEquals(emptyList(), skill.parameters)
        assertEquals(name, assertFailsWith<NeedsSecretException> { skills.instantiate(skill.skillId) }.name)
        val calls = skills.instantiate(skill.skillId, mapOf(name to "{other} \"one\""))
        assertEquals("""{"hint":"Password","text":"{other} \"one\""}""", calls[1].arguments)
        val more = mapOf(name to "a", "b" to "c")
        assertEquals(name, assertFailsWith<UnknownParameterException> { skills.instantiate(skill.skillId, more) }.known)
    }

    @Test
    fun every_version_can_be_instantiated() = atHome {
        val skills = open()
        val first = alarm("monday", "7:00")
        val second = alarmWithLabel("tuesday", "8:00")
        val older = skills.learned(first)
        val newer = skills.learned(second)

        fun calls(task: Timeline) = task.calls.map { Call(it.tool, it.arguments) }
        assertEquals(calls(first), skills.instantiate(older.skillId))
        assertEquals(calls(second), skills.instantiate(newer.skillId))
    }
}
