//! Imports, the heads of statements, and arguments.

use super::{Candidate, Sink, Task, flag, share};
use crate::lex::{Kind, Token};
use crate::similarity::{Pattern, common_prefix};
use crate::source::Statement;

pub(super) fn describe(task: &Task<'_>, candidate: &Candidate<'_>, out: &mut dyn Sink) {
    imports(task, candidate, out);
    heads(task, candidate, out);
    arguments(task, candidate, out);
}

/// The names of an import, from the left.
fn path(statement: Statement, tokens: &[Token]) -> Vec<u64> {
    if !matches!(statement, Statement::Import | Statement::Package) {
        return Vec::new();
    }
    tokens.iter().filter(|token| token.kind == Kind::Ident).map(|token| token.hash).collect()
}

fn imports(task: &Task<'_>, candidate: &Candidate<'_>, out: &mut dyn Sink) {
    let at = candidate.at;
    let new = path(task.query.statement, &task.query.tokens);
    let old = path(task.source.lines[at].statement, task.source.tokens(at));
    let both = !new.is_empty() && !old.is_empty();
    out.put("both import", flag(both));
    out.put("same last name", flag(both && new.last() == old.last()));
    let common = new.iter().zip(&old).take_while(|(new, old)| new == old).count();
    out.put("common packages", common as f32);
    out.put("common packages of new", share(common, new.len()));
    let uses = |names: &[u64]| {
        let lines = names.last().and_then(|name| task.occurrences.get(name));
        lines.map_or(-1.0, |lines| lines.len() as f32)
    };
    out.put("uses of imported, new", uses(&new));
    out.put("uses of imported, old", uses(&old));
}

/// The text before the first `=` or `(`.
fn head(text: &[u8]) -> &[u8] {
    let end = text.iter().position(|byte| matches!(byte, b'=' | b'('));
    text[..end.unwrap_or(text.len())].trim_ascii()
}

fn heads(task: &Task<'_>, candidate: &Candidate<'_>, out: &mut dyn Sink) {
    let (new, old) = (head(task.query.text), head(candidate.text));
    out.put("same head", flag(new == old));
    out.put("likeness of heads", Pattern::new(new).indel(old));
    out.put("common start of heads", share(common_prefix(new, old), new.len().max(old.len())));
    let tails = (&task.query.text[new.len()..], &candidate.text[old.len()..]);
    out.put("likeness of tails", Pattern::new(tails.0).indel(tails.1));
    out.put("same tail", flag(tails.0 == tails.1));
    let lines = &task.source.lines;
    let near = |reach: usize| {
        let (from, to) = (candidate.at.saturating_sub(reach), candidate.at + reach + 1);
        let others = (from..to.min(lines.len())).filter(|&line| line != candidate.at);
        others.filter(|&line| head(lines[line].text) == new).count() as f32
    };
    out.put("heads of new within 3", near(3));
    out.put("heads of new within 15", near(15));
}

/// The arguments within the outermost parentheses, as hashes of their texts.
fn argument_list(text: &[u8]) -> Vec<u64> {
    let mut depth = 0;
    let mut start = None;
    let mut arguments = Vec::new();
    for (at, byte) in text.iter().enumerate() {
        match byte {
            b'(' => {
                depth += 1;
                if depth == 1 {
                    start = Some(at + 1);
                }
            }
            b',' | b')' => {
                if depth == 1
                    && let Some(from) = start
                {
                    let argument = text[from..at].trim_ascii();
                    if !argument.is_empty() {
                        arguments.push(crate::lex::hash(argument));
                    }
                    start = (*byte == b',').then_some(at + 1);
                }
                depth -= i32::from(*byte == b')');
            }
            _ => {}
        }
    }
    arguments.sort_unstable();
    arguments
}

fn arguments(task: &Task<'_>, candidate: &Candidate<'_>, out: &mut dyn Sink) {
    let (new, old) = (argument_list(task.query.text), argument_list(candidate.text));
    let shared = crate::similarity::sorted_common(&new, &old);
    out.put("arguments of new", new.len() as f32);
    out.put("arguments of old", old.len() as f32);
    out.put("more arguments", new.len() as f32 - old.len() as f32);
    out.put("shared arguments", shared as f32);
    out.put("shared arguments of both", share(2 * shared, new.len() + old.len()));
}
