//! Vectors, or why there is none. A vector is stored as little-endian 32-bit floats.

use rusqlite::{Connection, Row, Transaction};

use super::skills::{number, one, skill, texts};
use super::sql;
use crate::error::{Result, SkillError};
use crate::skill::Skill;

/// How the embedding of one text stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbeddingStatus {
    /// The model that made the vector or failed last; empty before the first attempt.
    pub model: String,
    /// Why there is no vector; none when there is one. `pending` before the first attempt.
    pub failure: Option<String>,
    /// How often this model failed in a row.
    pub attempts: u32,
    /// When to try again, in milliseconds since the Unix epoch.
    pub retry_at_ms: i64,
}

/// One version as a reader of vectors sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EmbeddingRow<'a> {
    /// Grows with every change: ask for what came after the last one seen.
    pub seq: i64,
    /// Id of the version.
    pub skill_id: &'a str,
    /// Id of its lineage.
    pub lineage_id: &'a str,
    /// Version number, from 1.
    pub version: u32,
    /// The vector; none while it is pending, or made by another model.
    pub vector: Option<&'a [f32]>,
}

/// How the embedding of a version stands; none for an unknown version.
pub fn embedding_status(conn: &Connection, skill_id: &str) -> Result<Option<EmbeddingStatus>> {
    one(conn, sql::EMBEDDING, [skill_id], |row| status_of(row, 0))
}

/// Stores the vector of a version, in place of what was there.
pub fn put_vector(tx: &Transaction<'_>, skill_id: &str, model: &str, vector: &[f32]) -> Result<()> {
    let row = (skill_id, model, vector.len() as i64, bytes_of(vector));
    match tx.prepare_cached(sql::PUT_VECTOR)?.execute(row)? {
        0 => Err(SkillError::UnknownSkill {
            skill: skill_id.to_owned(),
        }),
        _ => Ok(()),
    }
}

/// Records that a model gave no vector, and when to try again, in milliseconds since the Unix epoch. A vector that
/// this model made before stays.
pub fn put_failure(
    tx: &Transaction<'_>,
    skill_id: &str,
    model: &str,
    code: &str,
    retry_at_ms: i64,
) -> Result<()> {
    tx.prepare_cached(sql::PUT_FAILURE)?
        .execute((skill_id, model, code, retry_at_ms))?;
    Ok(())
}

/// Versions that this model should embed now: never tried, made by another model, or failed and due.
pub fn pending(conn: &Connection, model: &str, now_ms: i64, limit: u32) -> Result<Vec<Skill>> {
    let ids = texts(conn, sql::PENDING, (model, now_ms, limit))?;
    ids.iter()
        .filter_map(|skill_id| skill(conn, skill_id).transpose())
        .collect()
}

/// How many versions have no vector of this model, due or not.
pub fn pending_count(conn: &Connection, model: &str) -> Result<u64> {
    number(conn, sql::PENDING_COUNT, [model])
}

/// Calls `each` for every version whose embedding changed after `seq` (0 for all), in the order of the changes.
/// A version without a vector of this model comes too, so that the reader knows it as its lineage's newest.
pub fn embeddings_since(
    conn: &Connection,
    model: &str,
    seq: i64,
    mut each: impl FnMut(EmbeddingRow<'_>) -> Result<()>,
) -> Result<()> {
    let mut statement = conn.prepare_cached(sql::EMBEDDINGS_SINCE)?;
    let mut rows = statement.query((seq, model))?;
    let mut buffer = Vec::new();
    while let Some(row) = rows.next()? {
        let blob = row.get_ref(4)?.as_blob_or_null().map_err(rusqlite::Error::from)?;
        each(EmbeddingRow {
            seq: row.get(0)?,
            skill_id: row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?,
            lineage_id: row.get_ref(2)?.as_str().map_err(rusqlite::Error::from)?,
            version: row.get(3)?,
            vector: blob.map(|blob| floats_of(blob, &mut buffer)),
        })?;
    }
    Ok(())
}

/// Calls `each` with every lineage that was forgotten after `seq` (0 for all), and the change's own number. Changes are
/// counted together with those of `embeddings_since`.
pub fn forgotten_since(conn: &Connection, seq: i64, mut each: impl FnMut(i64, &str)) -> Result<()> {
    let mut statement = conn.prepare_cached(sql::FORGOTTEN_SINCE)?;
    let mut rows = statement.query([seq])?;
    while let Some(row) = rows.next()? {
        each(
            row.get(0)?,
            row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?,
        );
    }
    Ok(())
}

/// Changes whenever another connection, of this process or another, changed the store; the same value on two reads
/// of one `Store` means that nothing did. 0 while there is no file.
pub fn data_version(conn: &Connection) -> Result<i64> {
    match conn.path() {
        None | Some("") => Ok(0),
        Some(_) => Ok(conn.pragma_query_value(None, "data_version", |row| row.get(0))?),
    }
}

/// How the embedding of a synced skill stands, and the hash of the text it was made from; none before the first attempt.
pub fn catalog_embedding_status(conn: &Connection, skill_id: &str) -> Result<Option<(i64, EmbeddingStatus)>> {
    one(conn, sql::CATALOG_EMBEDDING, [skill_id], |row| {
        Ok((row.get(0)?, status_of(row, 1)?))
    })
}

/// Stores the vector of a synced skill, in place of what was there.
pub fn put_catalog_vector(
    tx: &Transaction<'_>,
    skill_id: &str,
    text_hash: i64,
    model: &str,
    vector: &[f32],
) -> Result<()> {
    let row = (skill_id, text_hash, model, vector.len() as i64, bytes_of(vector));
    tx.prepare_cached(sql::PUT_CATALOG_VECTOR)?.execute(row)?;
    Ok(())
}

/// Records that a model gave no vector for a synced skill, and when to try again, in milliseconds since the Unix
/// epoch. A vector that this model made of the same text before stays.
pub fn put_catalog_failure(
    tx: &Transaction<'_>,
    skill_id: &str,
    text_hash: i64,
    model: &str,
    code: &str,
    retry_at_ms: i64,
) -> Result<()> {
    tx.prepare_cached(sql::PUT_CATALOG_FAILURE)?
        .execute((skill_id, text_hash, model, code, retry_at_ms))?;
    Ok(())
}

/// Forgets the embedding of a synced skill, for one that left the catalog.
pub fn remove_catalog_embedding(tx: &Transaction<'_>, skill_id: &str) -> Result<()> {
    tx.prepare_cached(sql::REMOVE_CATALOG_EMBEDDING)?
        .execute([skill_id])?;
    Ok(())
}

/// Calls `each` with the id, the text hash and the vector of every synced skill that this model embedded.
pub fn catalog_vectors(
    conn: &Connection,
    model: &str,
    mut each: impl FnMut(&str, i64, &[f32]) -> Result<()>,
) -> Result<()> {
    let mut statement = conn.prepare_cached(sql::CATALOG_VECTORS)?;
    let mut rows = statement.query([model])?;
    let mut buffer = Vec::new();
    while let Some(row) = rows.next()? {
        let blob = row.get_ref(2)?.as_blob().map_err(rusqlite::Error::from)?;
        let skill_id = row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?;
        each(skill_id, row.get(1)?, floats_of(blob, &mut buffer))?;
    }
    Ok(())
}

fn status_of(row: &Row<'_>, from: usize) -> Result<EmbeddingStatus> {
    Ok(EmbeddingStatus {
        model: row.get(from)?,
        failure: row.get(from + 1)?,
        attempts: row.get(from + 2)?,
        retry_at_ms: row.get(from + 3)?,
    })
}

fn bytes_of(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// The vector of a blob, in a buffer that the next row uses again.
fn floats_of<'a>(blob: &[u8], buffer: &'a mut Vec<f32>) -> &'a [f32] {
    buffer.clear();
    buffer.extend(
        blob.chunks_exact(4)
            .map(|bytes| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])),
    );
    buffer
}
