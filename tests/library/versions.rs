//! Versions: how they came about, and that what was stays.

use adroit::outcome::{ChangeKind, Decision, StepChange};
use adroit::synthesis::changes;
use adroit::timeline::MAX_CALLS;
use proptest::prelude::*;
use serde_json::json;

use crate::common::{Home, Recording, learn, learned, parameter_names, stored, timeline};
use crate::recordings::{alarm, alarm_and_swipe};

/// A task whose steps are these tools.
fn flow(task_id: &str, tools: &[&str]) -> Recording {
    tools.iter().fold(
        timeline(task_id, "Tidy up the kitchen list").app("com.lists"),
        |recording, tool| recording.call(tool, json!({"on": *tool})),
    )
}

fn change(kind: ChangeKind, tool: &str, from: Option<u32>, to: Option<u32>) -> StepChange {
    StepChange {
        kind,
        tool: tool.to_owned(),
        from,
        to,
    }
}

#[test]
fn a_new_version_says_what_was_inserted_deleted_and_moved() {
    use ChangeKind::{Deleted, Inserted, Moved};
    let parent = ["launch_app", "tap", "input_text", "press_key"];
    for (tools, expected) in [
        (
            &["launch_app", "swipe", "tap", "input_text", "press_key"][..],
            vec![change(Inserted, "swipe", None, Some(1))],
        ),
        (
            &["launch_app", "tap", "press_key"],
            vec![change(Deleted, "input_text", Some(2), None)],
        ),
        (
            &["launch_app", "input_text", "tap", "press_key"],
            vec![change(Moved, "input_text", Some(2), Some(1))],
        ),
        (
            &["tap", "input_text", "swipe", "press_key", "launch_app"],
            vec![
                change(Moved, "launch_app", Some(0), Some(4)),
                change(Inserted, "swipe", None, Some(2)),
            ],
        ),
        (
            &["launch_app", "tap", "input_text", "long_press"],
            vec![
                change(Inserted, "long_press", None, Some(3)),
                change(Deleted, "press_key", Some(3), None),
            ],
        ),
    ] {
        let home = Home::new();
        let library = home.open_without_embedding();
        let first = learned(&library, flow("monday", &parent));

        let outcome = learn(&library, flow("tuesday", tools));

        let Decision::VersionAdded { parent_id, changes } = outcome.decision else {
            panic!("{tools:?}: {:?}", outcome.decision);
        };
        assert_eq!(parent_id, first.skill_id);
        let sorted = |mut changes: Vec<StepChange>| {
            changes.sort_by_key(|change| (change.to, change.from));
            changes
        };
        assert_eq!(sorted(changes), sorted(expected), "{tools:?}");
    }
}

proptest! {
    /// Without what was deleted, inserted or moved, parent and version are the same.
    #[test]
    fn changes_explain_all_of_the_difference(
        old in prop::collection::vec("[a-d]", 0..12),
        new in prop::collection::vec("[a-d]", 0..12),
    ) {
        let changes = changes(&old, &new);
        let rest = |tools: &[String], gone: Vec<Option<u32>>| -> Vec<String> {
            (0..).zip(tools).filter(|(at, _)| !gone.contains(&Some(*at))).map(|(_, tool)| tool.clone()).collect()
        };
        let kept = rest(&old, changes.iter().map(|change| change.from).collect());
        prop_assert_eq!(&kept, &rest(&new, changes.iter().map(|change| change.to).collect()));
        for change in &changes {
            let ends = (change.from.is_some(), change.to.is_some());
            let expected = match change.kind {
                ChangeKind::Inserted => (false, true),
                ChangeKind::Deleted => (true, false),
                ChangeKind::Moved => (true, true),
            };
            prop_assert_eq!(ends, expected);
            for (at, tools) in [(change.from, &old), (change.to, &new)] {
                prop_assert!(at.is_none_or(|at| tools[at as usize] == change.tool));
            }
        }
        // A tool that is deleted is not inserted as well: then it has moved.
        for deleted in changes.iter().filter(|change| change.kind == ChangeKind::Deleted) {
            let inserted = |change: &StepChange| change.kind == ChangeKind::Inserted && change.tool == deleted.tool;
            prop_assert!(!changes.iter().any(inserted));
        }
        prop_assert_eq!(changes.is_empty(), old == new);
    }
}

#[test]
fn a_skeleton_that_comes_back_starts_from_its_older_version_s_parameters() {
    let home = Home::new();
    let library = home.open_without_embedding();
    learn(&library, alarm("monday", "7:00"));
    let first = learned(&library, alarm("tuesday", "8:30"));
    let second = learned(&library, alarm_and_swipe("wednesday", "9:00"));
    assert_eq!(
        second.parameters,
        [],
        "a skeleton not seen before has no parameters yet"
    );

    let outcome = learn(&library, alarm("thursday", "9:45"));

    let third = stored(&library, &outcome);
    assert!(
        matches!(outcome.decision, Decision::VersionAdded { parent_id, .. } if parent_id == second.skill_id)
    );
    assert_eq!(
        (third.version, third.parent_id.as_ref()),
        (3, Some(&second.skill_id))
    );
    assert_eq!(third.steps, first.steps);
    assert_eq!(parameter_names(&third), parameter_names(&first));
    assert_eq!(
        third.parameters[0].seen,
        [json!("7:00"), json!("8:30"), json!("9:45")]
    );
    let history = library.history(first.lineage_id.clone()).unwrap();
    assert_eq!(history, [first, second, third]);
}

#[test]
fn prior_versions_never_change() {
    let home = Home::new();
    let library = home.open_without_embedding();
    let mut known = Vec::new();
    for round in 0..12_u32 {
        let (task_id, time) = (format!("task {round}"), format!("{}:15", round + 1));
        let recording = match round % 3 {
            0 => alarm(&task_id, &time),
            1 => alarm_and_swipe(&task_id, &time),
            _ => alarm(&task_id, &time).call("press_key", json!({"key": "home"})),
        };
        let newest = learned(&library, recording);
        assert_eq!(newest.version, round + 1);
        known.push((newest.clone(), library.executions(newest.skill_id).unwrap()));
        let history = library.history(newest.lineage_id).unwrap();
        for ((version, executions), stored) in known.iter().zip(history) {
            assert_eq!(stored, *version);
            assert_eq!(library.executions(stored.skill_id).unwrap(), *executions);
        }
    }
}

#[test]
fn endless_recordings_are_compared_and_versioned() {
    let home = Home::new();
    let library = home.open_without_embedding();
    let endless = |task_id: &str, tools: [&str; 3]| {
        let tools: Vec<&str> = tools.into_iter().cycle().take(MAX_CALLS).collect();
        flow(task_id, &tools)
    };
    let first = learned(&library, endless("monday", ["tap", "swipe", "back"]));

    let outcome = learn(&library, endless("tuesday", ["back", "tap", "tap"]));
    let Decision::VersionAdded { parent_id, changes } = &outcome.decision else {
        panic!("{:?}", outcome.decision);
    };
    assert_eq!(*parent_id, first.skill_id);
    assert!(!changes.is_empty());
    assert_eq!(stored(&library, &outcome).steps.len(), MAX_CALLS);
}
