//! Which stored skill a flow belongs to, with the evidence. Pure.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::hash::Hash;

use serde_json::Value;
use similar::{Algorithm, DiffOp};

use crate::JsonValue;
use crate::arguments;
use crate::flow::{self, Flow};
use crate::goal::{self, Goal};
use crate::outcome::{Evidence, MatchedBy, Refusal};
use crate::skill::{Role, Skill};
use crate::template::{Difference, Tolerance};
use crate::tools;

/// One lineage as the matcher sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Its newest version.
    pub newest: Skill,
    /// Goals of its executions with the values they used: the first and the newest, at most `MAX_GOALS`.
    pub goals: Vec<PastGoal>,
}

/// The goal of one earlier execution.
#[derive(Debug, Clone, PartialEq)]
pub struct PastGoal {
    /// The goal, secrets masked.
    pub goal: String,
    /// Values by parameter name, for the parameters known when it was learned.
    pub values: HashMap<String, JsonValue>,
    /// The texts it typed.
    pub typed: Vec<String>,
}

/// Most goals of one lineage that are compared.
pub const MAX_GOALS: usize = 8;

/// What candidates are looked up by. Every part is an indexed look-up.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lookup {
    /// The skill the task was run from, when the host said so.
    pub skill_id: Option<String>,
    /// Keys under which a lineage of the same kind would stand.
    pub goal_families: Vec<String>,
    /// The app, when the task named one.
    pub app: Option<String>,
    /// The tool names of the steps.
    pub skeleton: Vec<String>,
    /// The words of the goal, folded.
    pub terms: Vec<String>,
}

/// Most steps of a flow that are compared with a skill's, so that one endless recording does not hold up the rest.
const MAX_STEPS: usize = 1_000;

/// Goals at least this similar are one task when their steps are related.
const SIMILAR_GOAL: f64 = 0.85;
/// Steps at least this similar are related.
const RELATED_STEPS: f64 = 0.6;
/// Steps at least this similar are alike enough for goals in quite other words.
const ALIKE_STEPS: f64 = 0.8;
/// Steps this similar are the same but for a detour.
const SAME_STEPS: f64 = 0.85;
/// Goals whose values are only tapped labels must say this much of the same beside them.
const TOLD: f64 = 0.6;
/// Two taps this near, in pixels, are on the same element: recorders' coordinates drift.
const SAME_PLACE: f64 = 24.0;

/// The candidate a flow belongs to, if any, with the evidence. `hinted` is the lineage the host named.
pub fn find<'c>(
    flow: &Flow,
    candidates: &'c [Candidate],
    hinted: Option<&str>,
    tolerance: Tolerance,
) -> (Option<&'c Candidate>, Evidence) {
    let asked = Asked::of(flow);
    let mut best: Option<(&Candidate, Evidence)> = None;
    let mut nearest: Option<Evidence> = None;
    for candidate in candidates {
        let evidence = compare(&asked, candidate, hinted, tolerance);
        if evidence.refused.is_some() {
            if nearest
                .as_ref()
                .is_none_or(|nearest| rank(&evidence, nearest) == Ordering::Greater)
            {
                nearest = Some(evidence);
            }
        } else if best
            .as_ref()
            .is_none_or(|(_, best)| rank(&evidence, best) == Ordering::Greater)
        {
            best = Some((candidate, evidence));
        }
    }
    let count = u32::try_from(candidates.len()).unwrap_or(u32::MAX);
    match best {
        Some((candidate, evidence)) => (
            Some(candidate),
            Evidence {
                candidates: count,
                ..evidence
            },
        ),
        None => (
            None,
            Evidence {
                candidates: count,
                ..nearest.unwrap_or_default()
            },
        ),
    }
}

/// How alike two sequences of tool names are: the share of the longer one that a diff (Myers) finds in both, in
/// order, 0 to 1. Of very long ones the first `MAX_STEPS` are compared.
pub fn step_similarity<T: Hash + Ord>(a: &[T], b: &[T]) -> f64 {
    let (a, b) = (&a[..a.len().min(MAX_STEPS)], &b[..b.len().min(MAX_STEPS)]);
    let common: usize = similar::capture_diff_slices(Algorithm::Myers, a, b)
        .iter()
        .map(|op| {
            if let DiffOp::Equal { len, .. } = op {
                *len
            } else {
                0
            }
        })
        .sum();
    match a.len().max(b.len()) {
        0 => 1.0,
        longer => common as f64 / longer as f64,
    }
}

/// Whether two names stand for one app: the same, or a label whose words all occur in a package name.
pub fn same_app(a: &str, b: &str) -> bool {
    let (folded_a, folded_b) = (goal::fold(a), goal::fold(b));
    if folded_a == folded_b {
        return true;
    }
    let is_package = |name: &str| name.contains('.') && !name.contains(' ');
    let (label, package) = match (is_package(a), is_package(b)) {
        (false, true) => (goal::words(a), b.to_lowercase()),
        (true, false) => (goal::words(b), a.to_lowercase()),
        _ => return false,
    };
    !label.is_empty() && label.iter().all(|word| package.contains(word.as_str()))
}

/// Stronger evidence first: what decided, then how alike goals and steps are, then the newer skill.
fn rank(a: &Evidence, b: &Evidence) -> Ordering {
    let weight = |by: MatchedBy| match by {
        MatchedBy::SkillHint => 5,
        MatchedBy::GoalFamilyHint => 4,
        MatchedBy::GoalFamily => 3,
        MatchedBy::ArgumentsInGoal => 2,
        MatchedBy::SimilarGoal => 1,
        MatchedBy::Nothing => 0,
    };
    weight(a.matched_by)
        .cmp(&weight(b.matched_by))
        .then(a.goal_similarity.total_cmp(&b.goal_similarity))
        .then(a.step_similarity.total_cmp(&b.step_similarity))
        .then_with(|| a.compared_with.cmp(&b.compared_with))
}

/// A flow, and what every comparison wants to know of it.
struct Asked<'f> {
    flow: &'f Flow,
    skeleton: Vec<String>,
    goal: Goal,
    family: String,
    typed: Vec<String>,
}

impl<'f> Asked<'f> {
    fn of(flow: &'f Flow) -> Self {
        Self {
            flow,
            skeleton: flow.skeleton(),
            goal: flow.read_goal(),
            family: flow.family(),
            typed: flow.typed(),
        }
    }
}

fn compare(asked: &Asked<'_>, candidate: &Candidate, hinted: Option<&str>, tolerance: Tolerance) -> Evidence {
    let flow = asked.flow;
    let skill = &candidate.newest;
    let template = skill.template();
    let skeleton = template.skeleton();
    let same_skeleton = skeleton == asked.skeleton;
    let (differences, positions) = if same_skeleton {
        template.differences(&flow.steps, tolerance)
    } else {
        (Vec::new(), 0)
    };
    let mut evidence = Evidence {
        compared_with: Some(skill.skill_id.clone()),
        same_skeleton,
        step_similarity: step_similarity(&kinds(&skeleton), &kinds(&asked.skeleton)),
        positions: u32::try_from(positions).unwrap_or(u32::MAX),
        differing: u32::try_from(differences.len()).unwrap_or(u32::MAX),
        ..Evidence::default()
    };
    if let (Some(mine), Some(theirs)) = (&flow.app, &skill.app)
        && !same_app(mine, theirs)
    {
        evidence.refused = Some(Refusal::OtherApp);
        return evidence;
    }
    let compared: Vec<Compared> = candidate
        .goals
        .iter()
        .map(|past| {
            Compared::of(
                asked,
                skill,
                past,
                same_skeleton.then_some(differences.as_slice()),
            )
        })
        .collect();
    evidence.goal_similarity = compared.iter().map(|c| c.similarity).fold(0.0, f64::max);

    if let Some(family) = &flow.goal_family {
        // The host's own key decides, both ways.
        if *family == skill.goal_family {
            evidence.matched_by = MatchedBy::GoalFamilyHint;
            return evidence;
        }
        evidence.refused = Some(Refusal::OtherGoal);
    }
    let same_goal = compared.iter().any(|c| c.same_goal);
    if !same_goal && compared.iter().any(|c| c.opposed) {
        evidence.refused = Some(Refusal::OtherAction);
        return evidence;
    }
    if hinted == Some(skill.lineage_id.as_str()) {
        evidence.refused = None;
        evidence.matched_by = MatchedBy::SkillHint;
        return evidence;
    }
    if !same_goal && compared.iter().any(|c| c.contrast) {
        evidence.refused = Some(Refusal::OtherGoal);
    }
    if evidence.refused.is_some() {
        return evidence;
    }
    let related = evidence.step_similarity >= RELATED_STEPS;
    let alike = evidence.step_similarity >= ALIKE_STEPS;
    let close = evidence.step_similarity >= SAME_STEPS;
    let any = |test: &dyn Fn(&Compared) -> bool| compared.iter().any(test);
    let same_family = asked.family == skill.goal_family;
    let by = if any(&|c| c.same_goal || (related && (c.same_frame || same_family))) {
        Some(MatchedBy::GoalFamily)
    } else if any(&|c| c.carried || (alike && c.typed && c.similarity > 0.0)) {
        Some(MatchedBy::ArgumentsInGoal)
    } else if !same_skeleton
        && any(&|c| (related && c.similarity >= SIMILAR_GOAL) || (close && c.same_request))
    {
        Some(MatchedBy::SimilarGoal)
    } else {
        None
    };
    match by {
        Some(by) => evidence.matched_by = by,
        None if !related && evidence.goal_similarity >= SIMILAR_GOAL => {
            evidence.refused = Some(Refusal::OtherSteps);
        }
        None => evidence.refused = Some(Refusal::OtherGoal),
    }
    evidence
}

/// Tool names by what they do, so that `click` and `tap_by_index` are alike; an unknown tool is only like itself.
fn kinds(skeleton: &[String]) -> Vec<(tools::Kind, &str)> {
    skeleton
        .iter()
        .map(|tool| match tools::kind(tool) {
            tools::Kind::Other => (tools::Kind::Other, tool.as_str()),
            kind => (kind, ""),
        })
        .collect()
}

/// Two goals side by side.
struct Compared {
    /// The same words in the same order.
    same_goal: bool,
    /// The same words, values left out.
    same_frame: bool,
    /// Every argument that differs stands in its own goal.
    carried: bool,
    /// Both type something, and all that they type stands in their goals.
    typed: bool,
    /// They ask for different actions, as far as the lexicon knows.
    opposed: bool,
    /// They ask for different things, or one asks for more.
    contrast: bool,
    /// They ask for the same action on the same thing.
    same_request: bool,
    /// How alike they are, values left out.
    similarity: f64,
}

impl Compared {
    /// `differences` are those of the arguments, when the steps are of one skeleton.
    fn of(asked: &Asked<'_>, skill: &Skill, past: &PastGoal, differences: Option<&[Difference]>) -> Self {
        let flow = asked.flow;
        let same_goal = goal::same(&flow.goal, &past.goal);
        let mut mine = asked.goal.clone();
        let labels = skill
            .steps
            .iter()
            .map(|step| (step.tool.as_str(), &step.arguments));
        let mut theirs = flow::read_goal(&past.goal, skill.app.as_deref(), labels);
        flow.app.iter().for_each(|app| theirs.mark_app(app));
        skill.app.iter().for_each(|app| mine.mark_app(app));
        past.typed.iter().for_each(|text| theirs.mark(text));
        past.values
            .values()
            .for_each(|value| mark(&mut theirs, value, false));
        for difference in differences.unwrap_or_default() {
            if difference.role == Role::Content {
                let tool = flow.steps[difference.step].tool.as_str();
                let typed = arguments::is_typed(tool, arguments::key(&difference.pointer));
                difference
                    .seen
                    .iter()
                    .for_each(|value| mark(&mut theirs, value, typed));
                difference
                    .value
                    .iter()
                    .for_each(|value| mark(&mut mine, value, typed));
            }
        }
        let anchored = |d: &&Difference| d.role == Role::Content || is_elsewhere(flow, d);
        let differing: Vec<&Difference> = differences.unwrap_or_default().iter().filter(anchored).collect();
        let in_goals = |d: &&Difference| {
            d.role == Role::Content
                && d.value.as_ref().is_some_and(|value| holds(&mine, value))
                && d.seen.iter().any(|value| holds(&theirs, value))
        };
        let similarity = goal::similarity(&mine.features(), &theirs.features());
        let typed_here =
            |d: &&&Difference| arguments::is_typed(&flow.steps[d.step].tool, arguments::key(&d.pointer));
        // A tapped label is a value only where something else in the goal says what is asked.
        let told = differing.iter().any(|d| typed_here(&d)) || similarity >= TOLD;
        let carried = differences.is_some() && flow.steps.len() > 1 && told && differing.iter().all(in_goals);
        // Where arguments can be set side by side, one that differs and is in no goal speaks against typed values.
        let all_content_told = differing.iter().filter(|d| d.role == Role::Content).all(in_goals);
        // A name that no argument carries is a value only when some tapped place differs and may carry it.
        let place = differences.is_none() || differing.is_empty() || differing.iter().any(|d| !in_goals(d));
        if place {
            mine.mark_named();
            theirs.mark_named();
        }
        let typed_mine = &asked.typed;
        let typed = !typed_mine.is_empty()
            && typed_mine.len() == past.typed.len()
            && typed_mine.iter().all(|text| mine.holds(text))
            && past.typed.iter().all(|text| theirs.holds(text))
            && all_content_told;
        let (frame_a, frame_b) = (mine.frame(), theirs.frame());
        let (meant_a, meant_b) = (mine.meanings(), theirs.meanings());
        let longer = mine.goes_beyond(&theirs) || theirs.goes_beyond(&mine);
        Self {
            same_goal,
            opposed: goal::opposed(&meant_a, &meant_b),
            same_request: goal::same_request(&meant_a, &meant_b),
            same_frame: !frame_a.is_empty() && frame_a == frame_b && mine.slots() == theirs.slots(),
            carried,
            typed,
            contrast: !same_goal
                && (goal::contrast(&meant_a, &meant_b) || (longer && !typed && differences.is_some())),
            similarity,
        }
    }
}

fn mark(goal: &mut Goal, value: &Value, typed: bool) {
    let Some(text) = goal::text_of(value) else { return };
    if typed {
        goal.mark(&text);
    } else {
        goal.mark_label(&text);
    }
}

fn holds(goal: &Goal, value: &Value) -> bool {
    goal::text_of(value).is_some_and(|text| goal.holds(&text))
}

/// Whether a differing position is another place on the screen: not just drift, and not of an element that the
/// step also names.
fn is_elsewhere(flow: &Flow, difference: &Difference) -> bool {
    let step = &flow.steps[difference.step];
    let named = flow::scalars(&step.arguments).iter().any(|(key, value)| {
        arguments::is_label(key) && value.as_str().is_some_and(|label| !label.is_empty())
    });
    let value = difference.value.as_ref();
    let drift = value.is_some_and(|value| {
        arguments::is_coordinate(&step.tool, &difference.pointer, value)
            && difference.seen.iter().filter_map(Value::as_f64).any(|seen| {
                value
                    .as_f64()
                    .is_some_and(|value| (value - seen).abs() <= SAME_PLACE)
            })
    });
    !named && !drift
}
