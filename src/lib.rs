//! On-device memory for phone agents.
//!
//! An agent that taps, swipes and types to reach a goal leaves a timeline: the tool calls of one task, with its goal
//! and how it ended. Adroit reads the finished ones and keeps what worked as a skill: the ordered steps, with named
//! parameters where executions differed, in versions, in one SQLite file. When a similar goal comes, it finds the
//! skill by meaning and gives back concrete calls. Nothing leaves the device.
//!
//! # An example
//!
//! Three messages were sent to three people by the same steps. What was typed differs, so it becomes parameters; a
//! fourth goal, in other words, finds the skill.
//!
//! ```rust
//! use std::collections::HashMap;
//!
//! use adroit::library::{Config, SkillLibrary};
//! use adroit::ranking::Scope;
//! use adroit::timeline::parse_timelines;
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let folder = tempfile::tempdir()?;
//!     let library = SkillLibrary::open(Config {
//!         database_path: folder.path().join("skills.db").display().to_string(),
//!         authoring_enabled: true, // Off by default: then `learn` does nothing at all.
//!         ..Config::default()
//!     })?;
//!     let recorded = std::fs::read_to_string("examples/recordings/messages.json")?;
//!     for timeline in parse_timelines(recorded)? {
//!         library.learn(timeline)?;
//!     }
//!     let found = library.rank("Tell Priya that I am late".to_owned(), 1, Scope::default())?;
//!     let values = [("to", "Priya"), ("text_message", "Ten minutes late")];
//!     let values = HashMap::from(values.map(|(name, value)| (name.to_owned(), value.into())));
//!     let calls = library.instantiate(found.results[0].skill_id.clone(), values)?;
//!     assert_eq!(calls[2].arguments["text"], "Priya");
//!     Ok(())
//! }
//! ```
//!
//! # The modules in reading order
//!
//! Start with the nouns: `timeline` is what goes in, `skill` what is kept, `outcome` what `learn` answers, `error`
//! what can go wrong. Then follow one `learn` through the pure core, which touches neither file nor clock:
//!
//! 1. `tools` knows which calls are steps and which typed values are secrets, `arguments` what their arguments are
//!    for; with them `flow` makes of a timeline the steps that count.
//! 2. `lexicon` and `goal` read what a goal asks for and which of its words are values.
//! 3. `matching` says which stored skill a flow belongs to, with the evidence.
//! 4. `template` turns what differs into parameters and fills them again; `names` names skill and parameters.
//! 5. `synthesis` decides what is to be stored: a new skill, new values, a new version, or nothing.
//!
//! At the edge, `store` keeps it all in SQLite, `embedding` turns text into vectors, `ranking` (pure again) compares
//! them, and `catalog` reads skills from elsewhere. `library` joins the rest in one object, `SkillLibrary`, which is
//! all that an app needs.
//!
//! # Features
//!
//! - `bundled-model` (default): the embedding model inside the library, 23 MB. Without it the model is read from
//!   the file that the configuration names, or the host brings a provider.
//! - `cli`: the `adroit` command.
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
    try_lift: |text| Ok(timeline::parse_value(&text)?),
});
