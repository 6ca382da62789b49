//! From a skill and values to concrete calls.

use std::collections::HashMap;

use adroit::JsonValue;
use adroit::error::SkillError;
use adroit::library::SkillLibrary;
use adroit::skill::{Call, Skill, ValueType};
use serde_json::json;

use crate::common::{Home, Recording, learn, learned, timeline};
use crate::recordings::{alarm, note};

fn values<const N: usize>(values: [(&str, JsonValue); N]) -> HashMap<String, JsonValue> {
    values.map(|(name, value)| (name.to_owned(), value)).into()
}

/// The calls of a recording, all of which are steps.
fn calls(recording: &Recording) -> Vec<Call> {
    let calls = recording.0.calls.iter();
    calls
        .map(|call| Call {
            tool: call.tool.clone(),
            arguments: call.arguments.clone(),
        })
        .collect()
}

/// A skill with a text and a number for parameters.
fn event(library: &SkillLibrary) -> Skill {
    let task = |task_id: &str, title: &str, hours: f64| {
        timeline(
            task_id,
            &format!("Add the event \"{title}\" that lasts {hours} hours"),
        )
        .app("com.calendar")
        .call("input_text", json!({"text": title, "hint": "Title"}))
        .call("set_length", json!({"hours": hours}))
        .call("tap", json!({"text": "Save"}))
    };
    learn(library, task("monday", "Dentist", 1.0));
    learned(library, task("tuesday", "Choir", 2.5))
}

#[test]
fn values_take_their_places() {
    let home = Home::new();
    let library = home.open_without_embedding();
    let skill = event(&library);
    let kinds: Vec<_> = skill
        .parameters
        .iter()
        .map(|p| (p.name.as_str(), p.value_type))
        .collect();
    assert_eq!(
        kinds,
        [("title", ValueType::String), ("hours", ValueType::Number)]
    );

    let made = library
        .instantiate(
            skill.skill_id,
            values([("title", json!("Yoga")), ("hours", json!(3))]),
        )
        .unwrap();

    let arguments: Vec<_> = made.iter().map(|call| call.arguments.clone()).collect();
    assert_eq!(
        arguments,
        [
            json!({"text": "Yoga", "hint": "Title"}),
            json!({"hours": 3}),
            json!({"text": "Save"})
        ]
    );
}

#[test]
fn wrong_values_are_refused_by_name() {
    let home = Home::new();
    let library = home.open_without_embedding();
    let skill_id = event(&library).skill_id;
    let refused = |values| library.instantiate(skill_id.clone(), values).unwrap_err();

    assert_eq!(
        refused(values([("title", json!("Yoga"))])),
        SkillError::MissingParameter {
            name: "hours".to_owned()
        }
    );
    assert_eq!(
        refused(values([
            ("title", json!("Yoga")),
            ("hours", json!(1)),
            ("room", json!(4))
        ])),
        SkillError::UnknownParameter {
            name: "room".to_owned(),
            known: "title, hours".to_owned()
        }
    );
    for (value, found) in [
        (json!("1"), "string"),
        (json!(null), "null"),
        (json!([1]), "array"),
        (json!({}), "object"),
        (json!(true), "boolean"),
    ] {
        assert_eq!(
            refused(values([("title", json!("Yoga")), ("hours", value)])),
            SkillError::WrongType {
                name: "hours".to_owned(),
                expected: "number".to_owned(),
                found: found.to_owned()
            }
        );
    }
    assert_eq!(
        library.instantiate("no such skill".to_owned(), HashMap::new()),
        Err(SkillError::UnknownSkill {
            skill: "no such skill".to_owned()
        })
    );
}

#[test]
fn every_version_can_be_instantiated() {
    let home = Home::new();
    let library = home.open_without_embedding();
    let recording = alarm("monday", "7:00");
    let first = learned(&library, recording.clone());
    learn(&library, crate::recordings::alarm_and_swipe("tuesday", "8:00"));

    assert_eq!(
        library.instantiate(first.skill_id, HashMap::new()).unwrap(),
        calls(&recording)
    );
}

#[test]
fn a_position_needs_no_value() {
    let home = Home::new();
    let library = home.open_without_embedding();
    let task = |task_id: &str, text: &str, x: i32| {
        timeline(task_id, &format!("Write \"{text}\" on the board"))
            .app("com.board")
            .call("tap", json!({"x": x, "y": 40}))
            .call("input_text", json!({"text": text}))
    };
    learn(&library, task("monday", "hello", 10));
    let last = task("tuesday", "goodbye", 1_000);
    let skill = learned(&library, last.clone());

    let text = skill.parameters.iter().find(|p| p.required).unwrap();
    let given = values([(&text.name, json!("goodbye"))]);
    assert_eq!(library.instantiate(skill.skill_id, given).unwrap(), calls(&last));
}

#[test]
fn typed_text_comes_back_byte_for_byte() {
    let home = Home::new();
    let library = home.open_without_embedding();
    let texts = [
        "plain",
        "",
        " ",
        "{",
        "}",
        "{}",
        "{{}}",
        "{text}",
        "{{text}}",
        "}{",
        "{{{a}}}",
        "{secret:secret}",
        "$HOME ${HOME} $1 \\1",
        "%s %d %%",
        "+@ a+b@c.de",
        "\\n is no newline",
        "one\ntwo\r\nthree\u{2028}four\ttab",
        "👩‍👩‍👧‍👦 🇫🇷 🏳️‍🌈 ❤️",
        "e\u{301} is not é",
        "Å Å Å",
        "‏שלום‏ مرحبا \u{202E}abc\u{202C}",
        "a\u{A0}b\u{202F}c\u{3000}d",
        "\u{200B}\u{FEFF}zero\u{200D}width",
        "\"quoted\" 'single' `tick`",
        "NUL\u{0}inside",
        "\u{10FFFF}\u{E000}",
        "ﬁ ﬂ ½ Ⅳ ｆｕｌｌ",
        "İı ẞß",
        "line ends with backslash\\",
        "🙂".repeat(5_000).as_str(),
    ]
    .map(str::to_owned);
    let mut parameter = None;
    for (number, text) in texts.iter().enumerate() {
        // Alone, as the literal of a skill of its own ...
        let alone = note(&format!("alone {number}"), text).goal_family(&format!("alone {number}"));
        let skill = learned(&library, alone.clone());
        assert_eq!(
            library.instantiate(skill.skill_id, HashMap::new()).unwrap(),
            calls(&alone),
            "{text:?}"
        );
        // ... and as one value of many.
        let together = note(&format!("together {number}"), text).goal_family("together");
        let skill = learned(&library, together.clone());
        if number > 0 {
            let [only] = skill.parameters.as_slice() else {
                panic!("{text:?}: {:?}", skill.parameters);
            };
            assert_eq!(only.seen.last(), Some(&json!(text)), "{text:?}");
            let name = parameter.get_or_insert(only.name.clone());
            assert_eq!(*name, only.name, "a parameter keeps its name");
            let made = library
                .instantiate(skill.skill_id, values([(name, json!(text))]))
                .unwrap();
            assert_eq!(made, calls(&together), "{text:?}");
        }
    }
}
