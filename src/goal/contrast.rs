//! Whether two goals ask for different things, as far as their words tell.

use std::collections::BTreeSet;

use crate::lexicon::{Kind, Meaning};

/// How the concept of an action begins that the lexicon does not know.
pub(super) const GUESSED: &str = "word ";

/// Whether two goals ask for different actions that the lexicon knows: not even a host's hint joins them.
pub fn opposed(a: &[Meaning], b: &[Meaning]) -> bool {
    let known = |meanings: &[Meaning]| -> Vec<Meaning> {
        let guessed = |m: &&Meaning| m.concepts.iter().any(|concept| concept.starts_with(GUESSED));
        meanings.iter().filter(|m| !guessed(m)).cloned().collect()
    };
    other_action(&known(a), &known(b))
}

/// Whether two goals ask for different actions, narrow them differently or name different things.
pub fn contrast(a: &[Meaning], b: &[Meaning]) -> bool {
    let differ = |kind: Kind| lacks(&of(a, kind), &of(b, kind)) || lacks(&of(b, kind), &of(a, kind));
    let (things_a, things_b) = (of(a, Kind::Thing), of(b, Kind::Thing));
    other_action(a, b)
        || differ(Kind::Quality)
        || (lacks(&things_a, &things_b) && lacks(&things_b, &things_a))
}

fn other_action(a: &[Meaning], b: &[Meaning]) -> bool {
    let (actions_a, actions_b) = (actions(a), actions(b));
    if actions_a.is_empty() && actions_b.is_empty() {
        let (a, b) = (preludes(a), preludes(b));
        lacks(&a, &b) || lacks(&b, &a)
    } else {
        // "Save it as a contact" may stand for adding one, but does not have to.
        let (all_a, all_b) = (of(a, Kind::Action), of(b, Kind::Action));
        asks(a) && asks(b) && (lacks(&actions_a, &all_b) || lacks(&actions_b, &all_a))
    }
}

fn of(meanings: &[Meaning], kind: Kind) -> Vec<BTreeSet<String>> {
    meanings
        .iter()
        .filter(|m| m.kind == kind)
        .map(|m| m.concepts.clone())
        .collect()
}

/// Whether there is something in `a` that nothing in `b` can mean.
fn lacks(a: &[BTreeSet<String>], b: &[BTreeSet<String>]) -> bool {
    a.iter().any(|a| b.iter().all(|b| a.is_disjoint(b)))
}

/// Whether two goals ask for the same actions on the same things, as far as the lexicon knows them; not when it
/// knows no action or no thing of theirs.
pub fn same_request(a: &[Meaning], b: &[Meaning]) -> bool {
    let same = |a: &[BTreeSet<String>], b: &[BTreeSet<String>]| {
        !a.is_empty() && !b.is_empty() && !lacks(a, b) && !lacks(b, a)
    };
    same(&actions(a), &actions(b)) && same(&of(a, Kind::Thing), &of(b, Kind::Thing))
}

/// Whether a goal says at all what is to be done; "alarm 7 am" does not.
fn asks(meanings: &[Meaning]) -> bool {
    meanings
        .iter()
        .any(|m| matches!(m.kind, Kind::Action | Kind::Light))
}

/// The actions that decide: none whose words may also just mean to open or to see something.
fn actions(meanings: &[Meaning]) -> Vec<BTreeSet<String>> {
    let light = |action: &Meaning| {
        meanings
            .iter()
            .any(|m| m.kind == Kind::Light && m.words == action.words)
    };
    meanings
        .iter()
        .filter(|m| m.kind == Kind::Action && !light(m))
        .map(|m| m.concepts.clone())
        .collect()
}

/// The light actions that tell two goals apart when there is nothing else: signing in is not looking something up.
fn preludes(meanings: &[Meaning]) -> Vec<BTreeSet<String>> {
    let telling = |m: &&Meaning| m.kind == Kind::Light && m.concepts.contains("sign_in");
    meanings
        .iter()
        .filter(telling)
        .map(|m| m.concepts.clone())
        .collect()
}
