//! The skill library: the one object that joins reading, matching, storing and finding.

mod config;
mod learning;
mod retrieval;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

pub use config::{Config, EmbeddingConfig};
pub use retrieval::{EmbedReport, RankedSkill, Ranking};

use crate::JsonValue;
use crate::catalog::SyncedCatalog;
use crate::embedding::bundled::BundledModel;
use crate::embedding::{EmbeddingProvider, GuardedProvider};
use crate::error::{Result, SkillError};
use crate::outcome::Outcome;
use crate::ranking::Scope;
use crate::skill::{Call, Execution, Skill};
use crate::store::{self, Store};
use crate::timeline::Timeline;

/// What an app has learned, in one SQLite file. Open it once and share it: every method may be called from any
/// thread, and look-ups do not wait for a `learn` in progress.
///
/// Opening touches nothing: the database opens with the first call that needs it, the model loads when the
/// first text is embedded.
#[derive(uniffi::Object)]
pub struct SkillLibrary {
    config: Config,
    store: Store,
    /// None when embedding is off.
    provider: Option<GuardedProvider>,
    /// The vectors in memory, kept in step with the store.
    index: Mutex<Option<retrieval::Index>>,
    /// Opened with the first call that needs it.
    catalog: Mutex<Option<Arc<dyn SyncedCatalog>>>,
    closed: AtomicBool,
}

#[uniffi::export]
impl SkillLibrary {
    /// A library with the bundled embedding model. Fails with InvalidArgument where the configuration is out of range.
    #[uniffi::constructor]
    pub fn open(config: Config) -> Result<Arc<Self>> {
        let provider: Option<Arc<dyn EmbeddingProvider>> =
            match (&config.embedding.model_path, config.embedding.enabled) {
                (_, false) => None,
                (Some(path), true) => Some(Arc::new(BundledModel::from_path(path))),
                (None, true) => builtin(),
            };
        Self::build(config, provider)
    }

    /// A library that embeds with a provider of the host's own, such as a remote service.
    #[uniffi::constructor]
    pub fn open_with_provider(config: Config, provider: Arc<dyn EmbeddingProvider>) -> Result<Arc<Self>> {
        let provider = config.embedding.enabled.then_some(provider);
        Self::build(config, provider)
    }

    /// Learns from a finished task: stores a new skill, a new version, new parameter values, or nothing at all; the
    /// outcome says what and why. With authoring off (the default) nothing is read, opened or written.
    ///
    /// The outcome is durable when this returns. The embedding is computed afterwards with nothing locked; should it
    /// fail, the outcome says so and `embed_pending` tries again. Fails with InvalidTimeline, Busy, Storage,
    /// CorruptStore, NewerSchema or Closed; then nothing was stored.
    pub fn learn(&self, timeline: Timeline) -> Result<Outcome> {
        self.check_open()?;
        learning::learn(self, &timeline)
    }

    /// The version with this id, whether newest or not; none when there is none.
    pub fn skill(&self, skill_id: String) -> Result<Option<Skill>> {
        self.read(|conn| store::skill(conn, &skill_id))
    }

    /// The newest version of the skill with this name; none when there is none.
    pub fn skill_by_name(&self, name: String) -> Result<Option<Skill>> {
        self.read(|conn| store::newest_by_name(conn, &name))
    }

    /// The newest version of the skill with this goal family, in this app or, without one, of the skill that was
    /// learned into most recently.
    pub fn skill_by_goal_family(&self, goal_family: String, app: Option<String>) -> Result<Option<Skill>> {
        self.read(|conn| store::newest_by_goal_family(conn, &goal_family, app.as_deref()))
    }

    /// All versions of a skill, version 1 first; empty when there is no such lineage.
    pub fn history(&self, lineage_id: String) -> Result<Vec<Skill>> {
        self.read(|conn| store::history(conn, &lineage_id))
    }

    /// The newest versions of all skills in the order of their names, a page at a time: those behind the name
    /// `after` (none: from the start), at most `limit`.
    pub fn list(&self, after: Option<String>, limit: u32) -> Result<Vec<Skill>> {
        self.read(|conn| store::list(conn, after.as_deref(), limit))
    }

    /// How many skills there are, each counted once whatever its versions.
    pub fn count(&self) -> Result<u64> {
        self.read(store::count)
    }

    /// The executions behind a version, oldest first.
    pub fn executions(&self, skill_id: String) -> Result<Vec<Execution>> {
        self.read(|conn| store::executions(conn, &skill_id))
    }

    /// The concrete calls of a version with these values; secrets are given like parameters, under their names.
    ///
    /// Values are JSON of the parameter's type. Fails with UnknownSkill, MissingParameter, UnknownParameter,
    /// WrongType or NeedsSecret.
    pub fn instantiate(&self, skill_id: String, values: HashMap<String, JsonValue>) -> Result<Vec<Call>> {
        match self.skill(skill_id.clone())? {
            Some(skill) => skill.template().fill(&values),
            None => Err(SkillError::UnknownSkill { skill: skill_id }),
        }
    }

    /// The skills most similar to a goal, best first, at most `k`. Only versions with a vector of the present model
    /// take part: the newest ones of skills learned here, unless the scope says otherwise.
    ///
    /// Empty when `k` is 0, the goal is blank, or nothing has a vector. Fails with Embedding when the goal cannot be
    /// embedded, with Catalog when a catalog was asked for and cannot be read.
    pub fn rank(&self, goal: String, k: u32, scope: Scope) -> Result<Ranking> {
        self.check_open()?;
        retrieval::rank(self, goal, k, scope)
    }

    /// Embeds versions that have no vector yet, or one of another model, at most `limit`; what failed lately is
    /// left until its time has come.
    pub fn embed_pending(&self, limit: u32) -> Result<EmbedReport> {
        self.check_open()?;
        retrieval::embed_pending(self, limit)
    }

    /// Embeds skills of the synced catalog that have no current vector, at most `limit`, so that `rank` can include
    /// them when it is asked to. The vectors are kept in this library's own database.
    pub fn embed_catalog(&self, limit: u32) -> Result<EmbedReport> {
        self.check_open()?;
        retrieval::embed_catalog(self, limit)
    }

    /// Puts a damaged database aside, under the path this returns, so that the next `learn` starts a fresh one.
    /// Refused with InvalidArgument while the database is healthy.
    pub fn reset_corrupt_store(&self) -> Result<String> {
        self.check_open()?;
        let kept = self.store.set_aside()?;
        *retrieval::lock(&self.index) = None;
        Ok(kept.to_string_lossy().into_owned())
    }

    /// Closes the database. Every later call fails with Closed; closing twice is no error.
    pub fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
        self.store.close();
        *retrieval::lock(&self.index) = None;
    }
}

impl SkillLibrary {
    fn build(config: Config, provider: Option<Arc<dyn EmbeddingProvider>>) -> Result<Arc<Self>> {
        config.check()?;
        let deadline = Duration::from_millis(config.embedding.deadline_ms);
        Ok(Arc::new(Self {
            store: Store::new(&config.database_path),
            provider: provider.map(|provider| GuardedProvider::new(provider, deadline)),
            index: Mutex::new(None),
            catalog: Mutex::new(None),
            closed: AtomicBool::new(false),
            config,
        }))
    }

    fn check_open(&self) -> Result<()> {
        if self.closed.load(Ordering::SeqCst) {
            Err(SkillError::Closed)
        } else {
            Ok(())
        }
    }

    fn read<T>(&self, work: impl FnOnce(&store::Connection) -> Result<T>) -> Result<T> {
        self.check_open()?;
        self.store.read(work)
    }
}

#[cfg(feature = "bundled-model")]
fn builtin() -> Option<Arc<dyn EmbeddingProvider>> {
    Some(Arc::new(BundledModel::builtin()))
}

/// Without the bundled model and without a path there is nothing to embed with.
#[cfg(not(feature = "bundled-model"))]
fn builtin() -> Option<Arc<dyn EmbeddingProvider>> {
    None
}

/// Milliseconds since the Unix epoch.
fn now_ms() -> i64 {
    let since = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
