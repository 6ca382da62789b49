package dev.adroit.sample

import android.app.Activity
import android.content.Intent
import android.graphics.Bitmap
import android.graphics.Canvas
import android.os.Looper
import android.view.View
import android.view.ViewGroup
import android.widget.EditText
import android.widget.ListView
import android.widget.TextView
import androidx.test.core.app.ApplicationProvider
import java.io.File
import java.time.Duration
import org.robolectric.Robolectric
import org.robolectric.Shadows.shadowOf
import org.robolectric.android.controller.ActivityController

/** The sample in the hands of somebody who sees texts and touches what they say. */
class Phone {
    private val screens = ArrayDeque<ActivityController<out Activity>>()
    private val screen: Activity get() = screens.last().get()

    init {
        show(Intent(ApplicationProvider.getApplicationContext(), HomeScreen::class.java))
    }

    private fun show(intent: Intent) {
        screens.lastOrNull()?.pause()?.stop()
        @Suppress("UNCHECKED_CAST")
        val next = Robolectric.buildActivity(Class.forName(intent.component!!.className) as Class<Activity>, intent)
        screens += next.setup()
    }

    /** All that can be read, from the top. */
    fun texts(): List<String> = views().filterIsInstance<TextView>().map { it.text.toString() }.filter { it.isNotEmpty() }

    /** Waits for a text that contains this. */
    fun sees(part: String) = waitFor("“$part”") { texts().any { part in it } }

    fun seesNo(part: String) = waitFor("no “$part”") { texts().none { part in it } }

    /** Waits for something enabled that has this text, or is described so. */
    fun find(text: String): View {
        fun found() = views().firstOrNull { ((it as? TextView)?.text?.toString() == text || it.contentDescription == text) && it.isEnabled }
        waitFor("“$text”") { found() != null }
        return found()!!
    }

    fun touch(text: String) {
        val view = find(text)
        val row = generateSequence(view) { it.parent as? View }.firstOrNull { it.parent is ListView }
        if (view.isClickable || row == null) {
            check(view.isClickable) { "“$text” is no button" }
            view.performClick()
        } else {
            val list = row.parent as ListView
            val position = list.getPositionForView(row)
            list.performItemClick(row, position, list.adapter.getItemId(position))
        }
        settle()
        shadowOf(screen).nextStartedActivity?.let(::show)
    }

    /** Types into the field below a name, or with a hint. */
    fun type(name: String, text: String) {
        fun found(): EditText? {
            val fields = views().filterIsInstance<EditText>()
            val label = views().firstOrNull { it is TextView && it.text.toString() == name && it.labelFor != View.NO_ID }
            return fields.firstOrNull { it.id == label?.labelFor } ?: fields.firstOrNull { it.hint?.toString() == name }
        }
        waitFor("a field “$name”") { found() != null }
        found()!!.setText(text)
        settle()
    }

    fun back() {
        screen.finish()
        returned()
    }

    /** Comes back to the screen below one that has finished. */
    fun returned() {
        waitFor("the screen to finish") { screen.isFinishing }
        screens.removeLast().pause().stop().destroy()
        screens.last().restart().start().resume()
        settle()
    }

    fun turn() {
        screens.last().recreate()
        settle()
    }

    fun picture(name: String) {
        settle()
        val view = screen.window.decorView
        val bitmap = Bitmap.createBitmap(view.width, view.height, Bitmap.Config.ARGB_8888)
        view.draw(Canvas(bitmap))
        val file = File("target/pictures/$name.png")
        file.parentFile!!.mkdirs()
        file.outputStream().use { bitmap.compress(Bitmap.CompressFormat.PNG, 100, it) }
    }

    private fun views(view: View = screen.window.decorView): List<View> = when {
        view.visibility != View.VISIBLE -> emptyList()
        view is ViewGroup -> listOf(view) + (0 until view.childCount).flatMap { views(view.getChildAt(it)) }
        else -> listOf(view)
    }

    /** Lets the main thread do what it has to, and whatever it waits for. */
    private fun settle() = shadowOf(Looper.getMainLooper()).idleFor(Duration.ofMillis(FakeAgent.PACE_MS))

    fun waitFor(what: String, holds: () -> Boolean) {
        repeat(3000) {
            settle()
            if (holds()) return
            Thread.sleep(10)
        }
        throw AssertionError("Waited in vain for $what. There is: ${texts()}")
    }
}
