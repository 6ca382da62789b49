// The scenarios of the specifications, in their order and under their names.

package dev.adroit

import java.io.File
import kotlin.test.Test
import kotlin.test.assertContentEquals
import kotlin.test.assertEquals
import kotlin.test.assertIs
import kotlin.test.assertNotEquals
import kotlin.test.assertNull
import kotlin.test.assertTrue

class ScenarioTest {
    // ------------------------------------------------------------------------------------ skill authoring

    @Test
    fun successful_task_triggers_synthesis() = atHome {
        val skills = open()

        val outcome = skills.learn(alarm("monday", "7:00"))

        assertIs<Created>(outcome.decision)
        val skill = skills.stored(outcome)
        assertEquals("Set an alarm for 7:00", skill.goal)
        assertEquals(CLOCK, skill.app)
        assertEquals(listOf("launch_app", "tap", "input_text", "tap"), skill.tools)
        assertEquals(listOf("monday"), skills.executions(skill.skillId).map { it.taskId })
    }

    @Test
    fun failed_task_does_not_trigger_synthesis() = atHome {
        val skills = open()
        for (status in listOf(Status.FAILED, Status.CANCELLED, Status.RUNNING)) {
            val outcome = skills.learn(alarm("monday", "7:00").copy(status = status))

            assertEquals(Skipped(NotSucceeded(status)), outcome.decision)
            assertNull(outcome.skill)
            assertEquals(0, skills.count())
        }
    }

    @Test
    fun default_configuration_performs_no_synthesis() = atHome {
        val touched = mutableListOf<String>()
        val provider = object : EmbeddingProvider {
            override val modelId get() = "untouchable".also { touched += "modelId" }
            override val dimension get() = 1.also { touched += "dimension" }
            override suspend fun embed(text: String) = Embedding(listOf(1f)).also { touched += "embed" }
        }
        Skills.open(database) { embeddings = Embeddings.Provider(provider) }.use { skills ->
            val outcome = skills.learn(alarm("monday", "7:00"))
            assertEquals(Skipped(AuthoringDisabled), outcome.decision)
            assertNull(outcome.skill)
        }
        assertEquals(emptyList(), touched)
        assertEquals(emptyList(), folder.list()!!.toList())
    }

    @Test
    fun explicit_enable_activates_synthesis() = atHome {
        open { authoring = false }.learn(alarm("monday", "7:00"))

        val enabled = open()
        val outcome = enabled.learn(alarm("tuesday", "7:00"))

        assertIs<Created>(outcome.decision)
        val tasks = enabled.executions(outcome.skill!!.skillId).map { it.taskId }
        assertEquals(listOf("tuesday"), tasks, "what came before was not learned")
    }

    @Test
    fun mutating_steps_are_included_in_order() = atHome {
        val calls = arrayOf(
            made("launch_app", """{"package":"com.android.deskclock"}"""),
            made("tap", """{"x":540,"y":2100}"""),
            made("input_text", """{"text":"7:00"}"""),
            made("tap", """{"x":900,"y":1500}"""),
        )

        val skill = open().learned(task("monday", "Set an alarm for 7:00", null, *calls))

        assertEquals(calls.map { Step(it.tool, it.arguments) }, skill.steps)
    }

    @Test
    fun read_only_observation_calls_are_excluded() = atHome {
        val skill = open().learned(
            task(
                "monday", "Set an alarm for 7:00", null,
                made("screenshot"),
                made("launch_app", """{"package":"com.android.deskclock"}"""),
                made("describe_screen"),
                on("tap", "Add alarm"),
                made("ui_tree", """{"depth":3}"""),
                made("swipe", """{"direction":"up"}"""),
                made("screenshot", """{"scale":0.5}"""),
            ),
        )

        assertEquals(listOf("launch_app", "tap", "swipe"), skill.tools)
    }

    @Test
    fun first_execution_of_a_flow_has_no_parameters() = atHome {
        val skills = open()
        skills.learn(music("monday"))

        val recorded = alarm("tuesday", "7:00")
        val outcome = skills.learn(recorded)

        assertIs<Created>(outcome.decision)
        assertEquals(emptyList(), outcome.parameters)
        val skill = skills.stored(outcome)
        assertEquals(emptyList(), skill.parameters)
        assertEquals(recorded.calls.map { it.arguments }, skill.steps.map { it.arguments })
    }

    @Test
    fun second_divergent_execution_promotes_a_differing_value_to_a_parameter() = atHome {
        val skills = open()
        val first = skills.learned(alarm("monday", "7:00"))

        val outcome = skills.learn(alarm("tuesday", "8:30"))

        val name = outcome.parameters.single()
        assertEquals(ParametersUpdated(added = listOf(name), changed = emptyList()), outcome.decision)
        val skill = skills.stored(outcome)
        assertEquals(first.skillId, skill.skillId)
        val parameter = skill.parameters.single()
        assertEquals(name, parameter.name)
        assertEquals(listOf("\"7:00\"", "\"8:30\""), parameter.seen)
        assertEquals("""{"text":"{$name}"}""", skill.steps[2].arguments)
        for (literal in listOf(0, 1, 3)) {
            assertEquals(first.steps[literal], skill.steps[literal])
        }
    }

    @Test
    fun identical_repeated_execution_does_not_spuriously_add_parameters() = atHome {
        val skills = open()
        val first = skills.learned(alarm("monday", "7:00"))

        val outcome = skills.learn(alarm("tuesday", "7:00"))

        assertIs<Unchanged>(outcome.decision)
        assertEquals(first, skills.stored(outcome))
        // Nor does it once there is a parameter.
        skills.learn(alarm("wednesday", "8:30"))
        val again = skills.learn(alarm("thursday", "7:00"))
        assertIs<Unchanged>(again.decision)
        assertEquals(1, again.parameters.size)
    }

    @Test
    fun synthesized_skill_is_tagged_as_locally_authored() = atHome {
        val skills = open()
        skills.learn(alarm("monday", "7:00"))
        val newest = skills.learned(alarmWithLabel("tuesday", "7:00"))

        val history = skills.history(newest.lineageId)

        assertEquals(2, history.size)
        for (skill in history) {
            assertEquals("local-synthesis", skill.source)
            assertNull(skill.subscription)
        }
    }

    @Test
    fun synced_skill_catalog_is_untouched_by_synthesis() = atHome {
        val synced = File(folder, "catalog.db")
        writeCatalog(synced, "synced-1" to "Set an alarm for 7:00", "synced-2" to "Play some jazz music")
        val before = synced.readBytes()
        val skills = open(Words()) { catalog = synced }

        skills.learn(alarm("monday", "7:00"))
        skills.learn(alarm("tuesday", "8:30"))
        skills.learn(alarmWithLabel("wednesday", "9:00"))
        skills.rank("Set an alarm", withCatalog = true)

        assertContentEquals(before, synced.readBytes())
        assertEquals(setOf("catalog.db", "adroit"), folder.list()!!.toSet(), "no journal stands beside it either")
    }

    // ----------------------------------------------------------------------------------- skill versioning

    @Test
    fun extra_step_triggers_a_new_version() = atHome {
        val skills = open()
        val first = skills.learned(alarm("monday", "7:00"))

        val outcome = skills.learn(alarmWithLabel("tuesday", "7:00"))

        val decision = assertIs<VersionAdded>(outcome.decision)
        assertEquals(first.skillId, decision.parentId)
        val change = decision.changes.single()
        assertEquals(Triple(ChangeKind.INSERTED, "tap", null), Triple(change.kind, change.tool, change.from))
        val history = skills.history(first.lineageId)
        assertEquals(listOf(first.skillId, outcome.skill!!.skillId), history.map { it.skillId })
        assertEquals(first, history[0], "the stored version is not overwritten")
    }

    @Test
    fun reordered_steps_trigger_a_new_version() = atHome {
        val skills = open()
        val first = skills.learned(alarm("monday", "7:00"))

        val outcome = skills.learn(alarmTypedFirst("tuesday", "7:00"))

        val decision = assertIs<VersionAdded>(outcome.decision)
        assertTrue(decision.changes.isNotEmpty() && decision.changes.all { it.kind == ChangeKind.MOVED }, "$decision")
        val second = skills.stored(outcome)
        assertEquals(2u, second.version)
        assertEquals(first.lineageId, second.lineageId)
        assertEquals(listOf("launch_app", "input_text", "tap", "tap"), second.tools)
    }

    @Test
    fun argument_value_only_differences_do_not_trigger_a_version_bump() = atHome {
        val skills = open()
        skills.learn(alarm("monday", "7:00"))
        val before = skills.learned(alarm("tuesday", "8:30"))

        val outcome = skills.learn(alarm("wednesday", "9:45"))

        val name = before.parameters.single().name
        assertEquals(ParametersUpdated(added = emptyList(), changed = listOf(name)), outcome.decision)
        val after = skills.stored(outcome)
        assertEquals(before.skillId, after.skillId)
        assertEquals(1u, after.version)
        assertEquals(listOf("\"7:00\"", "\"8:30\"", "\"9:45\""), after.parameters.single().seen)
        assertEquals(before.steps, after.steps)
        assertEquals(listOf(after), skills.history(after.lineageId))
    }

    @Test
    fun new_version_references_its_parent() = atHome {
        val skills = open()
        val first = skills.learned(alarm("monday", "7:00"))
        val second = skills.learned(alarmWithLabel("tuesday", "7:00"))
        val third = skills.learned(alarmTypedFirst("wednesday", "7:00"))

        assertEquals(listOf(1u, 2u, 3u), listOf(first, second, third).map { it.version })
        assertEquals(listOf(null, first.skillId, second.skillId), listOf(first, second, third).map { it.parentId })
    }

    @Test
    fun prior_version_remains_fetchable() = atHome {
        val skills = open()
        skills.learn(alarm("monday", "7:00"))
        val prior = skills.learned(alarm("tuesday", "8:30"))

        skills.learn(alarmWithLabel("wednesday", "9:00"))
        skills.learn(alarmWithLabel("thursday", "10:00"))

        assertEquals(prior, skills.skill(prior.skillId))
    }

    @Test
    fun lookup_by_name_returns_newest_version() = atHome {
        val skills = open()
        val first = skills.learned(alarm("monday", "7:00"))
        val newest = skills.learned(alarmWithLabel("tuesday", "7:00"))
        assertEquals(first.name, newest.name)

        assertEquals(newest, skills.skillByName(first.name))
        assertEquals(newest, skills.skillByGoalFamily(first.goalFamily))
        assertEquals(newest, skills.skillByGoalFamily(first.goalFamily, CLOCK))
    }

    @Test
    fun explicit_id_lookup_returns_the_requested_version() = atHome {
        val skills = open()
        val versions = listOf(
            skills.learned(alarm("monday", "7:00")),
            skills.learned(alarmWithLabel("tuesday", "7:00")),
            skills.learned(alarmTypedFirst("wednesday", "7:00")),
        )

        for (version in versions) {
            assertEquals(version, skills.skill(version.skillId))
        }
    }

    // --------------------------------------------------------------------------- embedding and retrieval

    @Test
    fun new_skill_gains_an_embedding() = atHome {
        val words = Words()
        val skills = open(words)

        val outcome = skills.learn(alarm("monday", "7:00"))

        assertEquals(EmbeddingState.STORED, outcome.embedding)
        val skill = skills.stored(outcome)
        val text = words.texts.single()
        for (part in listOf(skill.goal, skill.description, skill.name.replace('_', ' '))) {
            assertTrue(part in text, "$part is not in $text")
        }
        assertEquals(listOf(skill.skillId), skills.found(skill.goal))
        // It is stored beside the skill: others on the same file rank it, and embed the goal only.
        val again = Words()
        assertEquals(listOf(skill.skillId), open(again).found(skill.goal))
        assertEquals(listOf(skill.goal), again.texts.toList())
    }

    @Test
    fun new_version_gains_its_own_embedding() = atHome {
        val words = Words()
        val skills = open(words)
        val first = skills.learned(alarm("monday", "7:00"))

        val outcome = skills.learn(alarmWithLabel("tuesday", "8:30"))

        assertEquals(EmbeddingState.STORED, outcome.embedding)
        val second = skills.stored(outcome)
        assertTrue("Set an alarm for 8:30" in words.texts[1])
        val results = skills.rank(second.goal, wholeHistory = true).results
        assertEquals(listOf(second.skillId to 2u, first.skillId to 1u), results.map { it.skillId to it.version })
        assertTrue(results[0].score > results[1].score, "each version has a vector of its own")
    }

    @Test
    fun embedding_call_fails_but_skill_is_still_stored() = atHome {
        val failures = listOf(
            EmbeddingTimeoutException(10_000u), RateLimitedException(1_000u),
            EmbeddingDisabledException(), EmbeddingConnectionException("no route to host"),
        )
        val words = Words()
        val skills = open(words)
        val other = skills.learned(darkTheme("monday"))
        for ((number, failure) in failures.withIndex()) {
            words.first = { throw failure }
            val outcome = skills.learn(unlike("task $number", number))

            assertIs<Created>(outcome.decision)
            assertEquals(EmbeddingState.PENDING, outcome.embedding)
            val skill = skills.stored(outcome)
            assertEquals(listOf("tap"), skill.tools)
            assertEquals(skill, skills.skillByName(skill.name))
            words.first = {}
            assertTrue(skill.skillId !in skills.found(skill.goal, k = 10), "$failure")
            assertTrue(other.skillId in skills.found(skill.goal, k = 10), "$failure")

            // Vectors of another model are due at once; those that failed would wait.
            words.modelId += "'"
            assertEquals(EmbedReport(stored = number.toULong() + 2uL, failed = 0uL, remaining = 0uL), skills.embedPending())
            assertEquals(skill.skillId, skills.found(skill.goal).first())
        }
    }

    @Test
    fun similar_goal_returns_matching_skill_highest_ranked() = atHome {
        val skills = open(bundledModel)
        val learned = listOf(alarm("monday", "7:00"), pizza("tuesday"), darkTheme("wednesday"), music("thursday"))
            .map { skills.learned(it).skillId }
        val goals = listOf(
            "Please wake me up at half past six tomorrow",
            "I am hungry, get me something from the Italian place",
            "Make the screen colours black at night",
            "I want to listen to a song by Miles Davis",
        )
        for ((goal, matching) in goals.zip(learned)) {
            val results = skills.rank(goal, k = 10).results
            assertEquals(4, results.size)
            assertEquals(matching, results[0].skillId, "$goal: $results")
            assertEquals(listOf(1u, 2u, 3u, 4u), results.map { it.rank })
            assertEquals(results.sortedByDescending { it.score }, results)
            assertNotEquals(results[0].score, results[3].score)
        }
    }

    @Test
    fun requested_count_limits_results() = atHome {
        val skills = open(Words())
        for (recorded in listOf(alarm("monday", "7:00"), pizza("tuesday"), darkTheme("wednesday"), music("thursday"))) {
            skills.learn(recorded)
        }
        val all = skills.found("Set an alarm for 9:15", k = Int.MAX_VALUE)
        assertEquals(4, all.size)
        for (k in 0..4) {
            assertEquals(all.take(k), skills.found("Set an alarm for 9:15", k))
        }
    }

    @Test
    fun no_embedded_skills_yields_an_empty_result() = atHome {
        assertEquals(emptyList(), open(Words()).found("Set an alarm for 7:00"))

        open().learn(alarm("monday", "7:00"))
        val skills = open(Words())
        assertEquals(1, skills.count())
        assertEquals(emptyList(), skills.found("Set an alarm for 7:00"))
    }

    @Test
    fun default_retrieval_excludes_synced_only_skills_without_embeddings() = atHome {
        val synced = File(folder, "catalog.db")
        writeCatalog(synced, "synced-1" to "Set an alarm for 7:00", "synced-2" to "Play some jazz music")
        val skills = open(Words()) { catalog = synced }
        val local = skills.learned(alarm("monday", "7:00")).skillId

        assertEquals(listOf(local), skills.found("Play some jazz music"))
        // Asking for them is no error either, while they have no embedding.
        assertEquals(listOf(local), skills.found("Play some jazz music", withCatalog = true))
    }
}
