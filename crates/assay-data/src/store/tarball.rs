//! A tar archive, plain or compressed, streamed from front to back.

use std::collections::HashMap;
use std::fs::File;
use std::io::BufReader;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use assay_core::{Error, Result};

use super::{Content, TakeFile, read_member};
use crate::packing::{Decoder, Packing, unsound_archive};

const BUFFER: usize = 1 << 17;

#[derive(Debug)]
pub(super) struct Tarball {
    path: PathBuf,
    packing: Packing,
}

impl Tarball {
    pub(super) fn new(path: &Path, packing: Packing) -> Self {
        Self { path: path.to_owned(), packing }
    }

    pub(super) fn scan(
        &self,
        want: &dyn Fn(&str) -> bool,
        take: &mut dyn FnMut(&str, Content),
    ) -> Result<Vec<String>> {
        let mut names = Vec::new();
        self.each(&mut |name, entry| {
            if want(&name) {
                let size = entry.size();
                take(&name, read_member(entry, size));
            }
            names.push(name);
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(names)
    }

    pub(super) fn read(&self, paths: &[String], take: &mut TakeFile<'_>) -> Result<()> {
        let mut left: HashMap<&str, usize> =
            paths.iter().enumerate().map(|(at, path)| (path.as_str(), at)).collect();
        if left.is_empty() {
            return Ok(());
        }
        let mut flow = ControlFlow::Continue(());
        self.each(&mut |name, entry| {
            let Some(at) = left.remove(name.as_str()) else { return Ok(ControlFlow::Continue(())) };
            let size = entry.size();
            flow = take(at, read_member(entry, size))?;
            Ok(if left.is_empty() { ControlFlow::Break(()) } else { flow })
        })?;
        // Files that existed when the archive was opened may be gone now.
        let mut gone: Vec<usize> = left.into_values().collect();
        gone.sort_unstable();
        for at in gone {
            if flow.is_break() {
                break;
            }
            flow = take(at, Err("is not there any more".to_owned()))?;
        }
        Ok(())
    }

    fn each(&self, visit: &mut Visit<'_>) -> Result<()> {
        let mut archive = tar::Archive::new(self.reader()?);
        for entry in archive.entries().map_err(|error| self.broken(error))? {
            let mut entry = entry.map_err(|error| self.broken(error))?;
            if !entry.header().entry_type().is_file() {
                continue;
            }
            let path = entry.path_bytes().into_owned();
            let name = String::from_utf8(path)
                .map_err(|error| self.broken(std::io::Error::other(error)))?;
            let name = name.strip_prefix("./").map(str::to_owned).unwrap_or(name);
            if visit(name, &mut entry)?.is_break() {
                return Ok(());
            }
        }
        // A compressed stream has its checksum at the end, after the archive's own end.
        let mut rest = archive.into_inner();
        std::io::copy(&mut rest, &mut std::io::sink()).map_err(|error| self.broken(error))?;
        Ok(())
    }

    fn reader(&self) -> Result<TarReader> {
        let open = |error| Error::reading("open", &self.path, error);
        let file = BufReader::with_capacity(BUFFER, File::open(&self.path).map_err(open)?);
        let decoder = Decoder::new(self.packing, file).map_err(open)?;
        Ok(BufReader::with_capacity(BUFFER, decoder))
    }

    fn broken(&self, error: std::io::Error) -> Error {
        unsound_archive(&self.path.display().to_string()).because(error)
    }
}

/// The bytes of a tar archive.
type TarReader = BufReader<Decoder<BufReader<File>>>;
type Visit<'a> = dyn FnMut(String, &mut tar::Entry<'_, TarReader>) -> Result<ControlFlow<()>> + 'a;
