//! Which tasks meet in one skill, and which must not.

use adroit::outcome::{Decision, MatchedBy, Refusal};
use serde_json::json;

use crate::common::{Home, Recording, learn, learned, stored, timeline};
use crate::recordings::{CLOCK, alarm, web_search};

const FIREFOX: &str = "org.mozilla.firefox";
const CHROME: &str = "com.android.chrome";

#[test]
fn one_goal_in_two_apps_is_two_skills() {
    let home = Home::new();
    let library = home.open_without_embedding();
    let firefox = learned(&library, web_search("monday", FIREFOX, "tea"));

    let outcome = learn(&library, web_search("tuesday", CHROME, "tea"));

    assert_eq!(outcome.decision, Decision::Created);
    assert_eq!(outcome.evidence.refused, Some(Refusal::OtherApp));
    assert_eq!(outcome.evidence.compared_with.as_ref(), Some(&firefox.skill_id));
    let chrome = stored(&library, &outcome);
    assert_ne!(chrome.name, firefox.name);
    for (skill, app) in [(&firefox, FIREFOX), (&chrome, CHROME)] {
        let found = library.skill_by_goal_family(skill.goal_family.clone(), Some(app.to_owned()));
        assert_eq!(found.unwrap().as_ref(), Some(skill));
    }
    // Each goes on by itself.
    assert_eq!(
        learned(&library, web_search("wednesday", FIREFOX, "milk")).skill_id,
        firefox.skill_id
    );
    assert_eq!(
        learned(&library, web_search("thursday", CHROME, "milk")).skill_id,
        chrome.skill_id
    );
}

#[test]
fn a_skill_without_an_app_is_bound_by_the_first_that_is_named() {
    fn add(task_id: &str, item: &str) -> Recording {
        timeline(task_id, &format!("Add \"{item}\" to the shopping list"))
            .call("tap", json!({"text": "New"}))
            .call("input_text", json!({"text": item}))
    }
    let home = Home::new();
    let library = home.open_without_embedding();
    let unnamed = learned(&library, add("monday", "milk"));
    assert_eq!(unnamed.app, None);

    let bound = learned(&library, add("tuesday", "bread").app("com.lists"));
    assert_eq!(
        (&bound.lineage_id, bound.app.as_deref()),
        (&unnamed.lineage_id, Some("com.lists"))
    );

    let other = learn(&library, add("wednesday", "salt").app("com.other"));
    assert_eq!(other.decision, Decision::Created);
    // Who names no app still belongs somewhere.
    let either = learn(&library, add("thursday", "tea"));
    assert!(matches!(either.decision, Decision::ParametersUpdated { .. }));
    assert_eq!(library.count().unwrap(), 2);
}

#[test]
fn an_app_s_label_and_its_package_are_one_app() {
    let home = Home::new();
    let library = home.open_without_embedding();
    let first = learned(&library, web_search("monday", FIREFOX, "tea"));
    let second = learned(&library, web_search("tuesday", FIREFOX, "milk").app("Firefox"));
    assert_eq!(second.skill_id, first.skill_id);
}

#[test]
fn the_host_s_skill_hint_joins_what_nothing_else_would() {
    for goal in [
        "Wake me up at 5:00",
        "Early start tomorrow",
        "Tomorrow I have to get up early",
    ] {
        let home = Home::new();
        let library = home.open_without_embedding();
        let first = learned(&library, alarm("monday", "7:00"));
        let other_words = timeline("tuesday", goal)
            .app(CLOCK)
            .call("launch_app", json!({"package": CLOCK}))
            .call("tap", json!({"text": "Add alarm"}))
            .call("input_text", json!({"text": "5:00"}))
            .call("tap", json!({"text": "OK"}));

        let hinted = learn(&library, other_words.run_from(&first.skill_id));
        assert_eq!(
            hinted.evidence.matched_by,
            MatchedBy::SkillHint,
            "{goal}: {:?}",
            hinted.evidence
        );
        assert_eq!(hinted.skill.unwrap().lineage_id, first.lineage_id);
    }
}

#[test]
fn a_hint_that_names_nothing_is_as_good_as_none() {
    let home = Home::new();
    let library = home.open_without_embedding();
    learn(&library, alarm("monday", "7:00"));
    let lost = learn(&library, alarm("wednesday", "8:00").run_from("no such skill"));
    assert_eq!(lost.evidence.matched_by, MatchedBy::GoalFamily);
}

#[test]
fn a_hint_of_an_older_version_names_the_skill_all_the_same() {
    let home = Home::new();
    let library = home.open_without_embedding();
    let first = learned(&library, alarm("monday", "7:00"));
    let second = learned(&library, crate::recordings::alarm_and_swipe("tuesday", "7:00"));

    let outcome = learn(&library, alarm("wednesday", "8:00").run_from(&first.skill_id));
    assert_eq!(outcome.evidence.matched_by, MatchedBy::SkillHint);
    let third = stored(&library, &outcome);
    assert_eq!((third.version, third.parent_id), (3, Some(second.skill_id)));
}

#[test]
fn the_host_s_goal_family_decides_both_ways() {
    let home = Home::new();
    let library = home.open_without_embedding();
    let first = learned(&library, alarm("monday", "7:00").goal_family("wake-up"));
    assert_eq!(first.goal_family, "wake-up");

    let other_goal = timeline("tuesday", "I want to sleep less")
        .app(CLOCK)
        .goal_family("wake-up")
        .call("tap", json!({"x": 1, "y": 2}));
    let joined = learn(&library, other_goal);
    assert_eq!(joined.evidence.matched_by, MatchedBy::GoalFamilyHint);
    assert_eq!(joined.skill.unwrap().lineage_id, first.lineage_id);

    let apart = learn(&library, alarm("wednesday", "7:00").goal_family("nap"));
    assert_eq!(apart.decision, Decision::Created);
    assert_eq!(library.count().unwrap(), 2);
}

#[test]
fn opposites_never_meet_whatever_the_host_says() {
    for (goal, opposite) in [
        ("Turn on Bluetooth", "Turn off Bluetooth"),
        ("Enable the dark theme", "Disable the dark theme"),
        ("Lock the screen rotation", "Unlock the screen rotation"),
        ("Mute the conversation", "Unmute the conversation"),
        ("Follow the channel", "Unfollow the channel"),
        ("Pin the note", "Unpin the note"),
    ] {
        let task = |task_id: &str, goal: &str| {
            timeline(task_id, goal)
                .app("com.android.settings")
                .call("launch_app", json!({"package": "com.android.settings"}))
                .call("tap", json!({"x": 100, "y": 200}))
        };
        let home = Home::new();
        let library = home.open_without_embedding();
        let first = learned(&library, task("monday", goal));

        let plain = learn(&library, task("tuesday", opposite));
        assert_eq!(plain.evidence.refused, Some(Refusal::OtherAction), "{opposite}");
        let hinted = learn(&library, task("wednesday", opposite).run_from(&first.skill_id));

        let lineage = plain.skill.unwrap().lineage_id;
        assert_ne!(lineage, first.lineage_id, "{opposite}");
        assert_eq!(hinted.skill.unwrap().lineage_id, lineage, "{opposite}");
    }
}

#[test]
fn other_words_that_no_argument_carries_are_another_task() {
    let home = Home::new();
    let library = home.open_without_embedding();
    let task = |task_id: &str, goal: &str, x: u32| {
        timeline(task_id, goal)
            .app("com.notes")
            .call("tap", json!({"x": x, "y": 1}))
            .call("tap", json!({"x": 7, "y": x}))
    };
    learn(&library, task("monday", "Delete the note Diary", 10));
    let renamed = learn(&library, task("tuesday", "Rename the note Diary to events", 900));
    assert_eq!(renamed.decision, Decision::Created);
}

#[test]
fn equal_steps_whose_differing_arguments_stand_in_the_goals_are_one_skill_whatever_the_wording() {
    let home = Home::new();
    let library = home.open_without_embedding();
    let task = |task_id: &str, goal: &str, title: &str, day: &str| {
        timeline(task_id, goal)
            .app("com.calendar")
            .call("launch_app", json!({"package": "com.calendar"}))
            .call("input_text", json!({"text": title}))
            .call("input_text", json!({"text": day}))
            .call("tap", json!({"text": "Save"}))
    };
    let first = learned(
        &library,
        task("monday", "Put Vet on May 9 on my calendar", "Vet", "May 9"),
    );
    let outcome = learn(
        &library,
        task(
            "tuesday",
            "On Oct 21 I have Passport pickup; add that",
            "Passport pickup",
            "Oct 21",
        ),
    );
    assert_eq!(outcome.evidence.matched_by, MatchedBy::ArgumentsInGoal);
    let skill = stored(&library, &outcome);
    assert_eq!(skill.skill_id, first.skill_id);
    assert_eq!(skill.parameters.len(), 2);
    assert!(
        skill
            .parameters
            .iter()
            .all(|parameter| parameter.in_goal && parameter.required)
    );
}

#[test]
fn goals_of_nothing_but_signs_are_told_apart() {
    let home = Home::new();
    let library = home.open_without_embedding();
    let task = |task_id: &str, goal: &str, x: u32| {
        timeline(task_id, goal)
            .app("com.widgets")
            .call("tap", json!({"x": x, "y": 1}))
            .call("tap", json!({"x": 7, "y": x}))
    };
    let pizza = learned(&library, task("monday", "\u{1F355}", 10));
    let clock = learn(&library, task("tuesday", "\u{23F0}", 900));
    assert_eq!(clock.decision, Decision::Created, "{:?}", clock.evidence);
    let again = learn(&library, task("wednesday", "\u{1F355}", 10));
    assert_eq!(again.skill.unwrap().skill_id, pizza.skill_id);
}

#[test]
fn equal_steps_are_two_skills_where_a_differing_argument_is_in_no_goal() {
    let home = Home::new();
    let library = home.open_without_embedding();
    let hide = |task_id: &str, goal: &str, name: &str, row: &str| {
        timeline(task_id, goal)
            .app("com.example.ledger")
            .call("launch_app", json!({"package": "com.example.ledger"}))
            .call("input_text", json!({"text": name}))
            .call("tap", json!({"resource_id": row}))
            .call("tap", json!({"text": "Hide"}))
    };
    let receipt = learned(
        &library,
        hide(
            "monday",
            "Hide the receipt with Oskar in it",
            "Oskar",
            "row_receipt",
        ),
    );

    let donation = learn(
        &library,
        hide("tuesday", "Hide the donation for Mira", "Mira", "row_donation"),
    );
    assert_eq!(donation.decision, Decision::Created, "{:?}", donation.evidence);

    let other = learn(
        &library,
        hide(
            "wednesday",
            "Hide the receipt with Mira in it",
            "Mira",
            "row_receipt",
        ),
    );
    assert_eq!(other.skill.unwrap().lineage_id, receipt.lineage_id);
}
