//! One item of a task, and which of them a run wants.

use std::borrow::Borrow;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{Fingerprint, Question, Reference, shown_name};

/// A problem's name, unique within its task, that never changes: `Dataset4/17`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct ProblemId(Arc<str>);

impl ProblemId {
    /// Tells this name from any other.
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(self.0.as_bytes())
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The id of the `nth` problem of its data that has this name, from the second on.
pub fn disambiguate(name: &str, nth: usize) -> String {
    format!("{name}#{nth}")
}

impl From<String> for ProblemId {
    fn from(text: String) -> Self {
        Self(text.into())
    }
}

impl From<&str> for ProblemId {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

impl From<ProblemId> for String {
    fn from(id: ProblemId) -> Self {
        id.0.as_ref().to_owned()
    }
}

impl Borrow<str> for ProblemId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

/// The name as people read it, escaped and shortened: data can call a problem anything. The whole
/// name is [`ProblemId::as_str`].
impl fmt::Display for ProblemId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&shown_name(&self.0))
    }
}

/// One item of a task: what is asked, and what grading needs to know.
#[derive(Clone)]
pub struct Problem {
    /// Its name.
    pub id: ProblemId,
    /// Its place in the task's order, from 0.
    pub index: usize,
    /// What a solver sees.
    pub question: Question,
    /// The right answer, which grades replies. Small: a run keeps it in memory for problems that are being answered.
    pub reference: Arc<dyn Reference>,
}

/// One sample of one problem: the unit of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SampleKey {
    /// The problem's place in the task's order.
    pub index: usize,
    /// Which sample, from 0.
    pub sample: u32,
}

/// A problem that cannot be used, and why. It is counted as excluded, in sight.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flaw {
    /// Its name.
    pub id: ProblemId,
    /// Its place in the task's order, from 0.
    pub index: usize,
    /// What is wrong with it, naming the file.
    pub reason: String,
}

/// Which problems of a task are wanted, by index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    wanted: Vec<bool>,
    count: usize,
}

impl Selection {
    /// All of `total` problems.
    pub fn all(total: usize) -> Self {
        Self { wanted: vec![true; total], count: total }
    }

    /// Those of `total` problems for which `keep` says so.
    pub fn of(total: usize, keep: impl FnMut(usize) -> bool) -> Self {
        let wanted: Vec<bool> = (0..total).map(keep).collect();
        let count = wanted.iter().filter(|&&wanted| wanted).count();
        Self { wanted, count }
    }

    /// Whether the problem at `index` is wanted.
    pub fn contains(&self, index: usize) -> bool {
        self.wanted.get(index).copied().unwrap_or(false)
    }

    /// How many are wanted.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether none is wanted.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The wanted indices, in order.
    pub fn indices(&self) -> impl Iterator<Item = usize> {
        self.wanted.iter().enumerate().filter(|&(_, &wanted)| wanted).map(|(index, _)| index)
    }
}
