//! One problem of a task, and the selection of problems that a run works on.

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
    /// The fingerprint of the name.
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(self.0.as_bytes())
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The id of the `nth` problem with this name in its data, for `nth` from 2 on.
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

/// Displays the name escaped and shortened, since data can call a problem anything. [`ProblemId::as_str`] is the whole
/// name.
impl fmt::Display for ProblemId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&shown_name(&self.0))
    }
}

/// One problem of a task: the question, and the reference that grades answers.
#[derive(Clone)]
pub struct Problem {
    /// Its name.
    pub id: ProblemId,
    /// Its place in the task's order, from 0.
    pub index: usize,
    /// The question that a solver sees.
    pub question: Question,
    /// The right answer, which grades replies. It is small: a run keeps it in memory while the problem is being
    /// answered.
    pub reference: Arc<dyn Reference>,
}

/// One sample of one problem: the unit of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SampleKey {
    /// The problem's place in the task's order.
    pub index: usize,
    /// The sample number, from 0.
    pub sample: u32,
}

/// An unusable problem, with the reason. It is counted as excluded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flaw {
    /// Its name.
    pub id: ProblemId,
    /// Its place in the task's order, from 0.
    pub index: usize,
    /// The defect, naming the file.
    pub reason: String,
}

/// A subset of a task's problems, by index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    wanted: Vec<bool>,
    count: usize,
}

impl Selection {
    /// Selects all of `total` problems.
    pub fn all(total: usize) -> Self {
        Self { wanted: vec![true; total], count: total }
    }

    /// Selects those of `total` problems for which `keep` returns true.
    pub fn of(total: usize, keep: impl FnMut(usize) -> bool) -> Self {
        let wanted: Vec<bool> = (0..total).map(keep).collect();
        let count = wanted.iter().filter(|&&wanted| wanted).count();
        Self { wanted, count }
    }

    /// Returns true if the problem at `index` is selected.
    pub fn contains(&self, index: usize) -> bool {
        self.wanted.get(index).copied().unwrap_or(false)
    }

    /// The number of selected problems.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Returns true if no problem is selected.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The selected indices, in order.
    pub fn indices(&self) -> impl Iterator<Item = usize> {
        self.wanted.iter().enumerate().filter(|&(_, &wanted)| wanted).map(|(index, _)| index)
    }
}
