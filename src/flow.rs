//! A flow: what a finished task leaves to learn from: its steps, with secrets taken out. Pure.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::arguments;
use crate::goal;
use crate::names;
use crate::template;
use crate::timeline::{Timeline, ToolCall};
use crate::tools;

/// What stands in a goal where a secret stood.
const HIDDEN: &str = "•••";

/// Secrets shorter than this are only recognised as whole arguments, not inside other texts.
const SHORTEST_HIDDEN: usize = 4;

/// The steps of one task and what it was about.
#[derive(Debug, Clone, PartialEq)]
pub struct Flow {
    /// The task it came from.
    pub task_id: String,
    /// The goal, secrets hidden.
    pub goal: String,
    /// The app: what the timeline says, else the first app the steps launch.
    pub app: Option<String>,
    /// The host's own goal family.
    pub goal_family: Option<String>,
    /// The skill the task was run from.
    pub skill_id: Option<String>,
    /// The mutating calls in order.
    pub steps: Vec<FlowStep>,
}

/// One mutating call, its arguments in templated form, secrets already references.
#[derive(Debug, Clone, PartialEq)]
pub struct FlowStep {
    /// The tool's name.
    pub tool: String,
    /// Templated arguments without parameters.
    pub arguments: Value,
    /// What the element is called, best first.
    pub labels: Vec<String>,
}

impl Flow {
    /// The flow of a timeline. `overrides` says for a tool's name whether its calls are steps.
    pub fn of(timeline: &Timeline, overrides: &HashMap<String, bool>) -> Self {
        let finished = timeline.calls.iter().position(|call| {
            let done = call.ok && call.error.is_none() && tools::kind(&call.tool) == tools::Kind::Finish;
            done && !tools::is_step(call, overrides)
        });
        // What a recorder still wrote after the task was declared over is no part of it.
        let calls = &timeline.calls[..finished.unwrap_or(timeline.calls.len())];
        let mut calls = calls.to_vec();
        tools::mark_secrets(&mut calls);
        let secrets = Secrets::of(&calls);
        let steps: Vec<FlowStep> = calls
            .iter()
            .enumerate()
            .filter(|(_, call)| tools::is_step(call, overrides))
            .map(|(index, call)| FlowStep {
                tool: call.tool.clone(),
                arguments: secrets.hide(index, &call.arguments, ""),
                labels: labels(call)
                    .into_iter()
                    .filter(|label| !secrets.leaks(label))
                    .collect(),
            })
            .collect();
        let launched = || {
            let launch = steps
                .iter()
                .find(|step| tools::kind(&step.tool) == tools::Kind::Launch)?;
            let named = scalars(&launch.arguments)
                .into_iter()
                .find_map(|(key, value)| goal::text_of(&value).filter(|_| arguments::is_app(&key)));
            named.filter(|_| steps.len() > 1)
        };
        let app = timeline.app.clone().filter(|app| !app.trim().is_empty());
        Self {
            task_id: timeline.task_id.clone(),
            goal: secrets.hide_in_text(&timeline.goal),
            app: app.or_else(launched),
            goal_family: timeline
                .goal_family
                .clone()
                .filter(|family| !family.trim().is_empty()),
            skill_id: timeline.skill_id.clone(),
            steps,
        }
    }

    /// The tool names in order.
    pub fn skeleton(&self) -> Vec<String> {
        self.steps.iter().map(|step| step.tool.clone()).collect()
    }

    /// The texts that the steps type, in order, secrets left out.
    pub fn typed(&self) -> Vec<String> {
        let mut typed = Vec::new();
        for step in &self.steps {
            let scalars = scalars(&step.arguments).into_iter();
            typed.extend(
                scalars
                    .filter(|(key, _)| arguments::is_typed(&step.tool, key))
                    .filter_map(|(_, value)| goal::text_of(&value))
                    .filter(|text| !text.is_empty()),
            );
        }
        typed
    }

    /// The goal with its values marked: what the steps type or name, and what the app is called.
    pub fn read_goal(&self) -> goal::Goal {
        let arguments = self
            .steps
            .iter()
            .map(|step| (step.tool.as_str(), &step.arguments));
        read_goal(&self.goal, self.app.as_deref(), arguments)
    }

    /// The key of a new lineage: the host's own, else the goal with its values masked.
    pub fn family(&self) -> String {
        if let Some(family) = &self.goal_family {
            return family.clone();
        }
        let family = self.read_goal().family();
        // A goal of nothing but signs, such as an emoji, has no words to fold.
        if family.is_empty() {
            self.goal.trim().to_owned()
        } else {
            family
        }
    }
}

/// The same timeline without its secrets: marks stand for them wherever they stood, and the calls that held them are
/// marked sensitive. Learning from it gives the same skill.
pub fn without_secrets(timeline: &Timeline) -> Timeline {
    let mut hidden = timeline.clone();
    tools::mark_secrets(&mut hidden.calls);
    let secrets = Secrets::of(&hidden.calls);
    if secrets.values.is_empty() {
        return hidden;
    }
    hidden.goal = secrets.mark_in_text(&hidden.goal);
    for (index, call) in hidden.calls.iter_mut().enumerate() {
        call.sensitive |= secrets.places.keys().any(|(holder, _)| *holder == index);
        call.arguments = secrets.mark(index, &call.arguments, "");
        let target = call.target.iter_mut().flat_map(|target| {
            [
                &mut target.resource_id,
                &mut target.text,
                &mut target.content_desc,
                &mut target.class,
            ]
        });
        for text in target.chain([&mut call.error]).flatten() {
            *text = secrets.mark_everywhere(text);
        }
        if let Some(bounds) = call.target.as_mut().and_then(|target| target.bounds.as_mut()) {
            *bounds = secrets.mark(usize::MAX, bounds, "");
        }
    }
    hidden
}

/// A goal with the values of these steps marked.
pub fn read_goal<'a>(
    text: &str,
    app: Option<&str>,
    arguments: impl Iterator<Item = (&'a str, &'a Value)>,
) -> goal::Goal {
    let mut goal = goal::Goal::read(text);
    if let Some(app) = app {
        goal.mark_app(app);
    }
    for (tool, arguments) in arguments {
        for (key, value) in scalars(arguments) {
            let Some(text) = goal::text_of(&value) else {
                continue;
            };
            if arguments::is_typed(tool, &key) {
                goal.mark(&text);
            } else if arguments::is_app(&key) {
                goal.mark_app(&text);
            } else if arguments::is_label(&key) {
                goal.mark_label(&text);
            }
        }
    }
    goal
}

/// The plain scalars of templated arguments with the key they stand under. Placeholders are left out.
pub fn scalars(arguments: &Value) -> Vec<(String, Value)> {
    fn walk(value: &Value, key: &str, found: &mut Vec<(String, Value)>) {
        match value {
            Value::Object(map) => map.iter().for_each(|(key, value)| walk(value, key, found)),
            Value::Array(items) => items.iter().for_each(|value| walk(value, key, found)),
            scalar if template::is_placeholder(scalar) => {}
            scalar => found.push((key.to_owned(), template::plain(scalar))),
        }
    }
    let mut found = Vec::new();
    walk(arguments, "", &mut found);
    found
}

/// What the element of a call is called: its label or hint first, then its id.
fn labels(call: &ToolCall) -> Vec<String> {
    let target = call.target.as_ref();
    let argument = |key: &str| call.arguments.get(key).and_then(Value::as_str).map(str::to_owned);
    [
        target.and_then(|t| t.text.clone()),
        target.and_then(|t| t.content_desc.clone()),
        target.and_then(|t| t.resource_id.clone()),
        argument("hint"),
        argument("label"),
        argument("field_text"),
        argument("content_desc"),
        argument("resource_id"),
        argument("id"),
    ]
    .into_iter()
    .flatten()
    .filter(|label| !label.trim().is_empty())
    .collect()
}

/// The secret values of a task, and where they stand.
#[derive(Default)]
struct Secrets {
    /// Value and name, longest value first.
    values: Vec<(String, String)>,
    /// Call and JSON pointer of every secret position, with the secret's name.
    places: HashMap<(usize, String), String>,
}

impl Secrets {
    fn of(calls: &[ToolCall]) -> Self {
        let mut secrets = Self::default();
        let mut taken = HashSet::new();
        for (index, call) in calls.iter().enumerate() {
            each_scalar(&call.arguments, "", &mut |pointer, value| {
                if !tools::is_secret_value(call, pointer, value) || value.as_str() == Some("") {
                    return;
                }
                let Some(text) = goal::text_of(value) else { return };
                let name = match secrets.values.iter().find(|(known, _)| *known == text) {
                    Some((_, name)) => name.clone(),
                    None => {
                        let name = names::unique(&secret_name(calls, index, &text), &mut taken);
                        secrets.values.push((text, name.clone()));
                        name
                    }
                };
                secrets.places.insert((index, pointer.to_owned()), name);
            });
        }
        secrets
            .values
            .sort_by_key(|(value, _)| std::cmp::Reverse(value.len()));
        secrets
    }

    /// The templated form of a call's arguments, secrets as references.
    fn hide(&self, call: usize, value: &Value, pointer: &str) -> Value {
        map_scalars(value, pointer, &mut |pointer, scalar| match scalar {
            Value::String(text) => match self.name_of(call, pointer, text) {
                Some(name) => template::secret(name),
                None => template::literal(&Value::String(self.hide_in_text(text))),
            },
            scalar => match self.places.get(&(call, pointer.to_owned())) {
                Some(name) => template::secret(name),
                None => scalar.clone(),
            },
        })
    }

    /// A text is a secret where it was found to be one, and wherever else the same text stands alone.
    fn name_of(&self, call: usize, pointer: &str, text: &str) -> Option<&String> {
        self.places.get(&(call, pointer.to_owned())).or_else(|| {
            self.values
                .iter()
                .find(|(secret, _)| secret == text)
                .map(|(_, name)| name)
        })
    }

    fn hide_in_text(&self, text: &str) -> String {
        self.replace_in_text(text, |_| HIDDEN.to_owned())
    }

    /// Leaves a mark for each secret, in which the next reader of the timeline sees it again.
    fn mark_in_text(&self, text: &str) -> String {
        self.replace_in_text(text, mark)
    }

    fn replace_in_text(&self, text: &str, mark: impl Fn(&str) -> String) -> String {
        let mut hidden = text.to_owned();
        for (secret, name) in &self.values {
            if secret.chars().count() >= SHORTEST_HIDDEN {
                hidden = hidden.replace(secret, &mark(name));
            } else if goal::Goal::read(&hidden).holds(secret) {
                hidden = hide_word(&hidden, secret, &mark(name));
            }
        }
        hidden
    }

    fn mark_everywhere(&self, text: &str) -> String {
        self.values.iter().fold(text.to_owned(), |text, (secret, name)| {
            text.replace(secret.as_str(), &mark(name))
        })
    }

    /// A call's arguments as they were, with marks for secrets.
    fn mark(&self, call: usize, value: &Value, pointer: &str) -> Value {
        map_scalars(value, pointer, &mut |pointer, scalar| match scalar {
            Value::String(text) => match self.name_of(call, pointer, text) {
                Some(name) => Value::String(mark(name)),
                None => Value::String(self.mark_in_text(text)),
            },
            scalar => match self.places.get(&(call, pointer.to_owned())) {
                Some(name) => Value::String(mark(name)),
                None => scalar.clone(),
            },
        })
    }

    fn leaks(&self, label: &str) -> bool {
        self.values
            .iter()
            .any(|(secret, _)| label.contains(secret.as_str()))
    }
}

/// What stands in a recorded timeline for the secret of this name.
fn mark(name: &str) -> String {
    format!("{HIDDEN}{name}")
}

/// The same value with every scalar replaced. `f` is given its JSON pointer, which continues `pointer`.
fn map_scalars(value: &Value, pointer: &str, f: &mut impl FnMut(&str, &Value) -> Value) -> Value {
    match value {
        Value::Object(map) => Value::Object(
            map.iter()
                .map(|(key, value)| {
                    let pointer = format!("{pointer}/{}", template::escape_key(key));
                    (key.clone(), map_scalars(value, &pointer, f))
                })
                .collect(),
        ),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .map(|(index, value)| map_scalars(value, &format!("{pointer}/{index}"), f))
            .collect(),
        scalar => f(pointer, scalar),
    }
}

fn each_scalar(value: &Value, pointer: &str, f: &mut impl FnMut(&str, &Value)) {
    match value {
        Value::Object(map) => map.iter().for_each(|(key, value)| {
            each_scalar(value, &format!("{pointer}/{}", template::escape_key(key)), f)
        }),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .for_each(|(index, value)| each_scalar(value, &format!("{pointer}/{index}"), f)),
        scalar => f(pointer, scalar),
    }
}

/// What a secret is called: as the field it is typed into, or the field that was tapped before.
fn secret_name(calls: &[ToolCall], index: usize, secret: &str) -> String {
    let tapped = calls[..index]
        .iter()
        .rev()
        .find(|call| tools::kind(&call.tool) == tools::Kind::Tap);
    let tapped = tapped.map(|call| {
        let text = call
            .arguments
            .get("text")
            .and_then(Value::as_str)
            .map(str::to_owned);
        labels(call).into_iter().chain(text).collect()
    });
    let fields = labels(&calls[index])
        .into_iter()
        .chain(tapped.unwrap_or_else(Vec::new));
    fields
        .filter(|label| !label.contains(secret))
        .map(|label| names::identifier(&label))
        .find(|name| !name.is_empty())
        .unwrap_or_else(|| "secret".into())
}

/// Hides a short secret where it stands as a word of its own.
fn hide_word(text: &str, secret: &str, mark: &str) -> String {
    let mut hidden = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(secret) {
        let after = &rest[at + secret.len()..];
        let alone = !rest[..at].chars().next_back().is_some_and(char::is_alphanumeric)
            && !after.chars().next().is_some_and(char::is_alphanumeric);
        hidden.push_str(&rest[..at]);
        hidden.push_str(if alone { mark } else { secret });
        rest = after;
    }
    hidden + rest
}
