//! Folders and archives with a file or a folder for each problem: MultiPL-E's `NAME.json.gz`, EvalPlus's `NAME/0.py`, and
//! `NAME.py`.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io::Read;
use std::path::Path;

use assay_core::{
    Cancel, Digest, DigestOf, Error, Fault, FaultKind, Place, Problems, Response, Result,
    Selection, counted, natural_order,
};
use assay_data::{Content, Store, unpack};

use super::record::Record;
use crate::AnswerFile;
use crate::collector::Collector;
use crate::lines::ProblemNames;
use crate::shape::Shape;

/// The extensions of programs.
const PROGRAMS: [&str; 11] =
    [".py", ".java", ".js", ".ts", ".cpp", ".cc", ".c", ".go", ".rs", ".cs", ".txt"];
/// The extensions of MultiPL-E's files, and of the results that it writes next to them.
const OBJECTS: [&str; 2] = [".json.gz", ".json"];
const RESULTS: &str = ".results";

/// The maximum number of files that a message names.
const MAX_SHOWN: usize = 3;

/// Reads the answers in the folder or archive at `path`.
pub(crate) fn read(
    path: &Path,
    cancel: &Cancel,
    problems: &dyn Problems,
    chosen: &Selection,
    key: Option<&str>,
) -> Result<AnswerFile> {
    let store = Store::open(path)?;
    let mut collector = Collector::new(problems, chosen, key);
    let names = ProblemNames::new(problems);
    let mut found = BTreeMap::new();
    let mut names_there = store.scan(&|name| kind_of(name).is_some(), &mut |name, content| {
        if !cancel.is_cancelled() {
            found.insert(SortedName(name.to_owned()), Member::read(name, content, key));
        }
    })?;
    if cancel.is_cancelled() {
        return Err(Error::failed("interrupted"));
    }
    drop_repeated_results(&mut found);
    refuse_unclear_numbers(&found, path, &names)?;
    let mut digest = DigestOf::new();
    let mut known = 0;
    for (SortedName(name), member) in found {
        digest.field(name.as_bytes()).field(member.digest.as_bytes());
        known += usize::from(member.add_to(&name, &mut collector, &names));
    }
    if known == 0 {
        names_there.sort_unstable();
        return Err(nothing(path, &names_there, problems));
    }
    Ok(collector.finish(digest.finish()))
}

/// A path in natural order: `NAME/10.py` follows `NAME/9.py`.
#[derive(PartialEq, Eq)]
struct SortedName(String);

impl PartialOrd for SortedName {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for SortedName {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let folder = |path: &str| path.rsplit_once('/').map(|(folder, _)| folder.to_owned());
        folder(&self.0)
            .cmp(&folder(&other.0))
            .then_with(|| natural_order(stem(&self.0), stem(&other.0)))
            .then_with(|| self.0.cmp(&other.0))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Program,
    Object,
}

/// Returns whether a file in an archive may hold answers.
pub(crate) fn is_file_of_answers(name: &str) -> bool {
    kind_of(name).is_some()
}

fn kind_of(name: &str) -> Option<Kind> {
    let ends_in = |extensions: &[&str]| extensions.iter().any(|ending| name.ends_with(ending));
    if name.rsplit('/').any(|part| part.starts_with('.') || part == "__MACOSX") {
        None
    } else if ends_in(&OBJECTS) {
        Some(Kind::Object)
    } else {
        ends_in(&PROGRAMS).then_some(Kind::Program)
    }
}

/// A file, as it was read.
struct Member {
    digest: Digest,
    content: Result<Parsed, Fault>,
}

enum Parsed {
    Program(String),
    Object(Record),
}

impl Member {
    fn read(name: &str, content: Content, key: Option<&str>) -> Self {
        let malformed = |what: String| Fault::new(FaultKind::Malformed, format!("{name}: {what}"));
        let (digest, content) = match content {
            Err(reason) => (Digest::of(reason.as_bytes()), Err(malformed(reason))),
            Ok(bytes) => match unpacked(&bytes, name) {
                Err(reason) => (Digest::of(&bytes), Err(malformed(reason))),
                Ok(text) => {
                    (Digest::of(text.as_bytes()), parsed(name, text, key).map_err(malformed))
                }
            },
        };
        Self { digest, content }
    }

    /// Collects the answers; returns false if the file has no problem's name, and is something else.
    fn add_to(self, name: &str, collector: &mut Collector<'_>, names: &ProblemNames<'_>) -> bool {
        let added = match self.content {
            Err(fault) => Err(fault),
            Ok(Parsed::Object(record)) => {
                let record = record.named(stem(name));
                record.add_to(collector, Place::FILE, names).map_err(|fault| within(name, fault))
            }
            Ok(Parsed::Program(text)) => match problem_of(name, names) {
                Some(index) => {
                    collector.note(Shape::Files);
                    collector.add_named(Place::FILE, index, vec![Response::Program(text)], true);
                    Ok(())
                }
                None if count_passed_over(name, collector, names) => return true,
                // Something else, such as a note or a script.
                None if !has_digit(name_in(name)) => return false,
                None => Err(unknown(name, collector, names)),
            },
        };
        match added {
            Ok(()) => true,
            // A file that is about something else, such as a list of settings.
            Err(fault)
                if fault.kind == FaultKind::Malformed && problem_of(name, names).is_none() =>
            {
                false
            }
            Err(fault) => {
                collector.faults.add(Place::FILE, fault);
                true
            }
        }
    }
}

fn has_digit(name: &str) -> bool {
    name.bytes().any(|byte| byte.is_ascii_digit())
}

/// The fault of a program whose problem is unknown.
fn unknown(path: &str, collector: &mut Collector<'_>, names: &ProblemNames<'_>) -> Fault {
    let fault = names.unknown(name_in(path));
    collector.note_unknown(&fault, name_in(path).to_owned());
    within(path, fault)
}

fn within(name: &str, fault: Fault) -> Fault {
    let Fault { kind, message, index } = fault;
    Fault { message: format!("{name}: {message}"), kind, index }
}

fn count_passed_over(path: &str, collector: &mut Collector<'_>, names: &ProblemNames<'_>) -> bool {
    let passed_over = names.leaves_out(name_in(path));
    if passed_over {
        collector.count_passed_over(name_in(path).to_owned());
    }
    passed_over
}

fn unpacked(bytes: &[u8], name: &str) -> Result<String, String> {
    let mut packed = bytes;
    let mut stream = unpack(&mut packed, name).map_err(|error| error.to_string())?;
    let mut text = String::new();
    stream.read_to_string(&mut text).map_err(|error| format!("cannot be read: {error}"))?;
    Ok(text)
}

fn parsed(name: &str, text: String, key: Option<&str>) -> Result<Parsed, String> {
    match kind_of(name) {
        Some(Kind::Object) => {
            let record = Record::parse(&text, key).map_err(|fault| fault.message)?;
            record.map(Parsed::Object).ok_or_else(|| "it is empty".to_owned())
        }
        _ => Ok(Parsed::Program(text)),
    }
}

/// The name of a file's problem: that of the file; or that of its folder, if the file only has a sample's number.
fn name_in(path: &str) -> &str {
    let own = stem(path);
    let folder = path.rsplit('/').nth(1).filter(|folder| has_digit(folder));
    if own.parse::<u64>().is_ok() { folder.unwrap_or(own) } else { own }
}

/// The problem of a file; a name may have `_` for the `/` that no file's name can have.
fn problem_of(path: &str, names: &ProblemNames<'_>) -> Option<usize> {
    let name = name_in(path);
    let with_slash = || names.any_spelling(&name.replacen('_', "/", 1)).ok();
    names.any_spelling(name).ok().or_else(with_slash)
}

/// A file's name without its folder and extensions.
fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    let extensions = OBJECTS.iter().chain(&PROGRAMS);
    let stem = extensions.copied().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name);
    stem.strip_suffix(RESULTS).unwrap_or(stem)
}

/// Drops MultiPL-E's results of problems whose completions are there: they are the same programs.
fn drop_repeated_results(found: &mut BTreeMap<SortedName, Member>) {
    let has_results =
        |name: &str| OBJECTS.iter().any(|ending| name.ends_with(&format!("{RESULTS}{ending}")));
    let completions: HashSet<String> = found
        .keys()
        .filter(|name| !has_results(&name.0))
        .map(|name| stem(&name.0).to_owned())
        .collect();
    found.retain(|name, _| !has_results(&name.0) || !completions.contains(stem(&name.0)));
}

/// Refuses `1/0.py … 1/163.py`, if both numbers can be that of the problem: folders of problems with their samples have
/// at least as many folders as a folder has files, unless most problems have no answer.
fn refuse_unclear_numbers(
    found: &BTreeMap<SortedName, Member>,
    path: &Path,
    names: &ProblemNames<'_>,
) -> Result<()> {
    let numbers = |name: &SortedName| {
        let folder = name.0.rsplit('/').nth(1)?.parse::<u64>().ok()?;
        Some((folder, stem(&name.0).parse::<u64>().ok()?))
    };
    let numbered: Vec<(u64, u64)> = found.keys().filter_map(numbers).collect();
    let folders: BTreeSet<u64> = numbered.iter().map(|(folder, _)| *folder).collect();
    let files: BTreeSet<u64> = numbered.iter().map(|(_, file)| *file).collect();
    let are_problems =
        || files.iter().all(|number| names.any_spelling(&number.to_string()).is_ok());
    let (Some(folder), Some(last)) = (folders.first(), files.last()) else { return Ok(()) };
    if folders.len() >= files.len() || !are_problems() {
        return Ok(());
    }
    let has = counted(folders.len(), "folder");
    Err(Error::refused(format!(
        "{}: it has {has} with {} file names, such as {folder}/{last}: either number may be the problem's",
        path.display(),
        files.len()
    ))
    .hint(format!(
        "one program for each problem: name the folder of files, such as {}; samples of each problem: name the \
         folders after the problems, with `_` for `/`",
        path.join(folder.to_string()).display()
    )))
}

fn nothing(path: &Path, names: &[String], problems: &dyn Problems) -> Error {
    let like = problems.ids().first().map_or("", |id| id.as_str());
    let shown: Vec<&str> = names.iter().map(String::as_str).take(MAX_SHOWN).collect();
    let more = if names.len() > MAX_SHOWN { " …" } else { "" };
    let there = if shown.is_empty() {
        String::new()
    } else {
        format!(": it has {}{more}", shown.join(", "))
    };
    Error::refused(format!("{} holds no answers to these problems{there}", path.display())).hint(format!(
        "a folder has NAME/0.py, NAME.py or MultiPL-E's NAME.json.gz for each problem, such as {like:?} with \
         `_` for `/`; or name the file of answers in it"
    ))
}
