package dev.adroit

import kotlin.time.Duration.Companion.minutes
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout

/** Runs a test's coroutine in real time. One that hangs fails. */
fun running(test: suspend CoroutineScope.() -> Unit): Unit = runBlocking { withTimeout(10.minutes) { test() } }
