//! Finding datasets under the user's paths.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use assay_core::{Error, Result, sort_naturally};

use super::Dataset;
use super::dataset::{DatasetFiles, read_solution};
use crate::Store;
use crate::store::{absolute, is_archive_name};

const TASK_FOLDERS: [&str; 2] = ["Tasks", "Files"];

/// The datasets at `path`: a dataset's folder, its `Tasks` folder, an archive, a folder of task
/// files, or a folder of any of these.
pub(super) fn open(path: &Path, with_solutions: bool) -> Result<Vec<Dataset>> {
    let metadata = std::fs::metadata(path).map_err(|error| Error::reading("open", path, error))?;
    if !metadata.is_dir() {
        return open_store(Store::open(path)?, with_solutions);
    }
    if let Some(parent) = parent_of_task_folder(path)? {
        return open_store(Store::open(&parent)?, with_solutions);
    }
    let (has_task_folder, children) = inspect_folder(path)?;
    if has_task_folder || children.is_empty() {
        return open_store(Store::open(path)?, with_solutions);
    }
    let mut datasets = Vec::new();
    for child in children {
        datasets.extend(open_store(Store::open(&path.join(child))?, with_solutions)?);
    }
    Ok(datasets)
}

pub(super) fn open_store(store: Store, with_solutions: bool) -> Result<Vec<Dataset>> {
    let store = Arc::new(store);
    let mut solutions: Vec<(String, Result<usize, String>)> = Vec::new();
    let want =
        |path: &str| with_solutions && role(path).is_some_and(|role| role.folder == "Solutions");
    let names = store.scan(&want, &mut |path, content| {
        solutions.push((path.to_owned(), read_solution(content)));
    })?;
    let mut roots = group(names, solutions);
    roots.retain(|_, parts| !parts.stems.is_empty());
    let datasets: Vec<Dataset> = roots
        .into_iter()
        .map(|(root, parts)| {
            let last = root.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
            let name = [last, store.name(), "dataset"].into_iter().find(|name| !name.is_empty());
            let name = name.unwrap_or_default().to_owned();
            Dataset::new(name, Arc::clone(&store), root, parts, with_solutions)
        })
        .collect::<Result<_>>()?;
    if datasets.is_empty() {
        return Err(Error::refused(format!("{} holds no CodRep tasks", store.location())).hint(
            "a dataset is a folder with Tasks/N.txt (or Files/N.txt) and Solutions/N.txt, or an archive of one",
        ));
    }
    Ok(datasets)
}

/// Counts the files at these paths that are tasks.
pub fn count_tasks<'a>(paths: impl IntoIterator<Item = &'a str>) -> u64 {
    let mut roots: BTreeMap<&str, [u64; 2]> = BTreeMap::new();
    for path in paths {
        let Some(Role { root, folder, file }) = role(path) else { continue };
        let place = TASK_FOLDERS.iter().position(|known| *known == folder);
        if let Some(place) = place.filter(|_| file.ends_with(".txt")) {
            roots.entry(root).or_default()[place] += 1;
        }
    }
    // If both exist, `Tasks` is the dataset and `Files` is something else.
    roots.values().map(|[tasks, files]| if *tasks > 0 { *tasks } else { *files }).sum()
}

/// The parts of a path in a store: `root` + `folder`/ + `file`.
struct Role<'a> {
    root: &'a str,
    folder: &'a str,
    file: &'a str,
}

/// The role of a path, if it is directly in a `Tasks`, `Files` or `Solutions` folder.
fn role(path: &str) -> Option<Role<'_>> {
    let (folder_path, file) = path.rsplit_once('/')?;
    let folder = folder_path.rsplit('/').next()?;
    let known = matches!(folder.as_bytes(), b"Tasks" | b"Files" | b"Solutions");
    let root = &folder_path[..folder_path.len() - folder.len()];
    // macOS archives contain a shadow of every file, which is not part of the dataset.
    let shadow = root.starts_with("__MACOSX/") || file.starts_with("._");
    // A path that leads out of its archive is an attack: names become folders when a solver command
    // is given the tasks.
    let climbs =
        root.split_terminator('/').any(|part| matches!(part.as_bytes(), b".." | b"." | b""));
    (known && !shadow && !climbs).then_some(Role { root, folder, file })
}

fn group(
    names: Vec<String>,
    solutions: Vec<(String, Result<usize, String>)>,
) -> BTreeMap<String, DatasetFiles> {
    let mut roots: BTreeMap<String, DatasetFiles> = BTreeMap::new();
    let mut loose = DatasetFiles::default();
    for name in names {
        let Some(Role { root, folder, file }) = role(&name) else {
            if let Some(stem) = name.strip_suffix(".txt").filter(|stem| !stem.contains('/')) {
                loose.stems.push(stem.to_owned());
            }
            continue;
        };
        if !roots.contains_key(root) {
            roots.insert(root.to_owned(), DatasetFiles::default());
        }
        let Some(parts) = roots.get_mut(root) else { continue };
        match file.strip_suffix(".txt") {
            None => parts.strays.push(name),
            // The requested ones come with their content, below.
            Some(_) if folder == "Solutions" => {}
            Some(stem) => {
                // If both exist, `Tasks` is the dataset and `Files` is something else.
                if folder == "Tasks" && parts.task_folder == "Files/" {
                    let files = std::mem::take(&mut parts.stems);
                    parts.strays.extend(files.iter().map(|stem| format!("{root}Files/{stem}.txt")));
                }
                if folder == "Files" && parts.task_folder == "Tasks/" {
                    parts.strays.push(name);
                } else {
                    parts.task_folder = format!("{folder}/");
                    parts.stems.push(stem.to_owned());
                }
            }
        }
    }
    for (name, solution) in solutions {
        if let Some(Role { root, file, .. }) = role(&name)
            && let Some((parts, stem)) = roots.get_mut(root).zip(file.strip_suffix(".txt"))
        {
            parts.solutions.push((stem.to_owned(), solution));
        }
    }
    if roots.values().all(|parts| parts.stems.is_empty()) {
        roots.insert(String::new(), loose);
    }
    roots
}

/// The dataset's folder, if `path` is its `Tasks` or `Files` folder.
fn parent_of_task_folder(path: &Path) -> Result<Option<PathBuf>> {
    let full = absolute(path)?;
    let parent = full.rsplit_once('/').filter(|(_, name)| TASK_FOLDERS.contains(name));
    Ok(parent.map(|(parent, _)| PathBuf::from(format!("{parent}/"))))
}

/// Returns whether `path` has a task folder, and those of its children that are datasets
/// themselves.
fn inspect_folder(path: &Path) -> Result<(bool, Vec<String>)> {
    let error = |error| Error::reading("list", path, error);
    let mut has_task_folder = false;
    let mut children = Vec::new();
    for entry in std::fs::read_dir(path).map_err(error)? {
        let entry = entry.map_err(error)?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        let inner = entry.path();
        if inner.is_dir() {
            has_task_folder |= TASK_FOLDERS.contains(&name.as_str());
            if TASK_FOLDERS.iter().any(|folder| inner.join(folder).is_dir()) {
                children.push(name);
            }
        } else if is_archive_name(&name) {
            children.push(name);
        }
    }
    Ok((has_task_folder, sort_naturally(children)))
}
