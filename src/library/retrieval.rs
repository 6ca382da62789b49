//! Embedding what was learned, and finding it again by similarity.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{SkillLibrary, now_ms};
use crate::catalog::{CatalogSkill, SqliteCatalog, SyncedCatalog};
use crate::embedding::{GuardedEmbedding, GuardedProvider};
use crate::error::{EmbeddingError, Result, SkillError};
use crate::outcome::EmbeddingState;
use crate::ranking::{Entry, Origin, Scope, Scored, VectorIndex};
use crate::skill::Skill;
use crate::store;

/// Wait before the first repeated attempt, in milliseconds; it doubles with every failure.
const FIRST_RETRY_MS: i64 = 30_000;
/// Longest wait before a repeated attempt, in milliseconds: six hours.
const LONGEST_RETRY_MS: i64 = 6 * 60 * 60 * 1000;
/// Skills of a catalog that are read at a time.
const CATALOG_PAGE: u32 = 500;

/// Ranked skills.
#[derive(Debug, Clone, Default, PartialEq, uniffi::Record)]
pub struct Ranking {
    /// Best first.
    pub results: Vec<RankedSkill>,
    /// Whether the goal was too long for the model, so that only its beginning was compared.
    pub goal_truncated: bool,
}

/// One ranked skill.
#[derive(Debug, Clone, PartialEq, uniffi::Record)]
pub struct RankedSkill {
    /// Place, from 1.
    pub rank: u32,
    /// Id of the version; for a synced skill its id in the catalog.
    pub skill_id: String,
    /// Id shared by all versions.
    pub lineage_id: String,
    /// Readable name.
    pub name: String,
    /// Version number, from 1.
    pub version: u32,
    /// The goal it was learned from.
    pub goal: String,
    /// Cosine similarity of goal and skill, -1 to 1, higher is more similar.
    pub score: f32,
    /// Whether it was learned here or comes from the synced catalog.
    pub origin: Origin,
}

/// What `embed_pending` did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, uniffi::Record)]
pub struct EmbedReport {
    /// Vectors that were stored.
    pub stored: u64,
    /// Texts that could not be embedded; they are tried again later.
    pub failed: u64,
    /// How many still have no vector of the present model.
    pub remaining: u64,
}

/// The vectors of one model in memory.
pub(super) struct Index {
    model_id: String,
    vectors: VectorIndex,
    /// The newest change that is in it.
    seq: i64,
}

pub(super) fn rank(library: &SkillLibrary, goal: String, k: u32, scope: Scope) -> Result<Ranking> {
    let Some(provider) = library
        .provider
        .as_ref()
        .filter(|_| k > 0 && !goal.trim().is_empty())
    else {
        return Ok(Ranking::default());
    };
    let model_id = provider
        .model_id()
        .map_err(|source| SkillError::Embedding { source })?;
    let mut synced = HashMap::new();
    {
        let mut index = lock(&library.index);
        let index = refresh(library, provider, &mut index, &model_id)?;
        if scope.with_catalog {
            synced = load_catalog(library, index)?;
        }
        if index.vectors.is_empty() {
            return Ok(Ranking::default());
        }
    }
    // Nothing is locked while the goal is embedded.
    let embedded = provider
        .embed(goal)
        .map_err(|source| SkillError::Embedding { source })?;
    let found = {
        let mut index = lock(&library.index);
        let index = refresh(library, provider, &mut index, &embedded.model_id)?;
        if index.vectors.is_empty() {
            return Ok(Ranking::default());
        }
        check_dimension(index, &embedded.vector)?;
        index.vectors.top_k(&embedded.vector, k as usize, scope)?
    };
    let mut results = Vec::with_capacity(found.len());
    for scored in found {
        results.extend(describe(library, scored, &synced)?);
    }
    for (place, result) in (1..).zip(&mut results) {
        result.rank = place;
    }
    Ok(Ranking {
        results,
        goal_truncated: embedded.truncated,
    })
}

/// Embeds a version unless it has its vector. A failure is recorded, never an error.
pub(super) fn embed_skill(library: &SkillLibrary, skill: &Skill) -> EmbeddingState {
    let Some(provider) = &library.provider else {
        return EmbeddingState::Pending;
    };
    let status = library.read(|conn| store::embedding_status(conn, &skill.skill_id));
    let model_id = provider.model_id();
    if let (Ok(Some(status)), Ok(model_id)) = (&status, &model_id)
        && status.failure.is_none()
        && status.model == *model_id
    {
        return EmbeddingState::Stored;
    }
    match store_embedding(library, provider, skill) {
        Ok(true) => EmbeddingState::Stored,
        Ok(false) => EmbeddingState::Pending,
        Err(_) => {
            // The skill itself is stored; its vector heals with the next `embed_pending`.
            log::warn!("a vector could not be stored");
            EmbeddingState::Pending
        }
    }
}

pub(super) fn embed_pending(library: &SkillLibrary, limit: u32) -> Result<EmbedReport> {
    let Some(provider) = &library.provider else {
        let remaining = library.read(|conn| store::pending_count(conn, ""))?;
        return Ok(EmbedReport {
            remaining,
            ..EmbedReport::default()
        });
    };
    let model_id = provider
        .model_id()
        .map_err(|source| SkillError::Embedding { source })?;
    let pending = library.read(|conn| store::pending(conn, &model_id, now_ms(), limit))?;
    let mut report = EmbedReport::default();
    for skill in &pending {
        if store_embedding(library, provider, skill)? {
            report.stored += 1;
        } else {
            report.failed += 1;
        }
    }
    report.remaining = library.read(|conn| store::pending_count(conn, &model_id))?;
    log::info!("embedded {} skills, {} failed", report.stored, report.failed);
    Ok(report)
}

pub(super) fn embed_catalog(library: &SkillLibrary, limit: u32) -> Result<EmbedReport> {
    let mut report = EmbedReport::default();
    let Some(provider) = &library.provider else {
        return Ok(report);
    };
    let model_id = provider
        .model_id()
        .map_err(|source| SkillError::Embedding { source })?;
    for skill in catalog_skills(library)? {
        let hash = skill.text_hash();
        let status = library.read(|conn| store::catalog_embedding_status(conn, &skill.id))?;
        let attempts = match &status {
            Some((known, status)) if *known == hash && status.model == model_id => {
                if status.failure.is_none() {
                    continue;
                }
                if status.retry_at_ms > now_ms() {
                    report.remaining += 1;
                    continue;
                }
                status.attempts
            }
            _ => 0,
        };
        if report.stored + report.failed >= u64::from(limit) {
            report.remaining += 1;
            continue;
        }
        match provider.embed(text(&skill.name, &skill.description, &skill.goal)) {
            Ok(GuardedEmbedding { model_id, vector, .. }) => {
                library
                    .store
                    .write(|tx| store::put_catalog_vector(tx, &skill.id, hash, &model_id, &vector))?;
                report.stored += 1;
            }
            Err(error) => {
                let retry_at_ms = now_ms() + retry_after_ms(&error, attempts);
                let code = code(&error);
                library.store.write(|tx| {
                    store::put_catalog_failure(tx, &skill.id, hash, &model_id, code, retry_at_ms)
                })?;
                report.failed += 1;
                report.remaining += 1;
            }
        }
    }
    Ok(report)
}

/// A poisoned lock only means that some thread panicked; the data is rebuilt from the store where it matters.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Embeds a version and records the vector, or the failure; says which.
fn store_embedding(library: &SkillLibrary, provider: &GuardedProvider, skill: &Skill) -> Result<bool> {
    match provider.embed(text(&skill.name, &skill.description, &skill.goal)) {
        Ok(GuardedEmbedding { model_id, vector, .. }) => {
            library
                .store
                .write(|tx| store::put_vector(tx, &skill.skill_id, &model_id, &vector))?;
            Ok(true)
        }
        Err(error) => {
            log::warn!("embedding failed: {}", code(&error));
            let model_id = provider.model_id().unwrap_or_default();
            library.store.write(|tx| {
                let attempts = store::embedding_status(tx, &skill.skill_id)?
                    .filter(|status| status.model == model_id)
                    .map_or(0, |status| status.attempts);
                let retry_at_ms = now_ms() + retry_after_ms(&error, attempts);
                store::put_failure(tx, &skill.skill_id, &model_id, code(&error), retry_at_ms)
            })?;
            Ok(false)
        }
    }
}

/// What is embedded: name, description and goal.
fn text(name: &str, description: &str, goal: &str) -> String {
    format!("{goal}\n{}\n{description}", name.replace('_', " "))
}

fn code(error: &EmbeddingError) -> &'static str {
    match error {
        EmbeddingError::Timeout { .. } => "timeout",
        EmbeddingError::RateLimited { .. } => "rate_limited",
        EmbeddingError::Disabled => "disabled",
        EmbeddingError::Connection { .. } => "connection",
    }
}

/// Exponential backoff, or what the provider asks for if that is longer.
fn retry_after_ms(error: &EmbeddingError, attempts: u32) -> i64 {
    let backoff = FIRST_RETRY_MS
        .saturating_mul(1 << attempts.min(20))
        .min(LONGEST_RETRY_MS);
    match error {
        EmbeddingError::RateLimited { retry_after_ms } => backoff
            .max(i64::try_from(*retry_after_ms).unwrap_or(i64::MAX))
            .min(LONGEST_RETRY_MS * 4),
        _ => backoff,
    }
}

/// Brings the vectors in memory up to date: what this or another process stored since. A changed model starts anew.
fn refresh<'i>(
    library: &SkillLibrary,
    provider: &GuardedProvider,
    index: &'i mut Option<Index>,
    model_id: &str,
) -> Result<&'i mut Index> {
    if index.as_ref().is_some_and(|index| index.model_id != model_id) {
        *index = None;
    }
    let index = match index {
        Some(index) => index,
        None => {
            let dimension = provider
                .dimension()
                .map_err(|source| SkillError::Embedding { source })?;
            index.insert(Index {
                model_id: model_id.to_owned(),
                vectors: VectorIndex::new(dimension as usize),
                seq: 0,
            })
        }
    };
    library.read(|conn| {
        // Taken over at the end: what fails is read again.
        let (known, mut seen) = (index.seq, index.seq);
        store::embeddings_since(conn, model_id, known, |row| {
            seen = row.seq;
            index
                .vectors
                .set_newest(Origin::Local, row.lineage_id, row.version);
            match row.vector {
                Some(vector) => {
                    check_dimension(index, vector)?;
                    let entry = Entry {
                        skill_id: row.skill_id.to_owned(),
                        lineage_id: row.lineage_id.to_owned(),
                        version: row.version,
                        origin: Origin::Local,
                    };
                    index.vectors.upsert(entry, vector)
                }
                None => {
                    index.vectors.remove(Origin::Local, row.skill_id);
                    Ok(())
                }
            }
        })?;
        store::forgotten_since(conn, known, |seq, lineage_id| {
            seen = seen.max(seq);
            index.vectors.remove_lineage(Origin::Local, lineage_id);
        })?;
        index.seq = seen;
        Ok(())
    })?;
    Ok(index)
}

/// A provider whose vectors became longer or shorter has another model, and must say so.
fn check_dimension(index: &Index, vector: &[f32]) -> Result<()> {
    let dimension = index.vectors.dimension();
    if vector.len() == dimension {
        return Ok(());
    }
    let reason = format!(
        "vectors of {dimension} and of {} components under one model id: give what changed another id",
        vector.len()
    );
    Err(SkillError::Embedding {
        source: EmbeddingError::Connection { reason },
    })
}

/// Puts the current vectors of the synced catalog into the index; outdated ones leave it.
fn load_catalog(library: &SkillLibrary, index: &mut Index) -> Result<HashMap<String, CatalogSkill>> {
    let skills: HashMap<String, CatalogSkill> = catalog_skills(library)?
        .into_iter()
        .map(|skill| (skill.id.clone(), skill))
        .collect();
    let model_id = index.model_id.clone();
    library.read(|conn| {
        store::catalog_vectors(conn, &model_id, |id, hash, vector| {
            if skills.get(id).is_some_and(|skill| skill.text_hash() == hash) {
                index.vectors.set_newest(Origin::Catalog, id, 1);
                let entry = Entry {
                    skill_id: id.to_owned(),
                    lineage_id: id.to_owned(),
                    version: 1,
                    origin: Origin::Catalog,
                };
                index.vectors.upsert(entry, vector)
            } else {
                index.vectors.remove(Origin::Catalog, id);
                Ok(())
            }
        })
    })?;
    Ok(skills)
}

fn catalog_skills(library: &SkillLibrary) -> Result<Vec<CatalogSkill>> {
    let Some(path) = &library.config.catalog_path else {
        return Err(SkillError::Catalog {
            reason: "no catalog_path is configured".into(),
        });
    };
    let catalog = {
        let mut catalog = lock(&library.catalog);
        match &*catalog {
            Some(catalog) => Arc::clone(catalog),
            None => {
                let opened: Arc<dyn SyncedCatalog> = Arc::new(SqliteCatalog::open(path)?);
                Arc::clone(catalog.insert(opened))
            }
        }
    };
    let mut skills: Vec<CatalogSkill> = Vec::new();
    loop {
        let page = catalog.skills(skills.last().map(|last| last.id.as_str()), CATALOG_PAGE)?;
        if page.is_empty() {
            return Ok(skills);
        }
        skills.extend(page);
    }
}

fn describe(
    library: &SkillLibrary,
    scored: Scored,
    synced: &HashMap<String, CatalogSkill>,
) -> Result<Option<RankedSkill>> {
    let Scored { entry, score } = scored;
    let (name, goal) = match entry.origin {
        Origin::Local => match library.read(|conn| store::skill(conn, &entry.skill_id))? {
            Some(skill) => (skill.name, skill.goal),
            None => return Ok(None),
        },
        Origin::Catalog => match synced.get(&entry.skill_id) {
            Some(skill) => (skill.name.clone(), skill.goal.clone()),
            None => return Ok(None),
        },
    };
    let Entry {
        skill_id,
        lineage_id,
        version,
        origin,
    } = entry;
    Ok(Some(RankedSkill {
        rank: 0,
        skill_id,
        lineage_id,
        name,
        version,
        goal,
        score,
        origin,
    }))
}
