//! The problems of published editions, by number, to tell which edition a file of answers was made for.
//!
//! Numbers alone are kept here: an edition is recognized by the problems that it has.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use assay_core::{Language, ProblemId};

use super::names::problem_number;

/// A published edition of a dataset.
#[derive(Debug, Clone, Copy)]
struct Edition {
    title: &'static str,
    /// The tasks that it is the data of.
    tasks: &'static [&'static str],
    /// The name of its file.
    file: &'static str,
    family: Family,
    has: fn(u32) -> bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Family {
    HumanEval,
    Mbpp,
}

/// The editions, the smaller ones of a family first.
const EDITIONS: [Edition; 7] = [
    Edition {
        title: "HumanEval",
        tasks: &["humaneval", "humaneval-plus"],
        file: "HumanEval.jsonl.gz",
        family: Family::HumanEval,
        has: |number| number < 164,
    },
    Edition {
        title: "the test split of MBPP's sanitized file",
        tasks: &["mbpp-sanitized"],
        file: "sanitized-mbpp.json",
        family: Family::Mbpp,
        has: |number| is_sanitized(number) && TEST_SPLIT.contains(&number),
    },
    Edition {
        title: "MBPP+ v0.2.0",
        tasks: &["mbpp-plus"],
        file: "MbppPlus-v0.2.0.jsonl.gz",
        family: Family::Mbpp,
        has: |number| is_in_first_plus(number) && !REMOVED_FROM_PLUS.contains(&number),
    },
    Edition {
        title: "MBPP+ v0.1.0",
        tasks: &["mbpp-plus"],
        file: "MbppPlus-v0.1.0.jsonl.gz",
        family: Family::Mbpp,
        has: is_in_first_plus,
    },
    Edition {
        title: "the test split of MBPP",
        tasks: &["mbpp"],
        file: "mbpp.jsonl",
        family: Family::Mbpp,
        has: |number| TEST_SPLIT.contains(&number),
    },
    Edition {
        title: "MBPP's sanitized file",
        tasks: &["mbpp-sanitized"],
        file: "sanitized-mbpp.json",
        family: Family::Mbpp,
        has: is_sanitized,
    },
    Edition {
        title: "MBPP's whole file",
        tasks: &["mbpp"],
        file: "mbpp.jsonl",
        family: Family::Mbpp,
        has: |number| (1..=MOST).contains(&number),
    },
];

/// The greatest number of a problem in any edition.
const MOST: u32 = 974;
const TEST_SPLIT: RangeInclusive<u32> = 11..=510;

/// The problems that MBPP+ v0.1.0 has and later editions do not.
const REMOVED_FROM_PLUS: [u32; 21] = [
    83, 115, 117, 143, 164, 229, 249, 295, 396, 400, 407, 431, 438, 442, 461, 574, 582, 595, 640,
    746, 783,
];

/// The problems that MBPP's sanitized file has and MBPP+ does not.
const NOT_IN_PLUS: [u32; 28] = [
    163, 228, 246, 248, 291, 304, 307, 393, 399, 401, 408, 411, 417, 434, 443, 444, 452, 464, 584,
    617, 625, 627, 738, 747, 756, 776, 779, 802,
];

/// The problems of MBPP's sanitized file: the first and the last number of each range.
#[rustfmt::skip]
const SANITIZED: [(u32, u32); 60] = [
    (2, 4), (6, 9), (11, 12), (14, 14), (16, 20), (56, 59), (61, 72), (74, 75), (77, 77), (79, 80),
    (82, 106), (108, 109), (111, 111), (113, 113), (115, 120), (123, 133), (135, 135), (137, 143),
    (145, 145), (160, 168), (170, 172), (222, 224), (226, 230), (232, 235), (237, 240), (242, 242),
    (244, 253), (255, 257), (259, 262), (264, 274), (276, 287), (290, 297), (299, 301), (304, 312),
    (388, 401), (404, 415), (417, 422), (424, 448), (450, 465), (468, 468), (470, 479), (554, 560),
    (562, 569), (572, 574), (576, 600), (602, 608), (610, 612), (614, 620), (622, 633), (635, 635),
    (637, 641), (643, 644), (720, 726), (728, 728), (730, 760), (762, 767), (769, 773), (775, 788),
    (790, 794), (796, 809),
];

fn is_sanitized(number: u32) -> bool {
    SANITIZED.iter().any(|&(first, last)| (first..=last).contains(&number))
}

fn is_in_first_plus(number: u32) -> bool {
    is_sanitized(number) && !NOT_IN_PLUS.contains(&number)
}

impl Edition {
    fn is_data_of(&self, task: &str) -> bool {
        self.tasks.contains(&task)
    }

    /// The way to score answers to this edition.
    fn cure(&self, task: &str) -> String {
        let Self { tasks, file, .. } = self;
        if self.is_data_of(task) {
            format!("name {file} with --data")
        } else {
            format!("score them as {}, with the data {file}", tasks.join(" or "))
        }
    }
}

/// Problems by their numbers in a family.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Numbers {
    family: Family,
    numbers: BTreeSet<u32>,
}

impl Numbers {
    /// The numbers in these names; `None` if they are not all of one family.
    fn of<'a>(names: impl Iterator<Item = &'a str>) -> Option<Self> {
        let mut family = None;
        let mut numbers = BTreeSet::new();
        for name in names {
            let (of, number) = number_in(name)?;
            if *family.get_or_insert(of) != of {
                return None;
            }
            numbers.insert(number);
        }
        Some(Self { family: family?, numbers })
    }

    /// The numbers in these names, which may be bare ones of the family.
    fn of_answers(names: &BTreeSet<String>, family: Option<Family>) -> Option<Self> {
        let bare = || {
            let numbers: Option<BTreeSet<u32>> =
                names.iter().map(|name| name.parse().ok()).collect();
            Some(Self { family: family?, numbers: numbers? })
        };
        Self::of(names.iter().map(String::as_str)).or_else(bare)
    }

    /// The edition that has exactly these problems.
    fn edition(&self) -> Option<&'static Edition> {
        let is_it = |edition: &&Edition| {
            edition.family == self.family
                && (0..=MOST).all(|number| (edition.has)(number) == self.numbers.contains(&number))
        };
        EDITIONS.iter().find(is_it).filter(|_| self.numbers.iter().all(|&number| number <= MOST))
    }

    /// The first edition that has all of these problems, one of the task's own before others.
    fn within(&self, task: &str) -> Option<&'static Edition> {
        let has_all = |edition: &&Edition| {
            edition.family == self.family
                && self.numbers.iter().all(|&number| (edition.has)(number))
        };
        let own = EDITIONS.iter().filter(has_all).find(|edition| edition.is_data_of(task));
        own.or_else(|| EDITIONS.iter().find(has_all))
    }

    /// Returns true if these are problems of `data`, and not exactly those of another edition.
    fn fit(&self, data: &Self) -> bool {
        let is_other = self.edition().is_some() && self.numbers != data.numbers;
        self.family == data.family && self.numbers.is_subset(&data.numbers) && !is_other
    }
}

fn number_in(name: &str) -> Option<(Family, u32)> {
    let families = [("HumanEval", Family::HumanEval), ("mbpp", Family::Mbpp)];
    families
        .into_iter()
        .find_map(|(dataset, family)| Some((family, problem_number(name, dataset)?.parse().ok()?)))
}

/// Advice about answers with these names to a task with these problems: the edition that the names are from, if it is
/// another one. `None` if they fit, or if no edition has them. Where the data has all of the problems, only answers to
/// exactly those of another edition are remarkable.
pub(super) fn advice(
    task: &str,
    problems: &[ProblemId],
    names: &BTreeSet<String>,
    has_unknown: bool,
) -> Option<String> {
    if let Some(language) = language_of(names) {
        return other_language(task, language);
    }
    let data = Numbers::of(problems.iter().map(ProblemId::as_str));
    let given = Numbers::of_answers(names, data.as_ref().map(|data| data.family))?;
    if data.as_ref().is_some_and(|data| given.fit(data)) {
        return None;
    }
    let (count, exact) = (given.numbers.len(), given.edition());
    let edition = exact.or_else(|| given.within(task).filter(|_| has_unknown))?;
    let these = match exact {
        Some(Edition { title, .. }) => format!("the {count} problems of {title}"),
        None => format!("problems of {}", edition.title),
    };
    let data = match data.as_ref().and_then(Numbers::edition) {
        Some(Edition { title, .. }) => format!("the data is {title}"),
        None => "the data has others".to_owned(),
    };
    Some(format!("the answers name {these}, and {data}: {}", edition.cure(task)))
}

/// The language that every name begins with, as in HumanEval-X: `Java/0`.
fn language_of(names: &BTreeSet<String>) -> Option<Language> {
    let of = |name: &String| {
        let (before, number) = name.split_once('/')?;
        number.parse::<u32>().ok()?;
        Language::by_name(before)
    };
    let first = of(names.first()?)?;
    names.iter().all(|name| of(name) == Some(first)).then_some(first)
}

/// Advice about names of problems in this language, unless the task is in it.
fn other_language(task: &str, language: Language) -> Option<String> {
    let short = if language == Language::JavaScript { "js" } else { language.name() };
    let title = language.title();
    let has_task = ["python", "js", "java", "cpp", "go", "rust"].contains(&short);
    let names = format!("these are names of HumanEval's problems in {title}");
    match short {
        "python" if !task.ends_with("python") => Some(format!(
            "{names}: the tasks are humaneval, humaneval-plus and humanevalpack-python"
        )),
        _ if task.ends_with(short) => None,
        _ if has_task => Some(format!("{names}: the task is humanevalpack-{short}")),
        _ => Some(format!("{names}, and no task has them")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(prefix: &str, has: fn(u32) -> bool) -> BTreeSet<String> {
        (0..=MOST).filter(|&number| has(number)).map(|number| format!("{prefix}{number}")).collect()
    }

    fn problems(prefix: &str, has: fn(u32) -> bool) -> Vec<ProblemId> {
        names(prefix, has).into_iter().map(ProblemId::from).collect()
    }

    fn edition(title: &str) -> fn(u32) -> bool {
        EDITIONS.iter().find(|edition| edition.title == title).unwrap().has
    }

    #[test]
    fn editions_have_as_many_problems_as_published() {
        let counts: Vec<usize> = EDITIONS
            .iter()
            .map(|edition| (0..=2 * MOST).filter(|&n| (edition.has)(n)).count())
            .collect();
        assert_eq!(counts, [164, 257, 378, 399, 500, 427, 974]);
    }

    #[test]
    fn the_edition_that_fits_is_named() {
        let (first, second) = (edition("MBPP+ v0.1.0"), edition("MBPP+ v0.2.0"));
        let check =
            |task: &str, data: &[ProblemId], given: &BTreeSet<String>, expected: Option<&str>| {
                assert_eq!(advice(task, data, given, true).as_deref(), expected);
            };
        let (old, new) = (problems("Mbpp/", first), problems("Mbpp/", second));
        check(
            "mbpp-plus",
            &new,
            &names("Mbpp/", first),
            Some(
                "the answers name the 399 problems of MBPP+ v0.1.0, and the data is MBPP+ v0.2.0: name \
             MbppPlus-v0.1.0.jsonl.gz with --data",
            ),
        );
        check(
            "mbpp-plus",
            &old,
            &names("mbpp_", second),
            Some(
                "the answers name the 378 problems of MBPP+ v0.2.0, and the data is MBPP+ v0.1.0: name \
             MbppPlus-v0.2.0.jsonl.gz with --data",
            ),
        );
        check(
            "mbpp-plus",
            &new,
            &names("", first),
            Some(
                "the answers name the 399 problems of MBPP+ v0.1.0, and the data is MBPP+ v0.2.0: name \
             MbppPlus-v0.1.0.jsonl.gz with --data",
            ),
        );
        check(
            "mbpp-plus",
            &new,
            &BTreeSet::from(["Mbpp/83".to_owned()]),
            Some(
                "the answers name problems of MBPP+ v0.1.0, and the data is MBPP+ v0.2.0: name \
             MbppPlus-v0.1.0.jsonl.gz with --data",
            ),
        );
        check("mbpp-plus", &new, &names("Mbpp/", second), None);
        check("mbpp-plus", &new, &BTreeSet::from(["Mbpp/2".to_owned(), "3".to_owned()]), None);
        let split = problems("Mbpp/", edition("the test split of MBPP"));
        check(
            "mbpp",
            &split,
            &names("mbpp_", edition("MBPP's sanitized file")),
            Some(
                "the answers name the 427 problems of MBPP's sanitized file, and the data is the test split \
             of MBPP: score them as mbpp-sanitized, with the data sanitized-mbpp.json",
            ),
        );
        check(
            "mbpp",
            &split,
            &names("HumanEval/", |number| number < 7),
            Some(
                "the answers name problems of HumanEval, and the data is the test split of MBPP: score them \
             as humaneval or humaneval-plus, with the data HumanEval.jsonl.gz",
            ),
        );
        check("mbpp", &split, &BTreeSet::from(["Mbpp/9000".to_owned()]), None);
        check(
            "humaneval",
            &problems("Sample/", |number| number < 7),
            &BTreeSet::from(["x".to_owned()]),
            None,
        );
    }

    #[test]
    fn names_of_other_languages_are_recognized() {
        let advised = |task: &str, prefix: &str| {
            advice(
                task,
                &problems("HumanEval/", |number| number < 164),
                &names(prefix, |number| number < 9),
                true,
            )
        };
        let java =
            "these are names of HumanEval's problems in Java: the task is humanevalpack-java";
        assert_eq!(advised("humaneval", "Java/").as_deref(), Some(java));
        assert_eq!(advised("humanevalpack-java", "Java/"), None);
        assert!(advised("humanevalpack-java", "Python/").unwrap().contains("humanevalpack-python"));
        assert!(advised("humaneval", "C#/").unwrap().contains("no task has them"));
    }
}
