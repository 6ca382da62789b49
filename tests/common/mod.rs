//! What the tests build their worlds from: recordings, a home for the database, and embedding providers of their own.

#![allow(
    clippy::unwrap_used,
    reason = "clippy's exception for tests stops at their helpers"
)]
#![allow(dead_code, reason = "every test file takes what it needs of this one")]

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use adroit::JsonValue;
use adroit::embedding::{Embedding, EmbeddingProvider};
use adroit::error::EmbeddingError;
use adroit::library::{Config, EmbeddingConfig, SkillLibrary};
use adroit::outcome::Outcome;
use adroit::skill::Skill;
use adroit::timeline::{Status, Target, Timeline, ToolCall};
use rusqlite::Connection;
use tempfile::TempDir;

/// A timeline under construction: succeeded, without calls.
#[derive(Clone)]
pub struct Recording(pub Timeline);

/// Begins the recording of a task that succeeds.
pub fn timeline(task_id: &str, goal: &str) -> Recording {
    Recording(Timeline {
        task_id: task_id.to_owned(),
        goal: goal.to_owned(),
        status: Status::Succeeded,
        app: None,
        goal_family: None,
        skill_id: None,
        screen: None,
        calls: Vec::new(),
    })
}

impl Recording {
    pub fn app(mut self, app: &str) -> Self {
        self.0.app = Some(app.to_owned());
        self
    }

    pub fn status(mut self, status: Status) -> Self {
        self.0.status = status;
        self
    }

    pub fn goal_family(mut self, family: &str) -> Self {
        self.0.goal_family = Some(family.to_owned());
        self
    }

    /// The host says that the task was run from this skill.
    pub fn run_from(mut self, skill_id: &str) -> Self {
        self.0.skill_id = Some(skill_id.to_owned());
        self
    }

    /// A call that succeeded.
    pub fn call(mut self, tool: &str, arguments: JsonValue) -> Self {
        self.0.calls.push(ToolCall {
            tool: tool.to_owned(),
            arguments,
            ok: true,
            error: None,
            started_at_ms: None,
            read_only: None,
            sensitive: false,
            target: None,
        });
        self
    }

    /// The last call failed.
    pub fn failed(self) -> Self {
        self.last(|call| call.ok = false)
    }

    /// The last call holds a secret.
    pub fn sensitive(self) -> Self {
        self.last(|call| call.sensitive = true)
    }

    /// The last call acted on the element with this text.
    pub fn on(self, text: &str) -> Self {
        self.last(|call| {
            call.target = Some(Target {
                text: Some(text.to_owned()),
                ..Target::default()
            });
        })
    }

    /// The last call acted on the element with this resource id.
    pub fn on_id(self, resource_id: &str) -> Self {
        self.last(|call| {
            call.target = Some(Target {
                resource_id: Some(resource_id.to_owned()),
                ..Target::default()
            });
        })
    }

    pub fn last(mut self, change: impl FnOnce(&mut ToolCall)) -> Self {
        change(self.0.calls.last_mut().unwrap());
        self
    }
}

pub fn learn(library: &SkillLibrary, recording: Recording) -> Outcome {
    library.learn(recording.0).unwrap()
}

/// Learns, and looks up the version it was learned into.
pub fn learned(library: &SkillLibrary, recording: Recording) -> Skill {
    stored(library, &learn(library, recording))
}

/// The version that a task was learned into, as it is stored now.
pub fn stored(library: &SkillLibrary, outcome: &Outcome) -> Skill {
    library.skill(skill_id(outcome)).unwrap().unwrap()
}

pub fn skill_id(outcome: &Outcome) -> String {
    outcome.skill.as_ref().unwrap().skill_id.clone()
}

/// The tools of a version's steps, in order.
pub fn tools(skill: &Skill) -> Vec<&str> {
    skill.steps.iter().map(|step| step.tool.as_str()).collect()
}

pub fn parameter_names(skill: &Skill) -> Vec<&str> {
    skill
        .parameters
        .iter()
        .map(|parameter| parameter.name.as_str())
        .collect()
}

/// A folder of its own for a database, gone after the test.
pub struct Home {
    pub folder: TempDir,
}

impl Home {
    pub fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    pub fn database(&self) -> PathBuf {
        self.folder.path().join("adroit").join("skills.db")
    }

    /// Authoring on, everything else as it comes.
    pub fn config(&self) -> Config {
        Config {
            database_path: self.database().to_str().unwrap().to_owned(),
            authoring_enabled: true,
            ..Config::default()
        }
    }

    /// A library with the bundled model.
    pub fn open(&self) -> Arc<SkillLibrary> {
        SkillLibrary::open(self.config()).unwrap()
    }

    pub fn open_with(&self, provider: Arc<dyn EmbeddingProvider>) -> Arc<SkillLibrary> {
        SkillLibrary::open_with_provider(self.config(), provider).unwrap()
    }

    /// A library that embeds nothing, for what has nothing to do with meaning.
    pub fn open_without_embedding(&self) -> Arc<SkillLibrary> {
        SkillLibrary::open(Config {
            embedding: EmbeddingConfig {
                enabled: false,
                ..EmbeddingConfig::default()
            },
            ..self.config()
        })
        .unwrap()
    }

    /// Makes every failed embedding due, as if its backoff had passed.
    pub fn let_backoff_pass(&self) {
        let conn = Connection::open(self.database()).unwrap();
        let due: Vec<i64> = conn
            .prepare("SELECT rowid FROM embedding WHERE failure IS NOT NULL AND retry_at_ms > 0")
            .unwrap()
            .query_map([], |row| row.get(0))
            .unwrap()
            .map(Result::unwrap)
            .collect();
        assert!(!due.is_empty(), "nothing waits");
        for row in due {
            conn.execute(
                "UPDATE embedding SET seq = (SELECT max(seq) + 1 FROM embedding), retry_at_ms = 0 WHERE rowid = ?1",
                [row],
            )
            .unwrap();
        }
    }

    /// A synced catalog of skills that were never embedded, given as id and goal.
    pub fn catalog(&self, skills: &[(&str, &str)]) -> PathBuf {
        let path = self.folder.path().join("catalog.db");
        let conn = Connection::open(&path).unwrap();
        conn.execute_batch(
            "CREATE TABLE synced_skill (id TEXT PRIMARY KEY, name TEXT, description TEXT, goal TEXT, subscription TEXT)",
        )
        .unwrap();
        for (id, goal) in skills {
            conn.execute(
                "INSERT INTO synced_skill VALUES (?1, 'synced_' || ?1, ?2, ?2, 'shared flows')",
                (id, goal),
            )
            .unwrap();
        }
        conn.close().unwrap();
        path
    }
}

/// Every file under a folder with its bytes.
pub fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push((path.clone(), std::fs::read(&path).unwrap()));
        }
    }
    found.sort();
    found
}

pub fn contains(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

/// What a `Words` provider does when it is asked for a vector.
#[derive(Clone)]
pub enum Mood {
    Answers,
    Fails(EmbeddingError),
    Panics,
    Hangs,
}

/// A provider whose vectors are the counts of a text's words: equal words, equal vectors, and no meaning.
pub struct Words {
    model_id: Mutex<String>,
    mood: Mutex<Mood>,
    texts: Mutex<Vec<String>>,
}

/// Components of a `Words` vector.
const BUCKETS: usize = 256;

impl Words {
    pub fn new() -> Arc<Self> {
        Arc::new(Self {
            model_id: Mutex::new("words-1".to_owned()),
            mood: Mutex::new(Mood::Answers),
            texts: Mutex::default(),
        })
    }

    pub fn in_mood(mood: Mood) -> Arc<Self> {
        let words = Self::new();
        words.turn(mood);
        words
    }

    pub fn turn(&self, mood: Mood) {
        *self.mood.lock().unwrap() = mood;
    }

    /// From now on this is another model.
    pub fn become_model(&self, model_id: &str) {
        *self.model_id.lock().unwrap() = model_id.to_owned();
    }

    /// The texts that it was asked to embed.
    pub fn texts(&self) -> Vec<String> {
        self.texts.lock().unwrap().clone()
    }
}

impl EmbeddingProvider for Words {
    fn model_id(&self) -> Result<String, EmbeddingError> {
        Ok(self.model_id.lock().unwrap().clone())
    }

    fn dimension(&self) -> Result<u32, EmbeddingError> {
        Ok(BUCKETS as u32)
    }

    fn embed(&self, text: String) -> Result<Embedding, EmbeddingError> {
        self.texts.lock().unwrap().push(text.clone());
        loop {
            let mood = self.mood.lock().unwrap().clone();
            match mood {
                Mood::Answers => break,
                Mood::Fails(error) => return Err(error),
                Mood::Panics => std::panic::resume_unwind(Box::new("a provider of the host panics")),
                Mood::Hangs => {}
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let mut vector = vec![0.0; BUCKETS];
        // Shared by all texts, so that no vector is zero.
        vector[0] = 0.1;
        for word in text.to_lowercase().split(|c: char| !c.is_alphanumeric()) {
            let hash = word.bytes().fold(7_usize, |hash, byte| {
                hash.wrapping_mul(31).wrapping_add(usize::from(byte))
            });
            vector[1 + hash % (BUCKETS - 1)] += 1.0;
        }
        Ok(Embedding {
            vector,
            truncated: false,
        })
    }
}

/// A provider that must not be touched at all.
pub struct Untouchable;

impl EmbeddingProvider for Untouchable {
    fn model_id(&self) -> Result<String, EmbeddingError> {
        panic!("asked for its model")
    }

    fn dimension(&self) -> Result<u32, EmbeddingError> {
        panic!("asked for its dimension")
    }

    fn embed(&self, _: String) -> Result<Embedding, EmbeddingError> {
        panic!("asked for a vector")
    }
}
