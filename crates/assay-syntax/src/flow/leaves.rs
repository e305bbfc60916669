//! The words of a program between which data can flow.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use super::rules::Compiled;
use super::{Dialect, Literals};
use crate::SyntaxTree;

/// The leaves of a tree, in the order of the text.
pub(super) struct Leaves<'a> {
    pub(super) list: Vec<Leaf>,
    /// The number of leaves before each node, followed by the number of all leaves.
    before: Vec<u32>,
    parts: Vec<LeafRole>,
    pub(super) texts: Vec<Cow<'a, str>>,
}

/// The text number of a keyword or an operator.
const NO_TEXT: u32 = u32::MAX;

/// The role of a node in the data flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LeafRole {
    Branch,
    Leaf,
    /// Inside a leaf: never looked up.
    Inside,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Leaf {
    /// The number of its text, which is equal for variables of the same text and unused otherwise.
    pub(super) text: u32,
    /// Its index among the leaves. If several leaves without text share a position, all have the
    /// index of the last.
    pub(super) place: u32,
    /// True if it is not a keyword or an operator.
    pub(super) is_variable: bool,
    pub(super) is_identifier: bool,
}

impl<'a> Leaves<'a> {
    pub(super) fn new(tree: &SyntaxTree<'a>, compiled: &Compiled, dialect: Dialect) -> Self {
        let mut cutter = Cutter::new(tree.text);
        let size = tree.nodes.len();
        let mut found = Self {
            list: Vec::with_capacity(size / 2 + 1),
            before: Vec::with_capacity(size + 1),
            parts: vec![LeafRole::Branch; size],
            texts: Vec::new(),
        };
        let mut spots = Vec::with_capacity(size / 2 + 1);
        let mut numbers =
            FxHashMap::with_capacity_and_hasher(size / 4 + 1, rustc_hash::FxBuildHasher);
        // The first node that is not inside a literal.
        let mut outside = 0;
        for (at, node) in (0..).zip(&tree.nodes) {
            found.before.push(number_of(&found.list));
            let kind = compiled.kind(node.kind);
            let whole = kind.is_string
                || (kind.is_other_literal && dialect.literals == Literals::StringsAndCharacters);
            let bare = node.end == at + 1;
            if at < outside {
                found.parts[at as usize] = LeafRole::Inside;
                continue;
            }
            if kind.is_comment || !(bare || whole) {
                continue;
            }
            outside = node.end;
            found.parts[at as usize] = LeafRole::Leaf;
            let text = cutter.cut(tree.range(at));
            let is_variable = text != kind.name;
            let number = if is_variable {
                *numbers.entry(text).or_insert_with_key(|text| {
                    found.texts.push(text.clone());
                    number_of(&found.texts) - 1
                })
            } else {
                NO_TEXT
            };
            let place = number_of(&found.list);
            let is_identifier = kind.is_identifier;
            found.list.push(Leaf { text: number, place, is_variable, is_identifier });
            spots.push((node.from, node.to));
        }
        found.before.push(number_of(&found.list));
        share_positions(&mut found.list, &spots);
        found
    }

    /// The leaf for a node.
    pub(super) fn at(&self, node: u32) -> Option<Leaf> {
        if self.parts[node as usize] != LeafRole::Leaf {
            return None;
        }
        self.list.get(self.before[node as usize] as usize).copied()
    }

    /// Returns whether a node is part of a leaf, such as a quote of a string.
    pub(super) fn is_inside(&self, node: u32) -> bool {
        self.parts[node as usize] == LeafRole::Inside
    }

    /// The leaves in a node's subtree that are not keywords or operators.
    pub(super) fn variables(&self, node: u32, end: u32) -> impl Iterator<Item = Leaf> + '_ {
        let (from, to) = (self.before[node as usize], self.before[end as usize]);
        self.list[from as usize..to as usize].iter().copied().filter(|leaf| leaf.is_variable)
    }
}

fn number_of<T>(list: &[T]) -> u32 {
    u32::try_from(list.len()).unwrap_or(u32::MAX)
}

/// Gives leaves without text at the same position the index of the last, because they are looked up
/// by position.
fn share_positions(leaves: &mut [Leaf], spots: &[(u32, u32)]) {
    for at in (1..leaves.len()).rev() {
        if spots[at - 1] == spots[at] {
            leaves[at - 1].place = leaves[at].place;
        }
    }
}

/// Cuts the texts of leaves out of a program, as the reference tools do.
///
/// They count columns in bytes but use them as characters, so after a multi-byte character the
/// texts of a line are shifted; and they join the lines of a text without the line breaks.
struct Cutter<'a> {
    text: &'a str,
    /// The start of each line, and the lines as characters; only if bytes and characters differ.
    lines: Option<Vec<(usize, Vec<char>)>>,
}

impl<'a> Cutter<'a> {
    fn new(text: &'a str) -> Self {
        let lines = (!text.is_ascii()).then(|| {
            let mut start = 0;
            let lines = text.split('\n').map(|line| {
                let here = start;
                start += line.len() + 1;
                (here, line.chars().collect())
            });
            lines.collect()
        });
        Self { text, lines }
    }

    fn cut(&mut self, range: std::ops::Range<usize>) -> Cow<'a, str> {
        if let Some(lines) = &self.lines {
            return Cow::Owned(cut_characters(lines, range));
        }
        let text = self.text.get(range).unwrap_or_default();
        if memchr::memchr(b'\n', text.as_bytes()).is_none() {
            return Cow::Borrowed(text);
        }
        Cow::Owned(text.replace('\n', ""))
    }
}

fn cut_characters(lines: &[(usize, Vec<char>)], range: std::ops::Range<usize>) -> String {
    let line_of = |at: usize| lines.partition_point(|(start, _)| *start <= at).saturating_sub(1);
    let (first, last) = (line_of(range.start), line_of(range.end));
    let mut text = String::new();
    for (at, (start, letters)) in (first..=last).zip(&lines[first..=last]) {
        let from = if at == first { range.start - start } else { 0 };
        let to = if at == last { range.end - start } else { letters.len() };
        text.extend(letters.iter().take(to).skip(from));
    }
    text
}
