//! Likelihoods from servers that send a prompt's log-probabilities back: `echo` with `logprobs`, as OpenAI's legacy
//! completions and vLLM.
//!
//! A candidate's tokens are those of prompt and candidate together after the tokens that the prompt alone has. A
//! tokenizer may join the end of the prompt with the candidate; then all candidates are compared from there on.

use std::cell::OnceCell;

use serde_json::{Map, Value, json};

use super::{AskServer, Candidate, Endpoint, Step, TokenLogprobs};
use crate::failure::Failure;

/// The number of tokens before a candidate that are kept with it, for others that begin earlier.
const BEFORE: usize = 8;

/// The tokens of a prompt that a server sent back.
#[derive(Debug, PartialEq)]
pub(crate) struct Echoed {
    tokens: Vec<String>,
    /// `None` for a token that nothing is before.
    logprobs: Vec<Option<f64>>,
}

/// The request for a prompt's log-probabilities.
pub(crate) fn body(model: &str, prompt: &str, extra: &Map<String, Value>) -> Value {
    let mut body = json!({
        // Some servers refuse 0.
        "model": model, "prompt": prompt, "max_tokens": 1, "temperature": 0, "logprobs": 1,
        "echo": true,
    });
    for (name, value) in extra {
        if value.is_null() {
            if let Some(body) = body.as_object_mut() {
                body.remove(name);
            }
        } else {
            body[name] = value.clone();
        }
    }
    body
}

/// Reads the prompt's tokens from a reply; `None` if the server does not send them.
pub(crate) fn read(reply: &Value, prompt: &str) -> Option<Echoed> {
    let choice = reply.pointer("/choices/0")?;
    let tokens = choice.pointer("/logprobs/tokens")?.as_array()?;
    let logprobs = choice.pointer("/logprobs/token_logprobs")?.as_array()?;
    // The text of a server that ignores `echo` does not begin with the prompt, however it counts.
    let text = choice.get("text")?.as_str()?;
    let count = reply.pointer("/usage/prompt_tokens").and_then(Value::as_u64);
    let count = count.map_or(tokens.len().saturating_sub(1), |count| {
        usize::try_from(count).unwrap_or(usize::MAX)
    });
    if !text.starts_with(prompt) || tokens.len() < count || logprobs.len() < count || count == 0 {
        return None;
    }
    let tokens = tokens[..count].iter().map(|token| token.as_str().unwrap_or_default().to_owned());
    let logprobs = logprobs[..count].iter().map(Value::as_f64);
    Some(Echoed { tokens: tokens.collect(), logprobs: logprobs.collect() })
}

/// The log-probabilities of the candidates' tokens.
pub(crate) fn likelihoods(
    model: &str,
    extra: &Map<String, Value>,
    prompt: &str,
    candidates: &[Candidate],
    ask: &AskServer<'_>,
) -> Result<Vec<TokenLogprobs>, Failure> {
    let of_prompt = OnceCell::new();
    let prompt_tokens = || -> Result<&Vec<String>, Failure> {
        if of_prompt.get().is_none() {
            let tokens = ask(&Step {
                endpoint: Endpoint::Completions,
                body: body(model, prompt, extra),
                wanted: "tokens".to_owned(),
                reduce: &|reply| Ok(json!(echoed(reply, prompt)?.tokens)),
            })?;
            let tokens: Vec<String> = serde_json::from_value(tokens).unwrap_or_default();
            let _ = of_prompt.set(tokens);
        }
        of_prompt.get().ok_or_else(|| Failure::transient("the prompt has no tokens"))
    };
    let mut tails = Vec::new();
    for candidate in candidates {
        let text = format!("{prompt}{}", candidate.continuation);
        let tail = ask(&Step {
            endpoint: Endpoint::Completions,
            body: body(model, &text, extra),
            wanted: format!("after {}", prompt.len()),
            reduce: &|reply| Ok(json!(tail(&echoed(reply, &text)?, prompt_tokens()?))),
        })?;
        let tail: Tail = serde_json::from_value(tail)
            .map_err(|_| Failure::transient("kept likelihoods cannot be read"))?;
        tails.push(tail);
    }
    let start = tails.iter().map(|(_, start, _)| *start).min().unwrap_or_default();
    tails.iter().map(|tail| from(tail, start)).collect()
}

/// The position of the first kept token, that of the first one that the prompt alone has not, and the kept
/// log-probabilities.
type Tail = (usize, usize, Vec<Option<f64>>);

fn echoed(reply: &Value, prompt: &str) -> Result<Echoed, Failure> {
    read(reply, prompt).ok_or_else(|| {
        Failure::transient("the server did not send the prompt's log-probabilities back")
    })
}

fn tail(whole: &Echoed, prompt: &[String]) -> Tail {
    let same = whole.tokens.iter().zip(prompt).take_while(|(left, right)| left == right).count();
    let first = same.min(prompt.len().saturating_sub(BEFORE));
    (first, same, whole.logprobs[first..].to_vec())
}

fn from((first, _, logprobs): &Tail, start: usize) -> Result<TokenLogprobs, Failure> {
    let counted = logprobs.iter().skip(start.saturating_sub(*first)).copied();
    counted.collect::<Option<Vec<f64>>>().ok_or_else(|| {
        Failure::NoAnswer("the server gives no log-probability for a token of an answer".to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A server whose tokens are the given ones, and whose logprob of a token is minus its position.
    fn reply(tokens: &[&str]) -> Value {
        let logprobs: Vec<Value> = (0..tokens.len())
            .map(|at| if at == 0 { Value::Null } else { json!(-(at as f64)) })
            .collect();
        let text: String = tokens.concat();
        // The last token is generated.
        json!({"choices": [{"text": text, "logprobs": {"tokens": tokens, "token_logprobs": logprobs}}],
               "usage": {"prompt_tokens": tokens.len() - 1}})
    }

    fn sums(table: &[(&str, &[&str])], candidates: &[&str]) -> Vec<f64> {
        let candidates = candidates
            .iter()
            .map(|&text| Candidate { answer: text.to_owned(), continuation: text.to_owned() });
        let ask = |step: &Step<'_>| {
            let prompt = step.body["prompt"].as_str().unwrap();
            let (_, tokens) = table.iter().find(|(text, _)| *text == prompt).unwrap();
            (step.reduce)(&reply(tokens))
        };
        let found =
            likelihoods("m", &Map::new(), "a b", &candidates.collect::<Vec<_>>(), &ask).unwrap();
        found.iter().map(|logprobs| logprobs.iter().sum()).collect()
    }

    #[test]
    fn a_candidates_tokens_are_those_after_the_prompts() {
        let table: [(&str, &[&str]); 3] = [
            ("a b", &["a", " b", "."]),
            ("a b c", &["a", " b", " c", "!"]),
            ("a b d e", &["a", " b", " d", " e", "!"]),
        ];
        assert_eq!(sums(&table, &[" c", " d e"]), [-2.0, -5.0]);
    }

    #[test]
    fn candidates_are_compared_from_where_the_first_one_changes_the_prompt() {
        let table: [(&str, &[&str]); 3] = [
            ("a b", &["a", " b", "."]),
            ("a bc", &["a", " bc", "!"]),
            ("a b d", &["a", " b", " d", "!"]),
        ];
        // The token " b" counts for the second one, because " bc" holds it too.
        assert_eq!(sums(&table, &["c", " d"]), [-1.0, -3.0]);
    }

    #[test]
    fn a_server_without_echo_is_recognised() {
        assert!(read(&reply(&["a", " b", "!"]), "a b").is_some());
        for other in [
            json!({"choices": [{"text": "c", "logprobs": {"content": [{"token": "c"}]}}]}),
            json!({"choices": [{"text": "c", "logprobs": {"tokens": ["c"], "token_logprobs": [-1.0]}}]}),
            json!({"choices": [{"text": "a bc", "logprobs": null}]}),
            json!({"error": "no"}),
            json!([]),
        ] {
            assert_eq!(read(&other, "a b"), None, "{other}");
        }
    }
}
