//! The edits that turn the candidate into the new line, token by token.

use super::{Candidate, Sink, TaskContext, flag};
use crate::lex::{Token, TokenKind};
use crate::similarity::{Pattern, common_prefix, common_suffix};

/// The maximum number of tokens that are aligned.
const MAX_TOKENS: usize = 64;

const KINDS: [(TokenKind, &str); 5] = [
    (TokenKind::Ident, "names"),
    (TokenKind::Keyword, "keywords"),
    (TokenKind::Number, "numbers"),
    (TokenKind::Literal, "literals"),
    (TokenKind::Operator, "operators"),
];

/// A run of tokens that was replaced: start and end in the old line, then in the new one.
type Region = (usize, usize, usize, usize);

pub(super) fn describe(task: &TaskContext<'_>, candidate: &Candidate<'_>, out: &mut dyn Sink) {
    let old = task.source.tokens(candidate.at);
    let old = &old[..old.len().min(MAX_TOKENS)];
    let new = &task.query.tokens[..task.query.tokens.len().min(MAX_TOKENS)];
    let (regions, kept) = align(old, new);
    let both = old.len() + new.len();
    out.put("kept tokens", if both == 0 { 0.0 } else { 2.0 * kept as f32 / both as f32 });
    out.put("regions", regions.len() as f32);
    let of_kind = |kind: TokenKind, tokens: &[Token]| {
        tokens.iter().filter(|token| token.kind == kind).count() as f32
    };
    for (kind, name) in KINDS {
        let deleted: f32 =
            regions.iter().map(|region| of_kind(kind, &old[region.0..region.1])).sum();
        let inserted: f32 =
            regions.iter().map(|region| of_kind(kind, &new[region.2..region.3])).sum();
        out.put_named(format_args!("deleted {name}"), deleted);
        out.put_named(format_args!("inserted {name}"), inserted);
    }
    let swaps: Vec<(&Token, &Token)> = regions
        .iter()
        .filter(|region| region.1 - region.0 == 1 && region.3 - region.2 == 1)
        .map(|region| (&old[region.0], &new[region.2]))
        .collect();
    out.put("swaps", swaps.len() as f32);
    let same_kind = swaps.iter().filter(|(old, new)| old.kind == new.kind).count();
    out.put("swaps within a kind", same_kind as f32);
    let alike = |(left, right): &(&Token, &Token)| {
        let old = &candidate.text[left.start as usize..left.end as usize];
        let new = &task.query.text[right.start as usize..right.end as usize];
        let ends = common_prefix(old, new).max(common_suffix(old, new));
        ends as f32 / old.len().max(new.len()) as f32
    };
    out.put("likeness of swaps", swaps.iter().map(alike).fold(0.0, f32::max));
    out.put("only one swap", flag(regions.len() == 1 && swaps.len() == 1));
    out.put("only inserted", flag(regions.iter().all(|region| region.0 == region.1)));
    out.put("only deleted", flag(regions.iter().all(|region| region.2 == region.3)));
    out.put("likeness of regions", similarity(task, candidate, old, new, &regions));
    let first = regions.first().map_or(-1.0, |region| region.0 as f32);
    out.put("first region", first);
}

/// The similarity of the removed tokens to the added ones.
fn similarity(
    task: &TaskContext<'_>,
    candidate: &Candidate<'_>,
    old: &[Token],
    new: &[Token],
    regions: &[Region],
) -> f32 {
    let gather = |text: &[u8], tokens: &[Token], from: usize, to: usize, into: &mut Vec<u8>| {
        for token in &tokens[from..to] {
            into.extend_from_slice(&text[token.start as usize..token.end as usize]);
        }
    };
    let (mut out, mut put) = (Vec::new(), Vec::new());
    for region in regions {
        gather(candidate.text, old, region.0, region.1, &mut out);
        gather(task.query.text, new, region.2, region.3, &mut put);
    }
    if out.is_empty() || put.is_empty() {
        return 0.0;
    }
    Pattern::new(&out).indel(&put)
}

/// The regions in which two lists of tokens differ, and the number of tokens they share in order.
fn align(old: &[Token], new: &[Token]) -> (Vec<Region>, usize) {
    let width = new.len() + 1;
    let mut longest = vec![0u8; (old.len() + 1) * width];
    for a in (0..old.len()).rev() {
        for b in (0..new.len()).rev() {
            longest[a * width + b] = if old[a].hash == new[b].hash {
                longest[(a + 1) * width + b + 1] + 1
            } else {
                longest[(a + 1) * width + b].max(longest[a * width + b + 1])
            };
        }
    }
    let mut regions = Vec::new();
    let (mut a, mut b) = (0, 0);
    let mut region: Option<(usize, usize)> = None;
    while a < old.len() || b < new.len() {
        let same = a < old.len() && b < new.len() && old[a].hash == new[b].hash;
        if same {
            if let Some((from_a, from_b)) = region.take() {
                regions.push((from_a, a, from_b, b));
            }
            a += 1;
            b += 1;
            continue;
        }
        region.get_or_insert((a, b));
        let skip_old = b == new.len()
            || (a < old.len() && longest[(a + 1) * width + b] >= longest[a * width + b + 1]);
        if skip_old {
            a += 1;
        } else {
            b += 1;
        }
    }
    if let Some((from_a, from_b)) = region {
        regions.push((from_a, old.len(), from_b, new.len()));
    }
    (regions, usize::from(longest[0]))
}
