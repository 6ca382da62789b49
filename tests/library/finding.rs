//! Ranking by similarity: its edges, its order, the synced catalog.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use adroit::embedding::{Embedding, EmbeddingProvider};
use adroit::error::{EmbeddingError, SkillError};
use adroit::library::{Config, RankedSkill, SkillLibrary};
use adroit::ranking::{Origin, Scope};
use rusqlite::Connection;

use crate::common::{Home, Mood, Words, learn, learned};
use crate::recordings::{alarm, alarm_and_swipe, note, unlike, web_search};

const LOCAL: Scope = Scope {
    whole_history: false,
    with_catalog: false,
};
const HISTORY: Scope = Scope {
    whole_history: true,
    with_catalog: false,
};
const CATALOG: Scope = Scope {
    whole_history: false,
    with_catalog: true,
};

fn rank(library: &SkillLibrary, goal: &str, k: u32, scope: Scope) -> Vec<RankedSkill> {
    library.rank(goal.to_owned(), k, scope).unwrap().results
}

fn ids(library: &SkillLibrary, goal: &str, k: u32, scope: Scope) -> Vec<String> {
    let results = rank(library, goal, k, scope);
    results.into_iter().map(|result| result.skill_id).collect()
}

/// Gives every text the same vector, of as many components as it has now.
struct Same(AtomicU32);

impl EmbeddingProvider for Same {
    fn model_id(&self) -> Result<String, EmbeddingError> {
        Ok("same".to_owned())
    }

    fn dimension(&self) -> Result<u32, EmbeddingError> {
        Ok(self.0.load(Ordering::SeqCst))
    }

    fn embed(&self, _: String) -> Result<Embedding, EmbeddingError> {
        Ok(Embedding {
            vector: vec![1.0; self.dimension()? as usize],
            truncated: false,
        })
    }
}

#[test]
fn vectors_of_two_lengths_under_one_model_id_are_the_providers_fault() {
    let home = Home::new();
    let provider = Arc::new(Same(AtomicU32::new(3)));
    let library = home.open_with(provider.clone());
    learn(&library, alarm("monday", "7:00"));
    assert_eq!(rank(&library, "Set an alarm", 5, LOCAL).len(), 1);
    provider.0.store(4, Ordering::SeqCst);
    // The library that has the shorter vectors in memory, and one that reads them.
    for library in [&library, &home.open_with(provider.clone())] {
        for _ in 0..2 {
            match library.rank("Set an alarm".to_owned(), 5, LOCAL) {
                Err(SkillError::Embedding {
                    source: EmbeddingError::Connection { reason },
                }) => {
                    assert!(reason.contains("another id"), "{reason}");
                }
                other => panic!("{other:?}"),
            }
        }
    }
}

#[test]
fn the_edges_of_a_ranking_are_defined() {
    let home = Home::new();
    let words = Words::new();
    let library = home.open_with(words.clone());
    assert_eq!(ids(&library, "Set an alarm", 5, LOCAL), [""; 0], "an empty store");
    assert!(!home.database().exists(), "ranking stores nothing");
    let one = learned(&library, alarm("monday", "7:00")).skill_id;
    let two = learned(&library, note("tuesday", "milk")).skill_id;
    let embedded = words.texts().len();

    assert_eq!(ids(&library, "Set an alarm", 0, LOCAL), [""; 0]);
    for blank in ["", " ", "\n\t\u{3000}"] {
        assert_eq!(ids(&library, blank, 5, LOCAL), [""; 0], "{blank:?}");
    }
    assert_eq!(words.texts().len(), embedded, "nothing to embed for those");
    assert_eq!(ids(&library, "Set an alarm", u32::MAX, LOCAL), [one, two]);
    let results = rank(&library, "Set an alarm", 5, LOCAL);
    assert_eq!(
        results.iter().map(|result| result.rank).collect::<Vec<_>>(),
        [1, 2]
    );
    assert!(results.iter().all(|result| (-1.0..=1.0).contains(&result.score)));
    assert!(
        results
            .iter()
            .all(|result| result.origin == Origin::Local && result.version == 1)
    );
}

#[test]
fn only_the_newest_version_is_ranked_unless_the_history_is_asked_for() {
    let home = Home::new();
    let library = home.open_with(Words::new());
    let first = learned(&library, alarm("monday", "7:00"));
    let second = learned(&library, alarm_and_swipe("tuesday", "7:00"));
    let other = learned(&library, note("wednesday", "milk"));

    let goal = "Set an alarm for 7:00";
    assert_eq!(
        ids(&library, goal, 9, LOCAL),
        [second.skill_id.clone(), other.skill_id.clone()]
    );
    let mut all = ids(&library, goal, 9, HISTORY);
    assert_eq!(all.pop(), Some(other.skill_id));
    all.sort();
    assert_eq!(all, [first.skill_id, second.skill_id]);
}

#[test]
fn an_old_version_does_not_stand_in_for_a_newest_one_without_a_vector() {
    let home = Home::new();
    let words = Words::new();
    let library = home.open_with(words.clone());
    let first = learned(&library, alarm("monday", "7:00"));
    assert_eq!(ids(&library, &first.goal, 9, LOCAL), [first.skill_id.as_str()]);

    words.turn(Mood::Fails(EmbeddingError::Disabled));
    let second = learned(&library, alarm_and_swipe("tuesday", "7:00"));
    words.turn(Mood::Answers);

    for library in [&library, &home.open_with(words.clone())] {
        assert_eq!(ids(library, &first.goal, 9, LOCAL), [""; 0]);
        assert_eq!(ids(library, &first.goal, 9, HISTORY), [first.skill_id.as_str()]);
    }
    home.let_backoff_pass();
    library.embed_pending(9).unwrap();
    assert_eq!(ids(&library, &first.goal, 9, LOCAL), [second.skill_id]);
}

#[test]
fn ties_break_the_same_way_every_time() {
    let home = Home::new();
    let library = home.open_with(Arc::new(Same(AtomicU32::new(3))));
    for number in 0..8 {
        learn(&library, unlike(&format!("task {number}"), number));
    }
    let all = ids(&library, "anything", 8, LOCAL);
    assert_eq!(all.len(), 8);
    for k in 0..=8 {
        assert_eq!(ids(&library, "another thing", k, LOCAL), all[..k as usize]);
    }
    let reopened = home.open_with(Arc::new(Same(AtomicU32::new(3))));
    assert_eq!(ids(&reopened, "anything", 8, LOCAL), all);
}

#[test]
fn what_another_library_writes_is_seen() {
    let home = Home::new();
    let (one, two) = (home.open_with(Words::new()), home.open_with(Words::new()));
    let first = learned(&one, alarm("monday", "7:00"));
    assert_eq!(ids(&two, &first.goal, 9, LOCAL), [first.skill_id.as_str()]);

    let second = learned(&one, alarm_and_swipe("tuesday", "7:00"));
    assert_eq!(ids(&two, &first.goal, 9, LOCAL), [second.skill_id.as_str()]);
    let third = learned(&two, note("wednesday", "milk"));
    assert_eq!(
        ids(&one, "Write down a note", 1, LOCAL),
        [third.skill_id.as_str()]
    );
    assert_eq!(one.count().unwrap(), 2);
    assert_eq!(one.skill(third.skill_id.clone()).unwrap(), Some(third));
}

#[test]
fn a_goal_that_cannot_be_embedded_is_an_error_and_no_empty_ranking() {
    let home = Home::new();
    let words = Words::new();
    let library = home.open_with(words.clone());
    learn(&library, alarm("monday", "7:00"));
    let error = EmbeddingError::RateLimited { retry_after_ms: 5 };
    words.turn(Mood::Fails(error.clone()));

    let ranking = library.rank("Set an alarm".to_owned(), 3, LOCAL);

    assert_eq!(ranking, Err(SkillError::Embedding { source: error }));
}

#[test]
fn a_library_that_embeds_nothing_ranks_nothing() {
    let home = Home::new();
    learn(&home.open_with(Words::new()), alarm("monday", "7:00"));
    let library = home.open_without_embedding();
    assert_eq!(ids(&library, "Set an alarm", 3, LOCAL), [""; 0]);
}

#[test]
fn another_model_makes_all_pending_and_embedding_heals_it() {
    let home = Home::new();
    let words = Words::new();
    let library = home.open_with(words.clone());
    let skills: Vec<_> = (0..4)
        .map(|n| learned(&library, unlike(&format!("task {n}"), n)))
        .collect();
    assert_eq!(library.embed_pending(9).unwrap().remaining, 0);

    words.become_model("words-2");

    assert_eq!(
        ids(&library, &skills[2].goal, 9, LOCAL),
        [""; 0],
        "two models' vectors never meet"
    );
    let first = library.embed_pending(3).unwrap();
    assert_eq!((first.stored, first.failed, first.remaining), (3, 0, 1));
    assert_eq!(ids(&library, &skills[2].goal, 9, LOCAL).len(), 3);
    let rest = library.embed_pending(9).unwrap();
    assert_eq!((rest.stored, rest.failed, rest.remaining), (1, 0, 0));
    assert_eq!(
        ids(&library, &skills[2].goal, 1, LOCAL),
        [skills[2].skill_id.clone()]
    );
    let nothing = library.embed_pending(9).unwrap();
    assert_eq!((nothing.stored, nothing.failed, nothing.remaining), (0, 0, 0));
}

fn with_catalog(home: &Home, path: &Path, words: Arc<Words>) -> Arc<SkillLibrary> {
    let config = Config {
        catalog_path: Some(path.to_str().unwrap().to_owned()),
        ..home.config()
    };
    SkillLibrary::open_with_provider(config, words).unwrap()
}

#[test]
fn synced_skills_are_ranked_when_they_are_asked_for_and_never_written() {
    let home = Home::new();
    let path = home.catalog(&[
        ("synced-1", "Set an alarm for 7:00"),
        ("synced-2", "Water the plants"),
        ("synced-3", "Feed the cat"),
    ]);
    let before = std::fs::read(&path).unwrap();
    let words = Words::new();
    let library = with_catalog(&home, &path, words.clone());
    let local = learned(&library, note("monday", "milk")).skill_id;

    let report = library.embed_catalog(2).unwrap();
    assert_eq!((report.stored, report.failed, report.remaining), (2, 0, 1));
    let report = library.embed_catalog(9).unwrap();
    assert_eq!((report.stored, report.failed, report.remaining), (1, 0, 0));
    let embedded = words.texts().len();
    assert_eq!(library.embed_catalog(9).unwrap().stored, 0);
    assert_eq!(
        words.texts().len(),
        embedded,
        "what is embedded is not embedded again"
    );

    let results = rank(&library, "Water the plants", 9, CATALOG);
    assert_eq!(results.len(), 4);
    assert_eq!(
        (results[0].skill_id.as_str(), results[0].origin),
        ("synced-2", Origin::Catalog)
    );
    assert_eq!(results[0].goal, "Water the plants");
    assert_eq!(
        ids(&library, "Water the plants", 9, LOCAL),
        [local],
        "not by default, also afterwards"
    );
    assert_eq!(library.count().unwrap(), 1);
    assert_eq!(library.skill("synced-2".to_owned()).unwrap(), None);
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[test]
fn what_the_sync_changes_is_outdated_until_it_is_embedded_again() {
    let home = Home::new();
    let path = home.catalog(&[("synced-1", "Water the plants"), ("synced-2", "Feed the cat")]);
    let library = with_catalog(&home, &path, Words::new());
    library.embed_catalog(9).unwrap();
    assert_eq!(ids(&library, "Feed the cat", 9, CATALOG).len(), 2);

    let sync = Connection::open(&path).unwrap();
    sync.execute_batch(
        "UPDATE synced_skill SET goal = 'Feed the dog' WHERE id = 'synced-2';
         DELETE FROM synced_skill WHERE id = 'synced-1';",
    )
    .unwrap();
    assert_eq!(ids(&library, "Feed the dog", 9, CATALOG), [""; 0]);
    assert_eq!(library.embed_catalog(9).unwrap().stored, 1);
    assert_eq!(ids(&library, "Feed the dog", 9, CATALOG), ["synced-2"]);
}

#[test]
fn a_catalog_that_fails_to_embed_waits_and_heals_with_its_new_text() {
    let home = Home::new();
    let path = home.catalog(&[("synced-1", "Water the plants")]);
    let words = Words::in_mood(Mood::Panics);
    let library = with_catalog(&home, &path, words.clone());

    let report = library.embed_catalog(9).unwrap();
    assert_eq!((report.stored, report.failed, report.remaining), (0, 1, 1));
    words.turn(Mood::Answers);
    let report = library.embed_catalog(9).unwrap();
    assert_eq!(
        (report.stored, report.failed, report.remaining),
        (0, 0, 1),
        "it waits"
    );
    let sync = Connection::open(&path).unwrap();
    sync.execute("UPDATE synced_skill SET goal = 'Water the roses'", ())
        .unwrap();
    assert_eq!(library.embed_catalog(9).unwrap().stored, 1);
}

#[test]
fn without_a_catalog_asking_for_it_is_an_error() {
    let home = Home::new();
    let library = home.open_with(Words::new());
    let missing = with_catalog(&home, &home.folder.path().join("no-such.db"), Words::new());
    learn(&library, web_search("monday", "org.mozilla.firefox", "tea"));
    for library in [library, missing] {
        for result in [
            library.rank("tea".to_owned(), 3, CATALOG).map(drop),
            library.embed_catalog(3).map(drop),
        ] {
            assert!(matches!(result, Err(SkillError::Catalog { .. })), "{result:?}");
        }
        assert_eq!(ids(&library, "Search the web", 3, LOCAL).len(), 1);
    }
}
