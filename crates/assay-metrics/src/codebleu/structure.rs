//! The two parts of CodeBLEU that compare structure: subtrees and data flow.

use assay_syntax::comments::without_comments;
use assay_syntax::flow::DataFlow;
use assay_syntax::{Language, SyntaxTree};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Variant;

/// What comparing the structure of a pair found, over all references.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct StructureCounts {
    pub(super) subtrees_matched: u64,
    pub(super) subtrees: u64,
    pub(super) flows_matched: u64,
    pub(super) flows: u64,
}

/// What is compared of a text: numbers that stand for its subtrees and its flows.
struct Structure {
    subtrees: Vec<u64>,
    flows: Vec<u64>,
}

impl Structure {
    fn of(text: &str, language: Language, variant: Variant) -> Self {
        let tree = SyntaxTree::parse(text, language);
        let flows = DataFlow::of(&tree, variant.dialect()).identities();
        Self { subtrees: tree.subtrees().to_vec(), flows }
    }
}

/// Compares texts that are ready to be parsed but for their comments.
pub(super) fn compare(
    references: &[&str],
    hypothesis: &str,
    language: Language,
    variant: Variant,
) -> StructureCounts {
    let clean = |text| without_comments(text, language, variant.removal());
    let mut counts = StructureCounts::default();
    let cleaned = clean(hypothesis);
    let mut given: Option<Structure> = None;
    for reference in references {
        let reference = clean(reference);
        if reference == cleaned {
            // Both are the same program: one parse is enough, and all of it is matched.
            let same = given.get_or_insert_with(|| Structure::of(&cleaned, language, variant));
            counts.subtrees_matched += same.subtrees.len() as u64;
            counts.subtrees += same.subtrees.len() as u64;
            counts.flows_matched += same.flows.len() as u64;
            counts.flows += same.flows.len() as u64;
            continue;
        }
        let wanted = Structure::of(&reference, language, variant);
        let given = given.get_or_insert_with(|| Structure::of(&cleaned, language, variant));
        counts.subtrees_matched += if variant.clips_subtrees() {
            matched_once_each(&wanted.subtrees, &given.subtrees)
        } else {
            matched_anywhere(&wanted.subtrees, &given.subtrees)
        };
        counts.subtrees += wanted.subtrees.len() as u64;
        counts.flows_matched += matched_once_each(&wanted.flows, &given.flows);
        counts.flows += wanted.flows.len() as u64;
    }
    counts
}

/// How many of `wanted` are anywhere in `given`.
fn matched_anywhere(wanted: &[u64], given: &[u64]) -> u64 {
    let given: FxHashSet<u64> = given.iter().copied().collect();
    wanted.iter().filter(|one| given.contains(one)).count() as u64
}

/// How many of `wanted` are in `given` when each of those stands for one only.
fn matched_once_each(wanted: &[u64], given: &[u64]) -> u64 {
    let mut left: FxHashMap<u64, u64> = FxHashMap::default();
    for one in given {
        *left.entry(*one).or_default() += 1;
    }
    let matched = wanted.iter().filter(|one| {
        left.get_mut(one).is_some_and(|left| {
            let any = *left > 0;
            *left -= u64::from(any);
            any
        })
    });
    matched.count() as u64
}
