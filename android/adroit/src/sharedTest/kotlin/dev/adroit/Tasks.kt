// The tasks that the shared tests learn, and what they ask of the skills time and again.

package dev.adroit

import kotlin.test.assertFailsWith

const val CLOCK = "com.android.deskclock"

/** A task that succeeded. */
fun task(taskId: String, goal: String, app: String?, vararg calls: ToolCall): Timeline =
    Timeline(taskId = taskId, goal = goal, status = Status.SUCCEEDED, app = app, calls = calls.asList())

/** A call that succeeded, its arguments as JSON text: keys in the order of the alphabet, as they come back. */
fun made(tool: String, arguments: String = "{}"): ToolCall = ToolCall(tool = tool, arguments = arguments)

/** A call on a text: the label that is tapped, or what is typed. */
fun on(tool: String, text: String): ToolCall = made(tool, json("arguments", mapOf("text" to text)))

/** Sets an alarm: four steps. */
fun alarm(taskId: String, time: String): Timeline = task(
    taskId, "Set an alarm for $time", CLOCK,
    made("launch_app", """{"package":"$CLOCK"}"""), on("tap", "Add alarm"), on("input_text", time), on("tap", "OK"),
)

/** The same, with a tap more in the middle. */
fun alarmWithLabel(taskId: String, time: String): Timeline =
    alarm(taskId, time).run { copy(calls = calls.take(1) + on("tap", "Alarm") + calls.drop(1)) }

/** The tools of [alarm] in another order. */
fun alarmTypedFirst(taskId: String, time: String): Timeline =
    alarm(taskId, time).run { copy(calls = listOf(calls[0], calls[2], calls[1], calls[3])) }

fun pizza(taskId: String): Timeline = task(
    taskId, "Order a pizza Margherita for delivery", "com.pizza.delivery",
    made("launch_app", """{"package":"com.pizza.delivery"}"""),
    on("tap", "Margherita"), on("tap", "Add to basket"), on("tap", "Pay now"),
)

fun darkTheme(taskId: String): Timeline = task(
    taskId, "Turn on the dark theme", "com.android.settings",
    made("launch_app", """{"package":"com.android.settings"}"""), on("tap", "Display"), on("tap", "Dark theme"),
)

fun music(taskId: String): Timeline = task(
    taskId, "Play some jazz music", "com.music.player",
    made("launch_app", """{"package":"com.music.player"}"""),
    on("input_text", "jazz"), made("press_key", """{"key":"enter"}"""), on("tap", "Play"),
)

/** Writes down a note: what is typed is not in the goal. */
fun note(taskId: String, text: String): Timeline = task(
    taskId, "Write down a note", "com.notes", on("tap", "New note"), on("input_text", text), on("tap", "Save"),
)

/** Tasks that have nothing in common but how they are done; each number is a skill of its own. */
fun unlike(taskId: String, number: Int): Timeline = task(
    taskId, "Look after thing $number", "com.app$number", on("tap", "Thing $number"),
).copy(goalFamily = "thing $number")

/** Learns, and gives the version it was learned into as it is stored. */
suspend fun Skills.learned(task: Timeline): Skill = stored(learn(task))

/** The version that a task was learned into. */
suspend fun Skills.stored(outcome: Outcome): Skill = skill(outcome.skill!!.skillId)!!

/** The ids that a goal finds, best first. */
suspend fun Skills.found(
    goal: String,
    k: Int = 5,
    wholeHistory: Boolean = false,
    withCatalog: Boolean = false,
): List<String> = rank(goal, k, wholeHistory, withCatalog).results.map { it.skillId }

/** The argument for which a call is refused. */
suspend fun refusedFor(call: suspend () -> Any?): String = assertFailsWith<InvalidArgumentException> { call() }.argument

/** The tools of a version's steps. */
val Skill.tools: List<String> get() = steps.map { it.tool }
