//! What `learn` decided, and why.

use serde::{Deserialize, Serialize};

use crate::skill::SkillRef;
use crate::timeline::Status;

/// The answer of `learn`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, uniffi::Record)]
pub struct Outcome {
    /// The task that was given.
    pub task_id: String,
    /// What was done with it.
    pub decision: Decision,
    /// The version it was learned into; none when it was skipped (but the first one when it was learned before).
    pub skill: Option<SkillRef>,
    /// Names of that version's parameters, in order of first use.
    pub parameters: Vec<String>,
    /// What matched, and why.
    pub evidence: Evidence,
    /// Whether that version can be found by similarity; none when it was skipped.
    pub embedding: Option<EmbeddingState>,
}

/// What was done with a task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, uniffi::Enum)]
#[serde(tag = "decision", rename_all = "snake_case")]
pub enum Decision {
    /// Nothing was stored.
    Skipped {
        /// Why.
        reason: SkipReason,
    },
    /// A new skill, version 1, without parameters.
    Created,
    /// The newest version already says all of it; only the execution was added to its evidence.
    Unchanged,
    /// The newest version's parameters took in new values.
    ParametersUpdated {
        /// Parameters that did not exist before.
        added: Vec<String>,
        /// Parameters that existed and saw a new value.
        changed: Vec<String>,
    },
    /// The steps differ: a new version was added.
    VersionAdded {
        /// Id of the version it diverged from.
        parent_id: String,
        /// How the steps differ from the parent's.
        changes: Vec<StepChange>,
    },
}

/// Why nothing was stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, uniffi::Enum)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum SkipReason {
    /// Authoring is off, which is the default.
    Disabled,
    /// The task did not succeed.
    NotSucceeded {
        /// How it ended.
        status: Status,
    },
    /// No call of the task changed anything.
    NoSteps,
    /// This task id was learned before; nothing changed.
    AlreadyLearned {
        /// What was decided the first time.
        first: Box<Decision>,
    },
}

/// One difference between a version's steps and its parent's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, uniffi::Record)]
pub struct StepChange {
    /// What happened to the step.
    pub kind: ChangeKind,
    /// The step's tool.
    pub tool: String,
    /// Index in the parent's steps, from 0; none for an inserted step.
    pub from: Option<u32>,
    /// Index in the new version's steps, from 0; none for a deleted step.
    pub to: Option<u32>,
}

/// What happened to a step between two versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, uniffi::Enum)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// The parent does not have it.
    Inserted,
    /// Only the parent has it.
    Deleted,
    /// Both have it, in another order.
    Moved,
}

/// Whether a version can be found by similarity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, uniffi::Enum)]
#[serde(rename_all = "snake_case")]
pub enum EmbeddingState {
    /// Its vector is stored.
    Stored,
    /// No vector yet: `embed_pending` tries again.
    Pending,
}

/// What a task was compared with, and what decided.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, uniffi::Record)]
pub struct Evidence {
    /// What decided.
    pub matched_by: MatchedBy,
    /// The version that matched or, when nothing did, the nearest one that was refused.
    pub compared_with: Option<String>,
    /// Why the nearest one was refused; none when one matched or there was none.
    pub refused: Option<Refusal>,
    /// How many stored skills were compared.
    pub candidates: u32,
    /// Whether the tool names were the same in the same order.
    pub same_skeleton: bool,
    /// Share of the goals' words that are common, values left out, 0 to 1.
    pub goal_similarity: f64,
    /// Share of the steps that are common in order, 0 to 1.
    pub step_similarity: f64,
    /// Argument positions of the steps that were compared.
    pub positions: u32,
    /// How many of them differ.
    pub differing: u32,
}

/// What made a task belong to a stored skill.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, uniffi::Enum)]
#[serde(rename_all = "snake_case")]
pub enum MatchedBy {
    /// Nothing stored belongs to it.
    #[default]
    Nothing,
    /// The host said which skill the task was run from.
    SkillHint,
    /// The host gave the same goal family.
    GoalFamilyHint,
    /// The goals are the same, or differ only in values.
    GoalFamily,
    /// Every argument that differs stands in its own goal.
    ArgumentsInGoal,
    /// The goals are similar and so are the steps.
    SimilarGoal,
}

/// Why the nearest stored skill was not the one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, uniffi::Enum)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// Both name their app, and the apps differ.
    OtherApp,
    /// The goals ask for different actions, such as on and off.
    OtherAction,
    /// The goals differ in words that no argument carries.
    OtherGoal,
    /// The steps have too little in common.
    OtherSteps,
}
