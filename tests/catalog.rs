//! The synced catalog is read and never written.

// Clippy's exception for tests stops at their helpers.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use adroit::catalog::{CatalogSkill, SqliteCatalog, SyncedCatalog};
use adroit::error::{Result, SkillError};
use adroit::store::{self, Store};
use rusqlite::Connection;

const TABLE: &str = "CREATE TABLE synced_skill (id TEXT PRIMARY KEY, name TEXT, description TEXT, goal TEXT, \
                     subscription TEXT, extra BLOB)";

struct Fixture {
    folder: tempfile::TempDir,
    path: PathBuf,
}

fn catalog(skills: usize, journal_mode: &str) -> Fixture {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("catalog.db");
    let conn = Connection::open(&path).unwrap();
    conn.pragma_update(None, "journal_mode", journal_mode).unwrap();
    conn.execute_batch(TABLE).unwrap();
    for index in 0..skills {
        let subscription = (index % 2 == 0).then_some("shared flows");
        conn.execute(
            "INSERT INTO synced_skill VALUES (?1, ?2, 'Opens a page', 'open page ' || ?2, ?3, x'00')",
            (
                format!("synced-{index:03}"),
                format!("skill_{index}"),
                subscription,
            ),
        )
        .unwrap();
    }
    conn.close().unwrap();
    Fixture { folder, path }
}

/// Every file of a folder with its bytes.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    entries
        .map(|path| (path.clone(), std::fs::read(path).unwrap()))
        .collect()
}

fn reason<T>(result: Result<T>) -> String {
    match result {
        Err(SkillError::Catalog { reason }) => reason,
        Err(other) => panic!("another error: {other}"),
        Ok(_) => panic!("no error"),
    }
}

#[test]
fn pages_come_in_the_order_of_the_ids() {
    let fixture = catalog(5, "DELETE");
    let catalog = SqliteCatalog::open(&fixture.path).unwrap();
    let first = catalog.skills(None, 2).unwrap();
    let rest = catalog.skills(Some(&first[1].id), 100).unwrap();
    assert_eq!(
        first[0],
        CatalogSkill {
            id: "synced-000".to_owned(),
            name: "skill_0".to_owned(),
            description: "Opens a page".to_owned(),
            goal: "open page skill_0".to_owned(),
            subscription: Some("shared flows".to_owned()),
        }
    );
    assert_eq!(first[1].subscription, None);
    let ids: Vec<&str> = first.iter().chain(&rest).map(|skill| skill.id.as_str()).collect();
    assert_eq!(
        ids,
        [
            "synced-000",
            "synced-001",
            "synced-002",
            "synced-003",
            "synced-004"
        ]
    );
    assert_eq!(catalog.skills(Some("synced-004"), 100).unwrap(), []);
    assert_eq!(catalog.skills(None, 0).unwrap(), []);
}

#[test]
fn its_folder_is_the_same_before_and_after_everything() {
    let fixture = catalog(30, "DELETE");
    let before = contents(fixture.folder.path());

    let elsewhere = tempfile::tempdir().unwrap();
    let store = Store::new(elsewhere.path().join("skills.db"));
    let catalog = SqliteCatalog::open(&fixture.path).unwrap();
    let skills = catalog.skills(None, 100).unwrap();
    let embed = |tx: &rusqlite::Transaction<'_>| {
        for skill in &skills {
            store::put_catalog_vector(tx, &skill.id, skill.text_hash(), "model", &[0.6, 0.8])?;
        }
        store::put_catalog_failure(tx, "gone", 1, "model", "timeout", 5)?;
        store::remove_catalog_embedding(tx, "gone")
    };
    store.write(embed).unwrap();
    assert_eq!(skills.len(), 30);
    assert_eq!(contents(fixture.folder.path()), before, "while it is open");
    drop(catalog);
    assert_eq!(contents(fixture.folder.path()), before, "after it was closed");
}

#[test]
fn a_catalog_that_is_being_synced_in_wal_mode_is_read_and_left_alone() {
    let fixture = catalog(1, "WAL");
    let syncer = Connection::open(&fixture.path).unwrap();
    syncer
        .execute(
            "INSERT INTO synced_skill (id, name, description, goal) VALUES ('z', 'n', 'd', 'g')",
            [],
        )
        .unwrap();
    let bytes = |suffix: &str| std::fs::read(format!("{}{suffix}", fixture.path.display())).unwrap();
    let before = (bytes(""), bytes("-wal"));

    let catalog = SqliteCatalog::open(&fixture.path).unwrap();
    assert_eq!(catalog.skills(None, 10).unwrap().len(), 2);
    drop(catalog);
    assert_eq!((bytes(""), bytes("-wal")), before);
    syncer
        .execute(
            "INSERT INTO synced_skill (id, name, description, goal) VALUES ('y', 'n', 'd', 'g')",
            [],
        )
        .unwrap();
}

#[test]
fn a_missing_file_is_an_error_and_is_not_created() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("catalog.db");
    assert!(reason(SqliteCatalog::open(&path)).contains("unable to open"));
    assert_eq!(contents(folder.path()), BTreeMap::new());
}

#[test]
fn a_file_of_another_shape_is_an_error_that_says_what_is_missing() {
    for (sql, missing) in [
        ("CREATE TABLE other (id TEXT)", "no such table: synced_skill"),
        (
            "CREATE TABLE synced_skill (id TEXT, name TEXT, description TEXT)",
            "no such column: goal",
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("catalog.db");
        Connection::open(&path).unwrap().execute_batch(sql).unwrap();
        assert_eq!(reason(SqliteCatalog::open(&path)), missing);
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("catalog.db");
    std::fs::write(&path, "this is no database, however long it may be".repeat(50)).unwrap();
    assert_eq!(reason(SqliteCatalog::open(&path)), "file is not a database");
}

#[test]
fn a_value_that_is_not_text_is_an_error_without_the_value() {
    for (value, said) in [
        ("NULL", "Null"),
        ("x'00'", "Blob"),
        ("CAST(x'ff73656372657421' AS TEXT)", "not text"),
    ] {
        let fixture = catalog(0, "DELETE");
        let insert = format!("INSERT INTO synced_skill VALUES ('id', 'n', 'd', {value}, NULL, NULL)");
        Connection::open(&fixture.path)
            .unwrap()
            .execute(&insert, [])
            .unwrap();
        let reason = reason(SqliteCatalog::open(&fixture.path).unwrap().skills(None, 10));
        assert!(reason.contains(said), "{value}: {reason}");
        assert!(
            !reason.contains("secret") && !reason.contains("115, 101"),
            "{reason}"
        );
    }
}

#[test]
fn the_text_hash_follows_every_embedded_part_and_nothing_else() {
    let skill = CatalogSkill {
        id: "a".to_owned(),
        name: "n".to_owned(),
        description: "d".to_owned(),
        goal: "g".to_owned(),
        subscription: None,
    };
    let hash = skill.text_hash();
    for changed in [
        CatalogSkill {
            name: "m".to_owned(),
            ..skill.clone()
        },
        CatalogSkill {
            description: "e".to_owned(),
            ..skill.clone()
        },
        CatalogSkill {
            goal: "h".to_owned(),
            ..skill.clone()
        },
        CatalogSkill {
            name: "nd".to_owned(),
            description: String::new(),
            ..skill.clone()
        },
    ] {
        assert_ne!(changed.text_hash(), hash, "{changed:?}");
    }
    let same_text = CatalogSkill {
        id: "b".to_owned(),
        subscription: Some("s".to_owned()),
        ..skill
    };
    assert_eq!(same_text.text_hash(), hash);
}
