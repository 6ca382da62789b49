//! Which stored skill a flow belongs to, with the evidence. Pure.

use std::collections::HashMap;

use crate::JsonValue;
use crate::skill::Skill;

/// One lineage as the matcher sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Its newest version.
    pub newest: Skill,
    /// Goals of its executions with the values they used: the first and the newest, at most `MAX_GOALS`.
    pub goals: Vec<PastGoal>,
}

/// The goal of one earlier execution.
#[derive(Debug, Clone, PartialEq)]
pub struct PastGoal {
    /// The goal, secrets masked.
    pub goal: String,
    /// Values by parameter name, for the parameters known when it was learned.
    pub values: HashMap<String, JsonValue>,
}

/// Most goals of one lineage that are compared.
pub const MAX_GOALS: usize = 8;

/// What candidates are looked up by. Every part is an indexed look-up.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lookup {
    /// The skill the task was run from, when the host said so.
    pub skill_id: Option<String>,
    /// Keys under which a lineage of the same kind would stand.
    pub goal_families: Vec<String>,
    /// The app, when the task named one.
    pub app: Option<String>,
    /// The tool names of the steps.
    pub skeleton: Vec<String>,
    /// The words of the goal, folded.
    pub terms: Vec<String>,
}
