//! Files to write: regular files are replaced atomically; standard output, devices and pipes are written into.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use assay_core::{Error, Result};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;

use crate::draft::{Draft, MAX_LINKS, follow_links, parent};

/// The name that means standard output.
const STANDARD_OUTPUT: &str = "-";

/// A file to write, of which is known that it can be written.
///
/// A link is followed and kept: the file that it leads to is replaced, or created if it is missing.
#[derive(Debug)]
pub struct OutputTarget {
    name: PathBuf,
    kind: TargetKind,
}

#[derive(Debug)]
enum TargetKind {
    /// A regular file, or none yet: its path after all links.
    Regular(PathBuf),
    /// Anything that cannot be replaced, opened for writing.
    Opened { file: File, is_standard_output: bool },
}

impl OutputTarget {
    /// The target of this name; `-` is standard output. Fails if it cannot be written. Opening a pipe waits for its
    /// reader.
    pub fn named(name: &Path) -> Result<Self> {
        Self::named_or_waiting(name, &|| ())
    }

    /// The same; calls `waits` first if nobody reads the pipe yet.
    pub fn named_or_waiting(name: &Path, waits: &dyn Fn()) -> Result<Self> {
        if name.as_os_str() != STANDARD_OUTPUT {
            return Self::at(name, waits);
        }
        let kind = opened(io::stdout(), true)
            .map_err(|error| Error::failed("failed to write to standard output").because(error))?;
        Ok(Self { name: PathBuf::from("standard output"), kind })
    }

    /// The target at this path, even if it is called `-`.
    fn at(path: &Path, waits: &dyn Fn()) -> Result<Self> {
        let cannot = |error| cannot_write(path).because(error).hint(OTHER_FILE);
        let kind = match fs::metadata(path) {
            Ok(found) if found.is_dir() => return Err(is_folder(path)),
            Ok(found) => match standard_stream(&found).map_err(cannot)? {
                Some(stream) => stream,
                None if found.is_file() && !is_descriptor(path) => {
                    // An existing file may be protected although its folder is not.
                    OpenOptions::new().write(true).open(path).map_err(cannot)?;
                    regular(path)?
                }
                None => {
                    let file = open_to_append(path, waits).map_err(cannot)?;
                    TargetKind::Opened { file, is_standard_output: false }
                }
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => regular(path)?,
            Err(error) => return Err(cannot(error)),
        };
        Ok(Self { name: path.to_owned(), kind })
    }

    /// Its name for messages.
    pub fn name(&self) -> &Path {
        &self.name
    }

    /// The path of the file that is created or replaced; `None` if the target is written into.
    pub fn replaced_path(&self) -> Option<&Path> {
        match &self.kind {
            TargetKind::Regular(path) => Some(path),
            TargetKind::Opened { .. } => None,
        }
    }

    /// True if it is the same as standard output, under whatever name.
    pub fn is_standard_output(&self) -> bool {
        matches!(self.kind, TargetKind::Opened { is_standard_output: true, .. })
    }

    /// True if both would replace the same file.
    pub fn is_same_file(&self, other: &Self) -> bool {
        let place = |target: &Self| {
            let path = target.replaced_path()?;
            Some((parent(path).canonicalize().ok()?, path.file_name()?.to_owned()))
        };
        place(self).is_some_and(|this| place(other) == Some(this))
    }

    /// The path beside which files that belong to it are put. `None` for standard output, devices and files that
    /// another process holds: their folder is not the user's.
    pub fn path_for_siblings(&self) -> Option<&Path> {
        match &self.kind {
            TargetKind::Regular(_) => Some(&self.name),
            TargetKind::Opened { is_standard_output: true, .. } => None,
            TargetKind::Opened { file, .. } => {
                let is_pipe = file.metadata().is_ok_and(|found| found.file_type().is_fifo());
                (is_pipe && !is_descriptor(&self.name)).then_some(self.name.as_path())
            }
        }
    }

    /// A draft of it, which is put in place when it is whole.
    #[cfg(feature = "seal")]
    pub(crate) fn draft(&self) -> io::Result<TargetDraft<'_>> {
        match &self.kind {
            TargetKind::Regular(path) => Draft::beside(path).map(TargetDraft::Regular),
            TargetKind::Opened { file, .. } => Ok(TargetDraft::Opened(file)),
        }
    }

    /// Writes the whole file: a regular file is replaced atomically, anything else is written into.
    pub fn write(&self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
        let written = match &self.kind {
            TargetKind::Regular(path) => Draft::beside(path).and_then(|mut draft| {
                write(draft.file_mut())?;
                draft.replace()
            }),
            TargetKind::Opened { file, .. } => {
                let mut out = BufWriter::new(file);
                unless_closed(write(&mut out).and_then(|()| out.flush()))
            }
        };
        written.map_err(|error| Error::writing("write", &self.name, error))
    }
}

/// The content of a target while it is written.
#[cfg(feature = "seal")]
pub(crate) enum TargetDraft<'a> {
    /// A file that gets its name when it is whole.
    Regular(Draft),
    /// Anything else: what is written is there at once.
    Opened(&'a File),
}

#[cfg(feature = "seal")]
impl TargetDraft<'_> {
    pub(crate) fn file(&self) -> &File {
        match self {
            Self::Regular(draft) => draft.file(),
            Self::Opened(file) => file,
        }
    }

    /// Makes sure that what was written is on disk.
    pub(crate) fn sync(&self) -> io::Result<()> {
        match self {
            Self::Regular(draft) => draft.file().sync_all(),
            Self::Opened(_) => Ok(()),
        }
    }

    /// Puts it in place; fails if there is a file that must not be replaced.
    pub(crate) fn place(self, replace: bool) -> io::Result<()> {
        match self {
            Self::Regular(draft) if replace => draft.replace(),
            Self::Regular(draft) => draft.create(),
            Self::Opened(_) => Ok(()),
        }
    }
}

const OTHER_FILE: &str = "name a file that you may write, or `-` for standard output";

fn cannot_write(path: &Path) -> Error {
    Error::usage(format!("{} cannot be written", path.display()))
}

fn is_folder(path: &Path) -> Error {
    Error::usage(format!("{} cannot be written: it is a folder", path.display()))
        .hint("name a file in it")
}

/// A regular file that is created or replaced: its folder must take new files.
fn regular(path: &Path) -> Result<TargetKind> {
    if path.as_os_str().as_bytes().ends_with(b"/") {
        return Err(is_folder(path));
    }
    let target =
        follow_links(path).map_err(|error| cannot_write(path).because(error).hint(OTHER_FILE))?;
    let folder = parent(&target);
    if !folder.is_dir() {
        let message = format!(
            "{} cannot be written: there is no folder {}",
            path.display(),
            folder.display()
        );
        return Err(Error::usage(message).hint("make that folder first, or name another file"));
    }
    Draft::beside(&target).map_err(|error| {
        let message = format!(
            "{} cannot be written: its folder {} takes no new file",
            path.display(),
            folder.display()
        );
        Error::usage(message).because(error).hint("name a file in a folder that you may write to")
    })?;
    Ok(TargetKind::Regular(target))
}

/// Opens a pipe or a device; calls `waits` before it waits for a pipe's reader.
fn open_to_append(path: &Path, waits: &dyn Fn()) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true);
    let open_now = options.clone().custom_flags(OFlags::NONBLOCK.bits().cast_signed()).open(path);
    match open_now {
        Ok(file) => {
            // A reader that is slow is waited for when it is written to.
            let flags = fcntl_getfl(&file)?;
            fcntl_setfl(&file, flags - OFlags::NONBLOCK)?;
            Ok(file)
        }
        Err(error) if error.raw_os_error() == Some(Errno::NXIO.raw_os_error()) => {
            waits();
            options.open(path)
        }
        Err(error) => Err(error),
    }
}

/// Returns whether a path leads to an open file of a process, as `/dev/fd/5` does: others hold that file, so that it
/// must not be replaced by another one.
fn is_descriptor(path: &Path) -> bool {
    let mut path = path.to_owned();
    for _ in 0..=MAX_LINKS {
        if parent(&path).canonicalize().is_ok_and(|folder| folder.starts_with("/proc")) {
            return true;
        }
        match fs::read_link(&path) {
            Ok(next) => path = parent(&path).join(next),
            Err(_) => return false,
        }
    }
    false
}

/// Standard output or standard error, if that is what was found. It shares its position with what else is printed
/// there; a file that was opened a second time would not.
fn standard_stream(found: &Metadata) -> io::Result<Option<TargetKind>> {
    // What goes to /dev/null twice does not meet.
    let meets = |is_terminal: bool| is_terminal || !found.file_type().is_char_device();
    if meets(io::stdout().is_terminal()) && is_same(found, io::stdout())? {
        return opened(io::stdout(), true).map(Some);
    }
    if meets(io::stderr().is_terminal()) && is_same(found, io::stderr())? {
        return opened(io::stderr(), false).map(Some);
    }
    Ok(None)
}

fn is_same(found: &Metadata, stream: impl AsFd) -> io::Result<bool> {
    let stream = File::from(stream.as_fd().try_clone_to_owned()?).metadata()?;
    Ok((found.dev(), found.ino()) == (stream.dev(), stream.ino()))
}

fn opened(stream: impl AsFd, is_standard_output: bool) -> io::Result<TargetKind> {
    let file = File::from(stream.as_fd().try_clone_to_owned()?);
    Ok(TargetKind::Opened { file, is_standard_output })
}

/// A reader that has closed its end wants no more, which is no failure.
fn unless_closed(written: io::Result<()>) -> io::Result<()> {
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn put(path: &Path, text: &str) -> Result<()> {
        OutputTarget::named(path)?.write(|out| out.write_all(text.as_bytes()))
    }

    #[test]
    fn links_are_kept_and_what_they_lead_to_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("inner")).unwrap();
        for (link, to) in [("a", "inner/a"), ("b", "a"), ("c", "inner/missing")] {
            symlink(to, at(link)).unwrap();
        }
        fs::write(at("inner/a"), "old").unwrap();
        for (name, target) in [("a", "inner/a"), ("b", "inner/a"), ("c", "inner/missing")] {
            put(&at(name), name).unwrap();
            assert!(at(name).is_symlink(), "{name}");
            assert_eq!(fs::read_to_string(at(target)).unwrap(), name);
        }
        symlink("loop", at("loop")).unwrap();
        put(&at("loop"), "x").unwrap_err();
    }

    #[test]
    fn devices_are_written_into() {
        put(Path::new("/dev/null"), "x").unwrap();
        assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
        assert!(OutputTarget::named(Path::new("/dev/null")).unwrap().replaced_path().is_none());
        let full = put(Path::new("/dev/full"), "x").unwrap_err();
        assert_eq!(full.to_string(), "failed to write /dev/full");
    }

    #[test]
    fn an_open_file_of_a_process_is_not_replaced() {
        use std::os::fd::AsRawFd;
        let file = tempfile::NamedTempFile::new().unwrap();
        let held = format!("/dev/fd/{}", file.as_file().as_raw_fd());
        put(Path::new(&held), "x").unwrap();
        assert_eq!(file.as_file().metadata().unwrap().len(), 1);
    }

    #[test]
    fn what_cannot_be_written_is_named_with_the_cure() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("file"), "").unwrap();
        symlink("nowhere/x", at("dangling")).unwrap();
        for (name, why) in [
            ("", "it is a folder"),
            ("new/", "it is a folder"),
            ("nowhere/x", "there is no folder"),
            ("dangling", "there is no folder"),
            ("file/x", ""),
        ] {
            let error = OutputTarget::named(&at(name)).unwrap_err();
            let path = at(name).display().to_string();
            assert!(error.to_string().starts_with(&format!("{path} cannot be written")), "{error}");
            assert!(error.to_string().contains(why) && error.hint_text().is_some(), "{error}");
        }
        let names: Vec<_> = fs::read_dir(folder.path()).unwrap().collect();
        assert_eq!(names.len(), 2, "something is left");
    }
}
