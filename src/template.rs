//! Templates: what differs between executions becomes a named parameter; filling the parameters with an
//! execution's own values gives that execution back. Pure.
//!
//! In a templated string `{name}` stands for a parameter's whole value and `{secret:name}` for a secret;
//! braces that were typed are doubled. A placeholder always stands for a whole JSON value, never a part
//! of a string.

mod text;
mod walk;

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::{Map, Value};

use text::{Text, each_string, map_strings, read};
pub use text::{is_placeholder, literal, plain, secret};
use walk::{Old, Site, Walk};

use crate::error::{Result, SkillError};
use crate::flow::FlowStep;
use crate::goal;
use crate::names;
use crate::skill::{Call, MAX_SEEN, Parameter, Role, Skill, Step, ValueType};

/// The steps of a skill with the parameters their placeholders name.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Template {
    /// Steps with templated arguments.
    pub steps: Vec<Step>,
    /// Parameters in order of first use.
    pub parameters: Vec<Parameter>,
}

/// A template that took in one more execution.
#[derive(Debug, Clone, PartialEq)]
pub struct Merged {
    /// The template, covering all executions so far.
    pub template: Template,
    /// The new execution's values.
    pub values: HashMap<String, Value>,
    /// Parameters that are new.
    pub added: Vec<String>,
    /// Parameters that saw a new value.
    pub changed: Vec<String>,
}

/// What is allowed to differ without becoming a parameter.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Tolerance {
    /// Largest difference of two coordinates that count as the same, in the recorder's unit. 0 by default.
    pub coordinates: f64,
}

/// One argument position whose value differs between a template and an execution.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// Index of the step.
    pub step: usize,
    /// JSON pointer within the step's arguments.
    pub pointer: String,
    /// What the position is for.
    pub role: Role,
    /// Values the stored executions had here; empty when the key was always absent.
    pub seen: Vec<Value>,
    /// The new execution's value; none when the key is absent.
    pub value: Option<Value>,
}

impl Template {
    /// The template of a first execution: literal values, no parameters.
    pub fn first(steps: &[FlowStep]) -> Self {
        let steps = steps
            .iter()
            .map(|s| Step {
                tool: s.tool.clone(),
                arguments: s.arguments.clone(),
            })
            .collect();
        Self {
            steps,
            parameters: Vec::new(),
        }
    }

    /// The positions at which an execution of the same skeleton differs from what was seen, and how many
    /// positions were compared. A value that a parameter has seen before is no difference.
    pub fn differences(&self, steps: &[FlowStep], tolerance: Tolerance) -> (Vec<Difference>, usize) {
        let walk = Walk::over(self, steps, tolerance);
        let compared = walk.sites.len() + walk.same;
        let differences = walk
            .sites
            .into_iter()
            .filter_map(|site| {
                let seen = match &site.old {
                    Old::Literal(value) => value.iter().cloned().collect(),
                    Old::Parameter(name) => self.parameter(name).map(|p| p.seen.clone()).unwrap_or_default(),
                };
                let known = site
                    .value
                    .as_ref()
                    .is_some_and(|v| seen.iter().any(|s| same_value(s, v)));
                (!known).then_some(Difference {
                    step: site.step,
                    pointer: site.pointer,
                    role: site.role,
                    seen,
                    value: site.value,
                })
            })
            .collect();
        (differences, compared)
    }

    /// Takes in an execution of the same skeleton. `past_goals` are the goals of the executions so far,
    /// `goal` the new one's.
    pub fn merge(&self, steps: &[FlowStep], past_goals: &[&str], goal: &str, tolerance: Tolerance) -> Merged {
        let walk = Walk::over(self, steps, tolerance);
        let mut merged = Merged {
            template: self.clone(),
            values: HashMap::new(),
            added: Vec::new(),
            changed: Vec::new(),
        };
        let mut taken: HashSet<String> = self.names();
        let mut secrets = walk.known_secrets.clone();
        for (step, pointer, value) in &walk.secrets {
            each_string(value, &mut |text| {
                if let Text::Secret(name) = read(text) {
                    let free = || names::unique(name, &mut taken);
                    secrets.entry(name.to_owned()).or_insert_with(free);
                }
            });
            let renamed = map_strings(value, &|text| match read(text) {
                Text::Secret(name) => format!("{{secret:{}}}", secrets[name]),
                _ => text.to_owned(),
            });
            put(&mut merged.template.steps[*step].arguments, pointer, renamed);
        }
        let same_goal = past_goals.iter().any(|past| goal::same(past, goal));
        // Positions with one history and one new value vary together: they share a parameter.
        let mut groups: BTreeMap<(Role, String, String), Vec<&Site>> = BTreeMap::new();
        let mut order: Vec<(Role, String, String)> = Vec::new();
        for site in &walk.sites {
            let key = (site.role, site.history.clone(), canonical(site.value.as_ref()));
            groups.entry(key.clone()).or_default().push(site);
            if !order.contains(&key) {
                order.push(key);
            }
        }
        let mut continued: HashSet<&str> = HashSet::new();
        for key in &order {
            let sites = &groups[key];
            let site = sites[0];
            match &site.old {
                Old::Parameter(name) if continued.insert(name) => {
                    let Some(parameter) = merged.template.parameters.iter_mut().find(|p| &p.name == name)
                    else {
                        continue;
                    };
                    let incidental = same_goal && !site.typed;
                    if parameter.observe(site.value.as_ref(), goal, incidental) {
                        merged.changed.push(name.clone());
                    }
                    record(&mut merged.values, name, site.value.as_ref());
                }
                old => {
                    // Either a literal that now differs, or a shared parameter that came apart.
                    let name = names::unique(&site.name(&self.steps, steps), &mut taken);
                    let mut parameter = match old {
                        Old::Literal(literal) => {
                            Parameter::begin(&name, site.role, literal.as_ref(), past_goals)
                        }
                        Old::Parameter(shared) => match self.parameter(shared) {
                            Some(shared) => Parameter {
                                name: name.clone(),
                                ..shared.clone()
                            },
                            None => continue,
                        },
                    };
                    let incidental = same_goal && !sites.iter().any(|s| s.typed);
                    parameter.observe(site.value.as_ref(), goal, incidental);
                    record(&mut merged.values, &name, site.value.as_ref());
                    let placeholder = Value::String(format!("{{{name}}}"));
                    for site in sites {
                        put(
                            &mut merged.template.steps[site.step].arguments,
                            &site.pointer,
                            placeholder.clone(),
                        );
                    }
                    merged.template.parameters.push(parameter);
                    merged.added.push(name);
                }
            }
        }
        merged.template.settle();
        merged
            .values
            .retain(|name, _| merged.template.parameters.iter().any(|p| &p.name == name));
        merged
    }

    /// The values an execution gives to the parameters, or none when it does not fit the template.
    pub fn values_of(&self, steps: &[FlowStep]) -> Option<HashMap<String, Value>> {
        if !self.has_skeleton_of(steps) {
            return None;
        }
        let mut values: HashMap<String, Option<Value>> = HashMap::new();
        for site in Walk::over(self, steps, Tolerance::default()).sites {
            let Old::Parameter(name) = site.old else {
                return None;
            };
            match values.get(&name) {
                Some(known) if canonical(known.as_ref()) != canonical(site.value.as_ref()) => return None,
                _ => values.insert(name, site.value),
            };
        }
        Some(
            values
                .into_iter()
                .filter_map(|(name, value)| Some((name, value?)))
                .collect(),
        )
    }

    /// The concrete calls for these values; secrets are given like parameters, under their names.
    ///
    /// Fails with `UnknownParameter`, `WrongType`, `MissingParameter` or `NeedsSecret`.
    pub fn fill(&self, values: &HashMap<String, Value>) -> Result<Vec<Call>> {
        let secrets = self.secrets();
        let mut unknown: Vec<&String> = values
            .keys()
            .filter(|name| self.parameter(name).is_none() && !secrets.contains(*name))
            .collect();
        unknown.sort();
        if let Some(name) = unknown.first() {
            let known: Vec<&str> = self
                .parameters
                .iter()
                .map(|p| p.name.as_str())
                .chain(secrets.iter().map(String::as_str))
                .collect();
            return Err(SkillError::UnknownParameter {
                name: (*name).clone(),
                known: known.join(", "),
            });
        }
        for parameter in &self.parameters {
            if let Some(value) = values.get(&parameter.name)
                && !parameter.value_type.accepts(value)
            {
                return Err(SkillError::WrongType {
                    name: parameter.name.clone(),
                    expected: parameter.value_type.as_str().into(),
                    found: type_name(value).into(),
                });
            }
        }
        self.steps
            .iter()
            .map(|step| {
                let arguments = self.fill_value(&step.arguments, values)?.unwrap_or(Value::Null);
                Ok(Call {
                    tool: step.tool.clone(),
                    arguments,
                })
            })
            .collect()
    }

    /// Names of the secrets that the steps refer to, in order of first use.
    pub fn secrets(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for step in &self.steps {
            each_string(&step.arguments, &mut |text| {
                if let Text::Secret(name) = read(text)
                    && !names.iter().any(|n| n == name)
                {
                    names.push(name.to_owned());
                }
            });
        }
        names
    }

    /// The tool names in order.
    pub fn skeleton(&self) -> Vec<String> {
        self.steps.iter().map(|s| s.tool.clone()).collect()
    }

    fn has_skeleton_of(&self, steps: &[FlowStep]) -> bool {
        self.steps.len() == steps.len() && self.steps.iter().zip(steps).all(|(a, b)| a.tool == b.tool)
    }

    fn parameter(&self, name: &str) -> Option<&Parameter> {
        self.parameters.iter().find(|p| p.name == name)
    }

    fn names(&self) -> HashSet<String> {
        self.parameters
            .iter()
            .map(|p| p.name.clone())
            .chain(self.secrets())
            .collect()
    }

    /// None when the value is an optional parameter without a value: its key is left out.
    fn fill_value(&self, template: &Value, values: &HashMap<String, Value>) -> Result<Option<Value>> {
        Ok(Some(match template {
            Value::String(text) => match read(text) {
                Text::Literal(literal) => Value::String(literal),
                Text::Secret(name) => match values.get(name) {
                    Some(value) => value.clone(),
                    None => {
                        return Err(SkillError::NeedsSecret {
                            name: name.to_owned(),
                        });
                    }
                },
                Text::Parameter(name) => {
                    let parameter = self.parameter(name);
                    match values.get(name).or(parameter.and_then(|p| p.default.as_ref())) {
                        Some(value) => value.clone(),
                        None if parameter.is_some_and(|p| !p.required) => return Ok(None),
                        None => {
                            return Err(SkillError::MissingParameter {
                                name: name.to_owned(),
                            });
                        }
                    }
                }
            },
            Value::Array(items) => {
                let filled: Result<Vec<_>> = items.iter().map(|v| self.fill_value(v, values)).collect();
                Value::Array(filled?.into_iter().map(Option::unwrap_or_default).collect())
            }
            Value::Object(map) => {
                let mut filled = Map::new();
                for (key, value) in map {
                    if let Some(value) = self.fill_value(value, values)? {
                        filled.insert(key.clone(), value);
                    }
                }
                Value::Object(filled)
            }
            scalar => scalar.clone(),
        }))
    }

    /// Orders the parameters by first use, drops those that are no longer used and says what a replay must give.
    fn settle(&mut self) {
        let mut order: Vec<String> = Vec::new();
        for step in &self.steps {
            each_string(&step.arguments, &mut |text| {
                if let Text::Parameter(name) = read(text)
                    && !order.iter().any(|n| n == name)
                {
                    order.push(name.to_owned());
                }
            });
        }
        self.parameters.retain(|p| order.contains(&p.name));
        self.parameters
            .sort_by_key(|p| order.iter().position(|n| *n == p.name));
    }
}

impl Skill {
    /// The version's steps and parameters.
    pub(crate) fn template(&self) -> Template {
        Template {
            steps: self.steps.clone(),
            parameters: self.parameters.clone(),
        }
    }
}

impl Parameter {
    /// A position that had one value in all executions so far.
    fn begin(name: &str, role: Role, literal: Option<&Value>, past_goals: &[&str]) -> Self {
        let mut parameter = Self {
            name: name.to_owned(),
            value_type: literal.map_or(ValueType::Any, ValueType::of),
            role,
            required: role == Role::Content && literal.is_some(),
            default: if role == Role::Position {
                literal.cloned()
            } else {
                None
            },
            seen: literal.cloned().into_iter().collect(),
            in_goal: true,
        };
        parameter.in_goal =
            literal.is_some_and(|value| past_goals.iter().all(|past| goal::mentions(past, value)));
        parameter
    }

    /// Takes in one more value; says whether it is new. A value that changed while the goal stayed the
    /// same is incidental: a replay may take the last one seen.
    fn observe(&mut self, value: Option<&Value>, goal: &str, incidental: bool) -> bool {
        let Some(value) = value else {
            let was_present = self.required || self.default.is_some();
            (self.required, self.default, self.in_goal) = (false, None, false);
            return was_present;
        };
        let optional = !self.required && self.default.is_none();
        let new = !self.seen.iter().any(|seen| same_value(seen, value));
        if self.seen.is_empty() {
            self.value_type = ValueType::of(value);
        } else if ValueType::of(value) != self.value_type {
            self.value_type = ValueType::Any;
        }
        if new {
            // The first value stays: it is the literal of the executions before the parameter existed.
            if self.seen.len() == MAX_SEEN {
                self.seen.remove(1);
            }
            self.seen.push(value.clone());
        }
        let mentioned = goal::mentions(goal, value);
        self.in_goal &= mentioned;
        if !optional && (self.role == Role::Position || !self.required || (incidental && new && !mentioned)) {
            self.required = self.role == Role::Content && mentioned;
            self.default = (!self.required).then(|| value.clone());
        }
        new
    }
}

impl ValueType {
    /// The type of one value; null has none of its own.
    pub fn of(value: &Value) -> Self {
        match value {
            Value::String(_) => Self::String,
            Value::Number(_) => Self::Number,
            Value::Bool(_) => Self::Boolean,
            Value::Array(_) => Self::Array,
            Value::Object(_) => Self::Object,
            Value::Null => Self::Any,
        }
    }

    /// Whether a parameter of this type takes the value.
    pub fn accepts(self, value: &Value) -> bool {
        self == Self::Any || Self::of(value) == self
    }

    /// The type's name as it stands in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::Array => "array",
            Self::Object => "object",
            Self::Any => "any",
        }
    }
}

/// Whether two values are the same: numbers as numbers, keys in any order.
pub fn same_value(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            a == b || ((a.is_f64() || b.is_f64()) && a.as_f64() == b.as_f64())
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_value(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(k, a)| b.get(k).is_some_and(|b| same_value(a, b)))
        }
        _ => a == b,
    }
}

/// Sets the value at a JSON pointer (RFC 6901) whose parents exist.
fn put(root: &mut Value, pointer: &str, value: Value) {
    let Some((parent, key)) = pointer.rsplit_once('/') else {
        *root = value;
        return;
    };
    let key = key.replace("~1", "/").replace("~0", "~");
    match root.pointer_mut(parent) {
        Some(Value::Object(map)) => {
            map.insert(key, value);
        }
        Some(Value::Array(items)) => {
            if let Some(item) = key.parse().ok().and_then(|index: usize| items.get_mut(index)) {
                *item = value;
            }
        }
        _ => {}
    }
}

/// A key as a part of a JSON pointer (RFC 6901).
pub(crate) fn escape_key(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// One text for all values that are the same.
fn canonical(value: Option<&Value>) -> String {
    match value {
        None => "absent".into(),
        Some(Value::Number(n)) => match n.as_f64() {
            // Whole numbers read alike, whether written as 1, 1.0 or -0.0.
            Some(f) if n.is_f64() && f.fract() == 0.0 && f.abs() < 1e15 => (f as i64).to_string(),
            _ => n.to_string(),
        },
        Some(Value::Array(items)) => {
            let items: Vec<String> = items.iter().map(|v| canonical(Some(v))).collect();
            format!("[{}]", items.join(","))
        }
        Some(Value::Object(map)) => {
            let mut entries: Vec<String> = map
                .iter()
                .map(|(k, v)| format!("{}:{}", Value::String(k.clone()), canonical(Some(v))))
                .collect();
            entries.sort();
            format!("{{{}}}", entries.join(","))
        }
        Some(scalar) => scalar.to_string(),
    }
}

fn type_name(value: &Value) -> &'static str {
    if value.is_null() {
        "null"
    } else {
        ValueType::of(value).as_str()
    }
}

fn record(values: &mut HashMap<String, Value>, name: &str, value: Option<&Value>) {
    if let Some(value) = value {
        values.insert(name.to_owned(), value.clone());
    }
}
