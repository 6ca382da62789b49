// How the sample looks: a few shapes of views, light or dark as the device is. Made in code, so that all of it is here.

package dev.adroit.sample

import android.content.Context
import android.content.res.ColorStateList
import android.content.res.Configuration
import android.graphics.Color
import android.graphics.Typeface
import android.graphics.drawable.Drawable
import android.graphics.drawable.GradientDrawable
import android.graphics.drawable.RippleDrawable
import android.text.Editable
import android.text.InputType
import android.text.TextWatcher
import android.view.Gravity
import android.view.View
import android.view.ViewGroup.LayoutParams.MATCH_PARENT
import android.view.ViewGroup.LayoutParams.WRAP_CONTENT
import android.widget.Button
import android.widget.EditText
import android.widget.LinearLayout
import android.widget.TextView

class Look(private val context: Context) {
    val dark = isDark(context)
    val background = Color.parseColor(if (dark) "#101413" else "#F3F5F4")
    val surface = Color.parseColor(if (dark) "#1C2220" else "#FFFFFF")
    val ink = Color.parseColor(if (dark) "#E6EBE9" else "#17201D")
    val faint = Color.parseColor(if (dark) "#9DA9A5" else "#596561")
    val line = Color.parseColor(if (dark) "#36403D" else "#D8DFDC")

    // Near the accents of the framework's themes, which colour what is not coloured here.
    val accent = Color.parseColor(if (dark) "#80CBC4" else "#00756A")
    val onAccent = if (dark) Color.parseColor("#00302B") else Color.WHITE
    val tint = Color.parseColor(if (dark) "#1E3733" else "#DFF1EE")
    val danger = Color.parseColor(if (dark) "#F2B8B5" else "#B3261E")

    fun dp(size: Int): Int = Math.round(size * context.resources.displayMetrics.density)

    /** Views below each other. */
    fun column(vararg views: View, gap: Int = 8) = LinearLayout(context).apply {
        orientation = LinearLayout.VERTICAL
        stack(*views, gap = gap)
    }

    /** Adds views below those that are there. */
    fun LinearLayout.stack(vararg views: View, gap: Int = 8) {
        for (view in views) {
            addView(view, LinearLayout.LayoutParams(MATCH_PARENT, WRAP_CONTENT).apply { if (childCount > 0) topMargin = dp(gap) })
        }
    }

    /** Views beside each other that share the width; those in [fixed] take what they need. */
    fun row(vararg views: View, fixed: Set<View> = emptySet(), gap: Int = 12) = LinearLayout(context).apply {
        gravity = Gravity.CENTER_VERTICAL
        // Else texts of different sizes would be moved to one line, over the edge of a row that is centred.
        isBaselineAligned = false
        for (view in views) {
            val params = if (view in fixed) LinearLayout.LayoutParams(WRAP_CONTENT, WRAP_CONTENT) else LinearLayout.LayoutParams(0, WRAP_CONTENT, 1f)
            if (childCount > 0) params.marginStart = dp(gap)
            addView(view, params)
        }
    }

    fun card(vararg views: View, gap: Int = 8) = column(*views, gap = gap).apply {
        background = rounded(surface, line)
        setPadding(dp(16), dp(14), dp(16), dp(14))
    }

    fun title(text: CharSequence) = text(text, 26f, ink, medium).apply { if (android.os.Build.VERSION.SDK_INT >= 28) isAccessibilityHeading = true }
    fun heading(text: CharSequence) = text(text, 17f, ink, medium)
    fun body(text: CharSequence) = text(text, 15f, ink)
    fun note(text: CharSequence) = text(text, 14f, faint)
    fun label(text: CharSequence) = text(text, 13f, accent, medium)
    fun failure(text: CharSequence) = text(text, 15f, danger)

    private fun text(text: CharSequence, size: Float, color: Int, face: Typeface = Typeface.DEFAULT) = TextView(context).apply {
        this.text = text
        textSize = size
        setTextColor(color)
        typeface = face
        setLineSpacing(0f, 1.1f)
        textAlignment = View.TEXT_ALIGNMENT_VIEW_START
    }

    /** The one thing that a screen is for. */
    fun mainButton(text: String, action: () -> Unit) = button(text, onAccent, rounded(accent), action)

    fun button(text: String, color: Int = accent, action: () -> Unit) = button(text, color, rounded(surface, line), action)

    private fun button(text: String, color: Int, shape: Drawable, action: () -> Unit) = Button(context).apply {
        this.text = text
        isAllCaps = false
        textSize = 15f
        typeface = medium
        setTextColor(color)
        background = pressable(shape)
        stateListAnimator = null
        minHeight = dp(48)
        setPadding(dp(16), 0, dp(16), 0)
        setOnClickListener { action() }
    }

    /** A field with its name above it. What is typed goes to [typed]. */
    fun field(name: String, value: String, hint: String = "", secret: Boolean = false, typed: (String) -> Unit): View {
        val field = edit(value, hint, typed)
        if (secret) field.inputType = InputType.TYPE_CLASS_TEXT or InputType.TYPE_TEXT_VARIATION_PASSWORD
        field.id = View.generateViewId()
        val label = label(name).apply {
            labelFor = field.id
            // A field's line begins a little to the side of the field.
            setPaddingRelative(dp(4), 0, 0, 0)
        }
        return column(label, field, gap = 0)
    }

    fun edit(value: String, hint: String, typed: (String) -> Unit) = EditText(context).apply {
        setText(value)
        this.hint = hint
        textSize = 16f
        setTextColor(ink)
        setHintTextColor(faint)
        backgroundTintList = ColorStateList(arrayOf(intArrayOf(android.R.attr.state_focused), intArrayOf()), intArrayOf(accent, faint))
        inputType = InputType.TYPE_CLASS_TEXT or InputType.TYPE_TEXT_FLAG_CAP_SENTENCES
        minHeight = dp(48)
        // Restored by whoever holds the value.
        isSaveEnabled = false
        addTextChangedListener(object : TextWatcher {
            override fun afterTextChanged(text: Editable) = typed(text.toString())
            override fun beforeTextChanged(text: CharSequence, start: Int, count: Int, after: Int) = Unit
            override fun onTextChanged(text: CharSequence, start: Int, before: Int, count: Int) = Unit
        })
    }

    /** A share of the width, 0 to 1. */
    fun bar(share: Float) = LinearLayout(context).apply {
        background = rounded(tint, radius = 3)
        addView(View(context).apply { background = rounded(accent, radius = 3) }, LinearLayout.LayoutParams(0, dp(6), share))
        addView(View(context), LinearLayout.LayoutParams(0, dp(6), 1 - share))
        importantForAccessibility = View.IMPORTANT_FOR_ACCESSIBILITY_NO
    }

    fun pressable(shape: Drawable): Drawable =
        RippleDrawable(ColorStateList.valueOf((accent and 0xFFFFFF) or 0x30000000), shape, rounded(Color.WHITE))

    fun rounded(fill: Int, edge: Int? = null, radius: Int = 12) = GradientDrawable().apply {
        setColor(fill)
        cornerRadius = dp(radius).toFloat()
        if (edge != null) setStroke(dp(1), edge)
    }

    private val medium: Typeface get() = Typeface.create("sans-serif-medium", Typeface.NORMAL)

    companion object {
        fun isDark(context: Context): Boolean =
            context.resources.configuration.uiMode and Configuration.UI_MODE_NIGHT_MASK == Configuration.UI_MODE_NIGHT_YES
    }
}
