//! Problems whose answers are programs.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::ControlFlow;
use std::sync::Arc;

use assay_core::{
    AnswerForm, AnswerRules, CodeQuestion, Flaw, Language, Problem, ProblemId, Problems, Question,
    Reading, Reference, Result, Selection, StopWords, Visit, VisitReference, unknown_problem,
};

use super::grader::ProgramGrader;
use super::reference::ProgramReference;
use super::suite::CodeReference;
use super::{Programs, editions};

/// A problem, as its task defines it.
#[derive(Debug, Clone)]
pub(crate) struct CodeProblem {
    /// The prompt that a solver sees.
    pub(crate) prompt: String,
    /// The words that end a continuation of the prompt.
    pub(crate) stop: StopWords,
    /// The reference; its prompt is the text that a continuation is appended to.
    pub(crate) reference: CodeReference,
}

/// Receives the problem at an index, or its defect; breaks to stop reading.
pub(crate) type VisitCodeProblem<'a> =
    dyn FnMut(usize, Result<CodeProblem, String>) -> Result<ControlFlow<()>> + 'a;

/// Problems that can be read repeatedly.
pub(crate) trait CodeProblems: Send + Sync {
    /// The names of all of them, in task order.
    fn ids(&self) -> &[ProblemId];

    /// The names of problems that the data has and the task leaves out, because they are of another level or split.
    fn left_out(&self) -> &[String] {
        &[]
    }

    /// The place of the problem at `index` in its data, as the data itself names it.
    fn location(&self, index: usize) -> String;

    /// Reads the wanted problems, each once, in task order.
    fn read(&self, wanted: &Selection, take: &mut VisitCodeProblem<'_>) -> Result<()>;
}

/// Maps every spelling of a problem's name to the same text.
pub(crate) type NormalizeName = fn(&str) -> String;

/// The problems of an opened task.
pub(super) struct ProgramProblems {
    problems: Box<dyn CodeProblems>,
    normalize_name: NormalizeName,
    indices: HashMap<String, usize>,
    left_out: HashSet<String>,
    /// The task's name and its programs' language.
    task: String,
    language: Option<Language>,
    grader: Arc<ProgramGrader>,
}

impl ProgramProblems {
    pub(super) fn new(
        problems: Box<dyn CodeProblems>,
        task: &Programs,
        grader: ProgramGrader,
    ) -> Self {
        let Programs { normalize_name, ref card, .. } = *task;
        let indices =
            problems.ids().iter().map(|id| normalize_name(id.as_str())).zip(0..).collect();
        let left_out = problems.left_out().iter().map(|name| normalize_name(name)).collect();
        let (task, language) = (card.name.clone(), card.language);
        Self {
            problems,
            normalize_name,
            indices,
            left_out,
            task,
            language,
            grader: Arc::new(grader),
        }
    }

    fn reference(&self, code: CodeReference) -> Arc<dyn Reference> {
        Arc::new(ProgramReference { code, grader: Arc::clone(&self.grader) })
    }

    fn problem(&self, index: usize, problem: CodeProblem) -> Problem {
        let CodeProblem { prompt, stop, reference } = problem;
        let (language, opening) = (reference.language, Arc::clone(&reference.prompt));
        let question = Question::Code(CodeQuestion { prompt, opening, language, stop });
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
        self.problems.ids()
    }

    fn read(&self, wanted: &Selection, visit: &mut Visit<'_>) -> Result<()> {
        if wanted.is_empty() {
            return Ok(());
        }
        self.problems.read(wanted, &mut |index, problem| {
            visit(match problem {
                Ok(problem) => Reading::Problem(self.problem(index, problem)),
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
        let outcome = self.problems.read(&Selection::all(all), &mut |index, problem| {
            next = index + 1;
            let reference = problem.map(|problem| self.reference(problem.reference));
            going = visit(index, reference.map_err(|reason| flaw(index, reason)));
            Ok(going)
        });
        // The data was valid when it was opened: a problem that cannot be read now has changed since.
        let reason =
            outcome.err().map_or_else(|| "it is gone".to_owned(), |error| error.to_string());
        for index in next..all {
            if going.is_continue() {
                going = visit(index, Err(flaw(index, reason.clone())));
            }
        }
    }

    fn find(&self, name: &str) -> Result<usize, String> {
        let index = self.indices.get(&(self.normalize_name)(name)).copied();
        index.ok_or_else(|| unknown_problem(self.ids(), name))
    }

    fn leaves_out(&self, name: &str) -> bool {
        self.left_out.contains(&(self.normalize_name)(name))
    }

    fn language(&self) -> Option<Language> {
        self.language
    }

    fn advice(&self, names: &BTreeSet<String>) -> Option<String> {
        let is_unknown = |name: &String| self.find(name).is_err() && !self.leaves_out(name);
        editions::advice(&self.task, self.ids(), names, names.iter().any(is_unknown))
    }

    fn answer_rules(&self) -> AnswerRules {
        AnswerRules { form: AnswerForm::Programs, ..AnswerRules::default() }
    }

    fn can_be_graded(&self) -> Result<()> {
        self.grader.can_run()
    }

    fn environment(&self) -> String {
        self.grader.environment()
    }

    fn location(&self, index: usize) -> String {
        self.problems.location(index)
    }
}
