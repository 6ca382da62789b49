//! The store: what it keeps, what it finds, and what it refuses.

// Clippy's exception for tests stops at their helpers.
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use adroit::JsonValue;
use adroit::error::{Result, SkillError};
use adroit::matching::{Lookup, MAX_GOALS};
use adroit::outcome::{Decision, Evidence};
use adroit::skill::{Execution, LOCAL_SOURCE, Parameter, Role, Skill, Step, ValueType};
use adroit::store::{self, Store};
use rusqlite::{Connection, Transaction};
use serde_json::json;
use tempfile::TempDir;

// ---------------------------------------------------------------------------------------------- fixtures

fn fresh() -> (TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::new(folder.path().join("skills.db"));
    (folder, store)
}

fn steps(tools: &[&str]) -> Vec<Step> {
    let step = |tool: &&str| Step {
        tool: (*tool).to_owned(),
        arguments: json!({"text": "{query}", "x": 1.5}),
    };
    tools.iter().map(step).collect()
}

/// Version 1 of a lineage called `name`, in no app.
fn first(name: &str, tools: &[&str]) -> Skill {
    Skill {
        skill_id: format!("{name}-1"),
        lineage_id: format!("lineage-{name}"),
        name: name.to_owned(),
        version: 1,
        parent_id: None,
        description: "Types a text.".to_owned(),
        goal: format!("goal of {name}"),
        goal_family: format!("family {name}"),
        app: None,
        source: LOCAL_SOURCE.to_owned(),
        subscription: None,
        steps: steps(tools),
        parameters: Vec::new(),
        secrets: vec!["password".to_owned()],
        created_at_ms: 1_700_000_000_000,
    }
}

fn next(parent: &Skill, tools: &[&str]) -> Skill {
    let version = parent.version + 1;
    Skill {
        skill_id: format!("{}-{version}", parent.name),
        version,
        parent_id: Some(parent.skill_id.clone()),
        steps: steps(tools),
        ..parent.clone()
    }
}

fn in_app(app: &str, skill: Skill) -> Skill {
    Skill {
        app: Some(app.to_owned()),
        ..skill
    }
}

fn parameter(name: &str) -> Parameter {
    Parameter {
        name: name.to_owned(),
        value_type: ValueType::String,
        role: Role::Content,
        required: true,
        default: None,
        seen: vec![json!("tea {{now}} \u{0}\n🫖")],
        in_goal: true,
    }
}

fn execution(task_id: &str, skill_id: &str, goal: &str) -> Execution {
    Execution {
        task_id: task_id.to_owned(),
        skill_id: skill_id.to_owned(),
        goal: goal.to_owned(),
        app: None,
        decision: Decision::Created,
        evidence: Evidence::default(),
        values: HashMap::from([("query".to_owned(), json!({"of": task_id}))]),
        typed: vec![task_id.to_owned()],
        learned_at_ms: 5,
    }
}

fn insert(store: &Store, skills: &[&Skill]) {
    store
        .write(|tx| skills.iter().try_for_each(|skill| store::insert_skill(tx, skill)))
        .unwrap();
}

fn sql(store: &Store, statement: &str) -> Result<()> {
    store.write(|tx| Ok(tx.execute_batch(statement)?))
}

fn lookup(store: &Store, lookup: &Lookup) -> Vec<String> {
    let found = store.read(|conn| store::candidates(conn, lookup)).unwrap();
    found
        .into_iter()
        .map(|candidate| candidate.newest.skill_id)
        .collect()
}

fn words(text: &str) -> Vec<String> {
    text.split(' ').map(str::to_owned).collect()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

// ------------------------------------------------------------------------------------ what is kept and found

#[test]
fn a_skill_comes_back_as_it_was_stored() {
    let (_folder, store) = fresh();
    let odd_tools = ["tap", "t\"a\\p", "打开\u{7f}", "", "a\u{0}b\n"];
    let skill = Skill {
        parameters: vec![parameter("query")],
        ..in_app("时钟", first("odd", &odd_tools))
    };
    insert(&store, &[&skill]);
    assert_eq!(
        store.read(|conn| store::skill(conn, "odd-1")).unwrap(),
        Some(skill)
    );
    assert_eq!(store.read(|conn| store::skill(conn, "odd-2")).unwrap(), None);
}

#[test]
fn look_ups_give_the_newest_version_and_ids_any_version() {
    let (_folder, store) = fresh();
    let one = first("alarm", &["tap"]);
    let two = next(&one, &["tap", "tap"]);
    let three = next(&two, &["tap"]);
    insert(&store, &[&one, &two, &three, &first("note", &["tap"])]);
    store
        .read(|conn| {
            assert_eq!(store::newest_by_name(conn, "alarm")?.as_ref(), Some(&three));
            assert_eq!(
                store::newest_by_goal_family(conn, "family alarm", None)?.as_ref(),
                Some(&three)
            );
            assert_eq!(store::newest(conn, "lineage-alarm")?.as_ref(), Some(&three));
            assert_eq!(store::skill(conn, "alarm-1")?.as_ref(), Some(&one));
            assert_eq!(
                store::history(conn, "lineage-alarm")?,
                [one, two.clone(), three.clone()]
            );
            let same_steps = |tools: &str| store::version_with_skeleton(conn, "lineage-alarm", &words(tools));
            assert_eq!(same_steps("tap tap")?, Some(two));
            assert_eq!(same_steps("tap")?, Some(three), "the newest of two");
            assert_eq!(same_steps("tap tap tap")?, None);
            assert_eq!(store::count(conn)?, 2);
            assert!(store::name_taken(conn, "note")? && !store::name_taken(conn, "notes")?);
            assert_eq!(store::newest_by_name(conn, "nobody")?, None);
            assert_eq!(store::history(conn, "nobody")?, []);
            Ok(())
        })
        .unwrap();
}

#[test]
fn a_family_without_an_app_means_the_lineage_learned_into_most_recently() {
    let (_folder, store) = fresh();
    let family = |name: &str, app: &str| Skill {
        goal_family: "search".to_owned(),
        ..in_app(app, first(name, &["tap"]))
    };
    insert(&store, &[&family("b", "Firefox"), &family("a", "Chrome")]);
    let newest = |app: Option<&str>| {
        let found = store
            .read(|conn| store::newest_by_goal_family(conn, "search", app))
            .unwrap();
        found.map(|skill| skill.skill_id)
    };
    for (task, skill_id) in [("1", "a-1"), ("2", "b-1"), ("3", "a-1"), ("4", "b-1")] {
        store
            .write(|tx| store::insert_execution(tx, &execution(task, skill_id, "goal")))
            .unwrap();
        assert_eq!(newest(None).as_deref(), Some(skill_id));
    }
    assert_eq!(newest(Some("Chrome")).as_deref(), Some("a-1"));
    assert_eq!(newest(Some("Opera")), None);
}

#[test]
fn the_list_pages_through_the_newest_versions_by_name() {
    let (_folder, store) = fresh();
    let skills: Vec<Skill> = ["d", "b", "a", "c_2", "c"]
        .map(|name| first(name, &["tap"]))
        .to_vec();
    insert(&store, &skills.iter().collect::<Vec<_>>());
    insert(&store, &[&next(&skills[1], &["swipe"])]);
    let mut pages = Vec::new();
    let mut after: Option<String> = None;
    loop {
        let page = store.read(|conn| store::list(conn, after.as_deref(), 2)).unwrap();
        let Some(last) = page.last() else { break };
        after = Some(last.name.clone());
        pages.push(page.into_iter().map(|skill| skill.skill_id).collect::<Vec<_>>());
    }
    assert_eq!(pages, [vec!["a-1", "b-2"], vec!["c-1", "c_2-1"], vec!["d-1"]]);
    assert_eq!(store.read(|conn| store::list(conn, None, 0)).unwrap(), []);
}

#[test]
fn executions_come_back_oldest_first_and_by_task() {
    let (_folder, store) = fresh();
    insert(&store, &[&first("alarm", &["tap"])]);
    let runs: Vec<Execution> = ["z", "a", "m"]
        .map(|task| execution(task, "alarm-1", "wake me"))
        .to_vec();
    store
        .write(|tx| runs.iter().try_for_each(|run| store::insert_execution(tx, run)))
        .unwrap();
    assert_eq!(
        store.read(|conn| store::executions(conn, "alarm-1")).unwrap(),
        runs
    );
    assert_eq!(
        store
            .read(|conn| store::find_execution(conn, "a"))
            .unwrap()
            .as_ref(),
        Some(&runs[1])
    );
    assert_eq!(store.read(|conn| store::find_execution(conn, "b")).unwrap(), None);
}

#[test]
fn a_template_learns_while_its_version_is_the_newest() {
    let (_folder, store) = fresh();
    let one = first("alarm", &["tap"]);
    insert(&store, &[&one]);
    let update = |skill_id: &str, tools: &[&str]| {
        store.write(|tx| store::update_template(tx, skill_id, &steps(tools), &[parameter("query")], &[]))
    };
    update("alarm-1", &["tap"]).unwrap();
    let learned = store.read(|conn| store::skill(conn, "alarm-1")).unwrap().unwrap();
    assert_eq!(
        learned,
        Skill {
            parameters: vec![parameter("query")],
            secrets: vec![],
            ..one.clone()
        }
    );
    assert!(update("alarm-1", &["swipe"]).is_err());
    assert_eq!(
        update("nobody", &["tap"]),
        Err(SkillError::UnknownSkill {
            skill: "nobody".to_owned()
        })
    );

    insert(&store, &[&next(&one, &["tap", "tap"])]);
    assert!(update("alarm-1", &["tap"]).is_err());
    assert_eq!(
        store.read(|conn| store::skill(conn, "alarm-1")).unwrap(),
        Some(learned)
    );
}

#[test]
fn an_app_is_learned_once_and_earlier_versions_stay_as_they_were() {
    let (_folder, store) = fresh();
    let bind = |lineage_id: &str, app: &str| store.write(|tx| store::bind_app(tx, lineage_id, app)).unwrap();
    let app = |skill_id: &str| {
        store
            .read(|conn| store::skill(conn, skill_id))
            .unwrap()
            .unwrap()
            .app
    };

    let alarm = first("alarm", &["tap"]);
    insert(&store, &[&alarm, &next(&alarm, &["swipe"])]);
    assert!(bind("lineage-alarm", "Clock"));
    assert!(!bind("lineage-alarm", "Other"), "it has one");
    assert_eq!((app("alarm-1"), app("alarm-2").as_deref()), (None, Some("Clock")));

    // A new version brings the app along.
    let note = first("note", &["tap"]);
    insert(&store, &[&note, &in_app("Keep", next(&note, &["swipe"]))]);
    assert_eq!((app("note-1"), app("note-2").as_deref()), (None, Some("Keep")));
    let by_app = store
        .read(|conn| store::newest_by_goal_family(conn, "family note", Some("Keep")))
        .unwrap();
    assert_eq!(by_app.unwrap().skill_id, "note-2");

    // The app's place in the family is taken.
    let rival = Skill {
        goal_family: "family note".to_owned(),
        ..first("rival", &["tap"])
    };
    insert(&store, &[&rival]);
    assert!(!bind("lineage-rival", "Keep"));
    assert_eq!(app("rival-1"), None);
}

// ------------------------------------------------------------------------------------------------ candidates

#[test]
fn every_road_finds_its_lineages_and_none_comes_twice() {
    let (_folder, store) = fresh();
    let by_skeleton = first("skeleton", &["tap", "swipe"]);
    let old = first("old", &["tap", "swipe"]);
    let by_family = Skill {
        goal_family: "shared family".to_owned(),
        ..first("family", &["a"])
    };
    let by_terms = first("terms", &["b"]);
    let hinted = first("hint", &["c"]);
    insert(
        &store,
        &[
            &by_skeleton,
            &old,
            &next(&old, &["tap"]),
            &by_family,
            &by_terms,
            &hinted,
        ],
    );
    insert(&store, &[&next(&hinted, &["d"]), &first("unrelated", &["e"])]);
    store
        .write(|tx| {
            store::add_goal_terms(tx, "lineage-terms", &words("wake me"))?;
            store::add_goal_terms(tx, "lineage-terms", &words("me early"))?;
            store::add_goal_terms(tx, "lineage-hint", &words("wake"))
        })
        .unwrap();
    let whole = Lookup {
        skill_id: Some("hint-1".to_owned()),
        goal_families: vec!["nobody's".to_owned(), "shared family".to_owned()],
        app: None,
        skeleton: words("tap swipe"),
        terms: words("wake early bird"),
    };
    assert_eq!(
        lookup(&store, &whole),
        ["hint-2", "family-1", "skeleton-1", "terms-1"]
    );
    assert_eq!(
        lookup(
            &store,
            &Lookup {
                terms: words("wake early"),
                ..Lookup::default()
            }
        ),
        ["terms-1", "hint-2"]
    );
    assert_eq!(lookup(&store, &Lookup::default()), Vec::<String>::new());
}

#[test]
fn the_same_skeleton_counts_in_the_same_app_first_then_without_one_then_in_any() {
    let (_folder, store) = fresh();
    let skill = |name: &str, app: Option<&str>| Skill {
        app: app.map(str::to_owned),
        ..first(name, &["tap"])
    };
    let stored = [
        skill("clock", Some("Clock")),
        skill("none", None),
        skill("keep", Some("Keep")),
        skill("clock_too", Some("Clock")),
    ];
    insert(&store, &stored.iter().collect::<Vec<_>>());
    let in_app = |app: Option<&str>| {
        let app = app.map(str::to_owned);
        lookup(
            &store,
            &Lookup {
                app,
                skeleton: words("tap"),
                ..Lookup::default()
            },
        )
    };
    assert_eq!(
        in_app(Some("Clock")),
        ["clock_too-1", "clock-1", "none-1", "keep-1"]
    );
    assert_eq!(in_app(None), ["none-1", "clock_too-1", "keep-1", "clock-1"]);
}

#[test]
fn candidates_are_capped_with_the_newest_kept_and_common_words_passed_over() {
    let (_folder, store) = fresh();
    store
        .write(|tx| {
            (0..1_000).try_for_each(|index| {
                let skill = first(&format!("skill_{index:04}"), &["tap"]);
                store::insert_skill(tx, &skill)?;
                let common = if index < 999 { "common nearly" } else { "common" };
                store::add_goal_terms(tx, &skill.lineage_id, &words(common))
            })
        })
        .unwrap();
    let by_skeleton = lookup(
        &store,
        &Lookup {
            skeleton: words("tap"),
            ..Lookup::default()
        },
    );
    assert_eq!(by_skeleton.len(), 128);
    assert_eq!(
        (by_skeleton[0].as_str(), by_skeleton[127].as_str()),
        ("skill_0999-1", "skill_0872-1")
    );
    let by_term = |terms: &str| {
        lookup(
            &store,
            &Lookup {
                terms: words(terms),
                ..Lookup::default()
            },
        )
    };
    assert_eq!(by_term("common"), Vec::<String>::new());
    let nearly = by_term("nearly common");
    assert_eq!((nearly.len(), nearly[0].as_str()), (64, "skill_0998-1"));
}

#[test]
fn a_candidate_brings_the_first_and_the_newest_goals_of_all_its_versions() {
    let (_folder, store) = fresh();
    let one = first("alarm", &["tap"]);
    let two = next(&one, &["tap", "tap"]);
    insert(&store, &[&one, &two]);
    store
        .write(|tx| {
            for index in 0..20 {
                let skill = if index < 12 { &one } else { &two };
                let goal = format!("alarm at {}", if index == 19 { 18 } else { index });
                store::insert_execution(tx, &execution(&format!("task-{index}"), &skill.skill_id, &goal))?;
            }
            Ok(())
        })
        .unwrap();
    let lookup = Lookup {
        skill_id: Some("alarm-1".to_owned()),
        ..Lookup::default()
    };
    let candidate = store
        .read(|conn| store::candidates(conn, &lookup))
        .unwrap()
        .remove(0);
    assert_eq!(candidate.newest, two);
    assert_eq!(candidate.goals.len(), MAX_GOALS);
    let goals: Vec<&str> = candidate.goals.iter().map(|past| past.goal.as_str()).collect();
    let expected = [0, 12, 13, 14, 15, 16, 17, 18].map(|hour| format!("alarm at {hour}"));
    assert_eq!(goals, expected);
    assert_eq!(
        candidate.goals[7].values["query"],
        json!({"of": "task-19"}),
        "the newest run of a goal"
    );
}

// ------------------------------------------------------------------------------------------------ embeddings

type Row = (String, u32, Option<Vec<f32>>);

fn embeddings(store: &Store, model: &str, since: &mut i64) -> Vec<Row> {
    let mut rows = Vec::new();
    let read = |conn: &Connection| {
        store::embeddings_since(conn, model, *since, |row| {
            assert_eq!(
                row.lineage_id,
                format!("lineage-{}", row.skill_id.split('-').next().unwrap())
            );
            rows.push((
                row.seq,
                (
                    row.skill_id.to_owned(),
                    row.version,
                    row.vector.map(<[f32]>::to_vec),
                ),
            ));
            Ok(())
        })
    };
    store.read(read).unwrap();
    *since = rows.last().map_or(*since, |(seq, _)| *seq);
    rows.into_iter().map(|(_, row)| row).collect()
}

#[test]
fn a_reader_of_vectors_sees_each_change_once() {
    let (_folder, store) = fresh();
    let one = first("alarm", &["tap"]);
    insert(&store, &[&one, &first("note", &["tap"])]);
    let mut since = 0;
    let none = |id: &str, version| (id.to_owned(), version, None);
    assert_eq!(
        embeddings(&store, "m", &mut since),
        [none("alarm-1", 1), none("note-1", 1)]
    );
    assert_eq!(embeddings(&store, "m", &mut since), []);

    let vector = [0.6_f32, -0.8, f32::MIN_POSITIVE];
    store
        .write(|tx| store::put_vector(tx, "alarm-1", "m", &vector))
        .unwrap();
    assert_eq!(
        embeddings(&store, "m", &mut since),
        [("alarm-1".to_owned(), 1, Some(vector.to_vec()))]
    );
    assert_eq!(
        embeddings(&store, "other", &mut 0),
        [none("note-1", 1), none("alarm-1", 1)]
    );

    insert(&store, &[&next(&one, &["tap", "tap"])]);
    assert_eq!(embeddings(&store, "m", &mut since), [none("alarm-2", 2)]);
    let unknown = store.write(|tx| store::put_vector(tx, "nobody", "m", &vector));
    assert_eq!(
        unknown,
        Err(SkillError::UnknownSkill {
            skill: "nobody".to_owned()
        })
    );
}

#[test]
fn pending_is_what_was_never_tried_is_due_or_comes_from_another_model() {
    let (_folder, store) = fresh();
    let skills = ["due", "later", "never", "other", "stored"].map(|name| first(name, &["tap"]));
    insert(&store, &skills.iter().collect::<Vec<_>>());
    store
        .write(|tx| {
            store::put_failure(tx, "due-1", "m", "timeout", 100)?;
            store::put_failure(tx, "due-1", "m", "connection", 200)?;
            store::put_failure(tx, "later-1", "m", "timeout", 201)?;
            store::put_vector(tx, "other-1", "n", &[1.0])?;
            store::put_vector(tx, "stored-1", "m", &[1.0])?;
            store::put_failure(tx, "stored-1", "m", "timeout", 0)
        })
        .unwrap();
    let pending = |model: &str, now| {
        let found = store.read(|conn| store::pending(conn, model, now, 10)).unwrap();
        let mut ids: Vec<String> = found.into_iter().map(|skill| skill.skill_id).collect();
        ids.sort();
        ids
    };
    assert_eq!(pending("m", 200), ["due-1", "never-1", "other-1"]);
    assert_eq!(pending("m", 201), ["due-1", "later-1", "never-1", "other-1"]);
    assert_eq!(pending("n", 0), ["due-1", "later-1", "never-1", "stored-1"]);
    assert_eq!(
        store
            .read(|conn| store::pending(conn, "m", 300, 2))
            .unwrap()
            .len(),
        2
    );
    let count = |model: &str| store.read(|conn| store::pending_count(conn, model)).unwrap();
    assert_eq!((count("m"), count("n"), count("o")), (4, 4, 5));

    let status = |id: &str| store.read(|conn| store::embedding_status(conn, id)).unwrap();
    let due = status("due-1").unwrap();
    assert_eq!(
        (due.failure.as_deref(), due.attempts, due.retry_at_ms),
        (Some("connection"), 2, 200)
    );
    assert_eq!(
        status("stored-1").unwrap().failure,
        None,
        "a failure takes no vector away"
    );
    assert_eq!(status("never-1").unwrap().failure.as_deref(), Some("pending"));
    assert_eq!(status("nobody-1"), None);
    store
        .write(|tx| store::put_failure(tx, "due-1", "n", "timeout", 0))
        .unwrap();
    assert_eq!(status("due-1").unwrap().attempts, 1, "another model starts over");
}

#[test]
fn synced_skills_have_their_vectors_apart() {
    let (_folder, store) = fresh();
    store
        .write(|tx| {
            store::put_catalog_vector(tx, "a", 1, "m", &[1.0, 0.0])?;
            store::put_catalog_failure(tx, "a", 1, "m", "timeout", 9)?;
            store::put_catalog_failure(tx, "b", 1, "m", "timeout", 9)?;
            store::put_catalog_failure(tx, "b", 1, "m", "timeout", 99)?;
            store::put_catalog_vector(tx, "c", 1, "m", &[1.0])?;
            store::put_catalog_failure(tx, "c", 2, "m", "timeout", 9)?;
            store::put_catalog_vector(tx, "d", 1, "n", &[1.0])?;
            store::put_catalog_vector(tx, "e", 1, "m", &[1.0])?;
            store::remove_catalog_embedding(tx, "e")
        })
        .unwrap();
    let mut vectors = Vec::new();
    let read = |conn: &Connection| {
        store::catalog_vectors(conn, "m", |id, hash, vector| {
            vectors.push((id.to_owned(), hash, vector.to_vec()));
            Ok(())
        })
    };
    store.read(read).unwrap();
    assert_eq!(vectors, [("a".to_owned(), 1, vec![1.0, 0.0])]);
    let status = |id: &str| {
        store
            .read(|conn| store::catalog_embedding_status(conn, id))
            .unwrap()
    };
    let (hash, b) = status("b").unwrap();
    assert_eq!(
        (hash, b.failure.as_deref(), b.attempts, b.retry_at_ms),
        (1, Some("timeout"), 2, 99)
    );
    assert_eq!(
        status("c").map(|(hash, status)| (hash, status.attempts)),
        Some((2, 1))
    );
    assert_eq!(status("e"), None);
    assert_eq!(embeddings(&store, "m", &mut 0), []);
}

#[test]
fn the_data_version_tells_of_changes_by_any_connection() {
    let (folder, store) = fresh();
    let other = Store::new(folder.path().join("skills.db"));
    let version = || store.read(store::data_version).unwrap();
    assert_eq!(version(), 0);
    insert(&store, &[&first("a", &["tap"])]);
    let mut seen = vec![0, version()];
    assert_eq!(version(), seen[1]);
    insert(&other, &[&first("b", &["tap"])]);
    seen.push(version());
    insert(&store, &[&first("c", &["tap"])]);
    seen.push(version());
    seen.dedup();
    assert_eq!(seen.len(), 4, "{seen:?}");
}

// -------------------------------------------------------------------------------------- rules of the database

/// Two lineages: `a` with two versions, `b` with one, in an app; each version with a run.
fn with_rows() -> (TempDir, Store) {
    let (folder, store) = fresh();
    let one = first("a", &["tap"]);
    insert(
        &store,
        &[
            &one,
            &next(&one, &["tap", "tap"]),
            &in_app("Clock", first("b", &["tap"])),
        ],
    );
    store
        .write(|tx| {
            store::insert_execution(tx, &execution("task-1", "a-1", "goal"))?;
            store::insert_execution(tx, &execution("task-2", "b-1", "goal"))?;
            store::add_goal_terms(tx, "lineage-a", &words("goal"))?;
            store::put_vector(tx, "a-1", "m", &[1.0])
        })
        .unwrap();
    (folder, store)
}

/// Every row of every table.
fn rows(store: &Store) -> Vec<String> {
    let tables = [
        "lineage",
        "skill",
        "template",
        "execution",
        "goal_term",
        "embedding",
    ];
    let dump = |conn: &Connection| {
        let mut rows = Vec::new();
        for table in tables {
            let mut statement = conn.prepare(&format!("SELECT * FROM {table}"))?;
            let columns = statement.column_count();
            let mut found = statement.query([])?;
            while let Some(row) = found.next()? {
                let values: Vec<rusqlite::types::Value> = (0..columns)
                    .map(|column| row.get(column))
                    .collect::<rusqlite::Result<_>>()?;
                rows.push(format!("{table} {values:?}"));
            }
        }
        Ok(rows)
    };
    store.read(dump).unwrap()
}

#[test]
fn the_database_refuses_what_breaks_its_rules() {
    let skill = |values: &str| {
        format!(
            "INSERT INTO skill (id, lineage_id, version, parent_id, description, goal, skeleton, source, app, \
             created_at_ms) VALUES {values};"
        )
    };
    let template = "INSERT INTO template (skill_id, steps, parameters, secrets) VALUES ";
    let lineage = "INSERT INTO lineage (id, name, goal_family, app) VALUES ";
    let execution = "INSERT INTO execution (task_id, skill_id, lineage_id, goal, decision, evidence, \
                     parameter_values, typed, learned_at_ms) VALUES ";
    let embedding = "UPDATE embedding SET seq = (SELECT max(seq) + 1 FROM embedding)";
    let complete = format!("{template} ('n', '[{{\"tool\":\"tap\"}}]', '[]', '[]')");
    let attempts: Vec<(String, &str)> = vec![
        // A lineage keeps its key, and two never share one.
        ("UPDATE lineage SET name = 'other'".into(), "only by learning its app"),
        ("UPDATE lineage SET app = 'Other' WHERE id = 'lineage-b'".into(), "only by learning its app"),
        ("UPDATE lineage SET app = NULL WHERE id = 'lineage-b'".into(), "only by learning its app"),
        ("UPDATE lineage SET app = 'x', goal_family = 'y' WHERE id = 'lineage-a'".into(), "only by learning"),
        ("DELETE FROM lineage".into(), "never deleted"),
        ("INSERT OR REPLACE INTO lineage (id, name, goal_family) VALUES ('lineage-a', 'n', 'f')".into(), "never deleted"),
        (format!("{lineage} ('n', 'a', 'f', NULL)"), "lineage.name"),
        (format!("{lineage} ('n', 'n', 'family a', NULL)"), "lineage_key"),
        (format!("{lineage} ('n', 'n', 'family b', 'Clock')"), "lineage_key"),
        (format!("{lineage} ('n', 'Not A Name', 'f', NULL)"), "CHECK"),
        (format!("{lineage} ('n', 'n', 'f', '')"), "CHECK"),
        (format!("{lineage} ('n', 'n', 'f', NULL)"), "FOREIGN KEY"),
        // A version never changes, is never lost, and follows its parent without a gap.
        ("UPDATE skill SET goal = 'other'".into(), "only by learning its app"),
        ("UPDATE skill SET version = 7 WHERE id = 'a-2'".into(), "only by learning its app"),
        ("UPDATE skill SET app = 'Clock' WHERE id = 'a-2'".into(), "only by learning its app"),
        ("UPDATE lineage SET app = 'x' WHERE id = 'lineage-a'; UPDATE skill SET app = 'x' WHERE id = 'a-1'".into(),
         "while it is the newest"),
        ("UPDATE OR REPLACE skill SET id = 'a-1' WHERE id = 'a-2'".into(), "only by learning its app"),
        ("DELETE FROM skill WHERE id = 'a-1'".into(), "never deleted"),
        ("INSERT OR REPLACE INTO skill (id, lineage_id, version, parent_id, description, goal, skeleton, source, \
          created_at_ms) SELECT id, lineage_id, version, parent_id, 'other', goal, skeleton, source, 0 FROM skill \
          WHERE id = 'a-2'".into(), "never deleted"),
        (skill("('n', 'lineage-a', 3, NULL, '', '', '[\"tap\"]', 'local-synthesis', NULL, 0)") + &complete, "CHECK"),
        (skill("('n', 'lineage-a', 3, 'a-1', '', '', '[\"tap\"]', 'local-synthesis', NULL, 0)") + &complete,
         "FOREIGN KEY"),
        (skill("('n', 'lineage-a', 4, 'a-2', '', '', '[\"tap\"]', 'local-synthesis', NULL, 0)") + &complete,
         "FOREIGN KEY"),
        (skill("('n', 'lineage-b', 3, 'a-2', '', '', '[\"tap\"]', 'local-synthesis', 'Clock', 0)") + &complete,
         "FOREIGN KEY"),
        (skill("('n', 'lineage-a', 2, 'a-1', '', '', '[\"tap\"]', 'local-synthesis', NULL, 0)") + &complete, "UNIQUE"),
        (skill("('n', 'nobody', 1, NULL, '', '', '[\"tap\"]', 'local-synthesis', NULL, 0)") + &complete, "FOREIGN KEY"),
        (skill("('n', 'lineage-a', 3, 'a-2', '', '', '[\"tap\"]', 'synced', NULL, 0)") + &complete, "CHECK"),
        (skill("('n', 'lineage-a', 3, 'a-2', '', '', '[]', 'local-synthesis', NULL, 0)") + &complete, "CHECK"),
        (skill("('n', 'lineage-a', 3, 'a-2', '', '', 'tap', 'local-synthesis', NULL, 0)") + &complete, "CHECK"),
        (skill("('n', 'lineage-a', 3, 'a-2', '', '', '[\"tap\"]', 'local-synthesis', 'Clock', 0)") + &complete,
         "the app of its lineage"),
        (skill("('n', 'lineage-a', 'three', 'a-2', '', '', '[\"tap\"]', 'local-synthesis', NULL, 0)") + &complete,
         "cannot store TEXT"),
        (skill("('n', 'lineage-a', 3, 'a-2', '', '', '[\"tap\"]', 'local-synthesis', NULL, 0)"), "FOREIGN KEY"),
        // A template has the tools of its skeleton and rests once a later version exists.
        ("UPDATE template SET parameters = '[1]', revision = revision + 1 WHERE skill_id = 'a-1'".into(),
         "while its version is the newest"),
        ("UPDATE template SET parameters = '[1]' WHERE skill_id = 'b-1'".into(), "one revision at a time"),
        ("UPDATE template SET steps = '[{\"tool\":\"swipe\"}]', revision = 2 WHERE skill_id = 'b-1'".into(),
         "are the skeleton"),
        ("UPDATE template SET steps = '[]', revision = 2 WHERE skill_id = 'b-1'".into(), "are the skeleton"),
        ("UPDATE template SET steps = '{}', revision = 2 WHERE skill_id = 'b-1'".into(), "skeleton"),
        ("UPDATE template SET parameters = 'no JSON', revision = 2 WHERE skill_id = 'b-1'".into(), "CHECK"),
        ("DELETE FROM template".into(), "never deleted"),
        ("INSERT OR REPLACE INTO template SELECT * FROM template WHERE skill_id = 'b-1'".into(), "never deleted"),
        (skill("('n', 'lineage-a', 3, 'a-2', '', '', '[\"tap\",\"tap\"]', 'local-synthesis', NULL, 0)") + &complete,
         "are the skeleton"),
        // The evidence is fixed.
        ("UPDATE execution SET goal = 'other'".into(), "never changes"),
        ("DELETE FROM execution".into(), "never deleted"),
        ("INSERT OR REPLACE INTO execution SELECT * FROM execution WHERE task_id = 'task-1'".into(), "never deleted"),
        (format!("{execution} ('task-1', 'b-1', 'lineage-b', '', '{{}}', '{{}}', '{{}}', '[]', 0)"), "execution.task_id"),
        (format!("{execution} ('t', 'b-1', 'lineage-a', '', '{{}}', '{{}}', '{{}}', '[]', 0)"), "lineage of its version"),
        (format!("{execution} ('t', 'nobody', 'lineage-a', '', '{{}}', '{{}}', '{{}}', '[]', 0)"), "lineage of its version"),
        (format!("{execution} ('t', 'b-1', 'lineage-b', '', '{{', '{{}}', '{{}}', '[]', 0)"), "CHECK"),
        (format!("{execution} ('t', 'b-1', 'lineage-b', '', '{{}}', '{{}}', '{{}}', '{{}}', 0)"), "CHECK"),
        ("INSERT INTO goal_term VALUES ('word', 'nobody')".into(), "FOREIGN KEY"),
        // One of vector and failure, of the right length, and every change is seen.
        (format!("{embedding}, vector = NULL, dimension = NULL WHERE skill_id = 'a-1'"), "CHECK"),
        (format!("{embedding}, failure = 'timeout' WHERE skill_id = 'a-1'"), "CHECK"),
        (format!("{embedding}, dimension = 2 WHERE skill_id = 'a-1'"), "CHECK"),
        (format!("{embedding}, vector = x'00', failure = NULL, dimension = NULL WHERE skill_id = 'a-2'"), "CHECK"),
        (format!("{embedding}, model = '' WHERE skill_id = 'a-1'"), "CHECK"),
        (format!("{embedding}, skill_id = 'b-1' WHERE skill_id = 'a-1'"), "next seq"),
        ("UPDATE embedding SET attempts = 1 WHERE skill_id = 'a-2'".into(), "next seq"),
        ("DELETE FROM embedding".into(), "never deleted"),
        ("INSERT OR REPLACE INTO embedding (skill_id, model, failure) VALUES ('a-1', 'm', 'f')".into(), "never deleted"),
        ("INSERT INTO embedding (skill_id, model, failure) VALUES ('nobody', 'm', 'f')".into(), "FOREIGN KEY"),
        // The schema itself is out of reach of tampering with pages.
        ("PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = ''".into(), "may not be modified"),
    ];
    let (_folder, store) = with_rows();
    let before = rows(&store);
    for (attempt, said) in attempts {
        match sql(&store, &attempt) {
            Err(SkillError::Storage { reason }) => assert!(reason.contains(said), "{attempt}\n{reason}"),
            other => panic!("{attempt}\n{other:?}"),
        }
        assert_eq!(rows(&store), before, "{attempt}");
    }
    let allowed = skill("('n', 'lineage-a', 3, 'a-2', '', '', '[\"tap\"]', 'local-synthesis', NULL, 0)");
    sql(&store, &(allowed + &complete)).expect("the attempts fail by their faults only");
}

// ----------------------------------------------------------------------------------------------- the file

#[test]
fn nothing_touches_the_disk_before_the_first_write() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::new(folder.path().join("deep").join("skills.db"));
    assert_eq!(store.read(store::count).unwrap(), 0);
    assert_eq!(store.read(|conn| store::newest_by_name(conn, "a")).unwrap(), None);
    assert_eq!(names(folder.path()), Vec::<String>::new());
    insert(&store, &[&first("a", &["tap"])]);
    assert_eq!(
        store.read(store::count).unwrap(),
        1,
        "a reader that began without a file finds it"
    );
}

#[test]
fn a_closed_store_refuses_everything_and_leaves_one_file() {
    let (folder, store) = with_rows();
    store.read(store::count).unwrap();
    store.close();
    store.close();
    assert_eq!(store.read(store::count), Err(SkillError::Closed));
    assert_eq!(store.write(|_| Ok(())), Err(SkillError::Closed));
    assert_eq!(store.set_aside(), Err(SkillError::Closed));
    assert_eq!(names(folder.path()), ["skills.db"]);
}

#[test]
fn a_write_that_fails_or_panics_leaves_no_trace() {
    let (_folder, store) = with_rows();
    let before = rows(&store);
    let failed = store.write(|tx| {
        store::insert_skill(tx, &first("c", &["tap"]))?;
        Err::<(), _>(SkillError::Busy)
    });
    assert_eq!(failed, Err(SkillError::Busy));
    let panicking = |tx: &Transaction<'_>| -> Result<()> {
        store::insert_skill(tx, &first("c", &["tap"]))?;
        panic!("half-way");
    };
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| store.write(panicking))).unwrap_err();
    assert_eq!(rows(&store), before);
    insert(&store, &[&first("c", &["tap"])]);
}

#[test]
fn the_connections_are_set_up_to_keep_what_they_acknowledge() {
    let (_folder, store) = with_rows();
    let pragma = |conn: &Connection, name: &str| -> String {
        let value = |row: &rusqlite::Row<'_>| row.get::<_, rusqlite::types::Value>(0);
        match conn.pragma_query_value(None, name, value).unwrap() {
            rusqlite::types::Value::Text(text) => text,
            rusqlite::types::Value::Integer(number) => number.to_string(),
            other => panic!("{other:?}"),
        }
    };
    let check = |conn: &Connection| {
        for (name, value) in [
            ("journal_mode", "wal"),
            ("synchronous", "2"),
            ("foreign_keys", "1"),
            ("recursive_triggers", "1"),
            ("temp_store", "2"),
            ("trusted_schema", "0"),
            ("busy_timeout", "5000"),
        ] {
            assert_eq!(pragma(conn, name), value, "{name}");
        }
        Ok(())
    };
    store.read(check).unwrap();
    store.write(|tx| check(tx)).unwrap();
    assert!(
        rusqlite::version_number() >= store::MIN_SQLITE,
        "SQLite {}",
        rusqlite::version()
    );
    assert!(
        store
            .read(|conn| Ok(conn.execute("DELETE FROM goal_term", [])?))
            .is_err(),
        "reads only read"
    );
}

#[test]
fn readers_do_not_wait_for_a_writer() {
    let (_folder, store) = with_rows();
    let count = || store.read(store::count).unwrap();
    let before = count();
    std::thread::scope(|scope| {
        let during = store
            .write(|tx| {
                store::insert_skill(tx, &first("c", &["tap"]))?;
                Ok(scope.spawn(count).join().unwrap())
            })
            .unwrap();
        assert_eq!(during, before);
    });
    assert_eq!(count(), before + 1);
}

#[test]
fn two_stores_over_one_file_write_at_once_and_nothing_is_lost() {
    let (folder, _) = fresh();
    let path = folder.path().join("skills.db");
    std::thread::scope(|scope| {
        for writer in ["a", "b", "c"] {
            let path = &path;
            scope.spawn(move || {
                let store = Store::new(path).with_busy_timeout(Duration::from_secs(60));
                for index in 0..20 {
                    insert(&store, &[&first(&format!("{writer}_{index}"), &["tap"])]);
                }
            });
        }
    });
    assert_eq!(Store::new(path).read(store::count).unwrap(), 60);
}

#[test]
fn a_lock_held_for_too_long_is_busy() {
    let (folder, store) = with_rows();
    store.close();
    let holder = Connection::open(folder.path().join("skills.db")).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    let store = Store::new(folder.path().join("skills.db")).with_busy_timeout(Duration::from_millis(20));
    assert_eq!(store.write(|_| Ok(())), Err(SkillError::Busy));
    assert_eq!(store.read(store::count).unwrap(), 2, "reading goes on");
    holder.execute_batch("ROLLBACK").unwrap();
    store.write(|_| Ok(())).unwrap();
}

#[test]
fn a_file_that_cannot_be_written_is_a_storage_error() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("file"), "in the way").unwrap();
    let below_a_file = Store::new(folder.path().join("file").join("skills.db"));
    assert!(matches!(
        below_a_file.write(|_| Ok(())),
        Err(SkillError::Storage { .. })
    ));
    let a_folder = Store::new(folder.path());
    assert!(matches!(
        a_folder.write(|_| Ok(())),
        Err(SkillError::Storage { .. })
    ));
}

/// Every file of a folder with its bytes.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    names(folder)
        .into_iter()
        .map(|name| (name.clone(), std::fs::read(folder.join(name)).unwrap()))
        .collect()
}

/// What a fresh store says of the file in the folder, to a read and to a write; the folder stays as it is.
fn refusal(folder: &Path) -> SkillError {
    let before = contents(folder);
    let store = Store::new(folder.join("skills.db"));
    let read = store.read(store::count).unwrap_err();
    assert_eq!(store.write(|_| Ok(())).unwrap_err(), read);
    assert_eq!(contents(folder), before);
    if !matches!(read, SkillError::CorruptStore { .. }) {
        assert_eq!(store.set_aside().unwrap_err(), read, "only damage is set aside");
        assert_eq!(contents(folder), before);
    }
    read
}

#[test]
fn a_newer_schema_is_refused_untouched() {
    let (folder, store) = with_rows();
    sql(&store, "PRAGMA user_version = 2").unwrap();
    store.close();
    assert_eq!(
        refusal(folder.path()),
        SkillError::NewerSchema {
            found: 2,
            supported: 1
        }
    );
}

#[test]
fn the_file_of_another_application_is_refused_untouched() {
    for header in [
        "",
        "PRAGMA application_id = 7;",
        "PRAGMA journal_mode = WAL; PRAGMA user_version = 1;",
    ] {
        let folder = tempfile::tempdir().unwrap();
        let conn = Connection::open(folder.path().join("skills.db")).unwrap();
        conn.execute_batch(&format!("{header} CREATE TABLE lineage (id TEXT)"))
            .unwrap();
        conn.close().unwrap();
        let refused = refusal(folder.path());
        assert!(refused.to_string().contains("another application"), "{refused}");
    }
}

#[test]
fn an_empty_file_becomes_a_store() {
    let (folder, store) = fresh();
    std::fs::write(folder.path().join("skills.db"), "").unwrap();
    assert_eq!(store.read(store::count).unwrap(), 0);
    insert(&store, &[&first("a", &["tap"])]);
}

#[test]
fn what_is_no_database_is_kept_and_set_aside_only_on_request() {
    let (folder, store) = fresh();
    let bytes = "this was a database once ".repeat(400).into_bytes();
    std::fs::write(folder.path().join("skills.db"), &bytes).unwrap();
    assert!(matches!(refusal(folder.path()), SkillError::CorruptStore { .. }));
    assert!(matches!(
        store.read(store::count),
        Err(SkillError::CorruptStore { .. })
    ));

    let aside = store.set_aside().unwrap();
    assert!(
        aside
            .file_name()
            .unwrap()
            .to_str()
            .unwrap()
            .starts_with("skills.db.corrupt-")
    );
    assert_eq!(std::fs::read(&aside).unwrap(), bytes);
    assert_eq!(store.read(store::count).unwrap(), 0);
    insert(&store, &[&first("a", &["tap"])]);
    assert!(
        matches!(store.set_aside(), Err(SkillError::InvalidArgument { .. })),
        "now it is sound"
    );
    assert_eq!(store.read(store::count).unwrap(), 1);
}

#[test]
fn damage_inside_of_a_file_is_found_when_it_is_met() {
    let (folder, store) = fresh();
    let many: Vec<Skill> = (0..200)
        .map(|index| first(&format!("skill_{index}"), &["tap"]))
        .collect();
    insert(&store, &many.iter().collect::<Vec<_>>());
    store.close();
    let path = folder.path().join("skills.db");
    let mut bytes = std::fs::read(&path).unwrap();
    let pages = bytes.len() / 4096;
    bytes[40 * 4096..(pages - 2) * 4096].fill(0x5a);
    std::fs::write(&path, &bytes).unwrap();

    let store = Store::new(&path);
    let everything = |conn: &Connection| {
        for skill in &many {
            store::skill(conn, &skill.skill_id)?;
        }
        Ok(())
    };
    assert!(matches!(
        store.read(everything),
        Err(SkillError::CorruptStore { .. })
    ));
    let aside = store.set_aside().unwrap();
    assert_eq!(std::fs::read(aside).unwrap(), bytes);
    assert_eq!(store.read(store::count).unwrap(), 0);
}

#[test]
fn a_sound_store_is_not_set_aside() {
    let (folder, store) = with_rows();
    let before = rows(&store);
    assert!(matches!(
        store.set_aside(),
        Err(SkillError::InvalidArgument { .. })
    ));
    assert_eq!(rows(&store), before);
    store.close();
    assert_eq!(names(folder.path()), ["skills.db"]);
}

// ------------------------------------------------------------------------------------------------ durability

const CHILD: &str = "ADROIT_TEST_STORE";

/// Not a test of its own: the process that the next test kills.
#[test]
fn child_that_writes_until_it_is_killed() {
    let Some(path) = std::env::var_os(CHILD) else {
        return;
    };
    let store = Store::new(path);
    for index in 0.. {
        insert(&store, &[&first(&format!("skill_{index}"), &["tap"])]);
        println!("stored {index}");
    }
}

#[test]
fn what_was_acknowledged_survives_a_kill() {
    let (folder, store) = fresh();
    let path = folder.path().join("skills.db");
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child_that_writes_until_it_is_killed", "--nocapture"])
        .env(CHILD, &path)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap())
        .lines()
        .map(Result::unwrap);
    let acknowledged = |line: String| {
        line.rsplit_once("stored ")
            .map(|(_, index)| index.parse::<u64>().unwrap())
    };
    let before = output.by_ref().filter_map(acknowledged).nth(24).unwrap();
    child.kill().unwrap();
    let last = output.filter_map(acknowledged).last().unwrap_or(before);
    child.wait().unwrap();

    assert_eq!(before, 24);
    let count = store.read(store::count).unwrap();
    assert!(
        count == last + 1 || count == last + 2,
        "{last} was acknowledged, {count} are there"
    );
    let all = store.read(|conn| store::list(conn, None, 1_000_000)).unwrap();
    assert_eq!(all.len() as u64, count);
    insert(&store, &[&first("after_all", &["tap"])]);
}

#[test]
fn values_of_any_json_come_back_exactly() {
    let (_folder, store) = fresh();
    insert(&store, &[&first("a", &["tap"])]);
    let odd: JsonValue = serde_json::from_str(
        r#"[0.1, 1e300, -0.0, 18446744073709551615, "\u0000\u001f\"\\{{}}%s", {"": null}, [[[]]], "é́🇻🇳"]"#,
    )
    .unwrap();
    let run = Execution {
        values: HashMap::from([("any".to_owned(), odd)]),
        ..execution("t", "a-1", "g\u{a0}")
    };
    store.write(|tx| store::insert_execution(tx, &run)).unwrap();
    assert_eq!(
        store.read(|conn| store::find_execution(conn, "t")).unwrap(),
        Some(run)
    );
}
