package dev.adroit.shrinking

import java.io.File
import kotlin.test.BeforeTest
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertNotEquals
import kotlin.test.assertNull
import kotlin.test.assertTrue
import org.junit.jupiter.api.Assumptions.assumeFalse
import org.junit.jupiter.api.io.TempDir

private const val ALL = "dev.adroit.shrinking.MainKt"
private const val SMALL = "dev.adroit.shrinking.SmallKt"

/** What the small program says. */
private const val FOUND = "found call\n"

/** The rules that come with the library, each with the comment above it. */
private val rules: List<String> = File("../adroit/consumer-rules.pro").readText().trim().split(Regex("\n\n+"))
    .filter { paragraph -> paragraph.lines().any { !it.startsWith("#") } }

class ShrinkingTest {
    @BeforeTest
    fun not_where_it_would_take_minutes() = assumeFalse(System.getProperty("adroit.emulated") == "true")

    @Test
    fun a_shrunk_program_says_what_it_said() {
        val said = runUnshrunk(ALL)
        assertTrue(said.endsWith("\ndone\n"), said)
        assertEquals(said, shrinker.shrink(ALL, rules, whole = true).run())
    }

    @Test
    fun a_small_program_is_small_and_has_other_names() {
        assertEquals(FOUND, small.run())
        assertNull(small.names["dev.adroit.Recording"])
        assertNull(small.names["dev.adroit.Change\$Forgotten"])
        assertNotEquals("dev.adroit.Skills", small.names.getValue("dev.adroit.Skills"))
        assertNotEquals("dev.adroit.internal.SkillLibrary", small.names.getValue("dev.adroit.internal.SkillLibrary"))
    }

    @Test
    fun without_the_rules_or_one_of_them_a_program_fails() {
        assertEquals(FOUND, small.run())
        assertTrue(fails(emptyList()))
        assertEquals(emptyList(), rules.parallelStream().filter { !fails(rules - it) }.toList())
    }

    @Test
    fun every_rule_has_its_reason() {
        for (rule in rules) {
            assertTrue(rule.startsWith("# "), rule)
            assertEquals(1, rule.lines().count { it.startsWith("-") }, rule)
        }
    }

    private fun fails(rules: List<String>): Boolean = try {
        shrinker.shrink(SMALL, rules, whole = false).run() != FOUND
    } catch (_: UnshrinkableException) {
        true
    }

    companion object {
        @TempDir
        @JvmStatic
        lateinit var folder: File

        private val shrinker by lazy { Shrinker(folder) }
        private val small by lazy { shrinker.shrink(SMALL, rules, whole = false) }
    }
}
