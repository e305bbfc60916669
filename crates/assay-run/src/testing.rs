//! A small task that asks for programs, for tests: a program passes if it says that it is right.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use assay_core::{
    AnswerForm, AnswerRules, Cancel, Check, CodeQuestion, Digest, Ending, Estimate, Fingerprint,
    Flaw, Language, Named, NoAnswerKind, Opening, Outcome, Problem, ProblemId, Problems, Progress,
    Question, QuestionKind, Reading, Reference, Response, Result, Selection, Submission, Tally,
    Task, TaskCard, TaskSettings, Verdict, Visit, VisitReference,
};

/// The reference of a problem.
struct FakeReference {
    index: usize,
    broken: HashSet<usize>,
    ran: Arc<AtomicUsize>,
}

/// A task of `count` problems, called `f/0` and so on.
pub(crate) struct FakeTask {
    card: TaskCard,
    pub(crate) count: usize,
    /// The problems whose reference solution fails.
    pub(crate) broken: HashSet<usize>,
    /// The problems without usable tests.
    pub(crate) flawed: HashSet<usize>,
    /// The number of programs that were run.
    pub(crate) ran: Arc<AtomicUsize>,
}

impl FakeTask {
    pub(crate) fn new(count: usize, broken: &[usize]) -> Self {
        let card = TaskCard {
            name: "fake".to_owned(),
            asks: QuestionKind::Code,
            ..assay_tasks::CodRep::default().card().clone()
        };
        let broken = broken.iter().copied().collect();
        Self { card, count, broken, flawed: HashSet::new(), ran: Arc::default() }
    }

    pub(crate) fn ran(&self) -> usize {
        self.ran.swap(0, Ordering::SeqCst)
    }

    pub(crate) fn problems(&self) -> Box<dyn Problems> {
        let ids = (0..self.count).map(|index| format!("f/{index}").into()).collect();
        let Self { flawed, broken, ran, .. } = self;
        let (flawed, broken, ran) = (flawed.clone(), broken.clone(), Arc::clone(ran));
        Box::new(FakeProblems { ids, flawed, broken, ran })
    }
}

impl Task for FakeTask {
    fn card(&self) -> &TaskCard {
        &self.card
    }

    fn open(&self, _: &Opening<'_>) -> Result<Box<dyn Problems>> {
        Ok(self.problems())
    }

    fn tally(&self, _: &TaskSettings) -> Box<dyn Tally> {
        Box::new(NoTally)
    }

    fn interval(&self) -> &'static str {
        "none"
    }

    fn signature_fields(&self, _: &TaskSettings) -> Vec<(&'static str, String)> {
        Vec::new()
    }
}

struct NoTally;

impl Tally for NoTally {
    fn add(&mut self, _: &Verdict) {}

    fn metrics(&self) -> Named<Estimate> {
        Named::new()
    }
}

struct FakeProblems {
    ids: Vec<ProblemId>,
    flawed: HashSet<usize>,
    broken: HashSet<usize>,
    ran: Arc<AtomicUsize>,
}

impl FakeProblems {
    fn reference(&self, index: usize) -> Arc<dyn Reference> {
        let (broken, ran) = (self.broken.clone(), Arc::clone(&self.ran));
        Arc::new(FakeReference { index, broken, ran })
    }
}

impl Problems for FakeProblems {
    fn ids(&self) -> &[ProblemId] {
        &self.ids
    }

    fn read(&self, wanted: &Selection, visit: &mut Visit<'_>) -> Result<()> {
        for index in wanted.indices() {
            let prompt = format!("def f{index}():\n");
            let question = CodeQuestion {
                prompt,
                opening: "".into(),
                language: Language::Python,
                stop: ["\ndef"].as_slice().into(),
            };
            let (id, question) = (self.ids[index].clone(), Question::Code(question));
            let problem = Problem { id, index, question, reference: self.reference(index) };
            if visit(Reading::Problem(problem))? == ControlFlow::Break(()) {
                break;
            }
        }
        Ok(())
    }

    fn references(&self, visit: &mut VisitReference<'_>) {
        for (index, id) in self.ids.iter().enumerate() {
            let flaw = || Flaw { id: id.clone(), index, reason: format!("{id} has no tests") };
            let is_flawed = self.flawed.contains(&index);
            let _ = visit(index, if is_flawed { Err(flaw()) } else { Ok(self.reference(index)) });
        }
    }

    fn answer_rules(&self) -> AnswerRules {
        AnswerRules { form: AnswerForm::Programs, ..AnswerRules::default() }
    }

    fn location(&self, index: usize) -> String {
        self.ids[index].to_string()
    }

    fn environment(&self) -> String {
        format!("{:?}", self.broken.len())
    }
}

impl Reference for FakeReference {
    fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(&self.index.to_le_bytes())
    }

    fn gold(&self) -> Option<Response> {
        Some(Response::Program(format!("right gold {}", self.index)))
    }

    fn check(&self, _: &Response) -> Check {
        Check::Possible
    }

    fn grade(&self, submission: &Submission, _: &Cancel) -> Result<Verdict> {
        let text = match submission.response.text() {
            Ok(text) => text,
            Err(reason) => return Ok(submission.unanswered(&reason)),
        };
        self.ran.fetch_add(1, Ordering::SeqCst);
        if text.contains("slow") {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        let broken = self.broken.iter().any(|index| text == format!("right gold {index}"));
        let (outcome, ending) = if text.starts_with("right") && !broken {
            (Outcome::Passed, Ending::Passed)
        } else {
            (Outcome::Failed, Ending::WrongAnswer { message: "no".to_owned() })
        };
        Ok(Verdict { ending: Some(ending), ..submission.verdict(outcome) })
    }

    fn digest_of(&self, response: &Response) -> Option<Digest> {
        match response {
            Response::Program(text) => Some(Digest::of(format!("{}{text}", self.index).as_bytes())),
            _ => None,
        }
    }
}

/// Records progress updates.
#[derive(Default)]
pub(crate) struct ProgressLog {
    pub(crate) warned: Mutex<Vec<String>>,
    pub(crate) noted: Mutex<Vec<String>>,
    /// The stages, each with its label, the number of steps done and the total.
    pub(crate) stages: Mutex<Vec<(String, usize, usize)>>,
}

impl Progress for ProgressLog {
    fn start(&self, label: &str, total: usize, done: usize) {
        self.stages.lock().unwrap().push((label.to_owned(), done, total));
    }

    fn step(&self) {
        if let Some((_, done, _)) = self.stages.lock().unwrap().last_mut() {
            *done += 1;
        }
    }

    fn finish(&self) {}

    fn note(&self, text: &str) {
        self.noted.lock().unwrap().push(text.to_owned());
    }

    fn warn(&self, text: &str) {
        self.warned.lock().unwrap().push(text.to_owned());
    }
}

/// Returns true if the verdict is that of a missing answer.
pub(crate) fn is_silent(verdict: &Verdict) -> bool {
    verdict.no_answer == Some(NoAnswerKind::Silent)
}
