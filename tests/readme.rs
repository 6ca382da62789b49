//! The README's example is the crate guide's, which runs as a documentation test.
#![allow(clippy::unwrap_used, reason = "a missing example fails the test")]

const README: &str = include_str!("../README.md");
const GUIDE: &str = include_str!("../src/lib.rs");

#[test]
fn the_readme_shows_the_example_that_is_tested() {
    let guide: Vec<&str> = GUIDE
        .lines()
        .map_while(|line| line.strip_prefix("//!"))
        .map(|line| line.strip_prefix(' ').unwrap_or(line))
        .collect();
    let examples = rust_blocks(README);
    assert_eq!(examples.len(), 1, "the README has one Rust example");
    assert_eq!(examples, rust_blocks(&guide.join("\n")));
}

/// The code between each "```rust" and the fence that ends it.
fn rust_blocks(text: &str) -> Vec<String> {
    let blocks = text.split("```rust\n").skip(1);
    blocks
        .map(|block| block.split("\n```").next().unwrap().to_owned())
        .collect()
}
