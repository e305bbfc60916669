//! What a server replied.

use assay_core::Finish;
use serde::de::{Deserializer, IgnoredAny};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::content::content;
use crate::failure::message;
use crate::settings::Api;

/// One choice of a server's reply: one sample.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Choice {
    /// The text as it came; the thoughts that a server sends separately are before it, between `<think>` and `</think>`.
    pub(crate) text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) finish: Option<Finish>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) usage: Option<TokenCounts>,
}

/// Tokens, as the server counts them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub(crate) struct TokenCounts {
    pub(crate) prompt_tokens: u64,
    pub(crate) completion_tokens: u64,
}

impl TokenCounts {
    /// Both together.
    pub(crate) fn sum(self) -> u64 {
        self.prompt_tokens.saturating_add(self.completion_tokens)
    }
}

/// Counts are bookkeeping: whatever is there instead of them counts as nothing, and no reply is refused for it.
impl<'de> Deserialize<'de> for TokenCounts {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let counts = Value::deserialize(from)?;
        let count = |name| counts.get(name).map_or(0, tokens);
        Ok(Self {
            prompt_tokens: count("prompt_tokens"),
            completion_tokens: count("completion_tokens"),
        })
    }
}

/// A number of tokens; some servers send it as a fraction. Nothing if it is none.
fn tokens(count: &Value) -> u64 {
    let whole = || {
        let number = count.as_f64().filter(|number| *number >= 0.0)?;
        format!("{number:.0}").parse().ok()
    };
    count.as_u64().or_else(whole).unwrap_or_default()
}

/// The body of a reply, in the shapes of both endpoints.
#[derive(Deserialize)]
struct Body {
    choices: Option<Vec<BodyChoice>>,
    usage: Option<TokenCounts>,
    error: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct BodyChoice {
    index: Option<usize>,
    text: Option<String>,
    message: Option<Message>,
    finish_reason: Option<String>,
}

/// A message of a chat, or a piece of one.
#[derive(Deserialize)]
pub(crate) struct Message {
    #[serde(default, deserialize_with = "content")]
    content: Option<String>,
    /// llama.cpp, vLLM and DeepSeek.
    reasoning_content: Option<Value>,
    /// Newer servers. Some servers send both.
    reasoning: Option<Value>,
    refusal: Option<String>,
}

impl Message {
    /// The thoughts that are sent separately; empty if there are none.
    pub(crate) fn thoughts(&self) -> &str {
        let both = [&self.reasoning_content, &self.reasoning];
        let mut texts = both.into_iter().filter_map(|thoughts| thoughts.as_ref()?.as_str());
        texts.find(|thoughts| !thoughts.is_empty()).unwrap_or_default()
    }

    /// The content, or the refusal in its place.
    pub(crate) fn said(self) -> String {
        self.content.filter(|text| !text.is_empty()).or(self.refusal).unwrap_or_default()
    }
}

/// Parses the reply to a request for `count` samples: between one and `count` choices, in their order. The whole
/// request's tokens are those of the first choice. An error is a sentence about what is wrong.
pub(crate) fn parse(body: &[u8], api: Api, count: usize) -> Result<Vec<Choice>, String> {
    let parsed: Body = serde_json::from_slice(body)
        .map_err(|error| format!("its reply is not what the protocol says: {error}"))?;
    if parsed.error.is_some() {
        return Err(format!("its reply is an error: {}", message(body)));
    }
    let found =
        parsed.choices.ok_or("its reply is not what the protocol says: it has no choices")?;
    let mut choices = Vec::new();
    for (place, choice) in found.into_iter().enumerate() {
        let index = choice.index.unwrap_or(place);
        let text = match api {
            Api::Completion => choice.text,
            Api::Chat => choice.message.map(text_of),
        };
        let text = text.ok_or("a choice of its reply has no text")?;
        let finish = choice.finish_reason.as_deref().and_then(finish);
        choices.push((index, Choice { text, finish, usage: None }));
    }
    in_order(choices, parsed.usage, count)
}

/// Puts choices into their order, and refuses those that cannot be.
pub(crate) fn in_order(
    mut choices: Vec<(usize, Choice)>,
    usage: Option<TokenCounts>,
    count: usize,
) -> Result<Vec<Choice>, String> {
    choices.sort_by_key(|(index, _)| *index);
    if choices.is_empty() {
        return Err("its reply has no choices".to_owned());
    }
    if choices.len() > count || choices.iter().zip(0..).any(|((index, _), place)| *index != place) {
        let numbers: Vec<String> = choices.iter().map(|(index, _)| index.to_string()).collect();
        return Err(format!(
            "its reply has the choices {} where {count} were asked for",
            numbers.join(", ")
        ));
    }
    let mut choices: Vec<Choice> = choices.into_iter().map(|(_, choice)| choice).collect();
    choices[0].usage = usage;
    Ok(choices)
}

/// The text of a message, with thoughts that were sent separately before it.
fn text_of(message: Message) -> String {
    let thoughts = message.thoughts().to_owned();
    with_thoughts(&thoughts, message.said())
}

/// A text after the thoughts that led to it.
pub(crate) fn with_thoughts(thoughts: &str, said: String) -> String {
    if thoughts.is_empty() { said } else { format!("<think>{thoughts}</think>{said}") }
}

/// The reason why a reply ended, by its name in the protocol.
pub(crate) fn finish(reason: &str) -> Option<Finish> {
    match reason {
        "stop" | "eos_token" | "stop_sequence" => Some(Finish::Stop),
        "length" => Some(Finish::Length),
        "content_filter" => Some(Finish::Filtered),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(body: &str, api: Api, count: usize) -> Result<Vec<String>, String> {
        let choices = parse(body.as_bytes(), api, count)?;
        Ok(choices.into_iter().map(|choice| choice.text).collect())
    }

    #[test]
    fn both_endpoints_are_understood() {
        let body = r#"{"id":"cmpl-1","choices":[{"index":1,"text":"b","finish_reason":"length"},
            {"index":0,"text":"a","finish_reason":"stop","logprobs":null}],
            "usage":{"prompt_tokens":5,"completion_tokens":9,"total_tokens":14}}"#;
        let choices = parse(body.as_bytes(), Api::Completion, 2).unwrap();
        let usage = Some(TokenCounts { prompt_tokens: 5, completion_tokens: 9 });
        let first = Choice { text: "a".to_owned(), finish: Some(Finish::Stop), usage };
        let second = Choice { text: "b".to_owned(), finish: Some(Finish::Length), usage: None };
        assert_eq!(choices, [first, second]);
        let chat = r#"{"choices":[{"message":{"role":"assistant","content":"hi"}}]}"#;
        assert_eq!(texts(chat, Api::Chat, 1).unwrap(), ["hi"]);
    }

    #[test]
    fn thoughts_and_refusals_are_kept() {
        let thinking = r#"{"choices":[{"message":{"content":"4","reasoning_content":"2+2"}}]}"#;
        assert_eq!(texts(thinking, Api::Chat, 1).unwrap(), ["<think>2+2</think>4"]);
        let refusing = r#"{"choices":[{"message":{"content":null,"refusal":"I will not"}}]}"#;
        assert_eq!(texts(refusing, Api::Chat, 1).unwrap(), ["I will not"]);
        for empty in [
            r#"{"choices":[{"message":{"content":null}}]}"#,
            r#"{"choices":[{"message":{"role":"assistant","tool_calls":[{"id":"1"}]}}],"error":null}"#,
        ] {
            assert_eq!(texts(empty, Api::Chat, 1).unwrap(), [""]);
        }
        let parts = r#"{"choices":[{"message":{"content":[{"type":"text","text":"a"},"b",{"type":"image","url":"u"},7]}}]}"#;
        assert_eq!(texts(parts, Api::Chat, 1).unwrap(), ["ab"]);
    }

    #[test]
    fn thoughts_have_two_names() {
        for (thoughts, text) in [
            (r#""reasoning":null,"reasoning_content":null"#, "4"),
            (r#""reasoning":"2+2","reasoning_content":"2+2""#, "<think>2+2</think>4"),
            (r#""reasoning":"2+2","reasoning_content":"""#, "<think>2+2</think>4"),
            (r#""reasoning":null,"reasoning_content":"2+2""#, "<think>2+2</think>4"),
            (r#""reasoning":"2+2""#, "<think>2+2</think>4"),
            (r#""reasoning":{"effort":"high"}"#, "4"),
        ] {
            let body = format!(r#"{{"choices":[{{"message":{{"content":"4",{thoughts}}}}}]}}"#);
            assert_eq!(texts(&body, Api::Chat, 1), Ok(vec![text.to_owned()]), "{body}");
        }
    }

    #[test]
    fn no_count_of_tokens_refuses_a_reply() {
        for (usage, counts) in [
            (r#"{"prompt_tokens":5,"completion_tokens":null}"#, Some((5, 0))),
            (r#"{"prompt_tokens":5.0,"completion_tokens":10.0}"#, Some((5, 10))),
            (r#"{"prompt_tokens":-1,"completion_tokens":-1.5}"#, Some((0, 0))),
            (r#"{"prompt_tokens":"5","completion_tokens":[]}"#, Some((0, 0))),
            (
                r#"{"prompt_tokens":18446744073709551615,"completion_tokens":1e300}"#,
                Some((u64::MAX, 0)),
            ),
            ("{}", Some((0, 0))),
            ("[]", Some((0, 0))),
            ("null", None),
        ] {
            let body = format!(r#"{{"choices":[{{"text":"a"}}],"usage":{usage}}}"#);
            let choices = parse(body.as_bytes(), Api::Completion, 1).unwrap();
            let found =
                choices[0].usage.map(|usage| (usage.prompt_tokens, usage.completion_tokens));
            assert_eq!(found, counts, "{usage}");
            assert!(choices[0].usage.is_none_or(|usage| usage.sum() >= usage.prompt_tokens));
        }
    }

    #[test]
    fn impossible_replies_are_named() {
        for (body, message) in [
            (r#"{"choices":[]}"#, "its reply has no choices"),
            (r"{}", "its reply is not what the protocol says: it has no choices"),
            (
                r#"{"error":{"message":"out of memory","code":500}}"#,
                "its reply is an error: out of memory",
            ),
            (r#"{"choices":[{"index":0}]}"#, "a choice of its reply has no text"),
            (
                r#"{"choices":[{"index":3,"text":"a"}]}"#,
                "its reply has the choices 3 where 2 were asked for",
            ),
            (
                r#"{"choices":[{"index":0,"text":"a"},{"index":0,"text":"a"}]}"#,
                "its reply has the choices 0, 0 where 2 were asked for",
            ),
        ] {
            assert_eq!(texts(body, Api::Completion, 2).unwrap_err(), message);
        }
        let broken = texts("{\"choices\":[{\"te", Api::Completion, 1).unwrap_err();
        assert!(broken.starts_with("its reply is not what the protocol says: "), "{broken}");
        assert_eq!(texts(r#"{"choices":[{"text":"a"}]}"#, Api::Completion, 3).unwrap(), ["a"]);
    }
}
