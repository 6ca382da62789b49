//! Learning, looking up and opening with 0, 10,000 and 100,000 stored skills, embedding off, in SQLite files on the
//! disk that temporary files are on.
//!
//! The floor of learning is one durable insert: a bare IMMEDIATE transaction of one row, with the store's settings.
//! After the table come `RATIO` and `BEYOND` lines of medians, measured in turns so that a busy machine slows every
//! side alike. The program fails when one misses its limit.
#![allow(
    clippy::unwrap_used,
    reason = "a bench that cannot be set up has nothing to measure"
)]

#[path = "learn/filling.rs"]
mod filling;
#[path = "learn/tasks.rs"]
mod tasks;

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use adroit::library::{Config, EmbeddingConfig, SkillLibrary};
use adroit::outcome::Decision;
use adroit::timeline::Timeline;
use divan::Bencher;
use rusqlite::{Connection, TransactionBehavior};

const SIZES: [u32; 3] = [0, 10_000, 100_000];
const PAGE: u32 = 20;

fn main() -> ExitCode {
    // Removed when this returns, with all that is measured on.
    let folder = tempfile::tempdir().unwrap();
    FOLDER.set(folder.path().to_owned()).unwrap();
    // Only `cargo bench` asks for measurements: tests and listings pass other flags.
    let measuring = std::env::args().any(|argument| argument == "--bench");
    if measuring {
        // Before the table, which what this prints would tear apart.
        SIZES.iter().for_each(|stored| drop(filled(*stored)));
    }
    divan::main();
    if measuring { ratios() } else { ExitCode::SUCCESS }
}

static FOLDER: OnceLock<PathBuf> = OnceLock::new();

#[divan::bench(sample_count = 50, sample_size = 1)]
fn durable_insert(bencher: Bencher) {
    let floor = Floor::new();
    bencher.bench_local(|| floor.insert());
}

#[divan::bench(args = SIZES, sample_count = 20, sample_size = 1)]
fn learn_new_skill(bencher: Bencher, stored: u32) {
    let stock = Stock::of(stored);
    bencher
        .with_inputs(|| stock.new_skill())
        .bench_local_refs(Job::run);
}

#[divan::bench(args = SIZES, sample_count = 20, sample_size = 1)]
fn learn_known_skill(bencher: Bencher, stored: u32) {
    let stock = Stock::of(stored);
    bencher
        .with_inputs(|| stock.known_skill())
        .bench_local_refs(Job::run);
}

#[divan::bench(args = SIZES, sample_count = 50)]
fn look_up_by_id(bencher: Bencher, stored: u32) {
    let stock = Stock::of(stored);
    let ids = stock.some(|skill| skill.skill_id);
    bencher
        .with_inputs(|| ids.next())
        .bench_local_values(|id| stock.library.skill(id).unwrap());
}

#[divan::bench(args = SIZES, sample_count = 50)]
fn look_up_by_name(bencher: Bencher, stored: u32) {
    let stock = Stock::of(stored);
    let names = stock.some(|skill| skill.name);
    bencher
        .with_inputs(|| names.next())
        .bench_local_values(|name| stock.library.skill_by_name(name).unwrap());
}

#[divan::bench(args = SIZES, sample_count = 50)]
fn list_page_of_20(bencher: Bencher, stored: u32) {
    let stock = Stock::of(stored);
    let names = stock.some(|skill| skill.name);
    bencher
        .with_inputs(|| names.next())
        .bench_local_values(|name| stock.library.list(Some(name), PAGE).unwrap());
}

/// A new library object on a closed file; the system may have the file in memory.
#[divan::bench(args = SIZES, sample_count = 20, sample_size = 1)]
fn open_and_look_up(bencher: Bencher, stored: u32) {
    let path = filled(stored);
    let name = Stock::of(stored).some(|skill| skill.name).next();
    bencher.with_inputs(|| name.clone()).bench_local_values(|name| {
        let library = open(&path);
        library.skill_by_name(name).unwrap();
        library
    });
}

fn ratios() -> ExitCode {
    const ROUNDS: usize = 21;
    let floor = Floor::new();
    let stocks = SIZES.map(Stock::of);
    let mut floors = Vec::new();
    let mut learned = [const { [const { Vec::new() }; 2] }; SIZES.len()];
    for _ in 0..ROUNDS {
        floors.push(time(|| floor.insert()));
        for (stock, [new, known]) in stocks.iter().zip(&mut learned) {
            let mut job = stock.new_skill();
            new.push(time(|| job.run()));
            let mut job = stock.known_skill();
            known.push(time(|| job.run()));
        }
    }
    let floor = median(floors);
    let [empty, rest @ ..] = learned.map(|kinds| kinds.map(median));
    let mut missed = 0;
    for (stored, learned) in SIZES[1..].iter().zip(rest) {
        for (what, time, empty) in [("new", learned[0], empty[0]), ("known", learned[1], empty[1])] {
            let ratio = |to: Duration| time.as_secs_f64() / to.as_secs_f64();
            println!(
                "RATIO learn a {what} skill at {stored} / at 0 {:.2}",
                ratio(empty)
            );
            println!(
                "RATIO learn a {what} skill at {stored} / durable insert {:.2}",
                ratio(floor)
            );
            let beyond = time.saturating_sub(floor);
            let verdict = if beyond <= COMFORTABLE { "ok" } else { "MISSED" };
            missed += u32::from(beyond > COMFORTABLE);
            println!(
                "BEYOND learn a {what} skill at {stored} - durable insert {:.1} ms must <= {} ms {verdict}",
                beyond.as_secs_f64() * 1e3,
                COMFORTABLE.as_millis()
            );
        }
    }
    if missed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// What learning may take beside the one durable write: nobody waits for it, and it should not show in a battery.
const COMFORTABLE: Duration = Duration::from_millis(50);

fn time<T>(work: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    let done = work();
    let elapsed = start.elapsed();
    drop(done);
    elapsed
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// One row into a file, durably.
struct Floor(std::cell::RefCell<Connection>);

impl Floor {
    fn new() -> Self {
        let connection = Connection::open(fresh("floor")).unwrap();
        connection
            .execute_batch(
                "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;
                 CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT",
            )
            .unwrap();
        Self(connection.into())
    }

    fn insert(&self) {
        let mut connection = self.0.borrow_mut();
        let transaction = connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .unwrap();
        transaction
            .prepare_cached("INSERT INTO note (text) VALUES ('a durable note')")
            .unwrap()
            .execute([])
            .unwrap();
        transaction.commit().unwrap();
    }
}

/// A library with so many skills, and tasks for it.
struct Stock {
    library: Arc<SkillLibrary>,
    stored: u32,
}

/// A task to be learned, and what must come of it.
struct Job {
    library: Arc<SkillLibrary>,
    task: Option<Timeline>,
    new: bool,
}

impl Job {
    fn run(&mut self) {
        let outcome = self.library.learn(self.task.take().unwrap()).unwrap();
        let new = matches!(outcome.decision, Decision::Created);
        assert_eq!(new, self.new, "{outcome:?}");
    }
}

impl Stock {
    fn of(stored: u32) -> Self {
        Self {
            library: open(&filled(stored)),
            stored,
        }
    }

    /// A task of a kind that was never learned.
    fn new_skill(&self) -> Job {
        static KIND: AtomicU32 = AtomicU32::new(SIZES[SIZES.len() - 1]);
        let task = tasks::timeline(KIND.fetch_add(1, Ordering::Relaxed), 0);
        Job {
            library: self.library(),
            task: Some(task),
            new: true,
        }
    }

    /// Another execution of a kind that was learned.
    fn known_skill(&self) -> Job {
        static EXECUTION: AtomicU32 = AtomicU32::new(filling::MOST_EXECUTIONS);
        let execution = EXECUTION.fetch_add(1, Ordering::Relaxed);
        let kind = execution * 97 % self.stored.max(1);
        let library = self.library();
        if self.stored == 0 {
            library.learn(tasks::timeline(kind, 0)).unwrap();
        }
        Job {
            library,
            task: Some(tasks::timeline(kind, execution)),
            new: false,
        }
    }

    /// Among thousands a few more make no difference. To stay empty takes a file of its own for every task, opened
    /// and warmed by a task that the next one has nothing in common with.
    fn library(&self) -> Arc<SkillLibrary> {
        if self.stored > 0 {
            return Arc::clone(&self.library);
        }
        let library = open(&fresh("empty"));
        library.learn(tasks::unlike_any()).unwrap();
        library
    }

    /// What a few hundred skills from all over the store have, over and over; of an empty one something that no
    /// skill has.
    fn some(&self, of: impl Fn(adroit::skill::Skill) -> String) -> Cycle {
        let starts = ('a'..='z').map(|letter| self.library.list(Some(letter.into()), PAGE).unwrap());
        let mut values: Vec<String> = starts.flatten().map(of).collect();
        if values.is_empty() {
            values.push("none".to_owned());
        }
        Cycle {
            values,
            at: Cell::new(0),
        }
    }
}

struct Cycle {
    values: Vec<String>,
    at: Cell<usize>,
}

impl Cycle {
    fn next(&self) -> String {
        let at = self.at.get();
        // A stride that is prime visits them all, no neighbours in a row.
        self.at.set(at + 7919);
        self.values[at % self.values.len()].clone()
    }
}

fn open(path: &Path) -> Arc<SkillLibrary> {
    let config = Config {
        database_path: path.to_str().unwrap().to_owned(),
        authoring_enabled: true,
        embedding: EmbeddingConfig {
            enabled: false,
            ..EmbeddingConfig::default()
        },
        ..Config::default()
    };
    SkillLibrary::open(config).unwrap()
}

/// The file with so many skills; made when it is first asked for.
fn filled(stored: u32) -> PathBuf {
    let path = FOLDER.get().unwrap().join(format!("{stored}.db"));
    if !path.exists() {
        let took = time(|| filling::fill(&path, stored));
        let size = path.metadata().unwrap().len();
        println!(
            "FILL {stored} skills in {:.1} s, {} MB",
            took.as_secs_f64(),
            size / 1_000_000
        );
    }
    path
}

/// The path of a file that nothing has.
fn fresh(name: &str) -> PathBuf {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    FOLDER.get().unwrap().join(format!("{name}-{number}.db"))
}
