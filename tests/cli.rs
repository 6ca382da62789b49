//! The command, run as a program over the example recordings.
#![cfg(feature = "cli")]
#![allow(
    clippy::unwrap_used,
    reason = "what tests share stands outside of the tests themselves"
)]

use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

const PASSWORD: &str = "correct horse battery";
const CODE: &str = "204816";

/// A folder of its own with a database in it.
struct Desk {
    folder: tempfile::TempDir,
}

struct Answer {
    code: i32,
    out: String,
    err: String,
}

impl Answer {
    fn lines(&self) -> Vec<Value> {
        self.out
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    fn well(self) -> Self {
        assert_eq!(self.code, 0, "{}{}", self.out, self.err);
        assert_eq!(self.err, "");
        self
    }
}

impl From<Output> for Answer {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Desk {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    /// A desk where every example was learned.
    fn with_examples() -> Self {
        let desk = Self::new();
        desk.run(&["learn", recordings().to_str().unwrap()]).well();
        desk
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn file(&self, name: &str, text: &str) -> String {
        std::fs::write(self.path(name), text).unwrap();
        self.path(name).to_str().unwrap().to_string()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_adroit"));
        command
            .args(arguments)
            .env("ADROIT_DB", self.path("skills.db"))
            .env_remove("CLICOLOR_FORCE")
            .stdin(Stdio::null());
        command
    }

    fn run(&self, arguments: &[&str]) -> Answer {
        self.command(arguments).output().unwrap().into()
    }

    /// Learns a file and gives its outcomes by task id.
    fn learn(&self, files: &[&str]) -> HashMap<String, Value> {
        let arguments: Vec<String> = files
            .iter()
            .map(|file| recordings().join(file).to_str().unwrap().into())
            .collect();
        let mut all = vec!["learn", "--json"];
        all.extend(arguments.iter().map(String::as_str));
        let outcomes = self.run(&all).well().lines();
        outcomes
            .into_iter()
            .map(|outcome| (outcome["task_id"].as_str().unwrap().to_string(), outcome))
            .collect()
    }

    fn list(&self) -> Vec<Value> {
        self.run(&["list", "--json"]).well().lines()
    }
}

fn recordings() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/recordings")
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

fn has_keys(value: &Value, expected: &[&str]) {
    for key in expected {
        assert!(keys(value).contains(key), "{key} is missing from {value}");
    }
}

#[test]
fn repeated_tasks_become_one_skill_with_parameters() {
    let desk = Desk::new();
    let outcomes = desk.learn(&["alarms.jsonl"]);
    let first = &outcomes["mobilerun-0a41"];
    has_keys(
        first,
        &[
            "task_id",
            "outcome",
            "reason",
            "skill_id",
            "lineage_id",
            "name",
            "version",
            "parameters",
            "new_parameters",
            "matched_by",
            "embedding",
        ],
    );
    assert_eq!(
        (&first["outcome"], &first["parameters"], &first["version"]),
        (&json!("created"), &json!([]), &json!(1))
    );
    let second = &outcomes["mobilerun-0a7c"];
    assert_eq!(second["outcome"], "parameters_updated");
    assert_eq!(second["lineage_id"], first["lineage_id"]);
    assert!(!second["new_parameters"].as_array().unwrap().is_empty());
    assert_eq!(outcomes["mobilerun-0b02"]["lineage_id"], first["lineage_id"]);

    let shown = &desk
        .run(&["show", "--json", first["name"].as_str().unwrap()])
        .well()
        .lines()[0];
    has_keys(
        shown,
        &[
            "skill_id",
            "lineage_id",
            "name",
            "version",
            "parent_id",
            "description",
            "goal",
            "goal_family",
            "app",
            "source",
            "subscription",
            "steps",
            "parameters",
        ],
    );
    assert_eq!(shown["source"], "local-synthesis");
    assert_eq!(keys(&shown["steps"][0]), ["arguments", "tool"]);
    has_keys(
        &shown["parameters"][0],
        &["name", "type", "role", "required", "seen"],
    );
}

#[test]
fn an_inserted_step_is_a_new_version_and_the_old_one_stays() {
    let desk = Desk::new();
    let before = desk.learn(&["alarms.jsonl"]);
    let name = before["mobilerun-0a41"]["name"].as_str().unwrap();
    let old = desk.run(&["show", "--json", name]).well().out;

    let after = &desk.learn(&["alarm_with_label.json"])["mobilerun-0c19"];
    assert_eq!(
        (&after["outcome"], &after["version"]),
        (&json!("version_added"), &json!(2))
    );
    let history = desk.run(&["history", "--json", name]).well().lines();
    assert_eq!(
        history
            .iter()
            .map(|skill| skill["version"].as_u64().unwrap())
            .collect::<Vec<_>>(),
        [1, 2]
    );
    assert_eq!(history[1]["parent_id"], history[0]["skill_id"]);
    assert_eq!(
        desk.run(&["show", "--json", name]).well().lines()[0]["version"],
        2,
        "a name means the newest"
    );
    let by_id = desk
        .run(&["show", "--json", history[0]["skill_id"].as_str().unwrap()])
        .well()
        .out;
    assert_eq!(by_id, old, "an id means that version, which never changes");
}

#[test]
fn opposites_and_other_apps_do_not_meet() {
    let desk = Desk::new();
    let themes = desk.learn(&["dark_theme.json"]);
    assert_ne!(
        themes["theme-on"]["lineage_id"],
        themes["theme-off"]["lineage_id"]
    );
    let searches = desk.learn(&["web_search.jsonl"]);
    assert_eq!(
        searches["mcp-5f1"]["lineage_id"],
        searches["mcp-5f2"]["lineage_id"]
    );
    assert_ne!(
        searches["mcp-5f1"]["lineage_id"],
        searches["mcp-5f3"]["lineage_id"]
    );
}

#[test]
fn recordings_in_other_languages_meet() {
    let desk = Desk::new();
    for (file, one, other) in [
        ("meituan_zh.jsonl", "autoglm-31", "autoglm-32"),
        ("zalo_vi.json", "zalo-1", "zalo-2"),
    ] {
        let outcomes = desk.learn(&[file]);
        assert_eq!(
            outcomes[one]["lineage_id"], outcomes[other]["lineage_id"],
            "{file}"
        );
    }
}

#[test]
fn a_task_that_did_not_succeed_is_skipped() {
    let desk = Desk::new();
    for (file, task) in [
        ("share_photo_failed.json", "run-9130"),
        ("order_cancelled.json", "run-9144"),
    ] {
        let outcome = &desk.learn(&[file])[task];
        assert_eq!(
            (&outcome["outcome"], &outcome["reason"]),
            (&json!("skipped"), &json!("not_succeeded"))
        );
    }
    assert_eq!(desk.list(), Vec::<Value>::new());
}

#[test]
fn a_task_is_learned_once() {
    let desk = Desk::new();
    let first = desk.learn(&["note_groceries.json"]);
    let listed = desk.list();
    let again = &desk.learn(&["note_groceries.json"])["note/1"];
    assert_eq!(
        (&again["outcome"], &again["reason"]),
        (&json!("skipped"), &json!("already_learned"))
    );
    assert_eq!(again["skill_id"], first["note/1"]["skill_id"]);
    assert_eq!(desk.list(), listed);
}

#[test]
fn a_password_is_stored_nowhere_and_asked_for() {
    let desk = Desk::new();
    let outcome = &desk.learn(&["sign_in.json"])["signin-77"];
    let name = outcome["name"].as_str().unwrap();
    let mut everything =
        desk.run(&["show", name]).well().out + &desk.run(&["show", "--json", name]).well().out;
    for entry in std::fs::read_dir(desk.folder.path()).unwrap() {
        everything += &String::from_utf8_lossy(&std::fs::read(entry.unwrap().path()).unwrap());
    }
    assert!(!everything.contains(PASSWORD) && !everything.contains(CODE));
    assert!(
        everything.contains("ada@example.org"),
        "what is no secret is kept"
    );

    let refused = desk.run(&["instantiate", "--json", name]);
    assert_eq!((refused.code, refused.out.as_str()), (1, ""));
    let error: Value = serde_json::from_str(&refused.err).unwrap();
    assert!(error["error"].as_str().unwrap().contains("secret"), "{error}");

    let skill = &desk.run(&["show", "--json", name]).well().lines()[0];
    let secrets: Vec<String> = skill["secrets"]
        .as_array()
        .unwrap()
        .iter()
        .map(|name| format!("{}=s3cret", name.as_str().unwrap()))
        .collect();
    assert_eq!(secrets.len(), 2);
    let mut arguments = vec!["instantiate", "--json", name];
    arguments.extend(secrets.iter().flat_map(|secret| ["--set", secret]));
    let calls = desk.run(&arguments).well().lines();
    assert_eq!(
        calls
            .iter()
            .filter(|call| call["arguments"]["text"] == "s3cret")
            .count(),
        2
    );
}

#[test]
fn a_skill_is_instantiated_with_typed_values() {
    let desk = Desk::with_examples();
    let outcomes = desk.run(&["list", "--json"]).well().lines();
    let search = outcomes.iter().find(|skill| skill["app"] == "Chrome").unwrap();
    let name = search["name"].as_str().unwrap();
    let parameters = search["parameters"].as_array().unwrap();
    let query = parameters
        .iter()
        .find(|parameter| parameter["role"] == "content")
        .unwrap();
    let query = query["name"].as_str().unwrap();

    let set = format!("{query}=is 1=1 {{true}}?");
    let calls = desk
        .run(&["instantiate", "--json", name, "--set", &set])
        .well()
        .lines();
    assert_eq!(calls.len(), search["steps"].as_array().unwrap().len());
    assert!(calls.iter().all(|call| keys(call) == ["arguments", "tool"]));
    assert!(
        calls
            .iter()
            .any(|call| call["arguments"]["text"] == "is 1=1 {true}?")
    );
    let shown = desk.run(&["instantiate", name, "--set", &set]).well().out;
    assert!(
        shown
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .contains("is 1=1 {true}?"),
        "{shown}"
    );

    let missing = desk.run(&["instantiate", name]);
    assert!(
        missing.code == 1 && missing.err.contains(query),
        "{}",
        missing.err
    );
    let unknown = desk.run(&["instantiate", name, "--set", &set, "--set", "colour=red"]);
    assert!(
        unknown.code == 1 && unknown.err.contains("colour"),
        "{}",
        unknown.err
    );
    let twice = desk.run(&["instantiate", name, "--set", &set, "--set", &set]);
    assert!(twice.code == 1 && twice.err.contains("twice"), "{}", twice.err);
    if let Some(number) = parameters.iter().find(|parameter| parameter["type"] == "number") {
        let wrong = format!("{}=left", number["name"].as_str().unwrap());
        let refused = desk.run(&["instantiate", name, "--set", &set, "--set", &wrong]);
        assert!(
            refused.code == 1 && refused.err.contains("number"),
            "{}",
            refused.err
        );
    }
}

#[test]
fn goals_are_ranked() {
    let desk = Desk::with_examples();
    let answer = desk
        .run(&[
            "rank",
            "--json",
            "-k",
            "2",
            "Set an alarm for 8:15 AM",
            "Turn on the dark theme",
        ])
        .well();
    let rankings = answer.lines();
    assert_eq!(rankings.len(), 2);
    assert_eq!(rankings[1]["goal"], "Turn on the dark theme");
    for ranking in &rankings {
        let results = ranking["results"].as_array().unwrap();
        assert_eq!(results.len(), 2);
        for (i, result) in results.iter().enumerate() {
            has_keys(
                result,
                &[
                    "rank",
                    "skill_id",
                    "lineage_id",
                    "name",
                    "version",
                    "goal",
                    "score",
                ],
            );
            assert_eq!(result["rank"], i + 1);
        }
        assert!(results[0]["score"].as_f64() >= results[1]["score"].as_f64());
    }
    assert!(
        rankings[0]["results"][0]["goal"]
            .as_str()
            .unwrap()
            .contains("alarm")
    );
    assert_eq!(rankings[1]["results"][0]["goal"], "Turn on the dark theme");

    let goals = desk.file("goals.txt", "wake me up at six\n\n  start a countdown \n");
    let from_file = desk
        .run(&["rank", "--json", "--goals-from", &goals])
        .well()
        .lines();
    assert_eq!(
        from_file
            .iter()
            .map(|r| r["goal"].as_str().unwrap())
            .collect::<Vec<_>>(),
        ["wake me up at six", "start a countdown"]
    );
    assert!(
        desk.run(&["rank", "wake me up at six"])
            .well()
            .out
            .starts_with("“wake me up at six”\n")
    );
}

#[test]
fn looking_things_up_creates_nothing() {
    let desk = Desk::new();
    assert_eq!(
        desk.run(&["list"]).well().out,
        "No skills yet: adroit learn FILE...\n"
    );
    assert_eq!(desk.run(&["list", "--json"]).well().out, "");
    assert_eq!(
        desk.run(&["rank", "--json", "anything"]).well().lines()[0]["results"],
        json!([])
    );
    let unknown = desk.run(&["show", "no_such_skill"]);
    assert!(unknown.code == 1 && unknown.err.contains("no_such_skill"));
    assert!(!desk.path("skills.db").exists());
}

#[test]
fn a_refused_timeline_is_reported_and_the_others_are_learned() {
    let desk = Desk::new();
    let good = std::fs::read_to_string(recordings().join("timer.jsonl")).unwrap();
    let bad = "{\"task_id\": \"x\", \"goal\": \"g\", \"status\": \"succeeded\", \"calls\": [{\"tool\": 5}]}";
    let (first, rest) = good.split_once('\n').unwrap();
    let file = desk.file("mixed.jsonl", &format!("{first}\n{bad}\n{rest}"));

    let answer = desk.run(&["learn", "--json", &file, "no/such/file.json"]);
    assert_eq!(answer.code, 1);
    assert_eq!(answer.lines().len(), 2);
    let errors: Vec<Value> = answer
        .err
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(errors.len(), 2);
    assert_eq!(keys(&errors[0]), ["error", "field", "file", "line"]);
    assert_eq!(
        (&errors[0]["file"], &errors[0]["line"], &errors[0]["field"]),
        (&json!(file), &json!(2), &json!("calls[0].tool"))
    );
    assert_eq!(errors[1]["file"], "no/such/file.json");

    let sentence = desk.run(&["learn", &file]);
    assert_eq!(sentence.code, 1);
    assert!(
        sentence
            .err
            .starts_with(&format!("refused {file}:2: calls[0].tool: ")),
        "{}",
        sentence.err
    );
    assert!(
        sentence.out.ends_with("3 timelines: 2 skipped, 1 refused.\n"),
        "{}",
        sentence.out
    );
}

#[test]
fn standard_input_is_a_file_too() {
    let desk = Desk::new();
    let mut child = desk
        .command(&["learn", "--json", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let text = std::fs::read(recordings().join("calendar.jsonl")).unwrap();
    child.stdin.take().unwrap().write_all(&text).unwrap();
    let answer = Answer::from(child.wait_with_output().unwrap()).well();
    assert_eq!(answer.lines().len(), 2);
}

#[test]
fn what_people_read_fits_a_page_and_has_no_colour_in_a_pipe() {
    let desk = Desk::new();
    let mut pages = desk.run(&["learn", recordings().to_str().unwrap()]).well().out;
    for skill in desk.list() {
        let name = skill["name"].as_str().unwrap();
        pages += &desk.run(&["show", name]).well().out;
        pages += &desk.run(&["history", name]).well().out;
    }
    pages += &desk.run(&["list"]).well().out;
    pages += &desk.run(&["rank", "Wake me at six"]).well().out;
    pages += &desk.run(&["embed-pending"]).well().out;
    assert!(!pages.contains('\u{1b}'));
    for line in pages.lines() {
        assert!(unicode_width::UnicodeWidthStr::width(line) <= 80, "{line}");
    }
}

#[test]
fn embedding_what_is_pending_says_what_it_did() {
    let desk = Desk::with_examples();
    let answer = &desk.run(&["embed-pending", "--json"]).well().lines()[0];
    assert_eq!((&answer["failed"], &answer["remaining"]), (&json!(0), &json!(0)));
}

#[test]
fn a_forgotten_skill_is_listed_no_more() {
    let desk = Desk::with_examples();
    let before = desk.list();
    let (alarm, dark) = ("set_alarm", "turn_on_dark_theme");
    let said = desk.run(&["forget", alarm]).well().out;
    assert!(
        said.contains("set_alarm") && said.contains("2 versions"),
        "{said}"
    );
    let answer = &desk.run(&["forget", "--json", dark]).well().lines()[0];
    assert_eq!((&answer["name"], &answer["versions"]), (&json!(dark), &json!(1)));
    assert_eq!(desk.list().len(), before.len() - 2);
    let again = desk.run(&["forget", alarm]);
    assert_eq!((again.code, again.err.contains("no skill set_alarm")), (1, true));
}

#[test]
fn usage_errors_are_told_apart() {
    let desk = Desk::new();
    for arguments in [
        &["learn"][..],
        &["rank"],
        &["rank", "-k", "many", "goal"],
        &["rank", "goal", "--goals-from", "file"],
        &["instantiate", "skill", "--set", "novalue"],
        &["no-such-command"],
        &[],
    ] {
        assert_eq!(desk.run(arguments).code, 2, "{arguments:?}");
    }
    assert_eq!(desk.run(&["--help"]).code, 0);
    assert!(desk.run(&["--version"]).well().out.starts_with("adroit "));
}

#[test]
fn the_database_can_be_named() {
    let desk = Desk::new();
    let other = desk.path("new/folder/other.db");
    let file = recordings().join("calendar.jsonl");
    desk.run(&["learn", "--db", other.to_str().unwrap(), file.to_str().unwrap()])
        .well();
    assert!(other.exists() && !desk.path("skills.db").exists());
    assert!(
        !desk
            .run(&["--db", other.to_str().unwrap(), "list"])
            .well()
            .out
            .is_empty()
    );

    let home = desk.path("home");
    let learned = |command: &mut Command| Answer::from(command.output().unwrap()).well();
    learned(
        desk.command(&["learn", file.to_str().unwrap()])
            .env_remove("ADROIT_DB")
            .env("XDG_DATA_HOME", &home),
    );
    assert!(home.join("adroit/skills.db").exists());
    let mut without = desk.command(&["learn", file.to_str().unwrap()]);
    learned(
        without
            .env_remove("ADROIT_DB")
            .env_remove("XDG_DATA_HOME")
            .env("HOME", &home),
    );
    assert!(home.join(".local/share/adroit/skills.db").exists());
}
