//! `humanevalpack-python`, `-js`, `-java`, `-cpp`, `-go` and `-rust`: HumanEval's functions in six
//! languages.

mod apart;
mod assembly;
mod code;
mod cut;
mod signature;

use std::path::Path;
use std::sync::Arc;

use assay_core::{
    DataChoice, Error, Exam, Language, PromptCard, QuestionKind, Result, Rules, TaskCard,
};
use assay_data::programs::{PackProblem, Records};

use apart::Given;

use crate::humaneval::PASS_AT_K;
use crate::programs::{
    Asked, CodeReference, Item, Items, Judging, PassTally, Programs, Streamed, Telling, TestSuite,
    Tests, only_path,
};
use crate::sample;

/// In Python.
pub static HUMANEVALPACK_PYTHON: Programs = Programs {
    judging: Judging { continuation: cut::at_outer_line, ..Judging::by_exam(10) },
    ..pack(
        TaskCard { examples: &["assay run humanevalpack-python --data sample"], ..CARD },
        |data, asked| open(data, asked, &PYTHON),
    )
};

/// In JavaScript.
pub static HUMANEVALPACK_JS: Programs = Programs {
    judging: Judging {
        continuation: |text| cut::at_closing(text, Language::JavaScript),
        assemble: assembly::javascript,
        ..Judging::by_exam(10)
    },
    ..pack(
        TaskCard {
            name: "humanevalpack-js",
            language: Some(Language::JavaScript),
            summary: "write a JavaScript function from its description",
            examples: &["assay run humanevalpack-js --data sample"],
            ..CARD
        },
        |data, asked| open(data, asked, &JS),
    )
};

/// In Java.
pub static HUMANEVALPACK_JAVA: Programs = Programs {
    judging: Judging {
        continuation: |text| cut::at_closing(text, Language::Java),
        assemble: assembly::java,
        ..Judging::by_exam(10)
    },
    ..pack(
        TaskCard {
            name: "humanevalpack-java",
            language: Some(Language::Java),
            summary: "write a Java method from its description",
            examples: &["assay run humanevalpack-java --data sample"],
            ..CARD
        },
        |data, asked| open(data, asked, &JAVA),
    )
};

/// In C++.
pub static HUMANEVALPACK_CPP: Programs = Programs {
    judging: Judging {
        continuation: |text| cut::at_closing(text, Language::Cpp),
        assemble: assembly::cpp,
        ..Judging::by_exam(10)
    },
    ..pack(
        TaskCard {
            name: "humanevalpack-cpp",
            language: Some(Language::Cpp),
            summary: "write a C++ function from its description",
            examples: &["assay run humanevalpack-cpp --data sample"],
            ..CARD
        },
        |data, asked| open(data, asked, &CPP),
    )
};

/// In Go.
pub static HUMANEVALPACK_GO: Programs = Programs {
    judging: Judging {
        continuation: |text| cut::at_closing(text, Language::Go),
        assemble: assembly::go,
        ..Judging::by_exam(10)
    },
    ..pack(
        TaskCard {
            name: "humanevalpack-go",
            language: Some(Language::Go),
            summary: "write a Go function from its description",
            examples: &["assay run humanevalpack-go --data sample"],
            ..CARD
        },
        |data, asked| open(data, asked, &GO),
    )
};

/// In Rust.
pub static HUMANEVALPACK_RUST: Programs = Programs {
    judging: Judging {
        continuation: |text| cut::at_closing(text, Language::Rust),
        assemble: assembly::rust,
        ..Judging::by_exam(10)
    },
    ..pack(
        TaskCard {
            name: "humanevalpack-rust",
            language: Some(Language::Rust),
            summary: "write a Rust function from its description",
            examples: &["assay run humanevalpack-rust --data sample"],
            ..CARD
        },
        |data, asked| open(data, asked, &RUST),
    )
};

const fn pack(card: TaskCard, open: fn(&DataChoice, &Asked) -> Result<Box<dyn Items>>) -> Programs {
    Programs {
        card,
        open,
        names: |name| name.rsplit('/').next().unwrap_or(name).to_owned(),
        judging: Judging::by_exam(10),
        tally: |settings| Box::new(PassTally::new(settings)),
    }
}

/// What is particular to a language.
struct Dialect {
    language: Language,
    /// The folder of its file.
    folder: &'static str,
    /// What the names of its problems begin with.
    prefix: &'static str,
    stop: &'static [&'static str],
}

const PYTHON: Dialect = Dialect {
    language: Language::Python,
    folder: "python",
    prefix: "Python/",
    stop: &["\nclass", "\ndef", "\n#", "\n@", "\nprint", "\nif", "\nassert"],
};
const JS: Dialect =
    Dialect { language: Language::JavaScript, folder: "js", prefix: "JavaScript/", stop: &[] };
const JAVA: Dialect =
    Dialect { language: Language::Java, folder: "java", prefix: "Java/", stop: &[] };
const CPP: Dialect = Dialect { language: Language::Cpp, folder: "cpp", prefix: "CPP/", stop: &[] };
const GO: Dialect = Dialect {
    language: Language::Go,
    folder: "go",
    prefix: "Go/",
    stop: &["\n//", "\nfunc main(", "struct", "\nfunc"],
};
const RUST: Dialect =
    Dialect { language: Language::Rust, folder: "rust", prefix: "Rust/", stop: &[] };

const CONTINUE: &str = "continue";

const CARD: TaskCard = TaskCard {
    name: "humanevalpack-python",
    version: 1,
    asks: QuestionKind::Code,
    language: Some(Language::Python),
    folder: "humanevalpack",
    summary: "write a Python function from its description, as an instruction",
    about: "HumanEval's 164 problems in Python, JavaScript, Java, C++, Go and Rust, from OctoPack \
        (Muennighoff et al. 2023); each language is a task. Given an instruction and the beginning of a \
        program, write on (HumanEvalSynthesize).",
    data: "HumanEvalPack's files, LANGUAGE/data/humanevalpack.jsonl, in a folder or a .tar, .tar.gz, \
        .tar.zst or .zip of one; or the language's file itself: one JSON object a line with task_id, \
        prompt, declaration, canonical_solution, buggy_solution, test, test_setup (Go), entry_point and \
        instruction. Without --data, the folder humanevalpack under ASSAY_DATA is taken. `--data sample` \
        means the problems inside the binary.",
    answers: "One JSON object a line: task_id (Java/0 or 0), and either completion, which is appended to \
        the prompt without the white space at its end, or solution, which is the whole program. A \
        completion counts up to the brace that closes the function, in Python up to the first line that \
        is not indented; in a run, also up to the first of OctoPack's stop words.",
    grading: "A program passes if all its tests pass within 10 s of CPU time, compiling aside. It runs in \
        a sandbox, with the language's compiler or interpreter on this machine; where that is missing \
        the task is refused. Program and tests are two processes: the tests call the program through a pipe \
        and see nothing of it but plain values; docs/sandbox.md says what a program can still do. Go's assertions are assay's own, in place of testify's; \
        Rust's crates rand, regex and md5 are not there: problems that need them are excluded (32, 38, 50, \
        53, 91 and 162).",
    rules: "strict: as above. compat: program and tests are one program, put together as OctoPack does, \
        which can cheat.",
    default_rules: Rules::Strict,
    prompts: &[
        PromptCard {
            name: "instruct",
            meaning: "the instruction, an empty line, the beginning of the program; as OctoPack's",
        },
        PromptCard { name: CONTINUE, meaning: "the beginning of the program alone; as OctoPack's" },
    ],
    metrics: &[PASS_AT_K],
    default_solvers: &["gold"],
    examples: &[],
};

struct Pack {
    dialect: &'static Dialect,
    /// Whether only the beginning of the program is shown.
    bare: bool,
}

fn open(data: &DataChoice, asked: &Asked, dialect: &'static Dialect) -> Result<Box<dyn Items>> {
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
    let pack = Pack { dialect, bare: asked.prompt == Some(CONTINUE) };
    let items = Streamed::open(records, pack)?;
    let of = items.ids().iter().find(|id| !id.as_str().starts_with(dialect.prefix));
    match of {
        None => Ok(Box::new(items)),
        Some(id) => Err(Error::refused(format!("{id} is not a problem in {}", dialect.language))
            .hint("each language has a file and a task of its own")),
    }
}

/// A folder is looked into two levels deep, and the files lie three levels deep.
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

impl Telling<PackProblem> for Pack {
    fn name(&self, record: &PackProblem) -> String {
        record.id.clone()
    }

    fn item(&self, record: PackProblem) -> Result<Item, String> {
        if self.dialect.language == Language::Rust {
            needs_no_crate(&record)?;
        }
        let begun = record.prompt.trim_end();
        let instructed = format!("{}\n\n{}", record.instruction.trim(), record.prompt);
        let prompt = if self.bare { begun } else { instructed.trim() };
        let reference = CodeReference {
            language: self.dialect.language,
            prompt: Arc::from(begun),
            stop: self.dialect.stop,
            gold: Some(gold(&record).into()),
            tests: TestSuite::new(self.tests(&record)?),
        };
        Ok(Item { prompt: prompt.to_owned(), reference })
    }
}

impl Pack {
    fn tests(&self, record: &PackProblem) -> Result<Tests, String> {
        if self.dialect.language != Language::Python {
            let given = Given {
                language: self.dialect.language,
                prompt: &record.prompt,
                gold: &gold(record),
                tests: &format!("{}\n{}", record.test_setup, record.test),
            };
            return given.apart().map(Tests::Apart);
        }
        Ok(Tests::Exam(Exam {
            // Tests may use what the prompt defines besides the function.
            setting: format!("{PYTHON_IMPORTS}{}", gold(record)),
            called: vec![record.entry_point.clone()],
            appended: record.test.clone(),
            tests: vec![record.test.clone()],
            preamble: PYTHON_IMPORTS.to_owned(),
        }))
    }
}

/// What OctoPack puts before a program in Python, but for numpy, which takes long to load.
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
