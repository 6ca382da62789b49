// Texts of every kind: what is text comes back as it was, what is none is refused.

package dev.adroit

import java.io.File
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertFailsWith
import kotlin.test.assertNull
import kotlin.test.assertTrue
import org.json.JSONObject

class TextTest {
    private val texts = listOf(
        "plain", "", " ", "{", "}", "{}", "{{}}", "{text}", "{{text}}", "}{", "{{{a}}}", "{secret:secret}",
        "\$HOME \${HOME} \$1 \\1", "%s %d %%", "+@ a+b@c.de", "\\n is no newline", "line ends with backslash\\",
        "one\ntwo\r\nthree\u2028four\ttab\u000B\u000C\b", "\"quoted\" 'single' `tick`", "</script> <\\/", "\\u0041",
        "👩‍👩‍👧‍👦 🇫🇷 🏳️‍🌈 ❤️ 🫨", "e\u0301 is not é", "Å Å Å", "‏שלום‏ مرحبا \u202Eabc\u202C", "İı ẞß",
        "a\u00A0b\u202Fc\u3000d", "\u200B\uFEFFzero\u200Dwidth", "NUL\u0000inside", "\u0000", "\u0001\u001F\u007F\u0085",
        "\uDBFF\uDFFF\uE000\uFFFE\uFFFF", "ﬁ ﬂ ½ Ⅳ ｆｕｌｌ", "𝒜𝓁𝓁 𐎀 𒀀 𠀀", "ภาษาไทย தமிழ் বাংলা አማርኛ ქართული",
        "漢字かなカナ한글", "Ελληνικά кириллица हिन्दी", "null", "true", "12", "1e5", "[1]", "{\"a\":1}",
    )

    private val halves = listOf("\uD83D", "\uDE00", "a\uD83Db", "\uDE00\uD83D", "whole 😀, half \uD83D", "\uD83D\uD83D\uDE00")

    private fun textOf(arguments: String): String = JSONObject(arguments).getString("text")

    @Test
    fun typed_texts_come_back_as_they_were() = atHome {
        val skills = open()
        for ((number, text) in texts.withIndex()) {
            // As the literal of a skill of its own, and as one value of many.
            val alone = skills.learned(note("alone $number", text).copy(goalFamily = "alone $number"))
            assertEquals(text, textOf(skills.instantiate(alone.skillId)[1].arguments))

            val skill = skills.learned(note("together $number", text).copy(goalFamily = "together"))
            if (number == 0) continue
            val parameter = skill.parameters.single()
            assertEquals(text, JSONObject("{\"text\":${parameter.seen.last()}}").getString("text"))
            val calls = skills.instantiate(skill.skillId, mapOf(parameter.name to text))
            assertEquals(text, textOf(calls[1].arguments))
            assertEquals(listOf(text).filter { it.isNotEmpty() }, skills.executions(alone.skillId).single().typed)
        }
    }

    @Test
    fun recorded_texts_come_back_as_they_were() = atHome {
        val skills = open()
        val recording = skills.recorder.begin("Write down all of it", taskId = "texts")
        for (text in texts) recording.call("input_text", mapOf("text" to text))
        assertEquals(texts, skills.recorder.unfinished().single().calls.map { textOf(it.arguments) })
        val outcome = recording.finish()
        assertEquals(texts, skills.instantiate(outcome.skill!!.skillId).map { textOf(it.arguments) })
    }

    @Test
    fun keys_and_tools_come_back_as_they_were() = atHome {
        val skills = open()
        val keys = texts.distinct()
        val recording = skills.recorder.begin("Press all the keys")
        recording.call("🔧 tool {of} \"mine\"", keys.associateWith { it.length })
        val calls = skills.instantiate(recording.finish().skill!!.skillId)
        assertEquals("🔧 tool {of} \"mine\"", calls.single().tool)
        val arguments = JSONObject(calls.single().arguments)
        assertEquals(keys.toSet(), arguments.keys().asSequence().toSet())
        keys.forEach { assertEquals(it.length, arguments.getInt(it)) }
    }

    @Test
    fun goals_of_every_script_get_names_that_find_them() = atHome {
        val skills = open()
        val goals = listOf(
            "设置早上七点的闹钟", "朝七時に起こして", "아침 알람을 삭제해줘", "सुबह का अलार्म हटाओ", "ضبط المنبه على السابعة",
            "הגדר שעון מעורר לשבע", "Поставь будильник на семь", "Đặt báo thức lúc bảy giờ", "ตั้งนาฬิกาปลุกเจ็ดโมง",
            "Ξύπνα με στις επτά", "Réveille-moi à sept heures", "Stell den Wecker auf sieben Uhr", "⏰", "🙂🙃 🙂", "!?", "7",
            "\u202Eesrever", "a\u0000b", "{goal}", "\uDBFF\uDFFF",
        )
        val learned = goals.mapIndexed { number, goal ->
            skills.learned(task("task $number", goal, "app $number", on("tap", "OK")))
        }
        assertEquals(goals, learned.map { it.goal })
        assertEquals(goals.size, learned.map { it.name }.distinct().size)
        for (skill in learned) {
            assertTrue(skill.name.isNotEmpty() && ' ' !in skill.name, skill.name)
            assertEquals(skill, skills.skillByName(skill.name))
            assertEquals(skill, skills.skillByGoalFamily(skill.goalFamily, skill.app))
        }
        assertEquals(learned.map { it.name }.toSet(), skills.list().map { it.name }.toSet())
    }

    @Test
    fun half_a_surrogate_pair_is_refused_wherever_it_stands() = atHome {
        val skills = open(Words())
        val id = skills.learned(alarm("monday", "7:00")).skillId
        val recording = skills.recorder.begin("Order a pizza", taskId = "recorded")
        val good = alarm("tuesday", "8:00")
        val call = on("tap", "OK")
        for (half in halves) {
            val targets = listOf(
                Target(resourceId = half), Target(text = half), Target(contentDesc = half), Target(`class` = half),
                Target(bounds = "\"$half\""),
            )
            val broken = targets.map { call.copy(target = it) } +
                listOf(call.copy(tool = half), call.copy(arguments = "{\"text\":\"$half\"}"), call.copy(error = half))
            val timelines = broken.map { good.copy(calls = good.calls + it) } + listOf(
                good.copy(taskId = half), good.copy(goal = half), good.copy(app = half), good.copy(goalFamily = half),
                good.copy(skillId = half),
            )
            val calls: List<suspend () -> Any?> = timelines.map { suspend { skills.learn(it) } } +
                broken.map { suspend { recording.call(it) } } + listOf<suspend () -> Any?>(
                    { skills.parse("[\"$half\"]") },
                    { skills.rank(half) },
                    { skills.skill(half) },
                    { skills.skillByName(half) },
                    { skills.skillByGoalFamily(half) },
                    { skills.skillByGoalFamily("family", half) },
                    { skills.history(half) },
                    { skills.list(after = half) },
                    { skills.executions(half) },
                    { skills.instantiate(half) },
                    { skills.instantiate(id, mapOf(half to 1)) },
                    { skills.instantiate(id, mapOf("hour" to half)) },
                    { skills.instantiate(id, mapOf("hour" to listOf(mapOf("a" to half)))) },
                    { skills.forget(half) },
                    { skills.recorder.begin(half) },
                    { skills.recorder.begin("goal", app = half) },
                    { skills.recorder.begin("goal", taskId = half) },
                    { skills.recorder.begin("goal", skillId = half) },
                    { skills.recorder.begin("goal", goalFamily = half) },
                    { skills.recorder.discard(half) },
                    { recording.call(half) },
                    { recording.call("tap", mapOf("text" to half)) },
                    { recording.call("tap", mapOf(half to "text")) },
                    { recording.call("tap", mapOf("text" to half.first { it.isSurrogate() })) },
                    { recording.call("tap", error = half) },
                    { recording.call("tap", target = targets[0]) },
                )
            for ((number, refused) in calls.withIndex()) {
                val error = assertFailsWith<InvalidArgumentException>("call $number") { refused() }
                assertTrue(half !in error.message, error.message)
            }
        }
        assertEquals(1, skills.count())
        assertEquals(emptyList(), skills.recorder.unfinished().single().calls)
    }

    @Test
    fun no_recording_goes_on_under_half_a_surrogate_pair() = atHome {
        val skills = open()
        for (half in halves) {
            assertFailsWith<InvalidArgumentException> { skills.recorder.resume(half).discard() }
            assertFailsWith<InvalidArgumentException> { skills.recorder.resume(half).call("tap") }
            assertFailsWith<InvalidArgumentException> { skills.recorder.resume(half).finish() }
        }
    }

    @Test
    fun half_a_surrogate_pair_is_refused_in_settings_too() = atHome {
        for (half in halves) {
            val broken = listOf<SkillsBuilder.() -> Unit>(
                { database = File(folder, half) },
                { catalog = File(folder, half) },
                { embeddings = Embeddings.ModelFile(File(folder, half)) },
                { toolOverrides = mapOf(half to true) },
            )
            for (configure in broken) {
                assertFailsWith<InvalidArgumentException> { open(configure = configure).count() }
            }
        }
        assertEquals(emptyMap(), files())
    }

    @Test
    fun texts_over_the_limit_are_refused() = atHome {
        val skills = open(Words())
        val long = "x".repeat(8 * 1024 * 1024 + 1)
        val half = long.take(long.length / 2 + 1)
        val recording = skills.recorder.begin("Order a pizza", taskId = "recorded")
        val refused = listOf<suspend () -> Any?>(
            { skills.learn(alarm("monday", long)) },
            { skills.learn(note("monday", half).copy(goal = half)) },
            { skills.parse(long) },
            { skills.rank(long) },
            { skills.skill(long) },
            { skills.skillByGoalFamily(half, half) },
            { skills.list(after = long) },
            { skills.instantiate("id", mapOf("a" to half, "b" to half)) },
            { skills.instantiate("id", mapOf(long to 1)) },
            { recording.call("input_text", mapOf("text" to long)) },
            { recording.call(on("tap", "OK").copy(error = long)) },
        )
        for ((number, call) in refused.withIndex()) {
            val error = assertFailsWith<InvalidArgumentException>("call $number") { call() }
            assertTrue(error.message.length < 1_000)
        }
        assertEquals(0, skills.count())
    }

    @Test
    fun texts_just_below_the_limit_are_taken_or_refused_by_name() = atHome {
        val skills = open()
        val most = 8 * 1024 * 1024
        assertNull(skills.skillByName("x".repeat(most)))
        assertNull(skills.skillByName("€".repeat(most)))
        assertEquals(emptyList(), skills.history("😀".repeat(most / 2)))
        assertFailsWith<UnknownSkillException> { skills.instantiate("x".repeat(most)) }
        // As a timeline it is larger than those may be.
        assertFailsWith<InvalidTimelineException> { skills.learn(note("monday", "x").copy(goal = "x".repeat(most - 100))) }
        assertFailsWith<InvalidTimelineException> { skills.parse("[\"" + "x".repeat(most - 4) + "\"]") }
        val many = alarm("monday", "7:00").copy(calls = List(10_001) { on("tap", "OK") })
        assertEquals("calls", assertFailsWith<InvalidTimelineException> { skills.learn(many) }.field)
        // A large text that fits is kept as it is.
        val large = "{€😀}".repeat(50_000)
        val skill = skills.learned(note("monday", large))
        assertEquals(large, textOf(skills.instantiate(skill.skillId)[1].arguments))
    }

    @Test
    fun texts_that_say_nothing_are_refused_or_found_empty() = atHome {
        val skills = open(Words())
        skills.learn(alarm("monday", "7:00"))
        for (blank in listOf("", " ", "\n\t", "\u3000\u2003")) {
            val good = alarm("tuesday", "8:00")
            for (task in listOf(good.copy(taskId = blank), good.copy(goal = blank), good.copy(goalFamily = blank))) {
                val error = assertFailsWith<InvalidTimelineException> { skills.learn(task) }
                assertTrue("blank" in error.reason)
            }
            assertFailsWith<InvalidTimelineException> { skills.recorder.begin(blank) }
            assertFailsWith<InvalidTimelineException> { skills.recorder.begin("goal", taskId = blank) }
            assertEquals(Ranking(emptyList(), false), skills.rank(blank))
            assertNull(skills.skill(blank))
            assertNull(skills.skillByName(blank))
        }
        assertEquals("task_id", assertFailsWith<InvalidTimelineException> { skills.learn(alarm("a\u0000b", "8:00")) }.field)
        assertNull(skills.skillByName("set_alarm\u0000"))
        assertEquals(1, skills.rank("Set an alarm\u0000").results.size)
    }
}
