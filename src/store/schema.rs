//! The schema and the road to it: a fresh file gets `schema.sql`, an older one every upgrade since.

use rusqlite::{Connection, TransactionBehavior};

use crate::error::{Result, SkillError};

/// Marks a file as Adroit's in its SQLite header (`application_id`): the letters `Adro`.
pub(super) const APPLICATION_ID: i32 = i32::from_be_bytes(*b"Adro");

/// What this library knows of schemas: the newest one whole, and the steps that lead there from version 1.
pub(super) struct Schema<'a> {
    /// The newest schema, for a fresh file.
    pub sql: &'a str,
    /// `upgrades[i]` leads from version `i + 1` to `i + 2`.
    pub upgrades: &'a [&'a str],
}

/// The schema of this release.
pub(super) const CURRENT: Schema<'static> = Schema {
    sql: include_str!("schema.sql"),
    upgrades: &[],
};

impl Schema<'_> {
    /// The version a prepared file has, in its header's `user_version`.
    pub fn version(&self) -> u32 {
        self.upgrades.len() as u32 + 1
    }

    /// The version of an existing file, or none for an empty one. Reads only.
    ///
    /// Refuses what is not ours to touch: a newer schema, and the file of another application.
    pub fn version_of(&self, conn: &Connection) -> Result<Option<u32>> {
        let header = |pragma| conn.pragma_query_value(None, pragma, |row| row.get::<_, i32>(0));
        let (application, version) = (header("application_id")?, header("user_version")?);
        // Counting parses every definition, which finds a damaged schema now rather than in some later look-up.
        let objects: i64 = conn.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
        match (application, u32::try_from(version)) {
            (APPLICATION_ID, Ok(found)) if found > self.version() => Err(SkillError::NewerSchema {
                found,
                supported: self.version(),
            }),
            (APPLICATION_ID, Ok(found)) if found > 0 => Ok(Some(found)),
            (APPLICATION_ID, _) => Err(SkillError::CorruptStore {
                reason: format!("schema version {version}"),
            }),
            (0, Ok(0)) if objects == 0 => Ok(None),
            _ => Err(SkillError::Storage {
                reason: "the file belongs to another application".to_owned(),
            }),
        }
    }

    /// Brings a file to this schema, wholly or not at all.
    pub fn prepare(&self, conn: &mut Connection) -> Result<()> {
        if self.version_of(conn)? == Some(self.version()) {
            return Ok(());
        }
        // An upgrade may have to rebuild a table that others refer to, and SQLite takes this switch only outside
        // of a transaction. The references are checked as a whole before the commit.
        conn.pragma_update(None, "foreign_keys", false)?;
        let prepared = self.prepare_in_transaction(conn);
        conn.pragma_update(None, "foreign_keys", true)?;
        prepared
    }

    fn prepare_in_transaction(&self, conn: &mut Connection) -> Result<()> {
        let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        // Asked again under the lock: another process may have been faster.
        match self.version_of(&tx)? {
            None => tx.execute_batch(self.sql)?,
            Some(found) => {
                for upgrade in self.upgrades.iter().skip(found as usize - 1) {
                    tx.execute_batch(upgrade)?;
                }
            }
        }
        let broken: i64 = tx.query_row("SELECT count(*) FROM pragma_foreign_key_check", [], |row| {
            row.get(0)
        })?;
        if broken > 0 {
            return Err(SkillError::CorruptStore {
                reason: format!("{broken} rows refer to missing rows"),
            });
        }
        tx.pragma_update(None, "application_id", APPLICATION_ID)?;
        tx.pragma_update(None, "user_version", self.version())?;
        tx.commit()?;
        log::info!("store: schema {} ready", self.version());
        Ok(())
    }
}
