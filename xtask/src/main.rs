//! Development commands, run as `cargo xtask NAME`.

mod bench;
mod fuzz;
mod lemmas;
mod picture;
mod plot;
mod setup;
mod shell;
mod test;
mod tidy;

use std::process::ExitCode;

const HELP: &str = "\
cargo xtask test              set up what is missing, then check format, lints, licences, dependencies, tests and docs
cargo xtask bless             write generated documents and snapshots anew
cargo xtask bless guide       write what the commands of the documents print into their pages
cargo xtask bench [NAME]      run a benchmark against its opponent and keep the result
cargo xtask fuzz NAME [SECS]  run a fuzz target (60 seconds by default)
cargo xtask lemmas [FOLDER]   make the table of Russian lemmas anew, from the data of pymorphy3-dicts-ru
cargo xtask plot              draw the plot of the README anew, from the training report
cargo xtask picture           draw both pictures of the README anew";

type Outcome = Result<(), String>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["test"] => test::test(),
        ["bless"] => test::bless(&["--workspace"]),
        ["bless", "guide"] => test::bless(&["--package", "assay", "--test", "guide"]),
        ["bench", names @ ..] => bench::bench(names),
        ["lemmas"] => lemmas::download_and_make(),
        ["lemmas", folder] => lemmas::make(folder.as_ref()),
        ["picture"] => plot::plot().and_then(|()| picture::picture()),
        ["plot"] => plot::plot(),
        ["fuzz", name] => fuzz::fuzz(name, "60"),
        ["fuzz", name, seconds] => fuzz::fuzz(name, seconds),
        ["measure", report, command @ ..] => bench::measure::measure_here(report, command),
        ["read-all", folders @ ..] => bench::floor::read_all(folders),
        _ => Err(HELP.to_owned()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            shell::print(&message);
            ExitCode::FAILURE
        }
    }
}
