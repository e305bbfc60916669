//! `humanevalpack-python`, `-js`, `-java`, `-cpp`, `-go` and `-rust`: HumanEval's functions in six languages.

mod assembly;
mod code;
mod continuation;
mod separate_tests;
mod signature;

use std::path::Path;
use std::sync::Arc;

use assay_core::{DataChoice, Error, Language, PythonTests, Result};
use assay_data::programs::{PackProblem, Records};

use code::BraceLanguage;
use separate_tests::PackTests;

use crate::card::card;
use crate::programs::{
    CodeProblem, CodeProblems, CodeReference, GradingRules, NormalizeName, OpeningChoice,
    PassTally, Programs, RecordReader, StreamedProblems, TestSuite, Tests, in_another_language,
    only_path, problem_number,
};
use crate::sample;

/// HumanEvalPack in one language.
pub(crate) fn humanevalpack(dialect: &'static Dialect) -> Programs {
    Programs {
        card: card(&format!("humanevalpack-{}", dialect.folder)),
        open: Box::new(move |data, choice| open(data, choice, dialect)),
        normalize_name: dialect.normalize_name,
        grading: dialect.grading,
        tally: |settings| Box::new(PassTally::new(settings)),
    }
}

/// The specifics of a language.
pub(crate) struct Dialect {
    language: Language,
    /// The same, if its functions are in braces.
    braces: Option<BraceLanguage>,
    /// The folder of its file, and the end of its task's name.
    folder: &'static str,
    /// The prefix of its problems' names.
    prefix: &'static str,
    normalize_name: NormalizeName,
    stop: &'static [&'static str],
    grading: GradingRules,
}

const RULES: GradingRules = GradingRules::for_tests(10);

pub(crate) const PYTHON: &Dialect = &Dialect {
    language: Language::Python,
    braces: None,
    folder: "python",
    prefix: "Python/",
    normalize_name: |name| short_name(name, Language::Python),
    stop: &["\nclass", "\ndef", "\n#", "\n@", "\nprint", "\nif", "\nassert"],
    grading: GradingRules { continuation: continuation::until_outer_line, ..RULES },
};

pub(crate) const JS: &Dialect = &Dialect {
    language: Language::JavaScript,
    braces: Some(BraceLanguage::JavaScript),
    folder: "js",
    prefix: "JavaScript/",
    normalize_name: |name| short_name(name, Language::JavaScript),
    stop: &[],
    grading: GradingRules {
        continuation: |text| continuation::until_closing_brace(text, BraceLanguage::JavaScript),
        assemble: assembly::javascript,
        ..RULES
    },
};

pub(crate) const JAVA: &Dialect = &Dialect {
    language: Language::Java,
    braces: Some(BraceLanguage::Java),
    folder: "java",
    prefix: "Java/",
    normalize_name: |name| short_name(name, Language::Java),
    stop: &[],
    grading: GradingRules {
        continuation: |text| continuation::until_closing_brace(text, BraceLanguage::Java),
        assemble: assembly::java,
        ..RULES
    },
};

pub(crate) const CPP: &Dialect = &Dialect {
    language: Language::Cpp,
    braces: Some(BraceLanguage::Cpp),
    folder: "cpp",
    prefix: "CPP/",
    normalize_name: |name| short_name(name, Language::Cpp),
    stop: &[],
    grading: GradingRules {
        continuation: |text| continuation::until_closing_brace(text, BraceLanguage::Cpp),
        assemble: assembly::cpp,
        ..RULES
    },
};

pub(crate) const GO: &Dialect = &Dialect {
    language: Language::Go,
    braces: Some(BraceLanguage::Go),
    folder: "go",
    prefix: "Go/",
    normalize_name: |name| short_name(name, Language::Go),
    stop: &["\n//", "\nfunc main(", "struct", "\nfunc"],
    grading: GradingRules {
        continuation: |text| continuation::until_closing_brace(text, BraceLanguage::Go),
        assemble: assembly::go,
        ..RULES
    },
};

pub(crate) const RUST: &Dialect = &Dialect {
    language: Language::Rust,
    braces: Some(BraceLanguage::Rust),
    folder: "rust",
    prefix: "Rust/",
    normalize_name: |name| short_name(name, Language::Rust),
    stop: &[],
    grading: GradingRules {
        continuation: |text| continuation::until_closing_brace(text, BraceLanguage::Rust),
        assemble: assembly::rust,
        ..RULES
    },
};

/// Normalizes a name: `Java/7`, `HumanEval/7`, `HumanEval_7_filter_by_substring` and `7` are the same in Java, and
/// `CPP/7` is no name there.
fn short_name(name: &str, language: Language) -> String {
    if in_another_language(name, language) {
        return name.to_owned();
    }
    let last = name.rsplit('/').next().unwrap_or(name);
    problem_number(name, "HumanEval").unwrap_or(last).to_owned()
}

const CONTINUE: &str = "continue";

struct Pack {
    dialect: &'static Dialect,
    /// True if only the beginning of the program is shown.
    bare: bool,
}

fn open(
    data: &DataChoice,
    choice: &OpeningChoice,
    dialect: &'static Dialect,
) -> Result<Box<dyn CodeProblems>> {
    let wanted = |name: &str| is_file_of(name, dialect.folder);
    let records = match data {
        DataChoice::Sample => Records::from_store(&sample::humanevalpack(), &wanted)?,
        DataChoice::Paths(paths) => look_for(only_path(paths, "humanevalpack")?, dialect)?,
    };
    let records = records.ok_or_else(|| {
        let name = format!("{}/data/humanevalpack.jsonl", dialect.folder);
        Error::refused(format!("the data holds no {name}"))
            .hint("name the folder or archive that has it, or the file itself, with --data")
    })?;
    let pack = Pack { dialect, bare: choice.prompt == Some(CONTINUE) };
    let problems = StreamedProblems::open(records, pack)?;
    let other = problems.ids().iter().find(|id| !id.as_str().starts_with(dialect.prefix));
    match other.filter(|_| !choice.own_data) {
        None => Ok(Box::new(problems)),
        Some(id) => Err(Error::refused(format!("{id} is not a problem in {}", dialect.language))
            .hint("each language has a file and a task of its own")),
    }
}

/// Finds the file in a folder. Folders are searched two levels deep, and the files are three levels deep.
fn look_for(path: &Path, dialect: &Dialect) -> Result<Option<Records>> {
    let own = path.join(dialect.folder).join("data");
    if own.is_dir() {
        return Records::look_for(&own, &|name| name == "humanevalpack.jsonl");
    }
    Records::look_for(path, &|name| is_file_of(name, dialect.folder))
}

fn is_file_of(name: &str, folder: &str) -> bool {
    let own = format!("{folder}/data/humanevalpack.jsonl");
    name == own || name.ends_with(&format!("/{own}"))
}

impl RecordReader<PackProblem> for Pack {
    fn name(&self, record: &PackProblem) -> String {
        record.id.clone()
    }

    fn problem(&self, record: PackProblem) -> Result<CodeProblem, String> {
        if self.dialect.language == Language::Rust {
            needs_no_crate(&record)?;
        }
        let begun = record.prompt.trim_end();
        let instructed = format!("{}\n\n{}", record.instruction.trim(), record.prompt);
        let prompt = if self.bare { begun } else { instructed.trim() };
        let (entry_point, tests) = self.tests(&record)?;
        let reference = CodeReference {
            language: self.dialect.language,
            prompt: Arc::from(begun),
            entry_points: [entry_point].into(),
            gold: Some(gold(&record).into()),
            tests: TestSuite::new(tests),
        };
        Ok(CodeProblem { prompt: prompt.to_owned(), stop: self.dialect.stop.into(), reference })
    }
}

impl Pack {
    /// The function's name in its language, and its tests.
    fn tests(&self, record: &PackProblem) -> Result<(String, Tests), String> {
        if let Some(language) = self.dialect.braces {
            let given = PackTests {
                language,
                prompt: &record.prompt,
                gold: &gold(record),
                tests: &format!("{}\n{}", record.test_setup, record.test),
            };
            let (name, tests) = given.separate_tests()?;
            return Ok((name, Tests::Separate(tests)));
        }
        let tests = Tests::Python(PythonTests {
            // Tests may use names that the prompt defines besides the function.
            setup: format!("{PYTHON_IMPORTS}{}", gold(record)),
            entry_points: vec![record.entry_point.clone()],
            appended: record.test.clone(),
            cases: vec![record.test.clone()],
            preamble: PYTHON_IMPORTS.to_owned(),
        });
        Ok((record.entry_point.clone(), tests))
    }
}

/// The imports that OctoPack adds to a Python program, except for numpy, which takes long to load.
const PYTHON_IMPORTS: &str = "import math, re, sys, copy, datetime, itertools, collections, heapq, \
    statistics, functools, hashlib, string; from typing import *; from collections import *\n";

fn gold(record: &PackProblem) -> String {
    format!("{}{}", record.prompt, record.canonical_solution)
}

fn needs_no_crate(record: &PackProblem) -> Result<(), String> {
    let named = |line: &&str| !line.trim_start().starts_with("use ");
    let body = [&record.declaration, &record.canonical_solution, &record.test];
    let body: Vec<&str> = body.into_iter().flat_map(|text| text.lines()).filter(named).collect();
    let body = body.join("\n");
    let uses = [("rand::", "rand"), ("Regex", "regex"), ("md5", "md5")];
    match uses.iter().find(|(word, _)| body.contains(word)) {
        None => Ok(()),
        Some((_, name)) => Err(format!("it needs the crate {name}, and only Rust's own are there")),
    }
}
