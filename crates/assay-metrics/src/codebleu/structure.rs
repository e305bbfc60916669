//! The two parts of CodeBLEU that compare structure: subtrees and data flow.

use std::borrow::Cow;
use std::cell::RefCell;
use std::hash::BuildHasher;
use std::rc::Rc;

use assay_syntax::comments::without_comments;
use assay_syntax::flow::DataFlow;
use assay_syntax::{Language, SyntaxTree};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::Variant;

/// The structural matches of a pair, over all references.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct StructureCounts {
    pub(super) subtrees_matched: u64,
    pub(super) subtrees: u64,
    pub(super) flows_matched: u64,
    pub(super) flows: u64,
}

/// Compares texts that are ready to be parsed except for their comments.
pub(super) fn compare(
    references: &[&str],
    hypothesis: &str,
    language: Language,
    variant: Variant,
) -> StructureCounts {
    let mut given = Structure::of(hypothesis, language, variant);
    let mut cleaned = Cow::Borrowed(hypothesis);
    let mut counts = StructureCounts::default();
    for (at, reference) in references.iter().enumerate() {
        if at > 0 && variant.removes_comments_again() {
            let text = without_comments(&cleaned, language, variant.removal()).into_owned();
            given = Structure::of(&text, language, variant);
            cleaned = Cow::Owned(text);
        }
        let wanted = Structure::of(reference, language, variant);
        counts.subtrees += wanted.subtrees.len() as u64;
        counts.flows += wanted.flows.len() as u64;
        if Rc::ptr_eq(&wanted, &given) {
            counts.subtrees_matched += wanted.subtrees.len() as u64;
            counts.flows_matched += wanted.flows.len() as u64;
            continue;
        }
        counts.subtrees_matched += if variant.clips_subtrees() {
            matched_once_each(&wanted.subtrees, &given.subtrees)
        } else {
            matched_anywhere(&wanted.subtrees, &given.subtrees)
        };
        counts.flows_matched += matched_once_each(&wanted.flows, &given.flows);
    }
    counts
}

/// The structure of a text: numbers that represent its subtrees and its data flows.
struct Structure {
    subtrees: Vec<u64>,
    flows: Vec<u64>,
}

impl Structure {
    /// The structure of a text. It is parsed only once if it appears again soon: as its own
    /// reference, or as the reference of the next sample.
    fn of(text: &str, language: Language, variant: Variant) -> Rc<Self> {
        if text.len() > MAX_CACHED_BYTES {
            return Rc::new(Self::new(text, language, variant));
        }
        CACHE.with_borrow_mut(|kept| {
            let hash = FxBuildHasher.hash_one(text);
            // The upper bits are better distributed.
            let place = usize::try_from(hash >> 40).unwrap_or_default() % CACHE_SLOTS;
            if kept.is_empty() {
                kept.resize_with(CACHE_SLOTS, || None);
            }
            let slot = &mut kept[place];
            if let Some(known) = slot
                && (known.language, known.variant) == (language, variant)
                && *known.text == *text
            {
                return Rc::clone(&known.structure);
            }
            let structure = Rc::new(Self::new(text, language, variant));
            let kept = CachedStructure { text: text.into(), language, variant, structure };
            Rc::clone(&slot.insert(kept).structure)
        })
    }

    fn new(text: &str, language: Language, variant: Variant) -> Self {
        let text = without_comments(text, language, variant.removal());
        let tree = SyntaxTree::parse(&text, language);
        let flows = DataFlow::identities(&tree, variant.dialect());
        Self { subtrees: tree.into_subtrees(), flows }
    }
}

/// The number of structures cached per thread: enough for the references of the small benchmarks,
/// which are visited once for each sample. It is twice that number, because some share a slot.
const CACHE_SLOTS: usize = 2048;

/// The longest text, in bytes, whose structure is cached, so that the cache holds a few megabytes
/// for usual texts, and tens of megabytes at most.
const MAX_CACHED_BYTES: usize = 4 << 10;

struct CachedStructure {
    text: Box<str>,
    language: Language,
    variant: Variant,
    structure: Rc<Structure>,
}

thread_local! {
    static CACHE: RefCell<Vec<Option<CachedStructure>>> = const { RefCell::new(Vec::new()) };
}

/// The number of elements of `wanted` that occur anywhere in `given`.
fn matched_anywhere(wanted: &[u64], given: &[u64]) -> u64 {
    let given: FxHashSet<u64> = given.iter().copied().collect();
    wanted.iter().filter(|one| given.contains(one)).count() as u64
}

/// The number of elements of `wanted` that occur in `given`, where each of those matches only once.
fn matched_once_each(wanted: &[u64], given: &[u64]) -> u64 {
    let mut left: FxHashMap<u64, u64> =
        FxHashMap::with_capacity_and_hasher(given.len(), FxBuildHasher);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_what_is_found_anew() {
        for text in ["a = b", "a = b # c", "if a:\n  b = a"] {
            let first = Structure::of(text, Language::Python, Variant::Assay);
            let second = Structure::of(text, Language::Python, Variant::Assay);
            let other = Structure::of(text, Language::Python, Variant::FusionBrain);
            assert!(Rc::ptr_eq(&first, &second));
            assert!(!Rc::ptr_eq(&first, &other));
        }
    }

    #[test]
    fn matches_are_counted() {
        assert_eq!(matched_anywhere(&[1, 1, 2, 3], &[1, 3, 4]), 3);
        assert_eq!(matched_once_each(&[1, 1, 2, 3], &[1, 3, 4]), 2);
    }
}
