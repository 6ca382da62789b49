//! `adroit`: the library from a terminal.

#[path = "adroit/arguments.rs"]
mod arguments;
#[path = "adroit/commands.rs"]
mod commands;
#[path = "adroit/inputs.rs"]
mod inputs;
#[path = "adroit/json.rs"]
mod json;
#[path = "adroit/layout.rs"]
mod layout;
#[path = "adroit/learn.rs"]
mod learn;
#[path = "adroit/text.rs"]
mod text;

use std::io::ErrorKind;
use std::process::ExitCode;

use clap::Parser;

use arguments::Arguments;
use commands::Failure;

/// Exit code when some input was refused. Usage errors are 2, which is clap's own code.
const REFUSED: u8 = 1;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let json = arguments.json;
    match commands::run(arguments) {
        Ok(commands::Finished::Well) => ExitCode::SUCCESS,
        Ok(commands::Finished::SomeRefused) => ExitCode::from(REFUSED),
        // The reader of our output has seen enough.
        Err(Failure::Output(error)) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(failure) => {
            commands::report(&failure.to_string(), json);
            ExitCode::from(REFUSED)
        }
    }
}
