//! What `learn` does and says.

use adroit::error::SkillError;
use adroit::library::{Config, SkillLibrary};
use adroit::outcome::{Decision, EmbeddingState, MatchedBy, SkipReason};
use adroit::skill::{Execution, Skill};
use serde_json::json;

use crate::common::{Home, Words, learn, learned, skill_id, stored, timeline, tools};
use crate::recordings::{CLOCK, alarm, alarm_and_swipe, note};

/// All that a library holds.
fn everything(library: &SkillLibrary) -> Vec<(Skill, Vec<Execution>)> {
    let newest = library.list(None, 1_000).unwrap();
    let versions = newest
        .into_iter()
        .flat_map(|skill| library.history(skill.lineage_id).unwrap());
    versions
        .map(|version| {
            let executions = library.executions(version.skill_id.clone()).unwrap();
            (version, executions)
        })
        .collect()
}

#[test]
fn learning_twice_changes_nothing_and_returns_the_first_outcome() {
    let home = Home::new();
    let words = Words::new();
    let library = home.open_with(words.clone());
    let tasks = [
        alarm("created", "7:00"),
        alarm("unchanged", "7:00"),
        alarm("parameter", "8:30"),
        alarm_and_swipe("version", "9:00"),
        note("another", "milk"),
    ];
    let first: Vec<_> = tasks.iter().map(|task| learn(&library, task.clone())).collect();
    let (before, embedded) = (everything(&library), words.texts().len());

    for (task, first) in tasks.into_iter().zip(first) {
        let again = learn(&library, task);
        assert_eq!(
            again.decision,
            Decision::Skipped {
                reason: SkipReason::AlreadyLearned {
                    first: Box::new(first.decision)
                }
            }
        );
        assert_eq!((again.task_id, again.skill), (first.task_id, first.skill));
        assert_eq!(again.evidence, first.evidence);
    }
    // The task id says which task it is, whatever else the second recording holds.
    let other = learn(&library, note("created", "bread"));
    assert_eq!(other.skill.unwrap().skill_id, before[0].0.skill_id);
    assert_eq!(everything(&library), before);
    assert_eq!(words.texts().len(), embedded, "nothing was embedded again");
}

#[test]
fn a_task_without_steps_is_skipped() {
    let home = Home::new();
    let library = home.open_without_embedding();
    let goal = "Set an alarm for 7:00";
    for (task_id, recording) in [
        ("no calls", timeline("1", goal)),
        (
            "only looks",
            timeline("2", goal)
                .call("screenshot", json!({}))
                .call("wait", json!({"ms": 5})),
        ),
        (
            "all failed",
            timeline("3", goal)
                .call("tap", json!({"text": "Add alarm"}))
                .failed(),
        ),
        (
            "an error",
            timeline("4", goal)
                .call("tap", json!({"text": "Add alarm"}))
                .last(|call| call.error = Some("blocked".to_owned())),
        ),
        (
            "read only",
            timeline("5", goal)
                .call("frobnicate", json!({}))
                .last(|call| call.read_only = Some(true)),
        ),
        (
            "finished before",
            timeline("6", goal)
                .call("finish", json!({}))
                .call("tap", json!({"x": 1})),
        ),
    ] {
        let outcome = learn(&library, recording);
        let reason = SkipReason::NoSteps;
        assert_eq!(outcome.decision, Decision::Skipped { reason }, "{task_id}");
    }
    assert!(!home.database().exists(), "nothing was to be stored");
}

#[test]
fn failed_calls_are_no_steps_and_unknown_tools_are() {
    let home = Home::new();
    let library = SkillLibrary::open(Config {
        tool_overrides: [("ping".to_owned(), false), ("screenshot".to_owned(), true)].into(),
        ..home.config()
    })
    .unwrap();

    let skill = learned(
        &library,
        timeline("monday", "Set an alarm for 7:00")
            .call("tap", json!({"text": "Wrong"}))
            .failed()
            .call("tap", json!({"text": "Add alarm"}))
            .call("frobnicate", json!([1, null]))
            .call("ping", json!({}))
            .call("screenshot", json!({})),
    );

    assert_eq!(tools(&skill), ["tap", "frobnicate", "screenshot"]);
    assert_eq!(skill.steps[1].arguments, json!([1, null]));
}

#[test]
fn outcomes_carry_their_evidence() {
    let home = Home::new();
    let library = home.open_with(Words::new());

    let created = learn(&library, alarm("monday", "7:00"));
    assert_eq!(created.evidence.matched_by, MatchedBy::Nothing);
    assert_eq!(
        (&created.evidence.compared_with, created.evidence.candidates),
        (&None, 0)
    );
    assert_eq!(created.embedding, Some(EmbeddingState::Stored));

    let updated = learn(&library, alarm("tuesday", "8:30"));
    let evidence = &updated.evidence;
    assert_eq!(evidence.matched_by, MatchedBy::GoalFamily);
    assert_eq!(evidence.compared_with, Some(skill_id(&created)));
    assert_eq!((evidence.refused, evidence.candidates), (None, 1));
    assert!(evidence.same_skeleton);
    assert_eq!((evidence.goal_similarity, evidence.step_similarity), (1.0, 1.0));
    assert_eq!((evidence.positions, evidence.differing), (4, 1));

    let version = learn(&library, alarm_and_swipe("wednesday", "9:00"));
    let evidence = &version.evidence;
    assert_eq!(evidence.matched_by, MatchedBy::GoalFamily);
    assert!(!evidence.same_skeleton);
    assert_eq!((evidence.step_similarity, evidence.differing), (0.8, 0));

    // The same stands with the executions, and what each one typed.
    let first = library.executions(skill_id(&created)).unwrap();
    let second = library.executions(skill_id(&version)).unwrap();
    let kept: Vec<_> = first.iter().chain(&second).collect();
    for (outcome, execution) in [created, updated, version].iter().zip(kept) {
        assert_eq!(execution.task_id, outcome.task_id);
        assert_eq!(execution.decision, outcome.decision);
        assert_eq!(execution.evidence, outcome.evidence);
        assert_eq!(execution.app.as_deref(), Some(CLOCK));
    }
    let name = &stored(&library, &learn(&library, alarm("tuesday", "8:30"))).parameters[0].name;
    assert_eq!(first[1].values[name], json!("8:30"));
}

#[test]
fn a_timeline_beyond_the_limits_is_refused_and_leaves_no_trace() {
    let home = Home::new();
    let library = home.open_without_embedding();
    let deep = (0..80).fold(json!(1), |inner, _| json!([inner]));
    let mut long = timeline("long", "Tap a lot");
    for _ in 0..=adroit::timeline::MAX_CALLS {
        long = long.call("tap", json!({"x": 1}));
    }
    for (field, recording) in [
        ("task_id", alarm(" ", "7:00")),
        ("task_id", alarm("a\0b", "7:00")),
        ("goal", timeline("blank", "\u{3000}\n").call("tap", json!({}))),
        ("goal_family", alarm("family", "7:00").goal_family("\t")),
        ("calls[0].arguments", timeline("deep", "Tap").call("tap", deep)),
        ("calls", long),
    ] {
        match library.learn(recording.0) {
            Err(SkillError::InvalidTimeline { field: found, .. }) => assert_eq!(found, field),
            other => panic!("{field}: {other:?}"),
        }
    }
    assert!(!home.database().exists());
}

#[test]
fn names_and_descriptions_are_for_people() {
    let home = Home::new();
    let library = home.open_without_embedding();
    let skill = learned(&library, alarm("monday", "7:00"));

    assert_eq!(skill.name, "set_alarm");
    assert_eq!(
        skill.description,
        "In com.android.deskclock: Open com.android.deskclock, tap “Add alarm”, type “7:00” and tap “OK”."
    );
}

#[test]
fn goals_in_every_script_are_learned() {
    let home = Home::new();
    let library = home.open_without_embedding();
    let mut names = std::collections::BTreeSet::new();
    for (number, goal) in [
        "设置早上七点的闹钟",
        "Đặt báo thức lúc 7 giờ",
        "Поставь будильник на 7:00",
        "朝7時にアラームをセットして",
        "아침 7시 알람 맞춰줘",
        "सुबह 7 बजे का अलार्म लगाओ",
        "اضبط المنبه على الساعة 7",
        "⏰ 7:00",
        "7",
        "???",
    ]
    .into_iter()
    .enumerate()
    {
        let app = format!("com.clock{number}");
        let task = |task: &str| {
            timeline(&format!("{task}{number}"), goal)
                .app(&app)
                .call("tap", json!({"text": "+"}))
                .call("input_text", json!({"text": "7"}))
        };
        let created = learn(&library, task("first"));
        assert_eq!(created.decision, Decision::Created, "{goal}");
        let skill = stored(&library, &created);
        assert!(
            !skill.name.is_empty() && !skill.name.contains(char::is_whitespace),
            "{goal}: {}",
            skill.name
        );
        assert_eq!(
            library.skill_by_name(skill.name.clone()).unwrap().as_ref(),
            Some(&skill)
        );
        assert!(names.insert(skill.name), "{goal}");
        let again = learn(&library, task("second"));
        assert_eq!(again.decision, Decision::Unchanged, "{goal}");
    }
}

#[test]
fn whatever_goals_tools_and_apps_are_called_the_skill_gets_a_name() {
    let home = Home::new();
    let library = home.open_without_embedding();
    let goals = [
        "issue1777",
        "1777",
        "🎉",
        "!!!",
        "ÉTEINDRE La Lumière",
        "İstanbul",
        "x",
    ];
    let tools = ["tapOn", "CLICK(1)", "Tap:on", "…", "A", "ﬁnd", "Ǆ", "input text"];
    let apps = ["com.Example.App", "X (1)", "Ünïcode", "…", "a"];
    let mut names = Vec::new();
    for (i, goal) in goals.into_iter().enumerate() {
        for (j, tool) in tools.into_iter().enumerate() {
            for (k, app) in apps.into_iter().enumerate() {
                let task = timeline(&format!("{i} {j} {k}"), goal).app(app);
                let outcome = learn(&library, task.call(tool, json!({"text": "OK"})));
                names.extend(outcome.skill.map(|skill| skill.name));
            }
        }
    }
    assert_eq!(names.len(), goals.len() * tools.len() * apps.len());
    for name in &names {
        let well_formed = |c: char| c == '_' || !c.is_ascii() || c.is_ascii_lowercase() || c.is_ascii_digit();
        assert!(!name.is_empty() && name.chars().all(well_formed), "{name}");
    }
    assert!(names.contains(&"tap_on".to_owned()), "{names:?}");
}
