//! A syntax tree as flat arrays: one parse, from which everything else is derived.

use std::cell::RefCell;
use std::ops::{ControlFlow, Range};

use rustc_hash::FxHashMap;
use tree_sitter::{ParseOptions, ParseState, Parser, Point, TreeCursor};

use crate::Language;
use crate::grammar::{Kinds, parser_tables};
use crate::mix::{Mixer, combine};
use crate::outline::Outline;
use crate::work::Budget;

/// The budget of parsing in addition to that for the length of a text, in steps of a hundred parser
/// operations.
const FREE_STEPS: u32 = 20_000;

/// The number of bytes of a text that add a step to the budget: fifty times what a program needs.
const BYTES_PER_STEP: u32 = 2;

/// The cost of a step after an error: to recover, the parser tries many alternatives.
const STEPS_AFTER_AN_ERROR: u32 = 16;

thread_local! {
    static PARSERS: RefCell<FxHashMap<Language, Parser>> = RefCell::default();
}

/// The parser's number for the kind of error nodes.
pub(crate) const ERROR_KIND: u16 = u16::MAX;

/// A syntax tree. Nodes are numbered in the order in which they start, parents before children.
#[derive(Debug)]
pub struct SyntaxTree<'a> {
    pub(crate) text: &'a str,
    pub(crate) language: Language,
    pub(crate) nodes: Vec<Node>,
    subtrees: Vec<u64>,
    has_error: bool,
    depth: u32,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Node {
    pub(crate) kind: u16,
    /// The number of the parent's field that it is in; 0 for none.
    pub(crate) field: u16,
    /// The number of the first node after its subtree.
    pub(crate) end: u32,
    /// The start of its bytes; not needed for a node that has children and is not a literal.
    pub(crate) from: u32,
    pub(crate) to: u32,
}

impl<'a> SyntaxTree<'a> {
    /// Parses any text. If a text is too costly to parse, which no program is, its tree is a single
    /// error.
    pub fn parse(text: &'a str, language: Language) -> Self {
        let tree = PARSERS.with_borrow_mut(|parsers| {
            let parser = parsers.entry(language).or_insert_with(|| {
                let mut parser = Parser::new();
                let fits = parser.set_language(&parser_tables(language));
                debug_assert!(fits.is_ok(), "the grammars are those that the parser was built for");
                parser
            });
            parse_safely(parser, text, language)
        });
        match tree {
            Some(tree) => {
                let mut builder = Builder::new(text, language, tree.root_node().has_error());
                builder.build(&mut tree.walk());
                builder.tree
            }
            None => Self::unparsed(text, language),
        }
    }

    fn unparsed(text: &'a str, language: Language) -> Self {
        let to = u32::try_from(text.len()).unwrap_or(u32::MAX);
        let root = Node { kind: ERROR_KIND, field: 0, end: 1, from: 0, to };
        let subtrees = vec![Mixer::new(u64::from(ERROR_KIND)).number()];
        Self { text, language, nodes: vec![root], subtrees, has_error: true, depth: 1 }
    }

    /// The identities of the subtrees, one number each: for the root and every node that has
    /// children. Subtrees with the same s-expression have the same number: named nodes and their
    /// fields count, words and punctuation do not.
    pub fn subtrees(&self) -> &[u64] {
        &self.subtrees
    }

    /// The same, if nothing else of the tree is needed.
    pub fn into_subtrees(self) -> Vec<u64> {
        self.subtrees
    }

    /// Returns whether any part of the text is invalid in the language.
    pub fn has_error(&self) -> bool {
        self.has_error
    }

    /// The number of nodes on the longest path from the root.
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// The number of nodes.
    pub fn size(&self) -> usize {
        self.nodes.len()
    }

    /// The numbers of a node's children.
    pub(crate) fn children(&self, node: u32) -> Children<'_> {
        Children { nodes: &self.nodes, next: node + 1, end: self.nodes[node as usize].end }
    }

    /// The bytes of a node.
    pub(crate) fn range(&self, node: u32) -> Range<usize> {
        let Node { from, to, .. } = self.nodes[node as usize];
        from as usize..to as usize
    }
}

/// Iterates over a node's children.
#[derive(Clone)]
pub(crate) struct Children<'a> {
    nodes: &'a [Node],
    next: u32,
    end: u32,
}

impl Iterator for Children<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let child = self.next;
        if child >= self.end {
            return None;
        }
        self.next = self.nodes[child as usize].end;
        Some(child)
    }
}

/// The maximum load of a text that is parsed: a stack this deep costs a few seconds at worst.
const MAX_LOAD: usize = 1_500;

/// The maximum length of a text that is parsed on the current stack; a longer one gets a separate
/// stack. The parser frees unfinished elements recursively, one level per element.
const MAX_ON_CURRENT_STACK: usize = 16 << 10;

/// The bytes of stack per byte of text, and the maximum that is allocated at once.
const STACK_PER_BYTE: usize = 256;
const MAX_STACK_BYTES: usize = 512 << 20;

fn parse_safely(parser: &mut Parser, text: &str, language: Language) -> Option<tree_sitter::Tree> {
    if text.len() <= MAX_ON_CURRENT_STACK {
        return parse(parser, text, language);
    }
    let stack = text.len().saturating_mul(STACK_PER_BYTE).min(MAX_STACK_BYTES);
    stacker::grow(stack, || parse(parser, text, language))
}

fn parse(parser: &mut Parser, text: &str, language: Language) -> Option<tree_sitter::Tree> {
    let bytes = text.as_bytes();
    // A byte adds at most two to the load, so a short text need not be scanned.
    let may_be_hard = bytes.len() > MAX_LOAD / 2;
    if may_be_hard && Outline::new(bytes, language, usize::MAX).load > MAX_LOAD {
        return None;
    }
    let steps = (u32::try_from(bytes.len()).ok()? / BYTES_PER_STEP).saturating_add(FREE_STEPS);
    let mut work = Budget::new(steps);
    let mut read = |at: usize, _: Point| bytes.get(at..).unwrap_or_default();
    let mut progress = |state: &ParseState| {
        let steps = if state.has_error() { STEPS_AFTER_AN_ERROR } else { 1 };
        work.take(steps).map_or(ControlFlow::Break(()), ControlFlow::Continue)
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let tree = parser.parse_with_options(&mut read, None, Some(options));
    if tree.is_none() {
        // Otherwise the next text would be taken as the rest of this one.
        parser.reset();
    }
    tree
}

/// Copies a tree out of the parser, and computes the identities of its subtrees on the way.
struct Builder<'a> {
    tree: SyntaxTree<'a>,
    kinds: &'static Kinds,
    open: Vec<OpenNode>,
}

/// A node whose children are being visited.
struct OpenNode {
    node: u32,
    /// The number of its children that were not fully visited. The cursor could only find out by
    /// trying that there is no other, which costs as much as a step.
    children_left: u32,
    identity: Mixer,
    shown: bool,
    /// True if it contains an error.
    flawed: bool,
    /// True if an error in it is an error of a child.
    explained: bool,
}

impl<'a> Builder<'a> {
    fn new(text: &'a str, language: Language, has_error: bool) -> Self {
        let nodes = Vec::with_capacity(text.len() / 2 + 1);
        let subtrees = Vec::with_capacity(text.len() / 4 + 1);
        let tree = SyntaxTree { text, language, nodes, subtrees, has_error, depth: 1 };
        Self { tree, kinds: Kinds::of(language), open: Vec::new() }
    }

    fn build(&mut self, cursor: &mut TreeCursor<'_>) {
        loop {
            let node = cursor.node();
            let kind = node.kind_id();
            let mut open = self.enter(cursor, &node, kind);
            if self.kinds.is_literal(kind) {
                self.locate(&node);
            }
            if open.children_left > 0 && cursor.goto_first_child() {
                self.open.push(open);
                let depth = u32::try_from(self.open.len()).unwrap_or(u32::MAX).saturating_add(1);
                self.tree.depth = self.tree.depth.max(depth);
                continue;
            }
            self.locate(&node);
            self.leave(&mut open, cursor);
            if self.open.is_empty() {
                // A root without children is a subtree too.
                self.tree.subtrees.push(open.identity.number());
            }
            while !self.move_to_next_child(cursor) {
                let Some(mut open) = self.open.pop() else { return };
                cursor.goto_parent();
                self.leave(&mut open, cursor);
                self.tree.subtrees.push(open.identity.number());
            }
        }
    }

    /// Moves to the next child of the current node, if there is one.
    fn move_to_next_child(&mut self, cursor: &mut TreeCursor<'_>) -> bool {
        let Some(parent) = self.open.last_mut() else { return false };
        parent.children_left -= 1;
        parent.children_left > 0 && cursor.goto_next_sibling()
    }

    /// Adds the node under the cursor.
    fn enter(
        &mut self,
        cursor: &TreeCursor<'_>,
        node: &tree_sitter::Node<'_>,
        kind: u16,
    ) -> OpenNode {
        let named = self.kinds.is_named(kind);
        let missing = self.tree.has_error && node.is_missing();
        let field = cursor.field_id().map_or(0, std::num::NonZero::get);
        self.tree.nodes.push(Node { kind, field, end: 0, from: 0, to: 0 });
        let tag = u64::from(kind) << 2 | u64::from(named) << 1 | u64::from(missing);
        let children = node.child_count();
        OpenNode {
            node: self.last(),
            children_left: children,
            identity: Mixer::new(tag),
            shown: named || missing,
            flawed: self.tree.has_error && node.has_error(),
            // An error without children shows the text that it could not parse.
            explained: missing || (kind == ERROR_KIND && children > 0),
        }
    }

    /// Records the position of the last node.
    fn locate(&mut self, node: &tree_sitter::Node<'_>) {
        let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        if let Some(last) = self.tree.nodes.last_mut() {
            (last.from, last.to) = (place(node.start_byte()), place(node.end_byte()));
        }
    }

    /// Closes the node under the cursor after its subtree was visited, and adds it to its parent.
    fn leave(&mut self, open: &mut OpenNode, cursor: &TreeCursor<'_>) {
        if open.flawed && !open.explained {
            // The error is not a separate node, but is part of the expression.
            let expression = cursor.node().to_sexp();
            expression.bytes().for_each(|byte| open.identity.add(u64::from(byte)));
        }
        let end = self.last() + 1;
        let node = &mut self.tree.nodes[open.node as usize];
        node.end = end;
        if let Some(parent) = self.open.last_mut() {
            parent.explained |= open.flawed || open.explained;
            if open.shown {
                parent.identity.add(combine(open.identity.number(), node.field));
            }
        }
    }

    fn last(&self) -> u32 {
        u32::try_from(self.tree.nodes.len()).unwrap_or(u32::MAX).saturating_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use proptest::prelude::*;

    use super::*;

    /// The s-expressions of all subtrees in our order: a subtree after those within it.
    fn expressions(text: &str, language: Language) -> Vec<String> {
        let mut parser = Parser::new();
        parser.set_language(&parser_tables(language)).unwrap();
        let tree = parser.parse(text, None).unwrap();
        let mut found = Vec::new();
        collect(tree.root_node(), true, &mut found);
        found
    }

    fn collect(node: tree_sitter::Node<'_>, is_root: bool, found: &mut Vec<String>) {
        for child in node.children(&mut node.walk()) {
            collect(child, false, found);
        }
        if is_root || node.child_count() > 0 {
            found.push(node.to_sexp());
        }
    }

    fn check(text: &str, language: Language) {
        let tree = SyntaxTree::parse(text, language);
        let expressions = expressions(text, language);
        assert_eq!(tree.subtrees().len(), expressions.len(), "{text}");
        let mut by_number = HashMap::new();
        for (number, expression) in tree.subtrees().iter().zip(&expressions) {
            let same = by_number.entry(number).or_insert(expression);
            assert_eq!(*same, expression, "{language}: {text}");
        }
        let distinct: HashSet<&String> = expressions.iter().collect();
        assert_eq!(by_number.len(), distinct.len(), "{language}: {text}");
    }

    const PROGRAM: &str = "class A { int f(int a, String b) { for (int i = 0; i < a; i++) \
        { if (b != null) { b = b + i; } else { return g(a, b); } } return -a; } }";

    #[test]
    fn equal_subtrees_are_those_of_equal_expressions() {
        for language in Language::ALL {
            for end in (0..PROGRAM.len()).step_by(3) {
                check(&PROGRAM[..end], language);
                check(&PROGRAM[end..], language);
            }
        }
    }

    /// Texts as repeated by a broken model: some of these exhausted the memory or the stack.
    #[test]
    fn what_would_cost_too_much_is_one_error() {
        for (part, times, language) in [
            ("{a:", 24_000, Language::JavaScript),
            ("x=>", 8_000, Language::Java),
            ("x=>", 8_000, Language::C),
            ("a<", 100_000, Language::CSharp),
            ("a<b<", 30_000, Language::Cpp),
            ("a<b>(", 20_000, Language::TypeScript),
            ("x =\n", 30_000, Language::Ruby),
            ("a if b else ", 20_000, Language::Python),
            ("|a|", 30_000, Language::Rust),
            ("func(", 30_000, Language::Go),
        ] {
            let text = part.repeat(times);
            assert_eq!(SyntaxTree::parse(&text, language).size(), 1, "{part} {language}");
        }
    }

    #[test]
    fn what_is_deep_and_cheap_is_parsed() {
        for (part, times, language) in [
            ("begin\n", 50_000, Language::Ruby),
            ("if a\n", 20_000, Language::Ruby),
            ("x = f(a)\n", 20_000, Language::Python),
            ("x = f(a);\n", 20_000, Language::Java),
        ] {
            let text = part.repeat(times);
            assert!(SyntaxTree::parse(&text, language).size() > times, "{part} {language}");
        }
    }

    proptest! {
        #[test]
        fn any_text_has_a_tree(text: String, language in 0usize..11) {
            let tree = SyntaxTree::parse(&text, Language::ALL[language]);
            prop_assert!(!tree.subtrees().is_empty());
            prop_assert_eq!(tree.nodes[0].end as usize, tree.size());
        }
    }
}
