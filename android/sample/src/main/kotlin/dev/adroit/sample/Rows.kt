package dev.adroit.sample

import android.view.View
import android.view.ViewGroup
import android.widget.BaseAdapter
import android.widget.ListView

/** A list of cards. */
class Rows<T>(private val row: (T) -> View) : BaseAdapter() {
    var items: List<T> = emptyList()
        set(value) {
            field = value
            notifyDataSetChanged()
        }

    override fun getCount() = items.size
    override fun getItem(position: Int): Any? = items[position]
    override fun getItemId(position: Int) = position.toLong()

    /** Made anew each time: a row is a few texts, and lists are short. */
    override fun getView(position: Int, recycled: View?, parent: ViewGroup): View = row(items[position])

    /** Puts the rows into a list below a [head]. */
    fun below(head: View, look: Look, list: ListView, chosen: (T) -> Unit) = list.apply {
        addHeaderView(head, null, false)
        adapter = this@Rows
        divider = null
        dividerHeight = look.dp(10)
        setSelector(android.R.color.transparent)
        // For a field in the head.
        itemsCanFocus = true
        setOnItemClickListener { _, _, position, _ -> chosen(items[position - headerViewsCount]) }
    }
}
