//! The README's examples are others' too, where they are compiled and run: the Rust one is the crate guide's, the Kotlin
//! one a device test's.
#![allow(clippy::unwrap_used, reason = "a missing example fails the test")]

const README: &str = include_str!("../README.md");
const GUIDE: &str = include_str!("../src/lib.rs");
const KOTLIN: &str = include_str!("../android/adroit/src/androidTest/kotlin/dev/adroit/ReadmeTest.kt");

#[test]
fn the_readme_shows_the_example_that_is_tested() {
    let guide: Vec<&str> = GUIDE
        .lines()
        .map_while(|line| line.strip_prefix("//!"))
        .map(|line| line.strip_prefix(' ').unwrap_or(line))
        .collect();
    let examples = blocks(README, "rust");
    assert_eq!(examples.len(), 1, "the README has one Rust example");
    assert_eq!(examples, blocks(&guide.join("\n"), "rust"));
}

#[test]
fn the_readme_shows_the_kotlin_that_is_tested() {
    let tested = KOTLIN.split("        // README\n").nth(1).unwrap();
    let tested: Vec<&str> = tested
        .lines()
        .map(|line| line.strip_prefix("        ").unwrap_or(line))
        .collect();
    assert!(
        blocks(README, "kotlin").contains(&tested.join("\n")),
        "{tested:#?} is not in the README"
    );
}

/// The code between each fence that names the language and the fence that ends it.
fn blocks(text: &str, language: &str) -> Vec<String> {
    let fence = format!("```{language}\n");
    text.split(fence.as_str())
        .skip(1)
        .map(|block| block.split("\n```").next().unwrap().to_owned())
        .collect()
}
