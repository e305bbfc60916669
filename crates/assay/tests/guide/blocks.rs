//! The blocks of a page, and the marks before them.
//!
//! | block | check |
//! |---|---|
//! | `console` | each `$ command` runs, and prints the lines below it |
//! | `sh` | each command runs and ends with exit code 0 |
//! | any, marked `file NAME` | is written to that file, for the commands after it |
//! | any, marked `lines COMMAND` | its lines come in the output of that command, in this order |
//! | any, marked `source FILE` | its lines come in that file of the repository, in this order |
//! | `text` | nothing: a picture or a formula; it must not have a command in it |
//!
//! A mark is an HTML comment before the block, `<!-- guide: MARK -->`; several are separated by `;`:
//!
//! | mark | meaning |
//! |---|---|
//! | `exit 3`, `exit 0 5` | the exit code of every command, or of each of them |
//! | `data PATH` | the block needs this file of `ASSAY_DATA`, which is linked into the folder |
//! | `needs PROGRAM` | the block is skipped where this program is not installed |
//! | `any numbers` | a number in the block stands for any number |
//! | `env NAME=VALUE` | a setting that the page does not show, which keeps a command short |
//! | `skip REASON` | the block is not run; `Skip` lists the reasons |
//! | `run`, then lines | commands that are run and not shown, to prepare for a block |
//! | `messages`, then lines | a command for each row of the table below, which prints the code in its last cell |

use std::ops::Range;

use crate::matching::Rule;

/// A Markdown page.
pub(super) struct Page {
    lines: Vec<String>,
    pub(super) blocks: Vec<Block>,
}

/// A block of a page, with what its marks say.
#[derive(Debug, Default)]
pub(super) struct Block {
    /// The line of the page with the fence, counted from 1.
    pub(super) line: usize,
    pub(super) kind: Kind,
    /// The lines of its content in the page, counted from 0.
    content: Range<usize>,
    pub(super) body: Vec<String>,
    /// The heading that it is under, on pages whose sections have folders of their own.
    section: Option<String>,
    pub(super) exit: Vec<i32>,
    pub(super) data: Option<String>,
    pub(super) needs: Option<String>,
    pub(super) env: Option<(String, String)>,
    pub(super) rule: Rule,
    pub(super) skip: Option<Skip>,
}

/// The kind of a block.
#[derive(Debug, Default)]
pub(super) enum Kind {
    #[default]
    Console,
    Script,
    File(String),
    LinesOf(String),
    LinesIn(String),
    Picture,
    /// Commands, and the messages that they have to print.
    Messages(Vec<String>),
}

/// A reason not to run a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Skip {
    /// The block starts the tests, of which this is one.
    StartsTests,
    /// The block measures for minutes and writes results into the repository.
    Measures,
}

impl Skip {
    /// The reason in a mark, with the check that it is true of these commands.
    fn parse(reason: &str) -> Result<Self, String> {
        match reason {
            "starts these tests" => Ok(Self::StartsTests),
            "measures for minutes" => Ok(Self::Measures),
            other => Err(format!("`{other}` is no reason to skip a block")),
        }
    }

    pub(super) fn reason(self) -> &'static str {
        match self {
            Self::StartsTests => "it starts these tests",
            Self::Measures => "it measures for minutes",
        }
    }

    /// True if the reason holds for a command.
    pub(super) fn holds_for(self, command: &str) -> bool {
        match self {
            Self::StartsTests => ["cargo xtask test", "cargo test", "cargo xtask bless"]
                .iter()
                .any(|start| command.starts_with(start)),
            Self::Measures => {
                command.contains("cargo xtask bench") || command.contains("benches/opponents")
            }
        }
    }
}

impl Page {
    /// Reads a page; an error starts with its line.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
        let mut page = Self { lines, blocks: Vec::new() };
        let own_sections = text.starts_with("# Tasks\n");
        let mut section = None;
        let mut marks = Vec::new();
        let mut at = 0;
        while at < page.lines.len() {
            let line = page.lines[at].clone();
            if let Some(heading) = line.strip_prefix("## ").filter(|_| own_sections) {
                section = Some(heading.to_owned());
            }
            if line.starts_with("<!-- guide:") {
                let end = page.end_of_comment(at)?;
                let new = page.mark(at, end, &mut marks, section.as_ref())?;
                page.blocks.extend(new);
                at = end + 1;
            } else if let Some(info) = line.trim_start().strip_prefix("```") {
                let end = (at + 1..page.lines.len())
                    .find(|&end| page.lines[end].trim() == "```")
                    .ok_or_else(|| format!("{}: the block has no end", at + 1))?;
                let mut block = page.block(at..end, info, &std::mem::take(&mut marks))?;
                block.section.clone_from(&section);
                page.blocks.push(block);
                at = end + 1;
            } else {
                if !line.is_empty() && !marks.is_empty() {
                    return Err(format!("{}: a mark without a block after it", at + 1));
                }
                at += 1;
            }
        }
        Ok(page)
    }

    fn end_of_comment(&self, at: usize) -> Result<usize, String> {
        (at..self.lines.len())
            .find(|&end| self.lines[end].ends_with("-->"))
            .ok_or_else(|| format!("{}: the comment has no end", at + 1))
    }

    /// Reads a mark: either commands that run here, or words about the next block.
    fn mark(
        &self,
        at: usize,
        end: usize,
        marks: &mut Vec<String>,
        section: Option<&String>,
    ) -> Result<Option<Block>, String> {
        let first = self.lines[at].trim_start_matches("<!-- guide:").trim();
        if end == at {
            let words = first.trim_end_matches("-->").trim();
            marks.extend(words.split(';').map(|mark| mark.trim().to_owned()));
            return Ok(None);
        }
        let content = at + 1..end;
        let mut body = self.lines[content.clone()].to_vec();
        body.retain(|line| !line.is_empty());
        let (kind, words) = match first.split_once(';').unwrap_or((first, "")) {
            ("run", words) => (Kind::Script, words),
            ("messages", words) => (Kind::Messages(self.messages(end + 1)), words),
            (other, _) => return Err(format!("{}: no mark is called {other}", at + 1)),
        };
        let mut block = Block {
            line: at + 1,
            kind,
            content,
            body,
            section: section.cloned(),
            ..Block::default()
        };
        for word in words.split(';').map(str::trim).filter(|word| !word.is_empty()) {
            block.apply(word)?;
        }
        Ok(Some(block))
    }

    /// The code in the last cell of each row of a table.
    fn messages(&self, from: usize) -> Vec<String> {
        let rows = self.lines[from..].iter().skip_while(|line| !line.starts_with('|'));
        let rows = rows.take_while(|line| line.starts_with('|')).skip(2);
        rows.filter_map(|row| {
            let code = row.trim_end_matches('|').trim_end().strip_suffix('`')?;
            Some(code.rsplit_once('`')?.1.to_owned())
        })
        .collect()
    }

    fn block(&self, fence: Range<usize>, info: &str, marks: &[String]) -> Result<Block, String> {
        let line = fence.start + 1;
        let content = fence.start + 1..fence.end;
        let body = self.lines[content.clone()].to_vec();
        let mut block = Block { line, content, body, ..Block::default() };
        let kind = marks.iter().find_map(|mark| Kind::of_mark(mark));
        block.kind = match (kind, info.trim()) {
            (Some(kind), _) => kind,
            (None, "console") => Kind::Console,
            (None, "sh") => Kind::Script,
            (None, "text") => Kind::Picture,
            (None, _) => return Err(format!("{line}: nothing says how to check this block")),
        };
        for mark in marks.iter().filter(|mark| Kind::of_mark(mark).is_none()) {
            block.apply(mark).map_err(|error| format!("{line}: {error}"))?;
        }
        Ok(block)
    }

    /// The sections that have a folder of their own each; `None` alone for the whole page.
    pub(super) fn sections(&self) -> Vec<Option<String>> {
        let mut sections: Vec<_> = self.blocks.iter().map(|block| block.section.clone()).collect();
        sections.dedup();
        sections
    }

    /// The blocks of a section.
    pub(super) fn blocks_of(&self, section: Option<&str>) -> Vec<usize> {
        let inside = |index: &usize| self.blocks[*index].section.as_deref() == section;
        (0..self.blocks.len()).filter(inside).collect()
    }

    /// Gives a block new content.
    pub(super) fn replace(&mut self, index: usize, new: &[String]) {
        let old = self.blocks[index].content.clone();
        self.lines.splice(old.clone(), new.iter().cloned());
        let moved = |place: usize| place + new.len() - old.len();
        self.blocks[index].content = old.start..old.start + new.len();
        for block in &mut self.blocks[index + 1..] {
            block.content = moved(block.content.start)..moved(block.content.end);
        }
    }

    pub(super) fn text(&self) -> String {
        self.lines.join("\n")
    }
}

impl Kind {
    /// The kind that a mark gives to a block.
    fn of_mark(mark: &str) -> Option<Self> {
        let (word, rest) = mark.split_once(' ')?;
        match word {
            "file" => Some(Self::File(rest.to_owned())),
            "lines" => Some(Self::LinesOf(rest.to_owned())),
            "source" => Some(Self::LinesIn(rest.to_owned())),
            _ => None,
        }
    }
}

impl Block {
    /// Applies one of the marks that fit every kind.
    fn apply(&mut self, mark: &str) -> Result<(), String> {
        match mark.split_once(' ') {
            Some(("exit", codes)) => {
                let codes = codes.split(' ').map(str::parse).collect::<Result<_, _>>();
                self.exit = codes.map_err(|_| format!("`{mark}` has no exit codes"))?;
            }
            Some(("data", path)) => self.data = Some(path.to_owned()),
            Some(("needs", program)) => self.needs = Some(program.to_owned()),
            Some(("any", "numbers")) => self.rule.any_numbers = true,
            Some(("env", setting)) => {
                let (name, value) = setting.split_once('=').ok_or("a setting is NAME=VALUE")?;
                self.env = Some((name.to_owned(), value.to_owned()));
            }
            Some(("skip", reason)) => self.skip = Some(Skip::parse(reason)?),
            _ => return Err(format!("no mark is called {mark}")),
        }
        Ok(())
    }

    /// The exit code that a command must have.
    pub(super) fn exit_of(&self, command: usize) -> i32 {
        self.exit.get(command).or(self.exit.last()).copied().unwrap_or(0)
    }
}
