//! The command line: arguments in, printing out, exit codes.

mod args;
mod commands;
mod output;

use std::process::ExitCode;

use clap::Parser;

use crate::args::Arguments;

fn main() -> ExitCode {
    let code = match commands::run(Arguments::parse()) {
        Ok(code) => code,
        // Whoever reads our output has had enough: `assay tasks | head -1`.
        Err(error) if output::is_broken_pipe(&error) => assay_core::exit_code::DONE,
        Err(error) => {
            output::show_error(&error);
            error.exit_code()
        }
    };
    ExitCode::from(code)
}
