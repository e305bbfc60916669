//! Solver specs: the text after `--solver`.

use std::fmt;

use assay_core::{Error, Problems, Result, TaskCard};

use crate::{
    BuildRequest, BuiltSolver, REGISTRY, SolverCard, SolverKind, SolverResources, SolverSettings,
};

/// A solver and its argument, as a user names them: `NAME` or `NAME:ARGUMENT`.
#[derive(Debug, Clone)]
pub struct SolverSpec {
    kind: &'static dyn SolverKind,
    pub(crate) argument: Option<String>,
}

impl SolverSpec {
    /// Parses a spec.
    pub fn parse(text: &str) -> Result<Self> {
        let (name, argument) =
            text.split_once(':').map_or((text, None), |(name, rest)| (name, Some(rest)));
        let unknown = || {
            Error::usage(format!("there is no solver called {text:?}"))
                .hint(format!("the solvers are: {}", specs(|_| true)))
        };
        let kind = REGISTRY.iter().copied().find(|kind| kind.card().name() == name);
        let kind = kind.ok_or_else(unknown)?;
        kind.check_argument(argument)?;
        if !kind.card().argument.allows(argument) {
            return Err(unknown());
        }
        Ok(Self { kind, argument: argument.map(str::to_owned) })
    }

    /// The solver's description.
    pub fn card(&self) -> &'static SolverCard {
        self.kind.card()
    }

    /// Fails if it cannot answer the task's questions, and lists the solvers that can.
    pub fn check(&self, task: &TaskCard) -> Result<()> {
        let answers = self.card().answers;
        if answers.contains(&task.asks) {
            return Ok(());
        }
        let kinds: Vec<&str> = answers.iter().map(|kind| kind.answer()).collect();
        let (kinds, wanted) = (kinds.join(" or "), task.asks.answer());
        let message = format!("{self} answers with {kinds}, but {} asks for {wanted}", task.name);
        let able = specs(|card| card.answers.contains(&task.asks));
        Err(Error::usage(message).hint(format!("the solvers for {} are: {able}", task.name)))
    }

    /// A description of an action that a record from somebody else must not cause without consent.
    pub fn risk(&self, settings: &SolverSettings) -> Option<String> {
        self.kind.risk(self.argument.as_deref(), settings)
    }

    /// Builds the solver for `problems`.
    pub fn build(
        &self,
        settings: &SolverSettings,
        problems: &dyn Problems,
        resources: &SolverResources,
    ) -> Result<BuiltSolver> {
        let argument = self.argument.as_deref();
        self.kind.build(&BuildRequest { argument, settings, problems, resources })
    }
}

impl fmt::Display for SolverSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.card().name())?;
        self.argument.as_ref().map_or(Ok(()), |argument| write!(f, ":{argument}"))
    }
}

/// The specs of the solvers for which `wanted` holds, as a list for people.
fn specs(wanted: impl Fn(&SolverCard) -> bool) -> String {
    let cards = REGISTRY.iter().map(|kind| kind.card()).filter(|card| wanted(card));
    cards.map(|card| card.spec).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn a_spec_reads_what_it_writes() {
        for text in [
            "first",
            "gold",
            "most-similar",
            "most-similar-parses",
            "random-parses",
            "locate",
            "locate:a/model.bin",
            "copy",
            "rewrite",
            "file:a:b.txt",
            "program:python3 'my predictor.py' -v",
            "program:sh  \"a b\"",
        ] {
            assert_eq!(SolverSpec::parse(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn mistakes_are_named() {
        for (text, message) in [
            ("frist", "there is no solver called \"frist\""),
            ("first:2", "there is no solver called \"first:2\""),
            ("locate:", "there is no solver called \"locate:\""),
            ("file", "there is no solver called \"file\""),
            ("file:", "there is no solver called \"file:\""),
            ("program:", "program: names no command"),
            ("program: ", "program: names no command"),
            ("program:a 'b", "a quote in \"a 'b\" is not closed"),
        ] {
            assert_eq!(SolverSpec::parse(text).unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn names_are_different_and_only_required_arguments_are_shown() {
        let names: HashSet<&str> = REGISTRY.iter().map(|kind| kind.card().name()).collect();
        assert_eq!(names.len(), REGISTRY.len());
        for kind in REGISTRY {
            let SolverCard { spec, argument, .. } = kind.card();
            assert_eq!(spec.contains(':'), *argument == crate::Argument::Required, "{spec}");
        }
    }
}
