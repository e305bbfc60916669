//! Arguments about the programs under test.

use std::path::PathBuf;

use assay_core::{
    Error, Isolation, Language, Prelude, QuestionKind, Result, TaskCard, TaskSettings,
};
use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
#[command(next_help_heading = "Tasks that ask for programs")]
pub(crate) struct ProgramArguments {
    /// The k of pass@k; each needs as many samples of every problem. Default: those of 1,10,100 that have enough.
    #[arg(short = 'k', long, value_name = "K,…", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) pass_k: Vec<u32>,

    /// The CPU time in seconds that a program may take for one test; for EvalPlus's tasks, for one call. Four times
    /// what the task's own program takes is always allowed. Without it, the task's own limit holds.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) timeout: Option<u64>,

    /// Try every input of EvalPlus's tasks, even after a wrong answer: `detail` in the verdict then has a
    /// character for each, T for right, F for wrong, - for an error, . for not run. The verdicts are the same.
    #[arg(long)]
    pub(crate) details: bool,

    /// Imports that run before every program in Python, as some published scorers have them: answers that rely on
    /// them fail without. Part of the signature. Default: none.
    #[arg(long, value_name = "NAME")]
    pub(crate) prelude: Option<PreludeArgument>,

    /// The isolation between programs under test; the verdicts are the same.
    #[arg(long, default_value = "warm")]
    pub(crate) isolation: IsolationArgument,

    /// Run programs under test without isolation, as the user who runs assay (as nobody, if that is
    /// root); only for programs that you trust.
    #[arg(long)]
    pub(crate) unsafe_no_isolation: bool,

    /// The folder that remembers which of a task's own programs pass on this machine. Default: assay's
    /// folder in the user's cache.
    #[arg(long, value_name = "DIR")]
    pub(crate) cache: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum IsolationArgument {
    /// A warmed interpreter is forked for every program.
    Warm,
    /// Every program gets a new interpreter.
    Fresh,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PreludeArgument {
    /// `from typing import *`, as MapCoder's scorer.
    Typing,
    /// math, re, collections, typing and others, as HumanEval-X (CodeGeeX) and OctoPack.
    HumanevalX,
    /// All names of fourteen modules, and a recursion limit of 50,000, as LiveCodeBench.
    Livecodebench,
}

impl From<PreludeArgument> for Prelude {
    fn from(prelude: PreludeArgument) -> Self {
        match prelude {
            PreludeArgument::Typing => Self::Typing,
            PreludeArgument::HumanevalX => Self::HumanevalX,
            PreludeArgument::Livecodebench => Self::Livecodebench,
        }
    }
}

impl From<IsolationArgument> for Isolation {
    fn from(isolation: IsolationArgument) -> Self {
        match isolation {
            IsolationArgument::Warm => Self::Warm,
            IsolationArgument::Fresh => Self::Fresh,
        }
    }
}

impl ProgramArguments {
    /// The k of pass@k: those asked for, or the usual ones.
    pub(crate) fn pass_k(&self) -> Vec<u32> {
        if self.pass_k.is_empty() { TaskSettings::default().pass_k } else { self.pass_k.clone() }
    }

    /// Adds these arguments to a task's settings, or refuses those that have no meaning for it.
    pub(crate) fn settings(&self, known: TaskSettings, card: &TaskCard) -> Result<TaskSettings> {
        let prelude = self.prelude.map(Prelude::from);
        if let Some(prelude) = prelude
            && (card.asks != QuestionKind::Code || card.language != Some(Language::Python))
        {
            let (task, name) = (&card.name, prelude.name());
            let message =
                format!("{task} asks for no programs in Python, which --prelude {name} is for");
            return Err(Error::usage(message).hint("leave --prelude out"));
        }
        Ok(TaskSettings {
            prelude,
            isolation: self.isolation.into(),
            unsafe_no_isolation: self.unsafe_no_isolation,
            pass_k: self.pass_k(),
            timeout_ms: self.timeout,
            details: self.details,
            ..known
        })
    }
}

/// Parses seconds, as people write them, into milliseconds.
fn seconds(text: &str) -> std::result::Result<u64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if (0.01..=86_400.0).contains(&seconds) => {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in range")]
            let milliseconds = (seconds * 1e3).round() as u64;
            Ok(milliseconds)
        }
        _ => Err("it must be a number of seconds from 0.01 to 86400".to_owned()),
    }
}
