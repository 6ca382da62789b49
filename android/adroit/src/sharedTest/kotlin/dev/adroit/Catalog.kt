// A synced catalog as some other program writes it: the smallest SQLite file that holds its skills.

package dev.adroit

import java.io.ByteArrayOutputStream
import java.io.File

private const val PAGE = 4096

/** Writes a catalog of skills that were never embedded, given as id and goal. They must fit into one page. */
fun writeCatalog(file: File, vararg skills: Pair<String, String>) {
    val table = "CREATE TABLE synced_skill (id TEXT, name TEXT, description TEXT, goal TEXT, subscription TEXT)"
    val header = "SQLite format 3\u0000".toByteArray() + big(PAGE, 2) + byteArrayOf(1, 1, 0, 64, 32, 32) +
        big(1, 4) + big(2, 4) + ByteArray(8) + big(1, 4) + big(4, 4) + ByteArray(8) + big(1, 4) + ByteArray(32) +
        big(1, 4) + big(3_051_003, 4)
    check(header.size == 100) { "${header.size} bytes" }
    val schema = listOf(record("table", "synced_skill", "synced_skill", 2, table))
    val rows = skills.map { (id, goal) -> record(id, "synced_$id", goal, goal, "shared flows") }
    file.writeBytes(leaf(header, schema) + leaf(ByteArray(0), rows))
}

/** A page that is a table's only one. */
private fun leaf(header: ByteArray, rows: List<ByteArray>): ByteArray {
    val page = header.copyOf(PAGE)
    var at = PAGE
    val places = rows.mapIndexed { index, row ->
        val cell = varint(row.size) + varint(index + 1) + row
        at -= cell.size
        cell.copyInto(page, at)
        big(at, 2)
    }
    val head = byteArrayOf(13, 0, 0) + big(rows.size, 2) + big(at, 2) + byteArrayOf(0)
    (places.fold(head) { all, place -> all + place }).copyInto(page, header.size)
    return page
}

private fun record(vararg values: Any): ByteArray {
    val types = ByteArrayOutputStream()
    val body = ByteArrayOutputStream()
    for (value in values) {
        val bytes = if (value is Int) big(value, 1) else value.toString().toByteArray()
        types.write(varint(if (value is Int) 1 else 13 + 2 * bytes.size))
        body.write(bytes)
    }
    return varint(types.size() + 1) + types.toByteArray() + body.toByteArray()
}

private fun varint(value: Int): ByteArray =
    if (value < 128) byteArrayOf(value.toByte()) else byteArrayOf((128 or (value shr 7)).toByte(), (value and 127).toByte())

private fun big(value: Int, bytes: Int) = ByteArray(bytes) { (value shr 8 * (bytes - 1 - it)).toByte() }
