//! A benchmark: where its problems come from, how answers are graded and summed up.

use serde::{Deserialize, Deserializer, Serialize};

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

/// The description of a task, read from a file; its page in the documentation is made from it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskCard {
    /// Its name on the command line.
    pub name: String,
    /// Raised when the same answers on the same data would score differently.
    pub version: u32,
    /// What kind of question it asks.
    pub asks: QuestionKind,
    /// The language of the programs that it asks for and runs.
    pub language: Option<Language>,
    /// The folder in which its data is looked for.
    pub folder: String,
    /// One line.
    #[serde(deserialize_with = "unwrapped")]
    pub summary: String,
    /// What is asked, and why it is interesting.
    #[serde(deserialize_with = "unwrapped")]
    pub about: String,
    /// What the data looks like and where it is looked for.
    #[serde(deserialize_with = "unwrapped")]
    pub data: String,
    /// What an answer looks like.
    #[serde(deserialize_with = "unwrapped")]
    pub answers: String,
    /// How an answer is graded.
    #[serde(deserialize_with = "unwrapped")]
    pub grading: String,
    /// What `compat` and `strict` mean here.
    #[serde(deserialize_with = "unwrapped")]
    pub rules: String,
    /// The rules that hold unless others are asked for.
    pub default_rules: Rules,
    /// The ways to put its questions, the first being the usual one; none if there is but one.
    #[serde(default)]
    pub prompts: Vec<PromptCard>,
    /// The metrics, the first being the one to rank by.
    pub metrics: Vec<MetricCard>,
    /// The solvers that the tour uses, and `--solver` stands for if it is not given.
    pub default_solvers: Vec<String>,
    /// Commands to try.
    pub examples: Vec<String>,
}

impl TaskCard {
    /// Its paragraphs, each with a title.
    pub fn paragraphs(&self) -> [(&'static str, &str); 5] {
        [
            ("What is asked", &self.about),
            ("Data", &self.data),
            ("Answers", &self.answers),
            ("Grading", &self.grading),
            ("Rules", &self.rules),
        ]
    }

    /// The way to put questions that is called `name`, or the usual one; `None` if there is but one.
    pub fn prompt(&self, name: Option<&str>) -> Result<Option<&PromptCard>> {
        let Some(name) = name else { return Ok(self.prompts.first()) };
        let names: Vec<&str> = self.prompts.iter().map(|prompt| prompt.name.as_str()).collect();
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
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PromptCard {
    /// Its name on the command line.
    pub name: String,
    /// What a solver is shown.
    #[serde(deserialize_with = "unwrapped")]
    pub meaning: String,
}

/// The description of a metric.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MetricCard {
    /// Its name as the field writes it.
    pub name: String,
    /// Whether less is better.
    #[serde(default)]
    pub lower_is_better: bool,
    /// What it means.
    #[serde(deserialize_with = "unwrapped")]
    pub meaning: String,
}

/// Reads prose of several lines as one line.
fn unwrapped<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    Ok(text.split_whitespace().collect::<Vec<_>>().join(" "))
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
