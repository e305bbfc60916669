//! Blocks that the chosen block needs: a helper, or the imports, that a model put into a block of their own.

use std::borrow::Cow;
use std::collections::BTreeSet;

use assay_core::{ExpectedCode, Language};
use assay_syntax::python::{names_bound, names_used, statements};

use crate::definitions::defines;
use crate::fences::Block;
use crate::is_valid;

/// The number of blocks before the chosen one that are looked at.
const MAX_BLOCKS: usize = 16;

/// The code of the chosen block, which is at `place`, after those blocks before it that only define or import what it
/// uses and does not define itself.
pub(crate) fn with_helpers<'a>(
    code: Cow<'a, str>,
    place: usize,
    blocks: &[Block<'a>],
    expected: &ExpectedCode<'_>,
) -> Cow<'a, str> {
    if expected.language != Language::Python || place == 0 {
        return code;
    }
    let mut bound: BTreeSet<String> = owned(names_bound(&code));
    let mut missing: BTreeSet<String> = owned(names_used(&code));
    missing.retain(|name| !bound.contains(name));
    let mut helpers: Vec<Cow<'a, str>> = Vec::new();
    for block in blocks[..place].iter().rev().take(MAX_BLOCKS) {
        let helper = block.code();
        let has = owned(names_bound(&helper));
        let is_needed = has.iter().any(|name| missing.contains(name));
        if !is_needed || !block.tag.may_be(Language::Python) || !only_defines(&helper, expected) {
            continue;
        }
        missing.extend(owned(names_used(&helper)));
        bound.extend(has);
        missing.retain(|name| !bound.contains(name));
        helpers.push(helper);
    }
    if helpers.is_empty() {
        return code;
    }
    let pieces = helpers.iter().rev().chain([&code]);
    pieces.map(|piece| on_whole_lines(piece)).collect::<String>().into()
}

fn owned(names: BTreeSet<&str>) -> BTreeSet<String> {
    names.into_iter().map(str::to_owned).collect()
}

fn on_whole_lines(piece: &str) -> String {
    if piece.ends_with('\n') { piece.to_owned() } else { format!("{piece}\n") }
}

/// Returns true if code consists of imports and definitions, and does not define what is asked for: an earlier try.
fn only_defines(code: &str, expected: &ExpectedCode<'_>) -> bool {
    const STARTS: [&str; 6] = ["def ", "class ", "async def ", "import ", "from ", "@"];
    let is_definition = |text: &str| {
        let text = text.trim_start();
        text.is_empty()
            || text.starts_with('#')
            || STARTS.iter().any(|start| text.starts_with(start))
    };
    statements(code).into_iter().all(|range| is_definition(&code[range]))
        && !defines(code, expected)
        && is_valid(code, Language::Python)
}
