//! The faults of a file of answers, reported so that they can be fixed.

use std::collections::BTreeMap;

use assay_core::{AnswerForm, Error, Fault, FaultKind, Place, agreeing, counted};

/// The maximum number of faults that are shown.
const MAX_SHOWN: usize = 20;

/// The faults of a file: the first few, and the number of all.
#[derive(Debug)]
pub struct Faults {
    form: AnswerForm,
    /// By position, and within a position in the order in which they were found.
    first: BTreeMap<(Place, usize), Fault>,
    count: usize,
    kind: Option<FaultKind>,
    mixed: bool,
    /// True if a fault is not about a whole line.
    not_a_line: bool,
    /// The cure, if it is known what is wrong with the file as a whole.
    advice: Option<String>,
}

impl Faults {
    /// No faults yet in a file of this form.
    pub(super) fn new(form: AnswerForm) -> Self {
        let (first, count, kind, mixed, not_a_line) = (BTreeMap::new(), 0, None, false, false);
        Self { form, first, count, kind, mixed, not_a_line, advice: None }
    }

    /// Sets the cure for the file as a whole.
    pub(super) fn advise(&mut self, advice: String) {
        self.advice = Some(advice);
    }

    /// Records a fault at a position.
    pub fn add(&mut self, place: Place, fault: Fault) {
        self.count += 1;
        self.not_a_line |= !place.is_line();
        self.mixed |= self.kind.is_some_and(|kind| kind != fault.kind);
        self.kind = Some(fault.kind);
        self.first.insert((place, self.count), fault);
        if self.first.len() > MAX_SHOWN {
            self.first.pop_last();
        }
    }

    /// Returns whether there are no faults.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The number of faults.
    pub fn len(&self) -> usize {
        self.count
    }

    /// The error for the file called `name`.
    pub fn refuse(&self, name: &str) -> Error {
        let mut message = self.title(name);
        for ((place, _), fault) in &self.first {
            message += &format!("\n  {}: {}", place.within(name), fault.message);
        }
        if self.count > self.first.len() {
            message += &format!("\n  … and {} more", self.count - self.first.len());
        }
        Error::refused(message).hint(self.advice.as_deref().unwrap_or_else(|| self.hint()))
    }

    fn title(&self, name: &str) -> String {
        if self.not_a_line {
            let verb = agreeing(self.count, "is", "are");
            format!("{} {verb} wrong in {name}", counted(self.count, "thing"))
        } else {
            format!("{} of {name} cannot be accepted", counted(self.count, "line"))
        }
    }

    fn hint(&self) -> &'static str {
        match self.form {
            AnswerForm::Object(_) => return self.object_hint(),
            AnswerForm::Parts => {
                return "nothing was scored; answers are a folder with a file for each part of the \
                    task, or the answers.jsonl of a run";
            }
            AnswerForm::NamedLines | AnswerForm::Texts | AnswerForm::Programs => {}
        }
        let programs = self.form == AnswerForm::Programs;
        match self.kind.filter(|_| !self.mixed) {
            Some(FaultKind::Duplicate) if programs => "list each sample once",
            Some(FaultKind::WrongCount) if programs => {
                "an array has a list of programs for each problem, in the order of the task"
            }
            None | Some(FaultKind::Malformed) if programs => {
                "nothing was graded; answers are lines like {\"task_id\": \"…\", \"completion\": \
                 \"…\"}; correct what is wrong, or leave it out: a problem without an answer counts \
                 as not passed"
            }
            Some(FaultKind::Duplicate) if self.not_a_line || self.form == AnswerForm::Texts => {
                "each problem takes one text"
            }
            Some(FaultKind::Duplicate) => {
                "each problem takes one line; several guesses go on the same line, best first"
            }
            Some(FaultKind::UnknownProblem) => {
                "name the dataset that the answers are for with --data"
            }
            Some(FaultKind::NoSolution) => {
                "the dataset is incomplete: `assay data verify PATH` names every such file"
            }
            Some(FaultKind::WrongCount) => {
                "texts go one a line in the order of the problems, or all into one JSON object: \
                 {\"problem\": \"text\", …}"
            }
            Some(FaultKind::Missing) => {
                "the original ends without a score where an answer is missing; with --rules strict \
                 it counts as an empty one"
            }
            _ if self.not_a_line => {
                "nothing was scored; answers are one JSON object: {\"problem\": \"text\", …}"
            }
            _ => {
                "nothing was scored; correct these lines, or leave them out: a missing answer costs as \
                 much as a wrong one"
            }
        }
    }

    fn object_hint(&self) -> &'static str {
        match self.kind.filter(|_| !self.mixed) {
            Some(FaultKind::Missing) => "a prediction has every key of the truth",
            Some(FaultKind::UnknownProblem) => {
                "a prediction has the keys of the truth and no others"
            }
            _ => "nothing was scored; a prediction has the form and the keys of the truth",
        }
    }
}
