//! The published datasets: where they come from, where they are looked for, and which content they have.

mod content;
mod entries;

use std::path::{Path, PathBuf};

use assay_core::Digest;
use serde::Serialize;

use crate::Store;
use crate::store::is_archive_name;

pub use content::{Recognised, Recognition};
pub use entries::ENTRIES;

/// A published dataset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// Its name: the folder under the data folder, and its own name.
    pub name: &'static str,
    /// The tasks that take their problems from it.
    pub tasks: &'static [&'static str],
    /// The number of problems it has, if that is known.
    pub problems: Option<usize>,
    /// Its form, and the names by which it is looked for.
    pub form: Form,
    /// The versions that are known by the hash of their content.
    pub versions: &'static [Version],
    /// Its publisher's address.
    pub publisher: &'static str,
    /// Its licence, if the publisher names one.
    pub licence: Option<&'static str>,
    /// Its use.
    pub about: &'static str,
}

/// The form of a dataset in the data folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A CodRep dataset of the entry's name: a folder or an archive.
    CodRep,
    /// A folder or an archive of this name, with these files in it.
    Named(&'static str, &'static [&'static str]),
    /// A file of one of these names, plain or packed.
    File(&'static [&'static str]),
    /// Files whose paths end like these, in the task's folder or in an archive there.
    Holding(&'static [&'static str]),
}

/// A published version of a dataset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Version {
    /// The version in words.
    pub name: &'static str,
    /// The hash of its content, independent of its packing.
    pub digest: &'static str,
}

impl Entry {
    /// The name of the folder under the data folder.
    pub fn folder(&self) -> &'static str {
        self.name.split('/').next().unwrap_or_default()
    }

    fn own_name(&self) -> &'static str {
        self.name.rsplit('/').next().unwrap_or_default()
    }

    /// The names by which it is looked for, below the data folder.
    pub fn looked_for(&self) -> Vec<String> {
        let folder = self.folder();
        let folder_or_archive = |name: &str| {
            let archives = ARCHIVES.iter().map(move |ending| format!("{folder}/{name}{ending}"));
            std::iter::once(format!("{folder}/{name}/")).chain(archives).collect()
        };
        match self.form {
            Form::CodRep => folder_or_archive(self.own_name()),
            Form::Named(name, _) => folder_or_archive(name),
            Form::File(names) => {
                let packed = |name: &&str| PACKED.map(|ending| format!("{folder}/{name}{ending}"));
                names.iter().flat_map(packed).collect()
            }
            Form::Holding(files) => files.iter().map(|file| format!("{folder}/…/{file}")).collect(),
        }
    }

    /// Its place among the datasets in its folder, which are taken from them.
    fn take_from(&self, here: &mut Vec<PathBuf>, folder: &Path) -> Option<PathBuf> {
        let mut take = |is_it: &dyn Fn(&str) -> bool| {
            let is_it = |path: &PathBuf| {
                path.file_name().is_some_and(|name| is_it(&name.to_string_lossy()))
            };
            Some(here.remove(here.iter().position(is_it)?))
        };
        match self.form {
            Form::CodRep => take(&|name| crate::store::stem(name) == self.own_name()),
            Form::Named(name, _) => take(&|other| crate::store::stem(other) == name),
            Form::File(names) => names
                .iter()
                .flat_map(|name| PACKED.map(|ending| format!("{name}{ending}")))
                .find_map(|name| take(&|other| other == name)),
            Form::Holding(files) => {
                let holds = |path: &str| files.iter().any(|file| path.ends_with(file));
                // Its files lie deeper than a store searches a folder.
                let is_whole_folder = files.iter().any(|file| folder.join(file).is_file());
                let store = || Store::find(folder, &holds).ok().flatten().map(|(store, _)| store);
                let location =
                    if is_whole_folder { folder.to_owned() } else { store()?.location().into() };
                if location.file_name() == folder.file_name() {
                    here.clear();
                    return Some(folder.to_owned());
                }
                let name = location.file_name();
                Some(here.remove(here.iter().position(|other| other.file_name() == name)?))
            }
        }
    }
}

const ARCHIVES: [&str; 4] = [".tar", ".tar.gz", ".tar.zst", ".zip"];
const PACKED: [&str; 3] = ["", ".gz", ".zst"];

/// The published CodRep dataset with this content.
pub fn by_digest(digest: Digest) -> Option<&'static Entry> {
    let digest = digest.to_string();
    ENTRIES.iter().find(|entry| entry.versions.iter().any(|version| version.digest == digest))
}

/// A dataset: a published one, on this machine or not, or another one that is here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ListedDataset {
    /// Its name: the folder under the data folder, and its own name.
    pub name: String,
    /// The first of its tasks.
    pub task: String,
    /// The tasks that take their problems from it.
    pub tasks: Vec<String>,
    /// The number of problems that the published dataset has; `None` if that is not known.
    pub problems: Option<usize>,
    /// Its path, if it is on this machine.
    pub path: Option<PathBuf>,
    /// Its size on disk.
    pub bytes: Option<u64>,
    /// Its content, if it is on this machine.
    pub content: Option<Recognition>,
    /// The names by which it is looked for, below the data folder; empty for one that is not published.
    pub looked_for: Vec<String>,
    /// Its publisher's address.
    pub publisher: Option<String>,
    /// Its licence, if the publisher names one.
    pub licence: Option<String>,
    /// A description.
    pub about: String,
}

/// All published datasets, and everything else in their folders under `root`. Without `check`, no content is read.
pub fn list(root: &Path, check: bool) -> Vec<ListedDataset> {
    let mut folders: Vec<&str> = ENTRIES.iter().map(Entry::folder).collect();
    folders.dedup();
    folders.into_iter().flat_map(|folder| list_folder(root, folder, check)).collect()
}

fn list_folder(root: &Path, folder: &str, check: bool) -> Vec<ListedDataset> {
    let path = root.join(folder);
    let mut here = local(&path);
    let entries = || ENTRIES.iter().filter(|entry| entry.folder() == folder);
    let mut listed: Vec<ListedDataset> =
        entries().map(|entry| listed(entry, entry.take_from(&mut here, &path), check)).collect();
    let tasks: Vec<String> = listed.first().map(|first| first.tasks.clone()).unwrap_or_default();
    listed.extend(here.into_iter().map(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_codrep = entries().any(|entry| entry.form == Form::CodRep);
        let content =
            if is_codrep && check { content::codrep(&path) } else { Recognition::unchecked() };
        ListedDataset {
            name: format!("{folder}/{}", crate::store::stem(&name)),
            task: tasks.first().cloned().unwrap_or_default(),
            tasks: tasks.clone(),
            problems: None,
            bytes: content::size(&path),
            content: Some(content),
            path: Some(path),
            looked_for: Vec::new(),
            publisher: None,
            licence: None,
            about: "not in the catalogue".to_owned(),
        }
    }));
    listed
}

fn listed(entry: &Entry, path: Option<PathBuf>, check: bool) -> ListedDataset {
    let recognise = |path: &PathBuf| {
        if check { content::recognise(entry, path) } else { Recognition::unchecked() }
    };
    ListedDataset {
        name: entry.name.to_owned(),
        task: entry.tasks.first().copied().unwrap_or_default().to_owned(),
        tasks: entry.tasks.iter().map(|&task| task.to_owned()).collect(),
        problems: entry.problems,
        bytes: path.as_deref().and_then(content::size),
        content: path.as_ref().map(recognise),
        path,
        looked_for: entry.looked_for(),
        publisher: Some(entry.publisher.to_owned()),
        licence: entry.licence.map(str::to_owned),
        about: entry.about.to_owned(),
    }
}

/// The datasets in `folder`, by name: folders, archives and files of problems.
fn local(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let is_dataset = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let plain =
            PACKED[1..].iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(&name);
        let is_file = plain.ends_with(".jsonl") || plain.ends_with(".json");
        !name.starts_with('.') && (path.is_dir() || is_archive_name(&name) || is_file)
    };
    let mut found: Vec<PathBuf> =
        entries.flatten().map(|entry| entry.path()).filter(is_dataset).collect();
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_is_published_is_found_under_its_names_and_known_by_its_content() {
        let root = tempfile::tempdir().unwrap();
        let put = |path: &str, text: &str| {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let find = |name: &str, check: bool| {
            list(root.path(), check).into_iter().find(|found| found.name == name).unwrap()
        };
        let absent = find("humaneval/HumanEval", true);
        assert_eq!((absent.path, absent.content, absent.bytes), (None, None, None));
        assert!(absent.looked_for.contains(&"humaneval/HumanEval.jsonl.gz".to_owned()));
        assert_eq!(absent.licence.as_deref(), Some("MIT"));
        put("humaneval/HumanEval.jsonl", "{}\n");
        put("humaneval/LICENSE", "x");
        put("humanevalpack/cpp/data/humanevalpack.jsonl", "{}\n");
        let here = find("humaneval/HumanEval", true);
        assert_eq!(here.bytes, Some(3));
        let content = here.content.unwrap();
        assert_eq!((content.recognised, content.version.as_deref()), (Recognised::Unknown, None));
        assert_eq!(content.digest, Some(Digest::of(b"{}\n").to_string()));
        let content = find("humaneval/HumanEval", false).content.unwrap();
        assert_eq!((content.recognised, content.digest), (Recognised::Unchecked, None));
        assert!(find("humanevalpack/HumanEvalPack", true).path.is_some());
        let names: Vec<String> =
            list(root.path(), true).into_iter().map(|found| found.name).collect();
        assert_eq!(
            names.iter().filter(|name| name.starts_with("humaneval")).count(),
            4,
            "{names:?}"
        );
    }

    #[test]
    fn entries_of_a_folder_are_together_and_hashes_are_unique() {
        let mut folders: Vec<&str> = ENTRIES.iter().map(Entry::folder).collect();
        folders.dedup();
        let count = folders.len();
        folders.sort_unstable();
        folders.dedup();
        assert_eq!(folders.len(), count);
        let mut digests: Vec<&str> =
            ENTRIES.iter().flat_map(|entry| entry.versions).map(|version| version.digest).collect();
        let count = digests.len();
        assert!(digests.iter().all(|digest| digest.len() == 64));
        digests.sort_unstable();
        digests.dedup();
        assert_eq!(digests.len(), count);
    }
}
