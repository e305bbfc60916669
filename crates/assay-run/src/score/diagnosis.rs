//! Diagnosis of a file whose answers mostly cannot be run: the likely mistake, and its cure.

use std::collections::BTreeMap;

use assay_answers::{AnswerFile, GivenAnswer};
use assay_core::{CodeForm, Ending, Language, Outcome, Response, Verdict};
use assay_syntax::SyntaxTree;

use super::settling::Forms;

/// The fewest answers that a diagnosis rests on.
const FEWEST: usize = 5;
/// A diagnosis is made if this many of a hundred answers are unusable.
const PERCENT: usize = 80;
/// Bodies in place of programs are warned of if they are this many of a hundred: models hardly write any.
const PERCENT_OF_BODIES: usize = 5;
/// The maximum number of answers whose text is examined.
const MAX_EXAMINED: usize = 200;
/// The maximum length of a text that is parsed to find its language.
const MAX_PARSED: usize = 100_000;
/// The languages that an answer may be in by mistake, those whose grammar accepts least first.
const LANGUAGES: [Language; 6] = [
    Language::Rust,
    Language::Go,
    Language::Python,
    Language::Java,
    Language::JavaScript,
    Language::Cpp,
];

/// The likely reason why a text is no program of the task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Cause {
    /// It only continues the prompt.
    Body,
    /// It has the program in a Markdown code block.
    CodeBlock,
    /// It is a program in another language: its place in [`LANGUAGES`].
    Language(usize),
    /// It begins with a sentence.
    Chat,
    /// It is none of these.
    Other,
}

/// Counts answers that cannot be run, and the likely reasons.
pub(super) struct Diagnosis {
    /// The language of the task's programs, if it asks for programs.
    language: Option<Language>,
    graded: usize,
    unusable: usize,
    examined: usize,
    causes: BTreeMap<Cause, usize>,
}

impl Diagnosis {
    pub(super) fn new(language: Option<Language>) -> Self {
        Self { language, graded: 0, unusable: 0, examined: 0, causes: BTreeMap::new() }
    }

    /// Takes in the verdict on an answer of the file.
    pub(super) fn add(&mut self, verdict: &Verdict, file: &AnswerFile, index: usize) {
        let answer = usize::try_from(verdict.sample).ok().and_then(|at| file.of(index).get(at));
        let (Some(answer), Some(language)) = (answer, self.language) else { return };
        if matches!(verdict.outcome, Outcome::NotAnswered | Outcome::Excluded) {
            return;
        }
        self.graded += 1;
        if !is_unusable(verdict, answer) {
            return;
        }
        self.unusable += 1;
        if let (Ok(text), true) = (answer.submission.response.text(), self.examined < MAX_EXAMINED)
        {
            self.examined += 1;
            *self.causes.entry(cause(text, answer, language)).or_default() += 1;
        }
    }

    /// The warning, if nearly all answers cannot be run.
    pub(super) fn warning(&self) -> Option<String> {
        let language = self.language.filter(|_| is_nearly_all(self.unusable, self.graded))?;
        let cause = self.causes.iter().max_by_key(|(_, count)| **count);
        let cause = cause.filter(|(_, count)| **count * 2 > self.examined).map(|(cause, _)| *cause);
        let cure = match cause {
            // They were warned of before anything was run.
            Some(Cause::Body | Cause::CodeBlock) => return None,
            Some(Cause::Chat) => {
                "most begin with a sentence: answers of a chat are graded without it by \
                 `--extract code`"
                    .to_owned()
            }
            Some(Cause::Language(at)) => {
                let found = LANGUAGES.get(at).copied().unwrap_or(language);
                format!(
                    "most are in {}, and the task asks for {}: is it the right task?",
                    found.title(),
                    language.title()
                )
            }
            Some(Cause::Other) | None => {
                "is it the right task, the right data and the right field of the file?".to_owned()
            }
        };
        let (unusable, graded) = (self.unusable, self.graded);
        Some(format!(
            "{unusable} of {graded} answers do not compile, or do not define what the tests call: {cure}"
        ))
    }
}

/// The warning about whole programs that only continue the prompt, before anything is run.
pub(super) fn warning_of_bodies(forms: &Forms) -> Option<String> {
    let Forms { bodies, programs, .. } = *forms;
    is_at_least(PERCENT_OF_BODIES, bodies, programs).then(|| {
        format!(
            "{bodies} of {programs} programs do not define the function that is asked for, and only continue \
             its prompt: they count as they are, and fail; call the field \"completion\" if they are \
             continuations"
        )
    })
}

fn is_nearly_all(part: usize, all: usize) -> bool {
    is_at_least(PERCENT, part, all)
}

/// Returns true if a part is this many of a hundred, and enough for a diagnosis.
fn is_at_least(percent: usize, part: usize, all: usize) -> bool {
    part >= FEWEST && part * 100 >= all * percent
}

/// Returns true if the answer failed because it is no program of the task, and not because it is wrong.
fn is_unusable(verdict: &Verdict, answer: &GivenAnswer) -> bool {
    if verdict.outcome == Outcome::Passed {
        return false;
    }
    let is_program = matches!(*answer.submission.response, Response::Program(_));
    match answer.form {
        Some(CodeForm::Neither) => true,
        Some(CodeForm::Continuation) if is_program => true,
        _ => matches!(verdict.ending, Some(Ending::SyntaxError { .. })),
    }
}

fn cause(text: &str, answer: &GivenAnswer, language: Language) -> Cause {
    let is_program = matches!(*answer.submission.response, Response::Program(_));
    if is_program && answer.form == Some(CodeForm::Continuation) {
        return Cause::Body;
    }
    if text.contains("```") {
        return Cause::CodeBlock;
    }
    if let Some(other) = other_language(text, language) {
        return Cause::Language(other);
    }
    if begins_with_sentence(text) { Cause::Chat } else { Cause::Other }
}

/// The language that a text parses in, if it is not the task's.
fn other_language(text: &str, own: Language) -> Option<usize> {
    if text.len() > MAX_PARSED || text.split_whitespace().nth(4).is_none() {
        return None;
    }
    let parses = |language: Language| !SyntaxTree::parse(text, language).has_error();
    if parses(own) {
        return None;
    }
    LANGUAGES.iter().position(|&language| language != own && parses(language))
}

/// Returns true if the first line reads like a sentence: several words, of which nearly all are letters alone.
fn begins_with_sentence(text: &str) -> bool {
    let Some(line) = text.lines().find(|line| !line.trim().is_empty()) else { return false };
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_plain = |word: &&str| {
        let word = word.trim_matches(|c: char| ",.:;!?'\"()".contains(c));
        !word.is_empty() && word.chars().all(|c| c.is_alphabetic() || c == '\'' || c == '-')
    };
    let plain = words.iter().copied().filter(|word| is_plain(word)).count();
    words.len() >= 4 && plain * 4 >= words.len() * 3 && line.starts_with(char::is_uppercase)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use assay_core::{Place, SampleKey, Submission};

    use super::*;

    fn answer(response: Response, form: CodeForm) -> GivenAnswer {
        let key = SampleKey { index: 0, sample: 0 };
        let submission = Submission { key, problem: "f/0".into(), response: Arc::new(response) };
        GivenAnswer {
            place: Place::FILE,
            submission,
            is_settled: true,
            prompt: None,
            form: Some(form),
            reply: None,
        }
    }

    #[test]
    fn the_cause_is_read_from_the_text() {
        let whole = |text: &str| answer(Response::Program(text.to_owned()), CodeForm::Whole);
        let check = |text: &str, expected: Cause| {
            assert_eq!(cause(text, &whole(text), Language::Python), expected, "{text}");
        };
        check("Here is my solution to the problem:\n\ndef f(): pass", Cause::Chat);
        check("Sure!\n```python\ndef f(): pass\n```", Cause::CodeBlock);
        check(
            "public class Solution { public static int f(int a) { return a; } }",
            Cause::Language(3),
        );
        check("const f = (a) => { let b = a + 1; return b === 2; };", Cause::Language(4));
        check("fn f(a: i32) -> i32 { let mut b = a; b += 1; b }", Cause::Language(0));
        check("def f(:\n    return", Cause::Other);
        check("def f(a):\n    return a", Cause::Other);
        let body = answer(Response::Program("    return 1".to_owned()), CodeForm::Continuation);
        assert_eq!(cause("    return 1", &body, Language::Python), Cause::Body);
    }

    #[test]
    fn nearly_all_of_several_are_needed() {
        for (part, all, enough) in
            [(4, 4, false), (5, 5, true), (80, 100, true), (79, 100, false), (0, 0, false)]
        {
            assert_eq!(is_nearly_all(part, all), enough, "{part} of {all}");
        }
    }

    #[test]
    fn some_bodies_among_programs_are_warned_of() {
        let warned = |bodies: usize, programs: usize| {
            warning_of_bodies(&Forms { programs, bodies, ..Forms::default() }).is_some()
        };
        assert!(warned(82, 164) && warned(5, 100) && warned(5, 5));
        assert!(!warned(4, 4) && !warned(5, 101) && !warned(0, 164));
    }
}
