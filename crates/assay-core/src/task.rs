//! A benchmark: where its problems come from, how answers are graded and summed up.

use serde::Serialize;

use crate::{
    Error, Estimate, Language, Minimum, Named, Opening, Problems, QuestionKind, Result, Results,
    Rules, TaskSettings, Verdict,
};

/// A benchmark. One file in `assay-tasks`, one line in its registry.
pub trait Task: Send + Sync {
    /// What there is to know about it.
    fn card(&self) -> &TaskCard;

    /// Opens its problems.
    fn open(&self, opening: &Opening<'_>) -> Result<Box<dyn Problems>>;

    /// A tally that sums its verdicts up.
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

/// A task that lives as long as the program.
impl Task for &'static dyn Task {
    fn card(&self) -> &TaskCard {
        (**self).card()
    }

    fn open(&self, opening: &Opening<'_>) -> Result<Box<dyn Problems>> {
        (**self).open(opening)
    }

    fn tally(&self, settings: &TaskSettings) -> Box<dyn Tally> {
        (**self).tally(settings)
    }

    fn interval(&self) -> &'static str {
        (**self).interval()
    }

    fn signature_fields(&self, settings: &TaskSettings) -> Vec<(&'static str, String)> {
        (**self).signature_fields(settings)
    }

    fn original_report(&self, results: &Results) -> Option<String> {
        (**self).original_report(results)
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

    /// The least that metrics must reach, where the task says so.
    fn minimums(&self) -> Named<Minimum> {
        Named::new()
    }

    /// Parts of the task of which no problem was graded.
    fn not_scored(&self) -> Vec<&'static str> {
        Vec::new()
    }
}
