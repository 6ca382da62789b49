//! How well the executions of one task find together, measured on any folder of recordings.
//!
//! `cargo run --features cli --example grouping -- FOLDER [--verbose]`
//!
//! Reads every `*.jsonl` of the folder: one timeline a line, with the fields `group` (executions of one task have the
//! same), and, where known, `family` (wider), `record_kind` (`test_script` is left out). Beside them it reads, where
//! they are there, `aliases.tsv` (two columns: groups or families that are the same task), and `goals*.tsv` (columns
//! `family` and `goal`) with `near_miss*.tsv` (two families that must not meet).
//!
//! Everything is learned in order into one fresh database, embeddings off. Then every pair of executions is looked at.

use std::collections::{BTreeMap, HashMap};
use std::error::Error;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use adroit::flow::Flow;
use adroit::library::{Config, EmbeddingConfig, SkillLibrary};
use adroit::outcome::Outcome;
use adroit::timeline::{Timeline, read_timelines};
use serde_json::{Value, json};

/// Wordings of each family that are tried for every near miss.
const WORDINGS: usize = 3;

/// One execution and where it was put.
struct Placed {
    group: String,
    family: Option<String>,
    app: Option<String>,
    goal: String,
    flow: Flow,
    outcome: Outcome,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let verbose = arguments.iter().any(|argument| argument == "--verbose");
    let folder = arguments.iter().find(|argument| !argument.starts_with("--"));
    let folder = Path::new(folder.ok_or("usage: grouping FOLDER [--verbose]")?);
    let scratch = tempfile::tempdir()?;
    let library = open(scratch.path(), "groups.db")?;
    let placed = learn_all(folder, &library)?;
    report_pairs(&placed, &aliases(folder)?, verbose);
    report_parameters(&library)?;
    let near = open(scratch.path(), "near.db")?;
    report_near_misses(folder, &near, verbose)
}

fn open(folder: &Path, name: &str) -> Result<Arc<SkillLibrary>, Box<dyn Error>> {
    Ok(SkillLibrary::open(Config {
        database_path: folder.join(name).to_string_lossy().into_owned(),
        authoring_enabled: true,
        embedding: EmbeddingConfig {
            enabled: false,
            ..EmbeddingConfig::default()
        },
        ..Config::default()
    })?)
}

fn learn_all(folder: &Path, library: &SkillLibrary) -> Result<Vec<Placed>, Box<dyn Error>> {
    let mut placed = Vec::new();
    for path in files(folder, "", ".jsonl")? {
        for line in fs::read_to_string(&path)?.lines() {
            let record: Value = serde_json::from_str(line)?;
            let Some(group) = record["group"].as_str() else {
                continue;
            };
            if record["record_kind"] == "test_script" {
                continue;
            }
            let Some(Ok(timeline)) = read_timelines(line.as_bytes()).next() else {
                continue;
            };
            let outcome = library.learn(timeline.clone())?;
            if outcome.embedding.is_some() {
                placed.push(Placed {
                    group: group.to_owned(),
                    family: record["family"].as_str().map(str::to_owned),
                    app: timeline.app.clone(),
                    goal: timeline.goal.clone(),
                    flow: Flow::of(&timeline, &HashMap::new()),
                    outcome,
                });
            }
        }
    }
    Ok(placed)
}

/// Pairs of one group and app that share a lineage, and pairs that should not.
fn report_pairs(placed: &[Placed], aliases: &HashMap<String, String>, verbose: bool) {
    let mut groups: BTreeMap<(&str, Option<&str>), [Vec<bool>; 2]> = BTreeMap::new();
    let (mut wrong, mut across) = (0, 0);
    for (at, a) in placed.iter().enumerate() {
        for b in &placed[..at] {
            let shared = lineage(a) == lineage(b);
            let say = |what: &str| {
                if verbose {
                    println!(
                        "{what}: {} / {}\n    {}\n    {}\n    {:?}",
                        a.group, b.group, a.goal, b.goal, a.outcome.evidence
                    );
                }
            };
            if a.group == b.group && a.app == b.app {
                let unequal = a.flow.skeleton() != b.flow.skeleton();
                groups.entry((&a.group, a.app.as_deref())).or_default()[usize::from(unequal)].push(shared);
                if !shared {
                    say("apart");
                }
            } else if shared {
                if !same_task(a, b, aliases) {
                    wrong += 1;
                    say("wrong");
                }
                if a.app.is_some() && b.app.is_some() && a.app != b.app {
                    across += 1;
                    say("across apps");
                }
            }
        }
    }
    for (at, name) in ["equal", "unequal"].into_iter().enumerate() {
        let shares: Vec<f64> = groups
            .values()
            .map(|pairs| &pairs[at])
            .filter(|pairs| !pairs.is_empty())
            .map(|pairs| pairs.iter().filter(|shared| **shared).count() as f64 / pairs.len() as f64)
            .collect();
        let mean = shares.iter().sum::<f64>() / shares.len().max(1) as f64;
        println!(
            "{:>6.1} %  pairs with {name} steps share a lineage, mean of {} groups",
            mean * 100.0,
            shares.len()
        );
    }
    println!("{wrong:>6}    pairs of unlike groups share one");
    println!("{across:>6}    pairs across apps share one");
    println!("{:>6}    executions", placed.len());
}

fn lineage(placed: &Placed) -> Option<&str> {
    placed
        .outcome
        .skill
        .as_ref()
        .map(|skill| skill.lineage_id.as_str())
}

fn same_task(a: &Placed, b: &Placed, aliases: &HashMap<String, String>) -> bool {
    a.group == b.group
        || (a.family.is_some() && a.family == b.family)
        || root(aliases, &a.group) == root(aliases, &b.group)
}

fn report_parameters(library: &SkillLibrary) -> Result<(), Box<dyn Error>> {
    let (mut lineages, mut parameters) = (0usize, 0usize);
    let mut after = None;
    loop {
        let page = library.list(after, 500)?;
        let Some(last) = page.last() else { break };
        after = Some(last.name.clone());
        lineages += page.len();
        parameters += page.iter().map(|skill| skill.parameters.len()).sum::<usize>();
    }
    println!("{lineages:>6}    lineages");
    println!(
        "{:>6.2}    parameters per lineage",
        parameters as f64 / lineages.max(1) as f64
    );
    Ok(())
}

/// Both families' goals over one skeleton with one typed value that differs; and once more with values that stand in
/// the goals.
fn report_near_misses(folder: &Path, library: &SkillLibrary, verbose: bool) -> Result<(), Box<dyn Error>> {
    let mut goals: HashMap<String, Vec<String>> = HashMap::new();
    for path in files(folder, "goals", ".tsv")? {
        let rows = rows(&path)?;
        for row in rows {
            if let (Some(family), Some(goal)) = (row.get("family"), row.get("goal")) {
                goals
                    .entry(family.clone())
                    .or_default()
                    .push(goal.replace("\\n", "\n"));
            }
        }
    }
    let (mut pairs, mut merged, mut trials) = (0, 0, 0);
    for path in files(folder, "near_miss", ".tsv")? {
        for line in fs::read_to_string(&path)?.lines().skip(1) {
            let mut columns = line.split('\t');
            let (Some(a), Some(b)) = (columns.next(), columns.next()) else {
                continue;
            };
            let (Some(goals_a), Some(goals_b)) = (goals.get(a), goals.get(b)) else {
                continue;
            };
            pairs += 1;
            let mut met = false;
            for goal_a in goals_a.iter().take(WORDINGS) {
                for goal_b in goals_b.iter().take(WORDINGS) {
                    let own = last_value(goal_a).zip(last_value(goal_b)).filter(|(a, b)| a != b);
                    for values in [Some(("Alpha", "Beta")), own].into_iter().flatten() {
                        trials += 1;
                        let app = format!("com.example.app{trials}");
                        let first = library.learn(trial(&format!("{trials}a"), &app, goal_a, values.0)?)?;
                        let second = library.learn(trial(&format!("{trials}b"), &app, goal_b, values.1)?)?;
                        if first.skill.map(|s| s.lineage_id) == second.skill.map(|s| s.lineage_id) {
                            met = true;
                            if verbose {
                                println!(
                                    "near miss {a} / {b}\n    {goal_a}\n    {goal_b}\n    {:?}",
                                    second.evidence
                                );
                            }
                        }
                    }
                }
            }
            if met {
                merged += 1;
                println!(
                    "          near misses that met: {a} / {b} {}",
                    columns.next().unwrap_or_default()
                );
            }
        }
    }
    println!("{merged:>6}    of {pairs} near misses met, in any of {trials} trials");
    Ok(())
}

fn trial(task_id: &str, app: &str, goal: &str, value: &str) -> Result<Timeline, Box<dyn Error>> {
    Ok(serde_json::from_value(json!({
        "task_id": task_id, "goal": goal, "status": "succeeded", "app": app,
        "calls": [
            {"tool": "launch_app", "arguments": {"package": app}},
            {"tool": "tap", "arguments": {"x": 540, "y": 180}},
            {"tool": "input_text", "arguments": {"text": value}},
            {"tool": "tap", "arguments": {"text": "OK"}},
        ],
    }))?)
}

/// The last word of a goal that looks like a value.
fn last_value(goal: &str) -> Option<&str> {
    let words = goal
        .split_whitespace()
        .skip(1)
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    words
        .filter(|word| word.chars().any(|c| c.is_uppercase() || c.is_numeric()))
        .last()
}

fn aliases(folder: &Path) -> Result<HashMap<String, String>, Box<dyn Error>> {
    let mut aliases = HashMap::new();
    for path in files(folder, "aliases", ".tsv")? {
        for line in fs::read_to_string(&path)?.lines().skip(1) {
            let mut columns = line.split('\t');
            if let (Some(a), Some(b)) = (columns.next(), columns.next()) {
                let (a, b) = (root(&aliases, a), root(&aliases, b));
                if a != b {
                    aliases.insert(a, b);
                }
            }
        }
    }
    Ok(aliases)
}

fn root(aliases: &HashMap<String, String>, name: &str) -> String {
    let mut name = name;
    while let Some(next) = aliases.get(name) {
        name = next;
    }
    name.to_owned()
}

/// The rows of a table with a head, by column name.
fn rows(path: &Path) -> Result<Vec<HashMap<String, String>>, Box<dyn Error>> {
    let text = fs::read_to_string(path)?;
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
    Ok(lines
        .map(|line| {
            head.iter()
                .zip(line.split('\t'))
                .map(|(k, v)| (k.to_string(), v.to_owned()))
                .collect()
        })
        .collect())
}

/// Where a folder has the same recordings twice, in a mapped dialect too, the mapped ones are taken.
fn files(folder: &Path, prefix: &str, ending: &str) -> Result<Vec<std::path::PathBuf>, Box<dyn Error>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if name.starts_with(prefix) && name.ends_with(ending) {
            found.push(path);
        }
    }
    found.sort();
    let mapped = |path: &std::path::PathBuf| path.to_string_lossy().contains("_mapped");
    if found.iter().any(mapped) {
        found.retain(mapped);
    }
    Ok(found)
}
