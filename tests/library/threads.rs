//! Many threads, and many libraries, on one file.

use std::collections::BTreeSet;

use adroit::outcome::{Decision, SkipReason};
use adroit::ranking::Scope;

use crate::common::{Home, Words, learn, skill_id};
use crate::recordings::{alarm, unlike};

const THREADS: usize = 8;

#[test]
fn equal_tasks_of_many_threads_are_learned_once() {
    let home = Home::new();
    let library = home.open_with(Words::new());
    let outcomes: Vec<_> = std::thread::scope(|threads| {
        let learning: Vec<_> = (0..THREADS)
            .map(|_| threads.spawn(|| learn(&library, alarm("monday", "7:00"))))
            .collect();
        learning
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });

    let created = outcomes
        .iter()
        .filter(|outcome| outcome.decision == Decision::Created);
    assert_eq!(created.count(), 1);
    let again = Decision::Skipped {
        reason: SkipReason::AlreadyLearned {
            first: Box::new(Decision::Created),
        },
    };
    assert_eq!(
        outcomes
            .iter()
            .filter(|outcome| outcome.decision == again)
            .count(),
        THREADS - 1
    );
    let ids: BTreeSet<String> = outcomes.iter().map(skill_id).collect();
    assert_eq!(ids.len(), 1);
    assert_eq!(library.count().unwrap(), 1);
}

#[test]
fn different_tasks_of_many_threads_and_libraries_are_all_kept() {
    const ROUNDS: usize = 6;
    let home = Home::new();
    let libraries = [home.open_with(Words::new()), home.open_with(Words::new())];
    std::thread::scope(|threads| {
        for thread in 0..THREADS {
            let library = &libraries[thread % libraries.len()];
            threads.spawn(move || {
                for round in 0..ROUNDS {
                    let task_id = format!("{thread}/{round}");
                    // Half of the threads vary one task, the others bring a task each.
                    let outcome = match thread % 2 {
                        0 => learn(library, alarm(&task_id, &format!("{}:{}0", thread + 1, round))),
                        _ => learn(library, unlike(&task_id, thread)),
                    };
                    assert!(library.skill(skill_id(&outcome)).unwrap().is_some());
                    let goal = "Set an alarm for 7:00".to_owned();
                    assert!(
                        !library
                            .rank(goal, 3, Scope::default())
                            .unwrap()
                            .results
                            .is_empty()
                    );
                }
            });
        }
    });

    for library in &libraries {
        let skills = library.list(None, 100).unwrap();
        assert_eq!(skills.len(), 1 + THREADS / 2);
        assert!(skills.iter().all(|skill| skill.version == 1));
        let tasks: BTreeSet<String> = skills
            .iter()
            .flat_map(|skill| library.executions(skill.skill_id.clone()).unwrap())
            .map(|execution| execution.task_id)
            .collect();
        assert_eq!(tasks.len(), THREADS * ROUNDS);
        assert_eq!(library.embed_pending(100).unwrap().remaining, 0);
    }
    let alarm = libraries[0]
        .skill_by_name("set_alarm".to_owned())
        .unwrap()
        .unwrap();
    assert_eq!(alarm.parameters.len(), 1);
    assert_eq!(alarm.parameters[0].seen.len(), adroit::skill::MAX_SEEN);
}
