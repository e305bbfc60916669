//! Fenced blocks: found line by line, as Markdown has them and as models write them.
//!
//! A fence is three or more backticks or tildes, at any indentation, also after the mark of a list. A block ends at a
//! fence of the same character that is at least as long, at the next fence that names a language, or at the end of the
//! text. In a block of Python, a fence within a string in triple quotes is part of the string.
//! A block without a language is one of Python from its first definition on.

use std::borrow::Cow;

use assay_core::Language;
use assay_syntax::python::LineScan;

use crate::tags::Tag;

/// A fenced block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Block<'a> {
    /// The start of the line of its first fence.
    pub(crate) start: usize,
    pub(crate) tag: Tag,
    /// Its lines.
    content: &'a str,
    /// The indentation of its fence.
    indentation: usize,
}

impl<'a> Block<'a> {
    /// The lines, without the fence's indentation.
    pub(crate) fn code(&self) -> Cow<'a, str> {
        outdent(self.content, self.indentation)
    }

    pub(crate) fn is_blank(&self) -> bool {
        self.content.trim().is_empty()
    }
}

/// Lines without up to `indentation` white space at their start.
pub(crate) fn outdent(text: &str, indentation: usize) -> Cow<'_, str> {
    if indentation == 0 {
        return text.into();
    }
    let shorter = |line: &str| {
        let blank = line.bytes().take(indentation).take_while(|byte| matches!(byte, b' ' | b'\t'));
        let blank = blank.count();
        line[blank..].to_owned()
    };
    text.split_inclusive('\n').map(shorter).collect::<String>().into()
}

/// Returns true if any line of a text is a fence.
pub fn has_fence(text: &str) -> bool {
    text.lines().any(|line| Fence::parse(line).is_some())
}

/// A line that is a fence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Fence<'a> {
    mark: u8,
    length: usize,
    indentation: usize,
    info: &'a str,
}

impl<'a> Fence<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let line = line.trim_end();
        let inner = line.trim_start();
        let inner = after_list_mark(inner).unwrap_or(inner);
        let mark = *inner.as_bytes().first().filter(|byte| matches!(byte, b'`' | b'~'))?;
        let length = inner.bytes().take_while(|&byte| byte == mark).count();
        let info = &inner[length..];
        // Backticks on the rest of the line make it code within prose.
        let is_fence = length >= 3 && !(mark == b'`' && info.contains('`'));
        let indentation = line.len() - inner.len();
        is_fence.then_some(Self { mark, length, indentation, info })
    }

    /// Returns true if a block that `open` started ends here.
    fn closes(&self, open: &Fence<'_>) -> bool {
        self.mark == open.mark && self.length >= open.length
    }
}

/// The text after the mark of a list: `- `, `* ` or `1. `.
fn after_list_mark(text: &str) -> Option<&str> {
    let number = text.bytes().take(3).take_while(u8::is_ascii_digit).count();
    let rest = if number > 0 {
        text[number..].strip_prefix(['.', ')'])?
    } else {
        text.strip_prefix(['-', '*', '+'])?
    };
    rest.starts_with(' ').then(|| rest.trim_start())
}

/// A block whose end was not reached yet.
struct OpenBlock<'a> {
    fence: Fence<'a>,
    tag: Tag,
    start: usize,
    content: usize,
    /// The strings of its code, if that may be Python.
    strings: Option<LineScan>,
}

impl OpenBlock<'_> {
    fn is_in_string(&self) -> bool {
        self.strings.as_ref().is_some_and(LineScan::is_in_string)
    }
}

/// The blocks of a text, in order.
pub(crate) fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut reader = Reader { text, blocks: Vec::new(), open: None, minds_strings: true };
    let mut from = 0;
    while let Some(start) = reader.read(from) {
        // A string was never closed: fences within strings are fences from here on.
        reader.minds_strings = false;
        from = start;
    }
    reader.blocks
}

struct Reader<'a> {
    text: &'a str,
    blocks: Vec<Block<'a>>,
    open: Option<OpenBlock<'a>>,
    minds_strings: bool,
}

impl<'a> Reader<'a> {
    /// Reads the text from `at` on. If that ends within a string, the last block is dropped, and its start returned.
    fn read(&mut self, mut at: usize) -> Option<usize> {
        for line in self.text[at..].split_inclusive('\n') {
            self.line(line, at);
            at += line.len();
        }
        match self.open.take() {
            Some(open) if open.is_in_string() => Some(open.start),
            Some(open) => {
                self.close(&open, at, false);
                None
            }
            None => None,
        }
    }

    fn line(&mut self, line: &'a str, at: usize) {
        let fence = Fence::parse(line);
        let Some(mut open) = self.open.take() else {
            self.open = fence.map(|fence| self.start(fence, at, line));
            return;
        };
        let fence = fence.filter(|_| !open.is_in_string());
        match fence.map(|fence| (fence, Tag::parse(fence.info))) {
            // A block within the block, or the next one after a forgotten end.
            Some((fence, Some(Tag::Language(_) | Tag::Other))) => {
                self.close(&open, at, false);
                self.open = Some(self.start(fence, at, line));
            }
            Some((fence, Some(Tag::None) | None)) if fence.closes(&open.fence) => {
                self.close(&open, at, true);
            }
            _ => {
                if self.minds_strings && open.tag == Tag::None && defines_python(line) {
                    open.strings.get_or_insert_default();
                }
                if let Some(strings) = &mut open.strings {
                    strings.line(line);
                }
                self.open = Some(open);
            }
        }
    }

    fn start(&self, fence: Fence<'a>, start: usize, line: &str) -> OpenBlock<'a> {
        let tag = Tag::parse(fence.info).unwrap_or(Tag::Other);
        let minds_strings = self.minds_strings && tag == Tag::Language(Language::Python);
        let strings = minds_strings.then(LineScan::default);
        OpenBlock { fence, tag, start, content: start + line.len(), strings }
    }

    fn close(&mut self, open: &OpenBlock<'a>, end: usize, by_fence: bool) {
        let OpenBlock { fence, tag, start, content, .. } = *open;
        let text = self.text;
        let lines = &text[content..end];
        let lines = if by_fence { lines } else { before_late_fence(lines, fence) };
        self.blocks.push(Block { start, tag, content: lines, indentation: fence.indentation });
    }
}

/// Returns true if a line starts a definition of Python.
fn defines_python(line: &str) -> bool {
    let line = line.trim_start();
    ["def ", "class ", "async def "].iter().any(|start| line.starts_with(start))
}

/// The lines of a block that no fence of its own line ends: up to a fence at the end of a line, if there is one.
fn before_late_fence<'a>(lines: &'a str, open: Fence<'_>) -> &'a str {
    let mut at = 0;
    for line in lines.split_inclusive('\n') {
        let code = line.trim_end();
        let kept = code.trim_end_matches(char::from(open.mark));
        if code.len() - kept.len() >= open.length && !kept.trim().is_empty() {
            return &lines[..at + kept.len()];
        }
        at += line.len();
    }
    lines
}
