//! Replies piece by piece, as server-sent events.

use serde_json::{Value, json};

use crate::Dialect;
use crate::asked::Asked;
use crate::replies::{Choice, count};

/// The number of characters of one event.
const PIECE: usize = 7;

/// The events of a reply, the last of which says that it is done.
pub(crate) fn events(
    dialect: Dialect,
    asked: &Asked,
    choices: &[Choice],
    number: u64,
) -> Vec<Vec<u8>> {
    let stream = Stream { dialect, asked, id: dialect.id(asked.is_chat, number) };
    let mut events = Vec::new();
    let pieces: Vec<Vec<String>> = choices.iter().map(|choice| pieces(&choice.text)).collect();
    if asked.is_chat {
        let nothing = if dialect == Dialect::Vllm { json!("") } else { Value::Null };
        events.extend(choices.iter().map(|choice| {
            let delta = json!({"role": "assistant", "content": nothing});
            stream.event(&json!([{"index": choice.index, "delta": delta, "finish_reason": null}]))
        }));
    }
    // The choices take turns.
    for turn in 0..pieces.iter().map(Vec::len).max().unwrap_or(0) {
        for (choice, pieces) in choices.iter().zip(&pieces) {
            if let Some(piece) = pieces.get(turn) {
                events.push(stream.event(&json!([stream.entry(choice.index, piece, None)])));
            }
        }
    }
    let tokens: Vec<usize> = choices.iter().map(|choice| choice.tokens).collect();
    let usage = dialect.usage(count(&asked.prompt), &tokens);
    for (place, choice) in choices.iter().enumerate() {
        let entry = json!([stream.entry(choice.index, "", Some(choice.finish))]);
        let mut event = stream.body(&entry);
        if dialect == Dialect::LlamaCpp && place + 1 == choices.len() {
            event["usage"] = usage.clone();
        }
        events.push(line(&event));
    }
    if dialect == Dialect::Vllm && asked.stream_usage {
        let mut event = stream.body(&json!([]));
        event["usage"] = usage;
        events.push(line(&event));
    }
    events.push(b"data: [DONE]\n\n".to_vec());
    events
}

struct Stream<'a> {
    dialect: Dialect,
    asked: &'a Asked,
    id: String,
}

impl Stream<'_> {
    fn event(&self, choices: &Value) -> Vec<u8> {
        line(&self.body(choices))
    }

    fn body(&self, choices: &Value) -> Value {
        let object = if self.asked.is_chat { "chat.completion.chunk" } else { "text_completion" };
        json!({"id": self.id, "object": object, "model": self.asked.model, "choices": choices})
    }

    fn entry(&self, index: u64, piece: &str, finish: Option<&str>) -> Value {
        let mut entry = json!({"index": index, "finish_reason": finish, "logprobs": null});
        match (self.asked.is_chat, finish) {
            (true, None) => entry["delta"] = json!({"content": piece}),
            (true, Some(_)) if self.dialect == Dialect::LlamaCpp => entry["delta"] = json!({}),
            (true, Some(_)) => entry["delta"] = json!({"content": ""}),
            (false, _) => entry["text"] = piece.into(),
        }
        entry
    }
}

fn line(event: &Value) -> Vec<u8> {
    format!("data: {event}\n\n").into_bytes()
}

fn pieces(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    chars.chunks(PIECE).map(|piece| piece.iter().collect()).collect()
}
