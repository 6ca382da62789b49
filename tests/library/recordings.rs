//! The tasks that the tests of the library learn.

use serde_json::json;

use crate::common::{Recording, timeline};

pub const CLOCK: &str = "com.android.deskclock";

/// Sets an alarm: launch_app, tap, input_text, tap.
pub fn alarm(task_id: &str, time: &str) -> Recording {
    timeline(task_id, &format!("Set an alarm for {time}"))
        .app(CLOCK)
        .call("launch_app", json!({"package": CLOCK}))
        .call("tap", json!({"text": "Add alarm"}))
        .call("input_text", json!({"text": time}))
        .call("tap", json!({"text": "OK"}))
}

/// The same with a swipe more at the end.
pub fn alarm_and_swipe(task_id: &str, time: &str) -> Recording {
    alarm(task_id, time).call("swipe", json!({"direction": "up"}))
}

/// Searches the web in a browser: launch_app, input_text, press_key.
pub fn web_search(task_id: &str, browser: &str, words: &str) -> Recording {
    timeline(task_id, &format!("Search the web for \"{words}\""))
        .app(browser)
        .call("launch_app", json!({"package": browser}))
        .call("input_text", json!({"text": words}))
        .call("press_key", json!({"key": "enter"}))
}

/// Writes a note: tap, input_text, tap.
pub fn note(task_id: &str, text: &str) -> Recording {
    timeline(task_id, "Write down a note")
        .app("com.notes")
        .call("tap", json!({"text": "New note"}))
        .call("input_text", json!({"text": text}))
        .call("tap", json!({"text": "Save"}))
}

/// Goals with nothing in common, each in an app of its own.
pub fn unlike(task_id: &str, number: usize) -> Recording {
    const TASKS: [(&str, &str, &str); 8] = [
        ("Delete the oldest photo", "com.gallery", "Delete"),
        ("Archive every unread email", "com.mail", "Archive"),
        ("Pay the electricity bill", "com.bank", "Pay"),
        ("Book a ride to the airport", "com.taxi", "Book"),
        ("Play the morning podcast", "com.podcasts", "Play"),
        ("Turn on the flashlight", "com.torch", "Flashlight"),
        ("Translate this page into French", "com.translate", "Translate"),
        ("Record my weight", "com.health", "Weight"),
    ];
    let (goal, app, label) = TASKS[number % TASKS.len()];
    timeline(task_id, goal)
        .app(app)
        .call("launch_app", json!({"package": app}))
        .call("tap", json!({"text": label}))
}
