//! Reading timelines: what is taken, what is refused, and with which line, field and reason.

#![allow(
    clippy::unwrap_used,
    reason = "what tests share stands outside of the tests themselves"
)]

use std::path::{Path, PathBuf};

use adroit::JsonValue;
use adroit::error::SkillError;
use adroit::timeline::{
    MAX_CALLS, MAX_DEPTH, MAX_TIMELINE_BYTES, Screen, Status, Target, Timeline, ToolCall, parse_timelines,
    parse_value, read_timelines,
};
use proptest::prelude::*;
use serde_json::json;

/// A timeline on one line, with a task id and a JSON text for its calls.
fn record(task_id: &str, calls: &str) -> String {
    format!(r#"{{"task_id":"{task_id}","goal":"do it","status":"succeeded","calls":{calls}}}"#)
}

/// A timeline with these arguments of one call.
fn with_arguments(arguments: &str) -> String {
    record("t", &format!(r#"[{{"tool":"tap","arguments":{arguments}}}]"#))
}

/// Each timeline's id, or the line and field of its refusal.
fn outline(text: &str) -> Vec<String> {
    outline_bytes(text.as_bytes())
}

fn outline_bytes(text: &[u8]) -> Vec<String> {
    read_timelines(text)
        .map(|result| match result {
            Ok(timeline) => timeline.task_id,
            Err(SkillError::InvalidTimeline { line, field, .. }) => format!("{line} {field}"),
            Err(other) => panic!("{other}"),
        })
        .collect()
}

/// Line, field and reason of the only timeline's refusal.
fn refusal(text: &str) -> (u64, String, String) {
    match Timeline::from_json(text) {
        Err(SkillError::InvalidTimeline { line, field, reason }) => (line, field, reason),
        other => panic!("{text}: {other:?}"),
    }
}

fn check_refused(text: &str, line: u64, field: &str, reason: &str) {
    let (found_line, found_field, found_reason) = refusal(text);
    assert_eq!(
        (found_line, found_field.as_str()),
        (line, field),
        "{text}: {found_reason}"
    );
    assert!(found_reason.contains(reason), "{text}: {found_reason}");
}

#[test]
fn every_field_is_read() {
    let timeline = Timeline::from_json(
        r#"{"task_id":"t1","goal":"Set an alarm","status":"succeeded","app":"Clock","goal_family":"alarm",
            "skill_id":"s1","screen":{"width":1080,"height":2400},"recorder":"any","calls":[
            {"tool":"tap","arguments":{"x":1},"ok":false,"error":"blocked","started_at_ms":1733043600000,
             "read_only":false,"sensitive":true,
             "target":{"resource_id":"id/fab","text":"Add","content_desc":"Add alarm","class":"Button","bounds":[0,1]}}]}"#,
    )
    .unwrap();
    assert_eq!(
        timeline,
        Timeline {
            task_id: "t1".into(),
            goal: "Set an alarm".into(),
            status: Status::Succeeded,
            app: Some("Clock".into()),
            goal_family: Some("alarm".into()),
            skill_id: Some("s1".into()),
            screen: Some(Screen {
                width: 1080,
                height: 2400
            }),
            calls: vec![ToolCall {
                tool: "tap".into(),
                arguments: json!({"x": 1}),
                ok: false,
                error: Some("blocked".into()),
                started_at_ms: Some(1_733_043_600_000),
                read_only: Some(false),
                sensitive: true,
                target: Some(Target {
                    resource_id: Some("id/fab".into()),
                    text: Some("Add".into()),
                    content_desc: Some("Add alarm".into()),
                    class: Some("Button".into()),
                    bounds: Some(json!([0, 1])),
                }),
            }],
        }
    );
}

#[test]
fn an_optional_field_may_be_absent_or_null() {
    let absent = r#"{"task_id":"t","goal":"g","status":"failed","calls":[{"tool":"back"}]}"#;
    let null = r#"{"task_id":"t","goal":"g","status":"failed","app":null,"goal_family":null,"skill_id":null,
        "screen":null,"calls":[{"tool":"back","arguments":null,"ok":null,"error":null,"started_at_ms":null,
        "read_only":null,"sensitive":null,"target":null}]}"#;
    let timeline = Timeline::from_json(absent).unwrap();
    assert_eq!(timeline, Timeline::from_json(null).unwrap());
    let call = &timeline.calls[0];
    assert!(call.ok && !call.sensitive && call.arguments.is_null() && call.target.is_none());
}

#[test]
fn arguments_are_any_json_under_either_name() {
    for (text, value) in [
        (r#"{"tool":"t","args":{"a":1}}"#, json!({"a": 1})),
        (r#"{"tool":"t","arguments":"bare"}"#, json!("bare")),
        (r#"{"tool":"t","args":7}"#, json!(7)),
        (
            r#"{"tool":"t","arguments":[1,null,true]}"#,
            json!([1, null, true]),
        ),
        (r#"{"tool":"t","args":null}"#, json!(null)),
    ] {
        let timeline = Timeline::from_json(&record("t", &format!("[{text}]"))).unwrap();
        assert_eq!(timeline.calls[0].arguments, value, "{text}");
    }
    let both = r#"[{"tool":"t"},{"tool":"t","arguments":1,"args":1}]"#;
    check_refused(&record("t", both), 1, "calls[1].arguments", "given twice");
}

#[test]
fn typed_text_is_kept_byte_exact() {
    for text in [
        "{braces} {{twice}} }{",
        "\"quotes\" 'single' \\ /",
        "$HOME $1 %s %d +@ #",
        "emoji 👩‍👩‍👧 🇻🇳",
        "שלום مرحبا \u{202e}rtl",
        "e\u{301} n\u{303}",
        "no\u{a0}break\u{200b}",
        "line\nline\r\n\ttab",
        "\u{0}\u{1f}\u{7f}",
        "\u{feff}mark",
        "  ends  ",
    ] {
        let encoded = serde_json::to_string(text).unwrap();
        let timeline = Timeline::from_json(&with_arguments(&format!(r#"{{"text":{encoded}}}"#))).unwrap();
        assert_eq!(
            timeline.calls[0].arguments["text"].as_str().unwrap().as_bytes(),
            text.as_bytes()
        );
    }
    let escaped = Timeline::from_json(&with_arguments(r#""\ud83d\ude00 \u00e9 \/""#)).unwrap();
    assert_eq!(escaped.calls[0].arguments, json!("😀 é /"));
}

#[test]
fn a_text_may_be_an_object_an_array_or_lines() {
    let (a, b) = (record("a", "[]"), record("b", "[]"));
    let pretty =
        |text: &str| serde_json::to_string_pretty(&serde_json::from_str::<JsonValue>(text).unwrap()).unwrap();
    for (text, ids) in [
        (a.clone(), vec!["a"]),
        (format!("\u{feff}{a}\n"), vec!["a"]),
        (pretty(&a), vec!["a"]),
        (
            format!("\u{feff}\r\n{}", pretty(&a).replace('\n', "\r\n")),
            vec!["a"],
        ),
        (
            pretty(&a).lines().map(str::trim).collect::<Vec<_>>().join("\n"),
            vec!["a"],
        ),
        (format!("{}\n{}", pretty(&a), pretty(&b)), vec!["a", "b"]),
        (format!("{a}\n\n  \n{b}\n"), vec!["a", "b"]),
        (format!("{a}\r\n{b}\r\n"), vec!["a", "b"]),
        (format!("{a} {b}"), vec!["a", "b"]),
        (format!("[{a},{b}]"), vec!["a", "b"]),
        (pretty(&format!("[{a},{b}]")), vec!["a", "b"]),
        (format!("[\n{a},\n{b}\n]\n"), vec!["a", "b"]),
        (format!("[{a}]\n[{b}]"), vec!["a", "b"]),
        ("[]".into(), vec![]),
        (" \n ".into(), vec![]),
        (String::new(), vec![]),
    ] {
        assert_eq!(outline(&text), ids, "{text}");
    }
}

#[test]
fn an_object_whose_calls_stand_one_a_line_is_one_timeline() {
    let head = r#"{"task_id":"a","goal":"g","status":"succeeded","calls":["#;
    for calls in ["{\"tool\":\"x\"}", "{\"tool\":\"x\"},\n{\"tool\":\"y\"}"] {
        let text = format!("{head}\n{calls}\n]}}");
        assert_eq!(outline(&text), ["a"], "{text}");
    }
}

#[test]
fn a_bad_line_does_not_stop_the_other_lines() {
    let (a, b) = (record("a", "[]"), record("b", "[]"));
    for (bad, refused) in [
        ("oops", "2 ."),
        ("{\"task_id\":\"x\"", "2 task_id"),
        ("{\"task_id\":\"x\",", "2 ."),
        ("{\"task_id\":\"x\",\"goal\":\"cut in the mid", "2 goal"),
        (
            "{\"task_id\":\"x\",\"goal\":\"g\",\"status\":\"succeeded\",\"calls\":[",
            "2 calls[0]",
        ),
        (
            "{\"task_id\":\"x\",\"goal\":\"g\",\"status\":\"succeeded\",\"calls\":",
            "2 calls",
        ),
        ("}", "2 ."),
        ("null", "2 ."),
        ("{}", "2 task_id"),
        ("{\"task_id\":\"x\",\"task_id\":\"y\"}", "2 task_id"),
        ("{\"task_id\":\"x\",\"goal\":01}", "2 goal"),
    ] {
        assert_eq!(
            outline(&format!("{a}\n{bad}\n{b}\n")),
            ["a", refused, "b"],
            "{bad}"
        );
        assert_eq!(
            outline(&format!("{a}\n{bad}\n\n{b}")),
            ["a", refused, "b"],
            "{bad}"
        );
    }
    assert_eq!(
        outline(&format!("{{\"task_id\": \n{a}\noops\noops\n{b}")),
        ["1 task_id", "a", "3 .", "4 .", "b"]
    );
    let mut not_utf8 = format!("{a}\n{{\"task_id\":\"").into_bytes();
    not_utf8.push(0xff);
    not_utf8.extend(format!("\"}}\n{b}").into_bytes());
    assert_eq!(outline_bytes(&not_utf8), ["a", "2 task_id", "b"]);
}

#[test]
fn a_bad_element_does_not_stop_the_other_elements() {
    let (a, b) = (record("a", "[]"), record("b", "[]"));
    for bad in [
        "{}",
        "1e400",
        "\"\\ud800\"",
        "[[{}]]",
        "{\"task_id\":1}",
        &with_arguments("{\"x\":1,\"x\":2}"),
    ] {
        let ids = outline(&format!("[\n{a},\n{bad},\n{b}\n]"));
        assert!(
            ids.len() == 3 && ids[0] == "a" && ids[1].starts_with("3 ") && ids[2] == "b",
            "{bad}: {ids:?}"
        );
    }
    assert_eq!(
        outline(&format!("[{a},\n{{,\n{b}]")),
        ["a", "2 ."],
        "malformed text ends an array"
    );
    assert_eq!(outline(&format!("[{a}\n{b}]")), ["a", "2 ."]);
    assert_eq!(outline(&format!("[{a},")), ["a", "1 ."]);
    assert_eq!(outline(&format!("[{a},]")), ["a", "1 ."]);
}

#[test]
fn a_file_of_another_kind_is_refused_once() {
    assert_eq!(
        outline("appId: com.example\n---\n- launchApp\n- tapOn: \"OK\"\n"),
        ["1 ."]
    );
    assert_eq!(outline("<html>\n<body>\n"), ["1 ."]);
    assert_eq!(outline_bytes(b"\xff\xfe{\0}\0\n\0"), ["1 ."]);
}

#[test]
fn a_pretty_printed_fault_is_named_with_its_own_line() {
    let text = "{\n  \"task_id\": \"t\",\n  \"goal\": \"g\",\n  \"status\": \"succeeded\",\n  \"calls\": [\n    {\n      \"tool\": \"tap\"\n    },\n    {\n      \"tool\": 5\n    },\n    {}\n  ]\n}";
    check_refused(text, 10, "calls[1].tool", "expected a string, found a number");
    let text = text.replace("5", "\"ok\"");
    check_refused(&text, 12, "calls[2].tool", "is missing");
    let text = text.replace("{}", "{ \"tool\": \"end\" }");
    assert!(Timeline::from_json(&text).is_ok());
    for broken in ["\"a\" \"b\"", "tru", "\"a", "'a'"] {
        check_refused(&text.replace("\"ok\"", broken), 10, "calls[1].tool", "not JSON");
    }
    check_refused(
        &text.replace("\"ok\"", "\"a\",\n\"tool\": \"b\""),
        11,
        "calls[1].tool",
        "twice",
    );
    check_refused(
        &text.replace("succeeded", "done"),
        4,
        "status",
        "must be succeeded",
    );
    check_refused(&text.replace("\"g\"", "\" \""), 3, "goal", "blank");
    check_refused(&text[..40], 4, ".", "ends in the middle");
    check_refused(&text[..30], 3, "goal", "ends in the middle");
    check_refused(
        "{\n\"task_id\":\"t\",\n\"goal\":\"g\",\n\n\n",
        3,
        ".",
        "ends in the middle",
    );
}

#[test]
fn a_missing_or_wrongly_typed_field_is_named() {
    let whole = json!({"task_id": "t", "goal": "g", "status": "succeeded", "calls": [{"tool": "tap"}]});
    let check = |pointer: &str, value: JsonValue, field: &str, reason: &str| {
        let mut changed = whole.clone();
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        changed.pointer_mut(parent).unwrap()[key] = value;
        check_refused(&changed.to_string(), 1, field, reason);
    };
    for field in ["task_id", "goal", "status", "calls"] {
        let mut without = whole.clone();
        without.as_object_mut().unwrap().remove(field);
        check_refused(&without.to_string(), 1, field, "is missing");
        check(&format!("/{field}"), json!(null), field, "");
        check(&format!("/{field}"), json!(true), field, "");
        check(&format!("/{field}"), json!({"succeeded": null}), field, "");
    }
    check("/app", json!(5), "app", "expected a string, found a number");
    check(
        "/screen",
        json!([1, 2]),
        "screen",
        "expected an object, found an array",
    );
    check(
        "/screen",
        json!({"width": -1, "height": 2}),
        "screen.width",
        "from 0 to 4294967295, found one out of range",
    );
    check(
        "/screen",
        json!({"width": 1.5, "height": 2}),
        "screen.width",
        "found a fraction",
    );
    check("/screen", json!({"width": 1}), "screen.height", "is missing");
    check("/calls", json!({}), "calls", "expected an array, found an object");
    check(
        "/calls",
        json!([["tap"]]),
        "calls[0]",
        "expected an object, found an array",
    );
    check(
        "/calls",
        json!(["tap"]),
        "calls[0]",
        "expected an object, found text",
    );
    check(
        "/calls",
        json!([{"tool": "a", "ok": 1}]),
        "calls[0].ok",
        "expected a boolean, found a number",
    );
    check(
        "/calls",
        json!([{"tool": "a", "started_at_ms": 1.5}]),
        "calls[0].started_at_ms",
        "a fraction",
    );
    check(
        "/calls",
        json!([{"tool": "a", "target": ["id"]}]),
        "calls[0].target",
        "expected an object",
    );
    check(
        "/calls",
        json!([{"tool": "a", "target": {"text": 5}}]),
        "calls[0].target.text",
        "expected a string",
    );
}

#[test]
fn a_reason_never_shows_the_refused_text() {
    for text in [
        record("t", r#"[{"tool":"a","ok":"hunter2, expected hunter2"}]"#),
        record("t", r#"[{"tool":"a","screen":1,"started_at_ms":"hunter2"}]"#),
        r#"{"task_id":"t","goal":"g","status":"hunter2","calls":[]}"#.into(),
        r#""hunter2""#.into(),
    ] {
        let (_, field, reason) = refusal(&text);
        assert!(
            !field.contains("hunter2") && !reason.contains("hunter2"),
            "{field}: {reason}"
        );
    }
}

#[test]
fn a_key_may_stand_only_once_anywhere() {
    check_refused(
        r#"{"task_id":"a","goal":"g","task_id":"b"}"#,
        1,
        "task_id",
        "twice",
    );
    check_refused(
        &with_arguments(r#"{"x":1,"y":{"z":1,"z":1}}"#),
        1,
        "calls[0].arguments.y.z",
        "twice",
    );
    check_refused(
        &with_arguments(r#"{"a":1,"\u0061":2}"#),
        1,
        "calls[0].arguments.a",
        "twice",
    );
    check_refused(
        &with_arguments(r#"[{"k":1,"k":2}]"#),
        1,
        "calls[0].arguments[0].k",
        "twice",
    );
    check_refused(
        r#"{"ignored":{"k":1,"k":1},"task_id":"a"}"#,
        1,
        "ignored.k",
        "twice",
    );
    check_refused(r#"{"":1,"":1}"#, 1, ".", "twice");
    assert!(Timeline::from_json(&with_arguments(r#"{"a":{"k":1},"b":{"k":1},"K":1,"k":1}"#)).is_ok());
}

#[test]
fn a_number_must_keep_its_value() {
    for number in [
        "1e400",
        "-1e400",
        "1e-400",
        "0.1234567890123456789012",
        "18446744073709551616",
    ] {
        check_refused(
            &with_arguments(&format!(r#"{{"n":{number}}}"#)),
            1,
            "calls[0].arguments.n",
            "exactly",
        );
        check_refused(
            &format!(r#"{{"ignored":[{number}]}}"#),
            1,
            "ignored[0]",
            "exactly",
        );
    }
    for number in [
        "1e5",
        "1.0",
        "-0.0",
        "0.1",
        "0.10",
        "18446744073709551615",
        "-9223372036854775808",
        "1E+2",
    ] {
        let timeline = Timeline::from_json(&with_arguments(number)).unwrap();
        let kept = timeline.calls[0].arguments.as_f64().unwrap();
        assert_eq!(kept, number.parse::<f64>().unwrap(), "{number}");
    }
    for number in [
        "01", "1.", ".5", "+1", "1e", "0x10", "NaN", "-", "--1", "Infinity", "1_000",
    ] {
        check_refused(
            &with_arguments(&format!("[{number}]")),
            1,
            "calls[0].arguments[0]",
            "not JSON",
        );
    }
}

#[test]
fn surrogates_must_come_in_pairs() {
    for text in [
        r#""\ud83d""#,
        r#""\ude00""#,
        r#""\ud83d x""#,
        r#""\ud83d\ud83d""#,
        r#""\udbff\u0041""#,
    ] {
        check_refused(&with_arguments(text), 1, "calls[0].arguments", "lone surrogate");
    }
    check_refused(
        &with_arguments(r#""\u12g4""#),
        1,
        "calls[0].arguments",
        "not JSON",
    );
    check_refused(&with_arguments(r#""\x41""#), 1, "calls[0].arguments", "not JSON");
}

#[test]
fn limits_hold_at_the_limit_and_not_beyond() {
    let nested = |levels: usize| format!("{}1{}", "[".repeat(levels), "]".repeat(levels));
    let deepest = MAX_DEPTH - 3;
    assert!(Timeline::from_json(&with_arguments(&nested(deepest))).is_ok());
    let (line, field, reason) = refusal(&with_arguments(&nested(deepest + 1)));
    assert!(
        line == 1 && field.starts_with("calls[0].arguments[0]") && reason.contains("64"),
        "{field}: {reason}"
    );
    assert_eq!(
        outline(&format!(
            "{}\n{}",
            with_arguments(&nested(300_000)),
            record("b", "[]")
        ))
        .len(),
        2
    );

    let calls = |count: usize| format!("[{}]", vec![r#"{"tool":"a"}"#; count].join(","));
    assert!(Timeline::from_json(&record("t", &calls(MAX_CALLS))).is_ok());
    check_refused(&record("t", &calls(MAX_CALLS + 1)), 1, "calls", "10001 calls");

    let around = with_arguments("\"\"").len();
    let filled = |bytes: usize| with_arguments(&format!("\"{}\"", "a".repeat(bytes - around)));
    assert!(Timeline::from_json(&filled(MAX_TIMELINE_BYTES)).is_ok());
    check_refused(
        &format!("\n{}", filled(MAX_TIMELINE_BYTES + 1)),
        2,
        ".",
        "bytes of JSON",
    );
}

#[test]
fn ids_and_goals_must_say_something() {
    let with = |fields: &str| format!(r#"{{"status":"succeeded","calls":[],{fields}}}"#);
    check_refused(&with(r#""task_id":"","goal":"g""#), 1, "task_id", "blank");
    check_refused(&with(r#""task_id":"t","goal":"\u00a0\n""#), 1, "goal", "blank");
    check_refused(
        &with(r#""task_id":"t","goal":"g","goal_family":" ""#),
        1,
        "goal_family",
        "blank",
    );
    check_refused(&with(r#""task_id":"t\u0000","goal":"g""#), 1, "task_id", "NUL");
    check_refused(
        &with(r#""task_id":"t","goal":"g","skill_id":"\u0000""#),
        1,
        "skill_id",
        "NUL",
    );
    check_refused(
        &with(r#""task_id":"t","goal":"g","goal_family":"a\u0000b""#),
        1,
        "goal_family",
        "NUL",
    );
}

#[test]
fn a_timeline_that_came_as_a_value_is_held_to_the_same_limits() {
    let good = Timeline::from_json(&with_arguments("1")).unwrap();
    assert_eq!(good.check(), Ok(()));
    let mut deep = json!(1);
    for _ in 0..MAX_DEPTH - 3 {
        deep = json!([deep]);
    }
    let call = |arguments: &JsonValue| ToolCall {
        arguments: arguments.clone(),
        ..good.calls[0].clone()
    };
    let target = |bounds: &JsonValue| {
        Some(Target {
            bounds: Some(bounds.clone()),
            ..Target::default()
        })
    };
    assert_eq!(
        Timeline {
            calls: vec![call(&deep)],
            ..good.clone()
        }
        .check(),
        Ok(())
    );

    let check = |timeline: Timeline, expected: &str| match timeline.check() {
        Err(SkillError::InvalidTimeline { line: 0, field, .. }) => assert_eq!(field, expected),
        other => panic!("{expected}: {other:?}"),
    };
    check(
        Timeline {
            task_id: " ".into(),
            ..good.clone()
        },
        "task_id",
    );
    check(
        Timeline {
            task_id: "a\0".into(),
            ..good.clone()
        },
        "task_id",
    );
    check(
        Timeline {
            goal: "".into(),
            ..good.clone()
        },
        "goal",
    );
    check(
        Timeline {
            goal_family: Some("".into()),
            ..good.clone()
        },
        "goal_family",
    );
    check(
        Timeline {
            skill_id: Some("\0".into()),
            ..good.clone()
        },
        "skill_id",
    );
    check(
        Timeline {
            calls: vec![call(&json!(1)); MAX_CALLS + 1],
            ..good.clone()
        },
        "calls",
    );
    check(
        Timeline {
            calls: vec![call(&json!([deep]))],
            ..good.clone()
        },
        "calls[0].arguments",
    );
    let bounded = ToolCall {
        target: target(&deep),
        ..good.calls[0].clone()
    };
    check(
        Timeline {
            calls: vec![bounded],
            ..good.clone()
        },
        "calls[0].target.bounds",
    );
    check(
        Timeline {
            goal: "g".repeat(MAX_TIMELINE_BYTES),
            ..good.clone()
        },
        ".",
    );
}

#[test]
fn one_timeline_is_one() {
    let text = record("a", "[]");
    assert_eq!(Timeline::from_json(&format!("[{text}]")).unwrap().task_id, "a");
    check_refused("", 1, ".", "no timeline");
    check_refused(&format!("{text}\n\n{text}"), 3, ".", "more than one");
    assert_eq!(parse_timelines(format!("{text}\n{text}")).unwrap().len(), 2);
    let refused = parse_timelines(format!("{text}\n{{}}\n{text}"));
    assert!(
        matches!(refused, Err(SkillError::InvalidTimeline { line: 2, .. })),
        "{refused:?}"
    );
}

fn json_value() -> impl Strategy<Value = JsonValue> {
    let scalar = prop_oneof![
        Just(JsonValue::Null),
        any::<bool>().prop_map(JsonValue::from),
        any::<i64>().prop_map(JsonValue::from),
        any::<u64>().prop_map(JsonValue::from),
        any::<f64>()
            .prop_filter("JSON has finite numbers", |n| n.is_finite())
            .prop_map(JsonValue::from),
        any::<String>().prop_map(JsonValue::from),
    ];
    scalar.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(JsonValue::from),
            prop::collection::hash_map(any::<String>(), inner, 0..5)
                .prop_map(|map| JsonValue::Object(map.into_iter().collect())),
        ]
    })
}

fn target() -> impl Strategy<Value = Target> {
    let text = || prop::option::of(any::<String>());
    // A null that is present reads as absent.
    let bounds = prop::option::of(json_value().prop_filter("not null", |value| !value.is_null()));
    (text(), text(), text(), text(), bounds).prop_map(|(resource_id, text, content_desc, class, bounds)| {
        Target {
            resource_id,
            text,
            content_desc,
            class,
            bounds,
        }
    })
}

prop_compose! {
    fn tool_call()(
        tool in any::<String>(), arguments in json_value(), ok in any::<bool>(), error in prop::option::of(any::<String>()),
        started_at_ms in prop::option::of(any::<i64>()), read_only in prop::option::of(any::<bool>()),
        sensitive in any::<bool>(), target in prop::option::of(target()),
    ) -> ToolCall {
        ToolCall { tool, arguments, ok, error, started_at_ms, read_only, sensitive, target }
    }
}

prop_compose! {
    fn timeline()(
        task_id in "[^\0]*[a-z0-9][^\0]*", goal in any::<String>().prop_map(|goal| format!("g{goal}")),
        status in prop::sample::select(vec![Status::Succeeded, Status::Failed, Status::Cancelled, Status::Running]),
        app in prop::option::of(any::<String>()), goal_family in prop::option::of("[a-z ]*[a-z]"),
        skill_id in prop::option::of("[^\0]*"), size in prop::option::of(any::<(u32, u32)>()),
        calls in prop::collection::vec(tool_call(), 0..5),
    ) -> Timeline {
        let screen = size.map(|(width, height)| Screen { width, height });
        Timeline { task_id, goal, status, app, goal_family, skill_id, screen, calls }
    }
}

proptest! {
    #[test]
    fn any_timeline_comes_back_as_it_was(timelines in prop::collection::vec(timeline(), 0..4)) {
        for timeline in &timelines {
            prop_assert_eq!(timeline.check(), Ok(()));
        }
        let lines: Vec<String> = timelines.iter().map(|timeline| serde_json::to_string(timeline).unwrap()).collect();
        let array = serde_json::to_string_pretty(&timelines).unwrap();
        for text in [lines.join("\n"), array] {
            let read: Result<Vec<_>, _> = read_timelines(text.as_bytes()).collect();
            prop_assert_eq!(&read.unwrap(), &timelines);
        }
    }

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = read_timelines(&bytes).count();
    }

    #[test]
    fn random_json_like_text_never_panics(text in r#"([{}\[\],:"\\ \n]|null|1e9|-|"a":|\{"task_id":"a",|\\u[d0-9]{4}){0,60}"#) {
        // No more refusals than there are bytes: it ends.
        prop_assert!(read_timelines(text.as_bytes()).count() <= text.len());
    }

    #[test]
    fn a_text_that_is_changed_or_cut_anywhere_never_panics(
        timeline in timeline(), at in any::<prop::sample::Index>(), byte in any::<u8>(), cut in any::<bool>(),
    ) {
        let mut bytes = serde_json::to_vec_pretty(&timeline).unwrap();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if cut {
            bytes.truncate(at);
        }
        for result in read_timelines(&bytes) {
            if let Err(SkillError::InvalidTimeline { line, .. }) = result {
                prop_assert!(line >= 1 && line <= 1 + bytes.iter().filter(|byte| **byte == b'\n').count() as u64);
            }
        }
    }

    #[test]
    fn the_reader_refuses_no_value_that_a_json_library_writes(value in json_value()) {
        let text = with_arguments(&value.to_string());
        let timeline = Timeline::from_json(&text).unwrap();
        prop_assert_eq!(&timeline.calls[0].arguments, &value);
    }
}

fn recordings() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/recordings");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    paths
}

fn schema() -> jsonschema::Validator {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/timeline.schema.json");
    let schema: JsonValue = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    jsonschema::draft202012::meta::validate(&schema).unwrap();
    jsonschema::draft202012::new(&schema).unwrap()
}

#[test]
fn every_example_is_read_and_fits_the_schema() {
    let schema = schema();
    let mut ids = std::collections::HashSet::new();
    for path in recordings() {
        let bytes = std::fs::read(&path).unwrap();
        for timeline in read_timelines(&bytes) {
            let timeline = timeline.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            assert!(
                ids.insert(timeline.task_id.clone()),
                "{} stands twice",
                timeline.task_id
            );
        }
        let text = std::str::from_utf8(&bytes)
            .unwrap()
            .trim_start_matches('\u{feff}');
        for value in serde_json::Deserializer::from_str(text).into_iter::<JsonValue>() {
            for timeline in match value.unwrap() {
                JsonValue::Array(timelines) => timelines,
                timeline => vec![timeline],
            } {
                let errors: Vec<String> = schema
                    .iter_errors(&timeline)
                    .map(|error| error.to_string())
                    .collect();
                assert!(errors.is_empty(), "{}: {errors:?}", path.display());
            }
        }
    }
    assert!(ids.len() >= 12, "only {} examples", ids.len());
}

#[test]
fn the_schema_and_the_reader_agree_on_what_is_wrong() {
    let schema = schema();
    let good = json!({"task_id": "t", "goal": "g", "status": "running", "app": null, "calls": [{"tool": "a", "args": 1}]});
    assert!(schema.is_valid(&good) && Timeline::from_json(&good.to_string()).is_ok());
    for (key, value) in [
        ("task_id", json!("")),
        ("task_id", json!("a\0")),
        ("goal", json!(" ")),
        ("goal", json!(null)),
        ("status", json!("done")),
        ("app", json!(1)),
        ("goal_family", json!("")),
        ("skill_id", json!("\0")),
        ("screen", json!({"width": 1})),
        ("screen", json!({"width": 1, "height": -1})),
        ("screen", json!([1, 2])),
        ("calls", json!({})),
        ("calls", json!(["tap"])),
        ("calls", json!([{}])),
        ("calls", json!([{"tool": "a", "arguments": 1, "args": 1}])),
        ("calls", json!([{"tool": "a", "ok": "yes"}])),
        ("calls", json!([{"tool": "a", "started_at_ms": 0.5}])),
        ("calls", json!([{"tool": "a", "target": []}])),
        ("calls", json!([{"tool": "a", "target": {"class": 1}}])),
        ("calls", json!(vec![json!({"tool": "a"}); MAX_CALLS + 1])),
    ] {
        let mut bad = good.clone();
        bad[key] = value.clone();
        assert!(!schema.is_valid(&bad), "the schema takes {key} {value:.60}");
        assert!(
            Timeline::from_json(&bad.to_string()).is_err(),
            "the reader takes {key} {value:.60}"
        );
    }
    for key in ["task_id", "goal", "status", "calls"] {
        let mut bad = good.clone();
        bad.as_object_mut().unwrap().remove(key);
        assert!(
            !schema.is_valid(&bad),
            "the schema takes a timeline without {key}"
        );
    }
}

#[test]
fn a_json_value_is_read_as_strictly_as_a_timeline() {
    assert_eq!(parse_value(" {\"a\": [1, \"b\"]}\n"), Ok(json!({"a": [1, "b"]})));
    // What a timeline would have elsewhere may stand anywhere.
    let like_a_timeline = json!({"status": {"ok": [1]}, "screen": [1, 2], "calls": [[1]]});
    assert_eq!(parse_value(&like_a_timeline.to_string()), Ok(like_a_timeline));
    let deep = "[".repeat(100) + &"]".repeat(100);
    for (text, reason) in [
        ("", "line 1"),
        ("{", "line 1"),
        ("{} {}", "goes on after its value"),
        ("{\"a\": 1,\n\"a\": 2}", "line 2"),
        ("[[1]", "line 1"),
        ("1e999", "field ."),
        (deep.as_str(), "nested"),
        ("'a'", "line 1"),
    ] {
        match parse_value(text) {
            Err(SkillError::InvalidArgument {
                argument,
                reason: said,
            }) => {
                assert_eq!(argument, "JSON value");
                assert!(said.contains(reason), "{text}: {said}");
            }
            other => panic!("{text}: {other:?}"),
        }
    }
}
