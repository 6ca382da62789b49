//! Templated strings: placeholders, secrets, and literals with their braces doubled.

use serde_json::Value;

/// Whether a templated value is a placeholder of a parameter or a secret.
pub fn is_placeholder(value: &Value) -> bool {
    matches!(value, Value::String(text) if !matches!(read(text), Text::Literal(_)))
}

/// The templated form of a plain value: braces in its strings doubled.
pub fn literal(value: &Value) -> Value {
    map_strings(value, &|text| text.replace('{', "{{").replace('}', "}}"))
}

/// The templated form of a secret.
pub fn secret(name: &str) -> Value {
    Value::String(format!("{{secret:{name}}}"))
}

/// What a templated string says.
pub(super) enum Text<'a> {
    Literal(String),
    Parameter(&'a str),
    Secret(&'a str),
}

pub(super) fn read(text: &str) -> Text<'_> {
    match text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
        Some(inner) if !inner.is_empty() && !inner.contains(['{', '}']) => {
            match inner.strip_prefix("secret:") {
                Some(name) => Text::Secret(name),
                None => Text::Parameter(inner),
            }
        }
        _ => Text::Literal(text.replace("{{", "{").replace("}}", "}")),
    }
}

/// The plain form of a templated value without placeholders.
pub fn plain(value: &Value) -> Value {
    map_strings(value, &|text| match read(text) {
        Text::Literal(literal) => literal,
        _ => text.to_owned(),
    })
}

pub(super) fn map_strings(value: &Value, f: &impl Fn(&str) -> String) -> Value {
    match value {
        Value::String(text) => Value::String(f(text)),
        Value::Array(items) => items.iter().map(|v| map_strings(v, f)).collect(),
        Value::Object(map) => {
            Value::Object(map.iter().map(|(k, v)| (k.clone(), map_strings(v, f))).collect())
        }
        scalar => scalar.clone(),
    }
}

pub(super) fn each_string<'v>(value: &'v Value, f: &mut impl FnMut(&'v str)) {
    match value {
        Value::String(text) => f(text),
        Value::Array(items) => items.iter().for_each(|v| each_string(v, f)),
        Value::Object(map) => map.values().for_each(|v| each_string(v, f)),
        _ => {}
    }
}

/// The name of the secret that a templated value stands for.
pub(super) fn secret_name(value: &Value) -> Option<&str> {
    match read(value.as_str()?) {
        Text::Secret(name) => Some(name),
        _ => None,
    }
}

pub(super) fn has_secret(value: &Value) -> bool {
    let mut found = false;
    each_string(value, &mut |text| found |= matches!(read(text), Text::Secret(_)));
    found
}
