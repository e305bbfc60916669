//! A benchmark: where its problems come from, how answers are graded and summed up.

use std::fmt;
use std::ops::ControlFlow;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::{
    Cancel, Effort, Error, Estimate, Flaw, Language, Named, Problem, ProblemId, QuestionKind,
    Reference, Response, Result, Results, SampleKey, Selection, Verdict,
};

/// A benchmark. One file in `assay-tasks`, one line in its registry.
pub trait Task: Send + Sync {
    /// What there is to know about it.
    fn card(&self) -> &TaskCard;

    /// Opens its problems; without references, the right answers are not even read.
    fn open(
        &self,
        data: &DataChoice,
        settings: &TaskSettings,
        with_references: bool,
    ) -> Result<Box<dyn Problems>>;

    /// What grades its answers, `jobs` at once.
    fn grader(&self, settings: &TaskSettings, jobs: usize) -> Result<Box<dyn Grader>>;

    /// What sums its verdicts up.
    fn tally(&self, settings: &TaskSettings) -> Box<dyn Tally>;

    /// The name of the method behind its intervals, for the signature.
    fn interval(&self) -> &'static str;

    /// Those settings that its numbers depend on, by name, for the signature.
    fn signature_fields(&self, settings: &TaskSettings) -> Vec<(&'static str, String)>;

    /// The results as the task's original scorer prints them, if it has one.
    fn original_report(&self, _results: &Results) -> Option<String> {
        None
    }
}

/// What there is to know about a task; its page in the documentation is made from it.
#[derive(Debug, Clone, Serialize)]
pub struct TaskCard {
    /// Its name on the command line.
    pub name: &'static str,
    /// Raised when the same answers on the same data would score differently.
    pub version: u32,
    /// What kind of question it asks.
    pub asks: QuestionKind,
    /// The language of the programs that it asks for and runs.
    pub language: Option<Language>,
    /// The folder in which its data is looked for.
    pub folder: &'static str,
    /// One line.
    pub summary: &'static str,
    /// What is asked, and why it is interesting.
    pub about: &'static str,
    /// What the data looks like and where it is looked for.
    pub data: &'static str,
    /// What an answer looks like.
    pub answers: &'static str,
    /// How an answer is graded.
    pub grading: &'static str,
    /// What `compat` and `strict` mean here.
    pub rules: &'static str,
    /// The rules that hold unless others are asked for.
    pub default_rules: Rules,
    /// The ways to put its questions, the first being the usual one; none if there is but one.
    pub prompts: &'static [PromptCard],
    /// The metrics, the first being the one to rank by.
    pub metrics: &'static [MetricCard],
    /// The solvers that the tour uses, and `--solver` stands for if it is not given.
    pub default_solvers: &'static [&'static str],
    /// Commands to try.
    pub examples: &'static [&'static str],
}

impl TaskCard {
    /// Its paragraphs, each with a title.
    pub fn paragraphs(&self) -> [(&'static str, &'static str); 5] {
        [
            ("What is asked", self.about),
            ("Data", self.data),
            ("Answers", self.answers),
            ("Grading", self.grading),
            ("Rules", self.rules),
        ]
    }
}

impl TaskCard {
    /// The way to put questions that is called `name`, or the usual one; `None` if there is but one.
    pub fn prompt(&self, name: Option<&str>) -> Result<Option<&'static PromptCard>> {
        let Some(name) = name else { return Ok(self.prompts.first()) };
        let names: Vec<&str> = self.prompts.iter().map(|prompt| prompt.name).collect();
        let found = self.prompts.iter().find(|prompt| prompt.name == name);
        found.map(Some).ok_or_else(|| {
            let error = Error::usage(format!("{} has no prompt called {name:?}", self.name));
            match names.as_slice() {
                [] => error.hint("it puts its questions in one way only: leave --prompt out"),
                names => error.hint(format!("its prompts are: {}", names.join(", "))),
            }
        })
    }
}

/// One way to put a task's questions.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct PromptCard {
    /// Its name on the command line.
    pub name: &'static str,
    /// What a solver is shown.
    pub meaning: &'static str,
}

/// What there is to know about a metric.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct MetricCard {
    /// Its name as the field writes it.
    pub name: &'static str,
    /// Whether less is better.
    pub lower_is_better: bool,
    /// What it means.
    pub meaning: &'static str,
}

/// Where a task's problems come from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DataChoice {
    /// The problems inside the binary.
    Sample,
    /// Files and folders.
    Paths(Vec<PathBuf>),
}

/// What a task may be told; part of a run's request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskSettings {
    /// Which rules hold where the original and the sensible differ.
    pub rules: Rules,
    /// How programs under test are kept apart.
    #[serde(default)]
    pub isolation: Isolation,
    /// Run programs under test without isolation.
    #[serde(default)]
    pub unsafe_no_isolation: bool,
    /// How its questions are put, by name; the usual way if not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// For which k pass@k is wanted, where programs are asked for.
    #[serde(default = "usual_pass_k")]
    pub pass_k: Vec<u32>,
    /// The time limit of programs in milliseconds; the task's own if not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// Whether every call of a table is tried and marked, also after one that is wrong. It changes no verdict.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub details: bool,
    /// What the random numbers of tests are drawn from.
    #[serde(default)]
    pub seed: u64,
    /// A folder for what is expensive to find out and the same every time. It changes no result.
    #[serde(skip)]
    pub cache: Option<PathBuf>,
}

/// The k that the field reports.
fn usual_pass_k() -> Vec<u32> {
    vec![1, 10, 100]
}

impl Default for TaskSettings {
    fn default() -> Self {
        Self {
            rules: Rules::default(),
            isolation: Isolation::default(),
            unsafe_no_isolation: false,
            prompt: None,
            pass_k: usual_pass_k(),
            timeout_ms: None,
            details: false,
            seed: 0,
            cache: None,
        }
    }
}

/// How programs under test are kept apart from each other.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Isolation {
    /// A warmed interpreter is forked for every program.
    #[default]
    Warm,
    /// Every program gets a new interpreter.
    Fresh,
}

impl TaskSettings {
    /// The usual settings with these rules.
    pub fn with_rules(rules: Rules) -> Self {
        Self { rules, ..Self::default() }
    }
}

/// Which rules hold where the original's behaviour and the sensible one differ.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rules {
    /// As the original does.
    #[default]
    Compat,
    /// As it should be.
    Strict,
}

impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Compat => "compat",
            Self::Strict => "strict",
        })
    }
}

/// The problems of an opened task.
pub trait Problems: Send + Sync {
    /// The names of all problems, in task order; a problem's rank is its place here.
    fn ids(&self) -> &[ProblemId];

    /// Reads the wanted problems, each once, in whatever order is cheapest, until `visit` breaks.
    fn read(&self, wanted: &Selection, visit: &mut Visit<'_>) -> Result<()>;

    /// What can be told about grading without reading the problems themselves: every problem's
    /// reference, in task order, or why there is none.
    fn references(&self, visit: &mut dyn FnMut(usize, Result<Reference, Flaw>));

    /// The rank of the problem that answers call `name`, in any of the spellings that the field has.
    fn rank_of(&self, name: &str) -> Option<usize> {
        self.ids().iter().position(|id| id.as_str() == name)
    }

    /// Fails where problems can be graded but not asked, because the data has no questions.
    fn can_be_asked(&self) -> Result<()> {
        Ok(())
    }

    /// How the answers of a file are told apart.
    fn answer_form(&self) -> AnswerForm {
        AnswerForm::NamedLines
    }

    /// Whether a file of answers by name may have answers to other problems, which do not count.
    fn passes_over_others(&self) -> bool {
        false
    }

    /// Whether the data has a problem of this name that the task leaves out, being of another level or
    /// split. A file may have answers to such ones too; they do not count.
    fn leaves_out(&self, _name: &str) -> bool {
        false
    }

    /// Whether a file that leaves a problem without an answer is refused.
    fn needs_every_answer(&self) -> bool {
        false
    }

    /// Reads one line of an answer file in the form that the field uses; `None` if it is blank.
    fn parse_answer(&self, line: &str) -> Result<Option<ParsedAnswer>, Fault>;

    /// Where the problem at `rank` lies, as the field names it.
    fn location(&self, rank: usize) -> String;

    /// Writes an answer in the form that the field uses, without a line end.
    fn write_answer(&self, rank: usize, response: &Response) -> Option<String>;
}

/// How the answers of a file are told apart. Whatever the field does, lines of `answers.jsonl` are
/// understood too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerForm {
    /// Each line names its problem.
    NamedLines,
    /// Texts: one JSON object with a text for each problem, or one text a line in task order.
    Texts,
    /// Programs, several samples a problem: JSON lines that name their problem, or one JSON array
    /// with the programs for each problem in task order.
    Programs,
}

/// Takes what was read; breaks to end the reading.
pub type Visit<'a> = dyn FnMut(Reading) -> Result<ControlFlow<()>> + 'a;

/// What reading one problem gave.
#[derive(Debug)]
pub enum Reading {
    /// The problem.
    Problem(Problem),
    /// It cannot be used.
    Flawed(Flaw),
}

/// An answer read from a line of text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedAnswer {
    /// Which problem and sample.
    pub key: SampleKey,
    /// What was said.
    pub response: Response,
}

/// What is wrong with a line of an answer file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The kind of mistake.
    pub kind: FaultKind,
    /// What is wrong, for a person.
    pub message: String,
    /// The problem that the line is about, where it could be told.
    pub rank: Option<usize>,
}

impl Fault {
    /// A mistake that concerns no known problem.
    pub fn new(kind: FaultKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), rank: None }
    }

    /// Says which problem it concerns.
    #[must_use]
    pub fn about(mut self, rank: usize) -> Self {
        self.rank = Some(rank);
        self
    }
}

/// The kinds of mistakes in an answer file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    /// Not the form that an answer has.
    Malformed,
    /// Something stands where a number should.
    NotANumber,
    /// A problem that is not among the chosen data.
    UnknownProblem,
    /// An answer that the problem cannot have.
    OutOfRange,
    /// A second answer to the same problem.
    Duplicate,
    /// The problem has no usable solution to grade against.
    NoSolution,
    /// More or fewer lines than problems, where a line's place says which problem it answers.
    WrongCount,
    /// A problem without an answer, where every problem needs one.
    Missing,
}

/// Whether an answer is one that the problem can have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Check {
    /// It is.
    Possible,
    /// It is not.
    Impossible(Fault),
    /// Only the problem itself can tell, and it was not read.
    Unclear,
}

/// Grades answers: the same answer gets the same verdict.
pub trait Grader: Send + Sync {
    /// Whether `response` can be an answer to the problem behind `reference`.
    fn check(&self, reference: &Reference, response: &Response) -> Check;

    /// The verdict. An error is a failure of the grader itself, and ends the run.
    fn grade(&self, case: &Case<'_>) -> Result<Verdict>;

    /// What a grade costs.
    fn effort(&self) -> Effort {
        Effort::Working
    }

    /// Programs that cannot be right: a problem that one of them passes says nothing. Each with what it is called in
    /// messages.
    fn decoys(&self, _reference: &Reference) -> Vec<(&'static str, Response)> {
        Vec::new()
    }

    /// Takes note that programs for this problem must be graded in one process with their tests.
    fn use_one_process(&self, _reference: &Reference, _reason: &str) {}

    /// Names everything on this machine that verdicts depend on beside the answer and the
    /// reference, such as the interpreter that runs programs and the limits that they run under.
    fn environment(&self) -> String {
        String::new()
    }
}

/// What is graded.
pub struct Case<'a> {
    /// The problem's name.
    pub problem: &'a ProblemId,
    /// Which sample, from 0.
    pub sample: u32,
    /// Everything about the problem that grading needs.
    pub reference: &'a Reference,
    /// What was said.
    pub response: &'a Response,
    /// Raised when the work should end.
    pub cancel: &'a Cancel,
}

/// Sums verdicts up. Order does not matter.
pub trait Tally {
    /// Takes one verdict.
    fn add(&mut self, verdict: &Verdict);

    /// The metrics over the verdicts so far.
    fn metrics(&self) -> Named<Estimate>;

    /// Metrics that were asked for and cannot be given, with the reason.
    fn left_out(&self) -> Named<String> {
        Named::new()
    }
}
