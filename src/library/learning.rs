//! One `learn`: guard, one transaction that finds, decides and writes, then the embedding with nothing locked.

use uuid::Uuid;

use super::{SkillLibrary, now_ms, retrieval};
use crate::error::Result;
use crate::flow::Flow;
use crate::matching::{self, Candidate, Lookup};
use crate::names;
use crate::outcome::{Decision, Evidence, Outcome, SkipReason};
use crate::skill::{Execution, LOCAL_SOURCE, Skill, SkillRef};
use crate::store::{self, Transaction};
use crate::synthesis::{self, Matched, Plan};
use crate::template::Tolerance;
use crate::timeline::{Status, Timeline};

pub(super) fn learn(library: &SkillLibrary, timeline: &Timeline) -> Result<Outcome> {
    if !library.config.authoring_enabled {
        return Ok(skipped(&timeline.task_id, SkipReason::Disabled));
    }
    timeline.check()?;
    if timeline.status != Status::Succeeded {
        return Ok(skipped(
            &timeline.task_id,
            SkipReason::NotSucceeded {
                status: timeline.status,
            },
        ));
    }
    let flow = Flow::of(timeline, &library.config.tool_overrides);
    if flow.steps.is_empty() {
        return Ok(skipped(&timeline.task_id, SkipReason::NoSteps));
    }
    let tolerance = Tolerance {
        coordinates: library.config.coordinate_tolerance,
    };
    let (skill, mut outcome) = library
        .store
        .write(|tx| match store::find_execution(tx, &flow.task_id)? {
            Some(execution) => again(tx, execution),
            None => store_flow(tx, &flow, tolerance),
        })?;
    if !matches!(outcome.decision, Decision::Skipped { .. }) {
        outcome.embedding = Some(retrieval::embed_skill(library, &skill));
        log::info!(
            "learned a task of {} steps, compared with {} skills",
            flow.steps.len(),
            outcome.evidence.candidates
        );
    }
    Ok(outcome)
}

pub(super) fn skipped(task_id: &str, reason: SkipReason) -> Outcome {
    Outcome {
        task_id: task_id.to_owned(),
        decision: Decision::Skipped { reason },
        skill: None,
        parameters: Vec::new(),
        evidence: Evidence::default(),
        embedding: None,
    }
}

/// The first outcome of a task that was learned before.
fn again(tx: &Transaction<'_>, execution: Execution) -> Result<(Skill, Outcome)> {
    let skill = store::skill(tx, &execution.skill_id)?.ok_or(crate::error::SkillError::UnknownSkill {
        skill: execution.skill_id,
    })?;
    let reason = SkipReason::AlreadyLearned {
        first: Box::new(execution.decision),
    };
    let mut outcome = outcome(execution.task_id, Decision::Skipped { reason }, &skill);
    outcome.evidence = execution.evidence;
    Ok((skill, outcome))
}

fn store_flow(tx: &Transaction<'_>, flow: &Flow, tolerance: Tolerance) -> Result<(Skill, Outcome)> {
    let hinted = match &flow.skill_id {
        Some(skill_id) => store::skill(tx, skill_id)?.map(|skill| skill.lineage_id),
        None => None,
    };
    let terms = flow.read_goal().terms();
    let candidates = store::candidates(
        tx,
        &Lookup {
            skill_id: flow.skill_id.clone(),
            goal_families: vec![flow.family()],
            app: flow.app.clone(),
            skeleton: flow.skeleton(),
            terms: terms.clone(),
        },
    )?;
    let (found, evidence) = matching::find(flow, &candidates, hinted.as_deref(), tolerance);
    let older = match found {
        Some(found) => store::version_with_skeleton(tx, &found.newest.lineage_id, &flow.skeleton())?,
        None => None,
    };
    let matched = found.map(|found| Matched {
        newest: &found.newest,
        older: older.as_ref(),
        goals: found.goals.iter().map(|past| past.goal.as_str()).collect(),
    });
    let plan = synthesis::decide(flow, matched, tolerance);
    let skill = write(tx, flow, found, &plan)?;
    store::add_goal_terms(tx, &skill.lineage_id, &terms)?;
    store::insert_execution(
        tx,
        &Execution {
            task_id: flow.task_id.clone(),
            skill_id: skill.skill_id.clone(),
            goal: flow.goal.clone(),
            app: flow.app.clone(),
            decision: plan.decision.clone(),
            evidence: evidence.clone(),
            values: plan.values,
            typed: flow.typed(),
            learned_at_ms: now_ms(),
        },
    )?;
    let mut outcome = outcome(flow.task_id.clone(), plan.decision, &skill);
    outcome.evidence = evidence;
    Ok((skill, outcome))
}

/// Writes what was decided; the version it was learned into comes back.
fn write(tx: &Transaction<'_>, flow: &Flow, found: Option<&Candidate>, plan: &Plan) -> Result<Skill> {
    let version = |lineage_id: String, name: String, family: String, parent: Option<&Skill>| Skill {
        skill_id: Uuid::now_v7().to_string(),
        lineage_id,
        name,
        version: parent.map_or(1, |parent| parent.version + 1),
        parent_id: parent.map(|parent| parent.skill_id.clone()),
        description: plan.description.clone(),
        goal: flow.goal.clone(),
        goal_family: family,
        app: parent
            .and_then(|parent| parent.app.clone())
            .or_else(|| flow.app.clone()),
        source: LOCAL_SOURCE.into(),
        subscription: None,
        steps: plan.template.steps.clone(),
        parameters: plan.template.parameters.clone(),
        secrets: plan.template.secrets(),
        created_at_ms: now_ms(),
    };
    let Some(found) = found else {
        let name = free_name(tx, flow)?;
        let family = free_family(tx, flow)?;
        let skill = version(Uuid::now_v7().to_string(), name, family, None);
        store::insert_skill(tx, &skill)?;
        return Ok(skill);
    };
    let newest = &found.newest;
    if newest.app.is_none()
        && let Some(app) = &flow.app
    {
        store::bind_app(tx, &newest.lineage_id, app)?;
    }
    match &plan.decision {
        Decision::VersionAdded { .. } => {
            let skill = version(
                newest.lineage_id.clone(),
                newest.name.clone(),
                newest.goal_family.clone(),
                Some(newest),
            );
            store::insert_skill(tx, &skill)?;
            Ok(skill)
        }
        Decision::Unchanged => Ok(newest.clone()),
        _ => {
            let skill = Skill {
                steps: plan.template.steps.clone(),
                parameters: plan.template.parameters.clone(),
                secrets: plan.template.secrets(),
                ..newest.clone()
            };
            store::update_template(
                tx,
                &skill.skill_id,
                &skill.steps,
                &skill.parameters,
                &skill.secrets,
            )?;
            Ok(skill)
        }
    }
}

/// The name itself, with the app behind it where it is taken, with a number where that is taken too.
fn free_name(tx: &Transaction<'_>, flow: &Flow) -> Result<String> {
    let name = names::skill(flow);
    if !store::name_taken(tx, &name)? {
        return Ok(name);
    }
    let app = flow
        .app
        .as_deref()
        .map(names::app)
        .filter(|app| !app.is_empty() && !name.ends_with(app.as_str()));
    let name = app.map_or(name.clone(), |app| format!("{name}_in_{app}"));
    let mut free = name.clone();
    let mut number = 2;
    while store::name_taken(tx, &free)? {
        free = format!("{name}_{number}");
        number += 1;
    }
    Ok(free)
}

/// The key of a new lineage. Where a skill of the same key was refused, a number tells them apart.
fn free_family(tx: &Transaction<'_>, flow: &Flow) -> Result<String> {
    let family = flow.family();
    let mut free = family.clone();
    let mut number = 2;
    while let Some(skill) = store::newest_by_goal_family(tx, &free, flow.app.as_deref())?
        && skill.app == flow.app
    {
        free = format!("{family} ({number})");
        number += 1;
    }
    Ok(free)
}

fn outcome(task_id: String, decision: Decision, skill: &Skill) -> Outcome {
    Outcome {
        task_id,
        decision,
        skill: Some(SkillRef {
            skill_id: skill.skill_id.clone(),
            lineage_id: skill.lineage_id.clone(),
            name: skill.name.clone(),
            version: skill.version,
        }),
        parameters: skill
            .parameters
            .iter()
            .map(|parameter| parameter.name.clone())
            .collect(),
        evidence: Evidence::default(),
        embedding: None,
    }
}
