//! The problems of an opened task: reading, finding by name, and grading.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use crate::{Effort, Flaw, Language, Problem, ProblemId, Reference, Result, Selection};

/// The problems of an opened task.
pub trait Problems: Send + Sync {
    /// The names of all problems, in task order; a problem's index is its place here.
    fn ids(&self) -> &[ProblemId];

    /// Reads the wanted problems, each once, in whatever order is cheapest, until `visit` breaks.
    fn read(&self, wanted: &Selection, visit: &mut Visit<'_>) -> Result<()>;

    /// Visits every problem's reference in task order, as far as it is known without reading the problem itself.
    fn references(&self, visit: &mut VisitReference<'_>);

    /// Finds the problem that a file of answers calls `name`, in any spelling in use; otherwise returns the reason why
    /// there is none.
    fn find(&self, name: &str) -> Result<usize, String> {
        let place = self.ids().iter().position(|id| id.as_str() == name);
        place.ok_or_else(|| unknown_problem(self.ids(), name))
    }

    /// Returns true if the data has a problem of this name that the task leaves out because it is of another level or
    /// split. A file may also hold answers to such problems; they do not count.
    fn leaves_out(&self, _name: &str) -> bool {
        false
    }

    /// The language of the programs that the problems ask for.
    fn language(&self) -> Option<Language> {
        None
    }

    /// Advice about answers to problems with these names, if they were made for other published data than this.
    fn advice(&self, _names: &BTreeSet<String>) -> Option<String> {
        None
    }

    /// The place of the problem at `index` in its data, as the data itself names it.
    fn location(&self, index: usize) -> String;

    /// Fails if problems can be graded but not asked, because the data has no questions.
    fn can_be_asked(&self) -> Result<()> {
        Ok(())
    }

    /// Fails if this machine lacks something that grading needs, such as a compiler.
    fn can_be_graded(&self) -> Result<()> {
        Ok(())
    }

    /// The rules for files of answers.
    fn answer_rules(&self) -> AnswerRules {
        AnswerRules::default()
    }

    /// The parts of the task that have an answer file of their own, if answers are a folder ([`AnswerForm::Parts`]).
    fn answer_parts(&self) -> Vec<AnswerPart<'_>> {
        Vec::new()
    }

    /// Everything besides the task's settings that numbers on this data depend on, by name, for the signature.
    fn signature_fields(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    /// The cost of grading one answer.
    fn effort(&self) -> Effort {
        Effort::Working
    }

    /// Names everything on this machine that verdicts depend on besides the answer and the reference, such as the
    /// interpreter that runs programs and their limits.
    fn environment(&self) -> String {
        String::new()
    }
}

/// Receives each problem that was read; breaks to stop reading.
pub type Visit<'a> = dyn FnMut(Reading) -> Result<ControlFlow<()>> + 'a;

/// Receives the reference of the problem at an index, or the reason why there is none; breaks to stop reading.
pub type VisitReference<'a> =
    dyn FnMut(usize, Result<Arc<dyn Reference>, Flaw>) -> ControlFlow<()> + 'a;

/// The outcome of reading one problem.
pub enum Reading {
    /// The problem.
    Problem(Problem),
    /// An unusable problem.
    Flawed(Flaw),
}

/// The message about a name that no problem has.
pub fn unknown_problem(ids: &[ProblemId], name: &str) -> String {
    let like = ids.first().map_or("", ProblemId::as_str);
    format!("there is no problem {name:?}; problems are called like {like:?}")
}

/// The rules for files of answers to a task.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AnswerRules {
    /// The form of the file.
    pub form: AnswerForm,
    /// True if a file may hold answers to unknown problems, which do not count.
    pub ignores_unknown: bool,
    /// True if a file that leaves a problem without an answer is refused.
    pub needs_every_answer: bool,
}

/// The form of an answer file. Every task also accepts lines of `answers.jsonl`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AnswerForm {
    /// Each line names its problem.
    #[default]
    NamedLines,
    /// Texts: one JSON object with a text for each problem, or one text per line in task order.
    Texts,
    /// Programs, several samples per problem: JSON lines that name their problem, or one JSON array with the programs
    /// for each problem in task order.
    Programs,
    /// One JSON object with a value for each problem.
    Object(ObjectValues),
    /// A folder with a file for each part of the task ([`Problems::answer_parts`]).
    Parts,
}

/// The values of an object of answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ObjectValues {
    /// Each value is a text, which is the answer.
    Texts,
    /// Each value is of any type; the answer is its JSON.
    Json,
}

/// A part of a task that has an answer file of its own.
pub struct AnswerPart<'a> {
    /// The possible names of the file, the usual one first.
    pub files: Vec<String>,
    /// The index of its first problem; the others follow.
    pub first: usize,
    /// Its problems, named as its file names them.
    pub problems: &'a dyn Problems,
}
