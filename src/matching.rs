//! Which stored skill a flow belongs to, with the evidence. Pure.

use std::cmp::Ordering;
use std::collections::HashMap;

use serde_json::Value;

use crate::JsonValue;
use crate::arguments;
use crate::flow::{self, Flow};
use crate::goal::{self, Goal};
use crate::lexicon::Meaning;
use crate::outcome::{Evidence, MatchedBy, Refusal};
use crate::skill::{Role, Skill};
use crate::template::{Difference, Template, Tolerance};

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

/// Goals at least this similar are one task when their steps are related.
const SIMILAR_GOAL: f64 = 0.55;
/// Steps at least this similar are related.
const RELATED_STEPS: f64 = 0.4;
/// Two taps this near, in pixels, are on the same element: recorders' coordinates drift.
const SAME_PLACE: f64 = 24.0;

/// The candidate a flow belongs to, if any, with the evidence. `hinted` is the lineage the host named.
pub fn find<'c>(
    flow: &Flow,
    candidates: &'c [Candidate],
    hinted: Option<&str>,
    tolerance: Tolerance,
) -> (Option<&'c Candidate>, Evidence) {
    let mut best: Option<(&Candidate, Evidence)> = None;
    let mut nearest: Option<Evidence> = None;
    for candidate in candidates {
        let evidence = compare(flow, candidate, hinted, tolerance);
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

/// How alike two sequences of tool names are: the longest common subsequence over the longer one, 0 to 1.
pub fn step_similarity<T: PartialEq>(a: &[T], b: &[T]) -> f64 {
    let longer = a.len().max(b.len());
    if longer == 0 {
        return 1.0;
    }
    // The usual dynamic programme, one row at a time.
    let mut row = vec![0u32; b.len() + 1];
    for x in a {
        let mut diagonal = 0;
        for (at, y) in b.iter().enumerate() {
            let above = row[at + 1];
            row[at + 1] = if x == y { diagonal + 1 } else { above.max(row[at]) };
            diagonal = above;
        }
    }
    f64::from(row[b.len()]) / longer as f64
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

fn compare(flow: &Flow, candidate: &Candidate, hinted: Option<&str>, tolerance: Tolerance) -> Evidence {
    let skill = &candidate.newest;
    let template = Template {
        steps: skill.steps.clone(),
        parameters: skill.parameters.clone(),
    };
    let skeleton = flow.skeleton();
    let same_skeleton = template.skeleton() == skeleton;
    let (differences, positions) = if same_skeleton {
        template.differences(&flow.steps, tolerance)
    } else {
        (Vec::new(), 0)
    };
    let mut evidence = Evidence {
        compared_with: Some(skill.skill_id.clone()),
        same_skeleton,
        step_similarity: step_similarity(&template.skeleton(), &skeleton),
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
        .map(|past| Compared::of(flow, skill, past, same_skeleton.then_some(differences.as_slice())))
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
    if compared.iter().any(|c| c.contrast) && !compared.iter().any(|c| c.same_goal) {
        evidence.refused = Some(Refusal::OtherAction);
        return evidence;
    }
    if hinted == Some(skill.lineage_id.as_str()) {
        evidence.refused = None;
        evidence.matched_by = MatchedBy::SkillHint;
        return evidence;
    }
    if evidence.refused.is_some() {
        return evidence;
    }
    let by = if flow.family() == skill.goal_family || compared.iter().any(|c| c.same_goal || c.same_frame) {
        Some(MatchedBy::GoalFamily)
    } else if compared.iter().any(|c| c.carried) {
        Some(MatchedBy::ArgumentsInGoal)
    } else if !same_skeleton
        && evidence.step_similarity >= RELATED_STEPS
        && evidence.goal_similarity >= SIMILAR_GOAL
    {
        Some(MatchedBy::SimilarGoal)
    } else {
        None
    };
    match by {
        Some(by) => evidence.matched_by = by,
        None if !same_skeleton && evidence.goal_similarity >= SIMILAR_GOAL => {
            evidence.refused = Some(Refusal::OtherSteps);
        }
        None => evidence.refused = Some(Refusal::OtherGoal),
    }
    evidence
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
    /// They ask for different things.
    contrast: bool,
    /// How alike they are, values left out.
    similarity: f64,
}

impl Compared {
    /// `differences` are those of the arguments, when the steps are of one skeleton.
    fn of(flow: &Flow, skill: &Skill, past: &PastGoal, differences: Option<&[Difference]>) -> Self {
        let same_goal = goal::fold(&flow.goal) == goal::fold(&past.goal);
        let mut mine = flow.read_goal();
        let arguments = skill
            .steps
            .iter()
            .map(|step| (step.tool.as_str(), &step.arguments));
        let mut theirs = flow::read_goal(&past.goal, skill.app.as_deref(), arguments);
        if let Some(app) = &flow.app {
            theirs.mark_app(app);
        }
        if let Some(app) = &skill.app {
            mine.mark_app(app);
        }
        for value in past.values.values() {
            mark(&mut theirs, value, true);
        }
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
        let typed_here = |d: &&&Difference| {
            arguments::is_typed(&flow.steps[d.step].tool, arguments::key(&d.pointer))
        };
        // A tapped label is a value only where something else in the goal says what is asked.
        let told = differing.is_empty()
            || differing.iter().any(|d| typed_here(&d))
            || goal::similarity(&mine.features(), &theirs.features()) > 0.0;
        let carried =
            differences.is_some() && flow.steps.len() > 1 && told && differing.iter().all(in_goals);
        // A name that no argument carries is a value only when some tapped place differs and may carry it.
        let place = differences.is_none() || differing.is_empty() || differing.iter().any(|d| !in_goals(d));
        if place {
            mine.mark_named();
            theirs.mark_named();
        }
        let typed_mine = typed(flow.steps.iter().map(|step| (step.tool.as_str(), &step.arguments)), &HashMap::new());
        let typed_theirs =
            typed(skill.steps.iter().map(|step| (step.tool.as_str(), &step.arguments)), &past.values);
        let typed = !typed_mine.is_empty()
            && !typed_theirs.is_empty()
            && typed_mine.iter().all(|value| holds(&mine, value))
            && typed_theirs.iter().all(|value| holds(&theirs, value));
        let (frame_a, frame_b) = (mine.frame(), theirs.frame());
        Self {
            same_goal,
            same_frame: !frame_a.is_empty() && frame_a == frame_b && mine.slots() == theirs.slots(),
            carried,
            typed,
            contrast: !same_goal && contrast(&mine, &theirs),
            similarity: goal::similarity(&mine.features(), &theirs.features()),
        }
    }
}

fn contrast(a: &Goal, b: &Goal) -> bool {
    let (a, b): (Vec<Meaning>, Vec<Meaning>) = (a.meanings(), b.meanings());
    goal::contrast(&a, &b)
}

fn mark(goal: &mut Goal, value: &Value, typed: bool) {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => return,
    };
    if typed {
        goal.mark(&text);
    } else {
        goal.mark_label(&text);
    }
}

fn holds(goal: &Goal, value: &Value) -> bool {
    match value {
        Value::String(text) => goal.holds(text),
        Value::Number(number) => goal.holds(&number.to_string()),
        _ => false,
    }
}

/// What the steps of an execution type: literals, and the execution's own values of the parameters.
fn typed<'a>(
    steps: impl Iterator<Item = (&'a str, &'a Value)>,
    values: &HashMap<String, JsonValue>,
) -> Vec<Value> {
    let mut found = Vec::new();
    for (tool, arguments) in steps {
        let literals = flow::scalars(arguments);
        found.extend(
            literals
                .into_iter()
                .filter(|(key, value)| arguments::is_typed(tool, key) && value.as_str().is_some_and(|t| !t.is_empty()))
                .map(|(_, value)| value),
        );
        let placeholders = arguments.as_object().into_iter().flatten().filter_map(|(key, value)| {
            let name = value.as_str()?.strip_prefix('{')?.strip_suffix('}')?;
            arguments::is_typed(tool, key).then(|| values.get(name)).flatten()
        });
        found.extend(placeholders.cloned());
    }
    found
}

/// Whether a differing position is another place on the screen: not just drift, and not of an element that the
/// step also names.
fn is_elsewhere(flow: &Flow, difference: &Difference) -> bool {
    let step = &flow.steps[difference.step];
    let named = flow::scalars(&step.arguments)
        .iter()
        .any(|(key, value)| arguments::role(&step.tool, key, value) == Role::Content && value.is_string());
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
