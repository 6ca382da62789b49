package dev.adroit

import java.util.UUID

/**
 * Turns an agent's calls into timelines while its tasks run.
 *
 *     val recording = skills.recorder.begin(goal = "Text Ana that I am late", app = "com.example.messages")
 *     recording.call("tap", mapOf("text" to "Ana"))
 *     recording.call("input_text", mapOf("text" to "I am late"))
 *     val outcome = recording.finish()
 *
 * Every call is stored at once, with secrets already hidden, so that a recording survives the death of the process: it
 * is then [unfinished], with status `RUNNING`. A secret that stood in the goal or in a harmless field before is overwritten
 * there when it is recognised. With authoring off nothing is kept. Recording a call takes longer the more there were before.
 */
class AgentRecorder internal constructor(private val skills: Skills) {
    /**
     * Begins to record a task.
     *
     * @param goal what the user asked for, in any language; not blank.
     * @param app the app the task is about: a package name or a label.
     * @param taskId the task's own id, unique per execution; default a random one.
     * @param skillId the skill the task is run from, if it is.
     * @param goalFamily the app's own key for tasks of one kind, in place of the one derived from the goal.
     * @param screen screen size.
     * @throws InvalidArgumentException when a task with this id is being recorded: [resume] or [discard] it.
     * @throws InvalidTimelineException when goal or id are blank.
     */
    suspend fun begin(
        goal: String,
        app: String? = null,
        taskId: String = UUID.randomUUID().toString(),
        skillId: String? = null,
        goalFamily: String? = null,
        screen: Screen? = null,
    ): Recording {
        val task = Timeline(
            taskId = taskId,
            goal = goal,
            status = Status.RUNNING,
            app = app,
            goalFamily = goalFamily,
            skillId = skillId,
            screen = screen,
            calls = emptyList(),
        )
        wellFormed(task)
        skills.call { it.beginRecording(task) }
        return Recording(skills, taskId)
    }

    /** What was begun and not finished, oldest first, with status `RUNNING`; secrets are hidden in it. */
    suspend fun unfinished(): List<Timeline> = skills.call { it.recordings() }

    /** Goes on with an unfinished recording, such as one of an earlier process. Whether there is one shows with the next call. */
    fun resume(taskId: String): Recording {
        wellFormed("taskId", taskId)
        return Recording(skills, taskId)
    }

    /** Deletes a recording; false when there is none with this id. */
    suspend fun discard(taskId: String): Boolean {
        wellFormed("taskId", taskId)
        return skills.call { it.discardRecording(taskId) }
    }
}

/** One task that is being recorded. Its calls may come from any thread; they are kept in the order they arrive. */
class Recording internal constructor(
    private val skills: Skills,
    /** The task's id. */
    val taskId: String,
) {
    /**
     * Records one tool call, after it was made.
     *
     * @param tool the tool's name, such as `tap` or `input_text`.
     * @param arguments its arguments: texts, numbers, booleans, null, and lists and maps of them.
     * @param ok whether it succeeded; calls that failed are not steps.
     * @param error what went wrong.
     * @param readOnly whether it only looks; null when unknown.
     * @param sensitive whether the arguments hold a secret, whose value is then neither stored, logged nor embedded.
     * @param target the element it acted on, when known.
     * @throws InvalidArgumentException when an argument has no JSON form, or no such task is being recorded.
     * @throws InvalidTimelineException when the task has too many calls, or a call is too large.
     */
    suspend fun call(
        tool: String,
        arguments: Map<String, Any?> = emptyMap(),
        ok: Boolean = true,
        error: String? = null,
        readOnly: Boolean? = null,
        sensitive: Boolean = false,
        target: Target? = null,
    ) = call(
        ToolCall(
            tool = tool,
            arguments = json("arguments", arguments),
            ok = ok,
            error = error,
            startedAtMs = System.currentTimeMillis(),
            readOnly = readOnly,
            sensitive = sensitive,
            target = target,
        ),
    )

    /** Records one tool call as it is. Fails as the other `call` does. */
    suspend fun call(call: ToolCall) {
        wellFormed(call)
        skills.call { it.recordCall(taskId, call) }
    }

    /**
     * Ends the task, learns from it if it succeeded, and deletes the recording.
     *
     * The answer and the failures are those of [Skills.learn]; after a failure the recording is still there.
     */
    suspend fun finish(status: Status = Status.SUCCEEDED): Outcome =
        skills.call { it.finishRecording(taskId, status).also(skills::learned) }

    /** Deletes the recording; false when it is already gone. */
    suspend fun discard(): Boolean = skills.recorder.discard(taskId)
}
