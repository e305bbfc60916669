//! Streams that end when the work is cancelled.

use std::fs::File;
use std::io::{self, BufRead, Read};

use assay_core::Cancel;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

/// The interval at which a reader that waits checks whether the work was cancelled.
const TICK: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };

fn check_cancelled(cancel: &Cancel) -> io::Result<()> {
    // Not of the kind `Interrupted`, after which readers retry.
    if cancel.is_cancelled() { Err(io::Error::other("interrupted")) } else { Ok(()) }
}

/// Reads a file that may have nothing to read for a long time, such as a pipe; fails soon after the work is cancelled.
pub(super) struct WaitingReader<'a> {
    file: File,
    cancel: &'a Cancel,
}

impl<'a> WaitingReader<'a> {
    pub(super) fn new(file: File, cancel: &'a Cancel) -> Self {
        Self { file, cancel }
    }

    /// Waits until reading does not block.
    fn wait(&self) -> io::Result<()> {
        loop {
            check_cancelled(self.cancel)?;
            let mut files = [PollFd::new(&self.file, PollFlags::IN)];
            if !matches!(poll(&mut files, Some(&TICK)), Ok(0) | Err(Errno::INTR)) {
                return Ok(());
            }
        }
    }
}

impl Read for WaitingReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.wait()?;
        self.file.read(buffer)
    }
}

/// Reads until the work is cancelled, and then fails.
pub(super) struct CancellableReader<'a> {
    stream: &'a mut dyn BufRead,
    cancel: &'a Cancel,
}

impl<'a> CancellableReader<'a> {
    pub(super) fn new(stream: &'a mut dyn BufRead, cancel: &'a Cancel) -> Self {
        Self { stream, cancel }
    }
}

impl Read for CancellableReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        check_cancelled(self.cancel)?;
        self.stream.read(buffer)
    }
}

impl BufRead for CancellableReader<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        check_cancelled(self.cancel)?;
        self.stream.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.stream.consume(amount);
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use assay_core::Selection;

    use crate::AnswerFile;
    use crate::tests::few;

    use super::*;

    /// Endless blank lines; after some of them, the work is cancelled.
    struct Endless {
        cancel: Cancel,
        given: usize,
    }

    impl Read for Endless {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.given += buffer.len();
            assert!(self.given < 64 << 20, "it is not heeded");
            if self.given > 1 << 20 {
                self.cancel.cancel();
            }
            buffer.fill(b'\n');
            Ok(buffer.len())
        }
    }

    #[test]
    fn a_silent_pipe_is_not_waited_for_after_a_cancellation() {
        let (reader, _writer) = io::pipe().unwrap();
        let cancel = Cancel::new();
        let file = File::from(std::os::fd::OwnedFd::from(reader));
        let source = crate::AnswerSource::File(file, "a pipe".to_owned());
        std::thread::scope(|scope| {
            scope.spawn(|| cancel.cancel());
            assert!(source.read(&cancel, &few(3)).is_err());
        });
    }

    #[test]
    fn reading_blank_lines_ends_when_that_is_asked_for() {
        let cancel = Cancel::new();
        let mut lines = BufReader::new(Endless { cancel: cancel.clone(), given: 0 });
        let read = AnswerFile::read_chosen(
            &cancel,
            &mut lines,
            "answers",
            &few(3),
            &Selection::all(3),
            None,
        );
        assert!(read.is_err() && cancel.is_cancelled());
        assert!(lines.get_ref().given < 2 << 20, "{}", lines.get_ref().given);
    }
}
