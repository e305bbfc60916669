//! APPS: problems of three levels, in the original's folders, in codeparrot's JSON lines, or in the
//! JSON lines of MapCoder's selection of 150.
//!
//! The test split has more than a gigabyte of tests, so a dataset is read once for its names, and
//! again for the wanted problems.

mod cases;
mod folders;
mod lines;

use std::fmt;
use std::ops::ControlFlow;
use std::path::Path;

use assay_core::{Error, Result, Selection};

use crate::Store;
use crate::json::json_line_message;
use crate::programs::records::{Records, is_json_lines};

pub use cases::{AppsTests, Call};

/// The difficulty of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "their names say it all")]
pub enum Level {
    Introductory,
    Interview,
    Competition,
}

impl Level {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Introductory, Self::Interview, Self::Competition];

    /// The name in the data.
    pub fn name(self) -> &'static str {
        match self {
            Self::Introductory => "introductory",
            Self::Interview => "interview",
            Self::Competition => "competition",
        }
    }

    fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.name() == name)
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppsProblem {
    /// The question.
    pub question: String,
    /// The beginning of the answer; may be empty.
    pub starter_code: String,
    /// Programs that should be right.
    pub solutions: Vec<String>,
    /// The tests, or the reason why there are none.
    pub tests: Result<AppsTests, String>,
}

/// Receives a problem with its index, or the reason why it is unusable.
pub type TakeProblem<'a> =
    dyn FnMut(usize, Result<AppsProblem, String>) -> Result<ControlFlow<()>> + 'a;

/// The problems of one level, or of all, which then need not say their level.
#[derive(Debug)]
pub struct AppsProblems {
    form: Form,
    /// The problems' names, all different: a second one is called `17#2`.
    ids: Vec<String>,
    /// The names of the problems of other levels, as in the data.
    of_other_levels: Vec<String>,
}

/// The names in a dataset, in its order.
#[derive(Debug, Default)]
struct Names {
    of_level: Vec<String>,
    of_other_levels: Vec<String>,
}

#[derive(Debug)]
enum Form {
    Lines(lines::Lines),
    Folders(folders::Folders),
}

/// The hint if no problems are found.
const FORMS: &str = "APPS is a folder or archive of folders such as 0001 with question.txt and \
    input_output.json, or a file of JSON lines (.jsonl, also .gz or .zst)";

impl AppsProblems {
    /// The problems of a level at `path`: a file of JSON lines, a folder or an archive. If a folder
    /// has several, JSON lines take precedence over the original's folders, and those over
    /// archives.
    pub fn open(path: &Path, level: Option<Level>) -> Result<Self> {
        if let Some(lines) = Records::look_for(path, &is_json_lines)? {
            return Self::of_lines(lines, level);
        }
        let found = Store::find(path, &folders::is_question)?;
        let (store, _) = found.ok_or_else(|| {
            Error::refused(format!("{} holds no problems of APPS", path.display())).hint(FORMS)
        })?;
        Self::of_folders(store, level)
    }

    /// The problems of a level among JSON lines.
    pub fn of_lines(records: Records, level: Option<Level>) -> Result<Self> {
        let (lines, names) = lines::Lines::scan(records, level)?;
        Self::new(Form::Lines(lines), names, level)
    }

    /// The problems of a level in the folders of `store`.
    pub fn of_folders(store: Store, level: Option<Level>) -> Result<Self> {
        let (folders, names) = folders::Folders::scan(store, level)?;
        Self::new(Form::Folders(folders), names, level)
    }

    fn new(form: Form, names: Names, level: Option<Level>) -> Result<Self> {
        let Names { of_level, of_other_levels } = names;
        if of_level.is_empty() {
            let location = form.location();
            let of_level = level.map_or_else(String::new, |level| format!(" of the level {level}"));
            return Err(Error::refused(format!("{location} has no problem{of_level}")).hint(FORMS));
        }
        Ok(Self { form, ids: with_unique_names(of_level), of_other_levels })
    }

    /// The problems' names, in the order of the data.
    pub fn ids(&self) -> &[String] {
        &self.ids
    }

    /// The names of the problems of other levels in the data.
    pub fn of_other_levels(&self) -> &[String] {
        &self.of_other_levels
    }

    /// The location of the problem at `index`.
    pub fn location(&self, index: usize) -> String {
        match &self.form {
            Form::Lines(lines) => lines.place(index),
            Form::Folders(folders) => folders.place(index),
        }
    }

    /// Reads the wanted problems, in their order.
    pub fn read(&self, wanted: &Selection, take: &mut TakeProblem<'_>) -> Result<()> {
        match &self.form {
            Form::Lines(lines) => lines.read(wanted, take),
            Form::Folders(folders) => folders.read(wanted, take),
        }
    }
}

impl Form {
    fn location(&self) -> &str {
        match self {
            Self::Lines(lines) => lines.location(),
            Self::Folders(folders) => folders.location(),
        }
    }
}

/// Makes names unique, which those in the data need not be: the selection of 150 has some problems
/// twice.
fn with_unique_names(ids: Vec<String>) -> Vec<String> {
    let mut seen = std::collections::HashMap::new();
    let unique = ids.into_iter().map(|id| {
        let times = seen.entry(id.clone()).and_modify(|times| *times += 1).or_insert(1_usize);
        if *times == 1 { id } else { assay_core::disambiguate(&id, *times) }
    });
    unique.collect()
}

/// Parses `solutions.json`.
fn read_solutions(text: &str) -> Result<Vec<String>, String> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    serde_json::from_str(text)
        .map_err(|error| format!("its solutions cannot be read: {}", json_line_message(&error)))
}
