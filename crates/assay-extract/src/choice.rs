//! The choice among the blocks of an answer.

use std::borrow::Cow;
use std::cmp::Reverse;

use assay_core::{ExpectedCode, Language};

use crate::definitions::{count_defined, outdented};
use crate::fences::{Block, blocks};
use crate::helpers::with_helpers;
use crate::tags::Tag;
use crate::{is_valid, prose};

/// The code of the block that is meant; without blocks, the answer without prose around its code.
pub(crate) fn code<'a>(answer: &'a str, expected: &ExpectedCode<'_>) -> Cow<'a, str> {
    let mut blocks = blocks(answer);
    let Some(&first) = blocks.first() else { return prose::without(answer, expected).into() };
    let before = &answer[..first.start];
    if is_program_with_fences(answer, before, expected) {
        return answer.into();
    }
    blocks.retain(|block| !block.is_blank());
    if continues_prompt(before, expected) {
        return before.into();
    }
    let defining = || defining(&blocks, expected);
    defining().or_else(|| begun_before(before, &first, expected)).unwrap_or_else(|| {
        let mut of_language = blocks.iter().filter(|block| block.tag.is_for(expected.language));
        let untagged = blocks.iter().find(|block| block.tag == Tag::None);
        let chosen = of_language.next_back().or(untagged).or(blocks.first());
        chosen.map_or(answer.into(), Block::code)
    })
}

/// Returns true if an answer, whose first fence comes after `before`, is a valid program: fences are part of its comments
/// or strings. Where backticks are code, Markdown may be valid too, unless a comment is open.
fn is_program_with_fences(answer: &str, before: &str, expected: &ExpectedCode<'_>) -> bool {
    let has_code_in_backticks = matches!(
        expected.language,
        Language::JavaScript | Language::TypeScript | Language::Go | Language::Php | Language::Ruby
    );
    let is_in_comment = || before.rfind("/*") > before.rfind("*/");
    count_defined(answer, expected) > 0
        && (!has_code_in_backticks || is_in_comment())
        && is_valid(answer, expected.language)
}

/// The first block, or the whole answer if it has none.
pub(crate) fn first(answer: &str) -> Cow<'_, str> {
    filled_blocks(answer).first().map_or(answer.into(), Block::code)
}

/// The last block, or the whole answer if it has none.
pub(crate) fn last(answer: &str) -> Cow<'_, str> {
    filled_blocks(answer).last().map_or(answer.into(), Block::code)
}

/// The blocks that have any code.
fn filled_blocks(answer: &str) -> Vec<Block<'_>> {
    blocks(answer).into_iter().filter(|block| !block.is_blank()).collect()
}

/// The number of blocks, from the last one on, of which the first valid one is taken.
const MAX_TRIED: usize = 8;

/// The block that defines the most entry points; the last one of several, unless it is invalid and one before is not:
/// a model corrects itself below, and an answer that is cut off ends within its last block.
fn defining<'a>(blocks: &[Block<'a>], expected: &ExpectedCode<'_>) -> Option<Cow<'a, str>> {
    let rank = |(place, block): (usize, &Block<'a>)| {
        let code = outdented(block.code(), expected);
        let defined = count_defined(&code, expected);
        let is_other = block.tag != Tag::None && !block.tag.is_for(expected.language);
        (defined > 0).then_some(((is_other, Reverse(defined)), (place, code)))
    };
    let ranked: Vec<_> = blocks.iter().enumerate().filter_map(rank).collect();
    let best = ranked.iter().map(|(rank, _)| *rank).min()?;
    let mut codes: Vec<(usize, Cow<'a, str>)> =
        ranked.into_iter().filter(|(rank, _)| *rank == best).map(|(_, code)| code).collect();
    let mut tried = (0..codes.len()).rev().take(MAX_TRIED);
    let chosen = tried.find(|&at| is_valid(&codes[at].1, expected.language));
    let chosen = chosen.unwrap_or(codes.len() - 1);
    let (place, code) = codes.swap_remove(chosen);
    Some(with_helpers(code, place, blocks, expected))
}

/// The code of an answer in which a program begins before the first fence: the fence is its end, or within it. `None` if
/// what comes before is no such program.
fn begun_before<'a>(
    before: &'a str,
    first: &Block<'a>,
    expected: &ExpectedCode<'_>,
) -> Option<Cow<'a, str>> {
    if count_defined(before, expected) == 0 {
        return None;
    }
    let joined = format!("{before}{}", first.code());
    let goes_on = !is_valid(before, expected.language) && is_valid(&joined, expected.language);
    Some(if goes_on { joined.into() } else { prose::without(before, expected).into() })
}

/// Returns true if a text continues the prompt to valid code: the answer begins within a block that was opened in the
/// question.
fn continues_prompt(text: &str, expected: &ExpectedCode<'_>) -> bool {
    let Some(line) = text.lines().find(|line| !line.trim().is_empty()) else { return false };
    if expected.prompt.is_empty() || !line.starts_with([' ', '\t']) {
        return false;
    }
    match expected.language {
        Language::Python => is_valid(&format!("{}{text}", expected.prompt), Language::Python),
        _ => text.contains([';', '}', '{']),
    }
}
