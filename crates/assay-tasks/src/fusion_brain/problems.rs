//! Problems from the keys of a file of right answers.

use std::sync::Arc;

use assay_core::{
    AnswerRules, Effort, Problem, ProblemId, Problems, Question, Reading, Reference, Result,
    Selection, TextQuestion, Visit, VisitReference,
};

/// One key of a file of right answers.
pub(super) struct ImageProblem {
    pub(super) key: String,
    /// The question, which names the image.
    pub(super) prompt: String,
    pub(super) reference: Arc<dyn Reference>,
}

pub(super) struct KeyedProblems {
    /// The name of the file.
    location: String,
    ids: Vec<ProblemId>,
    questions: Vec<(TextQuestion, Arc<dyn Reference>)>,
    answers: AnswerRules,
}

impl KeyedProblems {
    pub(super) fn new(location: String, problems: Vec<ImageProblem>, answers: AnswerRules) -> Self {
        let problem = |ImageProblem { key, prompt, reference }| {
            (ProblemId::from(key), (TextQuestion::prompt(prompt), reference))
        };
        let (ids, questions) = problems.into_iter().map(problem).unzip();
        Self { location, ids, questions, answers }
    }
}

impl Problems for KeyedProblems {
    fn ids(&self) -> &[ProblemId] {
        &self.ids
    }

    fn read(&self, wanted: &Selection, visit: &mut Visit<'_>) -> Result<()> {
        for index in wanted.indices() {
            let (question, reference) = self.questions[index].clone();
            let (id, question) = (self.ids[index].clone(), Question::Text(question));
            if visit(Reading::Problem(Problem { id, index, question, reference }))?.is_break() {
                break;
            }
        }
        Ok(())
    }

    fn references(&self, visit: &mut VisitReference<'_>) {
        let mut references = self.questions.iter().map(|(_, reference)| reference).enumerate();
        let _ =
            references.try_for_each(|(index, reference)| visit(index, Ok(Arc::clone(reference))));
    }

    fn location(&self, index: usize) -> String {
        format!("{}: {:?}", self.location, self.ids[index].as_str())
    }

    fn answer_rules(&self) -> AnswerRules {
        self.answers
    }

    fn effort(&self) -> Effort {
        Effort::Trivial
    }
}
