//! Recording tasks while they run.
//!
//! The process that records a task has it in memory as it is, and in the store with its secrets hidden. Learning from
//! either gives the same skill; only where a secret was typed first and given away later does it take the former.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::retrieval::lock;
use super::{SkillLibrary, learning};
use crate::error::{Result, SkillError};
use crate::flow::without_secrets;
use crate::outcome::{Outcome, SkipReason};
use crate::store;
use crate::timeline::{Status, Timeline, ToolCall};

/// A task that is being recorded.
pub(super) struct Task {
    /// As it is.
    timeline: Timeline,
    /// As it is stored.
    hidden: Timeline,
}

pub(super) fn begin(library: &SkillLibrary, task: Timeline) -> Result<()> {
    if !library.config.authoring_enabled {
        return Ok(());
    }
    let timeline = Timeline {
        status: Status::Running,
        ..task
    };
    timeline.check()?;
    let task = Task {
        hidden: without_secrets(&timeline),
        timeline,
    };
    let mut tasks = lock(&library.recordings);
    library.store.write(|tx| {
        if store::recorded_calls(tx, &task.timeline.task_id)?.is_some() {
            return refuse("a task of this id is being recorded: finish or discard it first");
        }
        store::insert_recording(tx, &task.hidden)
    })?;
    tasks.insert(task.timeline.task_id.clone(), task);
    Ok(())
}

pub(super) fn record(library: &SkillLibrary, task_id: &str, call: ToolCall) -> Result<()> {
    if !library.config.authoring_enabled {
        return Ok(());
    }
    let mut tasks = lock(&library.recordings);
    loop {
        let task = known(library, &mut tasks, task_id)?;
        task.timeline.calls.push(call.clone());
        let stored = task.timeline.check().and_then(|()| store_changes(library, task));
        match stored {
            Ok(true) => return Ok(()),
            // Somebody else was faster: their calls come first.
            Ok(false) => {}
            Err(error) => {
                task.timeline.calls.pop();
                return Err(error);
            }
        }
    }
}

pub(super) fn finish(library: &SkillLibrary, task_id: &str, status: Status) -> Result<Outcome> {
    if !library.config.authoring_enabled {
        return Ok(learning::skipped(task_id, SkipReason::Disabled));
    }
    let mut timeline = known(library, &mut lock(&library.recordings), task_id)?
        .timeline
        .clone();
    timeline.status = status;
    let outcome = learning::learn(library, &timeline)?;
    discard(library, task_id)?;
    Ok(outcome)
}

pub(super) fn discard(library: &SkillLibrary, task_id: &str) -> Result<bool> {
    lock(&library.recordings).remove(task_id);
    // Asked first, since a write would create the file.
    if library
        .read(|conn| store::recorded_calls(conn, task_id))?
        .is_none()
    {
        return Ok(false);
    }
    library
        .store
        .write_deletion(|tx| store::remove_recording(tx, task_id))
}

/// The task with this id: one of this process, or one that it goes on with since another has recorded it too.
fn known<'t>(
    library: &SkillLibrary,
    tasks: &'t mut HashMap<String, Task>,
    task_id: &str,
) -> Result<&'t mut Task> {
    let stored = library.read(|conn| store::recorded_calls(conn, task_id))?;
    let current = |task: &Task| stored == Some(task.hidden.calls.len());
    match tasks.entry(task_id.to_owned()) {
        Entry::Occupied(task) if current(task.get()) => Ok(task.into_mut()),
        entry => match library.read(|conn| store::recording(conn, task_id))? {
            Some(hidden) => Ok(entry
                .insert_entry(Task {
                    timeline: hidden.clone(),
                    hidden,
                })
                .into_mut()),
            None => {
                // It ended elsewhere; nothing of it stays here.
                if let Entry::Occupied(ended) = entry {
                    ended.remove();
                }
                unknown()
            }
        },
    }
}

/// Stores what is new. A secret may be found to stand in earlier calls or in the goal: those change too. False, and
/// nothing is stored, when the store has other calls than this process knows.
fn store_changes(library: &SkillLibrary, task: &mut Task) -> Result<bool> {
    let hidden = without_secrets(&task.timeline);
    let known = task.hidden.calls.len();
    let goal_changes = hidden.goal != task.hidden.goal;
    let changed = |position: usize| task.hidden.calls.get(position) != Some(&hidden.calls[position]);
    let change = |tx: &store::Transaction<'_>| {
        match store::recorded_calls(tx, &hidden.task_id)? {
            None => return unknown(),
            Some(stored) if stored != known => return Ok(false),
            Some(_) => {}
        }
        for position in (0..hidden.calls.len()).filter(|&position| changed(position)) {
            store::put_recorded_call(tx, &hidden.task_id, position, &hidden.calls[position])?;
        }
        if goal_changes {
            store::update_recording(tx, &hidden)?;
        }
        Ok(true)
    };
    let stored = if goal_changes || (0..known).any(changed) {
        library.store.write_deletion(change)?
    } else {
        library.store.write(change)?
    };
    if stored {
        task.hidden = hidden;
    }
    Ok(stored)
}

fn unknown<T>() -> Result<T> {
    refuse("no task of this id is being recorded: begin it first")
}

fn refuse<T>(reason: &str) -> Result<T> {
    Err(SkillError::InvalidArgument {
        argument: "task_id".to_owned(),
        reason: reason.to_owned(),
    })
}
