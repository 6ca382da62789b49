//! The synced catalog: skills that come from elsewhere, which this library reads and never writes.
//!
//! `SqliteCatalog` reads one SQLite file with this table (or a view of this shape); further columns are ignored:
//!
//! | `synced_skill`  | type            | holds                                               |
//! |-----------------|-----------------|-----------------------------------------------------|
//! | `id`            | TEXT, unique    | id of the skill, not empty                          |
//! | `name`          | TEXT            | readable name                                       |
//! | `description`   | TEXT            | what the skill does                                 |
//! | `goal`          | TEXT            | the goal it serves                                  |
//! | `subscription`  | TEXT or NULL    | the subscription it came with                       |
//!
//! A rollback journal and a WAL are both read. The file's bytes never change; beside a file in WAL mode that nobody
//! has open, SQLite itself leaves its usual `-wal` and `-shm` helpers.

use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, Row};

use crate::error::{Result, SkillError};

/// Skills from elsewhere. There is no way to write: what is synced belongs to whoever syncs it.
pub trait SyncedCatalog: Send + Sync {
    /// The skills with an id above `after` (none: from the start), ascending by id, at most `limit`.
    fn skills(&self, after: Option<&str>, limit: u32) -> Result<Vec<CatalogSkill>>;
}

/// One synced skill: what is needed to find it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogSkill {
    /// Its id in the catalog.
    pub id: String,
    /// Readable name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// The goal it serves.
    pub goal: String,
    /// The subscription it came with.
    pub subscription: Option<String>,
}

impl CatalogSkill {
    /// Changes when the text changes that is embedded (name, description and goal), so that a stored vector is known
    /// to be outdated. FNV-1a, 64 bits (IETF draft-eastlake-fnv), over the parts, each ended by a byte that UTF-8
    /// never has.
    pub fn text_hash(&self) -> i64 {
        let parts = [&self.name, &self.description, &self.goal];
        let bytes = parts.into_iter().flat_map(|part| part.bytes().chain([0xFF]));
        let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        hash.cast_signed()
    }
}

/// A catalog in a SQLite file, opened read-only.
pub struct SqliteCatalog {
    conn: Mutex<Connection>,
}

/// How long a read waits while the catalog is being synced.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

const PAGE: &str = "SELECT id, name, description, goal, subscription FROM synced_skill \
                    WHERE id > ?1 ORDER BY id LIMIT ?2";

impl SqliteCatalog {
    /// Opens a catalog. Fails with `Catalog` where there is no such file, or the table or a column is missing.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        // Absolute, so that SQLite takes a file named `file:x?mode=rwc` for what it is.
        let path = std::path::absolute(path).map_err(|error| SkillError::Catalog {
            reason: error.kind().to_string(),
        })?;
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let conn = Connection::open_with_flags(path, flags).map_err(unreadable)?;
        conn.busy_timeout(BUSY_TIMEOUT).map_err(unreadable)?;
        // The file is read-only to us already; this also refuses temporary tables.
        conn.pragma_update(None, "query_only", true).map_err(unreadable)?;
        // The file is somebody else's: its views may call nothing that has side effects.
        conn.pragma_update(None, "trusted_schema", false)
            .map_err(unreadable)?;
        conn.prepare_cached(PAGE).map_err(unreadable)?;
        Ok(Self {
            conn: Mutex::new(conn),
        })
    }
}

impl SyncedCatalog for SqliteCatalog {
    fn skills(&self, after: Option<&str>, limit: u32) -> Result<Vec<CatalogSkill>> {
        let conn = self.conn.lock().unwrap_or_else(PoisonError::into_inner);
        let mut page = conn.prepare_cached(PAGE).map_err(unreadable)?;
        let skills = page
            .query_map((after.unwrap_or(""), limit), skill_of)
            .map_err(unreadable)?;
        skills.collect::<Result<_, _>>().map_err(unreadable)
    }
}

fn skill_of(row: &Row<'_>) -> rusqlite::Result<CatalogSkill> {
    Ok(CatalogSkill {
        id: row.get(0)?,
        name: row.get(1)?,
        description: row.get(2)?,
        goal: row.get(3)?,
        subscription: row.get(4)?,
    })
}

/// SQLite's own messages name tables, columns and types, never what a row holds.
fn unreadable(error: rusqlite::Error) -> SkillError {
    let reason = match error {
        rusqlite::Error::SqlInputError { msg, .. } => msg,
        rusqlite::Error::InvalidColumnType(_, column, found) => format!("{column} holds {found}, not text"),
        // Its message repeats the bytes.
        rusqlite::Error::FromSqlConversionFailure(column, ..) | rusqlite::Error::Utf8Error(column, ..) => {
            format!("column {column} is not text")
        }
        other => other.to_string(),
    };
    SkillError::Catalog { reason }
}
