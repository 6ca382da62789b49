//! The command line: commands and flags.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// Learn skills from finished phone-agent tasks and find them again by meaning.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 80, after_help = EXIT_CODES)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,

    /// The database [default: $ADROIT_DB, else adroit/skills.db in $XDG_DATA_HOME or ~/.local/share]
    #[arg(long, global = true, value_name = "FILE")]
    pub db: Option<PathBuf>,

    /// Print one JSON object a line instead of text
    #[arg(long, global = true)]
    pub json: bool,
}

const EXIT_CODES: &str = "Exit codes: 0 all well, 1 some input was refused, 2 usage.";

/// A command.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Learn from recorded timelines
    Learn {
        /// JSON or JSON Lines files, folders of them, or - for standard input
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
    /// Find the skills that fit a goal best
    Rank(RankArguments),
    /// List the newest version of every skill
    List,
    /// Show a skill: steps, parameters and evidence
    Show {
        /// A skill's id (that version) or name (the newest)
        #[arg(value_name = "SKILL")]
        skill: String,
    },
    /// Show every version of a skill
    History {
        /// A skill's id or name
        #[arg(value_name = "SKILL")]
        skill: String,
    },
    /// Print the calls of a skill with its parameters filled in
    Instantiate {
        /// A skill's id (that version) or name (the newest)
        #[arg(value_name = "SKILL")]
        skill: String,
        /// A parameter's or a secret's value; repeat for each
        #[arg(long = "set", value_name = "NAME=VALUE", value_parser = assignment)]
        values: Vec<(String, String)>,
    },
    /// Forget a skill for good, with all its versions and evidence
    Forget {
        /// A skill's id or name
        #[arg(value_name = "SKILL")]
        skill: String,
    },
    /// Embed the skills that cannot be found by meaning yet
    EmbedPending,
}

/// What to rank for.
#[derive(Debug, Args)]
pub struct RankArguments {
    /// Goals, in any words
    #[arg(required_unless_present = "goals_from", value_name = "GOAL")]
    pub goals: Vec<String>,

    /// A file with one goal a line, or - for standard input
    #[arg(long, value_name = "FILE", conflicts_with = "goals")]
    pub goals_from: Option<PathBuf>,

    /// Most skills to show for a goal
    #[arg(short, value_name = "N", default_value_t = 5)]
    pub k: u32,
}

fn assignment(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_string(), value.to_string())),
        _ => Err("write it as name=value".to_string()),
    }
}

impl Arguments {
    /// The database that is meant: the flag, the environment, or the user's data folder.
    pub fn database_path(&self) -> Option<PathBuf> {
        let environment = |name: &str| {
            std::env::var_os(name)
                .filter(|value| !value.is_empty())
                .map(PathBuf::from)
        };
        self.db.clone().or_else(|| environment("ADROIT_DB")).or_else(|| {
            let data = environment("XDG_DATA_HOME")
                .filter(|path| path.is_absolute())
                .or_else(|| environment("HOME").map(|home| home.join(".local/share")))?;
            Some(data.join("adroit/skills.db"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn a_value_may_hold_an_equals_sign_or_nothing() {
        assert_eq!(assignment("query=a=b"), Ok(("query".into(), "a=b".into())));
        assert_eq!(assignment("query="), Ok(("query".into(), String::new())));
        assert!(assignment("=x").is_err() && assignment("x").is_err());
    }
}
