//! Settings of a task, and the data that it is opened on.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The source of a task's problems.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DataChoice {
    /// The sample problems inside the binary.
    Sample,
    /// Files and folders.
    Paths(Vec<PathBuf>),
}

/// Everything that opening a task needs.
#[derive(Debug, Clone, Copy)]
pub struct Opening<'a> {
    /// The source of its problems.
    pub data: &'a DataChoice,
    /// The task's settings.
    pub settings: &'a TaskSettings,
    /// True if the data is the user's own, in the task's form: rules for problems of the published data, such as its
    /// split, do not apply.
    pub own_data: bool,
    /// True if right answers are read; without them, nothing can be graded.
    pub with_references: bool,
    /// The number of answers that are graded concurrently.
    pub jobs: usize,
    /// A folder that caches expensive intermediate results. It changes no result.
    pub cache: Option<&'a Path>,
}

impl<'a> Opening<'a> {
    /// Opens published data with right answers, one grading job and no cache.
    pub fn new(data: &'a DataChoice, settings: &'a TaskSettings) -> Self {
        Self { data, settings, own_data: false, with_references: true, jobs: 1, cache: None }
    }
}

/// The settings of a task; part of a run's request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskSettings {
    /// The choice between the original's behaviour and the corrected one.
    pub rules: Rules,
    /// The isolation between candidates.
    #[serde(default)]
    pub isolation: Isolation,
    /// Runs candidates without isolation.
    #[serde(default)]
    pub unsafe_no_isolation: bool,
    /// The name of the prompt style; the task's default if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// The values of k for pass@k, if the task asks for programs.
    #[serde(default = "usual_pass_k")]
    pub pass_k: Vec<u32>,
    /// The code that runs before every Python program, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prelude: Option<Prelude>,
    /// The time limit of candidates in milliseconds; the task's own if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// True if every call of a table is tried and marked, even after a wrong one. It changes no verdict.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub details: bool,
    /// The seed of the tests' random numbers.
    #[serde(default)]
    pub seed: u64,
}

/// The values of k that are usually reported.
fn usual_pass_k() -> Vec<u32> {
    vec![1, 10, 100]
}

impl Default for TaskSettings {
    fn default() -> Self {
        Self {
            rules: Rules::default(),
            isolation: Isolation::default(),
            unsafe_no_isolation: false,
            prompt: None,
            pass_k: usual_pass_k(),
            prelude: None,
            timeout_ms: None,
            details: false,
            seed: 0,
        }
    }
}

/// Imports that run before every Python program, as some published scorers have them. Programs that rely on them fail
/// elsewhere with a name that is not defined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Prelude {
    /// `from typing import *`.
    Typing,
    /// The imports of HumanEval-X, which the BigCode harness and OctoPack have too.
    HumanevalX,
    /// The imports of LiveCodeBench.
    Livecodebench,
}

impl Prelude {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Typing => "typing",
            Self::HumanevalX => "humaneval-x",
            Self::Livecodebench => "livecodebench",
        }
    }

    /// The version, raised when the same program could behave differently.
    pub fn version(self) -> u32 {
        1
    }
}

/// Displays the name and the version: `typing.1`.
impl fmt::Display for Prelude {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.name(), self.version())
    }
}

/// The isolation between candidates.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Isolation {
    /// Forks a warmed interpreter for every candidate.
    #[default]
    Warm,
    /// Starts a new interpreter for every candidate.
    Fresh,
}

impl TaskSettings {
    /// The default settings with these rules.
    pub fn with_rules(rules: Rules) -> Self {
        Self { rules, ..Self::default() }
    }
}

/// The rules to follow where the original's behaviour and the corrected one differ.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rules {
    /// The original's behaviour.
    #[default]
    Compat,
    /// The corrected behaviour.
    Strict,
}

impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Compat => "compat",
            Self::Strict => "strict",
        })
    }
}
