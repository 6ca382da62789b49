//! What can go wrong, in words a caller can act on.

/// Every failure of the library. In Kotlin: `SkillException`.
///
/// The message says what was wrong, where, and what to do about it. It never holds a goal, a typed text
/// or a secret, so it may be logged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, uniffi::Error)]
#[uniffi::export(Display)]
pub enum SkillError {
    /// A recorded timeline cannot be taken as it is. Nothing of it was kept.
    #[error("line {line}, field {field}: {reason}")]
    InvalidTimeline {
        /// Line of the input, from 1; 0 when the timeline did not come from text.
        line: u64,
        /// Path of the field, such as `calls[3].tool`; `.` for the timeline as a whole.
        field: String,
        /// What is wrong with it and what is allowed.
        reason: String,
    },
    /// No skill has this id or name.
    #[error("no skill {skill}: list the skills to see what is stored")]
    UnknownSkill {
        /// The id or name that was asked for.
        skill: String,
    },
    /// A required parameter got no value.
    #[error("parameter {name} needs a value")]
    MissingParameter {
        /// The parameter's name.
        name: String,
    },
    /// A value was given for a parameter that the skill does not have.
    #[error("there is no parameter {name}; this skill has: {known}")]
    UnknownParameter {
        /// The name that was given.
        name: String,
        /// The names this skill has, separated by commas.
        known: String,
    },
    /// A value has another JSON type than its parameter.
    #[error("parameter {name} takes a value of type {expected}, not {found}")]
    WrongType {
        /// The parameter's name.
        name: String,
        /// The type it takes.
        expected: String,
        /// The type of the value given.
        found: String,
    },
    /// A step needs a secret that is never stored: give it a value under this name.
    #[error("the secret {name} is never stored: give its value under this name")]
    NeedsSecret {
        /// The secret's name.
        name: String,
    },
    /// An argument of the call is out of range or badly formed.
    #[error("{argument}: {reason}")]
    InvalidArgument {
        /// The argument's name.
        argument: String,
        /// What is wrong with it and what is allowed.
        reason: String,
    },
    /// The database was written by a newer Adroit. It was left as it is: update the app.
    #[error("the database has schema {found}, this library knows up to {supported}: update the app")]
    NewerSchema {
        /// Schema version of the file.
        found: u32,
        /// Newest schema version this library knows.
        supported: u32,
    },
    /// The database file is damaged. Its bytes were kept; `reset_corrupt_store` starts a fresh one.
    #[error("the database is damaged ({reason}); its bytes are kept: reset_corrupt_store starts a fresh one")]
    CorruptStore {
        /// What SQLite found.
        reason: String,
    },
    /// The database is locked by another process for longer than the busy timeout. Try again.
    #[error("the database is busy: try again")]
    Busy,
    /// The device has no room left, or the file cannot be written.
    #[error("the database cannot be written: {reason}")]
    Storage {
        /// What SQLite said.
        reason: String,
    },
    /// The synced catalog cannot be read.
    #[error("the synced catalog cannot be read: {reason}")]
    Catalog {
        /// What was wrong.
        reason: String,
    },
    /// The goal could not be embedded, so nothing can be ranked.
    #[error("the goal could not be embedded: {source}")]
    Embedding {
        /// Why.
        source: EmbeddingError,
    },
    /// The library was closed.
    #[error("the library is closed: open it again")]
    Closed,
}

/// Why an embedding provider gave no vector. A failed embedding never keeps a skill from being stored.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, uniffi::Error)]
#[uniffi::export(Display)]
pub enum EmbeddingError {
    /// No answer within the configured deadline.
    #[error("no answer within {after_ms} ms")]
    Timeout {
        /// How long was waited, in milliseconds.
        after_ms: u64,
    },
    /// The provider asks to be called less often.
    #[error("rate limited; try again in {retry_after_ms} ms")]
    RateLimited {
        /// How long to wait, in milliseconds; 0 when the provider does not say.
        retry_after_ms: u64,
    },
    /// Embedding is switched off, or there is no model.
    #[error("embedding is disabled")]
    Disabled,
    /// The provider could not be reached, broke, or gave something that is not an embedding.
    #[error("connection: {reason}")]
    Connection {
        /// What happened.
        reason: String,
    },
}

/// Short for the library's results.
pub type Result<T, E = SkillError> = std::result::Result<T, E>;

impl From<uniffi::UnexpectedUniFFICallbackError> for EmbeddingError {
    /// An unexpected exception in a host's provider is a failed connection, never a panic. Only its class is kept: the
    /// rest may quote the text.
    fn from(error: uniffi::UnexpectedUniFFICallbackError) -> Self {
        let class = error.reason.split([':', '\n']).next().unwrap_or_default();
        Self::Connection {
            reason: format!("the provider threw {}", class.trim()),
        }
    }
}
