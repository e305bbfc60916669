//! From histories to datasets.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use assay_core::{Cancel, DigestOf, Error, Fingerprint, Progress, Result};
use rayon::prelude::*;
use serde::Serialize;

use crate::dataset::{Dataset, Provenance};
use crate::filter::{Filters, Rejected, examine, is_test};
use crate::history::{Changed, Commit, History, ObjectId, Reader, Walk};
use crate::renames::pair;
use crate::split::{Side, Split, date, place, sides};
use crate::state::{Lock, Plan, Source, State};
use crate::text::decode;

/// So many commits are looked at before the state is saved.
const CHUNK: usize = 64;

/// A request to mine repositories into a folder.
#[derive(Debug, Clone)]
pub struct Request {
    /// The repositories, bare or not.
    pub repositories: Vec<PathBuf>,
    /// The folder that the dataset is made in.
    pub output: PathBuf,
    /// The changes that are left out.
    pub filters: Filters,
    /// The way the histories are walked.
    pub walk: Walk,
    /// The division of tasks into training and test.
    pub split: Option<Split>,
}

/// The outcome of mining.
#[derive(Debug, Clone, Serialize)]
pub struct Mined {
    /// True if all of the history was looked at.
    pub complete: bool,
    /// The number of repositories that were looked at.
    pub repositories: usize,
    /// The number of commits that were compared with their parent.
    pub commits: usize,
    /// The number of changed files of the language they have.
    pub files: usize,
    /// The number of tasks, on each side.
    pub tasks: BTreeMap<Side, usize>,
    /// Why the other files make no task.
    pub rejected: BTreeMap<Rejected, usize>,
}

/// Mines the repositories. Called again after an interruption, it goes on where it was.
pub fn mine(request: &Request, progress: &dyn Progress, cancel: &Cancel) -> Result<Mined> {
    let histories = open_all(request)?;
    let sides = sides(request.split.as_ref(), &histories)?;
    let lock = Lock::take(&request.output)?;
    let mut mining = Mining::open(request, &histories, &sides)?;
    let mut before = 0;
    for (history, &side) in histories.iter().zip(&sides) {
        let done = mining.state.commits.saturating_sub(before).min(history.commits.len());
        before += history.commits.len();
        if done == history.commits.len() {
            continue;
        }
        progress.start(&history.name, history.commits.len(), done);
        for chunk in history.commits[done..].chunks(CHUNK) {
            if cancel.is_cancelled() {
                return Ok(mining.summary(&histories));
            }
            mining.take(history, side, chunk)?;
            for _ in chunk {
                progress.step();
            }
        }
        progress.finish();
    }
    lock.remove(&request.output);
    Ok(mining.summary(&histories))
}

fn open_all(request: &Request) -> Result<Vec<History>> {
    let mut histories: Vec<History> = Vec::new();
    let mut places = BTreeSet::new();
    for path in &request.repositories {
        let place = path.canonicalize().map_err(|error| Error::reading("open", path, error))?;
        if !places.insert(place.clone()) {
            return Err(Error::usage(format!("{} is named twice", path.display())));
        }
        let name = free_name(&place, &histories);
        histories.push(History::open(path, name, request.walk)?);
    }
    Ok(histories)
}

/// Returns a free name for the repository at `path`: its folder's name, with more of the path where another
/// has it already.
fn free_name(path: &Path, taken: &[History]) -> String {
    let whole = if path.ends_with(".git") { path.parent().unwrap_or(path) } else { path };
    let parts: Vec<String> = whole.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    for from in (0..parts.len()).rev() {
        let name = parts[from..].join("/");
        let name = name.strip_suffix(".git").unwrap_or(&name).to_owned();
        if taken.iter().all(|history| history.name != name) {
            return name;
        }
    }
    path.display().to_string()
}

/// A task that was found, without its text.
struct Found {
    commit: Commit,
    changed: Changed,
    line: usize,
    new: String,
    fingerprint: String,
}

/// The findings in some commits.
#[derive(Default)]
struct Looked {
    files: usize,
    found: Vec<Found>,
    rejected: Vec<Rejected>,
}

struct Mining<'a> {
    request: &'a Request,
    state: State,
    datasets: BTreeMap<Side, Dataset>,
    /// The fingerprints of all tasks so far.
    seen: HashSet<String>,
}

impl<'a> Mining<'a> {
    fn open(request: &'a Request, histories: &[History], sides: &[Side]) -> Result<Self> {
        let state = State::load(&request.output, plan(request, histories))?;
        let mut seen = HashSet::new();
        let mut datasets = BTreeMap::new();
        let sides: BTreeSet<Side> = sides.iter().copied().collect();
        for side in sides {
            let extent = state.datasets.get(&side).copied().unwrap_or_default();
            let folder = request.output.join(side.folder());
            datasets.insert(side, Dataset::open(folder, extent, &mut seen)?);
        }
        Ok(Self { request, state, datasets, seen })
    }

    /// Looks into some commits, adds what they give, and saves the state.
    fn take(&mut self, history: &History, side: Side, commits: &[Commit]) -> Result<()> {
        let request = self.request;
        let looked: Vec<Looked> = commits
            .par_iter()
            .map_init(|| history.reader(), |reader, commit| look(request, reader, commit))
            .collect::<Result<_>>()?;
        let reader = history.reader();
        for Looked { files, found, rejected } in looked {
            self.state.files += files;
            for reason in rejected {
                self.reject(reason);
            }
            for found in found {
                self.add(history, &reader, side, found)?;
            }
        }
        self.state.commits += commits.len();
        for (side, dataset) in &mut self.datasets {
            self.state.datasets.insert(*side, dataset.save()?);
        }
        self.state.save(&self.request.output)
    }

    fn reject(&mut self, reason: Rejected) {
        *self.state.rejected.entry(reason).or_default() += 1;
    }

    fn add(
        &mut self,
        history: &History,
        reader: &Reader<'_>,
        side: Side,
        found: Found,
    ) -> Result<()> {
        let split = self.request.split.as_ref();
        let Some(side) = place(split, side, found.commit.seconds) else {
            self.reject(Rejected::NeitherSide);
            return Ok(());
        };
        if !self.seen.insert(found.fingerprint.clone())
            && self.request.filters.leaves_out(Rejected::Duplicate)
        {
            self.reject(Rejected::Duplicate);
            return Ok(());
        }
        let dataset = self.datasets.get_mut(&side).expect("every side has a dataset");
        let provenance = Provenance {
            task: dataset.next_number(),
            repository: history.name.clone(),
            commit: found.commit.id.to_string(),
            path: found.changed.path.to_string(),
            old_path: found.changed.old_path.map(|path| path.to_string()),
            date: date(found.commit.seconds),
            fingerprint: found.fingerprint,
        };
        // The text is read again, so that a commit that changes a thousand files fits in memory.
        let program = reader.content(found.changed.old)?;
        let program = decode(&program, self.request.filters.encoding)
            .ok_or_else(|| Error::failed(format!("{} is no text any more", provenance.path)))?;
        dataset.add(&task_text(&found.new, &program), found.line, &provenance)
    }

    fn summary(&self, histories: &[History]) -> Mined {
        let all: usize = histories.iter().map(|history| history.commits.len()).sum();
        let tasks = |side| self.state.datasets.get(side).map_or(0, |extent| extent.tasks);
        Mined {
            complete: self.state.commits == all,
            repositories: histories.len(),
            commits: self.state.commits,
            files: self.state.files,
            tasks: self.datasets.keys().map(|side| (*side, tasks(side))).collect(),
            rejected: self.state.rejected.clone(),
        }
    }
}

/// A task file: the new line without the white space around it, an empty line, the program.
fn task_text(new: &str, program: &str) -> String {
    format!("{}\n\n{program}", new.trim())
}

/// Looks into one commit.
fn look(request: &Request, reader: &Reader<'_>, commit: &Commit) -> Result<Looked> {
    let filters = &request.filters;
    let mut changes = reader.changes(commit, |path| filters.language.is_of(path))?;
    let mut files = std::mem::take(&mut changes.modified);
    if request.walk.renames {
        let text = |id: ObjectId| {
            let fits = reader.size(id)? <= filters.most_bytes;
            Ok(if fits { decoded(reader, id, filters)? } else { None })
        };
        files.extend(pair(&mut changes, &text)?);
    }
    files.sort_by(|left, right| left.path.cmp(&right.path));
    let mut looked = Looked { files: files.len(), ..Looked::default() };
    for changed in files {
        match find(filters, reader, commit, changed)? {
            Ok(found) => looked.found.push(found),
            Err(reason) => looked.rejected.push(reason),
        }
    }
    Ok(looked)
}

fn decoded(reader: &Reader<'_>, id: ObjectId, filters: &Filters) -> Result<Option<Vec<u8>>> {
    Ok(decode(&reader.content(id)?, filters.encoding).map(String::into_bytes))
}

/// The task that a changed file makes, or why it makes none.
fn find(
    filters: &Filters,
    reader: &Reader<'_>,
    commit: &Commit,
    changed: Changed,
) -> Result<Result<Found, Rejected>> {
    if filters.leaves_out(Rejected::Test) && is_test(&changed.path) {
        return Ok(Err(Rejected::Test));
    }
    for id in [changed.old, changed.new] {
        if reader.size(id)? > filters.most_bytes {
            return Ok(Err(Rejected::TooLarge));
        }
    }
    let (old, new) = (reader.content(changed.old)?, reader.content(changed.new)?);
    Ok(examine(filters, &old, &new).map(|replacement| {
        let text = task_text(&replacement.new, &replacement.program);
        let whole = format!("{}\n{text}", replacement.line);
        let fingerprint = format!("{:032x}", Fingerprint::of(whole.as_bytes()).as_number());
        Found {
            commit: *commit,
            changed,
            line: replacement.line,
            new: replacement.new,
            fingerprint,
        }
    }))
}

fn plan(request: &Request, histories: &[History]) -> Plan {
    let filters = &request.filters;
    let source = |history: &History| {
        let mut digest = DigestOf::new();
        history.commits.iter().for_each(|commit| {
            digest.field(commit.id.as_bytes());
        });
        Source {
            name: history.name.clone(),
            commits: history.commits.len(),
            history: digest.finish().to_string(),
        }
    };
    Plan {
        language: filters.language.name.to_owned(),
        encoding: filters.encoding.name().to_owned(),
        leave_out: filters.leave_out.clone(),
        most_bytes: filters.most_bytes,
        walk: request.walk,
        split: request.split.clone(),
        repositories: histories.iter().map(source).collect(),
    }
}
