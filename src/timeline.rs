//! A timeline: one task's recorded tool calls with its goal and final status.

mod check;
mod number;
mod read;
mod scan;
mod value;

use serde::{Deserialize, Serialize};

use crate::JsonValue;

pub use read::{TimelineReader, parse_timelines, read_timelines};
pub use value::parse_value;

/// Most bytes of one timeline's JSON, from its opening to its closing brace.
pub const MAX_TIMELINE_BYTES: usize = 8 * 1024 * 1024;
/// Most calls of one timeline.
pub const MAX_CALLS: usize = 10_000;
/// Deepest nesting of arrays and objects in one timeline; the timeline's own object is the first.
pub const MAX_DEPTH: usize = 64;

/// One task as it was recorded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, uniffi::Record)]
pub struct Timeline {
    /// The task's own id, unique per execution. Not blank, no NUL.
    pub task_id: String,
    /// What the user asked for, in any language. Not blank.
    pub goal: String,
    /// How the task ended. Only `succeeded` is learned from.
    pub status: Status,
    /// The app the task was about: a package name or a label.
    #[serde(default)]
    #[uniffi(default = None)]
    pub app: Option<String>,
    /// The host's own key for tasks of one kind. Overrides the key derived from the goal. Not blank, no NUL.
    #[serde(default)]
    #[uniffi(default = None)]
    pub goal_family: Option<String>,
    /// The skill this task was run from, if it was. No NUL.
    #[serde(default)]
    #[uniffi(default = None)]
    pub skill_id: Option<String>,
    /// Screen size of the recording.
    #[serde(default)]
    #[uniffi(default = None)]
    pub screen: Option<Screen>,
    /// The tool calls in the order they were made. At most `MAX_CALLS`.
    pub calls: Vec<ToolCall>,
}

/// How a task ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, uniffi::Enum)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The goal was reached.
    Succeeded,
    /// The goal was not reached.
    Failed,
    /// The user or the host stopped it.
    Cancelled,
    /// It is not over.
    Running,
}

/// Screen size in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, uniffi::Record)]
pub struct Screen {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
}

/// One recorded tool call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, uniffi::Record)]
pub struct ToolCall {
    /// The tool's name as the recorder wrote it, such as `tap` or `input_text`.
    pub tool: String,
    /// The arguments, usually an object; any JSON is kept as it is. Absent means null.
    #[serde(default, alias = "args")]
    pub arguments: JsonValue,
    /// Whether the call succeeded. Calls that failed are not steps.
    #[serde(default = "yes", deserialize_with = "null_is_yes")]
    #[uniffi(default = true)]
    pub ok: bool,
    /// What went wrong, when the recorder says. A call with an error is not a step.
    #[serde(default)]
    #[uniffi(default = None)]
    pub error: Option<String>,
    /// Start time in milliseconds since the Unix epoch.
    #[serde(default)]
    #[uniffi(default = None)]
    pub started_at_ms: Option<i64>,
    /// Whether the call only looks, as in MCP's `readOnlyHint`.
    #[serde(default)]
    #[uniffi(default = None)]
    pub read_only: Option<bool>,
    /// Whether the arguments hold a secret. Its value is never stored, logged or embedded.
    #[serde(default, deserialize_with = "null_is_no")]
    #[uniffi(default = false)]
    pub sensitive: bool,
    /// The element the call acted on, when the recorder knows it.
    #[serde(default)]
    #[uniffi(default = None)]
    pub target: Option<Target>,
}

/// The element of the screen that a call acted on.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, uniffi::Record)]
pub struct Target {
    /// Android resource id.
    #[serde(default)]
    #[uniffi(default = None)]
    pub resource_id: Option<String>,
    /// Visible text, label or hint.
    #[serde(default)]
    #[uniffi(default = None)]
    pub text: Option<String>,
    /// Content description.
    #[serde(default)]
    #[uniffi(default = None)]
    pub content_desc: Option<String>,
    /// Widget class.
    #[serde(default)]
    #[uniffi(default = None)]
    pub class: Option<String>,
    /// Bounds on the screen, in the recorder's own form.
    #[serde(default)]
    #[uniffi(default = None)]
    pub bounds: Option<JsonValue>,
}

fn yes() -> bool {
    true
}

fn null_is_yes<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or(true))
}

fn null_is_no<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or(false))
}
