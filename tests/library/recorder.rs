//! A task that is recorded while it runs.

use adroit::error::SkillError;
use adroit::library::{Config, SkillLibrary};
use adroit::outcome::{Decision, SkipReason};
use adroit::timeline::{MAX_CALLS, Status, Timeline};
use serde_json::json;

use crate::common::{Home, Recording, contains, files, learn, stored, timeline};
use crate::recordings::{alarm, note};
use crate::secrets::sign_in;

/// Begins a task and records its calls, without finishing it.
fn record(library: &SkillLibrary, recording: &Recording) {
    let Recording(task) = recording;
    let begun = Timeline {
        calls: Vec::new(),
        ..task.clone()
    };
    library.begin_recording(begun).unwrap();
    for call in &task.calls {
        library.record_call(task.task_id.clone(), call.clone()).unwrap();
    }
}

fn finish(library: &SkillLibrary, task_id: &str) -> adroit::outcome::Outcome {
    library
        .finish_recording(task_id.to_owned(), Status::Succeeded)
        .unwrap()
}

fn refusal<T: std::fmt::Debug>(result: Result<T, SkillError>) -> String {
    match result {
        Err(SkillError::InvalidArgument { argument, reason }) if argument == "task_id" => reason,
        other => panic!("not refused: {other:?}"),
    }
}

#[test]
fn a_recorded_task_is_learned_like_its_timeline() {
    for recording in [
        alarm("one", "7:00"),
        note("one", "milk"),
        sign_in("one", "ann", "s3cr3t-word"),
    ] {
        let (here, there) = (Home::new(), Home::new());
        let (recorder, reader) = (here.open_without_embedding(), there.open_without_embedding());
        record(&recorder, &recording);
        let outcome = finish(&recorder, "one");
        let expected = learn(&reader, recording);
        assert_eq!(
            (&outcome.decision, &outcome.evidence),
            (&expected.decision, &expected.evidence)
        );
        let (found, expected) = (stored(&recorder, &outcome), stored(&reader, &expected));
        assert_eq!(
            (found.name, found.goal, found.steps, found.secrets),
            (expected.name, expected.goal, expected.steps, expected.secrets)
        );
        assert_eq!(recorder.recordings(), Ok(Vec::new()), "the recording is gone");
    }
}

#[test]
fn a_recording_survives_its_process_as_a_running_task_and_goes_on() {
    let home = Home::new();
    for password in [None, Some("quidnunc-4711")] {
        let task_id = password.unwrap_or("plain");
        let recording = match password {
            None => alarm(task_id, "7:00"),
            Some(password) => sign_in("secret", "ann", password),
        };
        let task_id = recording.0.task_id.clone();
        let calls = recording.0.calls.len();
        let mut begun = recording.clone();
        let last = begun.0.calls.pop().unwrap();
        // A process that dies closes nothing.
        let dead = home.open_without_embedding();
        record(&dead, &begun);

        let library = home.open_without_embedding();
        let [running] = library.recordings().unwrap().try_into().unwrap();
        assert_eq!(
            (running.status, running.calls.len()),
            (Status::Running, calls - 1)
        );
        library.record_call(task_id.clone(), last).unwrap();
        let outcome = finish(&library, &task_id);
        assert_eq!(outcome.decision, Decision::Created);

        // Secrets were hidden meanwhile, and yet it is the same skill.
        let other = Home::new();
        let reader = other.open_without_embedding();
        let expected = learn(&reader, recording);
        let (found, expected) = (stored(&library, &outcome), stored(&reader, &expected));
        assert_eq!(
            (found.name, found.goal, found.steps, found.secrets),
            (expected.name, expected.goal, expected.steps, expected.secrets)
        );
    }
}

#[test]
fn a_secret_is_in_no_file_while_its_task_runs_nor_after() {
    let home = Home::new();
    let library = home.open_without_embedding();
    let password = "Tr0ub4dor-xyzzy";
    let seen = |text: &str| {
        files(home.folder.path())
            .iter()
            .any(|(_, bytes)| contains(bytes, text))
    };
    let Recording(task) = sign_in("task", "ann", password);
    let begun = Timeline {
        calls: Vec::new(),
        goal: "Sign in as ann, please".to_owned(),
        ..task.clone()
    };
    library.begin_recording(begun).unwrap();
    for call in &task.calls {
        library.record_call("task".to_owned(), call.clone()).unwrap();
        assert!(!seen(password), "after {}", call.tool);
    }
    assert!(seen("com.bank"), "the rest is recorded");
    finish(&library, "task");
    assert!(!seen(password));
}

#[test]
fn what_turns_out_to_be_a_secret_later_is_hidden_in_what_was_recorded_before() {
    let home = Home::new();
    let library = home.open_without_embedding();
    let password = "zanzibar-plugh";
    let recording = timeline("task", &format!("Use {password} for the vault"))
        .call("input_text", json!({"text": password, "hint": "Memo"}))
        .call("input_text", json!({"text": password, "hint": "Password"}));
    record(&library, &recording);
    let [running] = library.recordings().unwrap().try_into().unwrap();
    let shown = serde_json::to_string(&running).unwrap();
    assert!(!shown.contains(password), "{shown}");
    for (path, bytes) in files(home.folder.path()) {
        assert!(!contains(&bytes, password), "{path:?}");
    }
}

#[test]
fn with_authoring_off_nothing_is_kept() {
    let home = Home::new();
    let library = SkillLibrary::open(Config {
        authoring_enabled: false,
        ..home.config()
    })
    .unwrap();
    record(&library, &alarm("task", "7:00"));
    let outcome = finish(&library, "task");
    assert_eq!(
        (outcome.task_id.as_str(), outcome.decision),
        (
            "task",
            Decision::Skipped {
                reason: SkipReason::Disabled
            }
        )
    );
    assert_eq!(library.recordings(), Ok(Vec::new()));
    assert_eq!(library.discard_recording("task".to_owned()), Ok(false));
    assert_eq!(files(home.folder.path()), []);
}

#[test]
fn a_task_that_did_not_succeed_leaves_nothing() {
    let home = Home::new();
    let library = home.open_without_embedding();
    for status in [Status::Failed, Status::Cancelled] {
        record(&library, &alarm("task", "7:00"));
        let outcome = library.finish_recording("task".to_owned(), status).unwrap();
        assert_eq!(
            outcome.decision,
            Decision::Skipped {
                reason: SkipReason::NotSucceeded { status }
            }
        );
        assert_eq!(library.recordings(), Ok(Vec::new()));
    }
    assert_eq!(library.count(), Ok(0));
}

#[test]
fn a_discarded_recording_is_gone_from_the_file_too() {
    let home = Home::new();
    let library = home.open_without_embedding();
    record(&library, &note("task", "frobozz-magic"));
    assert_eq!(library.discard_recording("task".to_owned()), Ok(true));
    assert_eq!(library.discard_recording("task".to_owned()), Ok(false));
    for (path, bytes) in files(home.folder.path()) {
        assert!(!contains(&bytes, "frobozz-magic"), "{path:?}");
    }
}

#[test]
fn ids_are_taken_once_and_calls_need_a_beginning() {
    let home = Home::new();
    let library = home.open_without_embedding();
    let Recording(task) = alarm("task", "7:00");
    let call = task.calls[0].clone();
    assert!(refusal(library.record_call("task".to_owned(), call.clone())).contains("begin it first"));
    assert!(refusal(library.finish_recording("task".to_owned(), Status::Failed)).contains("begin it"));
    library.begin_recording(task.clone()).unwrap();
    let again = home.open_without_embedding();
    for library in [&library, &again] {
        assert!(refusal(library.begin_recording(task.clone())).contains("finish or discard"));
    }
    // Another process ends it: this one cannot go on.
    again.discard_recording("task".to_owned()).unwrap();
    assert!(refusal(library.record_call("task".to_owned(), call)).contains("begin it first"));
}

#[test]
fn a_call_past_the_limits_is_refused_and_the_recording_goes_on() {
    let home = Home::new();
    let library = home.open_without_embedding();
    let Recording(mut task) = alarm("task", "7:00");
    let call = task.calls[0].clone();
    task.calls = vec![call.clone(); MAX_CALLS];
    library.begin_recording(task).unwrap();
    assert!(matches!(
        library.record_call("task".to_owned(), call),
        Err(SkillError::InvalidTimeline { .. })
    ));
    let [running] = library.recordings().unwrap().try_into().unwrap();
    assert_eq!(running.calls.len(), MAX_CALLS);
    assert_eq!(finish(&library, "task").decision, Decision::Created);
}

#[test]
fn threads_record_one_task_without_losing_a_call() {
    let home = Home::new();
    let library = home.open_without_embedding();
    library
        .begin_recording(timeline("task", "Press every key").0)
        .unwrap();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let library = &library;
            scope.spawn(move || {
                for key in 0..10 {
                    let Recording(task) =
                        timeline("", "").call("tap", json!({"text": format!("{thread}-{key}")}));
                    library
                        .record_call("task".to_owned(), task.calls[0].clone())
                        .unwrap();
                }
            });
        }
    });
    let [running] = library.recordings().unwrap().try_into().unwrap();
    let mut texts: Vec<_> = running
        .calls
        .iter()
        .map(|call| call.arguments["text"].to_string())
        .collect();
    texts.sort();
    texts.dedup();
    assert_eq!(texts.len(), 40);
}

#[test]
fn two_libraries_that_record_one_task_lose_no_call() {
    let home = Home::new();
    let (here, there) = (home.open_without_embedding(), home.open_without_embedding());
    here.begin_recording(timeline("task", "Press every key").0)
        .unwrap();
    for key in 0..6 {
        let Recording(task) = timeline("", "").call("tap", json!({"text": format!("key {key}")}));
        let library = if key % 2 == 0 { &here } else { &there };
        library
            .record_call("task".to_owned(), task.calls[0].clone())
            .unwrap();
    }
    // The one that ends it has not recorded its last call.
    let [running] = there.recordings().unwrap().try_into().unwrap();
    assert_eq!(stored(&here, &finish(&here, "task")).steps.len(), 6);
    assert!(refusal(there.finish_recording("task".to_owned(), Status::Succeeded)).contains("begin it"));
    let keys: Vec<_> = running
        .calls
        .iter()
        .map(|call| call.arguments["text"].clone())
        .collect();
    assert_eq!(keys, ["key 0", "key 1", "key 2", "key 3", "key 4", "key 5"]);
}
