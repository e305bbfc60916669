//! The formats in which answers were recognized, in words.

use std::fmt;

/// A format of programs or texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Shape {
    /// A format that the tasks themselves describe: our own lines, HumanEval's and EvalPlus's.
    Usual,
    /// Lists of continuations in a line.
    Samples,
    /// The attempts of an agent.
    Tries,
    /// An array in task order.
    TaskOrder,
    /// Lines without names, in task order.
    Unnamed,
    /// One object with the programs of each problem.
    Keyed,
    /// EvalPlus's results.
    EvalPlusResults,
    /// A folder with a file or a folder for each problem.
    Files,
    /// MultiPL-E's completions.
    MultiPlE,
    /// MultiPL-E's results.
    MultiPlEResults,
    /// TransCoder's hypotheses.
    TransCoder,
    /// Lines of lm-evaluation-harness, with the field that holds the replies.
    LmEval(&'static str),
    /// A log of inspect.
    Inspect,
    /// Lines with the answer in another field.
    Field(&'static str),
    /// Lines with the answer in the field that the user named.
    NamedField,
    /// Texts with an id before each.
    IdLines,
}

impl Shape {
    /// Returns true if answers in this format are read without mention.
    pub(crate) fn is_usual(self) -> bool {
        self == Self::Usual
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Usual => "lines with \"completion\" or \"solution\"",
            Self::Samples => "lists of samples",
            Self::Tries => "an agent's attempts, of which the last one counts",
            Self::TaskOrder => "a list of programs for each problem, in task order",
            Self::Unnamed => "lines without names, in task order",
            Self::Keyed => "an object with the programs of each problem",
            Self::EvalPlusResults => "EvalPlus results",
            Self::Files => "files named after their problems",
            Self::MultiPlE => "MultiPL-E completions",
            Self::MultiPlEResults => "MultiPL-E results",
            Self::TransCoder => "TransCoder hypotheses",
            Self::LmEval(field) => return write!(f, "{field:?} of lm-evaluation-harness"),
            Self::Inspect => "an inspect log",
            Self::Field("generation") => {
                "lines with \"generation\", as of CodeFuse and HumanEval-X"
            }
            Self::Field(key) => return write!(f, "lines with {key:?}"),
            Self::NamedField => "lines with the field of --key",
            Self::IdLines => "lines with an id and a tab before each text",
        })
    }
}
