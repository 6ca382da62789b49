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
        // One view of the file for all three questions: another process may be preparing it right now.
        let _view = conn
            .is_autocommit()
            .then(|| conn.unchecked_transaction())
            .transpose()?;
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A later release as it could be: one more column, one more table.
    const NEXT: &str = "ALTER TABLE template ADD COLUMN weight INTEGER NOT NULL DEFAULT 1;
        CREATE TABLE note (lineage_id TEXT NOT NULL REFERENCES lineage (id)) STRICT;";
    const AFTER_NEXT: &str = "CREATE INDEX note_lineage ON note (lineage_id);";

    fn file() -> (tempfile::TempDir, Connection) {
        let folder = tempfile::tempdir().unwrap();
        let conn = Connection::open(folder.path().join("skills.db")).unwrap();
        (folder, conn)
    }

    /// Every definition, spelled alike.
    fn definitions(conn: &Connection) -> Vec<String> {
        let mut statement = conn
            .prepare("SELECT type || ' ' || name || ' ' || coalesce(sql, '') FROM sqlite_schema ORDER BY 1")
            .unwrap();
        let rows = statement.query_map([], |row| row.get::<_, String>(0)).unwrap();
        rows.map(|row| {
            row.unwrap()
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
                .replace(" )", ")")
                .replace(" ,", ",")
        })
        .collect()
    }

    fn header(conn: &Connection) -> (i32, i32) {
        let read = |name| conn.pragma_query_value(None, name, |row| row.get(0)).unwrap();
        (read("application_id"), read("user_version"))
    }

    const ROWS: &str = "BEGIN;
        INSERT INTO lineage (id, name, goal_family) VALUES ('l', 'name', 'family');
        INSERT INTO skill (id, lineage_id, version, description, goal, skeleton, source, created_at_ms)
            VALUES ('s', 'l', 1, '', '', '[\"tap\"]', 'local-synthesis', 0);
        INSERT INTO template (skill_id, steps, parameters, secrets) VALUES ('s', '[{\"tool\":\"tap\"}]', '[]', '[]');
        INSERT INTO goal_term VALUES ('word', 'l');
        COMMIT;";

    #[test]
    fn an_upgraded_file_has_the_schema_of_a_fresh_one_and_keeps_its_rows() {
        let (_folder, mut old) = file();
        CURRENT.prepare(&mut old).unwrap();
        old.execute_batch(ROWS).unwrap();
        assert_eq!(header(&old), (APPLICATION_ID, CURRENT.version() as i32));

        let upgrades = [CURRENT.upgrades, &[NEXT, AFTER_NEXT]].concat();
        let last_column = "CHECK (revision >= 1)";
        let column = format!("{last_column}, weight INTEGER NOT NULL DEFAULT 1");
        let table = "CREATE TABLE note (lineage_id TEXT NOT NULL REFERENCES lineage (id)) STRICT;";
        let sql = CURRENT.sql.replace(last_column, &column) + table + AFTER_NEXT;
        let later = Schema {
            sql: &sql,
            upgrades: &upgrades,
        };
        later.prepare(&mut old).unwrap();
        let (_other, mut fresh) = file();
        later.prepare(&mut fresh).unwrap();

        assert_eq!(definitions(&old), definitions(&fresh));
        assert_eq!(header(&old), (APPLICATION_ID, CURRENT.version() as i32 + 2));
        let weight: i64 = old
            .query_row("SELECT weight FROM template", [], |row| row.get(0))
            .unwrap();
        assert_eq!(weight, 1);
    }

    #[test]
    fn an_upgrade_that_fails_half_way_leaves_everything_as_it_was() {
        let broken_reference = "CREATE TABLE note (lineage_id TEXT REFERENCES lineage (id));
            INSERT INTO note VALUES ('nobody');";
        for second in ["CREATE TABLE oops (", broken_reference] {
            let (_folder, mut conn) = file();
            CURRENT.prepare(&mut conn).unwrap();
            conn.execute_batch(ROWS).unwrap();
            let before = (definitions(&conn), header(&conn));
            let upgrades = [CURRENT.upgrades, &[NEXT, second]].concat();
            Schema {
                sql: "",
                upgrades: &upgrades,
            }
            .prepare(&mut conn)
            .unwrap_err();
            assert_eq!((definitions(&conn), header(&conn)), before);
            let references: bool = conn
                .pragma_query_value(None, "foreign_keys", |row| row.get(0))
                .unwrap();
            assert!(references, "the references are enforced again");
        }
    }

    #[test]
    fn a_prepared_file_is_not_written_again() {
        let (_folder, mut conn) = file();
        CURRENT.prepare(&mut conn).unwrap();
        let changes = conn.total_changes();
        let version: i64 = conn
            .pragma_query_value(None, "schema_version", |row| row.get(0))
            .unwrap();
        CURRENT.prepare(&mut conn).unwrap();
        assert_eq!(conn.total_changes(), changes);
        assert_eq!(
            conn.pragma_query_value(None, "schema_version", |row| row.get::<_, i64>(0))
                .unwrap(),
            version
        );
    }
}
