//! The skill library: the one object that joins reading, matching, storing and finding.

mod config;
mod learning;
mod recording;
mod retrieval;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

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
use crate::timeline::{Status, Timeline, ToolCall};

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
    /// Tasks that are being recorded, by id.
    recordings: Mutex<HashMap<String, recording::Task>>,
    /// Opened with the first call that needs it.
    catalog: Mutex<Option<Arc<dyn SyncedCatalog>>>,
    closed: AtomicBool,
}

#[uniffi::export]
impl SkillLibrary {
    /// A library with the bundled embedding model. Fails with InvalidArgument where the configuration is out of range.
    #[uniffi::constructor]
    pub fn open(config: Config) -> Result<Arc<Self>> {
        config.check()?;
        let embedding = &config.embedding;
        let provider: Option<Arc<dyn EmbeddingProvider>> =
            match (&embedding.model_path, &embedding.model_region) {
                _ if !embedding.enabled => None,
                (Some(path), _) => Some(Arc::new(BundledModel::from_path(path))),
                (None, Some(region)) => Some(Arc::new(BundledModel::from_region(region)?)),
                (None, None) => builtin(),
            };
        let deadline = config.deadline();
        Ok(Self::build(
            config,
            provider.map(|provider| GuardedProvider::new(provider, deadline)),
        ))
    }

    /// A library that embeds with a provider of the host's own, such as a remote service.
    #[uniffi::constructor]
    pub fn open_with_provider(config: Config, provider: Arc<dyn EmbeddingProvider>) -> Result<Arc<Self>> {
        config.check()?;
        let deadline = config.deadline();
        let provider = config
            .embedding
            .enabled
            .then(|| GuardedProvider::of_host(provider, deadline));
        Ok(Self::build(config, provider))
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

    /// Forgets a skill for good: all versions, the executions behind them, and their vectors. Their bytes in the file
    /// are overwritten. A task that was learned into it may be learned again. False when there is no such lineage.
    pub fn forget(&self, lineage_id: String) -> Result<bool> {
        if self.read(|conn| store::newest(conn, &lineage_id))?.is_none() {
            return Ok(false);
        }
        let forgotten = self.store.write_deletion(|tx| store::forget(tx, &lineage_id))?;
        log::info!("a skill was forgotten");
        Ok(forgotten)
    }

    /// Begins to record a task that runs: its goal and, if there are any, its first calls. With authoring off nothing
    /// is kept.
    ///
    /// What is recorded is stored at once with its secrets hidden, and so survives the process, as a task whose status
    /// is running. Fails with InvalidTimeline, and with InvalidArgument when a task of this id is being recorded.
    pub fn begin_recording(&self, task: Timeline) -> Result<()> {
        self.check_open()?;
        recording::begin(self, task)
    }

    /// Records the next call of a task. With authoring off nothing is kept.
    ///
    /// Fails with InvalidTimeline when the task would leave the limits of a timeline, and with InvalidArgument when no
    /// task of this id is being recorded; then the recording is as it was.
    pub fn record_call(&self, task_id: String, call: ToolCall) -> Result<()> {
        self.check_open()?;
        recording::record(self, &task_id, call)
    }

    /// Ends a task: learns from it as `learn` does, and deletes the recording. After a failure it is still there.
    ///
    /// Fails as `learn` does, and with InvalidArgument when no task of this id is being recorded.
    pub fn finish_recording(&self, task_id: String, status: Status) -> Result<Outcome> {
        self.check_open()?;
        recording::finish(self, &task_id, status)
    }

    /// Deletes a recording. False when there is none with this id.
    pub fn discard_recording(&self, task_id: String) -> Result<bool> {
        self.check_open()?;
        recording::discard(self, &task_id)
    }

    /// The tasks that are being recorded, oldest first, those of a process that died included. Their status is
    /// running, and their secrets are hidden.
    pub fn recordings(&self) -> Result<Vec<Timeline>> {
        self.read(store::recordings)
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
    // Kotlin's `close` is that of the object: it gives the whole library back.
    #[uniffi::method(name = "shut_down")]
    pub fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
        self.store.close();
        *retrieval::lock(&self.index) = None;
        retrieval::lock(&self.recordings).clear();
    }
}

impl SkillLibrary {
    fn build(config: Config, provider: Option<GuardedProvider>) -> Arc<Self> {
        Arc::new(Self {
            store: Store::new(&config.database_path),
            provider,
            index: Mutex::new(None),
            recordings: Mutex::default(),
            catalog: Mutex::new(None),
            closed: AtomicBool::new(false),
            config,
        })
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
