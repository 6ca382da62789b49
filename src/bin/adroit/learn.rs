//! `adroit learn`: every timeline of every file, each learned or refused on its own.

use std::path::{Path, PathBuf};

use adroit::error::SkillError;
use adroit::library::SkillLibrary;
use adroit::timeline::{Timeline, read_timelines};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::commands::{Failure, Finished, print};
use crate::text::{self, Tally};
use crate::{inputs, json};

/// Learns from files, folders and standard input.
pub fn learn(library: &SkillLibrary, named: &[PathBuf], as_json: bool) -> Result<Finished, Failure> {
    let files = inputs::expand(named);
    let mut run = Run {
        library,
        as_json,
        tally: Tally::default(),
        progress: progress(&files),
    };
    for file in &files {
        run.file(file)?;
    }
    run.progress.finish_and_clear();
    if !as_json {
        print(&text::tally(&run.tally))?;
    }
    Ok(if run.tally.refused == 0 {
        Finished::Well
    } else {
        Finished::SomeRefused
    })
}

/// A bar of bytes on standard error, where that is a terminal.
fn progress(files: &[PathBuf]) -> ProgressBar {
    let bytes = files
        .iter()
        .filter_map(|file| Some(std::fs::metadata(file).ok()?.len()))
        .sum();
    let bar = ProgressBar::with_draw_target(Some(bytes), ProgressDrawTarget::stderr());
    match ProgressStyle::with_template("{bar:40} {percent:>3} %  {wide_msg}") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

struct Run<'a> {
    library: &'a SkillLibrary,
    as_json: bool,
    tally: Tally,
    progress: ProgressBar,
}

impl Run<'_> {
    fn file(&mut self, file: &Path) -> Result<(), Failure> {
        let name = if file.as_os_str() == "-" {
            "standard input".into()
        } else {
            file.display().to_string()
        };
        let text = match inputs::read(file) {
            Ok(text) => text,
            Err(error) => {
                self.refuse(&name, 0, ".", &format!("cannot be read: {error}"));
                return Ok(());
            }
        };
        let short_name = file.file_name().map(|name| name.to_string_lossy().into_owned());
        self.progress.set_message(short_name.unwrap_or_default());
        let mut reader = read_timelines(&text);
        let mut read = 0;
        while let Some(timeline) = reader.next() {
            match timeline {
                Ok(timeline) => self.timeline(timeline, &name)?,
                Err(SkillError::InvalidTimeline { line, field, reason }) => {
                    self.refuse(&name, line, &field, &reason)
                }
                Err(error) => return Err(error.into()),
            }
            self.progress.inc((reader.offset() - read) as u64);
            read = reader.offset();
        }
        Ok(())
    }

    fn timeline(&mut self, timeline: Timeline, file: &str) -> Result<(), Failure> {
        let goal = timeline.goal.clone();
        match self.library.learn(timeline) {
            Ok(outcome) => {
                self.tally.add(&outcome);
                let shown = match self.as_json {
                    true => format!("{}\n", json::outcome(&outcome)),
                    false => text::outcome(&outcome, &goal),
                };
                self.progress.suspend(|| print(&shown))
            }
            Err(SkillError::InvalidTimeline { line, field, reason }) => {
                self.refuse(file, line, &field, &reason);
                Ok(())
            }
            // A store that fails for one task fails for the next.
            Err(error) => Err(error.into()),
        }
    }

    fn refuse(&mut self, file: &str, line: u64, field: &str, reason: &str) {
        self.tally.refused += 1;
        let shown = match self.as_json {
            true => json::refusal(file, line, field, reason).to_string(),
            false => refusal_sentence(file, line, field, reason),
        };
        self.progress.suspend(|| anstream::eprintln!("{shown}"));
    }
}

/// A refusal for people: where, then what.
fn refusal_sentence(file: &str, line: u64, field: &str, reason: &str) -> String {
    let place = match line {
        0 => String::new(),
        line => format!(":{line}"),
    };
    let field = match field {
        "." => String::new(),
        field => format!("{field}: "),
    };
    format!("refused {file}{place}: {field}{reason}")
}

#[cfg(test)]
mod tests {
    use super::refusal_sentence;

    #[test]
    fn a_refusal_says_where_and_what() {
        assert_eq!(
            refusal_sentence("a.json", 3, "calls[0].tool", "is missing"),
            "refused a.json:3: calls[0].tool: is missing"
        );
        assert_eq!(
            refusal_sentence("a.json", 0, ".", "cannot be read"),
            "refused a.json: cannot be read"
        );
    }
}
