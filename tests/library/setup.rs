//! Opening, closing, and what a disabled or damaged library does.

use std::collections::HashMap;
use std::sync::Arc;

use adroit::error::{Result, SkillError};
use adroit::library::{Config, EmbeddingConfig, SkillLibrary};
use adroit::outcome::{Decision, SkipReason};
use adroit::ranking::Scope;

use crate::common::{Home, Recording, Untouchable, Words, files, learn, learned};
use crate::recordings::{alarm, note};

fn disabled(home: &Home) -> Arc<SkillLibrary> {
    let config = Config {
        authoring_enabled: false,
        ..home.config()
    };
    SkillLibrary::open_with_provider(config, Arc::new(Untouchable)).unwrap()
}

#[test]
fn a_disabled_library_touches_nothing() {
    let home = Home::new();
    let library = disabled(&home);
    let broken = Recording(adroit::timeline::Timeline {
        goal: String::new(),
        ..alarm("", "7:00").0
    });

    for recording in [alarm("monday", "7:00"), note("tuesday", "milk"), broken] {
        let task_id = recording.0.task_id.clone();
        let outcome = learn(&library, recording);
        let reason = SkipReason::Disabled;
        assert_eq!(outcome.decision, Decision::Skipped { reason });
        assert_eq!(outcome.task_id, task_id);
        assert_eq!((outcome.skill, outcome.embedding), (None, None));
    }
    assert_eq!(library.count().unwrap(), 0);
    assert_eq!(library.list(None, 10).unwrap(), []);
    assert_eq!(library.skill("none".to_owned()).unwrap(), None);
    assert_eq!(files(home.folder.path()), []);
}

#[test]
fn a_disabled_library_still_looks_up_what_was_learned() {
    let home = Home::new();
    let skill = learned(&home.open_without_embedding(), alarm("monday", "7:00"));
    let before = files(&home.folder.path().join("adroit"));

    let library = disabled(&home);
    learn(&library, alarm("tuesday", "8:00"));

    assert_eq!(
        library.skill(skill.skill_id.clone()).unwrap().as_ref(),
        Some(&skill)
    );
    assert_eq!(library.executions(skill.skill_id.clone()).unwrap().len(), 1);
    assert_eq!(
        library.instantiate(skill.skill_id, HashMap::new()).unwrap().len(),
        4
    );
    let database = |files: &[(std::path::PathBuf, Vec<u8>)]| {
        let found = files.iter().find(|(path, _)| path.ends_with("skills.db"));
        found.unwrap().1.clone()
    };
    assert_eq!(
        database(&files(&home.folder.path().join("adroit"))),
        database(&before)
    );
}

#[test]
fn opening_touches_nothing() {
    let home = Home::new();
    let missing = home.folder.path().join("no-such-model.onnx");
    let library = SkillLibrary::open(Config {
        embedding: EmbeddingConfig {
            model_path: Some(missing.to_str().unwrap().to_owned()),
            ..EmbeddingConfig::default()
        },
        ..home.config()
    })
    .unwrap();

    assert_eq!(library.count().unwrap(), 0);
    assert_eq!(files(home.folder.path()), []);
}

#[test]
fn a_configuration_out_of_range_is_refused_by_name() {
    let home = Home::new();
    let with_path = |path: &str| Config {
        database_path: path.to_owned(),
        ..home.config()
    };
    let with_tolerance = |coordinate_tolerance| Config {
        coordinate_tolerance,
        ..home.config()
    };
    let no_patience = Config {
        embedding: EmbeddingConfig {
            deadline_ms: 0,
            ..EmbeddingConfig::default()
        },
        ..home.config()
    };
    for (config, name) in [
        (with_path(""), "database_path"),
        (with_path("a\0b"), "database_path"),
        (with_tolerance(-1.0), "coordinate_tolerance"),
        (with_tolerance(f64::NAN), "coordinate_tolerance"),
        (with_tolerance(f64::INFINITY), "coordinate_tolerance"),
        (no_patience, "deadline_ms"),
    ] {
        match SkillLibrary::open(config).map(drop) {
            Err(SkillError::InvalidArgument { argument, .. }) => assert_eq!(argument, name),
            other => panic!("{name}: {other:?}"),
        }
    }
}

#[test]
fn a_closed_library_says_so_to_every_call() {
    fn closed<T: std::fmt::Debug>(result: Result<T>) {
        assert_eq!(result.map(drop), Err(SkillError::Closed));
    }
    let home = Home::new();
    let library = home.open_with(Words::new());
    let skill = learned(&library, alarm("monday", "7:00"));
    let text = || "x".to_owned();

    library.close();
    library.close();

    closed(library.learn(alarm("tuesday", "8:00").0));
    closed(library.skill(skill.skill_id.clone()));
    closed(library.skill_by_name(text()));
    closed(library.skill_by_goal_family(text(), None));
    closed(library.history(skill.lineage_id.clone()));
    closed(library.list(None, 1));
    closed(library.count());
    closed(library.executions(skill.skill_id.clone()));
    closed(library.instantiate(skill.skill_id.clone(), HashMap::new()));
    closed(library.rank(text(), 1, Scope::default()));
    closed(library.rank(text(), 0, Scope::default()));
    closed(library.embed_pending(1));
    closed(library.embed_catalog(1));
    closed(library.reset_corrupt_store());
    // What was learned is all there for the next one.
    assert_eq!(
        home.open_without_embedding()
            .skill(skill.skill_id.clone())
            .unwrap(),
        Some(skill)
    );
}

#[test]
fn a_damaged_database_is_kept_and_a_fresh_one_starts_only_when_asked_for() {
    let home = Home::new();
    let library = home.open_without_embedding();
    learn(&library, alarm("monday", "7:00"));
    library.close();
    let garbage = vec![0xA5; 20_000];
    std::fs::write(home.database(), &garbage).unwrap();

    let library = home.open_without_embedding();
    for _ in 0..2 {
        let refused = library.learn(alarm("tuesday", "8:00").0);
        assert!(
            matches!(refused, Err(SkillError::CorruptStore { .. })),
            "{refused:?}"
        );
        assert_eq!(std::fs::read(home.database()).unwrap(), garbage);
    }
    let kept = library.reset_corrupt_store().unwrap();
    assert_eq!(std::fs::read(kept).unwrap(), garbage);
    assert_eq!(
        learn(&library, alarm("tuesday", "8:00")).decision,
        Decision::Created
    );

    let refused = library.reset_corrupt_store();
    assert!(
        matches!(refused, Err(SkillError::InvalidArgument { .. })),
        "{refused:?}"
    );
    assert_eq!(library.count().unwrap(), 1, "a sound one stays");
}
