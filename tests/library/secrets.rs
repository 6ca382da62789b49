//! A password is never stored, logged, embedded or shown.

use std::collections::HashMap;
use std::sync::{Mutex, Once};

use adroit::error::SkillError;
use adroit::outcome::Decision;
use adroit::ranking::Scope;
use log::{LevelFilter, Log, Metadata, Record};
use serde_json::json;

use crate::common::{Home, Mood, Recording, Words, contains, files, learn, learned, stored, timeline};

/// All that the library ever logged in this process.
static LOGGED: Mutex<Vec<String>> = Mutex::new(Vec::new());

struct Recorder;

impl Log for Recorder {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &Record<'_>) {
        LOGGED
            .lock()
            .unwrap()
            .push(format!("{} {}", record.target(), record.args()));
    }

    fn flush(&self) {}
}

fn record_logs() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        log::set_logger(&Recorder).unwrap();
        log::set_max_level(LevelFilter::Trace);
    });
}

/// Signs in: the password stands in its field, in the field's text afterwards, in the goal, in the confirmation that
/// says nothing of itself, and inside a longer text.
pub fn sign_in(task_id: &str, user: &str, password: &str) -> Recording {
    timeline(
        task_id,
        &format!("Sign in as {user} with the password {password}, please"),
    )
    .app("com.bank")
    .call("launch_app", json!({"package": "com.bank"}))
    .call("input_text", json!({"text": user, "hint": "User"}))
    .call(
        "input_text",
        json!({"text": password, "resource_id": "com.bank:id/password"}),
    )
    .on(password)
    .call("tap", json!({"text": "Continue"}))
    .on(&format!("Typed: {password}"))
    .call("input_text", json!({"text": password, "hint": "Once more"}))
    .call(
        "input_text",
        json!({"text": format!("my password is {password}!"), "hint": "Memo"}),
    )
    .call("tap", json!({"text": "Sign in"}))
}

#[test]
fn a_password_is_nowhere() {
    record_logs();
    let home = Home::new();
    let words = Words::new();
    let library = home.open_with(words.clone());
    let passwords = ["Tr0ub4dor&3-xyzzy", "pa{ss}\"wört\\😀-plugh", "0451-frobozz"];
    let mut skill = None;
    for (number, password) in passwords.iter().enumerate() {
        let user = ["ann", "bob", "cyd"][number];
        if number == 2 {
            words.turn(Mood::Panics);
        }
        skill = Some(learned(
            &library,
            sign_in(&format!("task {number}"), user, password),
        ));
        library
            .rank(format!("Sign in as {user}"), 5, Scope::default())
            .ok();
    }
    let skill = skill.unwrap();
    let look = || {
        let mut seen: Vec<(String, Vec<u8>)> = files(home.folder.path())
            .into_iter()
            .map(|(path, bytes)| (path.display().to_string(), bytes))
            .collect();
        assert!(
            seen.iter()
                .any(|(path, bytes)| path.ends_with("skills.db") && !bytes.is_empty())
        );
        let logged = LOGGED.lock().unwrap().join("\n");
        assert!(logged.contains("learned"), "the logs are recorded: {logged}");
        seen.push(("logs".to_owned(), logged.into_bytes()));
        seen.push(("embedded texts".to_owned(), words.texts().join("\n").into_bytes()));
        seen
    };
    let while_open = look();
    assert!(while_open.iter().any(|(path, _)| path.ends_with("-wal")));
    let shown = format!(
        "{skill:?} {:?}",
        library.executions(skill.skill_id.clone()).unwrap()
    );
    library.close();
    let mut places = while_open;
    places.extend(look());
    places.push(("records".to_owned(), shown.into_bytes()));

    for password in passwords {
        let escaped = serde_json::to_string(password).unwrap();
        for form in [
            password.to_owned(),
            escaped.trim_matches('"').to_owned(),
            password.replace('{', "{{").replace('}', "}}"),
            password.to_lowercase(),
        ] {
            for (place, bytes) in &places {
                assert!(!contains(bytes, &form), "{form} stands in {place}");
            }
        }
        // Nor does a telling part of it.
        let part = password.rsplit('-').next().unwrap();
        for (place, bytes) in &places {
            assert!(!contains(bytes, part), "{part} stands in {place}");
        }
    }
    // The user's name is no secret, so the search above would have found one.
    assert!(places.iter().any(|(_, bytes)| contains(bytes, "ann")));
}

#[test]
fn a_secret_is_no_parameter_and_must_be_given() {
    let home = Home::new();
    let library = home.open_without_embedding();
    learn(&library, sign_in("monday", "ann", "first-secret"));
    let outcome = learn(&library, sign_in("tuesday", "ann", "second-secret"));

    assert_eq!(outcome.decision, Decision::Unchanged, "only the secret differs");
    let skill = stored(&library, &outcome);
    assert_eq!(skill.parameters, []);
    let [secret] = skill.secrets.as_slice() else {
        panic!("one secret: {:?}", skill.secrets);
    };
    assert_eq!(
        library.instantiate(skill.skill_id.clone(), HashMap::new()),
        Err(SkillError::NeedsSecret { name: secret.clone() })
    );
    let given = HashMap::from([(secret.clone(), json!("third-secret"))]);
    let calls = library.instantiate(skill.skill_id, given).unwrap();
    assert_eq!(calls[2].arguments["text"], json!("third-secret"));
    assert_eq!(
        calls[4].arguments["text"],
        json!("third-secret"),
        "the confirmation is the same"
    );
}

#[test]
fn what_the_host_marks_is_a_secret_whatever_it_is() {
    for (arguments, hidden) in [
        (json!({"text": "4096-squeamish"}), "4096-squeamish"),
        (json!({"text": 73_911_337}), "73911337"),
        (json!(["typed", "ossifrage-9"]), "ossifrage-9"),
    ] {
        let home = Home::new();
        let library = home.open_without_embedding();
        let skill = learned(
            &library,
            timeline("monday", &format!("Type {hidden} into the field"))
                .app("com.vault")
                .call("launch_app", json!({"package": "com.vault"}))
                .call("input_text", arguments)
                .sensitive(),
        );
        assert!(!skill.secrets.is_empty(), "{hidden}");
        library.close();
        for (path, bytes) in files(home.folder.path()) {
            assert!(!contains(&bytes, hidden), "{hidden} stands in {path:?}");
        }
    }
}

#[test]
fn the_field_that_was_tapped_before_tells_a_secret() {
    let home = Home::new();
    let library = home.open_without_embedding();
    let skill = learned(
        &library,
        timeline("monday", "Unlock the vault")
            .app("com.vault")
            .call("tap", json!({"x": 10, "y": 20}))
            .on_id("com.vault:id/passwordEditText")
            .call("input_text", json!({"text": "quidnunc-77"}))
            .call("input_text", json!({"text": "wrong-quidnunc", "hint": "PIN"}))
            .failed(),
    );
    assert_eq!(skill.secrets.len(), 1);
    library.close();
    for (path, bytes) in files(home.folder.path()) {
        assert!(!contains(&bytes, "quidnunc"), "{path:?}");
    }
}

#[test]
fn logs_hold_no_goal_name_or_typed_text() {
    record_logs();
    let home = Home::new();
    let words = Words::in_mood(Mood::Fails(adroit::error::EmbeddingError::Connection {
        reason: "no way to embed zanzibar".to_owned(),
    }));
    let library = home.open_with(words);
    for (task_id, text) in [("monday", "quetzal"), ("tuesday", "xylophone")] {
        let recording = timeline(task_id, &format!("Remember zanzibar and {text}"))
            .app("com.yellowhammer")
            .call("tap", json!({"text": "wolpertinger"}))
            .call("input_text", json!({"text": text}));
        learn(&library, recording);
    }
    library.embed_pending(10).unwrap();
    library
        .rank("Remember zanzibar".to_owned(), 3, Scope::default())
        .ok();

    let logged = LOGGED.lock().unwrap().join("\n");
    for word in ["zanzibar", "quetzal", "xylophone", "yellowhammer", "wolpertinger"] {
        assert!(!logged.contains(word), "{word} stands in the logs");
    }
}
