//! The store: skills, versions, evidence and vectors in one SQLite file.
//!
//! A `Store` owns the connections; the functions beside it read and write through them, inside `Store::read` and
//! `Store::write`. What must hold whatever code writes, the database enforces: see `schema.sql`.

mod candidates;
mod embeddings;
mod failure;
#[cfg(test)]
mod plans;
mod recordings;
mod schema;
mod skills;
mod sql;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use rusqlite::config::DbConfig;
use rusqlite::{ErrorCode, OpenFlags, TransactionBehavior};

pub use rusqlite::{Connection, Transaction};

pub use candidates::{add_goal_terms, candidates};
pub use embeddings::{
    EmbeddingRow, EmbeddingStatus, catalog_embedding_status, catalog_vectors, data_version, embedding_status,
    embeddings_since, forgotten_since, pending, pending_count, put_catalog_failure, put_catalog_vector,
    put_failure, put_vector, remove_catalog_embedding,
};
pub use recordings::{
    insert_recording, put_recorded_call, recorded_calls, recording, recordings, remove_recording,
    update_recording,
};
pub use skills::{
    bind_app, count, executions, find_execution, forget, history, insert_execution, insert_skill, list,
    name_taken, newest, newest_by_goal_family, newest_by_name, skill, update_template, version_with_skeleton,
};

use crate::error::{Result, SkillError};

/// Oldest SQLite the store runs on, as SQLite counts (3.51.3): older ones can damage a database in WAL mode when
/// a checkpoint meets a writer of another process (sqlite.org/wal.html, "the WAL-reset bug").
pub const MIN_SQLITE: i32 = 3_051_003;

/// How long a statement waits for another process's lock, unless the store is told otherwise.
pub const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// How many prepared statements a connection keeps: more than there are in `sql.rs`.
const STATEMENTS: usize = 64;

/// One SQLite file. Nothing touches the disk before the first read or write.
pub struct Store {
    path: PathBuf,
    busy_timeout: Duration,
    // Closed before the writer, which as the last one folds the WAL into the file.
    reader: Mutex<Option<Reader>>,
    writer: Mutex<Option<Connection>>,
    closed: AtomicBool,
    damaged: AtomicBool,
}

/// What reads go through.
struct Reader {
    conn: Connection,
    /// Whether it is an empty store in memory, while there is no file.
    stands_in: bool,
}

impl Store {
    /// A store in this file. It is created by the first write, with the folders above it.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            busy_timeout: BUSY_TIMEOUT,
            reader: Mutex::new(None),
            writer: Mutex::new(None),
            closed: AtomicBool::new(false),
            damaged: AtomicBool::new(false),
        }
    }

    /// Sets how long a statement waits for another process's lock before it fails with `Busy`. Default 5 seconds.
    #[must_use]
    pub fn with_busy_timeout(mut self, timeout: Duration) -> Self {
        self.busy_timeout = timeout;
        self
    }

    /// Reads one consistent state. Waits for no writer. Without a file this reads an empty store and creates none.
    ///
    /// Neither `read` nor `write` may be called from inside of the closure.
    pub fn read<T>(&self, look_up: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let mut reader = lock(&self.reader);
        self.check_open()?;
        self.noting_damage(|| look_up(&*self.reader(&mut reader)?.transaction()?))
    }

    /// Writes all or nothing: commits when the closure succeeds, and leaves no trace when it fails or panics.
    /// Once this returns, the change survives a crash of the process and of the device.
    ///
    /// Neither `read` nor `write` may be called from inside of the closure.
    pub fn write<T>(&self, change: impl FnOnce(&Transaction<'_>) -> Result<T>) -> Result<T> {
        let mut writer = lock(&self.writer);
        self.check_open()?;
        self.noting_damage(|| {
            // IMMEDIATE: what the closure reads stays true until it writes, across processes.
            let tx = self
                .writer(&mut writer)?
                .transaction_with_behavior(TransactionBehavior::Immediate)?;
            let done = change(&tx)?;
            tx.commit()?;
            Ok(done)
        })
    }

    /// Writes as `write` does what deletes, and then empties the WAL, where what was deleted could still be read.
    ///
    /// While another connection reads, the WAL is emptied by its next checkpoint instead.
    pub fn write_deletion<T>(&self, change: impl FnOnce(&Transaction<'_>) -> Result<T>) -> Result<T> {
        let done = self.write(change)?;
        // A reader of our own holds the WAL only while it reads, and none does under its lock.
        let _reader = lock(&self.reader);
        if let Some(conn) = &*lock(&self.writer) {
            let emptied = conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, bool>(0));
            if !matches!(emptied, Ok(false)) {
                log::info!("store: the WAL is emptied later");
            }
        }
        Ok(done)
    }

    /// Moves a damaged file, with its WAL, beside its place under a time-stamped name, and returns that name. The
    /// next write starts a fresh store. Refused where the file is sound, newer than this library, or not ours.
    pub fn set_aside(&self) -> Result<PathBuf> {
        let mut reader = lock(&self.reader);
        let mut writer = lock(&self.writer);
        self.check_open()?;
        *reader = None;
        if let Some(writer) = writer.take() {
            // Closing would fold the WAL into a file whose bytes we want to keep.
            writer.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        }
        match self.examine() {
            Err(SkillError::CorruptStore { .. }) => {}
            Ok(()) if self.damaged.load(Ordering::Relaxed) => {}
            Ok(()) => {
                return Err(SkillError::InvalidArgument {
                    argument: "database".to_owned(),
                    reason: "it is not damaged, so it stays in place".to_owned(),
                });
            }
            Err(other) => return Err(other),
        }
        let aside = self.free_name();
        // The database last: were it gone first, SQLite would delete the WAL left alone.
        for suffix in ["-wal", "-journal", "-shm", ""] {
            match std::fs::rename(with_suffix(&self.path, suffix), with_suffix(&aside, suffix)) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(storage(&error)),
                _ => {}
            }
        }
        self.damaged.store(false, Ordering::Relaxed);
        log::warn!("store: a damaged file was set aside");
        Ok(aside)
    }

    /// Closes the connections, after the reads and writes that are under way. Every later call fails with `Closed`.
    pub fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
        *lock(&self.reader) = None;
        *lock(&self.writer) = None;
    }

    fn check_open(&self) -> Result<()> {
        if self.closed.load(Ordering::SeqCst) {
            Err(SkillError::Closed)
        } else {
            Ok(())
        }
    }

    fn noting_damage<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        work().inspect_err(|error| {
            if let SkillError::CorruptStore { reason } = error {
                log::error!("store: damaged: {reason}");
                self.damaged.store(true, Ordering::Relaxed);
            }
        })
    }

    fn writer<'a>(&self, slot: &'a mut Option<Connection>) -> Result<&'a mut Connection> {
        match slot {
            Some(conn) => Ok(conn),
            None => Ok(slot.insert(open_writer(&self.path, self.busy_timeout)?)),
        }
    }

    fn reader<'a>(&self, slot: &'a mut Option<Reader>) -> Result<&'a mut Connection> {
        let outdated = match slot {
            Some(reader) => reader.stands_in && self.exists()?,
            None => true,
        };
        if outdated {
            *slot = None;
        }
        match slot {
            Some(reader) => Ok(&mut reader.conn),
            None => Ok(&mut slot.insert(self.open_reader()?).conn),
        }
    }

    fn open_reader(&self) -> Result<Reader> {
        if !self.exists()? {
            let mut conn = Connection::open_in_memory()?;
            schema::CURRENT.prepare(&mut conn)?;
            return Ok(Reader {
                conn,
                stands_in: true,
            });
        }
        // The writer first: it brings the schema up to date.
        self.writer(&mut lock(&self.writer))?;
        let conn = open(&self.path, OpenFlags::SQLITE_OPEN_READ_ONLY, self.busy_timeout)?;
        configure(&conn)?;
        Ok(Reader {
            conn,
            stands_in: false,
        })
    }

    fn exists(&self) -> Result<bool> {
        self.path.try_exists().map_err(|error| storage(&error))
    }

    /// Looks for damage without changing a byte.
    fn examine(&self) -> Result<()> {
        let conn = open_unchanged(&self.path, OpenFlags::SQLITE_OPEN_READ_WRITE, self.busy_timeout)?;
        let verdict: String = conn.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
        if verdict == "ok" {
            Ok(())
        } else {
            Err(SkillError::CorruptStore { reason: verdict })
        }
    }

    /// A name beside the store's that nothing has.
    fn free_name(&self) -> PathBuf {
        let now = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default().as_millis();
        let mut names = (now..).map(|stamp| with_suffix(&self.path, &format!(".corrupt-{stamp}")));
        names
            .find(|name| !name.exists())
            .unwrap_or_else(|| with_suffix(&self.path, ".corrupt"))
    }
}

/// Opens the file for writing, creates it where there is none, and brings its schema up to date. A file that is
/// damaged, newer or not ours is left as it is.
fn open_writer(path: &Path, busy_timeout: Duration) -> Result<Connection> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|error| storage(&error))?;
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
    let mut conn = open_unchanged(path, flags, busy_timeout)?;
    use_wal(&conn, busy_timeout)?;
    configure(&conn)?;
    schema::CURRENT.prepare(&mut conn)?;
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)?;
    Ok(conn)
}

/// Opens a file that may be damaged, newer or not ours, and refuses it without changing a byte.
fn open_unchanged(path: &Path, flags: OpenFlags, busy_timeout: Duration) -> Result<Connection> {
    let leftover_wal = with_suffix(path, "-wal").exists();
    let conn = open(path, flags, busy_timeout)?;
    // Closing would fold the WAL that a crashed process left into the file. Without one there is nothing to fold,
    // and closing removes the empty one that looking made.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, leftover_wal)?;
    schema::CURRENT.version_of(&conn)?;
    Ok(conn)
}

/// Opens a connection. `NO_MUTEX`, since each stands behind a mutex of ours.
fn open(path: &Path, flags: OpenFlags, busy_timeout: Duration) -> Result<Connection> {
    if rusqlite::version_number() < MIN_SQLITE {
        return Err(SkillError::Storage {
            reason: format!("SQLite {} is too old", rusqlite::version()),
        });
    }
    // Absolute, so that SQLite takes a file named `:memory:` or `file:x` for what it is.
    let path = std::path::absolute(path).map_err(|error| storage(&error))?;
    let conn = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    conn.busy_timeout(busy_timeout)?;
    Ok(conn)
}

/// Switches to a write-ahead log, so that readers do not wait for a writer. The mode stays with the file.
fn use_wal(conn: &Connection, patience: Duration) -> Result<()> {
    let start = Instant::now();
    loop {
        match conn.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get::<_, String>(0)) {
            // SQLite does not wait here by itself when two processes create the file at once.
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => {
                if start.elapsed() > patience {
                    return Err(error.into());
                }
                std::thread::sleep(Duration::from_millis(5));
            }
            // A file system without shared memory keeps its rollback journal: slower, as safe.
            mode => return mode.map(drop).map_err(Into::into),
        }
    }
}

/// Settings that do not stay with the file.
fn configure(conn: &Connection) -> Result<()> {
    // A commit is on the disk when it returns: in WAL mode anything less may lose it when the power goes.
    conn.pragma_update(None, "synchronous", "FULL")?;
    // SQLite enforces references only for connections that ask for it.
    conn.pragma_update(None, "foreign_keys", true)?;
    // Without it INSERT OR REPLACE removes rows behind the back of the triggers that refuse to.
    conn.pragma_update(None, "recursive_triggers", true)?;
    // The user's goals never reach a temporary file outside of the app's folder.
    conn.pragma_update(None, "temp_store", "MEMORY")?;
    // What is deleted is overwritten: a forgotten goal must not be readable in the file's free pages.
    conn.pragma_update(None, "secure_delete", true)?;
    // A tampered file's views and triggers cannot call functions with side effects.
    conn.pragma_update(None, "trusted_schema", false)?;
    // A damaged page is found when it is read rather than carried along.
    conn.pragma_update(None, "cell_size_check", true)?;
    // Plans do not depend on the values that are bound. Otherwise SQLite plans a statement anew for new values,
    // which for the short look-ups of learning takes far longer than running it.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    // Every statement the store has stays prepared.
    conn.set_prepared_statement_cache_capacity(STATEMENTS);
    // SQL can no longer damage the file, for example through `writable_schema`.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    Ok(())
}

/// A panic under a lock rolled its transaction back, so the connection behind it is sound.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    name.into()
}

fn storage(error: &std::io::Error) -> SkillError {
    SkillError::Storage {
        reason: error.kind().to_string(),
    }
}
