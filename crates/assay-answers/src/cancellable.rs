//! A stream that ends when the work is cancelled.

use std::io::{self, BufRead, Read};

use assay_core::Cancel;

/// Reads until the work is cancelled, and then fails.
pub(super) struct CancellableReader<'a> {
    stream: &'a mut dyn BufRead,
    cancel: &'a Cancel,
}

impl<'a> CancellableReader<'a> {
    pub(super) fn new(stream: &'a mut dyn BufRead, cancel: &'a Cancel) -> Self {
        Self { stream, cancel }
    }

    fn check_cancelled(&self) -> io::Result<()> {
        // Not of the kind `Interrupted`, after which readers retry.
        if self.cancel.is_cancelled() { Err(io::Error::other("interrupted")) } else { Ok(()) }
    }
}

impl Read for CancellableReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.check_cancelled()?;
        self.stream.read(buffer)
    }
}

impl BufRead for CancellableReader<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.check_cancelled()?;
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
