//! A benchmark: the source of its problems, its grading and its metrics.

use serde::{Deserialize, Deserializer, Serialize};

use crate::{
    Error, Estimate, Language, Minimum, Named, Opening, Problems, QuestionKind, Result, Results,
    Rules, TaskSettings, Verdict,
};

/// A benchmark. One file in `assay-tasks`, one line in its registry.
pub trait Task: Send + Sync {
    /// The description of the task.
    fn card(&self) -> &TaskCard;

    /// Opens its problems.
    fn open(&self, opening: &Opening<'_>) -> Result<Box<dyn Problems>>;

    /// Creates a tally for its verdicts.
    fn tally(&self, settings: &TaskSettings) -> Box<dyn Tally>;

    /// The name of the method behind its intervals, for the signature.
    fn interval(&self) -> &'static str;

    /// The settings that its numbers depend on, by name, for the signature.
    fn signature_fields(&self, settings: &TaskSettings) -> Vec<(&'static str, String)>;

    /// The results as the task's original scorer prints them, if it has one.
    fn original_report(&self, _results: &Results) -> Option<String> {
        None
    }
}

/// The description of a task, read from a file. Its page in the documentation is generated from it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskCard {
    /// Its name on the command line.
    pub name: String,
    /// Raised when the same answers on the same data would score differently.
    pub version: u32,
    /// The kind of question it asks.
    pub asks: QuestionKind,
    /// The language of the programs that it asks for and runs.
    pub language: Option<Language>,
    /// The folder to look for its data in.
    pub folder: String,
    /// A summary of one line.
    #[serde(deserialize_with = "unwrapped")]
    pub summary: String,
    /// The question, and why it is interesting.
    #[serde(deserialize_with = "unwrapped")]
    pub about: String,
    /// The form of the data and the folders it is searched in.
    #[serde(deserialize_with = "unwrapped")]
    pub data: String,
    /// The form of an answer.
    #[serde(deserialize_with = "unwrapped")]
    pub answers: String,
    /// The grading of an answer.
    #[serde(deserialize_with = "unwrapped")]
    pub grading: String,
    /// The meaning of `compat` and `strict` for this task.
    #[serde(deserialize_with = "unwrapped")]
    pub rules: String,
    /// The rules that apply by default.
    pub default_rules: Rules,
    /// The prompt styles, the default one first; empty if there is only one.
    #[serde(default)]
    pub prompts: Vec<PromptCard>,
    /// The metrics, the one to rank by first.
    pub metrics: Vec<MetricCard>,
    /// The solvers that the tour uses, and the default of `--solver`.
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

    /// The prompt style called `name`, or the default one; `None` if there is only one.
    pub fn prompt(&self, name: Option<&str>) -> Result<Option<&PromptCard>> {
        let Some(name) = name else { return Ok(self.prompts.first()) };
        let names: Vec<&str> = self.prompts.iter().map(|prompt| prompt.name.as_str()).collect();
        let found = self.prompts.iter().find(|prompt| prompt.name == name);
        found.map(Some).ok_or_else(|| {
            let error = Error::usage(format!("{} has no prompt called {name:?}", self.name));
            match names.as_slice() {
                [] => error.hint("it has only one prompt: leave --prompt out"),
                names => error.hint(format!("its prompts are: {}", names.join(", "))),
            }
        })
    }
}

/// A prompt style: one way to put a task's questions.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PromptCard {
    /// Its name on the command line.
    pub name: String,
    /// The prompt, in words.
    #[serde(deserialize_with = "unwrapped")]
    pub meaning: String,
}

/// The description of a metric.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MetricCard {
    /// Its usual name.
    pub name: String,
    /// True if lower values are better.
    #[serde(default)]
    pub lower_is_better: bool,
    /// The meaning of its value.
    #[serde(deserialize_with = "unwrapped")]
    pub meaning: String,
}

/// Reads text of several lines as one line.
fn unwrapped<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    Ok(text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Sums up verdicts, in any order.
pub trait Tally {
    /// Adds one verdict.
    fn add(&mut self, verdict: &Verdict);

    /// The metrics over the verdicts so far.
    fn metrics(&self) -> Named<Estimate>;

    /// Metrics that were requested and cannot be computed, with the reason.
    fn left_out(&self) -> Named<String> {
        Named::new()
    }

    /// The thresholds that the task sets for its metrics.
    fn minimums(&self) -> Named<Minimum> {
        Named::new()
    }

    /// Parts of the task of which no problem was graded.
    fn not_scored(&self) -> Vec<&'static str> {
        Vec::new()
    }
}
