//! Providers that fail, panic, hang or answer nonsense: the skill is stored, and heals.

use std::sync::Arc;
use std::time::{Duration, Instant};

use adroit::embedding::{Embedding, EmbeddingProvider};
use adroit::error::{EmbeddingError, SkillError};
use adroit::library::{Config, EmbedReport, EmbeddingConfig, SkillLibrary};
use adroit::outcome::{Decision, EmbeddingState};
use adroit::ranking::Scope;

use crate::common::{Home, Mood, Untouchable, Words, learn, stored};
use crate::recordings::{alarm, note};

/// A library that waits 50 ms for a vector.
fn impatient(home: &Home, provider: Arc<dyn EmbeddingProvider>) -> Arc<SkillLibrary> {
    let config = Config {
        embedding: EmbeddingConfig {
            deadline_ms: 50,
            ..EmbeddingConfig::default()
        },
        ..home.config()
    };
    SkillLibrary::open_with_provider(config, provider).unwrap()
}

fn report(stored: u64, failed: u64, remaining: u64) -> EmbedReport {
    EmbedReport {
        stored,
        failed,
        remaining,
    }
}

#[test]
fn every_failure_leaves_the_skill_stored_and_pending_until_it_heals() {
    for (name, mood) in [
        ("timeout", Mood::Fails(EmbeddingError::Timeout { after_ms: 1 })),
        (
            "rate limit",
            Mood::Fails(EmbeddingError::RateLimited { retry_after_ms: 1 }),
        ),
        ("disabled", Mood::Fails(EmbeddingError::Disabled)),
        (
            "connection",
            Mood::Fails(EmbeddingError::Connection {
                reason: "refused".to_owned(),
            }),
        ),
        ("panic", Mood::Panics),
        ("hang", Mood::Hangs),
    ] {
        let home = Home::new();
        let words = Words::in_mood(mood);
        let library = impatient(&home, words.clone());

        let started = Instant::now();
        let outcome = learn(&library, alarm("monday", "7:00"));
        assert!(started.elapsed() < Duration::from_secs(5), "{name}: nobody waits");

        assert_eq!(outcome.decision, Decision::Created, "{name}");
        assert_eq!(outcome.embedding, Some(EmbeddingState::Pending), "{name}");
        let skill = stored(&library, &outcome);
        assert_eq!(
            library.skill_by_name(skill.name.clone()).unwrap().as_ref(),
            Some(&skill)
        );
        // The backoff has begun: nobody is asked.
        let asked = words.texts().len();
        assert_eq!(library.embed_pending(9).unwrap(), report(0, 0, 1), "{name}");
        assert_eq!(words.texts().len(), asked, "{name}");
        // It is over, and the provider is still as it was.
        home.let_backoff_pass();
        assert_eq!(library.embed_pending(9).unwrap(), report(0, 1, 1), "{name}");
        assert_eq!(library.embed_pending(9).unwrap(), report(0, 0, 1), "{name}");

        words.turn(Mood::Answers);
        home.let_backoff_pass();
        assert_eq!(library.embed_pending(0).unwrap(), report(0, 0, 1), "{name}");
        assert_eq!(library.embed_pending(9).unwrap(), report(1, 0, 0), "{name}");
        let results = library.rank(skill.goal, 3, Scope::default()).unwrap().results;
        assert_eq!(results[0].skill_id, skill.skill_id, "{name}");
    }
}

#[test]
fn a_provider_that_hangs_holds_up_nothing_else() {
    let home = Home::new();
    let words = Words::in_mood(Mood::Hangs);
    let library = SkillLibrary::open_with_provider(
        Config {
            embedding: EmbeddingConfig {
                deadline_ms: 60_000,
                ..EmbeddingConfig::default()
            },
            ..home.config()
        },
        words.clone(),
    )
    .unwrap();
    std::thread::scope(|threads| {
        let learning = threads.spawn(|| learn(&library, alarm("monday", "7:00")));
        while words.texts().is_empty() {
            std::thread::sleep(Duration::from_millis(1));
        }
        // The first task hangs in its embedding; it is stored, and the store is free.
        assert_eq!(library.count().unwrap(), 1);
        let second = home.open_without_embedding();
        assert_eq!(
            learn(&second, note("tuesday", "milk")).decision,
            Decision::Created
        );
        assert_eq!(library.count().unwrap(), 2);
        assert!(!learning.is_finished());
        words.turn(Mood::Answers);
        assert_eq!(learning.join().unwrap().embedding, Some(EmbeddingState::Stored));
    });
}

#[test]
fn an_answer_that_is_no_embedding_is_a_failure() {
    struct Answers(Vec<f32>);
    impl EmbeddingProvider for Answers {
        fn model_id(&self) -> Result<String, EmbeddingError> {
            Ok("nonsense".to_owned())
        }
        fn dimension(&self) -> Result<u32, EmbeddingError> {
            Ok(3)
        }
        fn embed(&self, _: String) -> Result<Embedding, EmbeddingError> {
            Ok(Embedding {
                vector: self.0.clone(),
                truncated: false,
            })
        }
    }
    for vector in [
        vec![],
        vec![1.0, 2.0],
        vec![1.0, 2.0, 3.0, 4.0],
        vec![0.0; 3],
        vec![1.0, f32::NAN, 1.0],
        vec![f32::INFINITY, 1.0, 1.0],
    ] {
        let home = Home::new();
        let library = home.open_with(Arc::new(Answers(vector.clone())));
        let outcome = learn(&library, alarm("monday", "7:00"));
        assert_eq!(outcome.embedding, Some(EmbeddingState::Pending), "{vector:?}");
        assert_eq!(library.embed_pending(9).unwrap(), report(0, 0, 1), "{vector:?}");
    }
}

#[test]
fn a_provider_without_a_name_stores_nothing_and_breaks_nothing() {
    let home = Home::new();
    let library = home.open_with(Arc::new(Untouchable));
    let outcome = learn(&library, alarm("monday", "7:00"));
    assert_eq!(outcome.decision, Decision::Created);
    assert_eq!(outcome.embedding, Some(EmbeddingState::Pending));
    let goal = "Set an alarm".to_owned();
    for result in [
        library.embed_pending(9).map(drop),
        library.rank(goal, 3, Scope::default()).map(drop),
    ] {
        assert!(matches!(result, Err(SkillError::Embedding { .. })), "{result:?}");
    }
    // The next provider finds it waiting.
    let healed = home.open_with(Words::new()).embed_pending(9).unwrap();
    assert_eq!(healed, report(1, 0, 0));
}

#[test]
fn a_vector_is_not_lost_to_a_later_failure() {
    let home = Home::new();
    let words = Words::new();
    let library = home.open_with(words.clone());
    let first = learn(&library, alarm("monday", "7:00"));
    words.turn(Mood::Panics);
    let second = learn(&library, alarm("tuesday", "8:30"));
    assert_eq!(
        (first.embedding, second.embedding),
        (Some(EmbeddingState::Stored), Some(EmbeddingState::Stored))
    );
    words.turn(Mood::Answers);
    assert_eq!(library.embed_pending(9).unwrap(), report(0, 0, 0));
}

#[test]
fn another_execution_tries_a_failed_embedding_again_at_once() {
    let home = Home::new();
    let words = Words::in_mood(Mood::Panics);
    let library = home.open_with(words.clone());
    learn(&library, alarm("monday", "7:00"));
    words.turn(Mood::Answers);
    let again = learn(&library, alarm("tuesday", "7:00"));
    assert_eq!(again.embedding, Some(EmbeddingState::Stored));
}

#[test]
fn with_embedding_off_skills_stay_pending_and_say_how_many() {
    let home = Home::new();
    let library = home.open_without_embedding();
    let outcome = learn(&library, alarm("monday", "7:00"));
    learn(&library, note("tuesday", "milk"));
    assert_eq!(outcome.embedding, Some(EmbeddingState::Pending));
    assert_eq!(library.embed_pending(9).unwrap(), report(0, 0, 2));
}
