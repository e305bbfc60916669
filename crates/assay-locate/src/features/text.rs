//! The similarity of the texts.

use super::{Candidate, Sink, TaskContext, flag, share};
use crate::lex::{Token, TokenKind};
use crate::similarity::{common_prefix, common_suffix, jaro_winkler, sorted_common, sorted_dice};

pub(super) fn describe(task: &TaskContext<'_>, candidate: &Candidate<'_>, out: &mut dyn Sink) {
    let (new, old) = (task.query.text, candidate.text);
    let (at, overview) = (candidate.at, task.overview);
    out.put("indel", overview.indel[at]);
    out.put("trigrams", overview.dice[at]);
    out.put("jaro-winkler", jaro_winkler(new, old));
    let prefix = common_prefix(new, old);
    let suffix = common_suffix(new, old).min(new.len().min(old.len()) - prefix);
    out.put("prefix", prefix as f32);
    out.put("suffix", suffix as f32);
    out.put("ends", overview.ends[at]);
    out.put("prefix of new", share(prefix, new.len()));
    out.put("suffix of new", share(suffix, new.len()));
    out.put("ends of shorter", share(prefix + suffix, new.len().min(old.len())));
    out.put("token dice", sorted_dice(&task.bag, &candidate.bag));
    out.put("word dice", sorted_dice(&task.words, &candidate.words));
    let common = sorted_common(&task.words, &candidate.words);
    out.put("words of new", share(common, task.words.len()));
    out.put("words of old", share(common, candidate.words.len()));
    let shared = candidate.all_names.len() - candidate.new_names.len();
    out.put("shared names", shared as f32);
    out.put("shared names of new", share(shared, candidate.all_names.len()));
    out.put("shared names of old", share(shared, shared + candidate.old_names.len()));
    out.put("shared rarity", overview.shared[at]);
    let tokens = task.source.tokens(at);
    out.put("keyword dice", kind_dice(task, candidate, TokenKind::Keyword));
    out.put("operator dice", kind_dice(task, candidate, TokenKind::Operator));
    out.put("literal dice", kind_dice(task, candidate, TokenKind::Literal));
    out.put("number dice", kind_dice(task, candidate, TokenKind::Number));
    out.put("length of new", new.len() as f32);
    out.put("length of old", old.len() as f32);
    out.put("longer by", new.len() as f32 - old.len() as f32);
    out.put("length ratio", share(new.len().min(old.len()), new.len().max(old.len())));
    out.put("tokens of new", task.query.tokens.len() as f32);
    out.put("tokens of old", tokens.len() as f32);
    out.put("more tokens", task.query.tokens.len() as f32 - tokens.len() as f32);
    let last = |text: &[u8]| text.last().copied().unwrap_or_default();
    out.put("same last letter", flag(last(new) == last(old)));
    let first = |tokens: &[Token]| tokens.first().map(|token| token.hash);
    out.put("same first token", flag(first(tokens) == first(&task.query.tokens)));
    let second = |tokens: &[Token]| tokens.get(1).map(|token| token.hash);
    out.put("same second token", flag(second(tokens) == second(&task.query.tokens)));
    out.put("comment", flag(task.source.lines[at].comment));
    out.put("same commentness", flag(task.source.lines[at].comment == task.query.comment));
}

/// Dice's coefficient of the tokens of one kind. Lines are short, so each token is searched in the
/// other line.
fn kind_dice(task: &TaskContext<'_>, candidate: &Candidate<'_>, kind: TokenKind) -> f32 {
    let of_kind = |tokens: &[Token]| tokens.iter().filter(|token| token.kind == kind).count();
    let (new, old) = (&task.query.tokens, task.source.tokens(candidate.at));
    let both = of_kind(new) + of_kind(old);
    let mut taken = 0u64;
    let mut common = 0;
    for token in new.iter().filter(|token| token.kind == kind) {
        let same = |(at, other): &(usize, &Token)| {
            other.hash == token.hash && other.kind == kind && taken >> at & 1 == 0
        };
        if let Some((at, _)) = old.iter().enumerate().take(64).find(same) {
            taken |= 1 << at;
            common += 1;
        }
    }
    share(2 * common, both)
}
