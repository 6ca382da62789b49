//! From a flow and the skill it belongs to, if any, to what is to be stored. Pure.

use std::collections::HashMap;

use serde_json::Value;
use similar::{Algorithm, DiffTag};

use crate::flow::Flow;
use crate::names;
use crate::outcome::{ChangeKind, Decision, StepChange};
use crate::skill::Skill;
use crate::template::{Template, Tolerance};

/// What is to be stored.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// What was decided.
    pub decision: Decision,
    /// The template of the new or updated version.
    pub template: Template,
    /// The execution's values, by parameter name.
    pub values: HashMap<String, Value>,
    /// What the steps do; for a new version only.
    pub description: String,
}

/// What a matched skill brings along.
#[derive(Debug, Clone, PartialEq)]
pub struct Matched<'a> {
    /// The newest version of the skill.
    pub newest: &'a Skill,
    /// An older version with exactly the flow's skeleton, when the newest has another.
    pub older: Option<&'a Skill>,
    /// Goals of the executions so far.
    pub goals: Vec<&'a str>,
}

/// Decides what a flow adds to the skill it belongs to, or that it is a new one.
pub fn decide(flow: &Flow, matched: Option<Matched<'_>>, tolerance: Tolerance) -> Plan {
    let description = names::description(flow);
    let Some(matched) = matched else {
        let template = Template::first(&flow.steps);
        return Plan {
            decision: Decision::Created,
            template,
            values: HashMap::new(),
            description,
        };
    };
    let newest = matched.newest.template();
    if newest.skeleton() == flow.skeleton() {
        let merged = newest.merge(&flow.steps, &matched.goals, &flow.goal, tolerance);
        let decision = if merged.template == newest {
            Decision::Unchanged
        } else {
            Decision::ParametersUpdated {
                added: merged.added,
                changed: merged.changed,
            }
        };
        return Plan {
            decision,
            template: merged.template,
            values: merged.values,
            description,
        };
    }
    let changes = changes(&newest.skeleton(), &flow.skeleton());
    let decision = Decision::VersionAdded {
        parent_id: matched.newest.skill_id.clone(),
        changes,
    };
    match matched.older {
        // What an older version of the same steps knew about their values is still true.
        Some(older) => {
            let merged = older
                .template()
                .merge(&flow.steps, &matched.goals, &flow.goal, tolerance);
            Plan {
                decision,
                template: merged.template,
                values: merged.values,
                description,
            }
        }
        None => {
            let template = Template::first(&flow.steps);
            Plan {
                decision,
                template,
                values: HashMap::new(),
                description,
            }
        }
    }
}

/// How a sequence of tool names came from another: what was inserted, deleted, moved.
///
/// What a diff (Myers) finds in both stays; of the rest, a step of the same tool on both sides has moved.
pub fn changes(old: &[String], new: &[String]) -> Vec<StepChange> {
    let (mut deleted, mut inserted) = (Vec::new(), Vec::new());
    for op in similar::capture_diff_slices(Algorithm::Myers, old, new) {
        if op.tag() != DiffTag::Equal {
            deleted.extend(op.old_range());
            inserted.extend(op.new_range());
        }
    }
    let index = |i: usize| u32::try_from(i).ok();
    let mut changes: Vec<StepChange> = Vec::new();
    for to in inserted {
        let from = deleted
            .iter()
            .position(|from| old[*from] == new[to])
            .map(|at| deleted.remove(at));
        let kind = if from.is_some() {
            ChangeKind::Moved
        } else {
            ChangeKind::Inserted
        };
        changes.push(StepChange {
            kind,
            tool: new[to].clone(),
            from: from.and_then(index),
            to: index(to),
        });
    }
    changes.extend(deleted.into_iter().map(|from| StepChange {
        kind: ChangeKind::Deleted,
        tool: old[from].clone(),
        from: index(from),
        to: None,
    }));
    changes
}
