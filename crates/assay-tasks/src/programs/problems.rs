//! Problems whose answers are programs.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::sync::Arc;

use assay_core::{
    AnswerForm, AnswerRules, CodeQuestion, Flaw, Problem, ProblemId, Problems, Question, Reading,
    Reference, Result, Selection, StopWords, Visit, VisitReference, unknown_problem,
};

use super::grader::{ProgramJudge, ProgramReference};
use super::suite::CodeReference;

/// A problem as its task sees it.
#[derive(Debug, Clone)]
pub(crate) struct Item {
    /// What a solver is shown.
    pub(crate) prompt: String,
    /// A continuation of the prompt ends before the first of these.
    pub(crate) stop: StopWords,
    /// What grading needs; its prompt is what a continuation is appended to.
    pub(crate) reference: CodeReference,
}

/// Takes the problem of an index, or what is wrong with it; breaks to end the reading.
pub(crate) type TakeItem<'a> =
    dyn FnMut(usize, Result<Item, String>) -> Result<ControlFlow<()>> + 'a;

/// Problems that can be read again and again, from wherever they lie.
pub(crate) trait Items: Send + Sync {
    /// The names of all of them, in task order.
    fn ids(&self) -> &[ProblemId];

    /// The names of problems that the data has and the task leaves out, being of another level or
    /// split.
    fn left_out(&self) -> &[String] {
        &[]
    }

    /// Where the problem at `index` lies, as the field names it.
    fn location(&self, index: usize) -> String;

    /// Reads the wanted ones, each once, in task order.
    fn read(&self, wanted: &Selection, take: &mut TakeItem<'_>) -> Result<()>;
}

/// The name by which a problem is found, of a name that an answer gives it.
pub(crate) type Names = fn(&str) -> String;

/// The problems of an opened task.
pub(super) struct ProgramProblems {
    items: Box<dyn Items>,
    names: Names,
    indices: HashMap<String, usize>,
    left_out: HashSet<String>,
    judge: Arc<ProgramJudge>,
}

impl ProgramProblems {
    pub(super) fn new(items: Box<dyn Items>, names: Names, judge: ProgramJudge) -> Self {
        let indices = items.ids().iter().map(|id| names(id.as_str())).zip(0..).collect();
        let left_out = items.left_out().iter().map(|name| names(name)).collect();
        Self { items, names, indices, left_out, judge: Arc::new(judge) }
    }

    fn reference(&self, code: CodeReference) -> Arc<dyn Reference> {
        Arc::new(ProgramReference { code, judge: Arc::clone(&self.judge) })
    }

    fn problem(&self, index: usize, item: Item) -> Problem {
        let Item { prompt, stop, reference } = item;
        let language = reference.language;
        let question = Question::Code(CodeQuestion { prompt, language, stop });
        Problem {
            id: self.ids()[index].clone(),
            index,
            question,
            reference: self.reference(reference),
        }
    }
}

impl Problems for ProgramProblems {
    fn ids(&self) -> &[ProblemId] {
        self.items.ids()
    }

    fn read(&self, wanted: &Selection, visit: &mut Visit<'_>) -> Result<()> {
        if wanted.is_empty() {
            return Ok(());
        }
        self.items.read(wanted, &mut |index, item| {
            visit(match item {
                Ok(item) => Reading::Problem(self.problem(index, item)),
                Err(reason) => {
                    Reading::Flawed(Flaw { id: self.ids()[index].clone(), index, reason })
                }
            })
        })
    }

    fn references(&self, visit: &mut VisitReference<'_>) {
        let all = self.ids().len();
        let mut next = 0;
        let mut going = ControlFlow::Continue(());
        let flaw = |index: usize, reason| Flaw { id: self.ids()[index].clone(), index, reason };
        let outcome = self.items.read(&Selection::all(all), &mut |index, item| {
            next = index + 1;
            let reference = item.map(|item| self.reference(item.reference));
            going = visit(index, reference.map_err(|reason| flaw(index, reason)));
            Ok(going)
        });
        // The data was sound when it was opened: whatever cannot be read now has been changed since.
        let reason =
            outcome.err().map_or_else(|| "it is gone".to_owned(), |error| error.to_string());
        for index in next..all {
            if going.is_continue() {
                going = visit(index, Err(flaw(index, reason.clone())));
            }
        }
    }

    fn find(&self, name: &str) -> Result<usize, String> {
        let index = self.indices.get(&(self.names)(name)).copied();
        index.ok_or_else(|| unknown_problem(self.ids(), name))
    }

    fn leaves_out(&self, name: &str) -> bool {
        self.left_out.contains(&(self.names)(name))
    }

    fn answer_rules(&self) -> AnswerRules {
        AnswerRules { form: AnswerForm::Programs, ..AnswerRules::default() }
    }

    fn can_be_graded(&self) -> Result<()> {
        self.judge.can_run()
    }

    fn environment(&self) -> String {
        self.judge.environment()
    }

    fn location(&self, index: usize) -> String {
        self.items.location(index)
    }
}
