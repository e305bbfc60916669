//! Questions as prompts for language models.
//!
//! A base model continues a text; a chat model follows an instruction. The wording is part of what a score depends on,
//! so it has a version.

use std::borrow::Cow;

use assay_core::{
    ChoiceQuestion, CodeQuestion, Language, LanguagePair, LineQuestion, Question, TextQuestion,
};

use crate::Api;

/// The version of the wording, raised when any prompt changes.
pub(crate) const VERSION: u32 = 1;

/// Returns the likeliest lines of a question's file, best first, by their numbers from 1.
pub type RankLines = dyn Fn(&LineQuestion) -> Vec<usize> + Send + Sync;

/// Writes prompts.
pub(crate) struct Prompts {
    api: Api,
    /// The greatest number of lines of a file that are shown.
    window: usize,
    rank: Box<RankLines>,
}

impl Prompts {
    pub(crate) fn new(api: Api, window: usize, rank: Box<RankLines>) -> Self {
        Self { api, window, rank }
    }

    /// The prompt for a question.
    pub(crate) fn prompt<'q>(&self, question: &'q Question) -> Cow<'q, str> {
        match question {
            Question::Line(question) => Cow::Owned(self.about_lines(question)),
            Question::Text(question) => self.about_text(question),
            Question::Code(question) => self.about_code(question),
            Question::Choice(question) => Cow::Owned(self.about_choice(question)),
        }
    }

    fn about_code<'q>(&self, question: &'q CodeQuestion) -> Cow<'q, str> {
        let CodeQuestion { prompt, opening, language, .. } = question;
        let title = language.title();
        if self.api == Api::Completion {
            return Cow::Borrowed(prompt);
        }
        if !opening.trim().is_empty() && prompt.trim() == opening.trim() {
            return Cow::Owned(format!(
                "Complete the following {title} code. Reply with the whole program, including the given part, in one \
                 fenced code block.\n\n{}",
                fenced(*language, prompt)
            ));
        }
        let prompt = prompt.trim_end();
        Cow::Owned(format!(
            "{prompt}\n\nReply with the whole {title} program in one fenced code block."
        ))
    }

    fn about_text<'q>(&self, question: &'q TextQuestion) -> Cow<'q, str> {
        let TextQuestion { source, languages } = question;
        let Some(LanguagePair { from, into }) = languages else { return Cow::Borrowed(source) };
        let (from_title, title) = (from.title(), into.title());
        Cow::Owned(match self.api {
            Api::Chat => format!(
                "Translate this {from_title} code to {title}. Reply with the {title} code alone, in one fenced code \
                 block.\n\n{}",
                fenced(*from, source)
            ),
            Api::Completion => {
                let source = source.trim_end();
                format!("{from_title}:\n{source}\n\nThe same in {title}:\n")
            }
        })
    }

    fn about_choice(&self, question: &ChoiceQuestion) -> String {
        let ChoiceQuestion { prompt, options } = question;
        let (prompt, options) = (prompt.trim_end(), options.join(", "));
        match self.api {
            Api::Chat => format!("{prompt}\n\nReply with one of these alone: {options}"),
            Api::Completion => format!("{prompt}\n\nOne of: {options}\nAnswer:"),
        }
    }

    fn about_lines(&self, question: &LineQuestion) -> String {
        let shown = self.numbered(question);
        let line = text(question.line());
        match self.api {
            Api::Chat => format!(
                "A commit replaced exactly one line of the file below by this line:\n\n{line}\n\nThe file before the \
                 commit, with line numbers:\n\n{shown}\nWhich line was replaced? Reply with its number alone."
            ),
            Api::Completion => format!(
                "{shown}\nA commit replaced exactly one of these lines by:\n{line}\nNumber of the replaced line:"
            ),
        }
    }

    /// The answers that a prompt leaves open, where they are given: the options, or the numbers of the lines shown.
    pub(crate) fn answers(&self, question: &Question) -> Vec<String> {
        match question {
            Question::Choice(question) => question.options.clone(),
            Question::Line(question) => {
                let shown = self.shown(question).into_iter().zip(1..);
                shown.filter(|(shown, _)| *shown).map(|(_, number)| number.to_string()).collect()
            }
            Question::Text(_) | Question::Code(_) => Vec::new(),
        }
    }

    /// Whether each line of a file is shown: of a long file, those around the likeliest lines.
    fn shown(&self, question: &LineQuestion) -> Vec<bool> {
        let count = question.program_lines().count();
        if count > self.window {
            window(count, self.window, &(self.rank)(question))
        } else {
            vec![true; count]
        }
    }

    /// The numbered lines of a file that are shown.
    fn numbered(&self, question: &LineQuestion) -> String {
        let shown = self.shown(question);
        let mut numbered = String::new();
        let mut gap = false;
        for ((line, number), shown) in question.program_lines().zip(1..).zip(shown) {
            if shown {
                numbered.push_str(&format!("{number}: {}\n", text(line)));
            } else if !gap {
                numbered.push_str("…\n");
            }
            gap = !shown;
        }
        numbered
    }
}

/// The number of lines before and after a likely line that are shown with it.
const AROUND: usize = 10;

/// Selects at most `most` of `count` lines: those around the likeliest lines, as many as fit, best first.
fn window(count: usize, most: usize, ranked: &[usize]) -> Vec<bool> {
    let mut shown = vec![false; count];
    let mut left = most;
    for &line in ranked {
        let Some(middle) = line.checked_sub(1).filter(|&middle| middle < count) else { continue };
        let around = middle.saturating_sub(AROUND)..(middle + AROUND + 1).min(count);
        let new = shown[around.clone()].iter().filter(|&&shown| !shown).count();
        if new > left {
            break;
        }
        left -= new;
        shown[around].fill(true);
    }
    // The rest shows the beginning of the file: its imports and its first names.
    for line in shown.iter_mut().filter(|shown| !**shown).take(left) {
        *line = true;
    }
    shown
}

fn text(line: &[u8]) -> String {
    String::from_utf8_lossy(line).trim_end().to_owned()
}

/// Code in a fenced block, whose fence is longer than any in the code.
fn fenced(language: Language, code: &str) -> String {
    let mut fence = "```".to_owned();
    while code.contains(&fence) {
        fence.push('`');
    }
    let tag = match language {
        Language::CSharp => "csharp",
        other => other.name(),
    };
    format!("{fence}{tag}\n{}\n{fence}\n", code.trim_matches('\n'))
}

#[cfg(test)]
mod tests {
    use assay_core::{LineRule, StopWords};
    use proptest::prelude::*;

    use super::*;

    fn prompts(api: Api) -> Prompts {
        Prompts::new(api, 5, Box::new(|_| vec![30, 2]))
    }

    fn code(prompt: &str, opening: &str) -> Question {
        let stop = StopWords::default();
        let (prompt, opening) = (prompt.to_owned(), opening.into());
        Question::Code(CodeQuestion { prompt, opening, language: Language::Python, stop })
    }

    #[test]
    fn a_base_model_continues_and_a_chat_model_is_told() {
        let begun = code("def f():\n", "def f():\n");
        assert_eq!(prompts(Api::Completion).prompt(&begun), "def f():\n");
        let chat = prompts(Api::Chat).prompt(&begun).into_owned();
        assert!(chat.ends_with("block.\n\n```python\ndef f():\n```\n"), "{chat}");
        let told = code("Write f.", "");
        let chat = prompts(Api::Chat).prompt(&told).into_owned();
        assert_eq!(
            chat,
            "Write f.\n\nReply with the whole Python program in one fenced code block."
        );
    }

    #[test]
    fn a_fence_is_longer_than_those_in_the_code() {
        let text = fenced(Language::Python, "'''\n```x```\n'''");
        assert!(text.starts_with("````python\n") && text.ends_with("\n````\n"), "{text}");
    }

    #[test]
    fn a_long_file_is_shown_around_its_likeliest_lines() {
        let program: String = (1..=60).map(|line| format!("line {line}\n")).collect();
        let question = Question::Line(LineQuestion::new(
            format!("new\n\n{program}").into_bytes(),
            LineRule::LineFeed,
        ));
        let shown = |window| {
            let prompts = Prompts::new(Api::Chat, window, Box::new(|_| vec![30, 2]));
            prompts.prompt(&question).into_owned()
        };
        let long = shown(60);
        assert!(long.contains("\n1: line 1\n") && long.contains("\n60: line 60\n"), "{long}");
        let short = shown(21);
        assert!(
            short.contains("…\n20: line 20\n") && short.contains("40: line 40\n…\n"),
            "{short}"
        );
        assert!(!short.contains("1: line 1\n"), "{short}");
        let wider = shown(40);
        assert!(wider.contains("\n1: line 1\n") && wider.contains("12: line 12\n"), "{wider}");
    }

    proptest! {
        #[test]
        fn a_window_has_as_many_lines_as_it_may(
            count in 1usize..300, most in 0usize..300, ranked in prop::collection::vec(0usize..320, 0..20)
        ) {
            let shown = window(count, most, &ranked).into_iter().filter(|&shown| shown).count();
            prop_assert_eq!(shown, most.min(count));
        }
    }
}
