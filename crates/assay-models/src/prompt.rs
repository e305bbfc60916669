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
pub(crate) const VERSION: u32 = 2;

/// Returns the likeliest lines of a question's file, best first, by their numbers from 1.
pub type RankLines = dyn Fn(&LineQuestion) -> Vec<usize> + Send + Sync;

/// Writes prompts.
pub(crate) struct Prompts {
    api: Api,
    rank: Box<RankLines>,
}

impl Prompts {
    pub(crate) fn new(api: Api, rank: Box<RankLines>) -> Self {
        Self { api, rank }
    }

    /// The prompt for a question. Of a file, at most `window` lines are shown.
    pub(crate) fn prompt<'q>(&self, question: &'q Question, window: usize) -> Cow<'q, str> {
        match question {
            Question::Line(question) => Cow::Owned(self.about_lines(question, window)),
            Question::Text(question) => self.about_text(question),
            Question::Code(question) => self.about_code(question),
            Question::Choice(question) => Cow::Owned(self.about_choice(question)),
        }
    }

    /// The words that end a reply. In a chat, a stop word of the task may come before the code.
    pub(crate) fn stop_words(&self, question: &Question) -> Vec<String> {
        let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
        match (self.api, question) {
            (Api::Chat, _) => Vec::new(),
            (_, Question::Code(question)) if has_no_end(question) => words(&["\n```"]),
            (_, Question::Code(question)) => question.stop.words().to_vec(),
            (_, Question::Line(_) | Question::Choice(_)) => words(&["\n"]),
            (_, Question::Text(TextQuestion { languages: Some(_), .. })) => words(&["\n```"]),
            (_, Question::Text(_)) => Vec::new(),
        }
    }

    fn about_code<'q>(&self, question: &'q CodeQuestion) -> Cow<'q, str> {
        let CodeQuestion { prompt, opening, language, .. } = question;
        if self.api == Api::Completion {
            return if has_no_end(question) {
                Cow::Owned(format!("{}\n\n```{}\n", prompt.trim_end(), tag(*language)))
            } else {
                Cow::Borrowed(prompt)
            };
        }
        let title = language.title();
        let (told, begun) = told_and_begun(prompt, opening);
        if begun.is_empty() {
            // A base model goes on from this word; a chat model gets another sentence.
            let told = told.strip_suffix("ANSWER:").unwrap_or(told).trim();
            return Cow::Owned(format!(
                "{told}\n\nReply with the whole {title} program in one fenced code block."
            ));
        }
        let told = if told.is_empty() { String::new() } else { format!("{told}\n\n") };
        let code = fenced(*language, begun);
        Cow::Owned(if is_docstring(begun) {
            format!(
                "{told}Write the {title} program that this docstring describes. Reply with the whole program in one \
                 fenced code block.\n\n{code}"
            )
        } else {
            format!(
                "{told}Complete the following {title} code. Reply with the whole program, including the given part, \
                 in one fenced code block.\n\n{code}"
            )
        })
    }

    fn about_text<'q>(&self, question: &'q TextQuestion) -> Cow<'q, str> {
        let TextQuestion { source, languages } = question;
        let Some(LanguagePair { from, into }) = languages else { return Cow::Borrowed(source) };
        let (from_title, title, source) = (from.title(), into.title(), fenced(*from, source));
        Cow::Owned(match self.api {
            Api::Chat => format!(
                "Translate this {from_title} code to {title}. Reply with the {title} code alone, in one fenced code \
                 block.\n\n{source}"
            ),
            // The fence tells a base model where to end.
            Api::Completion => {
                let tag = tag(*into);
                format!("{from_title}:\n{source}\nThe same in {title}:\n```{tag}\n")
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

    /// A window with half as many lines, for a model that cannot read them all; `None` if it would show too little.
    pub(crate) fn narrower(question: &Question, window: usize) -> Option<usize> {
        let Question::Line(question) = question else { return None };
        let half = question.program_lines().count().min(window) / 2;
        (half > 2 * AROUND).then_some(half)
    }

    fn about_lines(&self, question: &LineQuestion, window: usize) -> String {
        let shown = self.numbered(question, window);
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
    pub(crate) fn answers(&self, question: &Question, window: usize) -> Vec<String> {
        match question {
            Question::Choice(question) => question.options.clone(),
            Question::Line(question) => {
                let shown = self.shown(question, window).into_iter().zip(1..);
                shown.filter(|(shown, _)| *shown).map(|(_, number)| number.to_string()).collect()
            }
            Question::Text(_) | Question::Code(_) => Vec::new(),
        }
    }

    /// Whether each line of a file is shown: of a long file, those around the likeliest lines.
    fn shown(&self, question: &LineQuestion, most: usize) -> Vec<bool> {
        let count = question.program_lines().count();
        if count > most { window(count, most, &(self.rank)(question)) } else { vec![true; count] }
    }

    /// The numbered lines of a file that are shown.
    fn numbered(&self, question: &LineQuestion, window: usize) -> String {
        let shown = self.shown(question, window);
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

/// The part of a prompt that tells what to do, and the beginning of the program at its end.
fn told_and_begun<'q>(prompt: &'q str, opening: &str) -> (&'q str, &'q str) {
    let (prompt, opening) = (prompt.trim_end(), opening.trim());
    match prompt.strip_suffix(opening) {
        Some(told) if !opening.is_empty() => (told.trim(), prompt[told.len()..].trim_matches('\n')),
        _ => (prompt, ""),
    }
}

/// Returns whether a question tells a base model neither how the program begins nor where it ends: a fence does.
fn has_no_end(question: &CodeQuestion) -> bool {
    question.opening.trim().is_empty() && question.stop.words().is_empty()
}

/// Returns whether the beginning of a program is a docstring alone, as MBPP's.
fn is_docstring(begun: &str) -> bool {
    let inner = begun.trim().strip_prefix("\"\"\"").and_then(|rest| rest.strip_suffix("\"\"\""));
    inner.is_some_and(|inner| !inner.contains("\"\"\""))
}

/// Code in a fenced block, whose fence is longer than any in the code.
fn fenced(language: Language, code: &str) -> String {
    let mut fence = "```".to_owned();
    while code.contains(&fence) {
        fence.push('`');
    }
    format!("{fence}{}\n{}\n{fence}\n", tag(language), code.trim_matches('\n'))
}

/// The name of a language after a fence.
fn tag(language: Language) -> &'static str {
    match language {
        Language::CSharp => "csharp",
        other => other.name(),
    }
}

#[cfg(test)]
mod tests {
    use assay_core::{LineRule, StopWords};
    use proptest::prelude::*;

    use super::*;

    fn prompts(api: Api) -> Prompts {
        Prompts::new(api, Box::new(|_| vec![30, 2]))
    }

    fn code(prompt: &str, opening: &str) -> Question {
        let stop = StopWords::default();
        let (prompt, opening) = (prompt.to_owned(), opening.into());
        Question::Code(CodeQuestion { prompt, opening, language: Language::Python, stop })
    }

    #[test]
    fn a_base_model_continues_and_a_chat_model_is_told() {
        let begun = code("def f():\n", "def f():\n");
        assert_eq!(prompts(Api::Completion).prompt(&begun, 5), "def f():\n");
        let chat = prompts(Api::Chat).prompt(&begun, 5).into_owned();
        assert!(chat.ends_with("block.\n\n```python\ndef f():\n```\n"), "{chat}");
        let told = code("Write f.", "");
        let chat = prompts(Api::Chat).prompt(&told, 5).into_owned();
        assert_eq!(
            chat,
            "Write f.\n\nReply with the whole Python program in one fenced code block."
        );
    }

    #[test]
    fn a_begun_program_is_fenced_after_its_instruction() {
        let prompt = "Write a Python function `f`.\n\ndef f(x):\n    \"\"\"It.\"\"\"";
        let pack = code(prompt, "def f(x):\n    \"\"\"It.\"\"\"\n");
        let chat = prompts(Api::Chat).prompt(&pack, 5).into_owned();
        assert!(
            chat.starts_with("Write a Python function `f`.\n\nComplete the following Python code.")
        );
        assert!(
            chat.ends_with("block.\n\n```python\ndef f(x):\n    \"\"\"It.\"\"\"\n```\n"),
            "{chat}"
        );
        assert_eq!(prompts(Api::Completion).prompt(&pack, 5), prompt);
    }

    #[test]
    fn a_docstring_is_described_and_not_completed() {
        let docstring = "\"\"\"\nWrite a function to add.\nassert add(1, 2) == 3\n\"\"\"\n";
        let chat = prompts(Api::Chat).prompt(&code(docstring, docstring), 5).into_owned();
        assert!(
            chat.starts_with("Write the Python program that this docstring describes."),
            "{chat}"
        );
        assert!(chat.contains("assert add(1, 2) == 3"));
    }

    #[test]
    fn a_chat_prompt_does_not_end_in_the_middle_as_a_completion_does() {
        let apps = "\nQUESTION:\nAdd.\n\nUse Standard Input format\nANSWER:\n";
        let chat = prompts(Api::Chat).prompt(&code(apps, ""), 5).into_owned();
        assert_eq!(
            chat,
            "QUESTION:\nAdd.\n\nUse Standard Input format\n\nReply with the whole Python program in one fenced code \
             block."
        );
        let stop = StopWords::from(&["\nQUESTION"][..]);
        let Question::Code(question) = code(apps, "") else { panic!("it is about code") };
        let apps_question = Question::Code(CodeQuestion { stop, ..question });
        assert_eq!(prompts(Api::Completion).prompt(&apps_question, 5), apps);
        assert_eq!(prompts(Api::Completion).stop_words(&apps_question), ["\nQUESTION"]);
    }

    #[test]
    fn a_fence_begins_a_program_that_has_neither_beginning_nor_end() {
        let question = code("Translate this.\n\nint f() {}\n", "");
        let completion = prompts(Api::Completion);
        let prompt = completion.prompt(&question, 5).into_owned();
        assert_eq!(prompt, "Translate this.\n\nint f() {}\n\n```python\n");
        assert_eq!(completion.stop_words(&question), ["\n```"]);
    }

    #[test]
    fn a_completion_ends_where_its_answer_does() {
        let languages = LanguagePair { from: Language::Java, into: Language::CSharp };
        let source = "int f() { return 1; }".to_owned();
        let translation = Question::Text(TextQuestion::translation(source, languages));
        let completion = prompts(Api::Completion);
        assert_eq!(
            completion.prompt(&translation, 5),
            "Java:\n```java\nint f() { return 1; }\n```\n\nThe same in C#:\n```csharp\n"
        );
        assert_eq!(completion.stop_words(&translation), ["\n```"]);
        let options = vec!["yes".to_owned(), "no".to_owned()];
        let choice = Question::Choice(ChoiceQuestion { prompt: "Is it?".to_owned(), options });
        assert_eq!(completion.stop_words(&choice), ["\n"]);
        assert!(prompts(Api::Chat).stop_words(&choice).is_empty());
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
        let shown = |window| prompts(Api::Chat).prompt(&question, window).into_owned();
        assert_eq!(Prompts::narrower(&question, 400), Some(30));
        assert_eq!(Prompts::narrower(&question, 42), Some(21));
        assert_eq!(Prompts::narrower(&question, 41), None);
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
