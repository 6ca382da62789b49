//! Names that a user reads: of skills, of parameters, and the sentence that describes a skill. Pure.

use std::collections::HashSet;

use serde_json::Value;
use unicode_normalization::char::is_combining_mark;

use crate::arguments;
use crate::flow::{Flow, FlowStep, scalars};
use crate::goal;
use crate::skill::Role;
use crate::tools::{self, Kind};

/// Most words of a skill's name.
const NAME_WORDS: usize = 7;
/// Most characters of a name.
const NAME_LENGTH: usize = 48;
/// Most steps that a description names before it says how many more there are.
const DESCRIBED_STEPS: usize = 6;
/// Most characters of a label in a description.
const LABEL_LENGTH: usize = 32;

/// The name of a skill: its goal's words in snake_case, with the values left out.
pub fn skill(flow: &Flow) -> String {
    let words = flow.read_goal().name_words();
    let name = snake(&words.iter().map(String::as_str).collect::<Vec<_>>());
    if name.is_empty() {
        let tools = flow.steps.iter().take(3);
        let words: Vec<String> = tools
            .flat_map(|step| tools::identifier_words(&step.tool))
            .collect();
        let name = snake(&words.iter().map(String::as_str).collect::<Vec<_>>());
        return if name.is_empty() { "skill".into() } else { name };
    }
    name
}

/// What an app is called in a name: its label, or the telling part of its package name.
pub fn app(app: &str) -> String {
    const GENERAL: [&str; 16] = [
        "com", "org", "net", "android", "app", "apps", "mobile", "client", "release", "lite", "free", "pro",
        "consumer", "standard", "browser", "examples",
    ];
    let parts: Vec<&str> = app.split('.').collect();
    let telling = match parts.as_slice() {
        [label] => label,
        parts => parts
            .iter()
            .rev()
            .find(|part| !GENERAL.contains(part))
            .copied()
            .unwrap_or(app),
    };
    let words = goal::words(telling);
    snake(&words.iter().map(String::as_str).collect::<Vec<_>>())
}

/// The name of a parameter: what the element is called, if old and new execution agree on it, else the
/// argument's key.
pub fn parameter(key: &str, role: Role, old: &Value, new: &FlowStep) -> String {
    let known: Vec<String> = scalars(old)
        .into_iter()
        .filter_map(|(_, value)| value.as_str().map(goal::fold))
        .collect();
    let constant: HashSet<String> = scalars(&new.arguments)
        .into_iter()
        .filter_map(|(_, value)| value.as_str().map(goal::fold))
        .filter(|text| known.contains(text))
        .collect();
    // A label that the arguments carry must be the same in both; one from the target alone is only known now.
    let carried: HashSet<String> = scalars(&new.arguments)
        .into_iter()
        .filter_map(|(_, value)| value.as_str().map(goal::fold))
        .collect();
    let label = new
        .labels
        .iter()
        .filter(|label| {
            let folded = goal::fold(label);
            constant.contains(&folded) || !carried.contains(&folded)
        })
        .map(|label| identifier(label))
        .find(|name| !name.is_empty());
    let key = identifier(key);
    match (label, role) {
        (Some(label), Role::Content) => label,
        (Some(label), Role::Position) if !key.is_empty() => format!("{label}_{key}"),
        (_, _) if !key.is_empty() => key,
        _ => "value".into(),
    }
}

/// A name that is not taken: with a number behind it if need be. Takes it.
pub fn unique(name: &str, taken: &mut HashSet<String>) -> String {
    let mut unique = name.to_owned();
    let mut number = 2;
    while !taken.insert(unique.clone()) {
        unique = format!("{name}_{number}");
        number += 1;
    }
    unique
}

/// One sentence that says what the steps do.
pub fn description(flow: &Flow) -> String {
    let phrases: Vec<String> = flow.steps.iter().map(phrase).collect();
    let mut told: Vec<(String, usize)> = Vec::new();
    for phrase in phrases {
        match told.last_mut() {
            Some((last, times)) if *last == phrase => *times += 1,
            _ => told.push((phrase, 1)),
        }
    }
    let more = told.len().saturating_sub(DESCRIBED_STEPS);
    let mut parts: Vec<String> = told
        .into_iter()
        .take(DESCRIBED_STEPS)
        .map(|(phrase, times)| {
            if times > 1 {
                format!("{phrase} {times} times")
            } else {
                phrase
            }
        })
        .collect();
    if more > 0 {
        parts.push(format!("{more} more step{}", if more == 1 { "" } else { "s" }));
    }
    let last = parts.pop().unwrap_or_default();
    let mut sentence = match parts.is_empty() {
        true => last,
        false => format!("{} and {last}", parts.join(", ")),
    };
    if let Some(first) = sentence.get(..1) {
        sentence.replace_range(..1, &first.to_uppercase());
    }
    let place = flow
        .app
        .as_ref()
        .map(|app| format!("In {app}: "))
        .unwrap_or_default();
    format!("{place}{sentence}.")
}

/// What one step does.
fn phrase(step: &FlowStep) -> String {
    let found = scalars(&step.arguments);
    let text = |test: &dyn Fn(&str) -> bool| {
        found
            .iter()
            .filter(|(key, _)| test(key))
            .find_map(|(_, value)| value.as_str())
            .filter(|t| !t.trim().is_empty())
    };
    let label = text(&arguments::is_label).map(short).or_else(|| {
        step.labels
            .iter()
            .map(|label| short(last_part(label)))
            .find(|label| !label.is_empty())
    });
    let on = label
        .as_ref()
        .map_or(String::new(), |label| format!(" “{label}”"));
    match tools::kind(&step.tool) {
        Kind::Launch => {
            format!(
                "open {}",
                text(&arguments::is_app).map_or_else(|| "the app".into(), short)
            )
        }
        Kind::Tap => format!("tap{}", if on.is_empty() { " the screen".into() } else { on }),
        Kind::LongPress => format!(
            "long-press{}",
            if on.is_empty() { " the screen".into() } else { on }
        ),
        Kind::Input => match text(&|key| arguments::is_typed(&step.tool, key)) {
            Some(typed) => format!("type “{}”", short(typed)),
            None => "type a text".into(),
        },
        Kind::Clear => "clear the text".into(),
        Kind::Key => format!(
            "press {}",
            text(&|key| arguments::is_key(key)).map_or("a key".into(), short)
        ),
        Kind::Swipe => "swipe".into(),
        Kind::Scroll => format!(
            "scroll{}",
            text(&|key| key == "direction").map_or(String::new(), |d| format!(" {d}"))
        ),
        Kind::Navigate => format!(
            "go {}",
            goal::words(&step.tool).last().map_or("back".into(), |w| short(w))
        ),
        Kind::OpenLink => "open a link".into(),
        Kind::Stop => "stop the app".into(),
        _ => format!("run {}", short(&step.tool)),
    }
}

/// The readable part of a resource id, or the text itself.
fn last_part(label: &str) -> &str {
    match label.rsplit_once(":id/") {
        Some((_, id)) => id,
        None => label,
    }
}

fn short(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LABEL_LENGTH) {
        Some((at, _)) => format!("{}…", line[..at].trim_end()),
        None => line,
    }
}

/// An identifier out of a label or key, `[a-z][a-z0-9_]*` or nothing. Words that only name the widget are left out.
pub(crate) fn identifier(label: &str) -> String {
    const WIDGETS: [&str; 17] = [
        "et", "tv", "edit", "txt", "view", "btn", "bt", "button", "field", "input", "edittext", "textview",
        "iv", "enter", "your", "layout", "the",
    ];
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut lower = false;
    for c in last_part(label).chars() {
        if c.is_uppercase() && lower {
            words.push(std::mem::take(&mut word));
        }
        lower = c.is_lowercase();
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase())
        } else {
            words.push(std::mem::take(&mut word))
        }
    }
    words.push(word);
    let words: Vec<String> = words
        .into_iter()
        .filter(|word| !word.is_empty() && word.is_ascii())
        .collect();
    let telling: Vec<&str> = words
        .iter()
        .map(String::as_str)
        .filter(|word| !WIDGETS.contains(word))
        .take(4)
        .collect();
    let name = if telling.is_empty() {
        words.join("_")
    } else {
        telling.join("_")
    };
    name.trim_start_matches(|c: char| !c.is_ascii_lowercase())
        .to_owned()
}

/// Words joined in snake_case, cut at a word.
fn snake(words: &[&str]) -> String {
    let mut name = String::new();
    for word in words.iter().take(NAME_WORDS) {
        let word: String = word
            .chars()
            .filter(|c| c.is_alphanumeric() || *c == '_' || is_combining_mark(*c))
            .collect();
        if name.chars().count() + word.chars().count() >= NAME_LENGTH {
            break;
        }
        if !name.is_empty() && !word.is_empty() {
            name.push('_');
        }
        name.push_str(&word);
    }
    name.trim_matches(|c: char| c == '_' || c.is_numeric()).to_owned()
}
