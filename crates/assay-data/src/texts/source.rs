//! The source of texts: a file, compressed or not, or standard input.

use std::fs::{File, Metadata};
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use assay_core::{Error, Result};

use crate::blank::skip_blank_lines;
use crate::bom::{BOM, strip_bom};
use crate::packing::{Decoder, Packing, is_tar, name_when_unpacked, only_file_of_zip};

/// The name of standard input in messages.
const STANDARD_INPUT: &str = "standard input";
const BUFFER: usize = 1 << 17;

/// The format of texts in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Each line is a text. Only a line feed ends it; all other characters belong to it.
    Lines,
    /// Each line is a JSON value.
    JsonLines,
    /// The file is one JSON document: an array, or an object whose keys name its texts.
    Json,
}

impl Form {
    /// The form selected by a file's name.
    pub(crate) fn of_name(name: &str) -> Self {
        match name.rsplit_once('.').map(|(_, ending)| ending) {
            Some("jsonl" | "ndjson") => Self::JsonLines,
            Some("json") => Self::Json,
            _ => Self::Lines,
        }
    }
}

/// A file that is read from front to back, once.
pub struct Source {
    name: String,
    form: Form,
    compressed: bool,
    reader: Box<dyn BufRead + Send>,
    progress: ReadProgress,
}

/// The progress of reading a source, visible to other threads.
#[derive(Debug, Clone, Default)]
pub struct ReadProgress {
    read: Arc<AtomicU64>,
    /// The size of the file, if it has one.
    pub size: Option<u64>,
}

impl ReadProgress {
    /// The number of bytes read so far.
    pub fn read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }
}

/// The maximum length of a line; a longer one is not text, and may never end.
const MAX_LINE_BYTES: u64 = 256 << 20;

impl Source {
    /// Opens a file; `-` is standard input. Without a form, the file's extension selects it. The file may be
    /// compressed, or a zip of one file, and then may also end in `.gz`, `.zst` or `.zip`.
    pub fn open(path: &Path, form: Option<Form>) -> Result<Self> {
        if path.as_os_str() == "-" {
            let input = BufReader::with_capacity(BUFFER, io::stdin());
            return Ok(Self::new(STANDARD_INPUT, form.unwrap_or(Form::Lines), input));
        }
        let opening = |error| {
            Error::reading("open", path, error).hint("name a file, or `-` for standard input")
        };
        let file = File::open(path).map_err(opening)?;
        let metadata = file.metadata().map_err(opening)?;
        if metadata.is_dir() {
            return Err(Error::refused(format!("{} is a folder", path.display()))
                .hint("name a file of texts in it"));
        }
        let name = path.display().to_string();
        let progress = ReadProgress { size: size(&metadata), ..ReadProgress::default() };
        let file = CountingReader { file, read: Arc::clone(&progress.read) };
        let file = BufReader::with_capacity(BUFFER, file);
        let opened = Self::unpacked(&name, file)?;
        Ok(Self { form: form.unwrap_or(opened.form), progress, ..opened })
    }

    /// Texts that may be packed. The name's extension selects the form; in a zip archive, that of
    /// the contained file.
    pub(crate) fn unpacked(name: &str, file: impl BufRead + Send + 'static) -> Result<Self> {
        let opening = |error| Error::reading("open", Path::new(name), error);
        let (packing, whole) = Packing::detect(file).map_err(opening)?;
        let form = Form::of_name(name_when_unpacked(name));
        match packing {
            Packing::Plain if is_compressed_name(name) => Err(unsound(name)),
            Packing::Plain => Ok(Self::new(name, form, whole)),
            Packing::Tar => Err(is_tar(name)),
            Packing::Zip => {
                let (file, bytes) = only_file_of_zip(whole, name)?;
                Ok(Self::new(name, Form::of_name(&file), Cursor::new(bytes)))
            }
            Packing::Gzip | Packing::Zstd => {
                let decoder = Decoder::new(packing, whole).map_err(opening)?;
                let reader = BufReader::with_capacity(BUFFER, decoder);
                Ok(Self { compressed: true, ..Self::new(name, form, reader) })
            }
        }
    }

    /// Texts from any reader, called `name` in messages.
    pub fn new(name: &str, form: Form, reader: impl BufRead + Send + 'static) -> Self {
        Self {
            name: name.to_owned(),
            form,
            compressed: false,
            reader: Box::new(reader),
            progress: ReadProgress::default(),
        }
    }

    /// The name in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The format of its texts.
    pub fn form(&self) -> Form {
        self.form
    }

    /// The same source, read in another form.
    #[must_use]
    pub fn with_form(self, form: Form) -> Self {
        Self { form, ..self }
    }

    /// The progress of reading it.
    pub fn progress(&self) -> ReadProgress {
        self.progress.clone()
    }

    /// The same source without a leading byte order mark.
    pub(crate) fn strip_bom(mut self) -> Result<Self> {
        let mut head = Vec::new();
        let read = (&mut self.reader).take(BOM.len() as u64).read_to_end(&mut head);
        read.map_err(|error| broken(&self.name, self.compressed, error))?;
        let head = Cursor::new(strip_bom(&head).to_vec());
        Ok(Self { reader: Box::new(head.chain(self.reader)), ..self })
    }

    /// The first lines, at most so many and not much more than so many bytes, and the same source from its beginning. A
    /// line that is not whole is left out.
    pub(super) fn head(mut self, lines: usize, bytes: usize) -> Result<(Vec<u8>, Self)> {
        let mut head = Vec::new();
        for _ in 0..lines {
            let start = head.len();
            let read = self.reader.by_ref().take(bytes as u64).read_until(b'\n', &mut head);
            read.map_err(|error| broken(&self.name, self.compressed, error))?;
            if head.len() == start || head.len() > bytes {
                break;
            }
        }
        let whole = if head.len() > bytes {
            head.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1)
        } else {
            head.len()
        };
        let looked_at = head[..whole].to_vec();
        let reader = Box::new(Cursor::new(head).chain(self.reader));
        Ok((looked_at, Self { reader, ..self }))
    }

    /// Reads up to and including the next line feed; returns whether anything was read.
    pub(super) fn read_line(&mut self, line: &mut Vec<u8>) -> Result<bool> {
        let read = self.reader.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', line);
        let read = read.map_err(|error| broken(&self.name, self.compressed, error))?;
        if read as u64 == MAX_LINE_BYTES && !line.ends_with(b"\n") {
            return Err(Error::refused(format!("{} has a line of more than 256 MiB", self.name))
                .hint(
                    "a line is a text; a file of one JSON document has a name that ends in .json",
                ));
        }
        Ok(read > 0)
    }

    /// Skips blank lines, and returns their number.
    pub(super) fn skip_blank_lines(&mut self) -> Result<u64> {
        let skipped = skip_blank_lines(self.reader.as_mut());
        skipped.map_err(|error| broken(&self.name, self.compressed, error))
    }

    /// Returns the next bytes, at least one unless this is the end.
    pub(super) fn peek(&mut self) -> Result<&[u8]> {
        let interrupted = |error: &io::Error| error.kind() == io::ErrorKind::Interrupted;
        while self.reader.fill_buf().as_ref().is_err_and(interrupted) {}
        self.reader.fill_buf().map_err(|error| broken(&self.name, self.compressed, error))
    }

    /// Skips bytes that were peeked at.
    pub(super) fn pass(&mut self, bytes: usize) {
        self.reader.consume(bytes);
    }
}

fn broken(name: &str, compressed: bool, error: io::Error) -> Error {
    if compressed {
        return unsound(name).because(error);
    }
    Error::reading("read", Path::new(name), error)
}

fn unsound(name: &str) -> Error {
    Error::refused(format!("{name} is not a sound compressed file")).hint("fetch or pack it again")
}

fn is_compressed_name(name: &str) -> bool {
    name.ends_with(".gz") || name.ends_with(".zst")
}

/// The size of the data to read: a pipe has none.
fn size(metadata: &Metadata) -> Option<u64> {
    metadata.is_file().then_some(metadata.len())
}

/// A file that counts the bytes read.
struct CountingReader {
    file: File,
    read: Arc<AtomicU64>,
}

impl Read for CountingReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        self.read.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}
