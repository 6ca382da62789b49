//! What each command does: it asks the library and prints the answer.

use std::collections::HashMap;
use std::io::{self, Write};
use std::path::Path;

use adroit::JsonValue;
use adroit::error::SkillError;
use adroit::library::{Config, EmbedReport, SkillLibrary};
use adroit::skill::{Skill, ValueType};
use indicatif::{ProgressBar, ProgressDrawTarget};
use serde::Serialize;

use crate::arguments::{Arguments, Command, RankArguments};
use crate::{inputs, json, learn, text};

/// How a command ended that could do its work.
pub enum Finished {
    /// All was well.
    Well,
    /// Some input was refused, and each refusal reported.
    SomeRefused,
}

/// Why a command could not do its work.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The library said no.
    #[error("{0}")]
    Library(#[from] SkillError),
    /// The answer could not be written.
    #[error("the output cannot be written: {0}")]
    Output(#[from] io::Error),
    /// Something that was named cannot be used.
    #[error("{0}")]
    Input(String),
}

/// Skills fetched at a time by `list`.
const PAGE: u32 = 100;
/// Skills embedded at a time by `embed-pending`.
const BATCH: u32 = 32;

/// Runs a command.
pub fn run(arguments: Arguments) -> Result<Finished, Failure> {
    let library = open(&arguments)?;
    let as_json = arguments.json;
    match &arguments.command {
        Command::Learn { files } => learn::learn(&library, files, as_json),
        Command::Rank(what) => rank(&library, what, as_json),
        Command::List => list(&library, as_json),
        Command::Show { skill } => show(&library, skill, as_json),
        Command::History { skill } => history(&library, skill, as_json),
        Command::Instantiate { skill, values } => instantiate(&library, skill, values, as_json),
        Command::Forget { skill } => forget(&library, skill, as_json),
        Command::EmbedPending => embed_pending(&library, as_json),
    }
}

fn open(arguments: &Arguments) -> Result<std::sync::Arc<SkillLibrary>, Failure> {
    let path = arguments.database_path().ok_or_else(|| {
        Failure::Input("there is no home folder for the database: give its path with --db".to_string())
    })?;
    let learning = matches!(arguments.command, Command::Learn { .. });
    if learning {
        create_folder(&path)?;
    }
    let database_path = path
        .to_str()
        .ok_or_else(|| Failure::Input("the path of the database must be UTF-8 text".to_string()))?
        .to_string();
    // Asking to learn is the explicit enable.
    let mut config = Config {
        database_path,
        authoring_enabled: learning,
        ..Config::default()
    };
    config.embedding.enabled = true;
    Ok(SkillLibrary::open(config)?)
}

fn create_folder(database: &Path) -> Result<(), Failure> {
    match database.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => std::fs::create_dir_all(folder)
            .map_err(|error| Failure::Input(format!("{} cannot be created: {error}", folder.display()))),
        _ => Ok(()),
    }
}

fn rank(library: &SkillLibrary, what: &RankArguments, as_json: bool) -> Result<Finished, Failure> {
    let goals = match &what.goals_from {
        None => what.goals.clone(),
        Some(file) => {
            let refused = |reason: String| Failure::Input(format!("{}: {reason}", file.display()));
            let bytes = inputs::read(file).map_err(|error| refused(format!("cannot be read: {error}")))?;
            inputs::goals(&bytes).map_err(refused)?
        }
    };
    for (i, goal) in goals.iter().enumerate() {
        let ranking = library.rank(goal.clone(), what.k, adroit::ranking::Scope::default())?;
        match as_json {
            true => print(&format!("{}\n", json::ranking(goal, &ranking)))?,
            false => print(&format!(
                "{}{}",
                if i > 0 { "\n" } else { "" },
                text::ranking(goal, &ranking)
            ))?,
        }
    }
    Ok(Finished::Well)
}

fn list(library: &SkillLibrary, as_json: bool) -> Result<Finished, Failure> {
    let mut after = None;
    loop {
        let page = library.list(after.clone(), PAGE)?;
        if page.is_empty() && after.is_none() && !as_json {
            print("No skills yet: adroit learn FILE...\n")?;
        }
        for skill in &page {
            print(&if as_json {
                json_line(skill)?
            } else {
                text::list_entry(skill)
            })?;
        }
        match page.last() {
            Some(last) => after = Some(last.name.clone()),
            None => return Ok(Finished::Well),
        }
    }
}

fn show(library: &SkillLibrary, named: &str, as_json: bool) -> Result<Finished, Failure> {
    let skill = find(library, named)?;
    if as_json {
        print(&json_line(&skill)?)?;
    } else {
        let versions = library.history(skill.lineage_id.clone())?.len();
        let executions = library.executions(skill.skill_id.clone())?;
        print(&text::skill(&skill, versions, &executions))?;
    }
    Ok(Finished::Well)
}

fn history(library: &SkillLibrary, named: &str, as_json: bool) -> Result<Finished, Failure> {
    let lineage = find(library, named)?.lineage_id;
    for version in &library.history(lineage)? {
        print(&if as_json {
            json_line(version)?
        } else {
            text::version(version)
        })?;
    }
    Ok(Finished::Well)
}

fn instantiate(
    library: &SkillLibrary,
    named: &str,
    values: &[(String, String)],
    as_json: bool,
) -> Result<Finished, Failure> {
    let skill = find(library, named)?;
    let mut typed = HashMap::new();
    for (name, value) in values {
        let parameter = skill.parameters.iter().find(|parameter| parameter.name == *name);
        let value_type = parameter.map_or(ValueType::String, |parameter| parameter.value_type);
        if typed
            .insert(name.clone(), typed_value(value_type, value))
            .is_some()
        {
            return Err(Failure::Input(format!("{name} is set twice")));
        }
    }
    let calls = library.instantiate(skill.skill_id, typed)?;
    match as_json {
        true => calls.iter().try_for_each(|call| print(&json_line(call)?))?,
        false => print(&text::calls(&calls))?,
    }
    Ok(Finished::Well)
}

fn forget(library: &SkillLibrary, named: &str, as_json: bool) -> Result<Finished, Failure> {
    let skill = find(library, named)?;
    let versions = library.history(skill.lineage_id.clone())?.len();
    library.forget(skill.lineage_id.clone())?;
    print(&if as_json {
        format!("{}\n", json::forgotten(&skill, versions))
    } else {
        text::forgotten(&skill, versions)
    })?;
    Ok(Finished::Well)
}

fn embed_pending(library: &SkillLibrary, as_json: bool) -> Result<Finished, Failure> {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    let mut total = EmbedReport {
        stored: 0,
        failed: 0,
        remaining: 0,
    };
    loop {
        let batch = library.embed_pending(BATCH)?;
        total.stored += batch.stored;
        total.failed += batch.failed;
        total.remaining = batch.remaining;
        bar.set_length(total.stored + batch.remaining);
        bar.set_position(total.stored);
        if batch.remaining == 0 || batch.stored == 0 {
            break;
        }
    }
    bar.finish_and_clear();
    print(&if as_json {
        format!("{}\n", json::embedded(&total))
    } else {
        text::embedded(&total)
    })?;
    Ok(Finished::Well)
}

/// The version with this id, or the newest version with this name.
fn find(library: &SkillLibrary, named: &str) -> Result<Skill, Failure> {
    let by_id = library.skill(named.to_string())?;
    let found = match by_id {
        Some(skill) => Some(skill),
        None => library.skill_by_name(named.to_string())?,
    };
    found.ok_or_else(|| {
        SkillError::UnknownSkill {
            skill: named.to_string(),
        }
        .into()
    })
}

/// A value as its parameter takes it: text as it is, other types as JSON. What does not read as JSON stays
/// text, and the library says that its type is wrong.
fn typed_value(value_type: ValueType, text: &str) -> JsonValue {
    match value_type {
        ValueType::String => JsonValue::from(text),
        _ => serde_json::from_str(text).unwrap_or_else(|_| JsonValue::from(text)),
    }
}

fn json_line(value: &impl Serialize) -> Result<String, Failure> {
    let text = serde_json::to_string(value).map_err(io::Error::from)?;
    Ok(text + "\n")
}

/// Prints to standard output, without colours where that is no terminal.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut out = anstream::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

/// Reports why a command could not do its work.
pub fn report(message: &str, as_json: bool) {
    match as_json {
        true => anstream::eprintln!("{}", serde_json::json!({"error": message})),
        false => anstream::eprintln!("adroit: {message}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_value_is_read_as_its_parameter_takes_it() {
        for (value_type, text, value) in [
            (ValueType::String, "7", json!("7")),
            (ValueType::Number, "7", json!(7)),
            (ValueType::Number, "seven", json!("seven")),
            (ValueType::Boolean, "true", json!(true)),
            (ValueType::Array, "[1]", json!([1])),
            (ValueType::Any, "null", json!(null)),
            (ValueType::Any, "plain text", json!("plain text")),
        ] {
            assert_eq!(typed_value(value_type, text), value);
        }
    }
}
