//! What the tools of phone agents do: which calls are steps, what kind of step, and what their arguments are
//! for.
//!
//! The same gesture has another name in every recorder. One table knows them, so that the rest of the library
//! speaks of kinds only. Names compare without case, `_`, `-`, spaces and known prefixes:
//! `mobile_launch_app`, `LaunchApp` and `launchApp` are one tool.

mod secrets;
mod table;

use std::collections::HashMap;

use unicode_normalization::char::is_combining_mark;

use crate::JsonValue;
use crate::skill::Role;
use crate::timeline::ToolCall;

pub use secrets::{is_secret_field, is_secret_value, mark_secrets};

/// What a tool does to the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Starts an app or brings it to the front.
    Launch,
    /// Taps, once or twice.
    Tap,
    /// Presses and holds.
    LongPress,
    /// Types or sets text.
    Input,
    /// Empties a text field.
    Clear,
    /// Presses a key or a button of the device.
    Key,
    /// Swipes or drags from one point to another.
    Swipe,
    /// Scrolls the content.
    Scroll,
    /// Goes back, home or to the recent apps.
    Navigate,
    /// Opens a URL or a deep link.
    OpenLink,
    /// Closes an app.
    Stop,
    /// Looks, reads, checks or takes a note.
    Observe,
    /// Lets time pass, does nothing, or waits for a person.
    Wait,
    /// Ends the task or answers the user.
    Finish,
    /// Branches, repeats or runs a script of the recorder. The calls it leads to are recorded on their own.
    Control,
    /// Anything else. Taken as changing the device, so that no flow silently loses an action.
    Other,
}

impl Kind {
    /// Whether a call of this kind changes something on the device.
    pub fn is_step(self) -> bool {
        !matches!(self, Self::Observe | Self::Wait | Self::Finish | Self::Control)
    }
}

/// What the tool of this name does; `Kind::Other` when the table does not know it.
pub fn kind(tool: &str) -> Kind {
    let words = name_words(tool);
    if words.first().is_some_and(|first| first == "control") {
        return Kind::Control;
    }
    table::lookup(&words.concat()).unwrap_or(Kind::Other)
}

/// Whether a call is a step of a flow. The first rule that applies decides:
///
/// 1. A call that failed (`ok` is false, or `error` says something) is not a step.
/// 2. The override table: the exact name first, then any name that compares equal.
/// 3. The call's own `read_only`, when it is true: not a step.
/// 4. The table of known tools: observing, waiting, finishing and control flow are not steps, also when
///    `read_only` is false (mobile-mcp marks its screenshot tool so, because it writes a file).
/// 5. An unknown tool is a step.
pub fn is_step(call: &ToolCall, overrides: &HashMap<String, bool>) -> bool {
    if !call.ok
        || call
            .error
            .as_deref()
            .is_some_and(|error| !error.trim().is_empty())
    {
        return false;
    }
    if let Some(step) = override_for(&call.tool, overrides) {
        return step;
    }
    call.read_only != Some(true) && kind(&call.tool).is_step()
}

fn override_for(tool: &str, overrides: &HashMap<String, bool>) -> Option<bool> {
    if let Some(step) = overrides.get(tool) {
        return Some(*step);
    }
    let words = name_words(tool);
    overrides
        .iter()
        .filter(|(name, _)| name_words(name).concat() == words.concat())
        // Two names that compare equal: the alphabet decides, not the order of a hash table.
        .min_by_key(|(name, _)| name.as_str())
        .map(|(_, step)| *step)
}

/// What the argument at a JSON pointer of a call is for: a place on the screen, or content.
///
/// Positions are coordinates, bounds, element indices, distances and durations, as numbers or as text made of
/// numbers (`"540,1200"`, `"[0,0][90,90]"`). A tool that is not a gesture may mean something by `start` or
/// `duration` (a timer, an event), so for it only coordinates and bounds are positions. Everything else is
/// content.
pub fn role(kind: Kind, pointer: &str, value: &JsonValue) -> Role {
    let gesture = !matches!(kind, Kind::Other | Kind::Launch | Kind::OpenLink);
    let key = argument_key(pointer);
    let is_position =
        COORDINATE_KEYS.contains(&key.as_str()) || (gesture && GESTURE_KEYS.contains(&key.as_str()));
    if is_position && is_numeric(value) {
        Role::Position
    } else {
        Role::Content
    }
}

/// Argument names that are places on the screen in any tool, folded.
#[rustfmt::skip]
const COORDINATE_KEYS: &[&str] = &[
    "x", "y", "x1", "y1", "x2", "y2", "startx", "starty", "endx", "endy", "fromx", "fromy", "tox", "toy",
    "coordinate", "coordinates", "coordinate1", "coordinate2", "bounds", "elementbounds", "bbox", "rect",
    "point", "point1", "point2", "startpoint", "endpoint", "touchpoint", "liftpoint",
];

/// Argument names that are places, distances or durations in a gesture, folded.
#[rustfmt::skip]
const GESTURE_KEYS: &[&str] = &[
    "index", "elementindex", "idx", "area", "subarea", "element", "elementid", "start", "end", "from",
    "to", "startbox", "endbox", "box", "center", "left", "top", "right", "bottom", "width", "height",
    "offset", "offsetx", "offsety", "dx", "dy", "distance", "dist", "amount", "pixels", "speed",
    "velocity", "duration", "durationms", "durationsec", "ms", "seconds", "delay", "timeout", "timeoutms",
    "percent",
];

/// The name of the argument that a JSON pointer leads to, folded: the last part that is not an array index.
fn argument_key(pointer: &str) -> String {
    let name = pointer
        .rsplit('/')
        .find(|part| !part.bytes().all(|byte| byte.is_ascii_digit()))
        .unwrap_or("");
    fold_key(name)
}

pub(crate) fn fold_key(name: &str) -> String {
    name.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// A number, or text that holds numbers and the marks between them; `2025-10-28` and `07:30` are not.
fn is_numeric(value: &JsonValue) -> bool {
    match value {
        JsonValue::Number(_) => true,
        JsonValue::String(text) => {
            let mut previous = ' ';
            let mut digits = false;
            for c in text.chars() {
                let fits = match c {
                    '0'..='9' => true,
                    '-' => !previous.is_ascii_digit(),
                    ' ' | ',' | '.' | '%' | '[' | ']' | '(' | ')' => true,
                    _ => false,
                };
                if !fits {
                    return false;
                }
                digits |= c.is_ascii_digit();
                previous = c;
            }
            digits
        }
        _ => false,
    }
}

/// The words of a tool's name, without what a recorder or a protocol puts in front of it:
/// `mcp__mobile-mcp__mobile_launch_app`, `other:launchApp` and `device.launch_app` all give `launch`, `app`.
fn name_words(tool: &str) -> Vec<String> {
    let last_part = tool.rsplit("__").next().unwrap_or(tool);
    let last_part = last_part
        .rsplit([':', '.', '/'])
        .find(|part| !part.trim().is_empty())
        .unwrap_or(last_part);
    let words = identifier_words(last_part);
    let prefixes = words
        .iter()
        .take_while(|word| matches!(word.as_str(), "mobile" | "mcp"))
        .count();
    // A tool that is called just `mobile` keeps its name.
    words[prefixes.min(words.len().saturating_sub(1))..].to_vec()
}

/// The words of an identifier in lower case: split at everything that is neither letter nor digit, where a
/// capital follows a small letter, and before the last capital of a run that a small letter follows
/// (`URLField`).
pub(crate) fn identifier_words(identifier: &str) -> Vec<String> {
    let chars: Vec<char> = identifier.chars().collect();
    let mut words: Vec<String> = Vec::new();
    let mut inside = false;
    for (i, &c) in chars.iter().enumerate() {
        // Marks belong to their letter: Indic scripts and Arabic write vowels with them.
        if !c.is_alphanumeric() && !is_combining_mark(c) {
            inside = false;
            continue;
        }
        let hump = i > 0
            && c.is_uppercase()
            && (chars[i - 1].is_lowercase()
                || (chars[i - 1].is_uppercase() && chars.get(i + 1).is_some_and(|next| next.is_lowercase())));
        if !inside || hump {
            words.push(String::new());
            inside = true;
        }
        if let Some(word) = words.last_mut() {
            word.extend(c.to_lowercase());
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn call(tool: &str) -> ToolCall {
        ToolCall {
            tool: tool.into(),
            arguments: json!({}),
            ok: true,
            error: None,
            started_at_ms: None,
            read_only: None,
            sensitive: false,
            target: None,
        }
    }

    #[test]
    #[rustfmt::skip]
    fn spelling_and_prefixes_do_not_matter() {
        for name in [
            "launch_app", "launchApp", "LaunchApp", "LAUNCH-APP", "Launch App", "mobile_launch_app",
            "mcp__mobile-mcp__mobile_launch_app", "mobile-mcp_mobile_launch_app", "other:launch_app",
            "device.launch_app",
        ] {
            assert_eq!(kind(name), Kind::Launch, "{name}");
        }
        assert_eq!(kind("mobile"), Kind::Other);
        assert_eq!(kind(""), Kind::Other);
        assert_eq!(kind("::"), Kind::Other);
    }

    #[test]
    fn every_name_of_the_specification_is_known() {
        for name in ["tap", "swipe", "input_text", "launch_app"] {
            assert!(is_step(&call(name), &HashMap::new()), "{name}");
        }
        for name in ["describe_screen", "screenshot", "ui_tree"] {
            assert!(!is_step(&call(name), &HashMap::new()), "{name}");
        }
    }

    #[test]
    fn control_flow_of_a_recorder_is_not_a_step() {
        for name in [
            "control_runflow",
            "control_retry",
            "runFlow",
            "run_script",
            "evalScript",
        ] {
            assert_eq!(kind(name), Kind::Control, "{name}");
        }
        assert_eq!(kind("control"), Kind::Control);
        assert_eq!(kind("controller_tap"), Kind::Other);
    }

    #[test]
    fn the_order_of_decision_holds() {
        let none = HashMap::new();
        let overrides = HashMap::from([("screenshot".to_string(), true), ("tap".to_string(), false)]);

        let unknown = call("enable_night_light");
        assert!(is_step(&unknown, &none));
        assert!(!is_step(
            &ToolCall {
                read_only: Some(true),
                ..unknown.clone()
            },
            &none
        ));

        assert!(!is_step(
            &ToolCall {
                read_only: Some(true),
                ..call("tap")
            },
            &none
        ));
        assert!(!is_step(
            &ToolCall {
                read_only: Some(false),
                ..call("mobile_save_screenshot")
            },
            &none
        ));

        assert!(!is_step(
            &ToolCall {
                read_only: Some(false),
                ..call("tap")
            },
            &overrides
        ));
        assert!(is_step(
            &ToolCall {
                read_only: Some(true),
                ..call("screenshot")
            },
            &overrides
        ));
        assert!(
            is_step(&call("mobile_screenshot"), &overrides),
            "an override compares like any name"
        );

        assert!(!is_step(
            &ToolCall {
                ok: false,
                ..call("screenshot")
            },
            &overrides
        ));
        assert!(!is_step(
            &ToolCall {
                error: Some("blocked".into()),
                ..call("tap")
            },
            &none
        ));
        assert!(is_step(
            &ToolCall {
                error: Some(" ".into()),
                ..call("tap")
            },
            &none
        ));
    }

    #[test]
    fn an_exact_override_wins_over_one_that_compares_equal() {
        let overrides = HashMap::from([("Tap".to_string(), false), ("tap".to_string(), true)]);
        assert!(is_step(&call("tap"), &overrides));
        assert!(!is_step(&call("Tap"), &overrides));
        assert!(!is_step(&call("TAP"), &overrides), "the first in the alphabet");
    }

    #[test]
    fn positions_are_told_from_content() {
        let position = |kind, pointer: &str, value: JsonValue| role(kind, pointer, &value) == Role::Position;
        for (pointer, value) in [
            ("/x", json!(540)),
            ("/start_x", json!(12.5)),
            ("/element/0", json!(500)),
            ("/coordinate2/1", json!(7)),
            ("/index", json!("18")),
            ("/point", json!("500,743")),
            ("/bounds", json!("[0,0][1080,200]")),
            ("/duration_ms", json!(300)),
            ("/point", json!("50%, -3%")),
        ] {
            assert!(position(Kind::Tap, pointer, value), "{pointer}");
        }
        for (pointer, value) in [
            ("/text", json!("42")),
            ("/element", json!("OK")),
            ("/start", json!("2025-10-28")),
            ("/end", json!("07:30")),
            ("/index", json!("")),
            ("", json!("7")),
            ("", json!(7)),
        ] {
            assert!(!position(Kind::Tap, pointer, value), "{pointer}");
        }
    }

    #[test]
    fn a_tool_that_is_no_gesture_means_its_durations() {
        assert_eq!(role(Kind::Other, "/duration", &json!(600)), Role::Content);
        assert_eq!(role(Kind::Other, "/x", &json!(600)), Role::Position);
        assert_eq!(role(Kind::Swipe, "/duration", &json!(600)), Role::Position);
    }

    #[test]
    fn identifiers_are_split_into_words() {
        for (identifier, words) in [
            ("etPassword", &["et", "password"][..]),
            ("com.app:id/pin_entry", &["com", "app", "id", "pin", "entry"]),
            ("OTPField", &["otp", "field"]),
            ("spinner", &["spinner"]),
            ("TYPE", &["type"]),
            ("", &[]),
        ] {
            assert_eq!(identifier_words(identifier), words, "{identifier}");
        }
    }
}
