//! The ways in which programs failed their tests, counted.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use crate::{Ending, shown_name};

/// The number of classes of exceptions that are counted apart. A program may invent a new one for every sample.
const MAX_CLASSES: usize = 1000;
/// The number of classes in the results.
const MAX_REPORTED: usize = 50;
/// The number of characters that are kept of a class's name.
const MAX_NAME: usize = 80;
/// The number of characters of a class's name in a summary of one line.
const MAX_SHOWN_NAME: usize = 40;
/// The number of classes in a summary of one line.
const MAX_SHOWN: usize = 5;

/// The way in which a program failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// It answered wrongly.
    WrongAnswer,
    /// It raised an exception or exited with an error.
    Exception,
    /// It took too long.
    TimeLimit,
    /// It does not parse or compile.
    SyntaxError,
    /// It used too much memory.
    MemoryLimit,
    /// It printed or returned too much.
    OutputLimit,
    /// It exited before its tests were done.
    EarlyExit,
    /// A signal killed it.
    Crash,
}

impl FailureKind {
    /// The kind of an ending; `None` if it is no failure of the program.
    pub fn of(ending: &Ending) -> Option<Self> {
        Some(match ending {
            Ending::Passed | Ending::SandboxError { .. } => return None,
            Ending::WrongAnswer { .. } => Self::WrongAnswer,
            Ending::Exception { .. } => Self::Exception,
            Ending::SyntaxError { .. } => Self::SyntaxError,
            Ending::TimeLimit { .. } => Self::TimeLimit,
            Ending::MemoryLimit => Self::MemoryLimit,
            Ending::OutputLimit => Self::OutputLimit,
            Ending::EarlyExit { .. } => Self::EarlyExit,
            Ending::Crashed { .. } => Self::Crash,
        })
    }

    /// Its name in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::WrongAnswer => "wrong answer",
            Self::Exception => "exception",
            Self::TimeLimit => "time limit",
            Self::SyntaxError => "syntax error",
            Self::MemoryLimit => "memory limit",
            Self::OutputLimit => "output limit",
            Self::EarlyExit => "early exit",
            Self::Crash => "crash",
        }
    }
}

/// The number of failed samples per kind, and the number of exceptions per class.
///
/// Memory is bounded whatever programs raise, and the counts do not depend on the order of the verdicts: of more
/// classes than are counted apart, those whose names come first in alphabetical order are.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failures {
    /// The number of samples per kind.
    pub kinds: BTreeMap<FailureKind, usize>,
    /// The number of exceptions per class.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub exceptions: BTreeMap<String, usize>,
    /// The number of exceptions of all other classes.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub other_exceptions: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Failures {
    /// Counts the failure of one program.
    pub fn add(&mut self, ending: &Ending) {
        let Some(kind) = FailureKind::of(ending) else { return };
        *self.kinds.entry(kind).or_default() += 1;
        if let Ending::Exception { class, .. } = ending {
            self.add_class(&class_name(class), 1);
        }
    }

    /// Returns true if no program failed.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// The number of failed programs.
    pub fn total(&self) -> usize {
        self.kinds.values().sum()
    }

    /// Keeps the most frequent classes, and adds up the others.
    #[must_use]
    pub fn shortened(mut self) -> Self {
        let rare: Vec<String> =
            self.by_frequency().skip(MAX_REPORTED).map(|(name, _)| name.to_owned()).collect();
        for name in rare {
            self.other_exceptions += self.exceptions.remove(&name).unwrap_or_default();
        }
        self
    }

    fn add_class(&mut self, name: &str, count: usize) {
        *self.exceptions.entry(name.to_owned()).or_default() += count;
        if self.exceptions.len() > MAX_CLASSES
            && let Some((_, count)) = self.exceptions.pop_last()
        {
            self.other_exceptions += count;
        }
    }

    /// The classes with their counts, the most frequent first.
    fn by_frequency(&self) -> impl Iterator<Item = (&str, usize)> {
        let mut classes: Vec<(&str, usize)> =
            self.exceptions.iter().map(|(name, count)| (name.as_str(), *count)).collect();
        classes.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
        classes.into_iter()
    }

    /// The most frequent classes of exceptions, for people.
    fn shown_classes(&self) -> String {
        let shown = |(name, count): (&str, usize)| format!("{} {count}", short_name(name));
        let mut parts: Vec<String> = self.by_frequency().take(MAX_SHOWN).map(shown).collect();
        let rest: usize = self.by_frequency().skip(MAX_SHOWN).map(|(_, count)| count).sum();
        let rest = rest + self.other_exceptions;
        if rest > 0 {
            parts.push(format!("other {rest}"));
        }
        parts.join(", ")
    }
}

/// A class's name, escaped and short enough for a line with others.
fn short_name(name: &str) -> String {
    let shown = shown_name(name);
    match shown.char_indices().nth(MAX_SHOWN_NAME) {
        Some((end, _)) => format!("{}…", &shown[..end]),
        None => shown.into_owned(),
    }
}

/// The name under which a class of exceptions is counted.
pub fn class_name(class: &str) -> String {
    match class.char_indices().nth(MAX_NAME) {
        Some((end, _)) => format!("{}…", &class[..end]),
        None if class.is_empty() => "unnamed".to_owned(),
        None => class.to_owned(),
    }
}

impl AddAssign<&Failures> for Failures {
    fn add_assign(&mut self, more: &Failures) {
        // Destructured, so that a new field cannot be forgotten.
        let Failures { kinds, exceptions, other_exceptions } = more;
        for (kind, count) in kinds {
            *self.kinds.entry(*kind).or_default() += count;
        }
        for (name, count) in exceptions {
            self.add_class(name, *count);
        }
        self.other_exceptions += other_exceptions;
    }
}

/// Displays the kinds in one line, the most frequent first; names of classes are escaped.
impl fmt::Display for Failures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut kinds: Vec<(FailureKind, usize)> =
            self.kinds.iter().map(|(kind, count)| (*kind, *count)).collect();
        kinds.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
        for (at, (kind, count)) in kinds.into_iter().enumerate() {
            write!(f, "{}{} {count}", if at > 0 { " · " } else { "" }, kind.words())?;
            if kind == FailureKind::Exception {
                write!(f, " ({})", self.shown_classes())?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Clock;

    fn exception(class: &str) -> Ending {
        Ending::Exception { class: class.to_owned(), message: String::new(), line: None }
    }

    fn wrong() -> Ending {
        Ending::WrongAnswer { message: String::new() }
    }

    #[test]
    fn kinds_are_counted_the_most_frequent_first() {
        let mut failures = Failures::default();
        let time = Ending::TimeLimit { clock: Clock::Cpu };
        let syntax = Ending::SyntaxError { message: String::new(), line: None };
        let endings = [exception("TypeError"), time, wrong(), exception("NameError"), syntax];
        for ending in endings.iter().chain(&[exception("NameError"), wrong(), wrong(), wrong()]) {
            failures.add(ending);
        }
        failures.add(&Ending::Passed);
        let shown = "wrong answer 4 · exception 3 (NameError 2, TypeError 1) · time limit 1 · \
            syntax error 1";
        assert_eq!(failures.to_string(), shown);
        assert_eq!(failures.total(), 9);
        let mut twice = failures.clone();
        twice += &failures;
        assert_eq!((twice.total(), twice.exceptions["NameError"]), (18, 4));
    }

    #[test]
    fn hostile_names_are_bounded_in_length_and_number_whatever_the_order() {
        let names: Vec<Ending> = (0..5000).map(|number| exception(&format!("E{number}"))).collect();
        let (mut forward, mut backward) = (Failures::default(), Failures::default());
        names.iter().chain(&names).for_each(|ending| forward.add(ending));
        names.iter().chain(&names).rev().for_each(|ending| backward.add(ending));
        assert_eq!(forward, backward);
        assert_eq!(forward.exceptions.len(), MAX_CLASSES);
        assert_eq!(forward.other_exceptions, 2 * (5000 - MAX_CLASSES));
        let shortened = forward.shortened();
        assert_eq!(shortened.exceptions.len(), MAX_REPORTED);
        assert_eq!(shortened.total(), 10_000);
        let counted: usize = shortened.exceptions.values().sum();
        assert_eq!(counted + shortened.other_exceptions, 10_000);
        let mut failures = Failures::default();
        failures.add(&exception(&"\x1b".repeat(1 << 20)));
        failures.add(&exception(""));
        let shown = failures.to_string();
        assert!(shown.len() < 500 && !shown.contains('\x1b'), "{shown}");
        assert!(shown.contains("unnamed 1"), "{shown}");
    }
}
