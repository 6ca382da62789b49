//! Which files are read.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The files behind what was named: a folder stands for its `*.json` and `*.jsonl` files, sorted by name.
/// Whatever cannot be listed stays as it is and fails when it is read.
pub fn expand(named: &[PathBuf]) -> Vec<PathBuf> {
    named
        .iter()
        .flat_map(|path| recordings_in(path).unwrap_or_else(|| vec![path.clone()]))
        .collect()
}

fn recordings_in(folder: &Path) -> Option<Vec<PathBuf>> {
    if !folder.is_dir() {
        return None;
    }
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .ok()?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            path.is_file()
                && path
                    .extension()
                    .is_some_and(|ending| ending == "json" || ending == "jsonl")
        })
        .collect();
    files.sort();
    Some(files)
}

/// Everything in a file, or on standard input for `-`.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    if path.as_os_str() != "-" {
        return std::fs::read(path);
    }
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The goals of a text, one a line. Blank lines hold none.
pub fn goals(bytes: &[u8]) -> Result<Vec<String>, String> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let line = 1 + bytes[..error.valid_up_to()]
            .iter()
            .filter(|byte| **byte == b'\n')
            .count();
        format!("line {line} is not UTF-8 text")
    })?;
    let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim);
    Ok(lines
        .filter(|line| !line.is_empty())
        .map(str::to_string)
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goal_stands_on_each_line() {
        assert_eq!(
            goals("\u{feff}one\r\n\n  two \n".as_bytes()),
            Ok(vec!["one".into(), "two".into()])
        );
        assert_eq!(goals(b"one\n\xff"), Err("line 2 is not UTF-8 text".into()));
    }
}
