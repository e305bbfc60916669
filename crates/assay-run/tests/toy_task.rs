//! A task of a new kind in one file: which of two programs is faster? It needs no change anywhere else, and is run,
//! scored, recorded and resumed like any other.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::ops::ControlFlow;
use std::sync::Arc;

use assay_answers::AnswerSource;
use assay_core::{
    Cancel, Check, ChoiceQuestion, DataChoice, Estimate, Fingerprint, Named, Opening, Outcome,
    Problem, ProblemId, Problems, Question, QuestionKind, Reading, Reference, Response, Result,
    Rules, Selection, Submission, Tally, Task, TaskCard, TaskSettings, Verdict, Visit,
    VisitReference,
};
use assay_record::{AnswerLine, DataDigest, ResponseLine, RunReader, VerdictLine};
use assay_run::{
    GradeRequest, OpenTask, Plan, Progress, RunContext, RunOutcome, ScoreOutcome, Scoring,
    StoredRun, TaskRequest, Tool, score, start,
};
use assay_solvers::{SolverResources, SolverSettings};
use assay_stats::{METHOD, proportion};
use assay_tasks::TaskRegistry;

// ---- the task: all of it ---------------------------------------------------------------------------------------

/// Pairs of programs, and the name of the faster one.
const PAIRS: [(&str, &str, &str); 3] = [
    ("sum(range(10**9))", "sum(range(10))", "B"),
    ("1 + 1", "[x for x in range(10**8)]", "A"),
    ("sorted(range(10**7))", "max(1, 2)", "B"),
];

struct Faster {
    card: TaskCard,
}

impl Task for Faster {
    fn card(&self) -> &TaskCard {
        &self.card
    }

    fn open(&self, _: &Opening<'_>) -> Result<Box<dyn Problems>> {
        let ids = (0..PAIRS.len()).map(|number| format!("faster/{number}").into()).collect();
        Ok(Box::new(ProgramPairs { ids }))
    }

    fn tally(&self, _: &TaskSettings) -> Box<dyn Tally> {
        Box::<Accuracy>::default()
    }

    fn interval(&self) -> &'static str {
        METHOD
    }

    fn signature_fields(&self, _: &TaskSettings) -> Vec<(&'static str, String)> {
        Vec::new()
    }
}

struct ProgramPairs {
    ids: Vec<ProblemId>,
}

impl Problems for ProgramPairs {
    fn ids(&self) -> &[ProblemId] {
        &self.ids
    }

    fn read(&self, wanted: &Selection, visit: &mut Visit<'_>) -> Result<()> {
        for index in wanted.indices() {
            let (first, second, faster) = PAIRS[index];
            let prompt = format!("Which program is faster?\nA: {first}\nB: {second}\n");
            let options = vec!["A".to_owned(), "B".to_owned()];
            let problem = Problem {
                id: self.ids[index].clone(),
                index,
                question: Question::Choice(ChoiceQuestion { prompt, options }),
                reference: Arc::new(FasterOne(faster)),
            };
            if visit(Reading::Problem(problem))?.is_break() {
                break;
            }
        }
        Ok(())
    }

    fn references(&self, visit: &mut VisitReference<'_>) {
        let all = PAIRS.iter().enumerate();
        let _ = all
            .map(|(index, (_, _, faster))| visit(index, Ok(Arc::new(FasterOne(faster)))))
            .find(ControlFlow::is_break);
    }

    fn location(&self, index: usize) -> String {
        self.ids[index].to_string()
    }
}

struct FasterOne(&'static str);

impl Reference for FasterOne {
    fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(self.0.as_bytes())
    }

    fn gold(&self) -> Option<Response> {
        Some(Response::Choice(self.0.to_owned()))
    }

    fn check(&self, response: &Response) -> Check {
        Check::kind(response.choice())
    }

    fn grade(&self, submission: &Submission, _: &Cancel) -> Result<Verdict> {
        Ok(match submission.response.choice() {
            Ok(label) if label == self.0 => submission.verdict(Outcome::Passed),
            Ok(_) => submission.verdict(Outcome::Failed),
            Err(reason) => submission.unanswered(&reason),
        })
    }
}

#[derive(Default)]
struct Accuracy {
    right: usize,
    all: usize,
}

impl Tally for Accuracy {
    fn add(&mut self, verdict: &Verdict) {
        self.all += 1;
        self.right += usize::from(verdict.outcome == Outcome::Passed);
    }

    fn metrics(&self) -> Named<Estimate> {
        let mut metrics = Named::new();
        if let Some(estimate) = proportion(self.right, self.all) {
            metrics.insert("accuracy".into(), estimate);
        }
        metrics
    }
}

fn faster() -> Faster {
    let card = assay_tasks::CodRep::default().card().clone();
    Faster {
        card: TaskCard {
            name: "faster".to_owned(),
            asks: QuestionKind::Choice,
            default_rules: Rules::Strict,
            ..card
        },
    }
}

// ---- and its one line ------------------------------------------------------------------------------------------

fn tasks() -> TaskRegistry {
    let mut tasks = TaskRegistry::built_in();
    tasks.add(Arc::new(faster())).unwrap();
    tasks
}

struct Quiet;

impl Progress for Quiet {
    fn start(&self, _: &str, _: usize, _: usize) {}
    fn step(&self) {}
    fn finish(&self) {}
}

fn tool() -> Tool {
    Tool { version: "0.1.0".to_owned(), commit: String::new() }
}

fn task_request() -> TaskRequest {
    TaskRequest {
        name: "faster".to_owned(),
        own_name: None,
        data: DataChoice::Sample,
        settings: TaskSettings::default(),
        ids: Vec::new(),
        limit: None,
    }
}

fn plan(solver: &str) -> Plan {
    let open = OpenTask::open(&tasks(), task_request(), 2, None).unwrap();
    let settings = SolverSettings {
        seed: 0,
        top: 1,
        time_limit: std::time::Duration::from_mins(1),
        working_folder: ".".into(),
        specific: serde_json::Map::new(),
    };
    Plan::new(&open, solver, settings, 1, (tool(), &SolverResources::default())).unwrap()
}

fn with_context<T>(work: impl FnOnce(&RunContext<'_>) -> T) -> T {
    let cancel = Cancel::new();
    work(&RunContext { jobs: 2, cache: None, state: None, cancel: &cancel, progress: &Quiet })
}

#[test]
fn it_runs_and_is_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let finished = with_context(|context| start(&plan("gold"), folder.path(), context)).unwrap();
    let RunOutcome::Complete(complete) = finished else { panic!("nobody interrupts it") };
    assert!((complete.results.metrics.get("accuracy").unwrap().value - 1.0).abs() < 1e-12);
    let reader = RunReader::open(&complete.folder).unwrap();
    let answers: Vec<String> =
        reader.answers().map(|line| serde_json::to_string(&line.unwrap()).unwrap()).collect();
    assert_eq!(answers.len(), 3);
    assert!(answers[0].contains(r#""problem":"faster/0""#), "{answers:?}");
    assert!(answers[0].contains(r#""response":{"choice":"B"}"#), "{answers:?}");
    let again = StoredRun::open(&complete.folder).unwrap();
    assert!(matches!(again, StoredRun::Complete(_)));
}

#[test]
fn its_answers_can_be_scored() {
    let (task, settings) = (faster(), TaskSettings::default());
    let problems = task.open(&Opening::new(&DataChoice::Sample, &settings)).unwrap();
    let answers = r#"{"problem":"faster/0","response":{"choice":"B"}}
{"problem":"faster/1","response":{"choice":"B"}}
"#;
    let tool = tool();
    let scoring = Scoring {
        task: &task,
        problems: problems.as_ref(),
        chosen: &Selection::all(problems.ids().len()),
        settings: &settings,
        read_all: false,
        extraction: None,
        key: None,
        verdicts: None,
        failures: 0,
        tool: &tool,
    };
    let scored = with_context(|context| {
        score(&scoring, AnswerSource::stream(answers.as_bytes(), "answers"), context)
    });
    let ScoreOutcome::Complete(scored) = scored.unwrap() else { panic!("nobody interrupts it") };
    assert_eq!((scored.results.counts.passed, scored.results.counts.failed), (1, 1));
    assert_eq!(scored.unanswered, ["faster/2".into()]);
}

#[test]
fn an_answer_can_be_graded_by_whoever_opens_the_same_data() {
    let open = || OpenTask::open(&tasks(), task_request(), 1, None).unwrap();
    let answer = AnswerLine::new("faster/1", 0, ResponseLine::Choice("A".to_owned()));
    let request =
        GradeRequest { task: task_request(), data_digest: open().data_digest().unwrap(), answer };
    let sent = serde_json::to_string(&request).unwrap();
    let received: GradeRequest = serde_json::from_str(&sent).unwrap();
    let verdict = open().grade(&received, &Cancel::new()).unwrap();
    assert_eq!(verdict, VerdictLine::new("faster/1", 0, assay_record::Outcome::Passed));
    let solutions = received.data_digest.content;
    let other = DataDigest { solutions, ..received.data_digest };
    open().grade(&GradeRequest { data_digest: other, ..received }, &Cancel::new()).unwrap_err();
}

#[test]
fn two_tasks_of_one_name_are_refused() {
    let mut tasks = tasks();
    tasks.add(Arc::new(faster())).unwrap_err();
}
