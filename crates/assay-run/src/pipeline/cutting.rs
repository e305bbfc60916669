//! From a reply to an answer: replies are cut only here.
//!
//! A continuation of a prompt ends before the first stop word of its question. A model's reply in a chat is reduced to
//! the code in it, by a named and versioned rule. What came is kept whole beside what is graded.

use assay_core::{
    Answer, Error, ExpectedCode, ProblemId, Reference, Reply, Response, Result, StopWords,
};
use assay_extract::Extraction;

/// The parts of the replies to one question that are graded.
pub(super) struct Cutting<'a> {
    stop_words: StopWords,
    extraction: Option<(Extraction, ExpectedCode<'a>)>,
}

impl<'a> Cutting<'a> {
    /// Cuts replies to a question with these stop words: by `extraction`, if `reference` asks for code.
    pub(super) fn new(
        stop_words: StopWords,
        extraction: Option<Extraction>,
        reference: &'a dyn Reference,
    ) -> Self {
        let expected = extraction.and_then(|rule| Some((rule, reference.expected_code()?)));
        Self { stop_words, extraction: expected }
    }

    /// Creates the answer from a reply.
    pub(super) fn answer(&self, problem: ProblemId, sample: u32, reply: Reply) -> Answer {
        let Reply { response, text, rule: read_by, asked, finish, confidence, usage } = reply;
        let (response, found_in, rule) = self.extracted(response);
        let (response, cut_from) = self.stop_words.cut(response);
        let reply = text.or(found_in).or(cut_from);
        let rule = rule.or(read_by);
        let known = Answer::new(problem, sample, response);
        Answer { reply, rule, asked, finish, confidence, usage, ..known }
    }

    /// The code in a text, with the whole text if that is more, and the rule.
    fn extracted(&self, response: Response) -> (Response, Option<String>, Option<String>) {
        let Some((rule, expected)) = &self.extraction else { return (response, None, None) };
        let (text, is_whole) = match response {
            Response::Text(text) => (text, false),
            Response::Program(text) => (text, true),
            other => return (other, None, None),
        };
        let found = rule.extract(&text, expected);
        let is_program = is_whole || found.is_program;
        let code = found.code.into_owned();
        let whole = (code != text).then_some(text);
        let response = if is_program { Response::Program(code) } else { Response::Text(code) };
        (response, whole, Some(rule.to_string()))
    }
}

/// Fails if a rule cannot find code in the answers to a problem.
pub(crate) fn check_extraction(rule: Extraction, expected: &ExpectedCode<'_>) -> Result<()> {
    if rule.knows(expected.language) {
        return Ok(());
    }
    let (rule, language) = (rule.name(), expected.language.title());
    Err(Error::usage(format!("--extract {rule} knows no {language}"))
        .hint("--extract code knows every language"))
}

#[cfg(test)]
mod tests {
    use assay_core::Language;

    use super::*;

    #[test]
    fn the_code_of_a_whole_program_is_found_too() {
        let code = "def add(a, b):\n    return a + b\n";
        let reply = format!("Sure:\n```python\n{code}```\n");
        let expected = ExpectedCode {
            language: Language::Python,
            entry_points: vec!["add"],
            prompt: "def add(a, b):\n",
        };
        let extraction = Some((Extraction::Code, expected));
        let cutting = Cutting { stop_words: StopWords::default(), extraction };
        for response in [Response::Program(reply.clone()), Response::Text(reply.clone())] {
            let answer = cutting.answer("P/0".into(), 0, response.into());
            assert_eq!(*answer.response, Response::Program(code.to_owned()));
            assert_eq!((answer.reply.as_deref(), answer.rule.is_some()), (Some(&*reply), true));
        }
        let answer = cutting.answer("P/0".into(), 0, Response::Program(code.to_owned()).into());
        assert_eq!((answer.response.text().ok(), answer.reply), (Some(code), None));
    }
}
