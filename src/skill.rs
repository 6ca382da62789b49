//! A skill: one stored version of a flow, with its named parameters.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::JsonValue;
use crate::outcome::{Decision, Evidence};

/// The `source` of every skill this library learned.
pub const LOCAL_SOURCE: &str = "local-synthesis";

/// One version of a skill. Its id names this version, its lineage id all versions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, uniffi::Record)]
pub struct Skill {
    /// Id of this version.
    pub skill_id: String,
    /// Id shared by all versions.
    pub lineage_id: String,
    /// Readable snake_case name in the goal's own script, unique among lineages, the same in all versions.
    pub name: String,
    /// Version number, from 1.
    pub version: u32,
    /// The version this one diverged from; none for version 1.
    pub parent_id: Option<String>,
    /// What the steps do, in one sentence.
    pub description: String,
    /// The goal of the execution this version was first learned from.
    pub goal: String,
    /// Key of the lineage: the goal folded, its values masked, or the host's own key.
    pub goal_family: String,
    /// The app, when the executions named one.
    pub app: Option<String>,
    /// `local-synthesis` for every skill learned here.
    pub source: String,
    /// Subscription of a synced skill; none for every skill learned here.
    pub subscription: Option<String>,
    /// The steps in order.
    pub steps: Vec<Step>,
    /// The named values that differed between executions, in order of first use.
    pub parameters: Vec<Parameter>,
    /// Names of the secrets the steps refer to. Their values are never stored.
    pub secrets: Vec<String>,
    /// When this version was stored, in milliseconds since the Unix epoch.
    pub created_at_ms: i64,
}

/// One mutating call of a skill.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, uniffi::Record)]
pub struct Step {
    /// The tool's name as recorded.
    pub tool: String,
    /// The arguments as recorded, where a string `{name}` stands for a parameter's value and
    /// `{secret:name}` for a secret. Braces that were typed are doubled.
    pub arguments: JsonValue,
}

/// A concrete call, ready to be executed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, uniffi::Record)]
pub struct Call {
    /// The tool's name.
    pub tool: String,
    /// The arguments with every placeholder filled.
    pub arguments: JsonValue,
}

/// A named value that differed between executions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, uniffi::Record)]
pub struct Parameter {
    /// `[a-z][a-z0-9_]*`, unique in the skill, never renamed within a version.
    pub name: String,
    /// JSON type of its values.
    #[serde(rename = "type")]
    pub value_type: ValueType,
    /// Whether it carries what the user asked for, or only where on the screen.
    pub role: Role,
    /// Whether a replay must give a value.
    pub required: bool,
    /// Value used when none is given: the last one seen. Positions have one, and content that changed between
    /// executions of one and the same goal, such as the address shown in a browser's bar.
    pub default: Option<JsonValue>,
    /// Distinct values seen, oldest first, at most `MAX_SEEN`.
    pub seen: Vec<JsonValue>,
    /// Whether every execution's value stood in its goal.
    pub in_goal: bool,
}

/// Most values a parameter remembers.
pub const MAX_SEEN: usize = 16;

/// JSON type of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, uniffi::Enum)]
#[serde(rename_all = "snake_case")]
pub enum ValueType {
    /// Text.
    String,
    /// A number.
    Number,
    /// True or false.
    Boolean,
    /// An array.
    Array,
    /// An object.
    Object,
    /// Values of several types were seen, or null: any JSON is taken.
    Any,
}

/// What a parameter is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, uniffi::Enum)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Typed text, a label, an app: what the user asked for.
    Content,
    /// Coordinates, an index, bounds, a duration, a recorder's remark: where and how. A replay may take the last one.
    Position,
}

/// Which version of which skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, uniffi::Record)]
pub struct SkillRef {
    /// Id of the version.
    pub skill_id: String,
    /// Id shared by all versions.
    pub lineage_id: String,
    /// Name of the skill.
    pub name: String,
    /// Version number, from 1.
    pub version: u32,
}

/// One execution behind a skill version: the evidence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, uniffi::Record)]
pub struct Execution {
    /// The task it came from.
    pub task_id: String,
    /// The version it was learned into.
    pub skill_id: String,
    /// The task's goal, secrets masked.
    pub goal: String,
    /// The app the task named.
    pub app: Option<String>,
    /// What was decided when it was learned.
    pub decision: Decision,
    /// What it was matched by.
    pub evidence: Evidence,
    /// Values by parameter name, for the parameters known when it was learned.
    pub values: HashMap<String, JsonValue>,
    /// The texts it typed, in order; never a secret.
    pub typed: Vec<String>,
    /// When it was learned, in milliseconds since the Unix epoch.
    pub learned_at_ms: i64,
}
