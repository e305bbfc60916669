//! Texts with an id and a tab before each, as CodeXGLUE writes them: `0<TAB>a text`.
//!
//! The ids are the names of the problems, or numbers in task order. They are no part of the texts.

use std::ops::RangeInclusive;

use assay_core::{Fault, FaultKind, Place, Response, counted};
use assay_data::parallel::text_lines;
use assay_data::texts::{FileIds, id_number, ids_of_lines, split_id};

use crate::collector::Collector;
use crate::lines::ProblemNames;
use crate::not_utf8;
use crate::shape::Shape;

/// The meaning of ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// The names of problems.
    Names,
    /// The places of problems in the task.
    Numbers,
}

/// The meaning of the ids with which the lines start, judged by the first ones; `None` if lines are texts.
pub(super) fn meaning(bytes: &[u8], names: &ProblemNames<'_>) -> Option<Meaning> {
    let is_name = |id: &str| names.exact(id).is_some();
    match ids_of_lines(bytes)? {
        FileIds::Words(words) => words.iter().all(|id| is_name(id)).then_some(Meaning::Names),
        FileIds::Numbers => {
            let first = text_lines(bytes).next().and_then(Result::ok).and_then(split_id);
            let names = first.is_some_and(|(id, _)| is_name(id));
            Some(if names { Meaning::Names } else { Meaning::Numbers })
        }
    }
}

/// Reads the text of each line to the problem of its id.
pub(super) fn read(
    bytes: &[u8],
    meaning: Meaning,
    names: &ProblemNames<'_>,
    collector: &mut Collector<'_>,
) {
    let first = match meaning {
        Meaning::Names => 0,
        Meaning::Numbers => match first_number(bytes, collector) {
            Ok(first) => first,
            Err(fault) => return collector.faults.add(Place::FILE, fault),
        },
    };
    collector.note(Shape::IdLines);
    for (at, line) in text_lines(bytes).enumerate() {
        let place = Place::line(at as u64 + 1);
        let found = line.map_err(|_| not_utf8()).and_then(|line| {
            let (id, text) = split_id(line).ok_or_else(no_id)?;
            let index = match meaning {
                Meaning::Names => names.exact(id).ok_or_else(|| names.unknown(id))?,
                Meaning::Numbers => index_of(id, first, collector.problems.ids().len())?,
            };
            Ok((index, text))
        });
        match found {
            Ok((index, text)) => collector.add(place, index, Response::Text(text.to_owned())),
            Err(fault) => collector.faults.add(place, fault),
        }
    }
}

fn no_id() -> Fault {
    Fault::new(FaultKind::Malformed, "the line does not start with an id and a tab, as others do")
}

/// The problem at a place that is counted from `first`.
fn index_of(id: &str, first: u64, total: usize) -> Result<usize, Fault> {
    let place = id_number(id).and_then(|number| usize::try_from(number.checked_sub(first)?).ok());
    place.filter(|&place| place < total).ok_or_else(|| {
        let last = first + (total as u64).saturating_sub(1);
        let message = format!("the id is {id:?}, and those of the problems are {first} to {last}");
        Fault::new(FaultKind::UnknownProblem, message)
    })
}

/// The number of the first problem, 0 or 1.
fn first_number(bytes: &[u8], collector: &Collector<'_>) -> Result<u64, Fault> {
    let total = collector.problems.ids().len() as u64;
    let Some(found) = numbers(bytes) else { return Ok(0) };
    let (first, last) = (*found.start(), *found.end());
    let chosen = collector.chosen;
    let are_chosen = || last == chosen.len() as u64 && chosen.indices().eq(0..chosen.len());
    if first == 0 {
        return Ok(0);
    }
    if last >= total || (first == 1 && are_chosen()) {
        return Ok(1);
    }
    let problems = counted(collector.problems.ids().len(), "problem");
    let message = format!(
        "the lines have the ids {first} to {last}, and there are {problems}: the ids may count from 0 or from 1"
    );
    Err(Fault::new(FaultKind::WrongCount, message))
}

/// The smallest and the greatest number among the ids.
fn numbers(bytes: &[u8]) -> Option<RangeInclusive<u64>> {
    let id = |line: &str| split_id(line).and_then(|(id, _)| id_number(id));
    let numbers = || text_lines(bytes).filter_map(|line| line.ok().and_then(id));
    Some(numbers().min()?..=numbers().max()?)
}

#[cfg(test)]
mod tests {
    use assay_core::AnswerForm;
    use proptest::prelude::*;

    use crate::AnswerFile;
    use crate::tests::{TestProblems, few, named, of_form, summarize};

    fn texts(problems: TestProblems) -> TestProblems {
        of_form(problems, AnswerForm::Texts)
    }

    fn read(text: &str, problems: &TestProblems) -> AnswerFile {
        AnswerFile::read(&mut text.as_bytes(), "out.txt", problems).unwrap()
    }

    fn check(text: &str, problems: TestProblems, expected: &[&str]) {
        let file = read(text, &texts(problems));
        assert!(file.faults.is_empty(), "{text}: {}", file.faults.refuse("out.txt"));
        assert_eq!(summarize(&file), expected, "{text}");
        let has_ids = expected.iter().all(|text| !text.contains('\t'));
        let read_as = has_ids.then_some("lines with an id and a tab before each text");
        assert_eq!(file.read_as.as_deref(), read_as, "{text}");
    }

    fn refused(text: &str, count: usize, message: &str) {
        let file = read(text, &texts(few(count)));
        let refusal = file.faults.refuse("out.txt").to_string();
        assert!(!file.faults.is_empty() && refusal.contains(message), "{text}: {refusal}");
    }

    #[test]
    fn ids_are_no_part_of_the_texts() {
        check("0\ta\n1\tb\n2\tc\n", few(3), &["0.0=text:a", "1.0=text:b", "2.0=text:c"]);
        check("1\ta\r\n2\tb\r\n3\t\r\n", few(3), &["0.0=text:a", "1.0=text:b", "2.0=text:"]);
        check("2\tc\n0\ta\n1\tb", few(3), &["0.0=text:a", "1.0=text:b", "2.0=text:c"]);
        check("3\tc\n2\tb\n", few(3), &["1.0=text:b", "2.0=text:c"]);
        check("0\ta\n1\n", few(3), &["0.0=text:a", "1.0=text:"]);
        let words = || named(&["x", "y"]);
        check("y\tb\nx\ta\n", words(), &["0.0=text:a", "1.0=text:b"]);
        check("11\tb\n10\ta\n", named(&["10", "11"]), &["0.0=text:a", "1.0=text:b"]);
        // Not the problems' names, or no ids at all.
        check("z\tb\nx\ta\n", words(), &["0.0=text:z\tb", "1.0=text:x\ta"]);
        check("\tif x\n\ty\n", words(), &["0.0=text:\tif x", "1.0=text:\ty"]);
    }

    #[test]
    fn ids_that_do_not_fit_are_refused() {
        let beyond = "out.txt:3: the id is \"3\", and those of the problems are 0 to 2";
        refused("0\ta\n1\tb\n3\tc\n", 3, beyond);
        refused("1\ta\n2\tb\n", 3, "the lines have the ids 1 to 2, and there are 3 problems");
        refused("0\ta\n1\tb\n1\tc\n", 3, "a second answer to P/1");
        let many: String = (0..70).map(|at| format!("{at}\ta\n")).collect();
        let no_id = "out.txt:71: the line does not start with an id and a tab";
        refused(&format!("{many}text\n"), 90, no_id);
    }

    proptest! {
        #[test]
        fn any_lines_are_read_or_refused(text in "([0-4]|P/[0-4]|\t|\n|a| ){0,30}") {
            read(&text, &texts(few(3)));
        }
    }
}
