// Tasks that are recorded while they run.

package dev.adroit

import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertFailsWith
import kotlin.test.assertIs
import kotlin.test.assertNotEquals
import kotlin.test.assertTrue
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.withContext
import org.json.JSONArray
import org.json.JSONObject

class RecorderTest {
    /** Begins a task and records its calls, without ending it. */
    private suspend fun Skills.record(task: Timeline): Recording {
        val recording = recorder.begin(task.goal, task.app, task.taskId, task.skillId, task.goalFamily, task.screen)
        task.calls.forEach { recording.call(it) }
        return recording
    }

    private val password = "Tr0ub4dor{&}3-xyzzy"

    private fun signIn(taskId: String) = task(
        taskId, "Sign in as ann, please", "com.bank",
        made("launch_app", """{"package":"com.bank"}"""),
        made("input_text", """{"hint":"User","text":"ann"}"""),
        on("input_text", password).copy(target = Target(resourceId = "com.bank:id/password")),
        on("tap", "Continue").copy(target = Target(text = "Typed: $password"), error = null),
        made("input_text", """{"hint":"Once more","text":"$password"}"""),
        made("input_text", """{"hint":"Memo","text":"my password is $password!"}"""),
        on("tap", "Sign in"),
    )

    @Test
    fun a_recorded_task_is_learned_like_its_timeline() = atHome {
        for (recorded in listOf(alarm("monday", "7:00"), note("tuesday", "milk"), signIn("wednesday"))) {
            val skills = open()
            val outcome = skills.record(recorded).finish()
            val reader = Skills.open(java.io.File(folder, "${recorded.taskId}.db")) {
                authoring = true
                embeddings = Embeddings.Off
            }
            val expected = reader.learn(recorded)
            assertEquals(expected.decision, outcome.decision)
            assertEquals(expected.parameters, outcome.parameters)
            assertEquals(recorded.taskId, outcome.taskId)
            fun Skill.content() = listOf(name, description, goal, goalFamily, app, steps, parameters, secrets)
            assertEquals(reader.stored(expected).content(), skills.stored(outcome).content())
            assertEquals(emptyList(), skills.recorder.unfinished())
            reader.closeAndJoin()
        }
    }

    @Test
    fun all_that_is_said_of_a_task_and_its_calls_is_kept() = atHome {
        val skills = open()
        val target = Target("com.app:id/send", "Send", "Sends it", "android.widget.Button", "[1,[2,3]]")
        val recording = skills.recorder.begin(
            "Send it",
            app = "com.app",
            taskId = "task",
            skillId = "some skill",
            goalFamily = "sending",
            screen = Screen(1080u, 2400u),
        )
        assertEquals("task", recording.taskId)
        val before = System.currentTimeMillis()
        recording.call("tap", mapOf("x" to 1), ok = false, error = "not there", readOnly = false, target = target)
        val after = System.currentTimeMillis()
        val plain = ToolCall("look", "null", readOnly = true, startedAtMs = -5)
        recording.call(plain)

        val task = skills.recorder.unfinished().single()
        val screen = Screen(1080u, 2400u)
        val kept = Timeline("task", "Send it", Status.RUNNING, "com.app", "sending", "some skill", screen, task.calls)
        assertEquals(kept, task)
        val first = task.calls[0]
        assertTrue(first.startedAtMs!! in before..after)
        val failed = ToolCall("tap", """{"x":1}""", ok = false, error = "not there", readOnly = false, target = target)
        assertEquals(failed.copy(startedAtMs = first.startedAtMs), first)
        assertEquals(plain, task.calls[1])
    }

    @Test
    fun arguments_of_every_kind_are_recorded() = atHome {
        val skills = open()
        val recording = skills.recorder.begin("Do it all", taskId = "task")
        recording.call("none")
        recording.call(
            "all",
            mapOf(
                "array" to arrayOf<Any?>("a", null),
                "bool" to true,
                "byte" to 1.toByte(),
                "char" to 'c',
                "double" to 2.5,
                "float" to -0.5f,
                "int" to Int.MIN_VALUE,
                "json" to JSONObject().put("k", JSONArray().put(1)),
                "list" to listOf(1, listOf(2), emptyList<Any>()),
                "long" to Long.MAX_VALUE,
                "map" to mapOf("b" to 1, "a" to mapOf<String, Any>()),
                "null" to null,
                "set" to setOf("x"),
                "short" to 7.toShort(),
                "text" to "\"quoted\" \\ 😀",
                "whole" to 3.0,
            ),
        )
        val calls = skills.recorder.unfinished().single().calls
        assertEquals("{}", calls[0].arguments)
        assertEquals(
            """{"array":["a",null],"bool":true,"byte":1,"char":"c","double":2.5,"float":-0.5,"int":-2147483648,""" +
                """"json":{"k":[1]},"list":[1,[2],[]],"long":9223372036854775807,"map":{"a":{},"b":1},"null":null,""" +
                """"set":["x"],"short":7,"text":"\"quoted\" \\ 😀","whole":3}""",
            calls[1].arguments,
        )
    }

    @Test
    fun with_authoring_off_nothing_is_kept() = atHome {
        val skills = open { authoring = false }
        val recording = skills.record(alarm("monday", "7:00"))
        assertEquals(emptyList(), skills.recorder.unfinished())
        assertEquals(Skipped(AuthoringDisabled), recording.finish().decision)
        assertEquals(false, recording.discard())
        assertEquals(false, skills.recorder.discard("monday"))
        assertEquals(emptyList(), folder.list()!!.toList())
    }

    @Test
    fun a_recording_survives_its_process_and_goes_on() = atHome {
        for (recorded in listOf(alarm("monday", "7:00"), signIn("tuesday"))) {
            // A process that dies closes nothing and finishes nothing.
            val dead = open()
            val cut = recorded.copy(calls = recorded.calls.dropLast(1))
            dead.record(cut)

            val skills = open()
            val running = skills.recorder.unfinished().single()
            assertEquals(Status.RUNNING, running.status)
            assertEquals(cut.calls.map { it.tool }, running.calls.map { it.tool })
            assertEquals(recorded.goal, running.goal)
            val recording = skills.recorder.resume(recorded.taskId)
            recording.call(recorded.calls.last())
            val outcome = recording.finish()

            assertIs<Created>(outcome.decision)
            val skill = skills.stored(outcome)
            assertEquals(recorded.calls.map { it.tool }, skill.tools)
            assertEquals(if (recorded.taskId == "tuesday") 1 else 0, skill.secrets.size)
            assertEquals(emptyList(), skills.recorder.unfinished())
            // What died is told, should it still be there.
            assertEquals("task_id", refusedFor { dead.recorder.resume(recorded.taskId).call(on("tap", "OK")) })
        }
    }

    @Test
    fun the_recordings_that_are_unfinished_are_listed_oldest_first() = atHome {
        val skills = open()
        val ids = listOf("b", "a", "😀", "c")
        ids.forEach { skills.recorder.begin("Do $it", taskId = it) }
        val random = skills.recorder.begin("Do something").taskId
        assertEquals(ids + random, skills.recorder.unfinished().map { it.taskId })
        assertNotEquals(random, skills.recorder.begin("Do something").taskId)
        assertEquals(true, skills.recorder.discard("a"))
        assertEquals(false, skills.recorder.discard("a"))
        skills.recorder.resume("b").finish(Status.FAILED)
        assertEquals(listOf("😀", "c", random), skills.recorder.unfinished().map { it.taskId }.take(3))
    }

    @Test
    fun an_id_is_taken_once_and_calls_need_a_beginning() = atHome {
        val skills = open()
        val other = open()
        val nobody = skills.recorder.resume("task")
        assertEquals("task_id", refusedFor { nobody.call("tap") })
        assertEquals("task_id", refusedFor { nobody.finish() })
        assertEquals("task_id", refusedFor { nobody.finish(Status.FAILED) })
        assertEquals(false, nobody.discard())
        val recording = skills.record(alarm("task", "7:00"))
        for (again in listOf(skills, other)) {
            assertEquals("task_id", refusedFor { again.recorder.begin("goal", taskId = "task") })
        }
        assertEquals(4, other.recorder.unfinished().single().calls.size, "what was recorded is as it was")
        assertIs<Created>(recording.finish().decision)
        assertFailsWith<InvalidArgumentException> { recording.call("tap") }
        assertFailsWith<InvalidArgumentException> { recording.finish() }
        // The id is free, but its task was learned.
        assertEquals(Skipped(AlreadyLearned(Created)), skills.record(alarm("task", "7:00")).finish().decision)
        assertEquals(emptyList(), skills.recorder.unfinished())
    }

    @Test
    fun a_password_is_in_no_file_while_it_is_recorded_nor_after() = atHome {
        val skills = open()
        val recorded = signIn("monday")
        val recording = skills.record(recorded.copy(calls = emptyList()))
        for (call in recorded.calls) {
            recording.call(call)
            assertEquals(emptySet(), filesWith("xyzzy"), call.tool)
        }
        assertNotEquals(emptySet(), filesWith("com.bank"), "the rest is recorded")
        assertTrue("xyzzy" !in skills.recorder.unfinished().toString())
        val outcome = recording.finish()
        assertEquals(emptySet(), filesWith("xyzzy"))
        val skill = skills.stored(outcome)
        assertTrue("xyzzy" !in "$skill ${skills.executions(skill.skillId)}")
        skills.closeAndJoin()
        assertEquals(emptySet(), filesWith("xyzzy"))
    }

    @Test
    fun what_is_marked_sensitive_is_in_no_file() = atHome {
        val skills = open()
        val recording = skills.recorder.begin("Open the vault", taskId = "monday")
        val secrets = listOf("frobozz-1", "frobozz-2", "frobozz-3", "73911337", "frobozz-5")
        recording.call("input_text", mapOf("text" to secrets[0]), sensitive = true)
        recording.call("turn_dial", mapOf("by" to listOf(secrets[1], mapOf("and" to secrets[2]))), sensitive = true)
        recording.call("input_text", mapOf("text" to secrets[3].toInt()), sensitive = true)
        recording.call(on("input_text", secrets[4]).copy(sensitive = true, ok = false, error = "no ${secrets[4]}"))
        recording.call("tap", mapOf("text" to "Open"))
        for (secret in secrets) assertEquals(emptySet(), filesWith(secret), secret)
        val skill = skills.stored(recording.finish())
        for (secret in secrets) assertEquals(emptySet(), filesWith(secret), secret)
        assertEquals(4, skill.secrets.size)
        assertFailsWith<NeedsSecretException> { skills.instantiate(skill.skillId) }
    }

    @Test
    fun a_secret_that_was_given_away_before_is_gone_when_the_task_ends() = atHome {
        val skills = open()
        val recording = skills.recorder.begin("Use zanzibar-plugh for the vault", taskId = "monday")
        recording.call("input_text", mapOf("text" to "zanzibar-plugh", "hint" to "Memo"))
        recording.call("input_text", mapOf("text" to "zanzibar-plugh", "hint" to "Password"))
        assertTrue("plugh" !in skills.recorder.unfinished().toString(), "known by now, it is shown nowhere")
        recording.finish()
        assertEquals(emptySet(), filesWith("plugh"))
    }

    @Test
    fun a_task_that_did_not_succeed_teaches_nothing_and_leaves_nothing() = atHome {
        val skills = open()
        for (status in listOf(Status.FAILED, Status.CANCELLED)) {
            val outcome = skills.record(note("frobozz $status", "frobozz-magic")).finish(status)
            assertEquals(Skipped(NotSucceeded(status)), outcome.decision)
            assertEquals(emptyList(), skills.recorder.unfinished())
            assertEquals(emptySet(), filesWith("frobozz"))
        }
        assertEquals(0, skills.count())
    }

    @Test
    fun a_discarded_recording_is_in_no_file() = atHome {
        val skills = open()
        val recording = skills.record(note("monday", "frobozz-magic"))
        assertNotEquals(emptySet(), filesWith("frobozz"))
        assertEquals(true, recording.discard())
        assertEquals(false, recording.discard())
        assertEquals(emptySet(), filesWith("frobozz"))
        assertFailsWith<InvalidArgumentException> { recording.finish() }
    }

    @Test
    fun calls_of_several_coroutines_are_all_kept() = atHome {
        val skills = open()
        val recording = skills.recorder.begin("Press every key", taskId = "task")
        withContext(Dispatchers.Default) {
            List(4) { from ->
                async { repeat(10) { recording.call("press", mapOf("key" to "$from-$it")) } }
            }.awaitAll()
        }
        val calls = skills.recorder.unfinished().single().calls
        val keys = calls.map { JSONObject(it.arguments).getString("key") }
        assertEquals(40, keys.distinct().size)
        // Those of one coroutine are in its order.
        for ((_, own) in keys.groupBy { it.substringBefore('-') }) {
            assertEquals((0..9).toList(), own.map { it.substringAfter('-').toInt() })
        }
        assertEquals(40, skills.stored(recording.finish()).steps.size)
    }

    @Test
    fun recordings_at_once_do_not_meet() = atHome {
        val skills = open()
        withContext(Dispatchers.Default) {
            List(6) { number ->
                async {
                    val recording = skills.record(unlike("task $number", number))
                    recording.call("tap", mapOf("text" to "Done $number"))
                    assertIs<Created>(recording.finish().decision)
                }
            }.awaitAll()
        }
        for (skill in skills.list()) {
            val number = skill.goal.substringAfterLast(' ')
            val texts = skill.steps.map { JSONObject(it.arguments).getString("text") }
            assertEquals(listOf("Thing $number", "Done $number"), texts)
        }
        assertEquals(6, skills.count())
    }

    @Test
    fun a_call_past_the_limits_is_refused_and_the_recording_goes_on() = atHome {
        val skills = open()
        val recording = skills.record(alarm("task", "7:00"))
        val large = "x".repeat(5 * 1024 * 1024)
        recording.call(on("input_text", large))
        assertFailsWith<InvalidTimelineException> { recording.call(on("input_text", large)) }
        recording.call(on("tap", "Done"))
        assertEquals(6, skills.recorder.unfinished().single().calls.size)
        assertEquals(6, skills.stored(recording.finish()).steps.size)
    }

    @Test
    fun a_task_that_was_learned_just_before_the_end_is_not_learned_twice() = atHome {
        val blocking = Blocking()
        val skills = open(blocking.words)
        val recording = skills.record(alarm("task", "7:00"))
        val finishing = async { runCatching { recording.finish() } }
        blocking.reached.await()
        // The task is stored and its recording not yet deleted.
        skills.close()
        blocking.letGo()
        finishing.await().exceptionOrNull()?.let { assertIs<SkillsClosedException>(it) }
        skills.closeAndJoin()
        val again = open()
        for (left in again.recorder.unfinished()) {
            assertEquals(Skipped(AlreadyLearned(Created)), again.recorder.resume(left.taskId).finish().decision)
        }
        assertEquals(emptyList(), again.recorder.unfinished())
        assertEquals(listOf("task"), again.executions(again.list().single().skillId).map { it.taskId })
    }

    @Test
    fun a_failed_end_leaves_the_recording() = atHome {
        val skills = open()
        val recording = skills.record(alarm("task", "7:00"))
        // Nobody can learn into a file that cannot be written.
        skills.closeAndJoin()
        assertFailsWith<SkillsClosedException> { recording.finish() }
        val again = open()
        assertEquals(4, again.recorder.unfinished().single().calls.size)
        assertIs<Created>(again.recorder.resume("task").finish().decision)
    }
}
