//! How well executions of one task find together, on any folder of recordings.
use std::collections::{BTreeMap, HashMap, HashSet};
use std::error::Error;
use std::path::Path;

use adroit::flow::Flow;
use adroit::matching::{self, Candidate, PastGoal};
use adroit::outcome::*;
use adroit::skill::Skill;
use adroit::synthesis::{self, Matched};
use adroit::template::Tolerance;
use adroit::timeline::{Status, Timeline};
use serde_json::Value;

struct Lineage {
    versions: Vec<Skill>,
    goals: Vec<PastGoal>,
}

#[derive(Default)]
struct Memory {
    lineages: Vec<Lineage>,
}

impl Memory {
    fn learn(&mut self, timeline: &Timeline) -> Option<(usize, Evidence)> {
        let flow = Flow::of(timeline, &HashMap::new());
        if timeline.status != Status::Succeeded || flow.steps.is_empty() {
            return None;
        }
        let candidates: Vec<Candidate> = self
            .lineages
            .iter()
            .map(|l| Candidate {
                newest: l.versions.last().unwrap().clone(),
                goals: l.goals.iter().rev().take(8).cloned().collect(),
            })
            .collect();
        let (found, evidence) = matching::find(&flow, &candidates, None, Tolerance::default());
        let at = found.map(|c| {
            self.lineages
                .iter()
                .position(|l| l.versions.last().unwrap().skill_id == c.newest.skill_id)
                .unwrap()
        });
        let skeleton = flow.skeleton();
        let plan = {
            let matched = at.map(|at| {
                let l = &self.lineages[at];
                Matched {
                    newest: l.versions.last().unwrap(),
                    older: l
                        .versions
                        .iter()
                        .rev()
                        .find(|v| v.steps.iter().map(|s| s.tool.clone()).collect::<Vec<_>>() == skeleton),
                    goals: l.goals.iter().map(|g| g.goal.as_str()).collect(),
                }
            });
            synthesis::decide(&flow, matched, Tolerance::default())
        };
        let at = at.unwrap_or_else(|| {
            self.lineages.push(Lineage {
                versions: vec![],
                goals: vec![],
            });
            self.lineages.len() - 1
        });
        let l = &mut self.lineages[at];
        let version = l.versions.len() as u32 + 1;
        let new = |l: &Lineage| Skill {
            skill_id: format!("{at}-{version}"),
            lineage_id: at.to_string(),
            name: adroit::names::skill(&flow),
            version,
            parent_id: None,
            description: plan.description.clone(),
            goal: flow.goal.clone(),
            goal_family: l
                .versions
                .first()
                .map_or_else(|| flow.family(), |f| f.goal_family.clone()),
            app: l.versions.last().and_then(|v| v.app.clone()).or(flow.app.clone()),
            source: "".into(),
            subscription: None,
            steps: plan.template.steps.clone(),
            parameters: plan.template.parameters.clone(),
            secrets: vec![],
            created_at_ms: 0,
        };
        match &plan.decision {
            Decision::Created | Decision::VersionAdded { .. } => {
                let s = new(l);
                l.versions.push(s);
            }
            _ => {
                let app = flow.app.clone();
                let v = l.versions.last_mut().unwrap();
                v.steps = plan.template.steps.clone();
                v.parameters = plan.template.parameters.clone();
                v.app = v.app.clone().or(app);
            }
        }
        l.goals.push(PastGoal {
            goal: flow.goal.clone(),
            values: plan.values,
        });
        Some((at, evidence))
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args()
        .nth(1)
        .ok_or("usage: grouping FOLDER [--verbose]")?;
    let verbose = std::env::args().any(|a| a == "-v");
    let folder = Path::new(&folder);
    let mut rows: Vec<(Timeline, String, Option<String>)> = Vec::new();
    for line in std::fs::read_to_string(folder.join("episodes_mapped_dev.jsonl"))?.lines() {
        let v: Value = serde_json::from_str(line)?;
        if v["record_kind"] == "test_script" || v["status"] != "succeeded" {
            continue;
        }
        let t: Timeline = serde_json::from_value(v.clone())?;
        rows.push((
            t,
            v["group"].as_str().unwrap_or("").to_owned(),
            v["family"].as_str().map(str::to_owned),
        ));
    }
    let mut alias: HashMap<String, String> = HashMap::new();
    fn root(alias: &HashMap<String, String>, x: &str) -> String {
        let mut x = x.to_owned();
        while let Some(y) = alias.get(&x) {
            if *y == x {
                break;
            }
            x = y.clone();
        }
        x
    }
    if let Ok(text) = std::fs::read_to_string(folder.join("aliases.tsv")) {
        for line in text.lines().skip(1) {
            let c: Vec<&str> = line.split('\t').collect();
            let (a, b) = (root(&alias, c[0]), root(&alias, c[1]));
            if a != b {
                alias.insert(a, b);
            }
        }
    }
    let mut memory = Memory::default();
    let mut placed = Vec::new();
    for (t, g, f) in &rows {
        if let Some((at, e)) = memory.learn(t) {
            placed.push((t, g, f, at, e, Flow::of(t, &HashMap::new())));
        }
    }
    let mut groups: BTreeMap<(String, Option<String>), [Vec<bool>; 3]> = BTreeMap::new();
    let (mut wrong, mut across) = (0, 0);
    let mut shown = HashSet::new();
    for i in 0..placed.len() {
        for j in 0..i {
            let (a, b) = (&placed[i], &placed[j]);
            let share = a.3 == b.3;
            if a.1 == b.1 && a.0.app == b.0.app {
                let e = groups.entry((a.1.clone(), a.0.app.clone())).or_default();
                let same_args = a.5.steps.len() == b.5.steps.len()
                    && a.5
                        .steps
                        .iter()
                        .zip(&b.5.steps)
                        .all(|(x, y)| x.tool == y.tool && x.arguments == y.arguments);
                let equal = a.5.skeleton() == b.5.skeleton();
                e[usize::from(!equal)].push(share);
                if same_args {
                    e[2].push(share);
                }
                if !share && verbose && shown.insert((a.1.clone(), a.3, b.3)) {
                    println!(
                        "MISS {} equal={} {:?}\n   {}\n   {}\n   {:?}",
                        a.1, equal, a.0.app, a.0.goal, b.0.goal, a.4
                    );
                }
            } else if share {
                let (ra, rb) = (root(&alias, a.1), root(&alias, b.1));
                if a.1 != b.1 && ra != rb && !(a.2.is_some() && a.2 == b.2) {
                    wrong += 1;
                    if verbose {
                        println!(
                            "WRONG {} / {}\n   {}\n   {}\n   {:?}",
                            a.1, b.1, a.0.goal, b.0.goal, a.4
                        );
                    }
                }
                if a.0.app != b.0.app && a.0.app.is_some() && b.0.app.is_some() {
                    across += 1;
                }
            }
        }
    }
    for (k, name) in ["equal steps", "unequal steps", "identical arguments"]
        .iter()
        .enumerate()
    {
        let shares: Vec<f64> = groups
            .values()
            .filter(|g| !g[k].is_empty())
            .map(|g| g[k].iter().filter(|x| **x).count() as f64 / g[k].len() as f64)
            .collect();
        println!(
            "{name}: {:.1} % over {} groups",
            100.0 * shares.iter().sum::<f64>() / shares.len() as f64,
            shares.len()
        );
    }
    println!(
        "wrong pairs: {wrong}; across apps: {across}; lineages: {}; executions: {}",
        memory.lineages.len(),
        placed.len()
    );
    let p: usize = memory
        .lineages
        .iter()
        .map(|l| l.versions.last().unwrap().parameters.len())
        .sum();
    println!(
        "parameters per lineage: {:.2}",
        p as f64 / memory.lineages.len() as f64
    );
    // near misses
    let mut families: HashMap<String, Vec<(String, String)>> = HashMap::new();
    for line in std::fs::read_to_string(folder.join("goals_dev.tsv"))?
        .lines()
        .skip(1)
    {
        let c: Vec<&str> = line.split('\t').collect();
        families
            .entry(c[0].to_owned())
            .or_default()
            .push((c[4].to_owned(), c[5].replace("\\n", "\n")));
    }
    let limit: usize = std::env::var("LIMIT")
        .ok()
        .and_then(|l| l.parse().ok())
        .unwrap_or(2);
    let mut tried = 0;
    let mut merged = 0;
    let (mut pairs, mut bad_pairs) = (0, 0);
    for line in std::fs::read_to_string(folder.join("near_miss_dev.tsv"))?
        .lines()
        .skip(1)
    {
        let c: Vec<&str> = line.split('\t').collect();
        let empty = Vec::new();
        let (fa, fb) = (
            families.get(c[0]).unwrap_or(&empty),
            families.get(c[1]).unwrap_or(&empty),
        );
        pairs += 1;
        let mut bad = false;
        for (_, ga) in fa.iter().take(limit) {
            for (_, gb) in fb.iter().take(limit) {
                for own in [false, true] {
                    let mk = |id: &str, goal: &str, k: usize| {
                        let words: Vec<&str> = goal.split_whitespace().collect();
                        let value = if own {
                            words[words.len() - 1 - (k % words.len().min(2))]
                                .trim_matches(['.', '\'', '"', ','])
                                .to_owned()
                        } else {
                            ["Alpha", "Beta"][k].to_owned()
                        };
                        let t: Timeline = serde_json::from_value(serde_json::json!({"task_id": id, "goal": goal, "status": "succeeded", "app": "com.example.app", "calls": [
                        {"tool": "launch_app", "arguments": {"package": "com.example.app"}}, {"tool": "tap", "arguments": {"x": 100, "y": 200}}, {"tool": "input_text", "arguments": {"text": value}}, {"tool": "tap", "arguments": {"text": "OK"}}]})).unwrap();
                        t
                    };
                    let mut m = Memory::default();
                    let a = m.learn(&mk("a", ga, 0));
                    let b = m.learn(&mk("b", gb, 1));
                    tried += 1;
                    if a.unwrap().0 == b.clone().unwrap().0 {
                        merged += 1;
                        bad = true;
                        if verbose {
                            println!(
                                "MERGED own={own} {} / {} ({})\n   {ga}\n   {gb}\n   {:?}",
                                c[0],
                                c[1],
                                c[2],
                                b.unwrap().1.matched_by
                            );
                        }
                    }
                }
            }
        }
        if bad {
            bad_pairs += 1;
            println!("near miss merged: {} / {} ({})", c[0], c[1], c[2]);
        }
    }
    println!("near misses: {merged} of {tried} merged, {bad_pairs} of {pairs} pairs");
    Ok(())
}
