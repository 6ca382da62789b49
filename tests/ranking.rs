//! Ranking holds what it promises: exact, bounded, scoped, and the same answer every time.
#![allow(clippy::unwrap_used, reason = "a refusal where none belongs fails the test")]

use std::collections::BTreeMap;

use adroit::error::SkillError;
use adroit::ranking::{Entry, Origin, Scope, Scored, VectorIndex};
use proptest::prelude::*;

const NEWEST: Scope = Scope {
    whole_history: false,
    with_catalog: false,
};
const WHOLE_HISTORY: Scope = Scope {
    whole_history: true,
    with_catalog: false,
};
const WITH_CATALOG: Scope = Scope {
    whole_history: false,
    with_catalog: true,
};
const EVERYTHING: Scope = Scope {
    whole_history: true,
    with_catalog: true,
};

fn entry(skill_id: &str, lineage_id: &str, version: u32) -> Entry {
    Entry {
        skill_id: skill_id.into(),
        lineage_id: lineage_id.into(),
        version,
        origin: Origin::Local,
    }
}

fn synced(skill_id: &str) -> Entry {
    Entry {
        origin: Origin::Catalog,
        ..entry(skill_id, skill_id, 1)
    }
}

fn index(rows: &[(Entry, [f32; 2])]) -> VectorIndex {
    let mut index = VectorIndex::new(2);
    for (entry, vector) in rows {
        index.upsert(entry.clone(), vector).unwrap();
    }
    index
}

fn ids(scored: &[Scored]) -> Vec<&str> {
    scored
        .iter()
        .map(|scored| scored.entry.skill_id.as_str())
        .collect()
}

fn refused<T: std::fmt::Debug>(result: Result<T, SkillError>) -> String {
    match result {
        Err(SkillError::InvalidArgument { argument, .. }) => argument,
        other => panic!("not refused as an invalid argument: {other:?}"),
    }
}

#[test]
fn the_most_similar_comes_first_with_its_cosine() {
    let index = index(&[
        (entry("away", "a", 1), [-1.0, 0.0]),
        (entry("same", "b", 1), [1.0, 0.0]),
        (entry("near", "c", 1), [0.6, 0.8]),
    ]);
    let found = index.top_k(&[1.0, 0.0], 3, NEWEST).unwrap();
    assert_eq!(ids(&found), ["same", "near", "away"]);
    let scores: Vec<f32> = found.iter().map(|scored| scored.score).collect();
    assert_eq!(scores, [1.0, 0.6, -1.0]);
}

#[test]
fn k_bounds_the_answer() {
    let index = index(&[(entry("a", "a", 1), [1.0, 0.0]), (entry("b", "b", 1), [0.0, 1.0])]);
    let count = |k| index.top_k(&[1.0, 0.0], k, NEWEST).unwrap().len();
    assert_eq!(
        [count(0), count(1), count(2), count(3), count(usize::MAX)],
        [0, 1, 2, 2, 2]
    );
}

#[test]
fn an_empty_index_finds_nothing() {
    assert_eq!(
        VectorIndex::new(2).top_k(&[1.0, 0.0], 10, EVERYTHING).unwrap(),
        []
    );
    assert!(VectorIndex::new(2).is_empty());
}

#[test]
fn what_is_no_direction_of_this_dimension_is_refused() {
    let mut index = index(&[(entry("a", "a", 1), [1.0, 0.0])]);
    let (long, nan, infinite) = ([1.0, 0.0, 0.0], [f32::NAN, 1.0], [f32::INFINITY, 1.0]);
    let unusable: [&[f32]; 5] = [&[], &long, &nan, &infinite, &[0.0, -0.0]];
    for vector in unusable {
        assert_eq!(refused(index.top_k(vector, 10, NEWEST)), "query", "{vector:?}");
        assert_eq!(refused(index.top_k(vector, 0, NEWEST)), "query", "{vector:?}");
        assert_eq!(
            refused(index.upsert(entry("a", "a", 2), vector)),
            "vector",
            "{vector:?}"
        );
    }
    let found = index.top_k(&[1.0, 0.0], 10, NEWEST).unwrap();
    assert_eq!(
        found,
        [Scored {
            entry: entry("a", "a", 1),
            score: 1.0
        }],
        "a refused vector changed the index"
    );
}

#[test]
fn an_index_without_dimensions_refuses_every_vector() {
    let mut index = VectorIndex::new(0);
    assert_eq!(refused(index.upsert(entry("a", "a", 1), &[])), "vector");
    assert_eq!(refused(index.top_k(&[], 1, NEWEST)), "query");
}

#[test]
fn length_does_not_count() {
    let index = index(&[
        (entry("tiny", "a", 1), [3e-38, 4e-38]),
        (entry("unit", "b", 1), [0.6, 0.8]),
        (entry("vast", "c", 1), [1.8e38, 2.4e38]),
    ]);
    for query in [[0.6, 0.8], [3e38, 0.0], [1e-40, 0.0]] {
        let scores: Vec<f32> = index
            .top_k(&query, 3, NEWEST)
            .unwrap()
            .iter()
            .map(|scored| scored.score)
            .collect();
        assert!(
            scores.iter().all(|score| (score - scores[0]).abs() < 1e-6),
            "{query:?}: {scores:?}"
        );
    }
}

#[test]
fn no_score_leaves_the_scale_by_rounding() {
    for x in 1..200_u8 {
        let (along, against) = ([f32::from(x), 7.0], [-f32::from(x), -7.0]);
        let index = index(&[
            (entry("along", "a", 1), along),
            (entry("against", "b", 1), against),
        ]);
        let found = index.top_k(&along, 2, NEWEST).unwrap();
        assert!(
            (0.999_999..=1.0).contains(&found[0].score),
            "{x}: {}",
            found[0].score
        );
        assert!(
            (-1.0..=-0.999_999).contains(&found[1].score),
            "{x}: {}",
            found[1].score
        );
    }
}

#[test]
fn equal_scores_stand_in_one_order_however_they_came() {
    let mut rows = [
        (entry("s1", "a", 1), [1.0, 0.0]),
        (entry("s2", "a", 2), [1.0, 0.0]),
        (entry("s9", "b", 1), [1.0, 0.0]),
        (entry("s3", "b", 1), [1.0, 0.0]),
        (
            Entry {
                origin: Origin::Catalog,
                ..entry("s3", "b", 1)
            },
            [1.0, 0.0],
        ),
        (entry("s0", "c", 1), [1.0, 0.0]),
    ];
    for _ in 0..rows.len() {
        rows.rotate_left(1);
        let found = index(&rows).top_k(&[1.0, 0.0], 5, EVERYTHING).unwrap();
        assert_eq!(ids(&found), ["s2", "s1", "s3", "s3", "s9"]);
        assert_eq!(found[2].entry.origin, Origin::Local);
    }
}

#[test]
fn only_the_newest_version_is_found_unless_the_history_is_asked_for() {
    let index = index(&[
        (entry("a1", "a", 1), [1.0, 0.0]),
        (entry("a2", "a", 2), [0.0, 1.0]),
        (entry("b1", "b", 1), [0.6, 0.8]),
    ]);
    assert_eq!(ids(&index.top_k(&[1.0, 0.0], 10, NEWEST).unwrap()), ["b1", "a2"]);
    assert_eq!(
        ids(&index.top_k(&[1.0, 0.0], 10, WHOLE_HISTORY).unwrap()),
        ["a1", "b1", "a2"]
    );
}

#[test]
fn an_older_version_does_not_stand_in_for_a_newest_one_without_a_vector() {
    let mut index = index(&[(entry("a1", "a", 1), [1.0, 0.0])]);
    index.set_newest(Origin::Local, "a", 2);
    assert_eq!(ids(&index.top_k(&[1.0, 0.0], 10, NEWEST).unwrap()), [""; 0]);
    assert_eq!(ids(&index.top_k(&[1.0, 0.0], 10, WHOLE_HISTORY).unwrap()), ["a1"]);

    index.upsert(entry("a2", "a", 2), &[0.0, 1.0]).unwrap();
    assert_eq!(ids(&index.top_k(&[1.0, 0.0], 10, NEWEST).unwrap()), ["a2"]);

    assert!(index.remove(Origin::Local, "a2"));
    assert_eq!(ids(&index.top_k(&[1.0, 0.0], 10, NEWEST).unwrap()), [""; 0]);
}

#[test]
fn an_older_version_embedded_late_does_not_become_the_newest() {
    let mut index = index(&[(entry("a2", "a", 2), [0.0, 1.0])]);
    index.upsert(entry("a1", "a", 1), &[1.0, 0.0]).unwrap();
    assert_eq!(ids(&index.top_k(&[1.0, 0.0], 10, NEWEST).unwrap()), ["a2"]);
}

#[test]
fn the_newest_version_may_be_told_before_any_vector_and_may_step_back() {
    let mut index = VectorIndex::new(2);
    index.set_newest(Origin::Local, "a", 2);
    index.upsert(entry("a1", "a", 1), &[1.0, 0.0]).unwrap();
    assert_eq!(ids(&index.top_k(&[1.0, 0.0], 10, NEWEST).unwrap()), [""; 0]);
    index.set_newest(Origin::Local, "a", 1);
    assert_eq!(ids(&index.top_k(&[1.0, 0.0], 10, NEWEST).unwrap()), ["a1"]);
}

#[test]
fn synced_skills_are_found_only_on_request_and_share_no_id_with_local_ones() {
    let mut index = index(&[(entry("a", "a", 1), [0.6, 0.8]), (synced("a"), [1.0, 0.0])]);
    assert_eq!(index.len(), 2);
    let origins = |scope| {
        let found = index.top_k(&[1.0, 0.0], 10, scope).unwrap();
        found.iter().map(|scored| scored.entry.origin).collect::<Vec<_>>()
    };
    assert_eq!(origins(NEWEST), [Origin::Local]);
    assert_eq!(origins(WHOLE_HISTORY), [Origin::Local]);
    assert_eq!(origins(WITH_CATALOG), [Origin::Catalog, Origin::Local]);

    assert!(index.remove(Origin::Catalog, "a"));
    assert!(!index.remove(Origin::Catalog, "a"));
    assert_eq!(ids(&index.top_k(&[1.0, 0.0], 10, EVERYTHING).unwrap()), ["a"]);
}

#[test]
fn a_lineage_leaves_with_all_its_versions_and_its_namesake_stays() {
    let mut index = index(&[
        (entry("a1", "a", 1), [1.0, 0.0]),
        (entry("b1", "b", 1), [0.6, 0.8]),
        (entry("a2", "a", 2), [0.8, 0.6]),
        (synced("a"), [0.0, 1.0]),
    ]);
    index.remove_lineage(Origin::Local, "a");
    index.remove_lineage(Origin::Local, "nobody");
    assert_eq!(
        ids(&index.top_k(&[1.0, 0.0], 10, EVERYTHING).unwrap()),
        ["b1", "a"]
    );
}

#[test]
fn what_is_left_after_a_removal_can_still_be_replaced_and_removed() {
    let mut index = index(&[
        (entry("first", "a", 1), [1.0, 0.0]),
        (entry("second", "b", 1), [0.6, 0.8]),
        (entry("last", "c", 1), [0.0, 1.0]),
    ]);
    assert!(index.remove(Origin::Local, "first"));
    assert_eq!(
        ids(&index.top_k(&[1.0, 0.0], 10, NEWEST).unwrap()),
        ["second", "last"]
    );

    index.upsert(entry("last", "c", 1), &[1.0, 0.0]).unwrap();
    assert_eq!(
        ids(&index.top_k(&[1.0, 0.0], 10, NEWEST).unwrap()),
        ["last", "second"]
    );

    assert!(index.remove(Origin::Local, "last"));
    assert_eq!(ids(&index.top_k(&[1.0, 0.0], 10, NEWEST).unwrap()), ["second"]);
    assert!(index.remove(Origin::Local, "second"));
    assert!(index.is_empty());
}

#[test]
fn the_default_scope_is_the_newest_of_what_was_learned_here() {
    assert_eq!(Scope::default(), NEWEST);
}

/// What the index must do, said again without any cleverness.
#[derive(Default)]
struct Naive {
    rows: BTreeMap<(Origin, String), (Entry, Vec<f32>)>,
    newest: BTreeMap<(Origin, String), u32>,
}

impl Naive {
    fn apply(&mut self, change: &Change) {
        match change {
            Change::Upsert(entry, vector) => {
                let newest = self
                    .newest
                    .entry((entry.origin, entry.lineage_id.clone()))
                    .or_default();
                *newest = (*newest).max(entry.version);
                let key = (entry.origin, entry.skill_id.clone());
                self.rows.insert(key, (entry.clone(), vector.clone()));
            }
            Change::Remove(origin, skill_id) => {
                self.rows.remove(&(*origin, skill_id.clone()));
            }
            Change::SetNewest(origin, lineage_id, version) => {
                self.newest.insert((*origin, lineage_id.clone()), *version);
            }
        }
    }

    fn cosine(&self, query: &[f32], entry: &Entry) -> f64 {
        cosine(query, &self.rows[&(entry.origin, entry.skill_id.clone())].1)
    }

    /// Every entry in scope with its cosine, best first.
    fn ranked(&self, query: &[f32], scope: Scope) -> Vec<(Entry, f64)> {
        let in_scope = |entry: &Entry| {
            (scope.with_catalog || entry.origin == Origin::Local)
                && (scope.whole_history
                    || self.newest[&(entry.origin, entry.lineage_id.clone())] == entry.version)
        };
        let rows = self.rows.values().filter(|(entry, _)| in_scope(entry));
        let mut ranked: Vec<_> = rows
            .map(|(entry, vector)| (entry.clone(), cosine(query, vector)))
            .collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
        ranked
    }
}

fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let dot =
        |a: &[f32], b: &[f32]| -> f64 { a.iter().zip(b).map(|(&x, &y)| f64::from(x) * f64::from(y)).sum() };
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

#[derive(Debug, Clone)]
enum Change {
    Upsert(Entry, Vec<f32>),
    Remove(Origin, String),
    SetNewest(Origin, String, u32),
}

fn apply(index: &mut VectorIndex, change: &Change) {
    match change {
        Change::Upsert(entry, vector) => index.upsert(entry.clone(), vector).unwrap(),
        Change::Remove(origin, skill_id) => {
            index.remove(*origin, skill_id);
        }
        Change::SetNewest(origin, lineage_id, version) => index.set_newest(*origin, lineage_id, *version),
    }
}

fn vectors(dimension: usize) -> impl Strategy<Value = Vec<f32>> {
    // Small whole numbers make equal scores common, the others make them rare.
    let value = prop_oneof![(-2_i8..=2).prop_map(f32::from), -1.0_f32..1.0];
    let direction = |vector: &Vec<f32>| vector.iter().any(|&value| value.abs() > 1e-3);
    prop::collection::vec(value, dimension).prop_filter("no direction", direction)
}

fn changes(dimension: usize) -> impl Strategy<Value = Vec<Change>> {
    let origin = || prop_oneof![4 => Just(Origin::Local), 1 => Just(Origin::Catalog)];
    let upsert =
        (origin(), 0..4_u32, 1..4_u32, vectors(dimension)).prop_map(|(origin, lineage, version, vector)| {
            let (skill_id, lineage_id) = (format!("s{lineage}.{version}"), format!("l{lineage}"));
            Change::Upsert(
                Entry {
                    skill_id,
                    lineage_id,
                    version,
                    origin,
                },
                vector,
            )
        });
    let remove = (origin(), 0..4_u32, 1..4_u32)
        .prop_map(|(origin, lineage, version)| Change::Remove(origin, format!("s{lineage}.{version}")));
    let set_newest = (origin(), 0..4_u32, 1..4_u32)
        .prop_map(|(origin, lineage, version)| Change::SetNewest(origin, format!("l{lineage}"), version));
    prop::collection::vec(prop_oneof![8 => upsert, 2 => remove, 1 => set_newest], 0..40)
}

fn cases() -> impl Strategy<Value = (usize, Vec<Change>, Vec<f32>)> {
    // Both sides of the sixteen sums that run side by side, and the bundled model's own dimension.
    prop_oneof![9 => 1..50_usize, 1 => Just(384)]
        .prop_flat_map(|dimension| (Just(dimension), changes(dimension), vectors(dimension)))
}

proptest! {
    #[test]
    fn the_answer_is_the_naive_sort_up_to_rounding(
        (dimension, changes, query) in cases(),
        k in 0..40_usize,
        whole_history: bool,
        with_catalog: bool,
    ) {
        let scope = Scope { whole_history, with_catalog };
        let (mut index, mut naive) = (VectorIndex::new(dimension), Naive::default());
        for change in &changes {
            apply(&mut index, change);
            naive.apply(change);
        }
        prop_assert_eq!(index.len(), naive.rows.len());

        let expected = naive.ranked(&query, scope);
        let found = index.top_k(&query, k, scope).unwrap();
        prop_assert_eq!(found.len(), k.min(expected.len()));
        for (at, (scored, (_, best))) in found.iter().zip(&expected).enumerate() {
            // An entry may change places only with one whose cosine is the same up to rounding.
            let score = f64::from(scored.score);
            prop_assert!((score - naive.cosine(&query, &scored.entry)).abs() < 1e-5);
            prop_assert!((score - best).abs() < 1e-5, "place {at}: {score}, not {best}");
            prop_assert!((-1.0..=1.0).contains(&score));
            prop_assert!(expected.iter().any(|(entry, _)| *entry == scored.entry), "out of scope");
            prop_assert!(found[..at].iter().all(|earlier| earlier.entry != scored.entry), "found twice");
        }
        let place = |entry: &Entry| {
            (entry.lineage_id.clone(), u32::MAX - entry.version, entry.skill_id.clone(), entry.origin)
        };
        let sorted = found.is_sorted_by(|a, b| {
            a.score > b.score || (a.score == b.score && place(&a.entry) < place(&b.entry))
        });
        prop_assert!(sorted, "not in order: {found:?}");
    }

    #[test]
    fn the_answer_does_not_depend_on_the_order_of_arrival((dimension, changes, query) in cases(), k in 0..40_usize) {
        let mut naive = Naive::default();
        changes.iter().for_each(|change| naive.apply(change));
        let rows: Vec<_> = naive.rows.into_values().collect();
        let (mut forward, mut backward) = (VectorIndex::new(dimension), VectorIndex::new(dimension));
        for ((entry, vector), (other, other_vector)) in rows.iter().zip(rows.iter().rev()) {
            forward.upsert(entry.clone(), vector).unwrap();
            backward.upsert(other.clone(), other_vector).unwrap();
        }
        let (one, other) = (forward.top_k(&query, k, EVERYTHING), backward.top_k(&query, k, EVERYTHING));
        prop_assert_eq!(one.unwrap(), other.unwrap());
    }
}
