//! Statements, declarations, brackets, and copies.

use super::{Candidate, Sink, TaskContext, flag, share};
use crate::lex::{Token, TokenKind};
use crate::source::Statement;

pub(super) fn describe(task: &TaskContext<'_>, candidate: &Candidate<'_>, out: &mut dyn Sink) {
    statements(task, candidate, out);
    brackets(task, candidate, out);
    declarations(task, candidate, out);
    copies(task, candidate, out);
}

fn statements(task: &TaskContext<'_>, candidate: &Candidate<'_>, out: &mut dyn Sink) {
    let lines = &task.source.lines;
    let at = candidate.at;
    let kind = lines[at].statement;
    out.put("kind of new", f32::from(task.query.statement as u8));
    out.put("kind of old", f32::from(kind as u8));
    out.put("same kind", flag(kind == task.query.statement));
    let shown = |statement: Statement| f32::from(statement as u8);
    let before = (0..at).rev().find(|&line| !lines[line].text.is_empty());
    let after = (at + 1..lines.len()).find(|&line| !lines[line].text.is_empty());
    let kind_at = |line: Option<usize>| line.map_or(-1.0, |line| shown(lines[line].statement));
    out.put("kind before", kind_at(before));
    out.put("kind after", kind_at(after));
    let last = before.and_then(|line| lines[line].text.last()).copied().unwrap_or_default();
    let first = after.and_then(|line| lines[line].text.first()).copied().unwrap_or_default();
    out.put("last letter before", f32::from(last));
    out.put("first letter after", f32::from(first));
    out.put("continues a line", flag(!matches!(last, b';' | b'{' | b'}' | b'/' | b':' | b')' | 0)));
    let indent = |line: Option<usize>| line.map_or(0.0, |line| lines[line].indent as f32);
    out.put("indent over before", lines[at].indent as f32 - indent(before));
    out.put("indent over after", lines[at].indent as f32 - indent(after));
    out.put("ends in semicolon, new", flag(task.query.text.ends_with(b";")));
    out.put("ends in brace, new", flag(task.query.text.ends_with(b"{")));
    out.put("ends in brace, old", flag(candidate.text.ends_with(b"{")));
    out.put("ends in semicolon, old", flag(candidate.text.ends_with(b";")));
}

fn brackets(task: &TaskContext<'_>, candidate: &Candidate<'_>, out: &mut dyn Sink) {
    let balance = |text: &[u8], tokens: &[Token], open: u8, close: u8| -> f32 {
        let mut sum = 0.0;
        for token in tokens.iter().filter(|token| token.kind == TokenKind::Operator) {
            let byte = text[token.start as usize];
            sum += flag(byte == open) - flag(byte == close);
        }
        sum
    };
    let old = task.source.tokens(candidate.at);
    for (name, open, close) in [("parens", b'(', b')'), ("braces", b'{', b'}')] {
        let new = balance(task.query.text, &task.query.tokens, open, close);
        let old = balance(candidate.text, old, open, close);
        out.put_named(format_args!("{name} of new"), new);
        out.put_named(format_args!("{name} of old"), old);
        out.put_named(format_args!("{name} change"), (new - old).abs());
    }
    let open = task.source.lines[candidate.at].open_parens;
    out.put("open parens", open as f32);
    let new = balance(task.query.text, &task.query.tokens, b'(', b')');
    out.put("closes too many", flag(open as f32 + new < 0.0));
}

/// The name that a line declares: the last name before `=`, `;` or `(`, if another name precedes
/// it.
fn declared(text: &[u8], tokens: &[Token]) -> Option<(u64, u64)> {
    let end = tokens.iter().position(|token| {
        token.kind == TokenKind::Operator
            && matches!(text[token.start as usize], b'=' | b';' | b'(' | b':')
    })?;
    let (name, kind) = (end.checked_sub(1)?, end.checked_sub(2)?);
    let is_type = matches!(tokens[kind].kind, TokenKind::Ident | TokenKind::Keyword)
        || matches!(text[tokens[kind].start as usize], b'>' | b']');
    let not_type = matches!(
        &text[tokens[kind].start as usize..tokens[kind].end as usize],
        b"return" | b"new" | b"throw" | b"else" | b"case"
    );
    (tokens[name].kind == TokenKind::Ident && is_type && !not_type)
        .then(|| (tokens[name].hash, tokens[kind].hash))
}

fn declarations(task: &TaskContext<'_>, candidate: &Candidate<'_>, out: &mut dyn Sink) {
    let at = candidate.at;
    let new = declared(task.query.text, &task.query.tokens);
    let old = declared(candidate.text, task.source.tokens(at));
    out.put("both declare", flag(new.is_some() && old.is_some()));
    out.put("one declares", flag(new.is_some() != old.is_some()));
    let same = |part: fn((u64, u64)) -> u64| flag(new.map(part) == old.map(part) && new.is_some());
    out.put("same name declared", same(|it| it.0));
    out.put("same type declared", same(|it| it.1));
    let (from, to) = task.source.method(at);
    let uses = |name: Option<(u64, u64)>, from: usize, to: usize| -> f32 {
        let lines = name.and_then(|(name, _)| task.occurrences.get(&name));
        let within =
            |line: &&u32| (from..=to).contains(&(**line as usize)) && **line as usize != at;
        lines.map_or(-1.0, |lines| lines.iter().filter(within).count() as f32)
    };
    out.put("uses of new name before", uses(new, from, at));
    out.put("uses of new name after", uses(new, at, to));
    out.put("uses of old name before", uses(old, from, at));
    out.put("uses of old name after", uses(old, at, to));
    out.put("uses of new name", uses(new, 0, task.source.lines.len()));
    out.put("uses of old name", uses(old, 0, task.source.lines.len()));
    let called = |text: &[u8], tokens: &[Token]| -> Vec<u64> {
        tokens
            .windows(2)
            .filter(|pair| pair[0].kind == TokenKind::Ident && text[pair[1].start as usize] == b'(')
            .map(|pair| pair[0].hash)
            .collect()
    };
    let new = called(task.query.text, &task.query.tokens);
    let old = called(candidate.text, task.source.tokens(at));
    let shared = new.iter().filter(|name| old.contains(name)).count();
    out.put("calls of new", new.len() as f32);
    out.put("calls of old", old.len() as f32);
    out.put("shared calls", shared as f32);
    out.put("shared calls of both", share(2 * shared, new.len() + old.len()));
}

fn copies(task: &TaskContext<'_>, candidate: &Candidate<'_>, out: &mut dyn Sink) {
    let lines = &task.source.lines;
    let text = lines[candidate.at].squeezed;
    let same: Vec<usize> =
        task.candidates.iter().copied().filter(|&at| lines[at].squeezed == text).collect();
    let place = same.iter().position(|&at| at == candidate.at).unwrap_or_default();
    out.put("copies", same.len() as f32);
    out.put("copies before", place as f32);
    out.put("copies after", (same.len() - place) as f32);
}
