//! Blank lines, skipped at the speed of memory: a few kilobytes can unpack to a billion of them.

use std::io::{self, BufRead, ErrorKind};

use memchr::{memchr_iter, memrchr};

/// The number of bytes that are examined at once, which the compiler turns into a few instructions.
const STEP: usize = 64;

/// Skips lines of nothing but white space, and returns their number. The reader is then at the
/// start of a line.
pub fn skip_blank_lines(reader: &mut dyn BufRead) -> io::Result<u64> {
    let mut skipped = 0;
    loop {
        let chunk = match reader.fill_buf() {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            chunk => chunk?,
        };
        let blank = blank_start(chunk);
        // Bytes after the last line feed belong to a line that may not be blank.
        let Some(end) = memrchr(b'\n', &chunk[..blank]) else { return Ok(skipped) };
        let goes_on = blank == chunk.len();
        skipped += memchr_iter(b'\n', &chunk[..=end]).count() as u64;
        reader.consume(end + 1);
        if !goes_on {
            return Ok(skipped);
        }
    }
}

/// The number of white space bytes at the start.
fn blank_start(bytes: &[u8]) -> usize {
    let is_blank = |byte: u8| matches!(byte, b' ' | b'\t'..=b'\r');
    let all_blank = |step: &&[u8]| step.iter().fold(true, |blank, &byte| blank & is_blank(byte));
    let steps = STEP * bytes.chunks_exact(STEP).take_while(all_blank).count();
    steps + bytes[steps..].iter().take_while(|&&byte| is_blank(byte)).count()
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Read};

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_left_starts_with_the_first_line_that_says_something(
            text in "[ \t\n\r\u{b}]{0,300}(x[ \n]{0,3}){0,3}",
            buffer in 1usize..200,
        ) {
            let mut reader = BufReader::with_capacity(buffer, text.as_bytes());
            let mut lines = text.split_inclusive('\n').peekable();
            let mut line_by_line = 0;
            let mut fast = skip_blank_lines(&mut reader).unwrap();
            // A line that the buffer cuts is read like any other.
            loop {
                let mut line = String::new();
                reader.read_line(&mut line).unwrap();
                if line.is_empty() || !line.trim().is_empty() {
                    let mut rest = line;
                    reader.read_to_string(&mut rest).unwrap();
                    while lines.next_if(|line| line.trim().is_empty()).is_some() {
                        line_by_line += 1;
                    }
                    prop_assert_eq!(lines.collect::<String>(), rest);
                    prop_assert_eq!(fast, line_by_line);
                    break;
                }
                fast += 1 + skip_blank_lines(&mut reader).unwrap();
            }
        }
    }
}
