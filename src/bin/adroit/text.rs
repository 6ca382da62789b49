//! What people read. Pure: every function gives its text back.

use adroit::JsonValue;
use adroit::library::{EmbedReport, Ranking};
use adroit::outcome::{ChangeKind, Decision, EmbeddingState, Outcome, SkipReason, StepChange};
use adroit::skill::{Call, Execution, Parameter, Role, Skill, ValueType};
use adroit::timeline::Status;

use crate::layout::{
    BAD, FAINT, GOOD, PARAMETER, PLAIN, SECRET, STRONG, Span, counted, indented, line, paragraph, span,
};

/// Column where a learned task's text begins.
const OUTCOME_COLUMN: usize = 12;
/// Column where the text beside a label begins.
const LABEL_COLUMN: usize = 14;
/// Column where a step's arguments begin.
const STEP_COLUMN: usize = 6;
/// Most seen values that are shown.
const SEEN_SHOWN: usize = 5;
/// Most characters of a value that are shown in a list.
const VALUE_SHOWN: usize = 40;

/// What `learn` did with one timeline.
pub fn outcome(outcome: &Outcome, goal: &str) -> String {
    let (mark, style) = match &outcome.decision {
        Decision::Skipped { .. } => ("skipped", BAD),
        Decision::Created => ("created", GOOD),
        Decision::Unchanged => ("unchanged", PLAIN),
        Decision::ParametersUpdated { .. } => ("updated", GOOD),
        Decision::VersionAdded { .. } => ("version", GOOD),
    };
    let mut spans = match &outcome.skill {
        Some(skill) => vec![
            span(STRONG, &skill.name),
            span(PLAIN, format!(" v{}", skill.version)),
        ],
        None => vec![span(PLAIN, quoted(goal))],
    };
    let detail = detail(&outcome.decision);
    if !detail.is_empty() {
        spans.push(span(PLAIN, format!("  {detail}")));
    }
    if outcome.embedding == Some(EmbeddingState::Pending) {
        spans.push(span(BAD, "  not embedded yet"));
    }
    paragraph(&span(style, format!("{mark:<10}")), OUTCOME_COLUMN, &spans)
}

/// What changed, in a few words.
fn detail(decision: &Decision) -> String {
    match decision {
        Decision::Created => String::new(),
        Decision::Unchanged => "nothing new".into(),
        Decision::Skipped { reason } => match reason {
            SkipReason::Disabled => "learning is switched off".into(),
            SkipReason::NotSucceeded { status } => format!("the task {}", status_words(*status)),
            SkipReason::NoSteps => "no call changed anything".into(),
            SkipReason::AlreadyLearned { .. } => "this task was learned before".into(),
        },
        Decision::ParametersUpdated { added, changed } => {
            let part = |names: &[String], word: &str| {
                (!names.is_empty()).then(|| format!("{word}: {}", names.join(", ")))
            };
            let parts = [part(added, "new"), part(changed, "new values")];
            parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
        }
        Decision::VersionAdded { changes, .. } => step_changes(changes),
    }
}

fn status_words(status: Status) -> &'static str {
    match status {
        Status::Succeeded => "succeeded",
        Status::Failed => "failed",
        Status::Cancelled => "was cancelled",
        Status::Running => "is still running",
    }
}

fn step_changes(changes: &[StepChange]) -> String {
    let words = changes.iter().map(|change| match change.kind {
        ChangeKind::Inserted => format!("+{}", change.tool),
        ChangeKind::Deleted => format!("-{}", change.tool),
        ChangeKind::Moved => format!("moved {}", change.tool),
    });
    words.collect::<Vec<_>>().join(", ")
}

/// Counts of everything that `learn` did.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Tally {
    /// New skills.
    pub created: u64,
    /// Skills whose parameters took in new values.
    pub updated: u64,
    /// New versions.
    pub versions: u64,
    /// Skills that already said all of it.
    pub unchanged: u64,
    /// Tasks that are not learned from.
    pub skipped: u64,
    /// Inputs that were refused.
    pub refused: u64,
    /// Skills that have no vector yet.
    pub pending: u64,
}

impl Tally {
    /// Counts one outcome.
    pub fn add(&mut self, outcome: &Outcome) {
        *match &outcome.decision {
            Decision::Skipped { .. } => &mut self.skipped,
            Decision::Created => &mut self.created,
            Decision::Unchanged => &mut self.unchanged,
            Decision::ParametersUpdated { .. } => &mut self.updated,
            Decision::VersionAdded { .. } => &mut self.versions,
        } += 1;
        self.pending += u64::from(outcome.embedding == Some(EmbeddingState::Pending));
    }
}

/// The last lines of `learn`.
pub fn tally(tally: &Tally) -> String {
    let parts = [
        (tally.created, "created"),
        (tally.updated, "updated"),
        (
            tally.versions,
            if tally.versions == 1 {
                "new version"
            } else {
                "new versions"
            },
        ),
        (tally.unchanged, "unchanged"),
        (tally.skipped, "skipped"),
        (tally.refused, "refused"),
    ];
    let total: u64 = parts.iter().map(|(count, _)| count).sum();
    let named: Vec<String> = parts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{count} {word}"))
        .collect();
    let mut text = match named.is_empty() {
        true => "\nNo timelines.\n".to_string(),
        false => format!(
            "\n{}",
            line(&[span(
                PLAIN,
                format!("{}: {}.", counted(total, "timeline"), named.join(", "))
            )])
        ),
    };
    if tally.pending > 0 {
        let advice = format!(
            "{} without an embedding: run adroit embed-pending.",
            counted(tally.pending, "task")
        );
        text += &line(&[span(BAD, advice)]);
    }
    text
}

/// The skills found for a goal.
pub fn ranking(goal: &str, ranking: &Ranking) -> String {
    let mut text = line(&[span(STRONG, quoted(goal))]);
    if ranking.goal_truncated {
        text += &indented(
            2,
            &[span(
                BAD,
                "The goal is too long: only its beginning was compared.",
            )],
        );
    }
    if ranking.results.is_empty() {
        text += &indented(2, &[span(FAINT, "Nothing found.")]);
    }
    for (rank, found) in (1..).zip(&ranking.results) {
        let label = span(PLAIN, format!("{rank:>3}  {:.3}", found.score));
        text += &paragraph(
            &label,
            12,
            &[
                span(STRONG, &found.name),
                span(PLAIN, format!(" v{}", found.version)),
            ],
        );
        text += &indented(12, &[span(FAINT, &found.goal)]);
    }
    text
}

/// One skill of a list.
pub fn list_entry(skill: &Skill) -> String {
    let size = match skill.parameters.len() as u64 {
        0 => counted(skill.steps.len() as u64, "step"),
        count => format!(
            "{}, {}",
            counted(skill.steps.len() as u64, "step"),
            counted(count, "parameter")
        ),
    };
    let head = [
        span(STRONG, &skill.name),
        span(PLAIN, format!(" v{}", skill.version)),
        span(FAINT, format!("  {size}")),
    ];
    line(&head) + &indented(4, &[span(PLAIN, &skill.description)])
}

/// A skill with everything about it. `versions` is how many its lineage has.
pub fn skill(skill: &Skill, versions: usize, executions: &[Execution]) -> String {
    let version = format!(" v{} of {versions}", skill.version);
    let mut text = line(&[span(STRONG, &skill.name), span(PLAIN, version)]);
    text += &indented(2, &[span(PLAIN, &skill.description)]);
    text.push('\n');
    let facts = [
        ("Goal", Some(&skill.goal)),
        ("App", skill.app.as_ref()),
        ("Skill id", Some(&skill.skill_id)),
        ("From", skill.parent_id.as_ref()),
        ("Source", Some(&skill.source)),
    ];
    for (label, value) in facts
        .into_iter()
        .filter_map(|(label, value)| Some((label, value?)))
    {
        text += &paragraph(
            &span(FAINT, format!("  {label}")),
            LABEL_COLUMN,
            &[span(PLAIN, value)],
        );
    }
    text += &heading("Steps");
    for (number, step) in (1..).zip(&skill.steps) {
        text += &numbered(number, &step.tool, templated(&step.arguments));
    }
    if !skill.parameters.is_empty() {
        text += &heading("Parameters");
        for parameter in &skill.parameters {
            text += &parameter_entry(parameter);
        }
    }
    if !skill.secrets.is_empty() {
        text += &heading("Secrets");
        for secret in &skill.secrets {
            let advice = span(FAINT, "never stored; every replay must give it");
            text += &paragraph(&span(SECRET, format!("  {secret}")), LABEL_COLUMN, &[advice]);
        }
    }
    text += &heading("Evidence");
    for execution in executions {
        text += &indented(2, &[span(PLAIN, quoted(&execution.goal))]);
        let decision = crate::json::decision_code(&execution.decision).replace('_', " ");
        text += &indented(
            4,
            &[span(FAINT, format!("{decision}, task {}", execution.task_id))],
        );
    }
    text
}

fn heading(text: &str) -> String {
    format!("\n{}", line(&[span(STRONG, text)]))
}

fn parameter_entry(parameter: &Parameter) -> String {
    let mut spans = vec![span(PLAIN, type_word(parameter.value_type))];
    if parameter.role == Role::Position {
        spans.push(span(PLAIN, ", where on the screen"));
    }
    match &parameter.default {
        Some(default) => spans.push(span(PLAIN, format!(", else {}", short(default)))),
        None if !parameter.required => spans.push(span(PLAIN, ", optional")),
        None => {}
    }
    if !parameter.seen.is_empty() {
        let newest: Vec<String> = parameter
            .seen
            .iter()
            .rev()
            .take(SEEN_SHOWN)
            .rev()
            .map(short)
            .collect();
        let earlier = if parameter.seen.len() > SEEN_SHOWN {
            "… "
        } else {
            ""
        };
        spans.push(span(FAINT, format!("  seen {earlier}{}", newest.join(", "))));
    }
    paragraph(
        &span(PARAMETER, format!("  {}", parameter.name)),
        LABEL_COLUMN,
        &spans,
    )
}

fn type_word(value_type: ValueType) -> &'static str {
    match value_type {
        ValueType::String => "text",
        ValueType::Number => "number",
        ValueType::Boolean => "true or false",
        ValueType::Array => "array",
        ValueType::Object => "object",
        ValueType::Any => "any JSON",
    }
}

/// One version in a skill's history.
pub fn version(skill: &Skill) -> String {
    let steps = counted(skill.steps.len() as u64, "step");
    let parameters = counted(skill.parameters.len() as u64, "parameter");
    let head = [
        span(STRONG, format!("v{}", skill.version)),
        span(PLAIN, format!("  {steps}, {parameters}")),
    ];
    let tools: Vec<&str> = skill.steps.iter().map(|step| step.tool.as_str()).collect();
    line(&head)
        + &indented(4, &[span(FAINT, &skill.skill_id)])
        + &indented(4, &[span(PLAIN, tools.join(" → "))])
}

/// Concrete calls.
pub fn calls(calls: &[Call]) -> String {
    (1..)
        .zip(calls)
        .map(|(number, call)| numbered(number, &call.tool, concrete(&call.arguments)))
        .collect()
}

fn numbered(number: usize, tool: &str, arguments: Vec<Span>) -> String {
    let mut spans = vec![span(PLAIN, tool)];
    spans.extend(arguments);
    paragraph(&span(FAINT, format!("{number:>4}")), STEP_COLUMN, &spans)
}

/// What `forget` deleted.
pub fn forgotten(skill: &Skill, versions: usize) -> String {
    line(&[
        span(PLAIN, "Forgot "),
        span(STRONG, &skill.name),
        span(PLAIN, format!(", {}.", counted(versions as u64, "version"))),
    ])
}

/// What `embed-pending` did.
pub fn embedded(report: &EmbedReport) -> String {
    if report.stored == 0 && report.failed == 0 && report.remaining == 0 {
        return line(&[span(PLAIN, "Every skill can be found by meaning already.")]);
    }
    let mut text = format!("{} embedded", counted(report.stored, "skill"));
    if report.failed > 0 {
        text += &format!(", {} failed", report.failed);
    }
    if report.remaining > 0 {
        text += &format!(", {} left: try again later", report.remaining);
    }
    line(&[span(PLAIN, text + ".")])
}

/// A step's arguments with its placeholders highlighted and doubled braces undone.
fn templated(arguments: &JsonValue) -> Vec<Span> {
    members(arguments, &|text| placeholders(&text))
}

fn concrete(arguments: &JsonValue) -> Vec<Span> {
    members(arguments, &|text| vec![span(PLAIN, text)])
}

/// `key=value` for each argument, or the bare value.
fn members(arguments: &JsonValue, style: &dyn Fn(String) -> Vec<Span>) -> Vec<Span> {
    match arguments {
        JsonValue::Null => Vec::new(),
        JsonValue::Object(map) => map
            .iter()
            .flat_map(|(key, value)| {
                [vec![span(FAINT, format!("  {key}="))], style(value_text(value))].concat()
            })
            .collect(),
        bare => [vec![span(PLAIN, "  ")], style(value_text(bare))].concat(),
    }
}

/// A value as it is read most easily: text without quotes where nothing is lost by it, else JSON.
fn value_text(value: &JsonValue) -> String {
    match value {
        JsonValue::String(text) if is_plain(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Whether a text in a list can stand without quotes and not be taken for anything else.
fn is_plain(text: &str) -> bool {
    let separates = |c: char| c.is_whitespace() || c.is_control() || c == ',' || c == '"';
    !text.is_empty() && !text.contains(separates) && serde_json::from_str::<JsonValue>(text).is_err()
}

/// Splits a template into literal text, with its doubled braces single again, and placeholders.
fn placeholders(template: &str) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut literal = String::new();
    let mut rest = template;
    while let Some(at) = rest.find(['{', '}']) {
        literal.push_str(&rest[..at]);
        rest = &rest[at..];
        let name = rest
            .strip_prefix('{')
            .and_then(|inside| inside.split_once('}'))
            .map(|(name, _)| name);
        if rest.starts_with("{{") || rest.starts_with("}}") {
            literal.push_str(&rest[..1]);
            rest = &rest[2..];
        } else if let Some(name) = name.filter(|name| is_name(name.strip_prefix("secret:").unwrap_or(name))) {
            spans.push(span(PLAIN, std::mem::take(&mut literal)));
            let style = if name.starts_with("secret:") {
                SECRET
            } else {
                PARAMETER
            };
            spans.push(span(style, format!("{{{name}}}")));
            rest = &rest[name.len() + 2..];
        } else {
            literal.push_str(&rest[..1]);
            rest = &rest[1..];
        }
    }
    literal.push_str(rest);
    spans.push(span(PLAIN, literal));
    spans
}

fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

/// A value in a list, cut where it is long.
fn short(value: &JsonValue) -> String {
    let text = value_text(value);
    match text.char_indices().nth(VALUE_SHOWN) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text,
    }
}

fn quoted(text: &str) -> String {
    format!("“{}”", text.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use adroit::outcome::Evidence;
    use adroit::skill::{SkillRef, Step};
    use serde_json::json;
    use unicode_width::UnicodeWidthStr;

    fn stripped(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    fn an_alarm() -> Skill {
        Skill {
            skill_id: "0193-a".into(),
            lineage_id: "0193-l".into(),
            name: "set_alarm".into(),
            version: 2,
            parent_id: Some("0193-0".into()),
            description: "Opens the clock, types the hour and taps OK.".into(),
            goal: "Set an alarm for 7".into(),
            goal_family: "set an alarm for <1>".into(),
            app: Some("Clock".into()),
            source: "local-synthesis".into(),
            subscription: None,
            steps: vec![
                Step {
                    tool: "launch_app".into(),
                    arguments: json!({"app": "Clock"}),
                },
                Step {
                    tool: "input_text".into(),
                    arguments: json!({"text": "{hour}:00 {{sharp}}", "x": "{x}"}),
                },
                Step {
                    tool: "input_text".into(),
                    arguments: json!({"text": "{secret:pin}"}),
                },
                Step {
                    tool: "back".into(),
                    arguments: json!(null),
                },
            ],
            parameters: vec![
                Parameter {
                    name: "hour".into(),
                    value_type: ValueType::String,
                    role: Role::Content,
                    required: true,
                    default: None,
                    seen: vec![json!("7"), json!("eight")],
                    in_goal: true,
                },
                Parameter {
                    name: "x".into(),
                    value_type: ValueType::Number,
                    role: Role::Position,
                    required: false,
                    default: Some(json!(540)),
                    seen: (0..7).map(|n| json!(n)).collect(),
                    in_goal: false,
                },
            ],
            secrets: vec!["pin".into()],
            created_at_ms: 0,
        }
    }

    fn learned(decision: Decision, skill: bool) -> Outcome {
        Outcome {
            task_id: "t".into(),
            decision,
            skill: skill.then(|| SkillRef {
                skill_id: "s".into(),
                lineage_id: "l".into(),
                name: "set_alarm".into(),
                version: 3,
            }),
            parameters: vec![],
            evidence: Evidence::default(),
            embedding: skill.then_some(EmbeddingState::Stored),
        }
    }

    #[test]
    fn an_outcome_is_one_line_with_what_changed() {
        let updated = Decision::ParametersUpdated {
            added: vec!["hour".into()],
            changed: vec!["x".into(), "y".into()],
        };
        let change = |kind, tool: &str| StepChange {
            kind,
            tool: tool.into(),
            from: None,
            to: None,
        };
        let changes = vec![
            change(ChangeKind::Inserted, "tap"),
            change(ChangeKind::Deleted, "back"),
        ];
        let added = Decision::VersionAdded {
            parent_id: "p".into(),
            changes,
        };
        let failed = Decision::Skipped {
            reason: SkipReason::NotSucceeded {
                status: Status::Failed,
            },
        };
        for (decision, skill, expected) in [
            (Decision::Created, true, "created     set_alarm v3\n"),
            (
                updated,
                true,
                "updated     set_alarm v3  new: hour; new values: x, y\n",
            ),
            (added, true, "version     set_alarm v3  +tap, -back\n"),
            (failed, false, "skipped     “Do it now”  the task failed\n"),
        ] {
            assert_eq!(
                stripped(&outcome(&learned(decision, skill), "Do it\nnow")),
                expected
            );
        }
        let pending = Outcome {
            embedding: Some(EmbeddingState::Pending),
            ..learned(Decision::Created, true)
        };
        assert!(stripped(&outcome(&pending, "g")).contains("not embedded yet"));
    }

    #[test]
    fn a_skill_is_shown_with_everything_about_it() {
        let execution = Execution {
            task_id: "task-1".into(),
            skill_id: "0193-a".into(),
            goal: "Set an alarm for 7".into(),
            app: None,
            decision: Decision::ParametersUpdated {
                added: vec![],
                changed: vec![],
            },
            evidence: Evidence::default(),
            values: Default::default(),
            typed: vec![],
            learned_at_ms: 0,
        };
        let expected = "\
set_alarm v2 of 2
  Opens the clock, types the hour and taps OK.

  Goal        Set an alarm for 7
  App         Clock
  Skill id    0193-a
  From        0193-0
  Source      local-synthesis

Steps
   1  launch_app  app=Clock
   2  input_text  text=\"{hour}:00 {sharp}\"  x={x}
   3  input_text  text={secret:pin}
   4  back

Parameters
  hour        text  seen \"7\", eight
  x           number, where on the screen, else 540  seen … 2, 3, 4, 5, 6

Secrets
  pin         never stored; every replay must give it

Evidence
  “Set an alarm for 7”
    parameters updated, task task-1
";
        assert_eq!(stripped(&skill(&an_alarm(), 2, &[execution])), expected);
    }

    #[test]
    fn placeholders_stand_out() {
        let spans = placeholders("a {hour} {{b}} {secret:pin} {not a name} {");
        assert!(spans.contains(&span(PARAMETER, "{hour}")) && spans.contains(&span(SECRET, "{secret:pin}")));
        assert_eq!(
            stripped(&line(&spans)),
            "a {hour} {b} {secret:pin} {not a name} {\n"
        );
    }

    #[test]
    fn nothing_is_wider_than_a_page() {
        let mut wide = an_alarm();
        wide.description = "一条很长的说明".repeat(20);
        wide.goal = "a very long goal ".repeat(20);
        wide.steps[0].arguments = json!({"text": "x".repeat(300), "nested": {"deep": ["y".repeat(90)]}});
        let page = skill(&wide, 2, &[]) + &list_entry(&wide) + &version(&wide);
        for line in stripped(&page).lines() {
            assert!(line.width() <= crate::layout::WIDTH, "{line}");
        }
    }

    #[test]
    fn a_value_that_looks_like_another_type_keeps_its_quotes() {
        for (value, text) in [
            (json!("Clock"), "Clock"),
            (json!("7"), "\"7\""),
            (json!("true"), "\"true\""),
            (json!(7), "7"),
            (json!("a b"), "\"a b\""),
            (json!("a,b"), "\"a,b\""),
            (json!("a\nb"), "\"a\\nb\""),
            (json!(""), "\"\""),
            (json!([1, 2]), "[1,2]"),
        ] {
            assert_eq!(value_text(&value), text);
        }
        assert_eq!(
            short(&json!("é".repeat(50))),
            format!("{}…", "é".repeat(VALUE_SHOWN))
        );
    }

    #[test]
    fn the_tally_counts_what_happened() {
        let mut counts = Tally {
            refused: 1,
            ..Tally::default()
        };
        counts.add(&learned(Decision::Created, true));
        counts.add(&learned(Decision::Unchanged, true));
        assert_eq!(
            tally(&counts),
            "\n3 timelines: 1 created, 1 unchanged, 1 refused.\n"
        );
        assert_eq!(tally(&Tally::default()), "\nNo timelines.\n");
    }
}
