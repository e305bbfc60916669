//! Questions, as solvers see them.
//!
//! The kinds are closed, so every solver knows what it may be asked. Each question can be put to a language model as a
//! prompt ([`Question::prompt`]).

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{Error, Fingerprint, Language, LineQuestion, Response, Result};

/// A question, by kind.
#[derive(Debug, Clone)]
pub enum Question {
    /// Asks for the line of a file that a given line replaces.
    Line(LineQuestion),
    /// Asks for a text, such as a program in another language.
    Text(TextQuestion),
    /// Asks for a program.
    Code(CodeQuestion),
    /// Asks for one of several options.
    Choice(ChoiceQuestion),
}

/// The kinds of questions. A task asks one; a solver can answer one or several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum QuestionKind {
    /// The answer is a line of a file.
    Line,
    /// The answer is a text.
    Text,
    /// The answer is a program.
    Code,
    /// The answer is one of several options.
    Choice,
}

impl QuestionKind {
    /// Returns true if a solver may give several answers to the same question, each of which counts.
    pub fn takes_samples(self) -> bool {
        self == Self::Code
    }

    /// The kind of answer, in words.
    pub fn answer(self) -> &'static str {
        match self {
            Self::Line => "a line",
            Self::Text => "a text",
            Self::Code => "a program",
            Self::Choice => "one of several options",
        }
    }
}

impl fmt::Display for QuestionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Line => "line",
            Self::Text => "text",
            Self::Code => "code",
            Self::Choice => "choice",
        })
    }
}

/// A question whose answer is a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextQuestion {
    /// The program to be translated, or the whole prompt.
    pub source: String,
    /// The languages, if the source is a program to be translated.
    pub languages: Option<LanguagePair>,
}

/// The languages of a translation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LanguagePair {
    /// The language of the source.
    pub from: Language,
    /// The target language.
    pub into: Language,
}

impl TextQuestion {
    /// Asks for a translation of `source`.
    pub fn translation(source: String, languages: LanguagePair) -> Self {
        Self { source, languages: Some(languages) }
    }

    /// Asks for whatever the prompt says.
    pub fn prompt(prompt: String) -> Self {
        Self { source: prompt, languages: None }
    }
}

/// A question whose answer is a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeQuestion {
    /// The text that a solver is shown.
    pub prompt: String,
    /// The beginning of the program, which a continuation is appended to; empty if the program is all of the answer.
    pub opening: Arc<str>,
    /// The language of the program.
    pub language: Language,
    /// The words that end a continuation of the prompt.
    pub stop: StopWords,
}

/// A question whose answer is one of several options.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChoiceQuestion {
    /// The text that a solver is shown.
    pub prompt: String,
    /// The options, in order.
    pub options: Vec<String>,
}

impl Question {
    /// The kind of the question.
    pub fn kind(&self) -> QuestionKind {
        match self {
            Self::Line(_) => QuestionKind::Line,
            Self::Text(_) => QuestionKind::Text,
            Self::Code(_) => QuestionKind::Code,
            Self::Choice(_) => QuestionKind::Choice,
        }
    }

    /// The fingerprint of the question.
    pub fn fingerprint(&self) -> Fingerprint {
        match self {
            Self::Line(question) => Fingerprint::of(question.text()),
            Self::Text(question) => Fingerprint::of(question.source.as_bytes()),
            Self::Code(question) => Fingerprint::of(question.prompt.as_bytes()),
            Self::Choice(question) => {
                let parts: Vec<&str> = [question.prompt.as_str()]
                    .into_iter()
                    .chain(question.options.iter().map(String::as_str))
                    .collect();
                Fingerprint::of(parts.join("\0").as_bytes())
            }
        }
    }

    /// The question as a prompt for a language model.
    pub fn prompt(&self) -> Cow<'_, str> {
        match self {
            Self::Line(question) => Cow::Owned(numbered_lines(question)),
            Self::Text(TextQuestion { source, languages: None }) => Cow::Borrowed(source),
            Self::Text(TextQuestion { source, languages: Some(LanguagePair { from, into }) }) => {
                let (from, into) = (from.title(), into.title());
                Cow::Owned(format!("Translate this {from} code to {into}.\n\n{source}\n"))
            }
            Self::Code(question) => Cow::Borrowed(&question.prompt),
            Self::Choice(ChoiceQuestion { prompt, options }) => {
                Cow::Owned(format!("{prompt}\nAnswer with one of: {}\n", options.join(", ")))
            }
        }
    }

    /// The options to choose from, if there are any.
    pub fn options(&self) -> &[String] {
        match self {
            Self::Choice(question) => &question.options,
            Self::Line(_) | Self::Text(_) | Self::Code(_) => &[],
        }
    }

    /// The words that end a continuation of the prompt.
    pub fn stop_words(&self) -> StopWords {
        match self {
            Self::Code(question) => question.stop.clone(),
            Self::Line(_) | Self::Text(_) | Self::Choice(_) => StopWords::default(),
        }
    }

    /// The question about a line, or an error for any other kind. A task that asks other kinds should never get here.
    pub fn line(&self) -> Result<&LineQuestion> {
        match self {
            Self::Line(question) => Ok(question),
            _ => Err(Error::failed("a question about a line was expected")),
        }
    }
}

/// The words that end a reply.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StopWords(Arc<[String]>);

impl StopWords {
    /// Cuts a reply before its earliest stop word. Also returns the whole text if something was cut off.
    pub fn cut(&self, reply: Response) -> (Response, Option<String>) {
        let Response::Text(text) = reply else { return (reply, None) };
        match self.0.iter().filter_map(|word| text.find(word)).min() {
            Some(end) => (Response::Text(text[..end].to_owned()), Some(text)),
            None => (Response::Text(text), None),
        }
    }

    /// The words.
    pub fn words(&self) -> &[String] {
        &self.0
    }
}

impl From<&[&str]> for StopWords {
    fn from(words: &[&str]) -> Self {
        Self(words.iter().map(|&word| word.to_owned()).collect())
    }
}

fn numbered_lines(question: &LineQuestion) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
    let lines = question.program_lines().zip(1..);
    let numbered: String =
        lines.map(|(line, number)| format!("{number}: {}\n", text(line))).collect();
    format!(
        "This line replaced one line of the file below:\n{}\n\n{numbered}\n\
         Which line did it replace? Answer with its number.\n",
        text(question.line())
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::LineRule;

    const STOP: &[&str] = &["\ndef", "\n#", "\nclass"];

    fn kept(reply: &str) -> String {
        match StopWords::from(STOP).cut(Response::Text(reply.to_owned())) {
            (Response::Text(text), whole) => {
                assert_eq!(whole.as_deref(), (text != reply).then_some(reply));
                text
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_reply_ends_before_the_earliest_stop_word() {
        for (reply, expected) in [
            ("  return 1\n# end\ndef x(): pass", "  return 1"),
            ("  return 1", "  return 1"),
            ("\ndef", ""),
            ("def x", "def x"),
        ] {
            assert_eq!(kept(reply), expected);
        }
        let whole = Response::Program("x\ndef f(): pass".to_owned());
        assert_eq!(StopWords::from(STOP).cut(whole.clone()), (whole, None));
    }

    #[test]
    fn every_question_is_a_prompt() {
        let line = LineQuestion::new(b"new\n\nfirst\nsecond\n".to_vec(), LineRule::LineFeed);
        let prompt = Question::Line(line).prompt().into_owned();
        assert!(prompt.contains("new\n\n1: first\n2: second\n"), "{prompt}");
        let languages = LanguagePair { from: Language::Java, into: Language::Python };
        let text = Question::Text(TextQuestion::translation("x".to_owned(), languages));
        assert_eq!(text.prompt(), "Translate this Java code to Python.\n\nx\n");
        let text = Question::Text(TextQuestion::prompt("Read 0.png.".to_owned()));
        assert_eq!(text.prompt(), "Read 0.png.");
        let options = vec!["yes".to_owned(), "no".to_owned()];
        let choice = Question::Choice(ChoiceQuestion { prompt: "Is it?".to_owned(), options });
        assert_eq!(choice.prompt(), "Is it?\nAnswer with one of: yes, no\n");
    }

    proptest! {
        #[test]
        fn what_is_kept_has_no_stop_word(reply in "(\n|#|def|class|é){0,20}") {
            let kept = kept(&reply);
            prop_assert!(reply.starts_with(&kept));
            prop_assert!(STOP.iter().all(|word| !kept.contains(word)));
        }
    }
}
