//! The edges between variables, as they are found.

use super::Relation;
use crate::mix::Mixer;

const NONE: u32 = u32::MAX;

/// Edges by the index of the leaf that data flows to.
pub(super) struct Edges {
    /// The first and last edge of each leaf.
    ends: Vec<(u32, u32)>,
    list: Vec<Edge>,
    /// The texts of the sources of all edges, one edge after another.
    texts: Vec<u32>,
    /// The leaves that are the source of an edge.
    is_source: Vec<bool>,
    seen: Vec<u32>,
    round: u32,
}

#[derive(Clone, Copy)]
struct Edge {
    relation: Relation,
    sources: SourceList,
    next: u32,
}

/// The range of the texts that an edge comes from.
#[derive(Clone, Copy)]
pub(super) struct SourceList {
    from: u32,
    to: u32,
}

impl Edges {
    pub(super) fn new(texts: usize, places: usize) -> Self {
        Self {
            ends: vec![(NONE, NONE); places],
            list: Vec::with_capacity(places),
            texts: Vec::with_capacity(places),
            is_source: vec![false; places],
            seen: vec![0; texts],
            round: 0,
        }
    }

    /// Records that data flows from the leaf at `place`.
    pub(super) fn source(&mut self, place: u32) {
        self.is_source[place as usize] = true;
    }

    /// Stores a list of sources, which any number of edges can share.
    pub(super) fn list(&mut self, sources: impl IntoIterator<Item = u32>) -> SourceList {
        let from = length(&self.texts);
        self.texts.extend(sources);
        SourceList { from, to: length(&self.texts) }
    }

    /// Stores a list of distinct sources, in the order of first occurrence.
    pub(super) fn list_once(&mut self, sources: impl IntoIterator<Item = u32>) -> SourceList {
        let from = length(&self.texts);
        self.round += 1;
        for source in sources {
            self.push_once(source);
        }
        SourceList { from, to: length(&self.texts) }
    }

    /// Adds an edge to `place`. In a loop, edges of the same relation to the same leaf are merged.
    pub(super) fn add(
        &mut self,
        place: u32,
        relation: Relation,
        sources: SourceList,
        in_loop: bool,
    ) {
        if in_loop && let Some(same) = self.find(place, relation) {
            self.unite(same, sources);
            return;
        }
        let number = length(&self.list);
        self.list.push(Edge { relation, sources, next: NONE });
        let (first, last) = &mut self.ends[place as usize];
        if *first == NONE {
            *first = number;
        } else {
            self.list[*last as usize].next = number;
        }
        *last = number;
    }

    fn find(&self, place: u32, relation: Relation) -> Option<u32> {
        self.at(place).find(|&edge| self.list[edge as usize].relation == relation)
    }

    fn at(&self, place: u32) -> impl Iterator<Item = u32> + '_ {
        let known = |edge: u32| (edge != NONE).then_some(edge);
        let first = known(self.ends[place as usize].0);
        std::iter::successors(first, move |&edge| known(self.list[edge as usize].next))
    }

    fn sources(&self, SourceList { from, to }: SourceList) -> &[u32] {
        &self.texts[from as usize..to as usize]
    }

    /// Merges the sources of an edge with others, without duplicates, in the order of first
    /// occurrence.
    fn unite(&mut self, edge: u32, others: SourceList) {
        let old = self.list[edge as usize].sources;
        if self.sources(old).len() < 2 && self.sources(old) == self.sources(others) {
            return;
        }
        let start = length(&self.texts);
        self.round += 1;
        for at in (old.from..old.to).chain(others.from..others.to) {
            self.push_once(self.texts[at as usize]);
        }
        let end = length(&self.texts);
        if end - start == old.to - old.from {
            // There is nothing new.
            self.texts.truncate(start as usize);
            return;
        }
        self.list[edge as usize].sources = SourceList { from: start, to: end };
    }

    fn push_once(&mut self, text: u32) {
        let seen = &mut self.seen[text as usize];
        if *seen != self.round {
            *seen = self.round;
            self.texts.push(text);
        }
    }

    /// Visits the final flows: one for each leaf that takes part in any, in order, with the texts
    /// that it comes from.
    pub(super) fn visit(mut self, read: &[bool], mut visit: impl FnMut(usize, Relation, &[u32])) {
        let mut united = Vec::new();
        for (place, &read) in read.iter().enumerate() {
            let (first, last) = self.ends[place];
            if first == NONE {
                continue;
            }
            let relation = self.list[last as usize].relation;
            let sources = if first == last {
                self.sources(self.list[first as usize].sources)
            } else {
                self.unite_all(first, &mut united);
                &united
            };
            if !sources.is_empty() || read || self.is_source[place] {
                visit(place, relation, sources);
            }
        }
    }

    /// The sources of an edge and of those after it, without duplicates, in the order of first
    /// occurrence.
    fn unite_all(&mut self, first: u32, united: &mut Vec<u32>) {
        united.clear();
        self.round += 1;
        let mut at = first;
        while let Some(&Edge { sources: SourceList { from, to }, next, .. }) =
            self.list.get(at as usize)
        {
            for &text in &self.texts[from as usize..to as usize] {
                let seen = &mut self.seen[text as usize];
                if *seen != self.round {
                    *seen = self.round;
                    united.push(text);
                }
            }
            at = next;
        }
    }
}

fn length<T>(list: &[T]) -> u32 {
    u32::try_from(list.len()).unwrap_or(NONE)
}

/// Numbers for variables, in the order of first occurrence.
pub(super) struct Names {
    numbers: Vec<u32>,
    count: u32,
}

impl Names {
    pub(super) fn new(texts: usize) -> Self {
        Self { numbers: vec![NONE; texts], count: 0 }
    }

    /// Returns the identity of a flow, independent of the names of variables.
    pub(super) fn identity(&mut self, text: u32, relation: Relation, sources: &[u32]) -> u64 {
        let mut identity = Mixer::new(relation as u64);
        for &source in sources {
            identity.add(self.number(source));
        }
        identity.add(self.number(text));
        identity.number()
    }

    fn number(&mut self, text: u32) -> u64 {
        let number = &mut self.numbers[text as usize];
        if *number == NONE {
            *number = self.count;
            self.count += 1;
        }
        u64::from(*number)
    }
}
