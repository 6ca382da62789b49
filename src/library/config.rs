//! How a library is set up.

use std::collections::HashMap;
use std::time::Duration;

use crate::embedding::region::FileRegion;
use crate::error::{Result, SkillError};

/// How a library is set up. Only the path has no default.
#[derive(Debug, Clone, Default, PartialEq, uniffi::Record)]
pub struct Config {
    /// The database file. It is created by the first `learn` with authoring on, with the folders above it.
    pub database_path: String,
    /// Whether `learn` learns. Default false: then it does nothing at all.
    #[uniffi(default = false)]
    pub authoring_enabled: bool,
    /// Coordinates that differ by no more than this count as the same, in the recorder's unit (mostly pixels).
    /// Default 0: every difference becomes a parameter.
    #[uniffi(default = 0.0)]
    pub coordinate_tolerance: f64,
    /// For a tool's name, whether its calls are steps; overrides the table of known tools and the call's own hint.
    #[uniffi(default)]
    pub tool_overrides: HashMap<String, bool>,
    /// How texts are embedded.
    #[uniffi(default)]
    pub embedding: EmbeddingConfig,
    /// A synced catalog in a SQLite file, opened read-only and only when it is asked for. Default none.
    #[uniffi(default = None)]
    pub catalog_path: Option<String>,
}

/// How texts are embedded.
#[derive(Debug, Clone, PartialEq, uniffi::Record)]
pub struct EmbeddingConfig {
    /// Whether anything is embedded. Default true. When off, skills are learned and found by name or id only.
    #[uniffi(default = true)]
    pub enabled: bool,
    /// The model's file. Default none: the model inside the library, where it was built in.
    #[uniffi(default = None)]
    pub model_path: Option<String>,
    /// The model inside of another open file, such as an asset in an APK. Default none. A `model_path` goes before it.
    #[uniffi(default = None)]
    pub model_region: Option<FileRegion>,
    /// How long a provider may take for one text, in milliseconds, at least 1. Default 10,000.
    #[uniffi(default = 10000)]
    pub deadline_ms: u64,
}

impl Default for EmbeddingConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            model_path: None,
            model_region: None,
            deadline_ms: 10_000,
        }
    }
}

impl Config {
    pub(super) fn deadline(&self) -> Duration {
        Duration::from_millis(self.embedding.deadline_ms)
    }

    pub(super) fn check(&self) -> Result<()> {
        let refuse = |argument: &str, reason: &str| {
            Err(SkillError::InvalidArgument {
                argument: argument.into(),
                reason: reason.into(),
            })
        };
        if self.database_path.is_empty() || self.database_path.contains('\0') {
            return refuse("database_path", "give the path of a file, without NUL characters");
        }
        if !(self.coordinate_tolerance.is_finite() && self.coordinate_tolerance >= 0.0) {
            return refuse("coordinate_tolerance", "give a finite number, 0 or more");
        }
        if self.embedding.deadline_ms == 0 {
            return refuse("deadline_ms", "give at least 1 millisecond");
        }
        Ok(())
    }
}
