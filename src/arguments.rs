//! What the arguments of tool calls are for, by their keys. Pure.

use serde_json::Value;

use crate::skill::Role;
use crate::tools::{self, Kind, fold_key};

/// Whether an argument is what a call types.
pub fn is_typed(tool: &str, key: &str) -> bool {
    const TYPED: [&str; 11] = [
        "text",
        "value",
        "input",
        "content",
        "keys",
        "string",
        "message",
        "query",
        "inputtext",
        "typecontent",
        "",
    ];
    tools::kind(tool) == Kind::Input && TYPED.contains(&fold_key(key).as_str())
}

/// Whether an argument is the visible label of an element.
pub fn is_label(key: &str) -> bool {
    const LABELS: [&str; 12] = [
        "text",
        "label",
        "contentdesc",
        "contentdescription",
        "description",
        "desc",
        "name",
        "title",
        "element",
        "textregex",
        "contentdescriptionregex",
        "elementtext",
    ];
    LABELS.contains(&fold_key(key).as_str())
}

/// Whether an argument names an app.
pub fn is_app(key: &str) -> bool {
    matches!(
        fold_key(key).as_str(),
        "app" | "appname" | "package" | "packagename" | "bundleid" | "application" | "appid"
    )
}

/// Whether an argument names a key or button of the device.
pub fn is_key(key: &str) -> bool {
    matches!(
        fold_key(key).as_str(),
        "key" | "button" | "keycode" | "code" | "keyname"
    )
}

/// What a position is for. A recorder's own remarks (why a call was made) and the text that stood in a field before
/// are no content: a replay takes the last ones.
pub fn role(tool: &str, pointer: &str, value: &Value) -> Role {
    const REMARKS: [&str; 9] = [
        "reason",
        "reasoning",
        "thought",
        "thoughts",
        "rationale",
        "explanation",
        "explain",
        "comment",
        "fieldtext",
    ];
    if REMARKS.contains(&fold_key(key(pointer)).as_str()) {
        Role::Position
    } else {
        tools::role(tools::kind(tool), pointer, value)
    }
}

/// The key that a JSON pointer leads to: its last part that is not an array index.
pub fn key(pointer: &str) -> &str {
    pointer
        .rsplit('/')
        .find(|part| part.parse::<usize>().is_err())
        .unwrap_or_default()
}

/// Whether a position is measured in the unit of the screen, so that it drifts by a few pixels between runs.
pub fn is_coordinate(tool: &str, pointer: &str, value: &Value) -> bool {
    let key = fold_key(key(pointer));
    value.is_number()
        && !key.contains("index")
        && !key.contains("duration")
        && !matches!(
            key.as_str(),
            "idx" | "ms" | "seconds" | "delay" | "timeout" | "timeoutms" | "percent" | "elementid"
        )
        && role(tool, pointer, value) == Role::Position
}
