//! The command line: arguments in, printing out, exit codes.

mod args;
mod commands;
mod output;
mod signals;

use std::process::ExitCode;

use clap::parser::ValueSource;
use clap::{ArgMatches, FromArgMatches};

use crate::args::Arguments;

#[global_allocator]
static MEMORY: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // This executable is started again for the guards of other processes, and for the sandbox's workers.
    if let Some(code) = assay_guard::become_guard_if_asked() {
        return code;
    }
    if std::env::args_os().nth(1).is_some_and(|word| word == assay_sandbox::WORKER_ARGUMENT) {
        return assay_sandbox::worker_main();
    }
    signals::keep_ignored();
    let matches = args::matches().unwrap_or_else(|error| error.exit());
    let arguments = Arguments::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    output::set_colour(!arguments.no_color);
    output::set_columns(arguments.columns);
    if let Some(filter) = arguments.log.filter() {
        output::start_log(filter);
    }
    let code = match commands::run(arguments, &typed(&matches)) {
        Ok(code) => code,
        // The reader of our output has closed it: `assay tasks | head -1`.
        Err(error) if output::is_broken_pipe(&error) => assay_core::exit_code::DONE,
        Err(error) => {
            output::show_error(&error);
            output::note_variables(&args::variables_in(&error.to_string(), &matches));
            error.exit_code()
        }
    };
    ExitCode::from(code)
}

/// The names of the subcommand's arguments that were given on the command line, and not by the
/// environment.
fn typed(matches: &ArgMatches) -> Vec<String> {
    let mut matches = matches;
    while let Some((_, inner)) = matches.subcommand() {
        matches = inner;
    }
    let is_typed = |id: &&str| matches.value_source(id) == Some(ValueSource::CommandLine);
    // Groups of arguments are named like types; they are not arguments.
    let is_argument = |id: &&str| !id.starts_with(|letter: char| letter.is_ascii_uppercase());
    let names = matches.ids().map(clap::Id::as_str).filter(is_argument);
    names.filter(is_typed).map(str::to_owned).collect()
}
