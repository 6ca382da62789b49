//! What a demanding user expects of the library object, through its public face.

// Clippy's exception for tests stops at their helpers.
#![allow(clippy::unwrap_used)]

#[path = "../common/mod.rs"]
mod common;
mod failing_providers;
mod finding;
mod forgetting;
mod instantiating;
mod learning;
mod lookups;
mod matching;
mod recorder;
mod recordings;
mod secrets;
mod setup;
mod threads;
mod versions;
