package dev.adroit.sample

import android.app.Activity
import android.content.res.ColorStateList
import android.graphics.Rect
import android.os.Build
import android.os.Bundle
import android.view.Gravity
import android.view.View
import android.view.ViewGroup
import android.view.ViewGroup.LayoutParams.MATCH_PARENT
import android.widget.ImageButton
import android.widget.LinearLayout
import android.widget.ScrollView
import android.widget.TextView
import dev.adroit.Skills
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.cancel
import kotlinx.coroutines.flow.MutableStateFlow
import kotlinx.coroutines.flow.update
import kotlinx.coroutines.launch

/** What a screen shows, and its work in progress. It outlives the window when the device is turned. */
class State<T>(initial: T) {
    val content = MutableStateFlow(initial)
    val failure = MutableStateFlow<String?>(null)
    val scope = CoroutineScope(SupervisorJob() + Dispatchers.Main.immediate)

    fun change(how: T.() -> T) = content.update { it.how() }

    /** Does work that may fail, and shows how. */
    fun work(work: suspend () -> Unit) = scope.launch {
        failure.value = null
        try {
            work()
        } catch (error: Exception) {
            failure.value = Words.failure(error) ?: throw error
        }
    }
}

/** A screen: a title, and below it what [build] makes and [show] fills. */
abstract class Screen<T> : Activity() {
    protected lateinit var look: Look
    protected lateinit var state: State<T>

    /** Ends with the window. */
    private val shown = CoroutineScope(Dispatchers.Main.immediate)

    /** In the bar at the top. */
    protected lateinit var title: TextView

    /** Whether no other screen leads here. */
    protected open val first = false

    protected abstract val name: String
    protected abstract val note: String?

    /** What there is to show at first. */
    protected abstract fun initial(): T

    protected abstract fun build(): View

    /** Called when the views are there, and whenever there is something else to show. */
    protected abstract fun show(content: T)

    protected suspend fun skills(): Skills = (application as SampleApp).skills()

    override fun onCreate(saved: Bundle?) {
        // Without resources the manifest cannot name one theme for the day and another for the night.
        setTheme(if (Look.isDark(this)) android.R.style.Theme_Material_NoActionBar else android.R.style.Theme_Material_Light_NoActionBar)
        super.onCreate(saved)
        look = Look(this)
        @Suppress("UNCHECKED_CAST")
        state = lastNonConfigurationInstance as State<T>? ?: State(initial())
        title = look.title(name)
        setContentView(frame(build()))
        shown.launch { state.content.collect(::show) }
    }

    override fun onRetainNonConfigurationInstance(): Any = state

    override fun onDestroy() {
        super.onDestroy()
        shown.cancel()
        if (!isChangingConfigurations) state.scope.cancel()
    }

    /** What every screen begins with: its note, and what went wrong, if anything did. */
    protected fun head(vararg views: View): LinearLayout {
        val failure = look.failure("").apply { accessibilityLiveRegion = View.ACCESSIBILITY_LIVE_REGION_POLITE }
        shown.launch {
            state.failure.collect {
                failure.text = it
                failure.visibility = if (it == null) View.GONE else View.VISIBLE
            }
        }
        val notes = listOfNotNull(note?.let(look::note), failure)
        return look.column(*notes.toTypedArray(), *views, gap = 14)
    }

    protected fun page(content: View): View = ScrollView(this).apply {
        // Else the first field takes the focus, and on some devices opens the keyboard.
        content.isFocusableInTouchMode = true
        addView(content)
        isFillViewport = true
    }

    /** Brings into sight what came up below the edge. */
    protected fun reveal(view: View) {
        view.post { view.requestRectangleOnScreen(Rect(0, 0, view.width, view.height)) }
    }

    private fun frame(body: View): View {
        val bar = LinearLayout(this).apply {
            gravity = Gravity.CENTER_VERTICAL
            if (!first) addView(back())
            addView(title)
            setPadding(look.dp(if (first) 20 else 8), look.dp(8), look.dp(20), look.dp(4))
            minimumHeight = look.dp(64)
        }
        (body as ViewGroup).clipToPadding = false
        // Over the padding, where the content's edge is not the screen's.
        body.scrollBarStyle = View.SCROLLBARS_OUTSIDE_OVERLAY
        return LinearLayout(this).apply {
            orientation = LinearLayout.VERTICAL
            setBackgroundColor(look.background)
            addView(bar)
            addView(body, LinearLayout.LayoutParams(MATCH_PARENT, 0, 1f))
            keepClearOfSystemBars(this, body)
        }
    }

    private fun back() = ImageButton(this).apply {
        val arrow = obtainStyledAttributes(intArrayOf(android.R.attr.homeAsUpIndicator))
        setImageDrawable(arrow.getDrawable(0))
        arrow.recycle()
        imageTintList = ColorStateList.valueOf(look.ink)
        background = look.pressable(look.rounded(look.background, radius = 24))
        minimumWidth = look.dp(48)
        minimumHeight = look.dp(48)
        contentDescription = Words.BACK
        setOnClickListener { finish() }
    }

    /** The background reaches below the bars and the keyboard, and what scrolls does; the rest does not. */
    @Suppress("DEPRECATION") // What replaces it is not there on the oldest devices, and this works on the newest.
    private fun keepClearOfSystemBars(root: View, body: View) {
        fun keepClear(left: Int, top: Int, right: Int, bottom: Int) {
            root.setPadding(left, top, right, 0)
            body.setPadding(look.dp(20), look.dp(4), look.dp(20), look.dp(20) + bottom)
        }
        // Older devices lay windows out between the bars, and then tell of none.
        keepClear(0, 0, 0, 0)
        root.setOnApplyWindowInsetsListener { _, insets ->
            insets.run { keepClear(systemWindowInsetLeft, systemWindowInsetTop, systemWindowInsetRight, systemWindowInsetBottom) }
            insets
        }
        window.statusBarColor = look.background
        if (Build.VERSION.SDK_INT >= Build.VERSION_CODES.O) {
            window.navigationBarColor = look.background
            if (!look.dark) {
                window.decorView.systemUiVisibility = View.SYSTEM_UI_FLAG_LIGHT_STATUS_BAR or View.SYSTEM_UI_FLAG_LIGHT_NAVIGATION_BAR
            }
        } else if (!look.dark) {
            window.decorView.systemUiVisibility = View.SYSTEM_UI_FLAG_LIGHT_STATUS_BAR
        }
    }
}
