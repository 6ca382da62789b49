//! Skills, their lineages and the executions behind them.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension, Params, Row, Transaction};
use serde::{Serialize, de::DeserializeOwned};

use super::sql;
use crate::JsonValue;
use crate::error::{Result, SkillError};
use crate::matching::PastGoal;
use crate::skill::{Execution, Parameter, Skill, Step};

/// The version with this id, whichever it is.
pub fn skill(conn: &Connection, skill_id: &str) -> Result<Option<Skill>> {
    one(conn, sql::SKILL, [skill_id], skill_of)
}

/// The newest version of a lineage.
pub fn newest(conn: &Connection, lineage_id: &str) -> Result<Option<Skill>> {
    one(conn, sql::NEWEST, [lineage_id], skill_of)
}

/// The newest version of the skill with this name.
pub fn newest_by_name(conn: &Connection, name: &str) -> Result<Option<Skill>> {
    match text(conn, sql::LINEAGE_BY_NAME, [name])? {
        Some(lineage_id) => newest(conn, &lineage_id),
        None => Ok(None),
    }
}

/// The newest version of the skill of this goal family in this app. Without an app: of the family's lineage that
/// was learned into most recently, in whatever app.
pub fn newest_by_goal_family(conn: &Connection, family: &str, app: Option<&str>) -> Result<Option<Skill>> {
    let lineage_id = match app {
        Some(app) => text(conn, sql::LINEAGE_BY_KEY, [family, app])?,
        None => {
            let mut latest: Option<(i64, String)> = None;
            for lineage_id in lineages_of_family(conn, family, u32::MAX)? {
                let last: Option<i64> = conn
                    .prepare_cached(sql::LAST_EXECUTION_OF_LINEAGE)?
                    .query_row([&lineage_id], |row| row.get(0))?;
                latest = latest.max(Some((last.unwrap_or(0), lineage_id)));
            }
            latest.map(|(_, lineage_id)| lineage_id)
        }
    };
    lineage_id.map_or(Ok(None), |lineage_id| newest(conn, &lineage_id))
}

/// All versions of a lineage, ascending.
pub fn history(conn: &Connection, lineage_id: &str) -> Result<Vec<Skill>> {
    all(conn, sql::HISTORY, [lineage_id], skill_of)
}

/// The newest versions by name, the ones after the name `after`, at most `limit`.
pub fn list(conn: &Connection, after: Option<&str>, limit: u32) -> Result<Vec<Skill>> {
    all(conn, sql::LIST, (after.unwrap_or(""), limit), skill_of)
}

/// How many skills are stored, each with however many versions.
pub fn count(conn: &Connection) -> Result<u64> {
    number(conn, sql::COUNT, [])
}

/// Whether a skill has this name.
pub fn name_taken(conn: &Connection, name: &str) -> Result<bool> {
    Ok(text(conn, sql::LINEAGE_BY_NAME, [name])?.is_some())
}

/// The newest version of a lineage that has exactly these tools in this order.
pub fn version_with_skeleton(
    conn: &Connection,
    lineage_id: &str,
    skeleton: &[String],
) -> Result<Option<Skill>> {
    one(conn, sql::WITH_SKELETON, (lineage_id, json(&skeleton)?), skill_of)
}

/// What was learned from a task, if it was.
pub fn find_execution(conn: &Connection, task_id: &str) -> Result<Option<Execution>> {
    one(conn, sql::EXECUTION, [task_id], execution_of)
}

/// The executions that were learned into a version, oldest first.
pub fn executions(conn: &Connection, skill_id: &str) -> Result<Vec<Execution>> {
    all(conn, sql::EXECUTIONS, [skill_id], execution_of)
}

/// Stores a version with its template. Version 1 opens its lineage, under the skill's name, goal family and app;
/// a later version belongs to one, from which it takes name, goal family and app. Where the lineage has no app yet
/// and the skill has one, that becomes the lineage's (unless another lineage has this goal family in this app).
///
/// The version's embedding is pending from then on.
pub fn insert_skill(tx: &Transaction<'_>, skill: &Skill) -> Result<()> {
    if skill.version == 1 {
        let lineage = (&skill.lineage_id, &skill.name, &skill.goal_family, &skill.app);
        tx.prepare_cached(sql::INSERT_LINEAGE)?.execute(lineage)?;
    } else if let Some(app) = &skill.app {
        bind_lineage_app(tx, &skill.lineage_id, app)?;
    }
    let skeleton: Vec<&str> = skill.steps.iter().map(|step| step.tool.as_str()).collect();
    tx.prepare_cached(sql::INSERT_SKILL)?.execute((
        &skill.skill_id,
        &skill.lineage_id,
        skill.version,
        &skill.parent_id,
        &skill.description,
        &skill.goal,
        json(&skeleton)?,
        &skill.source,
        &skill.subscription,
        skill.created_at_ms,
    ))?;
    tx.prepare_cached(sql::INSERT_TEMPLATE)?.execute((
        &skill.skill_id,
        json(&skill.steps)?,
        json(&skill.parameters)?,
        json(&skill.secrets)?,
    ))?;
    Ok(())
}

/// Replaces what a version learned so far. Refused by the database once a later version exists, and where the
/// tools of the steps are not the version's skeleton.
pub fn update_template(
    tx: &Transaction<'_>,
    skill_id: &str,
    steps: &[Step],
    parameters: &[Parameter],
    secrets: &[String],
) -> Result<()> {
    let template = (skill_id, json(&steps)?, json(&parameters)?, json(&secrets)?);
    match tx.prepare_cached(sql::UPDATE_TEMPLATE)?.execute(template)? {
        0 => Err(SkillError::UnknownSkill {
            skill: skill_id.to_owned(),
        }),
        _ => Ok(()),
    }
}

/// Gives a lineage that has no app this one, and its newest version too; earlier versions stay as they are.
/// False, and nothing changes, where it has an app already, or where another lineage has its goal family in this app.
pub fn bind_app(tx: &Transaction<'_>, lineage_id: &str, app: &str) -> Result<bool> {
    let bound = bind_lineage_app(tx, lineage_id, app)?;
    if bound {
        tx.prepare_cached(sql::BIND_NEWEST_APP)?
            .execute([lineage_id, app])?;
    }
    Ok(bound)
}

/// Deletes all that is known of a lineage. False when there is no such lineage.
pub fn forget(tx: &Transaction<'_>, lineage_id: &str) -> Result<bool> {
    Ok(tx.prepare_cached(sql::FORGET)?.execute([lineage_id])? == 1)
}

/// Stores the evidence of one execution. A task id is taken once.
pub fn insert_execution(tx: &Transaction<'_>, execution: &Execution) -> Result<()> {
    tx.prepare_cached(sql::INSERT_EXECUTION)?.execute((
        &execution.task_id,
        &execution.skill_id,
        &execution.goal,
        &execution.app,
        json(&execution.decision)?,
        json(&execution.evidence)?,
        json(&execution.values)?,
        json(&execution.typed)?,
        execution.learned_at_ms,
    ))?;
    Ok(())
}

fn bind_lineage_app(tx: &Transaction<'_>, lineage_id: &str, app: &str) -> Result<bool> {
    Ok(tx
        .prepare_cached(sql::BIND_LINEAGE_APP)?
        .execute([lineage_id, app])?
        == 1)
}

/// The newest lineages of a goal family, in whatever app.
pub(super) fn lineages_of_family(conn: &Connection, family: &str, limit: u32) -> Result<Vec<String>> {
    texts(conn, sql::LINEAGES_BY_FAMILY, (family, limit))
}

/// The first row, if there is one.
pub(super) fn one<T>(
    conn: &Connection,
    sql: &str,
    params: impl Params,
    read: impl FnOnce(&Row<'_>) -> Result<T>,
) -> Result<Option<T>> {
    conn.prepare_cached(sql)?
        .query(params)?
        .next()?
        .map(read)
        .transpose()
}

/// Every row, in order.
pub(super) fn all<T>(
    conn: &Connection,
    sql: &str,
    params: impl Params,
    read: impl Fn(&Row<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    let mut statement = conn.prepare_cached(sql)?;
    let mut rows = statement.query(params)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(read(row)?);
    }
    Ok(found)
}

/// The first column of the first row.
pub(super) fn text(conn: &Connection, sql: &str, params: impl Params) -> Result<Option<String>> {
    Ok(conn
        .prepare_cached(sql)?
        .query_row(params, |row| row.get(0))
        .optional()?)
}

/// The first column of every row.
pub(super) fn texts(conn: &Connection, sql: &str, params: impl Params) -> Result<Vec<String>> {
    all(conn, sql, params, |row| Ok(row.get(0)?))
}

/// The count that a statement answers with.
pub(super) fn number(conn: &Connection, sql: &str, params: impl Params) -> Result<u64> {
    Ok(conn
        .prepare_cached(sql)?
        .query_row(params, |row| row.get::<_, i64>(0))?
        .unsigned_abs())
}

/// One past goal from its two columns.
pub(super) fn past_goal_of(row: &Row<'_>) -> Result<PastGoal> {
    Ok(PastGoal {
        goal: row.get(0)?,
        values: parsed::<HashMap<String, JsonValue>>(row, 1)?,
        typed: parsed::<Vec<String>>(row, 2)?,
    })
}

/// The JSON text of a column.
pub(super) fn json(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|_| SkillError::Storage {
        reason: "a value has no JSON form".to_owned(),
    })
}

fn skill_of(row: &Row<'_>) -> Result<Skill> {
    Ok(Skill {
        skill_id: row.get(0)?,
        lineage_id: row.get(1)?,
        name: row.get(2)?,
        version: row.get(3)?,
        parent_id: row.get(4)?,
        description: row.get(5)?,
        goal: row.get(6)?,
        goal_family: row.get(7)?,
        app: row.get(8)?,
        source: row.get(9)?,
        subscription: row.get(10)?,
        steps: parsed(row, 11)?,
        parameters: parsed(row, 12)?,
        secrets: parsed(row, 13)?,
        created_at_ms: row.get(14)?,
    })
}

fn execution_of(row: &Row<'_>) -> Result<Execution> {
    Ok(Execution {
        task_id: row.get(0)?,
        skill_id: row.get(1)?,
        goal: row.get(2)?,
        app: row.get(3)?,
        decision: parsed(row, 4)?,
        evidence: parsed(row, 5)?,
        values: parsed(row, 6)?,
        typed: parsed(row, 7)?,
        learned_at_ms: row.get(8)?,
    })
}

/// A JSON column. The parser's own message could repeat a value of the row, so it is left out.
pub(super) fn parsed<T: DeserializeOwned>(row: &Row<'_>, column: usize) -> Result<T> {
    let text = row.get_ref(column)?.as_str().map_err(rusqlite::Error::from);
    text.map_err(SkillError::from).and_then(|text| {
        serde_json::from_str(text).map_err(|_| SkillError::CorruptStore {
            reason: format!("column {column} of a row cannot be read"),
        })
    })
}
