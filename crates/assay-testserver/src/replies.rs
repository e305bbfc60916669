//! Replies in one piece.

use serde_json::{Value, json};

use crate::asked::Asked;
use crate::{Dialect, likelihood};

/// One choice before it is written.
#[derive(Debug, Clone)]
pub(crate) struct Choice {
    pub(crate) index: u64,
    pub(crate) text: String,
    pub(crate) finish: &'static str,
    pub(crate) tokens: usize,
}

impl Choice {
    /// A stored generation, cut where the request says.
    pub(crate) fn new(index: u64, stored: &str, asked: &Asked) -> Self {
        let stops = asked.stop.iter().filter(|stop| !stop.is_empty());
        let end = stops.filter_map(|stop| stored.find(stop.as_str())).min();
        let mut text = &stored[..end.unwrap_or(stored.len())];
        let (mut tokens, mut finish) = (count(text), "stop");
        if let Some(most) = asked.max_tokens.filter(|&most| most < tokens) {
            let end = text.char_indices().nth(4 * most).map_or(text.len(), |(at, _)| at);
            (text, tokens, finish) = (&text[..end], most, "length");
        }
        Self { index, text: text.to_owned(), finish, tokens }
    }
}

/// The number of tokens of a text: four characters are one.
pub(crate) fn count(text: &str) -> usize {
    text.chars().count().div_ceil(4)
}

/// A whole reply.
pub(crate) fn whole(dialect: Dialect, asked: &Asked, choices: &[Choice], number: u64) -> Value {
    let entries: Vec<Value> = choices.iter().map(|choice| entry(dialect, asked, choice)).collect();
    let tokens: Vec<usize> = choices.iter().map(|choice| choice.tokens).collect();
    json!({
        "id": dialect.id(asked.is_chat, number),
        "object": if asked.is_chat { "chat.completion" } else { "text_completion" },
        "created": 1_760_000_000,
        "model": asked.model,
        "choices": entries,
        "usage": dialect.usage(count(&asked.prompt), &tokens),
    })
}

fn entry(dialect: Dialect, asked: &Asked, choice: &Choice) -> Value {
    let Choice { index, text, finish, .. } = choice;
    // llama.cpp ignores `echo`.
    let echo = asked.echo && dialect == Dialect::Vllm && !asked.is_chat;
    let text = if echo { format!("{}{text}", asked.prompt) } else { text.clone() };
    let logprobs = if asked.logprobs {
        likelihood::of(dialect, asked.is_chat, &text, echo)
    } else {
        Value::Null
    };
    let mut entry = json!({"index": index, "finish_reason": finish, "logprobs": logprobs});
    if asked.is_chat {
        entry["message"] = json!({"role": "assistant", "content": text});
        if dialect == Dialect::Vllm {
            entry["message"]["reasoning_content"] = Value::Null;
            entry["message"]["tool_calls"] = json!([]);
        }
    } else {
        entry["text"] = text.into();
    }
    entry
}
