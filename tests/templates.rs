//! Templates: differing values become parameters, and every execution comes back from its own values.

// Clippy's exception for tests stops at their helpers.
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet, HashMap};

use adroit::JsonValue;
use adroit::flow::FlowStep;
use adroit::skill::{Call, MAX_SEEN, Parameter, Role, Step, ValueType};
use adroit::template::{Merged, Template, Tolerance, literal, same_value, secret};
use proptest::prelude::*;
use serde_json::{Map, json};

const EXACT: Tolerance = Tolerance { coordinates: 0.0 };

/// One execution: its goal, and tool and plain arguments of each step.
#[derive(Debug, Clone)]
struct Execution {
    goal: String,
    calls: Vec<(&'static str, JsonValue)>,
}

impl Execution {
    fn steps(&self) -> Vec<FlowStep> {
        self.calls
            .iter()
            .map(|(tool, arguments)| step(tool, arguments))
            .collect()
    }
}

fn step(tool: &str, arguments: &JsonValue) -> FlowStep {
    FlowStep {
        tool: tool.to_owned(),
        arguments: literal(arguments),
        labels: Vec::new(),
    }
}

fn execution<const N: usize>(calls: [(&'static str, JsonValue); N]) -> Execution {
    Execution {
        goal: "do it".to_owned(),
        calls: calls.into(),
    }
}

/// Merges executions in order; what each merge said comes back.
fn merge_all(executions: &[Execution], tolerance: Tolerance) -> (Template, Vec<Merged>) {
    let mut template = Template::first(&executions[0].steps());
    let mut merges = Vec::new();
    for (number, execution) in executions.iter().enumerate().skip(1) {
        let past: Vec<&str> = executions[..number]
            .iter()
            .map(|past| past.goal.as_str())
            .collect();
        let merged = template.merge(&execution.steps(), &past, &execution.goal, tolerance);
        template = merged.template.clone();
        merges.push(merged);
    }
    (template, merges)
}

fn merged<const N: usize>(executions: [Execution; N]) -> Template {
    merge_all(&executions, EXACT).0
}

fn names(template: &Template) -> Vec<&str> {
    template
        .parameters
        .iter()
        .map(|parameter| parameter.name.as_str())
        .collect()
}

fn only(template: &Template) -> &Parameter {
    match template.parameters.as_slice() {
        [only] => only,
        other => panic!("one parameter, not {other:?}"),
    }
}

fn same_calls(calls: &[Call], execution: &Execution) -> bool {
    calls.len() == execution.calls.len()
        && calls
            .iter()
            .zip(&execution.calls)
            .all(|(call, (tool, arguments))| call.tool == *tool && same_value(&call.arguments, arguments))
}

/// The placeholders of a template: where each name stands.
fn places(template: &Template) -> BTreeMap<(usize, String), String> {
    fn walk(value: &JsonValue, pointer: String, step: usize, found: &mut BTreeMap<(usize, String), String>) {
        match value {
            JsonValue::Object(map) => map
                .iter()
                .for_each(|(key, value)| walk(value, format!("{pointer}/{key:?}"), step, found)),
            JsonValue::Array(items) => items
                .iter()
                .enumerate()
                .for_each(|(at, value)| walk(value, format!("{pointer}/{at}"), step, found)),
            JsonValue::String(text) => {
                let inner = text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
                if let Some(name) = inner.filter(|name| !name.is_empty() && !name.contains(['{', '}', ':'])) {
                    found.insert((step, pointer), name.to_owned());
                }
            }
            _ => {}
        }
    }
    let mut found = BTreeMap::new();
    for (number, step) in template.steps.iter().enumerate() {
        walk(&step.arguments, String::new(), number, &mut found);
    }
    found
}

// ------------------------------------------------------------------------------------------- strategies

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[{}a ]{0,6}",
        "[$%s+@\\\\\"'\n\u{A0}e\u{301}🫖مש]{0,5}",
        Just("{text}".to_owned()),
        Just("{secret:secret}".to_owned()),
        any::<String>(),
    ]
}

fn number() -> impl Strategy<Value = JsonValue> {
    prop_oneof![
        (-3_i64..3).prop_map(|n| json!(n)),
        (-3_i64..3).prop_map(|n| json!(n as f64)),
        any::<i64>().prop_map(|n| json!(n)),
        any::<u64>().prop_map(|n| json!(n)),
        any::<f64>()
            .prop_filter("JSON has no others", |n| n.is_finite())
            .prop_map(|n| json!(n)),
        Just(json!(-0.0)),
        Just(json!(1_000_000_000_000_000_i64)),
        Just(json!(1e15)),
        Just(json!(9_007_199_254_740_993_i64)),
        Just(json!(9_007_199_254_740_992_f64)),
    ]
}

fn scalar() -> impl Strategy<Value = JsonValue> {
    prop_oneof![
        Just(JsonValue::Null),
        any::<bool>().prop_map(JsonValue::from),
        number(),
        text().prop_map(JsonValue::from),
    ]
}

fn key() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec![
            "text", "x", "y", "index", "a", "b", "", "a/b", "~", "~1", "{x}", "0", "Größe", "secret"
        ])
        .prop_map(str::to_owned),
        any::<String>(),
    ]
}

fn any_json() -> impl Strategy<Value = JsonValue> {
    scalar().prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(JsonValue::from),
            prop::collection::vec((key(), inner), 0..4)
                .prop_map(|entries| JsonValue::Object(entries.into_iter().collect())),
        ]
    })
}

/// Arguments as recorders write them, out of so few values that many are equal.
fn record() -> impl Strategy<Value = JsonValue> {
    let few = prop::sample::select(vec![
        json!("a"),
        json!("b"),
        json!("{a}"),
        json!(""),
        json!(1),
        json!(1.0),
        json!(2),
        json!("1"),
        json!(null),
        json!([1, 2]),
        json!([1, 3]),
        json!([1]),
        json!({"k": "a"}),
        json!({"k": "b", "l": 1}),
        json!({}),
    ]);
    let keys = prop::sample::select(vec!["text", "label", "x", "y", "point"]);
    prop::collection::vec((keys, few), 0..6).prop_map(|entries| {
        let entries = entries.into_iter().map(|(key, value)| (key.to_owned(), value));
        JsonValue::Object(entries.collect::<Map<_, _>>())
    })
}

/// Two to four executions of one skeleton.
fn executions() -> impl Strategy<Value = Vec<Execution>> {
    let tools = prop::collection::vec(prop::sample::select(vec!["tap", "input_text", "set_thing"]), 1..4);
    (tools, 2..5_usize, any::<bool>()).prop_flat_map(|(tools, count, tidy)| {
        let arguments = if tidy {
            record().boxed()
        } else {
            any_json().boxed()
        };
        let goal = prop::sample::select(vec!["do it", "do it with a", "do it with b", "another goal"]);
        let one = (goal, prop::collection::vec(arguments, tools.len())).prop_map(move |(goal, arguments)| {
            Execution {
                goal: goal.to_owned(),
                calls: tools.iter().copied().zip(arguments).collect(),
            }
        });
        prop::collection::vec(one, count)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn a_first_execution_comes_back_without_values(first in executions().prop_map(|all| all[0].clone())) {
        let template = Template::first(&first.steps());
        prop_assert!(template.parameters.is_empty());
        let calls = template.fill(&HashMap::new()).unwrap();
        prop_assert!(same_calls(&calls, &first), "{:?}", calls);
    }

    #[test]
    fn every_execution_comes_back_from_its_own_values(executions in executions()) {
        let (template, merges) = merge_all(&executions, EXACT);
        for execution in &executions {
            let values = template.values_of(&execution.steps());
            prop_assert!(values.is_some(), "{:?} does not fit {:?}", execution, template);
            let calls = template.fill(&values.unwrap());
            prop_assert!(calls.is_ok(), "{:?} of {:?}", calls, template);
            prop_assert!(same_calls(&calls.clone().unwrap(), execution), "{:?} of {:?}", calls, template);
        }
        // What a merge says of the new execution is the same.
        for (merged, execution) in merges.iter().zip(&executions[1..]) {
            let calls = merged.template.fill(&merged.values);
            prop_assert!(calls.is_ok(), "{:?} of {:?}", calls, merged);
            prop_assert!(same_calls(&calls.clone().unwrap(), execution), "{:?} of {:?}", calls, merged);
        }
    }

    #[test]
    fn an_execution_that_is_covered_adds_nothing(executions in executions()) {
        let (template, _) = merge_all(&executions, EXACT);
        let goals: Vec<&str> = executions.iter().map(|execution| execution.goal.as_str()).collect();
        for execution in &executions {
            let again = template.merge(&execution.steps(), &goals, &execution.goal, EXACT);
            prop_assert_eq!(&again.added, &Vec::<String>::new());
            prop_assert_eq!(&again.template.steps, &template.steps);
            // Only what a replay takes when it is given nothing follows the last execution.
            let lasting = |template: &Template| -> Vec<Parameter> {
                template.parameters.iter().map(|parameter| Parameter { default: None, required: true, ..parameter.clone() }).collect()
            };
            for (before, after) in lasting(&template).into_iter().zip(lasting(&again.template)) {
                // A whole array in place of many values remembers the last of them only.
                let seen = before.seen.len();
                prop_assert_eq!(&after.seen[..seen], &before.seen[..]);
                prop_assert_eq!(after.seen.len() > seen, again.changed.contains(&before.name));
                prop_assert_eq!(&Parameter { seen: before.seen.clone(), value_type: before.value_type, ..after.clone() }, &before);
            }
        }
    }

    #[test]
    fn equal_executions_have_no_parameters(one in executions().prop_map(|all| all[0].clone()), count in 2..4_usize) {
        let (template, merges) = merge_all(&vec![one.clone(); count], EXACT);
        prop_assert_eq!(&template, &Template::first(&one.steps()));
        prop_assert!(merges.iter().all(|merged| merged.values.is_empty() && merged.added.is_empty() && merged.changed.is_empty()));
        let (differences, _) = template.differences(&one.steps(), EXACT);
        prop_assert_eq!(differences, vec![]);
    }

    #[test]
    fn names_are_identifiers_unique_and_never_change(executions in executions()) {
        let (_, merges) = merge_all(&executions, EXACT);
        let mut before = Template::first(&executions[0].steps());
        for merged in &merges {
            let after = &merged.template;
            let distinct: BTreeSet<&str> = names(after).into_iter().collect();
            prop_assert_eq!(distinct.len(), after.parameters.len());
            for name in &distinct {
                prop_assert!(name.starts_with(|c: char| c.is_ascii_lowercase()), "{}", name);
                prop_assert!(name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_'), "{}", name);
            }
            let (old, new) = (places(&before), places(after));
            let standing: BTreeSet<&str> = new.values().map(String::as_str).collect();
            prop_assert_eq!(&standing, &distinct, "a parameter is used, and what is used is a parameter");
            for (place, name) in &new {
                if let Some(known) = before.parameters.iter().find(|parameter| parameter.name == *name) {
                    prop_assert_eq!(old.get(place), Some(&known.name), "a name moves to no other place");
                }
            }
            for name in names(&before) {
                let kept = old.iter().any(|(place, at)| at == name && new.contains_key(place));
                prop_assert!(!kept || distinct.contains(name), "{} is gone from {:?}", name, after);
            }
            let added: BTreeSet<&str> = merged.added.iter().map(String::as_str).collect();
            let fresh: BTreeSet<&str> = distinct.iter().copied().filter(|name| !names(&before).contains(name)).collect();
            prop_assert_eq!(added, fresh);
            before = after.clone();
        }
    }

    #[test]
    fn differences_are_what_a_merge_would_take_in(executions in executions()) {
        let template = Template::first(&executions[0].steps());
        let steps = executions[1].steps();
        let (differences, positions) = template.differences(&steps, EXACT);
        prop_assert!(differences.len() <= positions);
        let merged = template.merge(&steps, &["do it"], "do it", EXACT);
        prop_assert_eq!(differences.is_empty(), merged.added.is_empty());
        prop_assert_eq!(places(&merged.template).len(), differences.len());
    }

    #[test]
    fn a_plain_text_survives_being_a_literal(text in text()) {
        let template = Template { steps: vec![Step { tool: "tap".to_owned(), arguments: literal(&json!(text)) }], parameters: vec![] };
        prop_assert_eq!(&template.fill(&HashMap::new()).unwrap()[0].arguments, &json!(text));
        prop_assert_eq!(template.secrets(), Vec::<String>::new());
    }
}

// ------------------------------------------------------------------------------------------------ cases

#[test]
fn coordinates_within_the_tolerance_are_the_same() {
    let tap = |x: f64, index: i64| execution([("tap", json!({"x": x, "y": 500, "index": index}))]);
    let within = |pixels: f64, other: Execution| {
        let tolerance = Tolerance { coordinates: pixels };
        names(&merge_all(&[tap(100.0, 1), other], tolerance).0).join(" ")
    };
    assert_eq!(within(0.0, tap(100.5, 1)), "x");
    assert_eq!(within(5.0, tap(105.0, 1)), "");
    assert_eq!(within(5.0, tap(94.0, 1)), "x");
    assert_eq!(within(5.0, tap(100.0, 2)), "index", "an index is no distance");
    let other = |duration: i64| execution([("long_press", json!({"x": 1, "duration_ms": duration}))]);
    let tolerance = Tolerance { coordinates: 100.0 };
    assert_eq!(
        names(&merge_all(&[other(500), other(550)], tolerance).0),
        ["duration_ms"]
    );
    let typed = |text: i64| execution([("input_text", json!({"text": text}))]);
    assert_eq!(names(&merge_all(&[typed(1), typed(2)], tolerance).0), ["text"]);
}

#[test]
fn a_position_has_the_last_value_for_a_default_and_content_must_be_given() {
    let task =
        |x: i64, text: &str| execution([("tap", json!({"x": x})), ("input_text", json!({"text": text}))]);
    let template = merged([
        Execution {
            goal: "type a".to_owned(),
            ..task(1, "a")
        },
        Execution {
            goal: "type b".to_owned(),
            ..task(2, "b")
        },
        Execution {
            goal: "type c".to_owned(),
            ..task(1, "c")
        },
    ]);
    let [x, text] = template.parameters.as_slice() else {
        panic!("{:?}", template.parameters);
    };
    assert_eq!(
        (x.role, x.required, &x.default),
        (Role::Position, false, &Some(json!(1)))
    );
    assert_eq!(
        (text.role, text.required, &text.default),
        (Role::Content, true, &None)
    );
    assert!(text.in_goal && !x.in_goal);
    assert_eq!(x.seen, [json!(1), json!(2)]);
}

#[test]
fn a_key_that_is_sometimes_absent_is_an_optional_parameter() {
    let with = execution([("set_thing", json!({"text": "a", "note": "n"}))]);
    let without = execution([("set_thing", json!({"text": "a"}))]);
    for pair in [[with.clone(), without.clone()], [without.clone(), with.clone()]] {
        let template = merged(pair);
        let parameter = only(&template);
        assert_eq!((parameter.required, &parameter.default), (false, &None));
        assert_eq!(parameter.seen, [json!("n")]);
        assert_eq!(parameter.value_type, ValueType::String);
        let made = template.fill(&HashMap::new()).unwrap();
        assert_eq!(
            made[0].arguments,
            json!({"text": "a"}),
            "without a value the key is left out"
        );
        let made = template
            .fill(&HashMap::from([("note".to_owned(), json!("m"))]))
            .unwrap();
        assert_eq!(made[0].arguments, json!({"text": "a", "note": "m"}));
    }
    // It stays optional, whatever comes later.
    let template = merged([with.clone(), without, with]);
    assert!(!only(&template).required);
}

#[test]
fn an_absent_key_is_not_a_null() {
    let null = execution([("set_thing", json!({"note": null}))]);
    let absent = execution([("set_thing", json!({}))]);
    let template = merged([null.clone(), absent.clone()]);
    for execution in [null, absent] {
        let values = template.values_of(&execution.steps()).unwrap();
        let made = template.fill(&values).unwrap();
        assert_eq!(made[0].arguments, execution.calls[0].1);
    }
}

#[test]
fn positions_that_vary_together_share_a_parameter_until_they_come_apart() {
    let task = |text: &str, label: &str| {
        execution([
            ("input_text", json!({"text": text})),
            ("tap", json!({"label": label})),
        ])
    };
    let together = merged([task("a", "a"), task("b", "b")]);
    assert_eq!(names(&together), ["text"]);
    assert_eq!(together.steps[1].arguments, json!({"label": "{text}"}));

    let apart = together.merge(&task("c", "d").steps(), &["do it", "do it"], "do it", EXACT);
    assert_eq!(apart.added, ["label"]);
    assert_eq!(apart.changed, ["text"]);
    let [text, label] = apart.template.parameters.as_slice() else {
        panic!("{:?}", apart.template.parameters);
    };
    assert_eq!(text.seen, [json!("a"), json!("b"), json!("c")]);
    assert_eq!(label.seen, [json!("a"), json!("b"), json!("d")]);
    for past in [task("a", "a"), task("b", "b"), task("c", "d")] {
        let values = apart.template.values_of(&past.steps()).unwrap();
        assert!(same_calls(&apart.template.fill(&values).unwrap(), &past));
    }
    // Equal at first and never together: two parameters from the start.
    assert_eq!(
        names(&merged([task("a", "a"), task("b", "c")])),
        ["text", "label"]
    );
}

#[test]
fn positions_that_only_happen_to_agree_last_share_nothing() {
    let task = |arguments: JsonValue| execution([("input_text", arguments)]);
    let executions = [
        task(json!({"text": [1, 3], "y": [1, 2]})),
        task(json!({"text": [1, 2], "y": [1, 2]})),
        task(json!({})),
    ];
    let template = merged(executions.clone());
    for execution in &executions {
        let values = template.values_of(&execution.steps()).unwrap();
        assert!(
            same_calls(&template.fill(&values).unwrap(), execution),
            "{template:?}"
        );
    }
}

#[test]
fn arrays_of_different_length_are_one_value() {
    let task = |items: JsonValue| execution([("set_thing", json!({"items": items}))]);
    let template = merged([task(json!(["a", "b"])), task(json!(["a", "c"]))]);
    assert_eq!(template.steps[0].arguments, json!({"items": ["a", "{items}"]}));

    let template = merged([
        task(json!(["a", "b"])),
        task(json!(["a", "c"])),
        task(json!(["a"])),
    ]);
    assert_eq!(
        template.steps[0].arguments,
        json!({"items": format!("{{{}}}", only(&template).name)})
    );
    assert_eq!(only(&template).value_type, ValueType::Array);
    for items in [json!(["a", "b"]), json!(["a"]), json!([]), json!([1, {"{": "}"}])] {
        let execution = task(items);
        let values = template.values_of(&execution.steps()).unwrap();
        assert!(same_calls(&template.fill(&values).unwrap(), &execution));
    }
}

#[test]
fn a_value_of_another_type_makes_the_parameter_take_any() {
    let task = |value: JsonValue| execution([("set_thing", json!({"value": value}))]);
    for (values, expected) in [
        (vec![json!(1), json!(2.5)], ValueType::Number),
        (vec![json!("1"), json!("2")], ValueType::String),
        (vec![json!(true), json!(false)], ValueType::Boolean),
        (vec![json!([]), json!([1])], ValueType::Array),
        (vec![json!(1), json!("1")], ValueType::Any),
        (vec![json!("a"), json!("b"), json!(3), json!("c")], ValueType::Any),
        (vec![json!("a"), json!(null)], ValueType::Any),
        (vec![json!(null), json!("a")], ValueType::Any),
        (vec![json!({}), json!([])], ValueType::Any),
    ] {
        let executions: Vec<Execution> = values.iter().cloned().map(task).collect();
        let (template, _) = merge_all(&executions, EXACT);
        let parameter = only(&template);
        assert_eq!(parameter.value_type, expected, "{values:?}");
        assert_eq!(parameter.seen, values);
        for value in values {
            let name = parameter.name.clone();
            let made = template.fill(&HashMap::from([(name, value.clone())])).unwrap();
            assert_eq!(made[0].arguments, json!({"value": value}));
        }
    }
}

#[test]
fn numbers_compare_as_numbers_and_keys_in_any_order() {
    let one = execution([("set_thing", json!({"a": 1, "b": [2.0, -0.0], "c": {"d": 3}}))]);
    let two = execution([(
        "set_thing",
        serde_json::from_str(r#"{"c":{"d":3.0},"b":[2,0],"a":1.0}"#).unwrap(),
    )]);
    assert_eq!(names(&merged([one, two])), [""; 0]);
    assert!(same_value(&json!(1e2), &json!(100)));
    assert!(!same_value(&json!(1), &json!("1")));
    assert!(
        !same_value(&json!(u64::MAX), &json!(u64::MAX - 1)),
        "not as floats, where both are whole"
    );
}

#[test]
fn a_parameter_remembers_the_first_value_and_the_newest_ones() {
    let executions: Vec<Execution> = (0..40)
        .map(|n| execution([("input_text", json!({"text": format!("text {n}")}))]))
        .collect();
    let (template, merges) = merge_all(&executions, EXACT);
    let seen = &only(&template).seen;
    assert_eq!(seen.len(), MAX_SEEN);
    assert_eq!(seen[0], json!("text 0"));
    let newest: Vec<JsonValue> = (41 - MAX_SEEN..40).map(|n| json!(format!("text {n}"))).collect();
    assert_eq!(seen[1..], newest);
    assert!(
        merges
            .iter()
            .all(|merged| only(&merged.template).seen.len() <= MAX_SEEN)
    );
}

#[test]
fn a_secret_is_no_difference_and_is_asked_for() {
    let typed = |text: JsonValue| {
        vec![FlowStep {
            tool: "input_text".to_owned(),
            arguments: json!({"text": text, "hint": "x"}),
            labels: Vec::new(),
        }]
    };
    let hidden = typed(secret("secret"));
    for steps in [
        [hidden.clone(), hidden.clone()],
        [hidden.clone(), typed(json!("a"))],
        [typed(json!("a")), hidden],
    ] {
        let [first, second] = steps;
        let template = Template::first(&first)
            .merge(&second, &["do it"], "do it", EXACT)
            .template;
        assert_eq!(template.parameters, []);
        assert_eq!(template.secrets(), ["secret"]);
        assert!(template.fill(&HashMap::new()).is_err());
        let made = template
            .fill(&HashMap::from([("secret".to_owned(), json!("s{3}cret"))]))
            .unwrap();
        assert_eq!(made[0].arguments, json!({"text": "s{3}cret", "hint": "x"}));
    }
}

#[test]
fn two_secrets_never_share_a_name_and_none_is_named_like_a_parameter() {
    let flow = |first: JsonValue, second: JsonValue, note: &str| -> Vec<FlowStep> {
        [first, second, json!(note)]
            .into_iter()
            .zip(["text", "text", "secret"])
            .map(|(value, key)| FlowStep {
                tool: "set_thing".to_owned(),
                arguments: json!({key: value}),
                labels: Vec::new(),
            })
            .collect()
    };
    // Each flow counts its secrets from the start: what is the second secret of the template is the first here.
    let template = Template::first(&flow(secret("secret"), json!("1234"), "a"));
    let template = template
        .merge(
            &flow(json!("x"), secret("secret"), "b"),
            &["do it"],
            "do it",
            EXACT,
        )
        .template;
    let all: BTreeSet<String> = template
        .secrets()
        .into_iter()
        .chain(names(&template).iter().map(|name| (*name).to_owned()))
        .collect();
    assert_eq!(all.len(), 3, "{template:?}");

    // The parameter was there before the secret.
    let template = Template::first(&flow(json!("x"), json!("y"), "a"));
    let template = template
        .merge(&flow(json!("x"), json!("y"), "b"), &["do it"], "do it", EXACT)
        .template;
    assert_eq!(names(&template), ["secret"]);
    let template = template
        .merge(
            &flow(secret("secret"), secret("secret"), "b"),
            &["do it"],
            "do it",
            EXACT,
        )
        .template;
    assert_eq!(names(&template), ["secret"]);
    let [hidden] = &template.secrets()[..] else {
        panic!("one secret in two places: {template:?}");
    };
    assert_ne!(hidden, "secret");
}

#[test]
fn parameters_are_named_after_what_the_element_is_called() {
    let typed = |text: &str, hint: &str, labels: &[&str]| {
        vec![FlowStep {
            tool: "input_text".to_owned(),
            arguments: literal(&json!({"text": text, "hint": hint})),
            labels: labels.iter().map(|label| (*label).to_owned()).collect(),
        }]
    };
    for (hint, labels, name) in [
        ("Email address", vec!["Email address"], "email_address"),
        ("x", vec!["com.app:id/etFirstName"], "first_name"),
        ("x", vec!["Enter your PIN number please"], "pin_number_please"),
        ("x", vec!["名前"], "text"),
        ("x", vec!["名前", "name_field"], "name"),
        ("x", vec![], "text"),
        ("x", vec!["42"], "text"),
    ] {
        let first = Template::first(&typed("a", hint, &labels));
        let template = first
            .merge(&typed("b", hint, &labels), &["do it"], "do it", EXACT)
            .template;
        assert_eq!(names(&template), [name], "{hint} {labels:?}");
    }
}
