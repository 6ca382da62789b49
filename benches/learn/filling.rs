//! Fills a store with what learning many tasks leaves behind, without the comparing, in one transaction.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use adroit::error::Result;
use adroit::flow::Flow;
use adroit::names;
use adroit::outcome::{Decision, Evidence};
use adroit::skill::{Execution, LOCAL_SOURCE, Skill};
use adroit::store::{self, Store, Transaction};
use adroit::template::{Template, Tolerance};
use uuid::Uuid;

use crate::tasks;

/// Every fourth kind was executed twice, the others once.
pub const MOST_EXECUTIONS: u32 = 2;

/// A store in this file of the first `kinds` kinds of task, closed again.
pub fn fill(path: &Path, kinds: u32) {
    let store = Store::new(path);
    let filled = store.write(|tx| {
        let mut taken = Taken::default();
        (0..kinds).try_for_each(|kind| insert(tx, kind, &mut taken))
    });
    filled.unwrap();
    store.close();
}

/// What must be unique among lineages.
#[derive(Default)]
struct Taken {
    names: HashSet<String>,
    /// By app.
    families: HashMap<Option<String>, HashSet<String>>,
}

fn insert(tx: &Transaction<'_>, kind: u32, taken: &mut Taken) -> Result<()> {
    let executions = if kind.is_multiple_of(4) {
        MOST_EXECUTIONS
    } else {
        1
    };
    let flows: Vec<Flow> = (0..executions)
        .map(|execution| Flow::of(&tasks::timeline(kind, execution), &Default::default()))
        .collect();
    let first = &flows[0];
    let skill_id = Uuid::now_v7().to_string();
    let lineage_id = Uuid::now_v7().to_string();

    let mut template = Template::first(&first.steps);
    let mut evidence = vec![execution(first, &skill_id, Decision::Created)];
    for (at, flow) in flows.iter().enumerate().skip(1) {
        let goals: Vec<&str> = flows[..at].iter().map(|past| past.goal.as_str()).collect();
        let merged = template.merge(&flow.steps, &goals, &flow.goal, Tolerance::default());
        let (added, changed) = (merged.added, merged.changed);
        template = merged.template;
        evidence.push(Execution {
            values: merged.values,
            ..execution(flow, &skill_id, Decision::ParametersUpdated { added, changed })
        });
    }

    let families = taken.families.entry(first.app.clone()).or_default();
    let skill = Skill {
        skill_id,
        lineage_id,
        name: names::unique(&names::skill(first), &mut taken.names),
        version: 1,
        parent_id: None,
        description: names::description(first),
        goal: first.goal.clone(),
        goal_family: names::unique(&first.family(), families),
        app: first.app.clone(),
        source: LOCAL_SOURCE.to_owned(),
        subscription: None,
        secrets: template.secrets(),
        steps: template.steps,
        parameters: template.parameters,
        created_at_ms: i64::from(kind),
    };
    store::insert_skill(tx, &skill)?;
    for (flow, execution) in flows.iter().zip(&evidence) {
        store::add_goal_terms(tx, &skill.lineage_id, &flow.read_goal().terms())?;
        store::insert_execution(tx, execution)?;
    }
    Ok(())
}

fn execution(flow: &Flow, skill_id: &str, decision: Decision) -> Execution {
    Execution {
        task_id: flow.task_id.clone(),
        skill_id: skill_id.to_owned(),
        goal: flow.goal.clone(),
        app: flow.app.clone(),
        decision,
        evidence: Evidence::default(),
        values: Default::default(),
        typed: flow.typed(),
        learned_at_ms: 0,
    }
}
