//! A tar archive, plain or compressed, streamed from front to back.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use assay_core::{Error, Result};

use super::{Content, Take, ZSTD_WINDOW_LOG, read_member};

#[derive(Debug, Clone, Copy)]
pub(super) enum Compression {
    None,
    Gzip,
    Zstd,
}

#[derive(Debug)]
pub(super) struct Tarball {
    path: PathBuf,
    compression: Compression,
}

impl Tarball {
    pub(super) fn new(path: &Path, compression: Compression) -> Self {
        Self { path: path.to_owned(), compression }
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

    pub(super) fn read(&self, paths: &[String], take: &mut Take<'_>) -> Result<()> {
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
        // What was there when the archive was opened may be gone now.
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
        // A compressed stream has its checksum at the end, past what the archive needs.
        let mut rest = archive.into_inner();
        std::io::copy(&mut rest, &mut std::io::sink()).map_err(|error| self.broken(error))?;
        Ok(())
    }

    fn reader(&self) -> Result<Box<dyn Read>> {
        let open = |error| Error::reading("open", &self.path, error);
        let file = File::open(&self.path).map_err(open)?;
        Ok(match self.compression {
            Compression::None => Box::new(BufReader::with_capacity(1 << 18, file)),
            Compression::Gzip => {
                let reader =
                    flate2::read::MultiGzDecoder::new(BufReader::with_capacity(1 << 17, file));
                Box::new(BufReader::with_capacity(1 << 17, reader))
            }
            Compression::Zstd => {
                let mut reader = zstd::Decoder::new(file).map_err(open)?;
                reader.window_log_max(ZSTD_WINDOW_LOG).map_err(open)?;
                Box::new(BufReader::with_capacity(1 << 17, reader))
            }
        })
    }

    fn broken(&self, error: std::io::Error) -> Error {
        Error::refused(format!("{} is not a sound archive", self.path.display()))
            .because(error)
            .hint("fetch or pack it again")
    }
}

type Visit<'a> =
    dyn FnMut(String, &mut tar::Entry<'_, Box<dyn Read>>) -> Result<ControlFlow<()>> + 'a;
