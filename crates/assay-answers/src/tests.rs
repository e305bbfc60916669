//! Files of programs in every format of the field, and invalid ones.

use assay_core::{
    AnswerForm, AnswerRules, Language, ProblemId, Problems, Response, Result, Selection, Visit,
    VisitReference, unknown_problem,
};
use proptest::prelude::*;

use super::*;

/// Problems `P/0`, `P/1` and so on, which answers may also name by their number; the data also has
/// `Q/0` and so on.
pub(super) struct TestProblems {
    ids: Vec<ProblemId>,
    language: Option<Language>,
    form: AnswerForm,
}

pub(super) fn few(count: usize) -> TestProblems {
    let ids = (0..count).map(|number| format!("P/{number}").into()).collect();
    TestProblems { ids, language: None, form: AnswerForm::Programs }
}

impl Problems for TestProblems {
    fn ids(&self) -> &[ProblemId] {
        &self.ids
    }

    fn read(&self, _: &Selection, _: &mut Visit<'_>) -> Result<()> {
        Ok(())
    }

    fn references(&self, _: &mut VisitReference<'_>) {}

    fn find(&self, name: &str) -> Result<usize, String> {
        let index = self.ids.iter().position(|id| id.as_str() == format!("P/{name}"));
        index.ok_or_else(|| unknown_problem(&self.ids, name))
    }

    fn leaves_out(&self, name: &str) -> bool {
        name.starts_with("Q/")
    }

    fn language(&self) -> Option<Language> {
        self.language
    }

    fn answer_rules(&self) -> AnswerRules {
        AnswerRules { form: self.form, ..AnswerRules::default() }
    }

    fn location(&self, index: usize) -> String {
        self.ids[index].to_string()
    }
}

/// Problems with these names.
pub(super) fn named(names: &[&str]) -> TestProblems {
    let ids = names.iter().map(|&name| name.into()).collect();
    TestProblems { ids, language: None, form: AnswerForm::Programs }
}

/// The same problems, which take answers in another form.
pub(super) fn of_form(problems: TestProblems, form: AnswerForm) -> TestProblems {
    TestProblems { form, ..problems }
}

/// The same problems, which ask for programs in a language.
pub(super) fn in_language(problems: TestProblems, language: Language) -> TestProblems {
    TestProblems { language: Some(language), ..problems }
}

fn read(bytes: &[u8]) -> AnswerFile {
    AnswerFile::read(&mut &*bytes, "answers", &few(3)).unwrap()
}

/// The answers of a file, as `index.sample=kind:text`.
pub(super) fn summarize(file: &AnswerFile) -> Vec<String> {
    let tell = |answer: &GivenAnswer| {
        let SampleKey { index, sample } = answer.submission.key;
        let said = match &*answer.submission.response {
            Response::Text(text) => format!("text:{text}"),
            Response::Program(text) => format!("program:{text}"),
            other => format!("{other:?}"),
        };
        format!("{index}.{sample}={said}")
    };
    file.answers.iter().map(tell).collect()
}

fn check(text: &str, expected: &[&str]) {
    let file = read(text.as_bytes());
    assert!(file.faults.is_empty(), "{}", file.faults.refuse("answers"));
    assert_eq!(summarize(&file), expected, "{text}");
}

#[test]
fn every_form_of_the_field_is_read() {
    let humaneval = "{\"task_id\": \"P/1\", \"completion\": \"x\", \"result\": \"passed\"}\n\n\
        {\"task_id\": \"P/0\", \"completion\": \"y\"}";
    check(humaneval, &["0.0=text:y", "1.0=text:x"]);
    check("{\"task_id\": 2, \"solution\": \"whole\"}\r\n", &["2.0=program:whole"]);
    check("{\"task_id\": \"2\", \"solution\": \"a\", \"completion\": \"b\"}", &["2.0=program:a"]);
    check("{\"name\": \"P/1\", \"samples\": [\"a\", \"b\"]}", &["1.0=text:a", "1.1=text:b"]);
    check("{\"task_id\": \"P/1\", \"source_codes\": [\"try\", \"last\"]}", &["1.0=program:last"]);
    check("[[\"a\", \"b\"], [], [\"c\"]]", &["0.0=program:a", "0.1=program:b", "2.0=program:c"]);
    check(" \n[\"a\", \"b\"]", &["0.0=program:a", "1.0=program:b"]);
    check("[{\"task_id\": \"P/2\", \"completion\": \"x\"}]", &["2.0=text:x"]);
    check("\u{feff}[[\"a\"]]", &["0.0=program:a"]);
    check("", &[]);
}

#[test]
fn samples_are_numbered_in_the_order_of_the_file() {
    let line = |text: &str| format!("{{\"task_id\": \"P/1\", \"completion\": \"{text}\"}}\n");
    check(&[line("a"), line("b"), line("c")].concat(), &["1.0=text:a", "1.1=text:b", "1.2=text:c"]);
    let ours = |sample: u32, text: &str| {
        format!(
            "{{\"problem\":\"P/0\",\"sample\":{sample},\"response\":{{\"program\":\"{text}\"}}}}\n"
        )
    };
    // The answers of a run's file, in any order, and with a gap where it was interrupted.
    let unsorted = [ours(3, "d"), ours(0, "a"), ours(1, "b")].concat();
    check(&unsorted, &["0.0=program:a", "0.1=program:b", "0.2=program:d"]);
    let file = read(&[ours(1, "a"), ours(1, "b")].concat().into_bytes());
    let refusal = file.faults.refuse("answers").to_string();
    assert!(refusal.contains("answers:2: sample 1 of P/0 is there twice"), "{refusal}");
    assert_eq!(file.sample_counts(), Some((1, 1)));
}

#[test]
fn answers_to_what_the_task_leaves_out_are_counted_and_passed_over() {
    let line = |name: &str| format!("{{\"task_id\": \"{name}\", \"completion\": \"x\"}}\n");
    let file = read([line("Q/7"), line("P/1"), line("Q/7"), line("Q/3")].concat().as_bytes());
    assert!(file.faults.is_empty());
    assert_eq!(summarize(&file), ["1.0=text:x"]);
    assert_eq!(file.passed_over, BTreeMap::from([("Q/3".to_owned(), 1), ("Q/7".to_owned(), 2)]));
    // A name that is nowhere in the data is an error, whatever else is in the file.
    let file = read([line("Q/7"), line("P/1"), line("R/1")].concat().as_bytes());
    let refusal = file.faults.refuse("answers").to_string();
    assert!(refusal.contains("answers:3: there is no problem \"R/1\""), "{refusal}");
}

#[test]
fn lines_with_a_name_that_the_data_has_twice_are_answers_in_turn() {
    let problems = named(&["P", "other", "P#2", "P#3"]);
    let check = |text: &str, expected: &[&str]| {
        let file = AnswerFile::read(&mut text.as_bytes(), "answers", &problems).unwrap();
        assert!(file.faults.is_empty(), "{}", file.faults.refuse("answers"));
        assert_eq!(summarize(&file), expected, "{text}");
    };
    let line = |name: &str, text: &str| {
        format!("{{\"task_id\": \"{name}\", \"completion\": \"{text}\"}}\n")
    };
    let five = ["a", "b", "c", "d", "e"].map(|text| line("P", text)).concat();
    check(&five, &["0.0=text:a", "0.1=text:d", "2.0=text:b", "2.1=text:e", "3.0=text:c"]);
    check(&line("P", "a"), &["0.0=text:a"]);
    // A list in a line belongs to one problem.
    let lists = "{\"task_id\": \"P\", \"samples\": [\"a\", \"b\"]}\n".repeat(2);
    check(&lists, &["0.0=text:a", "0.1=text:b", "2.0=text:a", "2.1=text:b"]);
    // A file that uses our names means exactly those problems, and so does one that gives the
    // index.
    let ours = [line("P", "a"), line("P", "b"), line("P#2", "c")].concat();
    check(&ours, &["0.0=text:a", "0.1=text:b", "2.0=text:c"]);
    check("[[\"a\", \"b\"], [], []]", &["0.0=program:a", "0.1=program:b"]);
    // The lines are ambiguous if a problem that the task leaves out has the name too.
    let problems = named(&["Q/1"]);
    let read = |text: &str| AnswerFile::read(&mut text.as_bytes(), "answers", &problems).unwrap();
    assert!(read(&line("Q/1", "a")).faults.is_empty());
    let refusal = read(&line("Q/1", "a").repeat(2)).faults.refuse("answers").to_string();
    assert!(refusal.contains("answers:1: \"Q/1\" is on 2 lines"), "{refusal}");
}

#[test]
fn everything_wrong_is_named_with_line_and_key() {
    for (text, message) in [
        ("{\"task_id\": \"P/9\", \"completion\": \"x\"}", "answers:1: there is no problem \"P/9\""),
        ("{\"completion\": \"x\"}", "answers:1: the line names no problem: it needs a \"task_id\""),
        ("\n{\"task_id\": [1], \"completion\": \"x\"}", "answers:2: the problem's name is a list"),
        ("{\"task_id\": \"P/1\"}", "\"P/1\": the line has no answer: it needs a \"completion\""),
        (
            "{\"task_id\": \"P/1\", \"solution\": 3}",
            "\"P/1\": \"solution\" is a number, not a text",
        ),
        ("{\"task_id\": 1, \"samples\": [\"a\", {}]}", "\"samples\"[1] is an object, not a text"),
        ("{\"task_id\": \"P/1\", ", "answers:1: not JSON: EOF while parsing"),
        ("no JSON", "answers:1: not JSON: expected"),
        ("[[\"a\"], 7]", "element 1, for P/1: \"programs\" is a number, not a text"),
        ("[[\"a\"], [\"b\"]", "answers:1:13: not JSON: EOF while parsing a list"),
        ("[[], [], [], []]", "programs for 4 problems, and the task has 3"),
    ] {
        let refusal = read(text.as_bytes()).faults.refuse("answers").to_string();
        assert!(refusal.contains(message), "{text}: {refusal}");
    }
    let two = "{}\n{\"task_id\": 0, \"completion\": \"x\"}\nnone\n";
    assert_eq!(read(two.as_bytes()).faults.len(), 2);
}

#[test]
fn the_same_answers_have_the_same_hash_however_they_are_packed() {
    let plain = b"{\"task_id\": \"P/1\", \"completion\": \"x\"}\n";
    // The same, compressed with zstd.
    let packed = b"(\xb5/\xfd\x04X1\x01\x00\
        {\"task_id\": \"P/1\", \"completion\": \"x\"}\n\xf1\x84\x80\xb4";
    assert_eq!(read(packed).digest, read(plain).digest);
    assert_ne!(read(b"[[\"a\"]]").digest, read(b"[[\"b\"]]").digest);
}

proptest! {
    #[test]
    fn what_is_written_is_read(
        samples in prop::collection::vec((0usize..3, any::<String>(), any::<bool>()), 0..40),
    ) {
        let lines = samples.iter().map(|(index, text, whole)| {
            let key = if *whole { "solution" } else { "completion" };
            format!("{}\n", serde_json::json!({"task_id": format!("P/{index}"), key: text}))
        });
        let file = read(lines.collect::<String>().as_bytes());
        prop_assert!(file.faults.is_empty());
        for index in 0..3 {
            let given = samples.iter().filter(|(of, ..)| *of == index);
            let expected: Vec<Response> = given
                .map(|(_, text, whole)| {
                    let wrap = if *whole { Response::Program } else { Response::Text };
                    wrap(text.clone())
                })
                .collect();
            let read: Vec<Response> =
                file.of(index).iter().map(|answer| (*answer.submission.response).clone()).collect();
            prop_assert_eq!(read, expected);
        }
    }

    #[test]
    fn any_bytes_are_answers_or_faults(bytes: Vec<u8>) {
        if let Ok(file) = AnswerFile::read(&mut &*bytes, "answers", &few(3)) {
            prop_assert!(file.answers.is_sorted_by(|left, right| left.submission.key < right.submission.key));
        }
    }
}
