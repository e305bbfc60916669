//! A request for generations, as far as the server heeds it.

use serde_json::Value;

/// A request for generations.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a field of the protocol")]
pub(crate) struct Asked {
    pub(crate) is_chat: bool,
    pub(crate) model: String,
    /// The text to continue, or the messages of a chat.
    pub(crate) prompt: String,
    pub(crate) seed: u64,
    pub(crate) count: u64,
    pub(crate) max_tokens: Option<usize>,
    pub(crate) stop: Vec<String>,
    pub(crate) stream: bool,
    pub(crate) stream_usage: bool,
    pub(crate) logprobs: bool,
    pub(crate) echo: bool,
}

impl Asked {
    /// Reads a body; an error is a sentence about what is wrong.
    pub(crate) fn parse(body: &[u8], is_chat: bool) -> Result<Self, String> {
        let body: Value = serde_json::from_slice(body).map_err(|error| error.to_string())?;
        let number = |name: &str| body.get(name).and_then(Value::as_u64);
        let is_set = |name: &str| body.get(name).and_then(Value::as_bool).unwrap_or(false);
        let prompt = if is_chat { messages(&body) } else { body.get("prompt").map(text) };
        let stop = match body.get("stop") {
            Some(Value::Array(stop)) => stop.iter().map(text).collect(),
            Some(Value::String(stop)) => vec![stop.clone()],
            _ => Vec::new(),
        };
        let max_tokens = number("max_tokens").or_else(|| number("max_completion_tokens"));
        Ok(Self {
            is_chat,
            model: body.get("model").map(text).unwrap_or_default(),
            prompt: prompt.ok_or("the prompt or the messages are missing")?,
            seed: number("seed").unwrap_or(0),
            count: number("n").unwrap_or(1),
            max_tokens: max_tokens.and_then(|tokens| usize::try_from(tokens).ok()),
            stop,
            stream: is_set("stream"),
            stream_usage: body.pointer("/stream_options/include_usage") == Some(&Value::Bool(true)),
            logprobs: is_set("logprobs") || number("logprobs").is_some(),
            echo: is_set("echo"),
        })
    }
}

/// The texts of a chat's messages.
fn messages(body: &Value) -> Option<String> {
    let messages = body.get("messages")?.as_array()?;
    let contents = messages.iter().filter_map(|message| message.get("content")).map(text);
    Some(contents.collect::<Vec<_>>().join("\n"))
}

/// A text, or the first of a list.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => values.first().map(text).unwrap_or_default(),
        other => other.to_string(),
    }
}
