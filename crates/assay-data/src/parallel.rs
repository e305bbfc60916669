//! Corpora of parallel files: line N of one corresponds to line N of the other.
//!
//! AVATAR and CodeXGLUE store their pairs of programs this way. A corpus is searched in a folder,
//! in an archive, or among the archives of a folder.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use assay_core::{Error, Result, counted, split_lines};

use crate::Store;
use crate::store::is_archive_name;

/// The hint for invalid names.
const HINT: &str = "correct it, or remove the file of names: pairs are then named by their lines";

/// The names of a corpus's files.
#[derive(Debug, Clone, Copy)]
pub struct Layout {
    /// The file of the given texts.
    pub source: &'static str,
    /// The file of the expected texts.
    pub target: &'static str,
    /// The file of names, if the corpus has one.
    pub ids: Option<&'static str>,
    /// The corpus to select if a folder contains several.
    pub preferred: Option<&'static str>,
}

/// Pairs of texts.
#[derive(Debug)]
pub struct Corpus {
    /// The path where it was found, without the names of its files.
    pub location: String,
    /// The names of the pairs, all different; empty if the corpus has no file of names.
    pub ids: Vec<String>,
    /// The given texts.
    pub sources: Vec<String>,
    /// The expected texts, equally many; `None` if they were not requested.
    pub targets: Option<Vec<String>>,
}

impl Corpus {
    /// Finds and reads the corpus at `path`.
    pub fn open(path: &Path, layout: &Layout, with_targets: bool) -> Result<Self> {
        let store = Store::open(path)?;
        let (mut found, names) = candidates(&store, layout, with_targets)?;
        if found.is_empty() && path.is_dir() {
            for name in names.iter().filter(|name| !name.contains('/') && is_archive_name(name)) {
                let inner = Store::open(&path.join(name))?;
                found.extend(candidates(&inner, layout, with_targets)?.0);
            }
        }
        choose(found, store.location(), layout)?.read(layout, with_targets)
    }

    /// Reads the corpus in `store`.
    pub fn from_store(store: &Store, layout: &Layout, with_targets: bool) -> Result<Self> {
        let (found, _) = candidates(store, layout, with_targets)?;
        choose(found, store.location(), layout)?.read(layout, with_targets)
    }
}

/// A folder that contains the file of sources.
struct Candidate {
    /// The last component of its path.
    name: String,
    location: String,
    files: HashMap<&'static str, Result<Vec<u8>, String>>,
}

fn candidates(
    store: &Store,
    layout: &Layout,
    with_targets: bool,
) -> Result<(Vec<Candidate>, Vec<String>)> {
    let wanted = |file: &str| {
        let target = (with_targets && file == layout.target).then_some(layout.target);
        let ids = layout.ids.filter(|ids| *ids == file);
        target.or(ids).or((file == layout.source).then_some(layout.source))
    };
    let mut roots: BTreeMap<String, HashMap<&'static str, Result<Vec<u8>, String>>> =
        BTreeMap::new();
    let split = |path: &str| path.rfind('/').map_or(0, |slash| slash + 1);
    let names =
        store.scan(&|path| wanted(&path[split(path)..]).is_some(), &mut |path, bytes| {
            let (root, file) = path.split_at(split(path));
            if let Some(file) = wanted(file) {
                roots.entry(root.to_owned()).or_default().insert(file, bytes);
            }
        })?;
    let found = roots.into_iter().filter(|(_, files)| files.contains_key(layout.source));
    let found = found.map(|(root, files)| {
        let last = root.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let name = if last.is_empty() { store.name() } else { last }.to_owned();
        Candidate { name, location: format!("{}/{root}", store.location()), files }
    });
    Ok((found.collect(), names))
}

fn choose(mut found: Vec<Candidate>, location: &str, layout: &Layout) -> Result<Candidate> {
    if found.len() > 1
        && let Some(at) = found.iter().position(|one| Some(one.name.as_str()) == layout.preferred)
    {
        return Ok(found.swap_remove(at));
    }
    if found.len() > 1 {
        let names: Vec<&str> = found.iter().map(|one| one.location.as_str()).collect();
        return Err(Error::refused(format!("{location} holds {} such corpora", names.len()))
            .hint(format!("name one of them with --data: {}", names.join(", "))));
    }
    found.pop().ok_or_else(|| {
        let files = [Some(layout.source), Some(layout.target), layout.ids];
        let files: Vec<&str> = files.into_iter().flatten().collect();
        Error::refused(format!("{location} holds no {}", layout.source)).hint(format!(
            "a corpus is a folder with {}, one text a line, or an archive of one",
            files.join(", ")
        ))
    })
}

impl Candidate {
    fn read(mut self, layout: &Layout, with_targets: bool) -> Result<Corpus> {
        let sources = self.lines(layout.source)?;
        let targets = with_targets.then(|| self.lines(layout.target)).transpose()?;
        let has_ids = layout.ids.filter(|ids| self.files.contains_key(ids));
        let ids = has_ids.map(|ids| self.lines(ids)).transpose()?;
        let also = [(layout.ids, ids.as_ref()), (Some(layout.target), targets.as_ref())];
        for (file, lines) in also {
            if let Some((file, lines)) = file.zip(lines)
                && lines.len() != sources.len()
            {
                return Err(self.uneven(layout.source, sources.len(), file, lines.len()));
            }
        }
        if sources.is_empty() {
            let path = format!("{}{}", self.location, layout.source);
            return Err(Error::refused(format!("{path} is empty"))
                .hint("it has one text per line: fetch or unpack it again"));
        }
        let ids = ids.unwrap_or_default();
        self.check_ids(layout.ids.unwrap_or_default(), &ids)?;
        Ok(Corpus { location: self.location, ids, sources, targets })
    }

    fn uneven(&self, one: &str, count: usize, other: &str, other_count: usize) -> Error {
        Error::refused(format!(
            "{}: {one} has {} and {other} has {other_count}",
            self.location,
            counted(count, "line")
        ))
        .hint("line N of one file belongs to line N of the others: fetch or pack them again")
    }

    /// The lines of a file, without their line endings.
    fn lines(&mut self, file: &str) -> Result<Vec<String>> {
        let path = format!("{}{file}", self.location);
        let bytes = self
            .files
            .remove(file)
            .ok_or_else(|| {
                Error::refused(format!("{path} is missing"))
                    .hint("put it beside the other files of the corpus, or fetch them again")
            })?
            .map_err(|reason| {
                Error::refused(format!("{path} {reason}")).hint("fetch or unpack it again")
            })?;
        text_lines(&bytes)
            .enumerate()
            .map(|(at, line)| {
                let line = line.map(str::to_owned);
                line.map_err(|_| {
                    Error::refused(format!("{path}:{} is not UTF-8", at + 1))
                        .hint("convert the file, such as by `iconv -f WINDOWS-1252 -t UTF-8`")
                })
            })
            .collect()
    }

    fn check_ids(&self, file: &str, ids: &[String]) -> Result<()> {
        let mut first = HashMap::new();
        for (at, id) in ids.iter().enumerate() {
            let place = format!("{}{file}:{}", self.location, at + 1);
            if id.trim().is_empty() {
                return Err(Error::refused(format!("{place} names nothing"))
                    .hint(format!("each line of {file} names the pair on that line: {HINT}")));
            }
            if let Some(before) = first.insert(id, at + 1) {
                return Err(Error::refused(format!("{place}: {id} is on line {before} too"))
                    .hint(format!("a name is one pair's: {HINT}")));
            }
        }
        Ok(())
    }
}

/// The lines of a file of texts, each without its line ending; only a line feed ends a line.
pub fn text_lines(bytes: &[u8]) -> impl Iterator<Item = Result<&str, std::str::Utf8Error>> {
    split_lines(bytes).map(|line| std::str::from_utf8(line.strip_suffix(b"\r").unwrap_or(line)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAYOUT: Layout =
        Layout { source: "t.java", target: "t.py", ids: Some("t.id"), preferred: Some("main") };

    fn open(files: &[(&str, &[u8])]) -> Result<Corpus> {
        let files = files.iter().map(|(name, bytes)| ((*name).to_owned(), bytes.to_vec().into()));
        Corpus::from_store(&Store::memory("here", files.collect()), &LAYOUT, true)
    }

    fn refusal(files: &[(&str, &[u8])]) -> String {
        let error = open(files).unwrap_err();
        assert!(error.hint_text().is_some(), "{error} names no cure");
        error.to_string()
    }

    #[test]
    fn lines_belong_together() {
        let corpus = open(&[("a/t.java", b"x\r\n\ny"), ("a/t.py", b"p\nq\n\n")]).unwrap();
        assert_eq!(corpus.sources, ["x", "", "y"]);
        assert_eq!(corpus.targets.unwrap(), ["p", "q", ""]);
        assert!(corpus.ids.is_empty());
        assert_eq!(corpus.location, "here/a/");
    }

    #[test]
    fn of_several_the_preferred_is_taken() {
        let other = [("z/t.java", b"x".as_slice()), ("z/t.py", b"y")];
        let main = [("main/t.java", b"m".as_slice()), ("main/t.py", b"n")];
        assert_eq!(open(&[other, main].concat()).unwrap().sources, ["m"]);
        let third = [("q/t.java", b"x".as_slice()), ("q/t.py", b"y")];
        assert_eq!(refusal(&[other, third].concat()), "here holds 2 such corpora");
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let java = ("t.java", b"a\nb\n".as_slice());
        let python = ("t.py", b"c\nd\n".as_slice());
        assert_eq!(refusal(&[python]), "here holds no t.java");
        assert_eq!(refusal(&[java]), "here/t.py is missing");
        assert_eq!(refusal(&[("t.java", b""), ("t.py", b"")]), "here/t.java is empty");
        assert_eq!(refusal(&[java, ("t.py", b"c\n")]), "here/: t.java has 2 lines and t.py has 1");
        assert_eq!(refusal(&[java, ("t.py", b"c\n\xff\n")]), "here/t.py:2 is not UTF-8");
        assert_eq!(
            refusal(&[java, python, ("t.id", b"1\n1\n")]),
            "here/t.id:2: 1 is on line 1 too"
        );
        assert_eq!(refusal(&[java, python, ("t.id", b"1\n \n")]), "here/t.id:2 names nothing");
    }
}
