//! The lineages a flow may belong to. Each road is an index look-up with a limit, so that learning costs the same
//! with ten skills and with a hundred thousand.

use std::collections::{HashMap, HashSet};

use rusqlite::{Connection, Transaction};

use super::skills::{all, json, lineages_of_family, newest, one, past_goal_of, text, texts};
use super::sql;
use crate::error::Result;
use crate::matching::{Candidate, Lookup, MAX_GOALS, PastGoal};

/// Most lineages taken by one goal family.
const MAX_BY_FAMILY: u32 = 64;
/// Most lineages taken by the skeleton.
const MAX_BY_SKELETON: usize = 128;
/// Most lineages taken by the goal's words.
const MAX_BY_TERMS: usize = 64;
/// A word that this many lineages hold tells none of them apart: it is passed over.
const COMMON_TERM: usize = 1_000;
/// Most words of one goal that are stored or looked up.
const MAX_TERMS: usize = 64;
/// Longest word that is stored or looked up, in bytes: beyond it stand texts without spaces, not words.
const MAX_TERM_BYTES: usize = 128;
/// How many of a lineage's newest executions are read for goals that differ.
const RECENT_EXECUTIONS: usize = 4 * MAX_GOALS;

/// The lineages worth comparing with a flow: the one of the hint, those of the goal families, those whose newest
/// version has the same tools in the same order (same app first, then without an app, then any), and those that
/// share the most of the goal's words. No lineage comes twice.
pub fn candidates(conn: &Connection, lookup: &Lookup) -> Result<Vec<Candidate>> {
    let mut lineages = Vec::new();
    if let Some(skill_id) = &lookup.skill_id {
        lineages.extend(text(conn, sql::LINEAGE_OF_SKILL, [skill_id])?);
    }
    for family in &lookup.goal_families {
        lineages.extend(lineages_of_family(conn, family, MAX_BY_FAMILY)?);
    }
    lineages.extend(by_skeleton(conn, &lookup.skeleton, lookup.app.as_deref())?);
    lineages.extend(by_terms(conn, &lookup.terms)?);
    distinct(lineages)
        .iter()
        .filter_map(|lineage_id| candidate(conn, lineage_id).transpose())
        .collect()
}

/// Notes the words of a goal that was learned into a lineage. At most 64 of them, each at most 128 bytes.
pub fn add_goal_terms(tx: &Transaction<'_>, lineage_id: &str, terms: &[String]) -> Result<()> {
    let mut insert = tx.prepare_cached(sql::INSERT_TERM)?;
    for term in usable(terms) {
        insert.execute([term, lineage_id])?;
    }
    Ok(())
}

fn candidate(conn: &Connection, lineage_id: &str) -> Result<Option<Candidate>> {
    let Some(newest) = newest(conn, lineage_id)? else {
        return Ok(None);
    };
    Ok(Some(Candidate {
        newest,
        goals: past_goals(conn, lineage_id)?,
    }))
}

/// The first goal of a lineage and the newest ones that differ, oldest first.
fn past_goals(conn: &Connection, lineage_id: &str) -> Result<Vec<PastGoal>> {
    let Some(first) = one(conn, sql::FIRST_GOAL, [lineage_id], past_goal_of)? else {
        return Ok(Vec::new());
    };
    let mut goals: Vec<PastGoal> = Vec::new();
    for past in all(
        conn,
        sql::NEWEST_GOALS,
        (lineage_id, RECENT_EXECUTIONS as i64),
        past_goal_of,
    )? {
        if goals.len() + 1 < MAX_GOALS
            && past.goal != first.goal
            && goals.iter().all(|seen| seen.goal != past.goal)
        {
            goals.push(past);
        }
    }
    goals.push(first);
    goals.reverse();
    Ok(goals)
}

fn by_skeleton(conn: &Connection, skeleton: &[String], app: Option<&str>) -> Result<Vec<String>> {
    let skeleton = json(&skeleton)?;
    let limit = MAX_BY_SKELETON as i64;
    let mut lineages = Vec::new();
    for app in [app, None] {
        lineages.extend(texts(
            conn,
            sql::LINEAGES_BY_SKELETON_AND_APP,
            (&skeleton, limit, app),
        )?);
    }
    if lineages.len() < MAX_BY_SKELETON {
        lineages.extend(texts(conn, sql::LINEAGES_BY_SKELETON, (&skeleton, limit))?);
    }
    let mut lineages = distinct(lineages);
    lineages.truncate(MAX_BY_SKELETON);
    Ok(lineages)
}

/// Most shared words first, then the newest lineage.
fn by_terms(conn: &Connection, terms: &[String]) -> Result<Vec<String>> {
    let mut shared: HashMap<String, usize> = HashMap::new();
    for term in usable(terms) {
        let holders = texts(conn, sql::LINEAGES_BY_TERM, (term, COMMON_TERM as i64))?;
        if holders.len() < COMMON_TERM {
            holders
                .into_iter()
                .for_each(|lineage_id| *shared.entry(lineage_id).or_default() += 1);
        }
    }
    let mut lineages: Vec<(usize, String)> = shared.into_iter().map(|(id, terms)| (terms, id)).collect();
    lineages.sort_unstable_by(|a, b| b.cmp(a));
    lineages.truncate(MAX_BY_TERMS);
    Ok(lineages.into_iter().map(|(_, lineage_id)| lineage_id).collect())
}

/// The distinct words that are looked at, in order.
fn usable(terms: &[String]) -> impl Iterator<Item = &str> {
    let mut seen = HashSet::new();
    let words = terms.iter().map(String::as_str);
    words
        .filter(|term| !term.is_empty() && term.len() <= MAX_TERM_BYTES)
        .filter(move |term| seen.insert(*term))
        .take(MAX_TERMS)
}

fn distinct(lineages: Vec<String>) -> Vec<String> {
    let mut seen = HashSet::new();
    lineages
        .into_iter()
        .filter(|lineage_id| seen.insert(lineage_id.clone()))
        .collect()
}
