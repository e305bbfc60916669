//! The environment variables of the options: `ASSAY_` and the long name in capitals, with few exceptions.
//!
//! What is typed counts more than the environment: a variable that contradicts a typed option is ignored. An error in
//! a variable's value names the variable.

use std::collections::BTreeSet;
use std::ffi::OsString;

use assay_metrics::registry::REGISTRY;
use clap::builder::{FalseyValueParser, Resettable};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command, CommandFactory};

use super::Arguments;

/// An option whose variable has another name, or that has none.
struct Exception {
    /// The command, or the beginning of its name; empty for every command.
    command: &'static str,
    /// The long name of the option.
    option: &'static str,
    variable: Option<&'static str>,
}

const fn exception(
    command: &'static str,
    option: &'static str,
    variable: Option<&'static str>,
) -> Exception {
    Exception { command, option, variable }
}

/// The exceptions; docs/runs.md has them with their reasons. The first that applies counts.
const EXCEPTIONS: &[Exception] = &[
    exception("", "no-color", Some("NO_COLOR")),
    exception("", "columns", Some("COLUMNS")),
    exception("", "data-root", Some("ASSAY_DATA")),
    exception("", "data", None),
    exception("run", "trust", None),
    exception("predict", "json", None),
    exception("train locate", "output", None),
    exception("data", "output", None),
    exception("data seal", "force", None),
    exception("cache clear", "model", None),
    exception("cache clear", "url", None),
    exception("cache clear", "all", None),
    exception("cache clear", "yes", None),
    exception("export", "output", None),
    exception("export", "format", Some("ASSAY_EXPORT_FORMAT")),
    exception("metric", "format", Some("ASSAY_TEXT_FORMAT")),
];

/// The command line with its environment variables.
pub(crate) fn command() -> Command {
    with_variables(Arguments::command(), "", &BTreeSet::new())
}

/// Parses the command line and the environment.
pub(crate) fn matches() -> Result<ArgMatches, clap::Error> {
    let words: Vec<OsString> = std::env::args_os().collect();
    let mut ignored = BTreeSet::new();
    loop {
        let command = with_variables(Arguments::command(), "", &ignored);
        let error = match command.try_get_matches_from(&words) {
            Ok(matches) => return Ok(matches),
            Err(error) => error,
        };
        let blamed = blamed(&error, &words);
        if error.kind() == ErrorKind::ArgumentConflict && blamed.has_typed {
            let before = ignored.len();
            ignored.extend(blamed.variables.iter().cloned());
            if ignored.len() > before {
                continue;
            }
        }
        return Err(match error.kind() {
            // The variables of missing options are not set.
            ErrorKind::MissingRequiredArgument => error,
            ErrorKind::InvalidSubcommand => with_commands(error, &words),
            _ => with_note(error, &blamed.variables),
        });
    }
}

/// Adds the commands that there are, unless a similar one is suggested.
fn with_commands(mut error: clap::Error, words: &[OsString]) -> clap::Error {
    if error.get(ContextKind::SuggestedSubcommand).is_some() {
        return error;
    }
    let mut command = command();
    command.build();
    for word in words.iter().skip(1).map(|word| word.to_string_lossy()) {
        let Some(inner) = command.find_subcommand(&*word).cloned() else { break };
        command = inner;
    }
    let names: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
    let note = format!("the commands are: {}", names.join(", "));
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![note.into()]));
    error
}

/// The variables whose values this message repeats.
pub(crate) fn variables_in(message: &str, matches: &ArgMatches) -> Vec<String> {
    let (command, matches) = leaf(command(), matches);
    let is_repeated = |argument: &&Arg| {
        let id = argument.get_id().as_str();
        let is_known = matches.ids().any(|known| known.as_str() == id);
        let comes_from_there =
            is_known && matches.value_source(id) == Some(ValueSource::EnvVariable);
        let values = || matches.get_raw(id).into_iter().flatten();
        comes_from_there && values().any(|value| repeats(message, &value.to_string_lossy()))
    };
    command.get_arguments().filter(is_repeated).filter_map(variable_of).collect()
}

/// Returns whether a message has this value as a word. Numbers and switches say nothing.
fn repeats(message: &str, value: &str) -> bool {
    let is_telling = value.len() > 1 && value.chars().any(char::is_alphabetic) && value != "true";
    let is_boundary = |text: Option<char>| !text.is_some_and(char::is_alphanumeric);
    is_telling
        && message.match_indices(value).any(|(at, _)| {
            is_boundary(message[..at].chars().next_back())
                && is_boundary(message[at + value.len()..].chars().next())
        })
}

/// Gives every option its variable, except the ignored ones.
fn with_variables(command: Command, path: &str, ignored: &BTreeSet<String>) -> Command {
    let command = command.mut_args(|argument| {
        let variable = argument
            .get_long()
            .and_then(|long| variable_name(path, long))
            .filter(|variable| !ignored.contains(variable));
        let Some(variable) = variable else { return argument.env(Resettable::Reset) };
        // A switch in the environment has a value.
        let argument = match argument.get_action() {
            ArgAction::SetTrue => argument.value_parser(FalseyValueParser::new()),
            _ => argument,
        };
        // Clap wants names that live as long as the program, which is what these do.
        argument.env(&*variable.leak())
    });
    command.mut_subcommands(|command| {
        let path = format!("{path} {}", command.get_name());
        with_variables(command, path.trim_start(), ignored)
    })
}

/// The variable of an option of the command called `path`.
fn variable_name(path: &str, long: &str) -> Option<String> {
    let is_part_of = |whole: &str| {
        path == whole || path.strip_prefix(whole).is_some_and(|rest| rest.starts_with(' '))
    };
    let applies = |one: &&Exception| {
        one.option == long && (one.command.is_empty() || is_part_of(one.command))
    };
    if let Some(exception) = EXCEPTIONS.iter().find(applies) {
        return exception.variable.map(str::to_owned);
    }
    let long = long.to_uppercase().replace('-', "_");
    // Each metric has variants of its own.
    let metric = path
        .strip_prefix("metric ")
        .filter(|name| REGISTRY.iter().any(|kind| kind.card().name == *name));
    Some(match metric.filter(|_| long == "VARIANT") {
        Some(metric) => format!("ASSAY_{}_VARIANT", metric.to_uppercase()),
        None => format!("ASSAY_{long}"),
    })
}

/// The part of the environment in an error.
#[derive(Default)]
struct Blamed {
    /// The variables that the error is about.
    variables: Vec<String>,
    /// True if it is also about an option that was typed.
    has_typed: bool,
}

/// Finds out which of the options that an error is about come from the environment.
fn blamed(error: &clap::Error, words: &[OsString]) -> Blamed {
    let mut blamed = Blamed::default();
    let typed = Arguments::command().ignore_errors(true).try_get_matches_from(words);
    let Ok(typed) = typed else { return blamed };
    let (command, typed) = leaf(command(), &typed);
    let names: Vec<&String> = [ContextKind::InvalidArg, ContextKind::PriorArg]
        .into_iter()
        .filter_map(|kind| error.get(kind))
        .flat_map(|value| match value {
            ContextValue::String(name) => std::slice::from_ref(name),
            ContextValue::Strings(names) => names,
            _ => &[],
        })
        .collect();
    for argument in command.get_arguments() {
        if !names.iter().any(|name| **name == argument.to_string()) {
            continue;
        }
        let id = argument.get_id().as_str();
        let is_known = typed.ids().any(|known| known.as_str() == id);
        if is_known && typed.value_source(id) == Some(ValueSource::CommandLine) {
            blamed.has_typed = true;
        } else {
            blamed.variables.extend(variable_of(argument));
        }
    }
    blamed
}

fn variable_of(argument: &Arg) -> Option<String> {
    Some(argument.get_env()?.to_string_lossy().into_owned())
}

/// The command that was chosen, and what was parsed for it.
fn leaf(command: Command, matches: &ArgMatches) -> (Command, &ArgMatches) {
    let (mut command, mut matches) = (command, matches);
    command.build();
    while let Some((name, inner)) = matches.subcommand() {
        let Some(found) = command.find_subcommand(name).cloned() else { break };
        (command, matches) = (found, inner);
    }
    (command, matches)
}

/// Adds which variables the values come from.
fn with_note(mut error: clap::Error, variables: &[String]) -> clap::Error {
    if !variables.is_empty() {
        let note = match variables {
            [one] => format!("the value comes from the environment variable {one}"),
            several => {
                format!("the values come from the environment variables {}", several.join(" and "))
            }
        };
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![note.into()]));
    }
    error
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// Every option of every command: the command's path, the option, and its long name.
    fn options() -> Vec<(String, Arg, String)> {
        fn collect(command: &Command, path: &str, found: &mut Vec<(String, Arg, String)>) {
            for argument in command.get_arguments() {
                let long = argument.get_long().filter(|long| !["help", "version"].contains(long));
                if let Some(long) = long {
                    found.push((path.to_owned(), argument.clone(), long.to_owned()));
                }
            }
            for inner in command.get_subcommands().filter(|inner| inner.get_name() != "help") {
                collect(inner, format!("{path} {}", inner.get_name()).trim_start(), found);
            }
        }
        let mut command = command();
        command.build();
        let mut found = Vec::new();
        collect(&command, "", &mut found);
        assert!(found.len() > 100, "{}", found.len());
        found
    }

    /// The exception for an option of a command.
    fn exception_of(path: &str, long: &str) -> Option<&'static Exception> {
        let applies = |one: &&Exception| {
            let starts = path == one.command || path.starts_with(&format!("{} ", one.command));
            one.option == long && (one.command.is_empty() || starts)
        };
        EXCEPTIONS.iter().find(applies)
    }

    #[test]
    fn every_option_has_its_variable() {
        let mut used = BTreeSet::new();
        for (path, argument, long) in options() {
            let name = long.to_uppercase().replace('-', "_");
            let expected = match exception_of(&path, &long) {
                Some(exception) => {
                    used.insert((exception.command, exception.option));
                    exception.variable.map(str::to_owned)
                }
                None if long == "variant" && path != "metric score" => {
                    let metric = path.rsplit(' ').next().unwrap().to_uppercase();
                    Some(format!("ASSAY_{metric}_VARIANT"))
                }
                None => Some(format!("ASSAY_{name}")),
            };
            assert_eq!(variable_of(&argument), expected, "{path} --{long}");
        }
        assert_eq!(used.len(), EXCEPTIONS.len(), "an exception is for nothing: {used:?}");
    }

    /// A variable that means one thing for one command and another one for the next would break one of them.
    #[test]
    fn a_variable_has_the_same_values_for_every_command() {
        let mut known: BTreeMap<String, (String, Vec<String>, bool)> = BTreeMap::new();
        for (path, argument, _) in options() {
            let Some(variable) = variable_of(&argument) else { continue };
            let values = argument.get_possible_values();
            let values = values.iter().map(|value| value.get_name().to_owned()).collect();
            let is_switch = matches!(argument.get_action(), ArgAction::SetTrue);
            let (other, others, was_switch) =
                known.entry(variable.clone()).or_insert((path.clone(), values, is_switch)).clone();
            let values: Vec<String> = argument
                .get_possible_values()
                .iter()
                .map(|value| value.get_name().to_owned())
                .collect();
            assert_eq!((values, is_switch), (others, was_switch), "{variable}: {path} and {other}");
        }
    }

    #[test]
    fn the_exceptions_are_documented() {
        let page = include_str!("../../../../docs/runs.md");
        for Exception { command, option, variable } in EXCEPTIONS {
            let flag = format!("`--{option}`");
            let name = variable.map_or_else(String::new, |name| format!("`{name}`"));
            let row = page.lines().find(|line| {
                line.starts_with('|')
                    && line.contains(&flag)
                    && line.contains(&name)
                    && line.contains(command)
            });
            assert!(row.is_some(), "docs/runs.md has no row for {flag} of {command:?}");
        }
    }

    #[test]
    fn a_value_is_found_in_a_message_as_a_word() {
        assert!(repeats("there is no group called nope", "nope"));
        assert!(repeats("there is no /data/x here", "/data/x"));
        assert!(!repeats("there is nothing", "no"));
        assert!(!repeats("10 is not in 1..=9", "10"));
    }
}
