//! Likelihoods from llama.cpp, which ignores `echo`: it tells the log-probability of each token that it says, and a bias
//! forces it to say the candidates' tokens.
//!
//! The log-probability is the model's own, before the bias. Candidates are walked together as a tree of tokens: one
//! request tells the likeliest next tokens, and usually all that the candidates have there. A grammar would force the
//! text too, but not its tokens: the model then spells it in pieces, with another probability.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::{AskServer, Candidate, Endpoint, Step, TokenLogprobs};
use crate::failure::Failure;

/// A bias that no difference between two tokens reaches.
const FORCE: f64 = 1000.0;
/// The number of likeliest tokens that are asked for, for each token that is wanted.
const LIKELIEST: usize = 50;
const MOST_LIKELIEST: usize = 4000;

/// A token's number in the model's vocabulary.
type Token = u32;
/// The log-probabilities of the tokens that may follow, for each beginning of a candidate.
type Tree = BTreeMap<Vec<Token>, BTreeMap<Token, f64>>;

/// The log-probabilities of the candidates' tokens.
pub(crate) fn likelihoods(
    prompt: &str,
    candidates: &[Candidate],
    uses_prompt_cache: bool,
    ask: &AskServer<'_>,
) -> Result<Vec<TokenLogprobs>, Failure> {
    let (prompt, candidates) = tokens(prompt, candidates, ask)?;
    let mut tree = Tree::new();
    for (beginning, wanted) in branches(&candidates) {
        let known = next(&prompt, &beginning, wanted, uses_prompt_cache, ask)?;
        tree.insert(beginning, known);
    }
    let of = |candidate: &Vec<Token>| {
        let logprob = |at: usize| tree.get(&candidate[..at])?.get(&candidate[at]).copied();
        (0..candidate.len()).map(logprob).collect::<Option<TokenLogprobs>>()
    };
    let found: Option<Vec<TokenLogprobs>> = candidates.iter().map(of).collect();
    found.ok_or_else(|| Failure::transient("the server gave fewer log-probabilities than tokens"))
}

/// The tokens that follow each beginning.
fn branches(candidates: &[Vec<Token>]) -> BTreeMap<Vec<Token>, BTreeSet<Token>> {
    let mut branches: BTreeMap<Vec<Token>, BTreeSet<Token>> = BTreeMap::new();
    for candidate in candidates {
        for (at, &token) in candidate.iter().enumerate() {
            branches.entry(candidate[..at].to_vec()).or_default().insert(token);
        }
    }
    branches
}

/// The log-probabilities of the wanted tokens after a beginning.
fn next(
    prompt: &[Token],
    beginning: &[Token],
    mut wanted: BTreeSet<Token>,
    uses_prompt_cache: bool,
    ask: &AskServer<'_>,
) -> Result<BTreeMap<Token, f64>, Failure> {
    let mut known = BTreeMap::new();
    while let Some(&forced) = wanted.first() {
        let likeliest =
            if wanted.len() == 1 { 1 } else { (wanted.len() * LIKELIEST).min(MOST_LIKELIEST) };
        let found = ask(&Step {
            endpoint: Endpoint::Forced,
            body: body(&[prompt, beginning].concat(), forced, likeliest, uses_prompt_cache),
            wanted: json!(wanted).to_string(),
            reduce: &|reply| read(reply, forced, &wanted),
        })?;
        let found: BTreeMap<Token, f64> = serde_json::from_value(found).unwrap_or_default();
        wanted.retain(|token| !found.contains_key(token));
        if wanted.contains(&forced) {
            return Err(Failure::transient("kept likelihoods cannot be read"));
        }
        known.extend(found);
    }
    Ok(known)
}

/// The request to say a token after others, and to tell the likeliest ones there.
pub(super) fn body(
    prompt: &[Token],
    forced: Token,
    likeliest: usize,
    uses_prompt_cache: bool,
) -> Value {
    json!({
        "prompt": prompt, "n_predict": 1, "temperature": 0, "n_probs": likeliest,
        "logit_bias": [[forced, FORCE]], "cache_prompt": uses_prompt_cache,
    })
}

/// Reads the wanted tokens' log-probabilities from a reply.
pub(super) fn read(
    reply: &Value,
    forced: Token,
    wanted: &BTreeSet<Token>,
) -> Result<Value, Failure> {
    let said = reply.pointer("/completion_probabilities/0");
    let said = said.ok_or_else(|| Failure::transient("the server told no log-probabilities"))?;
    let entry = |entry: &Value| {
        let token = Token::try_from(entry.get("id")?.as_u64()?).ok()?;
        // A probability of 0 has no logarithm in JSON.
        let logprob = entry.get("logprob").and_then(Value::as_f64).unwrap_or(f64::MIN);
        Some((token, logprob))
    };
    let (token, logprob) =
        entry(said).ok_or_else(|| Failure::transient("the server named no token"))?;
    if token != forced {
        return Err(Failure::transient(format!(
            "the server said the token {token} where it was forced to say {forced}"
        )));
    }
    let likeliest = said.get("top_logprobs").and_then(Value::as_array);
    let mut found: BTreeMap<Token, f64> =
        likeliest.into_iter().flatten().filter_map(entry).collect();
    found.insert(token, logprob);
    found.retain(|token, _| wanted.contains(token));
    Ok(json!(found))
}

/// The tokens that prompt and candidates begin with together, and the rest of each candidate's.
fn tokens(
    prompt: &str,
    candidates: &[Candidate],
    ask: &AskServer<'_>,
) -> Result<(Vec<Token>, Vec<Vec<Token>>), Failure> {
    let mut whole = tokenize(prompt, true, ask)?;
    // Tokens do not reach over line ends into what comes later, so the prompt's last line is enough to go on from. If
    // its tokens are not those at the prompt's end, the whole prompt is.
    let last_line = &prompt[prompt.rfind('\n').map_or(0, |at| at + 1)..];
    let end = tokenize(last_line, false, ask)?;
    let is_enough = !end.is_empty() && whole.ends_with(&end);
    let (base, special) = if is_enough { (last_line, false) } else { (prompt, true) };
    let before = if is_enough { whole.len() - end.len() } else { 0 };
    let mut ends = Vec::new();
    for candidate in candidates {
        ends.push(tokenize(&format!("{base}{}", candidate.continuation), special, ask)?);
    }
    let same = |tokens: &Vec<Token>| {
        tokens.iter().zip(&whole[before..]).take_while(|(left, right)| left == right).count()
    };
    let shared = ends.iter().map(same).min().unwrap_or_default();
    whole.truncate(before + shared);
    for tokens in &mut ends {
        tokens.drain(..shared);
    }
    if whole.is_empty() || ends.iter().any(Vec::is_empty) {
        return Err(Failure::NoAnswer("an answer has no tokens of its own".to_owned()));
    }
    Ok((whole, ends))
}

fn tokenize(text: &str, special: bool, ask: &AskServer<'_>) -> Result<Vec<Token>, Failure> {
    let tokens = ask(&Step {
        endpoint: Endpoint::Tokenize,
        body: json!({"content": text, "add_special": special}),
        wanted: String::new(),
        reduce: &|reply| {
            let tokens = reply.get("tokens").filter(|tokens| tokens.is_array()).cloned();
            tokens.ok_or_else(|| Failure::transient("the server does not tell a text's tokens"))
        },
    })?;
    serde_json::from_value(tokens)
        .map_err(|_| Failure::transient("the server's tokens are no numbers"))
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    /// A server with one token per character, whose probability of a token depends on its number and on that before it.
    fn logprob(before: u64, token: u64) -> f64 {
        -(((token * 7 + before * 3) % 11) as f64) / 4.0
    }

    fn serve(step: &Step<'_>, seen: &RefCell<Vec<Value>>, told: usize) -> Result<Value, Failure> {
        let reply = match step.endpoint {
            Endpoint::Tokenize => {
                let text = step.body["content"].as_str().unwrap();
                json!({"tokens": text.chars().map(u32::from).collect::<Vec<_>>()})
            }
            Endpoint::Forced => {
                seen.borrow_mut().push(step.body["prompt"].clone());
                let before = step.body["prompt"].as_array().unwrap().last().unwrap().as_u64();
                let before = before.unwrap();
                let forced = step.body["logit_bias"][0][0].as_u64().unwrap();
                let mut all: Vec<u64> = (0..128).collect();
                all.sort_by(|a, b| logprob(before, *b).total_cmp(&logprob(before, *a)));
                let entry = |token: u64| json!({"id": token, "logprob": logprob(before, token)});
                let likeliest: Vec<Value> = all.into_iter().take(told).map(entry).collect();
                let mut said = entry(forced);
                said["top_logprobs"] = likeliest.into();
                json!({"completion_probabilities": [said]})
            }
            Endpoint::Completions => panic!("llama.cpp has no echo"),
        };
        (step.reduce)(&reply)
    }

    #[test]
    fn a_tree_of_candidates_gives_the_same_as_each_alone() {
        let answers: Vec<String> = (1..=30).map(|number| number.to_string()).collect();
        let candidates = Candidate::all(answers);
        for told in [0, 3, 128] {
            let seen = RefCell::default();
            let ask = |step: &Step<'_>| serve(step, &seen, told);
            let found = likelihoods("x\nline:", &candidates, true, &ask).unwrap();
            for (candidate, logprobs) in candidates.iter().zip(&found) {
                let text: Vec<u64> =
                    format!(":{}", candidate.continuation).bytes().map(u64::from).collect();
                let expected: Vec<f64> =
                    text.windows(2).map(|pair| logprob(pair[0], pair[1])).collect();
                assert_eq!(*logprobs, expected, "{candidate:?}");
            }
            // After the blank come 1 to 9; after 1 to 3 come digits or a line end.
            let nodes = 1 + 1 + 9 + 21;
            assert_eq!(seen.borrow().len() == nodes, told == 128, "{told}");
        }
    }

    #[test]
    fn a_server_that_says_something_else_is_not_believed() {
        let ask = |step: &Step<'_>| match step.endpoint {
            Endpoint::Tokenize => (step.reduce)(&json!({"tokens": [1, 2, 3]})),
            _ => (step.reduce)(&json!({"completion_probabilities": [{"id": 9, "logprob": -1.0}]})),
        };
        let candidates = Candidate::all(vec!["a".to_owned()]);
        let failure = likelihoods("x", &candidates, true, &ask).unwrap_err();
        assert!(matches!(failure, Failure::NoAnswer(_)), "{failure:?}");
        let wanted = BTreeSet::from([2]);
        let other = json!({"completion_probabilities": [{"id": 9, "logprob": -1.0}]});
        let failure = read(&other, 2, &wanted).unwrap_err();
        assert!(format!("{failure:?}").contains("said the token 9 where it was forced to say 2"));
        for broken in [json!({}), json!([]), json!({"completion_probabilities": []})] {
            read(&broken, 2, &wanted).unwrap_err();
        }
    }
}
