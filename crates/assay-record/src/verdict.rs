//! One line of `verdicts.jsonl`.

use assay_core::Digest;
use indexmap::IndexMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::Why;
use crate::legacy::split_scores;

/// The grade of one sample.
///
/// Reading a line of format 1.0 moves the scores that were counts or groups to `counts` and `group`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct VerdictLine {
    /// The problem's name.
    pub problem: String,
    /// The sample's number, from 0.
    #[serde(default)]
    pub sample: u32,
    /// The outcome; each sample counts under exactly one.
    pub outcome: Outcome,
    /// The numbers that the task's metrics are computed from, by name.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub scores: IndexMap<String, f64>,
    /// Counts of this sample from which a corpus metric is computed, by metric. Since 1.1.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub counts: IndexMap<String, Vec<f64>>,
    /// Group of the problem, in lower-case hexadecimal digits: the problems of one group count as one
    /// in means over distinct problems. Since 1.1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// The reason for a missing answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<Why>,
    /// Evidence, for a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The end of the program under test, where the answer is a program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ending: Option<Ending>,
    /// Measurements of the program under test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
    /// Hash of the program and its tests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<Digest>,
    /// The answered lines, best first, if the answer is lines. Since 1.1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub predicted: Vec<usize>,
    /// The right line, if the answer is lines. Since 1.1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub solution: Option<usize>,
}

impl VerdictLine {
    /// A verdict without scores.
    pub fn new(problem: impl Into<String>, sample: u32, outcome: Outcome) -> Self {
        Self {
            problem: problem.into(),
            sample,
            outcome,
            scores: IndexMap::new(),
            counts: IndexMap::new(),
            group: None,
            why: None,
            detail: None,
            ending: None,
            evidence: None,
            program: None,
            predicted: Vec::new(),
            solution: None,
        }
    }

    /// Returns whether the problem is excluded from every metric.
    pub fn is_excluded(&self) -> bool {
        self.outcome == Outcome::Excluded
    }

    /// The reason why this line would be read back differently, if there is one.
    pub(crate) fn flaw(&self) -> Option<&'static str> {
        let counts = self.counts.values().flatten();
        if !self.scores.values().chain(counts).all(|number| number.is_finite()) {
            return Some("a score or count is not a finite number");
        }
        let mut read = (self.scores.clone(), self.counts.clone(), self.group.clone());
        split_scores(&mut read.0, &mut read.1, &mut read.2);
        (read.0.len() != self.scores.len())
            .then_some("a score has the name of a count or a group of format 1.0")
    }
}

impl Serialize for VerdictLine {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for VerdictLine {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut line = Self::deserialize(deserializer)?;
        split_scores(&mut line.scores, &mut line.counts, &mut line.group);
        Ok(line)
    }
}

/// The classes that add up to all samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The answer is right.
    Passed,
    /// The answer is wrong.
    Failed,
    /// No answer in time.
    TimedOut,
    /// No answer.
    NotAnswered,
    /// The problem itself is unusable and counts in no metric.
    Excluded,
}

/// The end of a program under test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Ending {
    /// It did all that the tests asked for.
    Passed,
    /// It answered wrongly.
    WrongAnswer {
        /// The difference, for a person.
        message: String,
    },
    /// It raised an exception or ended with an error.
    Exception {
        /// The exception's type.
        class: String,
        /// The exception's message.
        message: String,
        /// The line of the program.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        line: Option<u32>,
    },
    /// It is not a valid program of its language.
    SyntaxError {
        /// The message of the interpreter or compiler.
        message: String,
        /// The line of the program.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        line: Option<u32>,
    },
    /// It took too long.
    TimeLimit {
        /// The clock that ran out.
        clock: Clock,
    },
    /// It asked for too much memory.
    MemoryLimit,
    /// It printed too much.
    OutputLimit,
    /// It ended before the tests were done.
    EarlyExit {
        /// Its exit status.
        code: i32,
    },
    /// A signal ended it.
    Crashed {
        /// The signal's number.
        signal: i32,
    },
    /// The sandbox failed; this says nothing about the program.
    SandboxError {
        /// The failure, for a person.
        message: String,
    },
}

/// The clocks that a time limit is measured by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Clock {
    /// CPU time.
    Cpu,
    /// Wall time.
    Wall,
}

/// Measurements of a program under test.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// CPU time of the program and all that it started, in seconds.
    pub cpu_s: f64,
    /// Wall time, in seconds.
    pub wall_s: f64,
    /// Greatest memory use, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peak_memory: Option<u64>,
    /// The mechanism that limited memory: `cgroup-v2`, `cgroup-v1`, `sampled` or `rlimit`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub memory_by: String,
    /// The end of its standard error.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub stderr_tail: String,
    /// The failing call, for a person. Since 1.1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// The expected value or output, for a person. Since 1.1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// The returned value or output, for a person. Since 1.1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub got: Option<String>,
    /// The beginning of the standard input of the failed test. Since 1.1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// The last lines of the program that an exception came from. Since 1.1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traceback: Option<String>,
    /// The reason for running it in one process with its tests, where it could have cheated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub one_process: Option<String>,
    /// True if it was repeated because it ended close to its time limit, and then ended
    /// differently.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unstable: bool,
}
