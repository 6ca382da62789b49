//! Finding by id, name, goal family and page.

use crate::common::{Home, learn, learned, timeline};
use crate::recordings::{alarm, alarm_and_swipe, unlike, web_search};
use serde_json::json;

#[test]
fn what_is_not_there_is_none_and_no_error() {
    let home = Home::new();
    let library = home.open_without_embedding();
    let nowhere = || {
        let text = || "no such thing".to_owned();
        assert_eq!(library.skill(text()).unwrap(), None);
        assert_eq!(library.skill_by_name(text()).unwrap(), None);
        assert_eq!(library.skill_by_goal_family(text(), None).unwrap(), None);
        assert_eq!(library.skill_by_goal_family(text(), Some(text())).unwrap(), None);
        assert_eq!(library.history(text()).unwrap(), []);
        assert_eq!(library.executions(text()).unwrap(), []);
        assert_eq!(library.list(Some("~".to_owned()), 10).unwrap(), []);
    };
    nowhere();
    learn(&library, alarm("monday", "7:00"));
    nowhere();
}

#[test]
fn the_goal_family_finds_the_app_s_skill_or_the_latest_one() {
    let home = Home::new();
    let library = home.open_without_embedding();
    let firefox = learned(&library, web_search("monday", "org.mozilla.firefox", "tea"));
    let chrome = learned(&library, web_search("tuesday", "com.android.chrome", "tea"));
    let family = |app: Option<&str>| {
        library
            .skill_by_goal_family(firefox.goal_family.clone(), app.map(str::to_owned))
            .unwrap()
            .map(|skill| skill.skill_id)
    };

    assert_eq!(
        family(Some("org.mozilla.firefox")).as_ref(),
        Some(&firefox.skill_id)
    );
    assert_eq!(
        family(Some("com.android.chrome")).as_ref(),
        Some(&chrome.skill_id)
    );
    assert_eq!(family(Some("com.opera")), None);
    assert_eq!(family(None), Some(chrome.skill_id));
    learn(&library, web_search("wednesday", "org.mozilla.firefox", "milk"));
    assert_eq!(family(None), Some(firefox.skill_id));
}

#[test]
fn pages_hold_every_skill_once_in_the_order_of_names() {
    let home = Home::new();
    let library = home.open_without_embedding();
    for number in 0..8 {
        learn(&library, unlike(&format!("task {number}"), number));
    }
    learn(&library, alarm("monday", "7:00"));
    learn(&library, alarm_and_swipe("tuesday", "7:00"));
    let names = |limit: u32| {
        let (mut names, mut after) = (Vec::new(), None);
        loop {
            let page = library.list(after.clone(), limit).unwrap();
            assert!(page.len() <= limit as usize);
            let Some(last) = page.last() else { return names };
            after = Some(last.name.clone());
            names.extend(page.iter().map(|skill| (skill.name.clone(), skill.version)));
        }
    };

    let all = names(100);
    assert_eq!(all.len(), 9);
    assert_eq!(library.count().unwrap(), 9);
    assert!(all.is_sorted());
    assert!(
        all.contains(&("set_alarm".to_owned(), 2)),
        "newest versions only: {all:?}"
    );
    for limit in [1, 2, 4, 9] {
        assert_eq!(names(limit), all, "pages of {limit}");
    }
    assert_eq!(library.list(None, 0).unwrap(), []);
}

#[test]
fn executions_belong_to_the_version_they_were_learned_into() {
    let home = Home::new();
    let library = home.open_without_embedding();
    learn(&library, alarm("monday", "7:00"));
    let first = learned(&library, alarm("tuesday", "8:00"));
    let second = learned(&library, alarm_and_swipe("wednesday", "9:00"));
    let tasks = |skill_id: &str| -> Vec<String> {
        let executions = library.executions(skill_id.to_owned()).unwrap();
        assert!(executions.iter().all(|execution| execution.skill_id == skill_id));
        assert!(executions.is_sorted_by_key(|execution| execution.learned_at_ms));
        executions
            .into_iter()
            .map(|execution| execution.task_id)
            .collect()
    };

    assert_eq!(tasks(&first.skill_id), ["monday", "tuesday"]);
    assert_eq!(tasks(&second.skill_id), ["wednesday"]);
}

#[test]
fn equal_names_are_told_apart_by_the_app_and_then_a_number() {
    let home = Home::new();
    let library = home.open_without_embedding();
    let named = |task_id: &str, app: &str| {
        let recording = timeline(task_id, "Clear the cache").app(app);
        learned(&library, recording.call("tap", json!({"text": "Clear"}))).name
    };
    let names = [
        named("1", "com.one"),
        named("2", "com.two"),
        named("3", "org.two"),
    ];
    assert_eq!(
        names,
        ["clear_cache", "clear_cache_in_two", "clear_cache_in_two_2"]
    );
}

#[test]
fn a_name_keeps_the_signs_its_script_is_written_with() {
    let home = Home::new();
    let library = home.open_without_embedding();
    let recording = timeline("monday", "सुबह का अलार्म हटाओ").app("com.clock");
    let skill = learned(&library, recording.call("tap", json!({"x": 1, "y": 2})));
    assert!(skill.name.contains("अलार्म"), "{}", skill.name);
}

#[test]
fn without_an_app_the_first_one_that_is_launched_counts() {
    let home = Home::new();
    let library = home.open_without_embedding();
    for (task_id, key) in [("1", "packageName"), ("2", "app"), ("3", "bundle_id")] {
        let recording = timeline(task_id, "Clear the list")
            .call("mobile_launch_app", json!({ key: format!("com.lists{task_id}") }))
            .call("tap", json!({"text": "Clear"}));
        let skill = learned(&library, recording);
        assert_eq!(skill.app, Some(format!("com.lists{task_id}")));
    }
}
