//! Walks through a program in execution order, and records where values come from.

use super::edges::{Edges, SourceList};
use super::leaves::{Leaf, Leaves};
use super::rules::{Assignment, Compiled, Definition, For, ForEach, Role};
use super::state::State;
use super::{Dialect, Relation};
use crate::{Language, SyntaxTree};

/// The rules do not apply to the tree, or following them would cost too much: then nothing is
/// known.
pub(super) struct WalkAborted;

type WalkResult<T = ()> = Result<T, WalkAborted>;

/// The budget of a walk, in addition to a share for each node.
const FREE_WORK: usize = 2_000_000;
const WORK_PER_NODE: usize = 64;

pub(super) struct Walk<'w, 'a> {
    tree: &'w SyntaxTree<'a>,
    compiled: &'static Compiled,
    dialect: Dialect,
    leaves: &'w Leaves<'a>,
    pub(super) state: State,
    pub(super) edges: Edges,
    /// The number of enclosing loops.
    loops: u32,
    /// True if an enclosing loop runs for the second time.
    ///
    /// A loop runs twice, so that values from its end reach its start. During the second run of an
    /// enclosing loop, once is enough. After a loop ran once, all of its variables are known, and
    /// from then on running it leaves each variable its value from before, or the value that the
    /// loop sets, or both. So a further run can read only values that were set in the loop, which
    /// the first run of the enclosing loop has read, or values from outside, which this run reads.
    /// The cost is linear in the depth, and not exponential.
    in_second_pass: bool,
    /// True to always run loops twice, for comparison.
    #[cfg(test)]
    pub(super) always_twice: bool,
    work: usize,
}

impl<'w, 'a> Walk<'w, 'a> {
    pub(super) fn new(
        tree: &'w SyntaxTree<'a>,
        compiled: &'static Compiled,
        dialect: Dialect,
        leaves: &'w Leaves<'a>,
    ) -> Self {
        let (texts, places) = (leaves.texts.len(), leaves.list.len());
        Self {
            tree,
            compiled,
            dialect,
            leaves,
            state: State::new(texts, places),
            edges: Edges::new(texts, places),
            loops: 0,
            in_second_pass: false,
            #[cfg(test)]
            always_twice: false,
            work: tree.nodes.len().saturating_mul(WORK_PER_NODE).saturating_add(FREE_WORK),
        }
    }

    /// Applies the rules to a node.
    pub(super) fn run(&mut self, node: u32) -> WalkResult {
        self.spend(1)?;
        if let Some(leaf) = self.leaves.at(node) {
            self.leaf(leaf);
            return Ok(());
        }
        if self.leaves.is_inside(node) {
            return Err(WalkAborted);
        }
        match self.kind(node).role {
            Role::Definition => self.definition(node),
            Role::Assignment => self.assignment(node),
            Role::Increment => self.increment(node),
            Role::If => self.branches(node),
            Role::For => self.for_loop(node),
            Role::ForEach => self.for_each(node),
            Role::While => self.run_loop(|walk| walk.children(node)),
            Role::Other => self.children(node),
        }
    }

    fn spend(&mut self, work: usize) -> WalkResult {
        self.work = self.work.checked_sub(work).ok_or(WalkAborted)?;
        Ok(())
    }

    fn leaf(&mut self, leaf: Leaf) {
        if !leaf.is_variable {
            return;
        }
        let known = self.state.read(leaf.text);
        let sources = self.edges.list(known.then_some(leaf.text));
        self.edges.add(leaf.place, Relation::ComesFrom, sources, self.loops > 0);
        if !known && leaf.is_identifier {
            self.state.set(leaf.text, leaf.place);
        }
    }

    fn children(&mut self, node: u32) -> WalkResult {
        let children = self.tree.children(node);
        if self.compiled.rules.first.is_empty() {
            return children.into_iter().try_for_each(|child| self.run(child));
        }
        let is_first = |walk: &Self, child| walk.kind(child).is_first;
        for child in children.clone() {
            if is_first(self, child) {
                self.run(child)?;
            }
        }
        for child in children {
            if !is_first(self, child) {
                self.run(child)?;
            }
        }
        Ok(())
    }

    fn kind(&self, node: u32) -> &'static super::rules::Kind {
        self.compiled.kind(self.tree.nodes[node as usize].kind)
    }

    /// The first child of `node` in a field.
    fn field(&self, node: u32, name: &str) -> Option<u32> {
        let field = self.compiled.field(name);
        self.tree.children(node).find(|&child| self.tree.nodes[child as usize].field == field)
    }

    fn variables(&self, node: u32) -> WalkResult<Vec<Leaf>> {
        if self.leaves.is_inside(node) {
            return Err(WalkAborted);
        }
        Ok(self.leaves.variables(node, self.tree.nodes[node as usize].end).collect())
    }

    /// Adds an edge to each of `targets` from each of `sources`, and defines the targets. Without
    /// sources there is no edge.
    fn link_each(&mut self, targets: &[Leaf], relation: Relation, sources: &[Leaf]) -> WalkResult {
        let list = match sources {
            [] => None,
            [only] => Some(self.edges.list([only.text])),
            // Several edges to one leaf are merged in the end, so they are merged from the start.
            sources => Some(self.edges.list_once(sources.iter().map(|leaf| leaf.text))),
        };
        self.link(targets, relation, list, sources)
    }

    /// Adds one edge to each of `targets` from all of `sources`, and defines the targets.
    fn link_all(&mut self, targets: &[Leaf], sources: &[Leaf]) -> WalkResult {
        let list = self.edges.list(sources.iter().map(|leaf| leaf.text));
        self.link(targets, Relation::ComputedFrom, Some(list), sources)
    }

    fn link(
        &mut self,
        targets: &[Leaf],
        relation: Relation,
        list: Option<SourceList>,
        sources: &[Leaf],
    ) -> WalkResult {
        self.spend(targets.len().saturating_mul(sources.len() + 1))?;
        for target in targets {
            if let Some(list) = list {
                self.edges.add(target.place, relation, list, self.loops > 0);
            }
            self.state.set(target.text, target.place);
        }
        self.note_sources(targets, sources);
        Ok(())
    }

    fn note_sources(&mut self, targets: &[Leaf], sources: &[Leaf]) {
        if !targets.is_empty() {
            for source in sources {
                self.edges.source(source.place);
            }
        }
    }

    fn definition(&mut self, node: u32) -> WalkResult {
        let mut children = self.tree.children(node);
        let (name, value) = match self.compiled.rules.definition {
            Definition::Fields(name, value) => (self.field(node, name), self.field(node, value)),
            Definition::TwoChildren => {
                let (first, second) = (children.next(), children.next());
                (first, second.filter(|_| children.next().is_none()))
            }
            Definition::SecondAndThird => (children.nth(1), children.next()),
        };
        let targets = self.variables(name.ok_or(WalkAborted)?)?;
        let Some(value) = value else {
            self.spend(targets.len())?;
            let nothing = self.edges.list([]);
            for target in targets {
                self.edges.add(target.place, Relation::ComesFrom, nothing, self.loops > 0);
                self.state.set(target.text, target.place);
            }
            return Ok(());
        };
        self.run(value)?;
        let sources = self.variables(value)?;
        self.link_each(&targets, Relation::ComesFrom, &sources)
    }

    fn assignment(&mut self, node: u32) -> WalkResult {
        let (left, right) = (self.field(node, "left"), self.field(node, "right"));
        match self.compiled.rules.assignment {
            Assignment::Whole => {
                let right = right.ok_or(WalkAborted)?;
                self.run(right)?;
                let (targets, sources) =
                    (self.variables(left.ok_or(WalkAborted)?)?, self.variables(right)?);
                self.link_each(&targets, Relation::ComputedFrom, &sources)
            }
            Assignment::Parts if self.kind(node).is_first => {
                let last = self.tree.children(node).last().ok_or(WalkAborted)?;
                self.link_parts(&[(left.ok_or(WalkAborted)?, last)])
            }
            Assignment::Parts => {
                let Some(right) = right else { return Ok(()) };
                let parts = self.parts(left.ok_or(WalkAborted)?, right);
                self.link_parts(&parts)
            }
            Assignment::PartsOfRuby => {
                let (left, right) = (left.ok_or(WalkAborted)?, right.ok_or(WalkAborted)?);
                if self.kind(node).name == "operator_assignment" {
                    let mut children = self.tree.children(node);
                    let first = children.next().ok_or(WalkAborted)?;
                    return self.link_parts(&[(first, children.last().unwrap_or(first))]);
                }
                let parts = self.parts(left, right);
                self.link_parts(&parts)
            }
        }
    }

    /// The parts of two sides, pair by pair; both sides whole if their numbers of parts differ.
    fn parts(&self, left: u32, right: u32) -> Vec<(u32, u32)> {
        let parts = |side| self.tree.children(side).filter(|&part| self.kind(part).name != ",");
        let (lefts, rights): (Vec<u32>, Vec<u32>) = (parts(left).collect(), parts(right).collect());
        if lefts.is_empty() || lefts.len() != rights.len() {
            return vec![(left, right)];
        }
        lefts.into_iter().zip(rights).collect()
    }

    fn link_parts(&mut self, parts: &[(u32, u32)]) -> WalkResult {
        for &(_, right) in parts {
            self.run(right)?;
        }
        for &(left, right) in parts {
            let (targets, sources) = (self.variables(left)?, self.variables(right)?);
            self.link_all(&targets, &sources)?;
        }
        Ok(())
    }

    fn increment(&mut self, node: u32) -> WalkResult {
        let variables = self.variables(node)?;
        self.link_each(&variables, Relation::ComputedFrom, &variables)
    }

    fn branches(&mut self, node: u32) -> WalkResult {
        let branching = self.compiled.rules.branching;
        let mut says_else = self.kind(node).says_else;
        let mark = self.state.mark();
        let mut branches = Vec::new();
        let mut main = None;
        for child in self.tree.children(node) {
            says_else |= self.kind(child).says_else;
            let starts = self.kind(child).is_branch;
            if starts || (branching.to_the_end && !branches.is_empty()) {
                // The main branch is kept for later.
                main.get_or_insert_with(|| self.state.undo(mark));
                self.run(child)?;
                branches.push(self.state.undo(mark));
            } else if !self.does_nothing(child) {
                if let Some(main) = main.take() {
                    self.spend(main.len())?;
                    self.state.apply(&main);
                }
                self.run(child)?;
            }
        }
        let main = main.unwrap_or_else(|| self.state.undo(mark));
        branches.push(main);
        if !says_else && self.dialect.needs_else && self.language_needs_else() {
            return Err(WalkAborted);
        }
        self.state.join(&branches, branching.always_before || !says_else);
        Ok(())
    }

    fn does_nothing(&self, node: u32) -> bool {
        self.leaves.at(node).is_some_and(|leaf| !leaf.is_variable) || self.kind(node).is_comment
    }

    fn language_needs_else(&self) -> bool {
        match self.tree.language {
            Language::Python | Language::Php => false,
            Language::Java
            | Language::CSharp
            | Language::C
            | Language::Cpp
            | Language::JavaScript
            | Language::TypeScript
            | Language::Go
            | Language::Ruby
            | Language::Rust => true,
        }
    }

    /// Runs a loop: twice, or once if an enclosing loop runs for the second time.
    fn run_loop(&mut self, mut pass: impl FnMut(&mut Self) -> WalkResult) -> WalkResult {
        self.in_loop(|walk| {
            pass(walk)?;
            walk.for_the_second_time(pass)
        })
    }

    fn in_loop(&mut self, body: impl FnOnce(&mut Self) -> WalkResult) -> WalkResult {
        self.loops += 1;
        let walked = body(self);
        self.loops -= 1;
        walked
    }

    fn for_the_second_time(&mut self, mut pass: impl FnMut(&mut Self) -> WalkResult) -> WalkResult {
        if self.in_second_pass && !self.takes_the_long_way() {
            return Ok(());
        }
        let before = std::mem::replace(&mut self.in_second_pass, true);
        let walked = pass(self);
        self.in_second_pass = before;
        walked
    }

    #[cfg(test)]
    fn takes_the_long_way(&self) -> bool {
        self.always_twice
    }

    #[cfg(not(test))]
    #[expect(clippy::unused_self, reason = "tests ask it")]
    fn takes_the_long_way(&self) -> bool {
        false
    }

    fn for_loop(&mut self, node: u32) -> WalkResult {
        match self.compiled.rules.for_loop {
            For::Again(after) => self.in_loop(|walk| {
                walk.children(node)?;
                let Some(start) = walk.child_of(node, after) else { return Ok(()) };
                walk.for_the_second_time(|walk| walk.children_after(node, start))
            }),
            For::AgainWithUpdate => self.in_loop(|walk| {
                walk.children(node)?;
                let Some(clause) = walk.child_of(node, "for_clause") else { return Ok(()) };
                let update = walk.field(clause, "update");
                walk.for_the_second_time(|walk| {
                    update.map_or(Ok(()), |update| walk.run(update))?;
                    walk.children_after(node, clause)
                })
            }),
            For::LeftRight(body) => {
                let (left, right) = (self.field(node, "left"), self.field(node, "right"));
                let parts = self.parts(left.ok_or(WalkAborted)?, right.ok_or(WalkAborted)?);
                let last = self.tree.children(node).last();
                let body = last.filter(|&last| self.kind(last).name == body);
                self.run_loop(|walk| {
                    walk.link_parts(&parts)?;
                    body.map_or(Ok(()), |body| walk.run(body))
                })
            }
            For::PatternValue => {
                let pattern = self.field(node, "pattern").ok_or(WalkAborted)?;
                let value = self.field(node, "value").ok_or(WalkAborted)?;
                let body = self.field(node, "body").ok_or(WalkAborted)?;
                self.run_loop(|walk| {
                    walk.link_parts(&[(pattern, value)])?;
                    walk.run(body)
                })
            }
        }
    }

    fn child_of(&self, node: u32, kind: &str) -> Option<u32> {
        self.tree.children(node).find(|&child| self.kind(child).name == kind)
    }

    fn children_after(&mut self, node: u32, start: u32) -> WalkResult {
        let mut children = self.tree.children(node).skip_while(|&child| child <= start);
        children.try_for_each(|child| self.run(child))
    }

    fn for_each(&mut self, node: u32) -> WalkResult {
        let (name, value, body) = match self.compiled.rules.for_each {
            ForEach::Fields(name, value, body) => {
                (self.field(node, name), self.field(node, value), self.field(node, body))
            }
            ForEach::SecondAndFirst(kind) => {
                let of_kind = |child: &u32| self.kind(*child).name == kind;
                let mut children = self.tree.children(node).filter(of_kind);
                let value = children.next();
                (children.next(), value, self.field(node, "body"))
            }
        };
        let (Some(name), Some(value), Some(body)) = (name, value, body) else {
            return Err(WalkAborted);
        };
        self.run_loop(|walk| {
            walk.run(value)?;
            let (targets, sources) = (walk.variables(name)?, walk.variables(value)?);
            walk.link_each(&targets, Relation::ComputedFrom, &sources)?;
            walk.run(body)
        })
    }
}
