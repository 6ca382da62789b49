//! The scenarios of the specifications, one test each, in the order of the specifications and under their names.

// Clippy's exception for tests stops at their helpers.
#![allow(clippy::unwrap_used)]

mod common;

use adroit::error::EmbeddingError;
use adroit::library::{Config, SkillLibrary};
use adroit::outcome::{ChangeKind, Decision, EmbeddingState, SkipReason, StepChange};
use adroit::ranking::Scope;
use adroit::skill::{Skill, Step};
use adroit::timeline::Status;
use common::{
    Home, Mood, Recording, Untouchable, Words, learn, learned, parameter_names, stored, timeline, tools,
};
use serde_json::json;
use std::sync::Arc;

// ------------------------------------------------------------------------------------------ recordings

/// Sets an alarm: four steps.
fn alarm(task_id: &str, time: &str) -> Recording {
    timeline(task_id, &format!("Set an alarm for {time}"))
        .app("com.android.deskclock")
        .call("launch_app", json!({"package": "com.android.deskclock"}))
        .call("tap", json!({"text": "Add alarm"}))
        .call("input_text", json!({"text": time}))
        .call("tap", json!({"text": "OK"}))
}

/// The same, with a tap more in the middle.
fn alarm_with_label(task_id: &str, time: &str) -> Recording {
    timeline(task_id, &format!("Set an alarm for {time}"))
        .app("com.android.deskclock")
        .call("launch_app", json!({"package": "com.android.deskclock"}))
        .call("tap", json!({"text": "Alarm"}))
        .call("tap", json!({"text": "Add alarm"}))
        .call("input_text", json!({"text": time}))
        .call("tap", json!({"text": "OK"}))
}

/// The same tools as `alarm` in another order.
fn alarm_typed_first(task_id: &str, time: &str) -> Recording {
    timeline(task_id, &format!("Set an alarm for {time}"))
        .app("com.android.deskclock")
        .call("launch_app", json!({"package": "com.android.deskclock"}))
        .call("input_text", json!({"text": time}))
        .call("tap", json!({"text": "Add alarm"}))
        .call("tap", json!({"text": "OK"}))
}

fn order_pizza(task_id: &str) -> Recording {
    timeline(task_id, "Order a pizza Margherita for delivery")
        .app("com.pizza.delivery")
        .call("launch_app", json!({"package": "com.pizza.delivery"}))
        .call("tap", json!({"text": "Margherita"}))
        .call("tap", json!({"text": "Add to basket"}))
        .call("tap", json!({"text": "Pay now"}))
}

fn dark_theme(task_id: &str) -> Recording {
    timeline(task_id, "Turn on the dark theme")
        .app("com.android.settings")
        .call("launch_app", json!({"package": "com.android.settings"}))
        .call("tap", json!({"text": "Display"}))
        .call("tap", json!({"text": "Dark theme"}))
}

fn play_music(task_id: &str) -> Recording {
    timeline(task_id, "Play some jazz music")
        .app("com.music.player")
        .call("launch_app", json!({"package": "com.music.player"}))
        .call("input_text", json!({"text": "jazz"}))
        .call("press_key", json!({"key": "enter"}))
        .call("tap", json!({"text": "Play"}))
}

fn ids<'a>(skills: impl IntoIterator<Item = &'a Skill>) -> Vec<&'a str> {
    skills.into_iter().map(|skill| skill.skill_id.as_str()).collect()
}

/// The ids that a goal finds, best first.
fn found(library: &SkillLibrary, goal: &str, k: u32, scope: Scope) -> Vec<String> {
    let ranking = library.rank(goal.to_owned(), k, scope).unwrap();
    ranking
        .results
        .into_iter()
        .map(|result| result.skill_id)
        .collect()
}

// ------------------------------------------------------------------------------------- skill authoring

#[test]
fn successful_task_triggers_synthesis() {
    let home = Home::new();
    let library = home.open_without_embedding();

    let outcome = learn(&library, alarm("monday", "7:00"));

    assert_eq!(outcome.decision, Decision::Created);
    let skill = stored(&library, &outcome);
    assert_eq!(skill.goal, "Set an alarm for 7:00");
    assert_eq!(skill.app.as_deref(), Some("com.android.deskclock"));
    assert_eq!(tools(&skill), ["launch_app", "tap", "input_text", "tap"]);
    assert_eq!(library.executions(skill.skill_id).unwrap()[0].task_id, "monday");
}

#[test]
fn failed_task_does_not_trigger_synthesis() {
    for status in [Status::Failed, Status::Cancelled, Status::Running] {
        let home = Home::new();
        let library = home.open_without_embedding();

        let outcome = learn(&library, alarm("monday", "7:00").status(status));

        let reason = SkipReason::NotSucceeded { status };
        assert_eq!(outcome.decision, Decision::Skipped { reason });
        assert_eq!(outcome.skill, None);
        assert_eq!(library.count().unwrap(), 0);
    }
}

#[test]
fn default_configuration_performs_no_synthesis() {
    let home = Home::new();
    let config = Config {
        database_path: home.config().database_path,
        ..Config::default()
    };
    let library = SkillLibrary::open_with_provider(config, Arc::new(Untouchable)).unwrap();

    let outcome = learn(&library, alarm("monday", "7:00"));

    let reason = SkipReason::Disabled;
    assert_eq!(outcome.decision, Decision::Skipped { reason });
    assert_eq!(common::files(home.folder.path()), []);
}

#[test]
fn explicit_enable_activates_synthesis() {
    let home = Home::new();
    let disabled = SkillLibrary::open(Config {
        authoring_enabled: false,
        ..home.config()
    })
    .unwrap();
    learn(&disabled, alarm("monday", "7:00"));

    let enabled = home.open_without_embedding();
    let outcome = learn(&enabled, alarm("tuesday", "7:00"));

    assert_eq!(outcome.decision, Decision::Created);
    let executions = enabled.executions(common::skill_id(&outcome)).unwrap();
    let tasks: Vec<&str> = executions
        .iter()
        .map(|execution| execution.task_id.as_str())
        .collect();
    assert_eq!(tasks, ["tuesday"], "what came before was not learned");
}

#[test]
fn mutating_steps_are_included_in_order() {
    let home = Home::new();
    let library = home.open_without_embedding();

    let skill = learned(
        &library,
        timeline("monday", "Set an alarm for 7:00")
            .call("launch_app", json!({"package": "com.android.deskclock"}))
            .call("tap", json!({"x": 540, "y": 2100}))
            .call("input_text", json!({"text": "7:00"}))
            .call("tap", json!({"x": 900, "y": 1500})),
    );

    let step = |tool: &str, arguments| Step {
        tool: tool.to_owned(),
        arguments,
    };
    assert_eq!(
        skill.steps,
        [
            step("launch_app", json!({"package": "com.android.deskclock"})),
            step("tap", json!({"x": 540, "y": 2100})),
            step("input_text", json!({"text": "7:00"})),
            step("tap", json!({"x": 900, "y": 1500})),
        ]
    );
}

#[test]
fn read_only_observation_calls_are_excluded() {
    let home = Home::new();
    let library = home.open_without_embedding();

    let skill = learned(
        &library,
        timeline("monday", "Set an alarm for 7:00")
            .call("screenshot", json!({}))
            .call("launch_app", json!({"package": "com.android.deskclock"}))
            .call("describe_screen", json!({}))
            .call("tap", json!({"text": "Add alarm"}))
            .call("ui_tree", json!({"depth": 3}))
            .call("swipe", json!({"direction": "up"}))
            .call("screenshot", json!({"scale": 0.5})),
    );

    assert_eq!(tools(&skill), ["launch_app", "tap", "swipe"]);
}

#[test]
fn first_execution_of_a_flow_has_no_parameters() {
    let home = Home::new();
    let library = home.open_without_embedding();
    learn(&library, play_music("monday"));

    let recording = alarm("tuesday", "7:00");
    let literal: Vec<_> = recording
        .0
        .calls
        .iter()
        .map(|call| call.arguments.clone())
        .collect();
    let outcome = learn(&library, recording);

    assert_eq!(outcome.decision, Decision::Created);
    let skill = stored(&library, &outcome);
    assert_eq!(skill.parameters, []);
    let kept: Vec<_> = skill.steps.iter().map(|step| step.arguments.clone()).collect();
    assert_eq!(kept, literal);
}

#[test]
fn second_divergent_execution_promotes_a_differing_value_to_a_parameter() {
    let home = Home::new();
    let library = home.open_without_embedding();
    let first = learned(&library, alarm("monday", "7:00"));

    let outcome = learn(&library, alarm("tuesday", "8:30"));

    let [name] = outcome.parameters.as_slice() else {
        panic!(
            "one position differs, but these are parameters: {:?}",
            outcome.parameters
        );
    };
    assert_eq!(
        outcome.decision,
        Decision::ParametersUpdated {
            added: vec![name.clone()],
            changed: vec![],
        }
    );
    let skill = stored(&library, &outcome);
    assert_eq!(skill.skill_id, first.skill_id);
    assert_eq!(parameter_names(&skill), [name]);
    assert_eq!(skill.parameters[0].seen, [json!("7:00"), json!("8:30")]);
    assert_eq!(skill.steps[2].arguments, json!({"text": format!("{{{name}}}")}));
    for literal in [0, 1, 3] {
        assert_eq!(skill.steps[literal], first.steps[literal]);
    }
}

#[test]
fn identical_repeated_execution_does_not_spuriously_add_parameters() {
    let home = Home::new();
    let library = home.open_without_embedding();
    let first = learned(&library, alarm("monday", "7:00"));

    let outcome = learn(&library, alarm("tuesday", "7:00"));

    assert_eq!(outcome.decision, Decision::Unchanged);
    assert_eq!(stored(&library, &outcome), first);

    // Nor does it once there is a parameter.
    learn(&library, alarm("wednesday", "8:30"));
    let outcome = learn(&library, alarm("thursday", "7:00"));
    assert_eq!(outcome.decision, Decision::Unchanged);
    assert_eq!(outcome.parameters.len(), 1);
}

#[test]
fn synthesized_skill_is_tagged_as_locally_authored() {
    let home = Home::new();
    let library = home.open_without_embedding();
    learn(&library, alarm("monday", "7:00"));
    let newest = learned(&library, alarm_with_label("tuesday", "7:00"));

    let history = library.history(newest.lineage_id).unwrap();
    assert_eq!(history.len(), 2);
    for skill in history {
        assert_eq!(skill.source, "local-synthesis");
        assert_eq!(skill.subscription, None);
    }
}

#[test]
fn synced_skill_catalog_is_untouched_by_synthesis() {
    let home = Home::new();
    let catalog = home.catalog(&[
        ("synced-1", "Set an alarm for 7:00"),
        ("synced-2", "Play some jazz music"),
    ]);
    let before = std::fs::read(&catalog).unwrap();
    let library = SkillLibrary::open_with_provider(
        Config {
            catalog_path: Some(catalog.to_str().unwrap().to_owned()),
            ..home.config()
        },
        Words::new(),
    )
    .unwrap();

    learn(&library, alarm("monday", "7:00"));
    learn(&library, alarm("tuesday", "8:30"));
    learn(&library, alarm_with_label("wednesday", "9:00"));

    assert_eq!(std::fs::read(&catalog).unwrap(), before);
    let mut beside = std::fs::read_dir(home.folder.path()).unwrap();
    assert!(
        beside.all(|entry| matches!(entry.unwrap().file_name().to_str(), Some("catalog.db" | "adroit"))),
        "no journal stands beside it either"
    );
}

// ------------------------------------------------------------------------------------ skill versioning

#[test]
fn extra_step_triggers_a_new_version() {
    let home = Home::new();
    let library = home.open_without_embedding();
    let first = learned(&library, alarm("monday", "7:00"));

    let outcome = learn(&library, alarm_with_label("tuesday", "7:00"));

    let Decision::VersionAdded { parent_id, changes } = &outcome.decision else {
        panic!("no new version: {:?}", outcome.decision);
    };
    assert_eq!(*parent_id, first.skill_id);
    let [StepChange { kind, tool, from, .. }] = changes.as_slice() else {
        panic!("one step is new: {changes:?}");
    };
    assert_eq!((*kind, tool.as_str(), *from), (ChangeKind::Inserted, "tap", None));
    let history = library.history(first.lineage_id.clone()).unwrap();
    assert_eq!(
        ids(&history),
        [first.skill_id.clone(), common::skill_id(&outcome)]
    );
    assert_eq!(history[0], first, "the stored version is not overwritten");
}

#[test]
fn reordered_steps_trigger_a_new_version() {
    let home = Home::new();
    let library = home.open_without_embedding();
    let first = learned(&library, alarm("monday", "7:00"));

    let outcome = learn(&library, alarm_typed_first("tuesday", "7:00"));

    let Decision::VersionAdded { changes, .. } = &outcome.decision else {
        panic!("no new version: {:?}", outcome.decision);
    };
    assert!(
        changes.iter().all(|change| change.kind == ChangeKind::Moved),
        "{changes:?}"
    );
    assert!(!changes.is_empty());
    let second = stored(&library, &outcome);
    assert_eq!((second.version, &second.lineage_id), (2, &first.lineage_id));
    assert_eq!(tools(&second), ["launch_app", "input_text", "tap", "tap"]);
}

#[test]
fn argument_value_only_differences_do_not_trigger_a_version_bump() {
    let home = Home::new();
    let library = home.open_without_embedding();
    learn(&library, alarm("monday", "7:00"));
    let before = learned(&library, alarm("tuesday", "8:30"));

    let outcome = learn(&library, alarm("wednesday", "9:45"));

    let name = before.parameters[0].name.clone();
    assert_eq!(
        outcome.decision,
        Decision::ParametersUpdated {
            added: vec![],
            changed: vec![name],
        }
    );
    let after = stored(&library, &outcome);
    assert_eq!((&after.skill_id, after.version), (&before.skill_id, 1));
    assert_eq!(
        after.parameters[0].seen,
        [json!("7:00"), json!("8:30"), json!("9:45")]
    );
    assert_eq!(after.steps, before.steps);
    assert_eq!(library.history(after.lineage_id.clone()).unwrap(), [after]);
}

#[test]
fn new_version_references_its_parent() {
    let home = Home::new();
    let library = home.open_without_embedding();
    let first = learned(&library, alarm("monday", "7:00"));
    let second = learned(&library, alarm_with_label("tuesday", "7:00"));
    let third = learned(&library, alarm_typed_first("wednesday", "7:00"));

    assert_eq!((first.version, first.parent_id), (1, None));
    assert_eq!((second.version, second.parent_id), (2, Some(first.skill_id)));
    assert_eq!((third.version, third.parent_id), (3, Some(second.skill_id)));
}

#[test]
fn prior_version_remains_fetchable() {
    let home = Home::new();
    let library = home.open_without_embedding();
    learn(&library, alarm("monday", "7:00"));
    let prior = learned(&library, alarm("tuesday", "8:30"));

    learn(&library, alarm_with_label("wednesday", "9:00"));
    learn(&library, alarm_with_label("thursday", "10:00"));

    assert_eq!(library.skill(prior.skill_id.clone()).unwrap(), Some(prior));
}

#[test]
fn lookup_by_name_returns_newest_version() {
    let home = Home::new();
    let library = home.open_without_embedding();
    let first = learned(&library, alarm("monday", "7:00"));
    let newest = learned(&library, alarm_with_label("tuesday", "7:00"));
    assert_eq!(newest.name, first.name);

    assert_eq!(library.skill_by_name(first.name).unwrap().as_ref(), Some(&newest));
    let of_family = |app: Option<&str>| {
        library
            .skill_by_goal_family(first.goal_family.clone(), app.map(str::to_owned))
            .unwrap()
    };
    assert_eq!(of_family(None).as_ref(), Some(&newest));
    assert_eq!(of_family(Some("com.android.deskclock")).as_ref(), Some(&newest));
}

#[test]
fn explicit_id_lookup_returns_the_requested_version() {
    let home = Home::new();
    let library = home.open_without_embedding();
    let first = learned(&library, alarm("monday", "7:00"));
    let second = learned(&library, alarm_with_label("tuesday", "7:00"));
    let third = learned(&library, alarm_typed_first("wednesday", "7:00"));

    for version in [first, second, third] {
        assert_eq!(library.skill(version.skill_id.clone()).unwrap(), Some(version));
    }
}

// --------------------------------------------------------------------------- embedding and retrieval

#[test]
fn new_skill_gains_an_embedding() {
    let home = Home::new();
    let words = Words::new();
    let library = home.open_with(words.clone());

    let outcome = learn(&library, alarm("monday", "7:00"));

    assert_eq!(outcome.embedding, Some(EmbeddingState::Stored));
    let skill = stored(&library, &outcome);
    let [text] = &words.texts()[..] else {
        panic!("one text is embedded, not {:?}", words.texts());
    };
    for part in [&skill.goal, &skill.description, &skill.name.replace('_', " ")] {
        assert!(text.contains(part.as_str()), "{part} is not in {text}");
    }
    assert_eq!(
        found(&library, &skill.goal, 5, Scope::default()),
        [skill.skill_id.as_str()]
    );

    // It is stored beside the skill: another library on the same file ranks it and embeds the query only.
    let again = Words::new();
    let reopened = home.open_with(again.clone());
    assert_eq!(
        found(&reopened, &skill.goal, 5, Scope::default()),
        [skill.skill_id]
    );
    assert_eq!(again.texts(), [skill.goal]);
}

#[test]
fn new_version_gains_its_own_embedding() {
    let home = Home::new();
    let words = Words::new();
    let library = home.open_with(words.clone());
    let first = learned(&library, alarm("monday", "7:00"));

    let outcome = learn(&library, alarm_with_label("tuesday", "8:30"));

    assert_eq!(outcome.embedding, Some(EmbeddingState::Stored));
    let second = stored(&library, &outcome);
    assert!(words.texts()[1].contains("Set an alarm for 8:30"));
    let history = Scope {
        whole_history: true,
        ..Scope::default()
    };
    let results = library.rank(second.goal.clone(), 5, history).unwrap().results;
    let places: Vec<_> = results
        .iter()
        .map(|result| (&result.skill_id, result.version))
        .collect();
    assert_eq!(places, [(&second.skill_id, 2), (&first.skill_id, 1)]);
    assert!(
        results[0].score > results[1].score,
        "each version has a vector of its own"
    );
}

#[test]
fn embedding_call_fails_but_skill_is_still_stored() {
    for error in [
        EmbeddingError::Timeout { after_ms: 10_000 },
        EmbeddingError::RateLimited {
            retry_after_ms: 1_000,
        },
        EmbeddingError::Disabled,
        EmbeddingError::Connection {
            reason: "no route to host".to_owned(),
        },
    ] {
        let home = Home::new();
        let words = Words::new();
        let library = home.open_with(words.clone());
        let other = learned(&library, dark_theme("monday"));

        words.turn(Mood::Fails(error));
        let outcome = learn(&library, alarm("tuesday", "7:00"));

        assert_eq!(outcome.decision, Decision::Created);
        assert_eq!(outcome.embedding, Some(EmbeddingState::Pending));
        let skill = stored(&library, &outcome);
        assert_eq!(tools(&skill), ["launch_app", "tap", "input_text", "tap"]);
        assert_eq!(
            library.skill_by_name(skill.name.clone()).unwrap().as_ref(),
            Some(&skill)
        );
        words.turn(Mood::Answers);
        assert_eq!(
            found(&library, &skill.goal, 5, Scope::default()),
            [other.skill_id]
        );

        home.let_backoff_pass();
        library.embed_pending(10).unwrap();
        assert_eq!(
            found(&library, &skill.goal, 1, Scope::default()),
            [skill.skill_id]
        );
    }
}

#[test]
fn similar_goal_returns_matching_skill_highest_ranked() {
    let home = Home::new();
    let library = home.open();
    let [alarm, pizza, theme, music] = [
        alarm("monday", "7:00"),
        order_pizza("tuesday"),
        dark_theme("wednesday"),
        play_music("thursday"),
    ]
    .map(|recording| learned(&library, recording).skill_id);

    for (goal, matching) in [
        ("Please wake me up at half past six tomorrow", alarm),
        ("I am hungry, get me something from the Italian place", pizza),
        ("Make the screen colours black at night", theme),
        ("I want to listen to a song by Miles Davis", music),
    ] {
        let results = library
            .rank(goal.to_owned(), 10, Scope::default())
            .unwrap()
            .results;
        assert_eq!(results.len(), 4);
        assert_eq!(results[0].skill_id, matching, "{goal}: {results:?}");
        assert!(results.is_sorted_by(|a, b| a.score >= b.score && a.rank < b.rank));
    }
}

#[test]
fn requested_count_limits_results() {
    let home = Home::new();
    let library = home.open_with(Words::new());
    for recording in [
        alarm("monday", "7:00"),
        order_pizza("tuesday"),
        dark_theme("wednesday"),
        play_music("thursday"),
    ] {
        learn(&library, recording);
    }

    let all = found(&library, "Set an alarm for 9:15", 4, Scope::default());
    assert_eq!(all.len(), 4);
    for k in 0..4 {
        let best = found(&library, "Set an alarm for 9:15", k, Scope::default());
        assert_eq!(best, all[..k as usize], "the best {k}");
    }
}

#[test]
fn no_embedded_skills_yields_an_empty_result() {
    let home = Home::new();
    let nothing_learned = home.open_with(Words::new());
    assert_eq!(
        found(&nothing_learned, "Set an alarm for 7:00", 5, Scope::default()),
        [""; 0]
    );

    let unembedded = home.open_without_embedding();
    learn(&unembedded, alarm("monday", "7:00"));
    let library = home.open_with(Words::new());
    assert_eq!(library.count().unwrap(), 1);
    assert_eq!(
        found(&library, "Set an alarm for 7:00", 5, Scope::default()),
        [""; 0]
    );
}

#[test]
fn default_retrieval_excludes_synced_only_skills_without_embeddings() {
    let home = Home::new();
    let catalog = home.catalog(&[
        ("synced-1", "Set an alarm for 7:00"),
        ("synced-2", "Play some jazz music"),
    ]);
    let library = SkillLibrary::open_with_provider(
        Config {
            catalog_path: Some(catalog.to_str().unwrap().to_owned()),
            ..home.config()
        },
        Words::new(),
    )
    .unwrap();
    let local = learned(&library, alarm("monday", "7:00")).skill_id;

    assert_eq!(
        found(&library, "Play some jazz music", 5, Scope::default()),
        [local.as_str()]
    );
    // Asking for them is no error either, while they have no embedding.
    let with_catalog = Scope {
        with_catalog: true,
        ..Scope::default()
    };
    assert_eq!(found(&library, "Play some jazz music", 5, with_catalog), [local]);
}
