//! The commands, one file each.

mod cache;
mod data;
mod doctor;
mod explain;
mod export;
mod grade_run;
mod list;
mod metric;
#[cfg_attr(not(feature = "mine"), path = "mine_absent.rs")]
mod mine;
#[cfg_attr(not(feature = "models"), path = "models_absent.rs")]
mod models;
mod predict;
mod require;
mod run;
mod score;
#[cfg_attr(not(feature = "seal"), path = "seal_absent.rs")]
mod seal;
mod session;
mod tour;
mod train;

use std::path::{Path, PathBuf};
use std::time::Duration;

use assay_core::{
    Cancel, DataChoice, Error, ProblemId, Result, TaskCard, clear_leftovers, exit_code,
};
use assay_data::OutputTarget;
use assay_run::Tool;
use assay_solvers::{LOCATE_LEARNED_FROM, SolverSettings};
use etcetera::BaseStrategy;

use crate::args::{
    self, Arguments, Command, DataArguments, DataCommand, MineCommand, SolvingArguments,
    TrainCommand,
};
use crate::output;

/// Runs the command and returns its exit code. `typed` lists the arguments that were given on the
/// command line and not by the environment.
pub(crate) fn run(arguments: Arguments, typed: &[String]) -> Result<u8> {
    let is_detailed = arguments.log.verbose > 0;
    match arguments.command {
        Command::Run(arguments) => run::run(&arguments, typed, is_detailed),
        Command::Score(arguments) => match &arguments.answers {
            Some(answers) => score::score(&arguments, answers, is_detailed),
            None => grade_run::grade_run(&arguments, typed, is_detailed),
        },
        Command::Export(arguments) => export::export(&arguments),
        Command::Predict(arguments) => predict::predict(&arguments),
        Command::Explain(arguments) => explain::explain(&arguments),
        Command::Tasks(arguments) => list::tasks(arguments.json),
        Command::Solvers(arguments) => list::solvers(arguments.json),
        Command::Show(arguments) => list::show(&arguments.task, arguments.json),
        Command::Data(DataCommand::List { data_root, no_check, json }) => {
            data::list(data_root, !no_check, json)
        }
        Command::Data(DataCommand::Verify(arguments)) => data::verify(&arguments),
        Command::Data(DataCommand::Stats(arguments)) => data::stats(&arguments),
        Command::Data(DataCommand::Mine(MineCommand::Codrep(arguments))) => {
            mine::codrep(&arguments, typed)
        }
        Command::Data(DataCommand::Seal(arguments)) => seal::seal(&arguments),
        Command::Data(DataCommand::Unseal(arguments)) => seal::unseal(&arguments),
        Command::Metric(command) => metric::metric(&command),
        Command::Train(TrainCommand::Locate(arguments)) => train::locate(&arguments),
        Command::Doctor(arguments) => doctor::doctor(arguments.json),
        Command::Models(arguments) => models::models(&arguments),
        Command::Cache(command) => cache::cache(&command),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut args::command(), "assay", &mut script);
            output::write(&script)?;
            Ok(exit_code::DONE)
        }
    }
}

/// The name that selects the problems inside the binary.
const SAMPLE: &str = "sample";

/// The file to write that the user named; says so if it waits for the reader of a pipe.
fn output_target(name: &Path) -> Result<OutputTarget> {
    OutputTarget::named_or_waiting(name, &|| {
        let name = name.display();
        output::print_message(&format!(
            "{name} is a pipe that nobody reads yet: waiting for its reader"
        ));
    })
}

fn tool() -> Tool {
    Tool { version: env!("CARGO_PKG_VERSION").to_owned(), commit: env!("ASSAY_COMMIT").to_owned() }
}

/// Selects the source of a task's problems, from the arguments or from the data folder.
fn choose_data(arguments: &DataArguments, card: &TaskCard) -> Result<DataChoice> {
    if !arguments.data.is_empty() {
        let data = data_at(&arguments.data)?;
        if data == DataChoice::Sample && arguments.name.is_some() {
            return Err(Error::usage("the problems inside the binary are not your own")
                .hint("name your file with --data, or leave --name out"));
        }
        return Ok(data);
    }
    let root = data_root(arguments.data_root.clone())?;
    let folder = root.join(&card.folder);
    if folder.is_dir() {
        let folder = absolute(&folder)?;
        tracing::info!(task = card.name, folder = %folder.display(), "found data");
        return Ok(DataChoice::Paths(vec![folder]));
    }
    let message = format!("there is no data for {} in {}", card.name, root.display());
    Err(Error::usage(message).hint(format!(
        "name a dataset with --data, set ASSAY_DATA, or try the problems inside: --data {SAMPLE}"
    )))
}

/// The data with these names: the problems inside the binary, or paths.
fn data_at(names: &[String]) -> Result<DataChoice> {
    match names {
        [name] if name == SAMPLE => Ok(DataChoice::Sample),
        names if names.iter().any(|name| name == SAMPLE) => {
            Err(Error::usage("`sample` cannot be joined with other data")
                .hint("a folder of that name is ./sample"))
        }
        names => Ok(DataChoice::Paths(split_paths(names)?)),
    }
}

/// The folder with a folder of datasets for each task.
fn data_root(given: Option<PathBuf>) -> Result<PathBuf> {
    if let Some(given) = given {
        return Ok(given);
    }
    let platform = etcetera::choose_base_strategy().map_err(|error| {
        Error::usage("there is no data folder on this machine")
            .because(error)
            .hint("set ASSAY_DATA, or give --data")
    })?;
    Ok(platform.data_dir().join("assay"))
}

/// Splits paths joined by `:`, as the original scorer takes them; an existing path that contains a
/// `:` is one path.
fn split_paths(given: &[String]) -> Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for text in given {
        if Path::new(text).exists() {
            paths.push(absolute(Path::new(text))?);
            continue;
        }
        for part in text.split(':').filter(|part| !part.is_empty()) {
            let path = Path::new(part);
            if !path.exists() {
                return Err(Error::refused(format!("there is no {part}"))
                    .hint("datasets are folders and archives; several are joined by `:`"));
            }
            paths.push(absolute(path)?);
        }
    }
    if paths.is_empty() {
        return Err(Error::usage("no dataset is named"));
    }
    Ok(paths)
}

fn absolute(path: &Path) -> Result<PathBuf> {
    std::path::absolute(path).map_err(|error| Error::reading("open", path, error))
}

fn solver_settings(arguments: &SolvingArguments) -> Result<SolverSettings> {
    let working_folder = std::env::current_dir()
        .map_err(|error| Error::failed("failed to find the working folder").because(error))?;
    Ok(SolverSettings {
        seed: arguments.seed,
        top: arguments.top as usize,
        time_limit: Duration::from_secs_f64(arguments.time_limit),
        working_folder,
        specific: serde_json::Map::new(),
    })
}

/// The folder of assay's cache; `None` on a machine without one.
fn cache_folder(given: Option<&Path>) -> Option<PathBuf> {
    let platform = || Some(etcetera::choose_base_strategy().ok()?.cache_dir().join("assay"));
    given.map(Path::to_owned).or_else(platform)
}

/// The folder in which assay records the runs that this user has started.
fn state_folder() -> Option<PathBuf> {
    let platform = etcetera::choose_base_strategy().ok()?;
    Some(platform.state_dir().unwrap_or_else(|| platform.data_dir()).join("assay"))
}

/// The dataset among these problems' that the locator inside assay was trained on.
fn locator_training_data<'a>(ids: impl IntoIterator<Item = &'a ProblemId>) -> Option<&'static str> {
    let learned = |id: &ProblemId| {
        let dataset = id.as_str().split('/').next().unwrap_or_default();
        LOCATE_LEARNED_FROM.into_iter().find(|name| *name == dataset)
    };
    ids.into_iter().find_map(learned)
}

/// The first Ctrl-C requests a clean end; a second one ends the process at once, with all that it has started.
fn cancel_on_interrupt() -> Result<Cancel> {
    let cancel = Cancel::new();
    let flag = cancel.clone();
    let handler = move || {
        if flag.is_cancelled() {
            clear_leftovers();
            output::clear_bar();
            #[expect(clippy::exit, reason = "the user insists")]
            std::process::exit(i32::from(exit_code::INTERRUPTED));
        }
        flag.cancel();
    };
    ctrlc::set_handler(handler)
        .map_err(|error| Error::failed("failed to listen for Ctrl-C").because(error))?;
    Ok(cancel)
}
