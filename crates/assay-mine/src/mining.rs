//! Mining: from histories to datasets.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use assay_core::{Cancel, DigestOf, Error, Fingerprint, Progress, Result, shown_name};
use rayon::prelude::*;
use serde::Serialize;

use crate::dataset::{Dataset, Provenance};
use crate::filter::{Filters, Rejection, examine, is_test};
use crate::history::{Changed, Commit, History, ObjectId, Reader, Walk};
use crate::renames::pair;
use crate::split::{Side, Split, date, side_of_task, sides};
use crate::state::{Lock, Plan, Source, State};
use crate::text::decode;

/// The number of commits that are examined before the state is saved.
const CHUNK: usize = 64;

/// A request to mine repositories into a folder.
#[derive(Debug, Clone)]
pub struct Request {
    /// The repositories, bare or not.
    pub repositories: Vec<PathBuf>,
    /// The folder in which the dataset is created.
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
    /// True if the whole history was examined.
    pub complete: bool,
    /// The number of repositories that were examined.
    pub repositories: usize,
    /// The number of commits that were compared with their parent.
    pub commits: usize,
    /// The number of changed files of the language in these commits.
    pub files: usize,
    /// The number of tasks, on each side.
    pub tasks: BTreeMap<Side, usize>,
    /// The number of other files, by the reason why they are not tasks.
    pub rejected: BTreeMap<Rejection, usize>,
}

/// Mines the repositories. If called again after an interruption, it continues.
pub fn mine(request: &Request, progress: &dyn Progress, cancel: &Cancel) -> Result<Mined> {
    let histories = open_all(request)?;
    let sides = sides(request.split.as_ref(), &histories)?;
    let lock = Lock::acquire(&request.output)?;
    let mut mining = Mining::open(request, &histories, &sides)?;
    let mut before = 0;
    for (history, &side) in histories.iter().zip(&sides) {
        let done = mining.state.commits.saturating_sub(before).min(history.commits.len());
        before += history.commits.len();
        if done == history.commits.len() {
            continue;
        }
        if done > 0 {
            let (name, of) = (shown_name(&history.name), history.commits.len());
            progress.note(&format!("{name}: {done} of {of} are done already"));
        }
        progress.start(&history.name, history.commits.len(), done);
        for chunk in history.commits[done..].chunks(CHUNK) {
            if !mining.mine_chunk(history, side, chunk, cancel)? {
                return Ok(mining.summary(&histories));
            }
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
        let side_of_task =
            path.canonicalize().map_err(|error| Error::reading("open", path, error))?;
        if !places.insert(side_of_task.clone()) {
            return Err(Error::usage(format!("{} is named twice", path.display())));
        }
        let name = unused_name(&side_of_task, &histories);
        histories.push(History::open(path, name, request.walk)?);
    }
    Ok(histories)
}

/// Returns an unused name for the repository at `path`: its folder's name, with more of the path if
/// the name is taken.
fn unused_name(path: &Path, taken: &[History]) -> String {
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
struct FoundTask {
    commit: Commit,
    changed: Changed,
    line: usize,
    new: String,
    fingerprint: String,
}

/// The findings in some commits.
#[derive(Default)]
struct CommitFindings {
    files: usize,
    found: Vec<FoundTask>,
    rejected: Vec<Rejection>,
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

    /// Examines some commits, adds their tasks, and saves the state. Does nothing and returns false if it is cancelled
    /// before all of them are examined.
    fn mine_chunk(
        &mut self,
        history: &History,
        side: Side,
        commits: &[Commit],
        cancel: &Cancel,
    ) -> Result<bool> {
        let request = self.request;
        let examine = |reader: &mut Reader<'_>, commit| {
            let goes_on = !cancel.is_cancelled();
            goes_on.then(|| examine_commit(request, reader, commit)).transpose()
        };
        let findings: Option<Vec<CommitFindings>> =
            commits.par_iter().map_init(|| history.reader(), examine).collect::<Result<_>>()?;
        let Some(findings) = findings else { return Ok(false) };
        let reader = history.reader();
        for CommitFindings { files, found, rejected } in findings {
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
        self.state.save(&self.request.output)?;
        Ok(true)
    }

    fn reject(&mut self, reason: Rejection) {
        *self.state.rejected.entry(reason).or_default() += 1;
    }

    fn add(
        &mut self,
        history: &History,
        reader: &Reader<'_>,
        side: Side,
        found: FoundTask,
    ) -> Result<()> {
        let split = self.request.split.as_ref();
        let Some(side) = side_of_task(split, side, found.commit.seconds) else {
            self.reject(Rejection::NeitherSide);
            return Ok(());
        };
        if !self.seen.insert(found.fingerprint.clone())
            && self.request.filters.leaves_out(Rejection::Duplicate)
        {
            self.reject(Rejection::Duplicate);
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

/// Examines one commit.
fn examine_commit(
    request: &Request,
    reader: &Reader<'_>,
    commit: &Commit,
) -> Result<CommitFindings> {
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
    let mut findings = CommitFindings { files: files.len(), ..CommitFindings::default() };
    for changed in files {
        match find(filters, reader, commit, changed)? {
            Ok(found) => findings.found.push(found),
            Err(reason) => findings.rejected.push(reason),
        }
    }
    Ok(findings)
}

fn decoded(reader: &Reader<'_>, id: ObjectId, filters: &Filters) -> Result<Option<Vec<u8>>> {
    Ok(decode(&reader.content(id)?, filters.encoding).map(String::into_bytes))
}

/// The task made from a changed file, or the reason for rejecting it.
fn find(
    filters: &Filters,
    reader: &Reader<'_>,
    commit: &Commit,
    changed: Changed,
) -> Result<Result<FoundTask, Rejection>> {
    if filters.leaves_out(Rejection::Test) && is_test(&changed.path) {
        return Ok(Err(Rejection::Test));
    }
    for id in [changed.old, changed.new] {
        if reader.size(id)? > filters.most_bytes {
            return Ok(Err(Rejection::TooLarge));
        }
    }
    let (old, new) = (reader.content(changed.old)?, reader.content(changed.new)?);
    Ok(examine(filters, &old, &new).map(|replacement| {
        let text = task_text(&replacement.new, &replacement.program);
        let whole = format!("{}\n{text}", replacement.line);
        let fingerprint = format!("{:032x}", Fingerprint::of(whole.as_bytes()).as_number());
        FoundTask {
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
