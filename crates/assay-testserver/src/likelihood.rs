//! Likelihoods in the two shapes in which servers give them, of a model that likes short words best.

use serde_json::{Value, json};

use crate::Dialect;

/// The tokens of a text: words with the space before them, and other characters.
pub(crate) fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut start = 0;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        let goes_on = c.is_alphanumeric() && (before.is_alphanumeric() || before == ' ');
        if at > start && !goes_on {
            tokens.push(&text[start..at]);
            start = at;
        }
        before = c;
    }
    if start < text.len() {
        tokens.push(&text[start..]);
    }
    tokens
}

/// The logarithm of a token's probability.
fn logprob(token: &str) -> f64 {
    -0.1 * token.trim().chars().count().max(1) as f64
}

/// The likelihoods of a reply's tokens. A vLLM continues with those of the prompt if it is echoed.
pub(crate) fn of(dialect: Dialect, is_chat: bool, text: &str, starts_at_prompt: bool) -> Value {
    let tokens = tokens(text);
    if dialect == Dialect::Vllm && !is_chat {
        let mut logprobs: Vec<Value> = tokens.iter().map(|token| logprob(token).into()).collect();
        if starts_at_prompt && let Some(first) = logprobs.first_mut() {
            // Nothing comes before the first token.
            *first = Value::Null;
        }
        let offsets = tokens.iter().scan(0, |at, token| {
            let offset = *at;
            *at += token.chars().count();
            Some(offset)
        });
        let offsets: Vec<usize> = offsets.collect();
        let top: Vec<Value> = tokens.iter().map(|token| json!({*token: logprob(token)})).collect();
        return json!({"tokens": tokens, "token_logprobs": logprobs, "text_offset": offsets, "top_logprobs": top});
    }
    let content = tokens.iter().map(|token| {
        let bytes = token.as_bytes();
        json!({"token": token, "logprob": logprob(token), "bytes": bytes, "top_logprobs": []})
    });
    json!({"content": content.collect::<Vec<_>>()})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_make_up_the_text() {
        for text in ["", "a", "def add(a, b):\n    return a", " é ü  x", "\n\n1"] {
            assert_eq!(tokens(text).concat(), text);
        }
        assert_eq!(tokens("return a+b"), ["return", " a", "+", "b"]);
    }
}
