//! Adroit.
#[cfg(target_os = "android")]
mod android;
pub mod arguments;
pub mod catalog;
pub mod embedding;
pub mod error;
pub mod flow;
pub mod goal;
pub mod lexicon;
pub mod library;
pub mod matching;
pub mod names;
pub mod outcome;
pub mod ranking;
pub mod skill;
pub mod store;
pub mod synthesis;
pub mod template;
pub mod timeline;
pub mod tools;

uniffi::setup_scaffolding!();

/// Any JSON value. In Kotlin: a `String` that holds JSON.
pub type JsonValue = serde_json::Value;

uniffi::custom_type!(JsonValue, String, {
    remote,
    lower: |value| value.to_string(),
    try_lift: |text| Ok(serde_json::from_str(&text)?),
});
