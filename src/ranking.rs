//! Similarity and top-k: exact cosine over all current vectors, contiguous in memory. Pure.
//!
//! Every row is read for every query. At the sizes of a phone (thousands of skills) that takes about as long
//! as reading the memory, needs no tuning, and never misses a skill the way an approximate index can.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashMap};

use crate::error::{Result, SkillError};

/// Where a ranked skill comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, uniffi::Enum)]
pub enum Origin {
    /// Learned by this library.
    Local,
    /// Read from the synced catalog.
    Catalog,
}

/// What a vector stands for: one version of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Id of this version, unique within its origin.
    pub skill_id: String,
    /// Id shared by all versions.
    pub lineage_id: String,
    /// Version number, from 1.
    pub version: u32,
    /// Where it comes from.
    pub origin: Origin,
}

/// Which entries a ranking looks at. By default the newest version of every skill that was learned here.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, uniffi::Record)]
pub struct Scope {
    /// Whether older versions are ranked too. Default false.
    #[uniffi(default = false)]
    pub whole_history: bool,
    /// Whether skills of the synced catalog are ranked too. Default false.
    #[uniffi(default = false)]
    pub with_catalog: bool,
}

/// One ranked entry.
#[derive(Debug, Clone, PartialEq)]
pub struct Scored {
    /// What was found.
    pub entry: Entry,
    /// Cosine similarity to the query, -1 to 1, higher is more similar. Never NaN.
    pub score: f32,
}

/// The vectors of one embedding model and the entries they stand for.
///
/// Vectors of two models must not meet in one index: their cosine means nothing.
#[derive(Debug, Clone)]
pub struct VectorIndex {
    dimension: usize,
    /// Row after row, `dimension` values each, all of unit length.
    vectors: Vec<f32>,
    /// What each row stands for, in the order of `vectors`.
    rows: Vec<Row>,
    row_of: HashMap<(Origin, String), usize>,
    /// The newest stored version of each lineage, by lineage number.
    newest: Vec<u32>,
    /// Lineages are numbered, so that a scan compares integers and never hashes a string.
    lineage_numbers: HashMap<(Origin, String), usize>,
}

#[derive(Debug, Clone)]
struct Row {
    entry: Entry,
    lineage: usize,
}

impl VectorIndex {
    /// An empty index for vectors of `dimension` values.
    pub fn new(dimension: usize) -> Self {
        Self {
            dimension,
            vectors: Vec::new(),
            rows: Vec::new(),
            row_of: HashMap::new(),
            newest: Vec::new(),
            lineage_numbers: HashMap::new(),
        }
    }

    /// How many values every vector has.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// How many vectors there are, all versions and origins counted.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no vector.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Adds the vector of `entry`, or replaces the one it had. The vector is scaled to unit length.
    ///
    /// A version higher than any seen becomes its lineage's newest.
    ///
    /// Fails with `InvalidArgument`, and changes nothing, when the vector has another dimension, is all zero,
    /// or holds a value that is not finite.
    pub fn upsert(&mut self, entry: Entry, vector: &[f32]) -> Result<()> {
        let unit = self.unit_length("vector", vector)?;
        let lineage = self.lineage_number(entry.origin, &entry.lineage_id);
        self.newest[lineage] = self.newest[lineage].max(entry.version);

        let key = (entry.origin, entry.skill_id.clone());
        let row = Row { entry, lineage };
        if let Some(&at) = self.row_of.get(&key) {
            self.vectors[at * self.dimension..][..self.dimension].copy_from_slice(&unit);
            self.rows[at] = row;
        } else {
            self.row_of.insert(key, self.rows.len());
            self.vectors.extend_from_slice(&unit);
            self.rows.push(row);
        }
        Ok(())
    }

    /// Removes the vector of a skill version and says whether there was one.
    ///
    /// What is the newest version of its lineage stays as it is: a version that lost its vector is still stored.
    pub fn remove(&mut self, origin: Origin, skill_id: &str) -> bool {
        let Some(at) = self.row_of.remove(&(origin, skill_id.to_owned())) else {
            return false;
        };
        // The last row takes the free place, so that the rows stay contiguous.
        let last = self.rows.len() - 1;
        self.vectors
            .copy_within(last * self.dimension.., at * self.dimension);
        self.vectors.truncate(last * self.dimension);
        self.rows.swap_remove(at);
        if let Some(moved) = self.rows.get(at) {
            self.row_of
                .insert((moved.entry.origin, moved.entry.skill_id.clone()), at);
        }
        true
    }

    /// Removes the vectors of all versions of a lineage.
    pub fn remove_lineage(&mut self, origin: Origin, lineage_id: &str) {
        let versions = self
            .rows
            .iter()
            .filter(|row| row.entry.origin == origin && row.entry.lineage_id == lineage_id);
        let versions: Vec<String> = versions.map(|row| row.entry.skill_id.clone()).collect();
        for skill_id in versions {
            self.remove(origin, &skill_id);
        }
    }

    /// Says which version of a lineage is the newest stored one, whether or not it has a vector.
    ///
    /// While that version has no vector, its lineage is not found by similarity at all: an older version must
    /// not stand in for it silently.
    pub fn set_newest(&mut self, origin: Origin, lineage_id: &str, version: u32) {
        let lineage = self.lineage_number(origin, lineage_id);
        self.newest[lineage] = version;
    }

    /// The `k` entries of `scope` that are most similar to `query`, best first.
    ///
    /// Equal scores are ordered by lineage id, newest version first, then by skill id, so that the same index
    /// always gives the same answer. Gives fewer than `k` where there are fewer, none for `k` = 0.
    ///
    /// Fails with `InvalidArgument` when the query has another dimension, is all zero, or holds a value that is
    /// not finite; also when the index is empty or `k` is 0.
    pub fn top_k(&self, query: &[f32], k: usize, scope: Scope) -> Result<Vec<Scored>> {
        let query = self.unit_length("query", query)?;
        // The worst hit stands on top, where the next one is compared with it.
        let mut best: BinaryHeap<Hit> = BinaryHeap::with_capacity(k.min(self.len()));
        for (row, vector) in self.rows.iter().zip(self.vectors.chunks_exact(self.dimension)) {
            if !self.is_in_scope(row, scope) {
                continue;
            }
            // Rounding may carry the product of two unit vectors just past the ends of the scale.
            let hit = Hit {
                score: dot(&query, vector).clamp(-1.0, 1.0),
                entry: &row.entry,
            };
            if best.len() < k {
                best.push(hit);
            } else if let Some(mut worst) = best.peek_mut()
                && hit < *worst
            {
                *worst = hit;
            }
        }
        let ranked = best.into_sorted_vec();
        Ok(ranked
            .into_iter()
            .map(|hit| Scored {
                entry: hit.entry.clone(),
                score: hit.score,
            })
            .collect())
    }

    fn is_in_scope(&self, row: &Row, scope: Scope) -> bool {
        (scope.with_catalog || row.entry.origin == Origin::Local)
            && (scope.whole_history || row.entry.version == self.newest[row.lineage])
    }

    fn lineage_number(&mut self, origin: Origin, lineage_id: &str) -> usize {
        *self
            .lineage_numbers
            .entry((origin, lineage_id.to_owned()))
            .or_insert_with(|| {
                self.newest.push(0);
                self.newest.len() - 1
            })
    }

    fn unit_length(&self, argument: &str, vector: &[f32]) -> Result<Vec<f32>> {
        let invalid = |reason: String| SkillError::InvalidArgument {
            argument: argument.to_owned(),
            reason,
        };
        if vector.len() != self.dimension {
            return Err(invalid(format!(
                "{} values, not {}",
                vector.len(),
                self.dimension
            )));
        }
        // In f64 no square of an f32 overflows or vanishes.
        let norm = vector
            .iter()
            .map(|&value| f64::from(value).powi(2))
            .sum::<f64>()
            .sqrt();
        if !norm.is_finite() {
            return Err(invalid("it holds a value that is not finite".to_owned()));
        }
        if norm == 0.0 {
            return Err(invalid("it is all zero and has no direction".to_owned()));
        }
        Ok(vector
            .iter()
            .map(|&value| (f64::from(value) / norm) as f32)
            .collect())
    }
}

/// A row that may be among the best. The better one is the lesser, so that sorting puts the best first.
struct Hit<'a> {
    score: f32,
    entry: &'a Entry,
}

impl Ord for Hit<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        let (mine, theirs) = (self.entry, other.entry);
        (other.score.total_cmp(&self.score))
            .then_with(|| mine.lineage_id.cmp(&theirs.lineage_id))
            .then_with(|| theirs.version.cmp(&mine.version))
            .then_with(|| mine.skill_id.cmp(&theirs.skill_id))
            .then_with(|| mine.origin.cmp(&theirs.origin))
    }
}

impl PartialOrd for Hit<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Hit<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Hit<'_> {}

/// Sums kept side by side. Floating-point sums may not be reordered, so one running sum would make every
/// addition wait for the one before; independent ones fill the vector registers.
const LANES: usize = 16;

fn dot(a: &[f32], b: &[f32]) -> f32 {
    let (a_chunks, b_chunks) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let tail: f32 = a_chunks
        .remainder()
        .iter()
        .zip(b_chunks.remainder())
        .map(|(x, y)| x * y)
        .sum();
    let mut sums = [0.0_f32; LANES];
    for (x, y) in a_chunks.zip(b_chunks) {
        for lane in 0..LANES {
            sums[lane] += x[lane] * y[lane];
        }
    }
    sums.iter().sum::<f32>() + tail
}
