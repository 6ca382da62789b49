//! A template and an execution of its skeleton, side by side.

use std::collections::HashMap;

use serde_json::Value;

use super::text::{Text, has_secret, plain, read, secret_name};
use super::{Template, Tolerance, canonical, escape_key, same_value};
use crate::arguments;
use crate::flow::FlowStep;
use crate::names;
use crate::skill::{Role, Step};

/// One argument position at which a template and an execution are not simply the same.
pub(super) struct Site {
    pub(super) step: usize,
    pub(super) pointer: String,
    pub(super) role: Role,
    pub(super) typed: bool,
    pub(super) old: Old,
    /// One text for all positions that held the same in every execution so far.
    pub(super) history: String,
    pub(super) value: Option<Value>,
}

/// What a template has at a position.
pub(super) enum Old {
    /// A literal, or no such key.
    Literal(Option<Value>),
    Parameter(String),
}

impl Site {
    /// The name for the parameter at this position: what the element is called, else the argument's key.
    pub(super) fn name(&self, old: &[Step], new: &[FlowStep]) -> String {
        names::parameter(
            arguments::key(&self.pointer),
            self.role,
            &old[self.step].arguments,
            &new[self.step],
        )
    }
}

/// A template and an execution of its skeleton, side by side.
pub(super) struct Walk<'a> {
    template: &'a Template,
    tolerance: Tolerance,
    pub(super) sites: Vec<Site>,
    /// Positions that hold a secret in the execution but not yet in the template.
    pub(super) secrets: Vec<(usize, String, Value)>,
    /// What the template calls the execution's secrets. Each execution counts its own from the start.
    pub(super) known_secrets: HashMap<String, String>,
    /// Positions that are the same.
    pub(super) same: usize,
}

impl<'a> Walk<'a> {
    pub(super) fn over(template: &'a Template, steps: &[FlowStep], tolerance: Tolerance) -> Self {
        let mut walk = Self {
            template,
            tolerance,
            sites: Vec::new(),
            secrets: Vec::new(),
            known_secrets: HashMap::new(),
            same: 0,
        };
        for (index, (old, new)) in template.steps.iter().zip(steps).enumerate() {
            walk.value(index, &old.tool, &old.arguments, &new.arguments, "");
        }
        walk
    }

    fn value(&mut self, step: usize, tool: &str, old: &Value, new: &Value, pointer: &str) {
        match (secret_name(old), secret_name(new)) {
            (Some(known), new) => {
                if let Some(new) = new {
                    self.known_secrets
                        .entry(new.to_owned())
                        .or_insert_with(|| known.to_owned());
                }
                self.same += 1;
                return;
            }
            (None, Some(_)) => {
                self.secrets.push((step, pointer.to_owned(), new.clone()));
                return;
            }
            (None, None) => {}
        }
        match (old, new) {
            (Value::String(text), _) if matches!(read(text), Text::Parameter(_)) => {
                self.site(step, tool, pointer, Some(old), Some(new));
            }
            (Value::Object(old), Value::Object(new)) => {
                for (key, old) in old {
                    let pointer = format!("{pointer}/{}", escape_key(key));
                    match new.get(key) {
                        Some(new) => self.value(step, tool, old, new, &pointer),
                        None if has_secret(old) => self.same += 1,
                        None => self.site(step, tool, &pointer, Some(old), None),
                    }
                }
                for (key, new) in new.iter().filter(|(key, _)| !old.contains_key(*key)) {
                    let pointer = format!("{pointer}/{}", escape_key(key));
                    if has_secret(new) {
                        self.secrets.push((step, pointer, new.clone()));
                    } else {
                        self.site(step, tool, &pointer, None, Some(new));
                    }
                }
            }
            (Value::Array(old), Value::Array(new)) if old.len() == new.len() => {
                for (index, (old, new)) in old.iter().zip(new).enumerate() {
                    self.value(step, tool, old, new, &format!("{pointer}/{index}"));
                }
            }
            _ if same_value(old, new) || self.tolerated(tool, old, new, pointer) => self.same += 1,
            _ if has_secret(old) || has_secret(new) => {
                self.secrets.push((step, pointer.to_owned(), new.clone()));
            }
            _ => self.site(step, tool, pointer, Some(old), Some(new)),
        }
    }

    fn site(&mut self, step: usize, tool: &str, pointer: &str, old: Option<&Value>, new: Option<&Value>) {
        // With its placeholders, not with the values they had last: those may agree with another position's by chance.
        let history = canonical(old);
        let old = match old {
            Some(Value::String(text)) if let Text::Parameter(name) = read(text) => {
                Old::Parameter(name.to_owned())
            }
            other => Old::Literal(other.map(|value| self.last_seen(value))),
        };
        let value = new.map(plain);
        let shown = value.as_ref().or(match &old {
            Old::Literal(literal) => literal.as_ref(),
            Old::Parameter(_) => None,
        });
        let role = match &old {
            Old::Parameter(name) if let Some(parameter) = self.template.parameter(name) => parameter.role,
            _ => shown.map_or(Role::Content, |value| arguments::role(tool, pointer, value)),
        };
        self.sites.push(Site {
            step,
            pointer: pointer.to_owned(),
            role,
            typed: arguments::is_typed(tool, arguments::key(pointer)),
            old,
            history,
            value,
        });
    }

    /// The plain form of a template that may hold placeholders: each stands for its last value.
    fn last_seen(&self, template: &Value) -> Value {
        match template {
            Value::String(text) => match read(text) {
                Text::Parameter(name) => self
                    .template
                    .parameter(name)
                    .and_then(|p| p.seen.last().cloned())
                    .unwrap_or_default(),
                _ => plain(template),
            },
            Value::Array(items) => items.iter().map(|v| self.last_seen(v)).collect(),
            Value::Object(map) => {
                Value::Object(map.iter().map(|(k, v)| (k.clone(), self.last_seen(v))).collect())
            }
            scalar => scalar.clone(),
        }
    }

    fn tolerated(&self, tool: &str, old: &Value, new: &Value, pointer: &str) -> bool {
        let near = |(old, new): (f64, f64)| (old - new).abs() <= self.tolerance.coordinates;
        old.as_f64().zip(new.as_f64()).is_some_and(near) && arguments::is_coordinate(tool, pointer, new)
    }
}
