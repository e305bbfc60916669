//! A zip archive, whose files can be read in any order.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use assay_core::{Error, Result};
use zip::ZipArchive;
use zip::result::ZipError;

use super::{Content, TakeFile, read_member};
use crate::packing::{open_zip, unsound_zip};

#[derive(Debug)]
pub(super) struct ZipFile {
    path: PathBuf,
}

impl ZipFile {
    pub(super) fn new(path: &Path) -> Self {
        Self { path: path.to_owned() }
    }

    pub(super) fn scan(
        &self,
        want: &dyn Fn(&str) -> bool,
        take: &mut dyn FnMut(&str, Content),
    ) -> Result<Vec<String>> {
        let mut archive = self.open()?;
        let mut names = Vec::with_capacity(archive.len());
        for name in archive.file_names() {
            let name = name.map_err(|error| self.broken(error))?;
            if !name.ends_with('/') {
                names.push(name.strip_prefix("./").unwrap_or(&name).to_owned());
            }
        }
        names.sort_unstable();
        for name in names.iter().filter(|name| want(name)) {
            take(name, read_by_name(&mut archive, name));
        }
        Ok(names)
    }

    pub(super) fn read(&self, paths: &[String], take: &mut TakeFile<'_>) -> Result<()> {
        let mut archive = self.open()?;
        for (at, path) in paths.iter().enumerate() {
            if take(at, read_by_name(&mut archive, path))?.is_break() {
                break;
            }
        }
        Ok(())
    }

    fn open(&self) -> Result<ZipArchive<BufReader<File>>> {
        let file =
            File::open(&self.path).map_err(|error| Error::reading("open", &self.path, error))?;
        open_zip(BufReader::new(file), &self.path.display().to_string())
    }

    fn broken(&self, error: ZipError) -> Error {
        unsound_zip(&self.path.display().to_string(), error)
    }
}

fn read_by_name(archive: &mut ZipArchive<BufReader<File>>, name: &str) -> Content {
    let written = if archive.index_for_name(name).is_some() { name } else { &format!("./{name}") };
    let mut member =
        archive.by_name(written).map_err(|error| format!("cannot be read: {error}"))?;
    let size = member.size();
    read_member(&mut member, size)
}
