//! Reads the source tree and holds the rules that keep it easy to change. Each test is one rule.
#![allow(clippy::unwrap_used, reason = "a tree that cannot be read fails the test")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Types that everything may use and that use nothing of ours but each other.
const NOUNS: [&str; 4] = ["error", "timeline", "skill", "outcome"];

/// Modules that compute and touch nothing outside.
const PURE: [&str; 4] = ["template", "matching", "synthesis", "ranking"];

/// One test for every scenario of the specifications.
const SCENARIOS: [&str; 25] = [
    "successful_task_triggers_synthesis",
    "failed_task_does_not_trigger_synthesis",
    "default_configuration_performs_no_synthesis",
    "explicit_enable_activates_synthesis",
    "mutating_steps_are_included_in_order",
    "read_only_observation_calls_are_excluded",
    "first_execution_of_a_flow_has_no_parameters",
    "second_divergent_execution_promotes_a_differing_value_to_a_parameter",
    "identical_repeated_execution_does_not_spuriously_add_parameters",
    "synthesized_skill_is_tagged_as_locally_authored",
    "synced_skill_catalog_is_untouched_by_synthesis",
    "extra_step_triggers_a_new_version",
    "reordered_steps_trigger_a_new_version",
    "argument_value_only_differences_do_not_trigger_a_version_bump",
    "new_version_references_its_parent",
    "prior_version_remains_fetchable",
    "lookup_by_name_returns_newest_version",
    "explicit_id_lookup_returns_the_requested_version",
    "new_skill_gains_an_embedding",
    "new_version_gains_its_own_embedding",
    "embedding_call_fails_but_skill_is_still_stored",
    "similar_goal_returns_matching_skill_highest_ranked",
    "requested_count_limits_results",
    "no_embedded_skills_yields_an_empty_result",
    "default_retrieval_excludes_synced_only_skills_without_embeddings",
];

#[test]
fn only_the_store_and_the_catalog_know_rusqlite() {
    only_these_name(
        "rusqlite",
        &["src/store.rs", "src/store/", "src/catalog.rs", "src/catalog/"],
    );
}

#[test]
fn only_the_bundled_model_knows_tract() {
    only_these_name("tract_onnx", &["src/embedding/bundled.rs"]);
}

#[test]
fn only_the_android_module_knows_jni() {
    only_these_name("jni", &["src/android.rs"]);
}

#[test]
fn nouns_use_nothing_of_ours_but_nouns() {
    let allowed: BTreeSet<&str> = NOUNS.into_iter().chain(["JsonValue"]).collect();
    for noun in NOUNS {
        for source in module(noun) {
            for used in source.uses() {
                assert!(
                    allowed.contains(used.as_str()) || used == noun,
                    "{}: a noun uses crate::{used}; move what needs it out of the noun",
                    source.path
                );
            }
        }
    }
}

#[test]
fn the_pure_core_touches_nothing_outside() {
    let std = ["fs", "thread", "net", "process", "env", "io", "time"].map(|name| format!("std::{name}"));
    let crates = ["rusqlite", "tract_onnx", "jni", "log"].map(|name| format!("{name}::"));
    let macros = ["println!", "eprintln!", "dbg!"].map(str::to_owned);
    for source in PURE.into_iter().flat_map(module) {
        for name in std.iter().chain(&crates).chain(&macros) {
            assert!(!source.calls(name), "{}: a pure module uses {name}", source.path);
        }
        for used in source.uses() {
            assert!(
                !["store", "catalog", "embedding", "library", "android"].contains(&used.as_str()),
                "{}: a pure module uses crate::{used}",
                source.path
            );
        }
    }
}

#[test]
fn the_store_and_the_synthesis_do_not_know_each_other() {
    for (side, others) in [
        ("store", ["synthesis", "template"].as_slice()),
        ("synthesis", &["store"]),
        ("template", &["store"]),
    ] {
        for source in module(side) {
            for used in source.uses() {
                assert!(
                    !others.contains(&used.as_str()),
                    "{}: uses crate::{used}",
                    source.path
                );
            }
        }
    }
}

#[test]
fn every_scenario_of_the_specifications_has_its_test() {
    let source = read("tests/scenarios.rs");
    let lines: Vec<&str> = source.lines().map(str::trim).collect();
    for scenario in SCENARIOS {
        let head = format!("fn {scenario}(");
        let at = lines.iter().position(|line| line.starts_with(&head));
        let at = at.unwrap_or_else(|| panic!("tests/scenarios.rs has no test {scenario}"));
        let attributes: Vec<&&str> = lines[..at]
            .iter()
            .rev()
            .take_while(|line| line.starts_with('#'))
            .collect();
        assert!(
            attributes.contains(&&"#[test]"),
            "{scenario} is not marked #[test]"
        );
        assert!(
            !attributes.iter().any(|line| line.starts_with("#[ignore")),
            "{scenario} is ignored"
        );
    }
}

#[test]
fn only_models_are_large() {
    const LIMIT: u64 = 5 * 1024 * 1024;
    for path in files("") {
        let size = fs::metadata(root().join(&path)).unwrap().len();
        assert!(
            path.starts_with("models/") || size <= LIMIT,
            "{path} has {size} bytes, more than {LIMIT}"
        );
    }
}

#[test]
fn a_source_file_stays_small_enough_to_read() {
    const LIMIT: usize = 700;
    for source in sources("src/") {
        let lines = source.text.lines().count();
        assert!(
            lines <= LIMIT,
            "{} has {lines} lines, more than {LIMIT}: split it by concern",
            source.path
        );
    }
}

#[test]
fn every_source_file_says_what_it_is_for() {
    for source in sources("src/") {
        assert!(
            source.text.starts_with("//! "),
            "{} does not begin with a //! line",
            source.path
        );
    }
}

#[test]
fn nothing_is_left_unwritten() {
    for source in ["src/", "tests/", "benches/", "uniffi/src/"]
        .into_iter()
        .flat_map(sources)
    {
        for unwritten in [concat!("todo", "!("), concat!("unimplemented", "!(")] {
            assert!(
                !source.code.contains(unwritten),
                "{} holds {unwritten}",
                source.path
            );
        }
    }
}

#[test]
fn the_documents_name_only_paths_that_exist() {
    let tree: BTreeSet<String> = files("").into_iter().collect();
    for document in ["README.md", "ARCHITECTURE.md", "CHANGELOG.md"] {
        for path in named_paths(&read(document)) {
            let folder = format!("{}/", path.trim_end_matches('/'));
            let exists = tree.iter().any(|file| {
                *file == path
                    || file.starts_with(&folder)
                    // A bare file name stands for the file wherever it is.
                    || (!path.contains('/') && file.ends_with(&format!("/{path}")))
            });
            assert!(exists, "{document} names {path}, which does not exist");
        }
    }
}

#[test]
fn the_reading_of_sources_finds_what_the_rules_look_for() {
    let source = Source::new(
        "src/example.rs".to_owned(),
        "//! About rusqlite.\nuse crate::{JsonValue, skill::{Skill, Step}, store};\n/// See tract_onnx.\n\
         fn f(x: crate::template::T) {} // jni\n#[cfg(test)]\nmod tests {\n    use crate::library::X;\n}\n"
            .to_owned(),
    );
    assert_eq!(
        Vec::from_iter(source.uses()),
        ["JsonValue", "skill", "store", "template"]
    );
    assert!(source.names("Skill") && !source.names("Ski"));
    assert!(source.calls("skill::") && !source.calls("kill::"));
    assert!(
        !["rusqlite", "tract_onnx", "jni"]
            .iter()
            .any(|name| source.names(name))
    );

    let document = "`src/lib.rs`, `./build.sh test`, `tidy.rs`, `adroit rank`, `on`, `https://a.b/c`\n\
                    ```\n`src/fenced.rs`\n```\n`crate::store`, `application/json`, `target/debug/`, `~/.x/y`";
    assert_eq!(named_paths(document), ["src/lib.rs", "build.sh", "tidy.rs"]);
}

fn only_these_name(name: &str, places: &[&str]) {
    for source in sources("src/") {
        let allowed = places.iter().any(|place| source.path.starts_with(place));
        assert!(
            allowed || !source.names(name),
            "{} names {name}: only {places:?} may",
            source.path
        );
    }
}

/// A source file, and its code without comments and unit tests.
struct Source {
    path: String,
    text: String,
    code: String,
}

impl Source {
    fn new(path: String, text: String) -> Self {
        let tested = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        let without_comment = |line: &str| {
            let ends = line
                .trim_start()
                .starts_with("//")
                .then_some(0)
                .or_else(|| line.find(" // "));
            line[..ends.unwrap_or(line.len())].to_owned() + "\n"
        };
        let code = tested.lines().map(without_comment).collect();
        Self { path, text, code }
    }

    /// Whether the code holds `name` as a whole word.
    fn names(&self, name: &str) -> bool {
        self.code
            .split(|c: char| !(c.is_alphanumeric() || c == '_'))
            .any(|word| word == name)
    }

    /// Whether the code holds `path`, such as `std::fs` or `log::`, from the start of a word.
    fn calls(&self, path: &str) -> bool {
        let mut found = self.code.match_indices(path);
        found.any(|(at, _)| !self.code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_'))
    }

    /// What stands directly under `crate::`, also in a braced list.
    fn uses(&self) -> BTreeSet<String> {
        let mut used = BTreeSet::new();
        for (at, marker) in self.code.match_indices("crate::") {
            let rest = &self.code[at + marker.len()..];
            match rest.strip_prefix('{') {
                Some(list) => used.extend(top_level(list)),
                None => used.extend([first_word(rest)]),
            }
        }
        used
    }
}

/// The first words of a braced list's items; nested lists belong to their item.
fn top_level(list: &str) -> Vec<String> {
    let (mut depth, mut items) = (0_i32, vec![String::new()]);
    for c in list.chars() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => items.push(String::new()),
            c => items.last_mut().unwrap().push(c),
        }
    }
    items
        .iter()
        .map(|item| first_word(item.trim()))
        .filter(|word| !word.is_empty())
        .collect()
}

fn first_word(text: &str) -> String {
    text.chars()
        .take_while(|&c| c.is_alphanumeric() || c == '_')
        .collect()
}

/// A module's file and the files of its folder. A module that is gone is a rule that no longer holds anything.
fn module(name: &str) -> Vec<Source> {
    let (file, folder) = (format!("src/{name}.rs"), format!("src/{name}/"));
    let found: Vec<Source> = sources("src/")
        .into_iter()
        .filter(|s| s.path == file || s.path.starts_with(&folder))
        .collect();
    assert!(
        !found.is_empty(),
        "there is no {file}: name the module's new place in tests/tidy.rs"
    );
    found
}

fn sources(folder: &str) -> Vec<Source> {
    let rust = files(folder).into_iter().filter(|path| path.ends_with(".rs"));
    rust.map(|path| Source::new(path.clone(), read(&path))).collect()
}

/// What looks like a path of this repository among the words that a document sets in backticks.
fn named_paths(document: &str) -> Vec<String> {
    const EXTENSIONS: [&str; 6] = [".rs", ".sh", ".toml", ".sql", ".py", ".onnx"];
    let prose = document.split("```").step_by(2);
    let spans = prose.flat_map(|prose| prose.split('`').skip(1).step_by(2));
    let words = spans
        .flat_map(str::split_whitespace)
        .map(|word| word.trim_start_matches("./"));
    let top = |word: &str| word.split('/').next().is_some_and(|first| TOP.contains(&first));
    let known = |word: &str| {
        EXTENSIONS
            .iter()
            .any(|ending| word.len() > ending.len() && word.ends_with(ending))
    };
    let plain = |word: &str| {
        word.chars()
            .all(|c| c.is_ascii_alphanumeric() || "_-./".contains(c))
    };
    words
        .filter(|word| plain(word))
        .filter(|word| {
            if word.contains('/') {
                top(word)
            } else {
                known(word)
            }
        })
        .map(str::to_owned)
        .collect()
}

/// The folders of the repository. A path elsewhere, such as `target/debug`, is no file of ours.
const TOP: [&str; 11] = [
    ".ci", "android", "benches", "docs", "examples", "fuzz", "models", "src", "tests", "tools", "uniffi",
];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Every file under `folder`, as a path from the root; what builds leave behind is not looked at.
fn files(folder: &str) -> Vec<String> {
    fn walk(folder: &Path, found: &mut Vec<String>) {
        const LEFT_BEHIND: [&str; 7] = [
            ".git",
            ".gradle",
            "target",
            "build",
            "cache",
            "node_modules",
            "__pycache__",
        ];
        for item in fs::read_dir(folder).unwrap() {
            let path = item.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy();
            if path.is_dir() {
                if !LEFT_BEHIND.contains(&name.as_ref()) {
                    walk(&path, found);
                }
            } else {
                let path = path.strip_prefix(root()).unwrap();
                found.push(path.to_string_lossy().replace('\\', "/"));
            }
        }
    }
    let (mut found, folder) = (Vec::new(), root().join(folder));
    if folder.is_dir() {
        walk(&folder, &mut found);
    }
    found.sort();
    found
}
