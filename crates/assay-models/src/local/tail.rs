//! The end of what a process says.

use std::io::Read;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use assay_core::{Secret, shown_line};

/// The number of bytes that are kept.
const BYTES: usize = 16 << 10;
/// The number of lines that are shown.
const LINES: usize = 8;
/// The time for which the last words of a process that has ended are waited for.
const GRACE: Duration = Duration::from_secs(2);

/// The end of a process's output, which is read as it comes.
pub(super) struct Tail {
    bytes: Arc<Mutex<Vec<u8>>>,
    /// Disconnected when everything has been read.
    end: Receiver<()>,
}

impl Tail {
    /// Reads a pipe to its end, on a thread of its own.
    pub(super) fn of(pipe: impl Read + Send + 'static) -> Self {
        let bytes = Arc::<Mutex<Vec<u8>>>::default();
        let (open, end) = channel();
        let kept = Arc::clone(&bytes);
        thread::spawn(move || {
            read(pipe, &kept);
            drop(open);
        });
        Self { bytes, end }
    }

    /// Everything that was kept, once the process has ended.
    pub(super) fn text(&self) -> String {
        let _ = self.end.recv_timeout(GRACE);
        let bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        // Where the beginning was dropped, the first line could begin within a secret.
        let is_cut = bytes.len() >= BYTES;
        let first = bytes.iter().position(|byte| is_cut && *byte == b'\n').unwrap_or(0);
        String::from_utf8_lossy(&bytes[first..]).into_owned()
    }

    /// The last lines, each fit to be shown, without the secret.
    pub(super) fn last_lines(&self, secret: &Secret) -> Vec<String> {
        let text = secret.removed_from(self.text().into_bytes());
        let text = String::from_utf8_lossy(&text);
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let first = lines.len().saturating_sub(LINES);
        lines[first..].iter().map(|line| shown_line(line.trim_end()).into_owned()).collect()
    }
}

fn read(mut pipe: impl Read, kept: &Mutex<Vec<u8>>) {
    let mut chunk = [0; 4096];
    while let Ok(count @ 1..) = pipe.read(&mut chunk) {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(&chunk[..count]);
        let surplus = kept.len().saturating_sub(BYTES);
        kept.drain(..surplus);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_are_shown_without_the_secret() {
        let secret = Secret::new("0123456789abcdef").unwrap();
        let text: String = (0..20_000).map(|line| format!("line {line}\n\n")).collect();
        let text = format!("{text}the key is 0123456789abcdef\x1b[2J\nlast words");
        let lines = Tail::of(std::io::Cursor::new(text)).last_lines(&secret);
        assert_eq!(lines.len(), LINES);
        assert_eq!(lines[0], "line 19994");
        assert!(lines[6].starts_with("the key is [secret]"), "{lines:?}");
        assert!(!lines[6].contains('\x1b'), "{lines:?}");
        assert_eq!(lines[7], "last words");
    }
}
