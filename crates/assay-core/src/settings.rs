//! Settings: the data that a task is opened on, and everything that it may be told.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// Where a task's problems come from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DataChoice {
    /// The problems inside the binary.
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
    /// Whether right answers are read; without, nothing can be graded.
    pub with_references: bool,
    /// The number of answers that are graded at once.
    pub jobs: usize,
    /// A folder for whatever is expensive to find out and the same every time. It changes no result.
    pub cache: Option<&'a Path>,
}

impl<'a> Opening<'a> {
    /// Opens with right answers, one grade at a time and no cache.
    pub fn new(data: &'a DataChoice, settings: &'a TaskSettings) -> Self {
        Self { data, settings, with_references: true, jobs: 1, cache: None }
    }
}

/// What a task may be told; part of a run's request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskSettings {
    /// Which rules hold where the original and the sensible differ.
    pub rules: Rules,
    /// How programs under test are kept apart.
    #[serde(default)]
    pub isolation: Isolation,
    /// Run programs under test without isolation.
    #[serde(default)]
    pub unsafe_no_isolation: bool,
    /// How its questions are put, by name; the usual way if not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// For which k pass@k is wanted, where programs are asked for.
    #[serde(default = "usual_pass_k")]
    pub pass_k: Vec<u32>,
    /// The time limit of programs in milliseconds; the task's own if not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// Whether every call of a table is tried and marked, also after one that is wrong. It changes no verdict.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub details: bool,
    /// What the random numbers of tests are drawn from.
    #[serde(default)]
    pub seed: u64,
}

/// The k that the field reports.
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
            timeout_ms: None,
            details: false,
            seed: 0,
        }
    }
}

/// How programs under test are kept apart from each other.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Isolation {
    /// A warmed interpreter is forked for every program.
    #[default]
    Warm,
    /// Every program gets a new interpreter.
    Fresh,
}

impl TaskSettings {
    /// The usual settings with these rules.
    pub fn with_rules(rules: Rules) -> Self {
        Self { rules, ..Self::default() }
    }
}

/// Which rules hold where the original's behaviour and the sensible one differ.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rules {
    /// As the original does.
    #[default]
    Compat,
    /// As it should be.
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
