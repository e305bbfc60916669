//! A repository's history. No other file knows git's storage.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use assay_core::{Error, Result};
use gix::ThreadSafeRepository;
use gix::diff::tree::Recorder;
use gix::diff::tree::recorder::Change;
use gix::objs::TreeRefIter;
use gix::prelude::ObjectIdExt;
use gix::revision::walk::Sorting;
use gix::traverse::commit::simple::CommitTimeOrder;
use serde::{Deserialize, Serialize};

pub(crate) use gix::ObjectId;
pub(crate) use gix::bstr::BString;

/// The order and extent of a walk through a history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Walk {
    /// True to start from every branch and tag, and not only from HEAD.
    pub all_refs: bool,
    /// True to include merges, compared with their first parent; otherwise they are skipped,
    /// because the changes that they combine were made in other commits.
    pub merges: bool,
    /// True if a renamed file counts as the same file.
    pub renames: bool,
}

/// A repository and its examined commits, oldest first.
pub(crate) struct History {
    pub(crate) name: String,
    pub(crate) commits: Vec<Commit>,
    /// The commits without a parent: repositories that share one belong to the same project.
    pub(crate) roots: BTreeSet<String>,
    path: PathBuf,
    repository: ThreadSafeRepository,
}

/// A commit and the parent that it is compared with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Commit {
    pub(crate) id: ObjectId,
    parent: ObjectId,
    /// The time of the commit, in seconds since 1970.
    pub(crate) seconds: i64,
}

/// A file that a commit changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Changed {
    pub(crate) path: BString,
    /// Its path before, if it was renamed.
    pub(crate) old_path: Option<BString>,
    pub(crate) old: ObjectId,
    pub(crate) new: ObjectId,
}

/// The changes of a commit to the examined files.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    pub(crate) modified: Vec<Changed>,
    pub(crate) deleted: Vec<(BString, ObjectId)>,
    pub(crate) added: Vec<(BString, ObjectId)>,
}

impl History {
    pub(crate) fn open(path: &Path, name: String, walk: Walk) -> Result<Self> {
        let repository = gix::open_opts(path, gix::open::Options::isolated()).map_err(|error| {
            Error::refused(format!("{} cannot be opened as a git repository", path.display()))
                .because(error)
                .hint("name the folder that holds .git, or a bare repository")
        })?;
        let unreadable = |error: gix::Error| broken(path, error);
        let mut commits = Vec::new();
        let mut roots = BTreeSet::new();
        let tips = tips(&repository, path, walk.all_refs)?;
        // The ends of a shallow clone: their parents do not exist.
        let ends: BTreeSet<ObjectId> = match repository.shallow_commits().map_err(unreadable)? {
            Some(ends) => ends.iter().copied().collect(),
            None => BTreeSet::new(),
        };
        let order = Sorting::ByCommitTime(CommitTimeOrder::NewestFirst);
        // Without the commit graph, which cannot represent every date that a commit can have.
        let history = repository.rev_walk(tips).sorting(order).use_commit_graph(false);
        for info in history.all().map_err(unreadable)? {
            let info = info.map_err(unreadable)?;
            let mut parents = info.parent_ids();
            let parent = parents.next().filter(|_| !ends.contains(&info.id));
            let Some(parent) = parent else {
                roots.insert(info.id.to_string());
                continue;
            };
            if parents.next().is_none() || walk.merges {
                let parent = parent.detach();
                commits.push(Commit { id: info.id, parent, seconds: info.commit_time() });
            }
        }
        commits.sort_by_key(|commit| (commit.seconds, commit.id));
        Ok(Self { name, commits, roots, path: path.to_owned(), repository: repository.into_sync() })
    }

    /// A reader for one thread.
    pub(crate) fn reader(&self) -> Reader<'_> {
        let mut repository = self.repository.to_thread_local();
        repository.object_cache_size_if_unset(16 << 20);
        Reader { path: &self.path, repository }
    }
}

/// Returns the commits from which the walk starts, backwards.
fn tips(repository: &gix::Repository, path: &Path, all_refs: bool) -> Result<Vec<ObjectId>> {
    let unreadable = |error: gix::Error| broken(path, error);
    let mut tips = BTreeSet::new();
    if all_refs {
        let references = repository.references().map_err(unreadable)?;
        for prefix in ["refs/heads/", "refs/remotes/", "refs/tags/"] {
            for reference in references.prefixed(prefix).map_err(unreadable)? {
                let mut reference = reference.map_err(|error| broken(path, error))?;
                let id = reference.peel_to_id().map_err(unreadable)?;
                // A tag may refer to a file or a folder, which has no history.
                let commit = id.object().map_err(unreadable)?.try_into_commit().ok();
                tips.extend(commit.map(|commit| commit.id));
            }
        }
    }
    let head = repository.head().map_err(unreadable)?;
    if !head.is_unborn() {
        tips.insert(head.into_peeled_id().map_err(unreadable)?.detach());
    }
    if tips.is_empty() {
        return Err(Error::refused(format!("{} has no commits where HEAD is", path.display()))
            .hint("check out a branch that has some, or follow every branch with --all-refs"));
    }
    Ok(tips.into_iter().collect())
}

/// One thread's view of a repository.
pub(crate) struct Reader<'a> {
    path: &'a Path,
    repository: gix::Repository,
}

impl Reader<'_> {
    /// Returns the changes of `commit` to the files whose path is accepted by `wanted`.
    pub(crate) fn changes(
        &self,
        commit: &Commit,
        wanted: impl Fn(&[u8]) -> bool,
    ) -> Result<Changes> {
        let tree = |id: ObjectId| id.attach(&self.repository).object()?.try_into_commit()?.tree();
        let failed = |error: gix::Error| broken(self.path, error);
        let (old, new) = (tree(commit.parent).map_err(failed)?, tree(commit.id).map_err(failed)?);
        let mut recorder = Recorder::default();
        gix::diff::tree(
            TreeRefIter::from_bytes(&old.data, old.id.kind()),
            TreeRefIter::from_bytes(&new.data, new.id.kind()),
            gix::diff::tree::State::default(),
            &self.repository.objects,
            &mut recorder,
        )
        .map_err(|error| broken(self.path, error))?;
        Ok(classify(recorder.records, wanted))
    }

    /// The size of a file.
    pub(crate) fn size(&self, id: ObjectId) -> Result<u64> {
        let header = self.repository.find_header(id).map_err(|error| broken(self.path, error))?;
        Ok(header.size())
    }

    /// The content of a file.
    pub(crate) fn content(&self, id: ObjectId) -> Result<Vec<u8>> {
        let object = self.repository.find_object(id).map_err(|error| broken(self.path, error))?;
        Ok(object.detach().data)
    }
}

fn classify(records: Vec<Change>, wanted: impl Fn(&[u8]) -> bool) -> Changes {
    let mut changes = Changes::default();
    for record in records {
        match record {
            Change::Modification { previous_entry_mode, previous_oid, entry_mode, oid, path }
                if previous_entry_mode.is_blob()
                    && entry_mode.is_blob()
                    && previous_oid != oid
                    && wanted(&path) =>
            {
                changes.modified.push(Changed {
                    path,
                    old_path: None,
                    old: previous_oid,
                    new: oid,
                });
            }
            Change::Deletion { entry_mode, oid, path, .. }
                if entry_mode.is_blob() && wanted(&path) =>
            {
                changes.deleted.push((path, oid));
            }
            Change::Addition { entry_mode, oid, path, .. }
                if entry_mode.is_blob() && wanted(&path) =>
            {
                changes.added.push((path, oid));
            }
            _ => {}
        }
    }
    changes.deleted.sort();
    changes.added.sort();
    changes
}

fn broken(path: &Path, error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    Error::refused(format!("the git repository {} cannot be read", path.display()))
        .because(error)
        .hint("`git fsck` there says what is broken; a shallow or partial clone lacks history")
}
