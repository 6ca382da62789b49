//! Tasks that are being recorded. What comes here has its secrets hidden.

use rusqlite::{Connection, Transaction};

use super::skills::{all, json, one, parsed, texts};
use super::sql;
use crate::error::Result;
use crate::timeline::{Timeline, ToolCall};

/// Stores a task that begins, with the calls it has so far. Its id must be free.
pub fn insert_recording(tx: &Transaction<'_>, task: &Timeline) -> Result<()> {
    tx.prepare_cached(sql::INSERT_RECORDING)?
        .execute((&task.task_id, json(&head(task))?))?;
    for (position, call) in task.calls.iter().enumerate() {
        put_recorded_call(tx, &task.task_id, position, call)?;
    }
    Ok(())
}

/// Replaces what is stored of a task besides its calls.
pub fn update_recording(tx: &Transaction<'_>, task: &Timeline) -> Result<()> {
    tx.prepare_cached(sql::UPDATE_RECORDING)?
        .execute((&task.task_id, json(&head(task))?))?;
    Ok(())
}

/// Stores the call at a position, from 0, in place of what was there.
pub fn put_recorded_call(
    tx: &Transaction<'_>,
    task_id: &str,
    position: usize,
    call: &ToolCall,
) -> Result<()> {
    tx.prepare_cached(sql::PUT_RECORDED_CALL)?
        .execute((task_id, position as i64, json(call)?))?;
    Ok(())
}

/// The task with this id, as far as it was recorded.
pub fn recording(conn: &Connection, task_id: &str) -> Result<Option<Timeline>> {
    let Some(mut task) = one(conn, sql::RECORDING, [task_id], |row| parsed::<Timeline>(row, 0))? else {
        return Ok(None);
    };
    task.calls = all(conn, sql::RECORDED_CALLS, [task_id], |row| parsed(row, 0))?;
    Ok(Some(task))
}

/// How many calls of a task are stored; none when it is not being recorded.
pub fn recorded_calls(conn: &Connection, task_id: &str) -> Result<Option<usize>> {
    one(conn, sql::RECORDED_CALLS_COUNT, [task_id], |row| {
        Ok(row.get::<_, i64>(0)?.unsigned_abs() as usize)
    })
}

/// Every task that is being recorded, oldest first.
pub fn recordings(conn: &Connection) -> Result<Vec<Timeline>> {
    let ids = texts(conn, sql::RECORDINGS, [])?;
    ids.iter()
        .filter_map(|task_id| recording(conn, task_id).transpose())
        .collect()
}

/// Deletes a recording. False when there is none with this id.
pub fn remove_recording(tx: &Transaction<'_>, task_id: &str) -> Result<bool> {
    Ok(tx.prepare_cached(sql::REMOVE_RECORDING)?.execute([task_id])? == 1)
}

/// The task without its calls, which have rows of their own.
fn head(task: &Timeline) -> Timeline {
    Timeline {
        calls: Vec::new(),
        task_id: task.task_id.clone(),
        goal: task.goal.clone(),
        app: task.app.clone(),
        goal_family: task.goal_family.clone(),
        skill_id: task.skill_id.clone(),
        ..*task
    }
}
