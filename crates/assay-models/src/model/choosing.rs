//! The choice among given answers by their likelihoods.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Instant;

use assay_core::{
    AnswerError, Ask, Cancel, Digest, DigestOf, Error, Question, Reply, Response, Usage,
};
use serde_json::{Value, json};

use super::Model;
use crate::failure::{Failure, of_status};
use crate::likelihood::probe::{self, Shape};
use crate::likelihood::{
    Candidate, Endpoint, Step, TokenLogprobs, confidence, echo, evidence, forced, rank,
};
use crate::prompt::Prompts;
use crate::reply::{Choice, TokenCounts};

/// The facts known about a server's likelihoods.
#[derive(Default)]
pub(super) struct Choosing {
    shape: OnceLock<Shape>,
    /// The tokens of short texts, which many questions share.
    tokens: Mutex<HashMap<String, Value>>,
}

/// A longer text's tokens are not kept in memory.
const SHORT: usize = 1024;

impl Model {
    /// Answers a question by the likelihoods of its answers.
    pub(super) fn choose(&self, ask: &Ask<'_>) -> Result<Reply, AnswerError> {
        if matches!(ask.question, Question::Code(_) | Question::Text(_)) {
            let choose = self.settings.choose.name();
            let message = format!("--choose {choose} needs questions with given answers");
            return Err(Error::usage(message).hint("leave --choose out").into());
        }
        let counts = Cell::new(TokenCounts::default());
        let mut window = self.settings.window;
        let (prompt, reply) = loop {
            let candidates = Candidate::all(self.prompts.answers(ask.question, window));
            let prompt = self.prompts.prompt(ask.question, window).into_owned();
            let failure = match self.likelihoods(&prompt, &candidates, &counts, ask.cancel) {
                Ok(logprobs) => {
                    break (prompt, self.chosen(ask.question, &candidates, &logprobs, window));
                }
                Err(failure) => failure,
            };
            let narrower = Prompts::narrower(ask.question, window);
            if let (Failure::TooLong(_), Some(less)) = (&failure, narrower) {
                window = less;
                continue;
            }
            self.note_refusal(&failure);
            break (prompt, failure.into_answer()?.into());
        };
        let TokenCounts { prompt_tokens, completion_tokens } = counts.get();
        let price = self.settings.traffic.prices;
        let usage = Usage {
            prompt_tokens: Some(prompt_tokens),
            completion_tokens: Some(completion_tokens),
            cost: price.map(|price| price.of(prompt_tokens, completion_tokens)),
        };
        Ok(Reply { asked: Some(prompt.into()), usage, ..reply })
    }

    /// The best candidates, with all likelihoods as the text that they were read from.
    fn chosen(
        &self,
        question: &Question,
        candidates: &[Candidate],
        logprobs: &[TokenLogprobs],
        window: usize,
    ) -> Reply {
        let ranked = rank(candidates, logprobs, self.settings.choose);
        let count = if matches!(question, Question::Line(_)) { self.top } else { 1 };
        let best = ranked.iter().take(count).map(|(at, _)| candidates[*at].answer.clone());
        let response = match question {
            Question::Line(_) => {
                Response::Lines(best.filter_map(|line| line.parse().ok()).collect())
            }
            _ => Response::Choice(best.collect()),
        };
        Reply {
            text: Some(evidence(candidates, logprobs)),
            rule: Some(self.rule_within(self.settings.choose.rule(), window)),
            confidence: confidence(&ranked, count),
            ..response.into()
        }
    }

    /// The log-probabilities of the candidates: those of an earlier run, or new ones. What is known needs no server.
    fn likelihoods(
        &self,
        prompt: &str,
        candidates: &[Candidate],
        counts: &Cell<TokenCounts>,
        cancel: &Cancel,
    ) -> Result<Vec<TokenLogprobs>, Failure> {
        if candidates.is_empty() {
            return Err(Failure::NoAnswer("the file has no lines".to_owned()));
        }
        let Some(cache) = &self.cache else {
            return self.ask_likelihoods(prompt, candidates, counts, cancel);
        };
        let key = self.key_of(prompt, candidates);
        let claim = cache.claim(vec![key], cancel).ok_or(Failure::Cancelled)?;
        if let Some((choice, _)) = cache.get(&key)
            && let Ok(known) = serde_json::from_str::<Vec<TokenLogprobs>>(&choice.text)
            && known.len() == candidates.len()
        {
            self.from_cache.fetch_add(1, Ordering::Relaxed);
            add(counts, choice.usage);
            return Ok(known);
        }
        let (started, new) = (Instant::now(), Cell::new(TokenCounts::default()));
        let found = self.ask_likelihoods(prompt, candidates, &new, cancel);
        add(counts, Some(new.get()));
        let found = found?;
        let text = json!(found).to_string();
        let choice = Choice { text, finish: None, usage: Some(new.get()) };
        self.keep(cache, key, &choice, started.elapsed().as_secs_f64());
        drop(claim);
        Ok(found)
    }

    /// The hash of everything that the log-probabilities of candidates depend on. The address is not part of it: our own
    /// server has another port in each run.
    fn key_of(&self, prompt: &str, candidates: &[Candidate]) -> Digest {
        let body = Value::Object(self.settings.body.clone()).to_string();
        let mut key = DigestOf::new();
        key.field(b"likelihoods").field(self.server.identity().as_bytes());
        key.field(self.address.model.as_bytes()).field(body.as_bytes());
        key.field(&[u8::from(self.settings.deterministic)]).field(prompt.as_bytes());
        for candidate in candidates {
            key.field(candidate.continuation.as_bytes());
        }
        key.finish()
    }

    fn ask_likelihoods(
        &self,
        prompt: &str,
        candidates: &[Candidate],
        counts: &Cell<TokenCounts>,
        cancel: &Cancel,
    ) -> Result<Vec<TokenLogprobs>, Failure> {
        self.ready(cancel)?;
        let ask = |step: &Step<'_>| self.step(step, counts, cancel);
        let model = &self.address.model;
        match self.shape(cancel)? {
            Shape::Echo => echo::likelihoods(model, &self.settings.body, prompt, candidates, &ask),
            Shape::Forced => {
                forced::likelihoods(prompt, candidates, !self.settings.deterministic, &ask)
            }
        }
    }

    /// The server's way to tell likelihoods, found out once.
    fn shape(&self, cancel: &Cancel) -> Result<Shape, Failure> {
        if let Some(shape) = self.choosing.shape.get() {
            return Ok(*shape);
        }
        let program = self.server.program.as_deref().unwrap_or("its program is not known");
        let send = |endpoint, body: Value| {
            let reply = self.transport.post(
                &self.endpoint(endpoint),
                body.to_string().into_bytes(),
                cancel,
            )?;
            match reply.status {
                200..300 => Ok(serde_json::from_slice(&reply.body).ok()),
                401 | 403 | 429 | 503 | 529 => {
                    let url = self.address.url();
                    Err(of_status(reply.status, reply.retry_after, &reply.body, url))
                }
                _ => Ok(None),
            }
        };
        let shape = probe::shape(&self.address.model, program.starts_with("llama.cpp"), &send)?;
        let shape = shape.ok_or_else(|| {
            Failure::Fatal(
                Error::failed(format!(
                    "{} ({program}) does not tell the likelihood of given answers: it ignores `echo` with `logprobs`, \
                     and has no /tokenize and /completion as llama.cpp has",
                    self.address.url()
                ))
                .hint("choose by the reply instead (--choose reply), or serve the model by vLLM or llama.cpp"),
            )
        })?;
        Ok(*self.choosing.shape.get_or_init(|| shape))
    }

    fn endpoint(&self, endpoint: Endpoint) -> String {
        match endpoint {
            Endpoint::Completions => self.address.endpoint(endpoint.name()),
            Endpoint::Forced | Endpoint::Tokenize => self.address.beside(endpoint.name()),
        }
    }

    /// The numbers of a step: those of earlier runs, or new ones.
    fn step(
        &self,
        step: &Step<'_>,
        counts: &Cell<TokenCounts>,
        cancel: &Cancel,
    ) -> Result<Value, Failure> {
        if step.endpoint == Endpoint::Tokenize {
            return self.tokens(step, cancel);
        }
        let choice = match &self.cache {
            None => self.ask_step(step, cancel)?,
            Some(cache) => {
                let mut key = DigestOf::new();
                key.field(self.server.identity().as_bytes());
                key.field(step.endpoint.name().as_bytes());
                key.field(step.body.to_string().as_bytes()).field(step.wanted.as_bytes());
                let key = key.finish();
                let claim = cache.claim(vec![key], cancel).ok_or(Failure::Cancelled)?;
                let choice = if let Some((choice, _)) = cache.get(&key) {
                    choice
                } else {
                    let started = Instant::now();
                    let choice = self.ask_step(step, cancel)?;
                    self.keep(cache, key, &choice, started.elapsed().as_secs_f64());
                    choice
                };
                drop(claim);
                choice
            }
        };
        add(counts, choice.usage);
        serde_json::from_str(&choice.text)
            .map_err(|_| Failure::transient("kept likelihoods cannot be read"))
    }

    /// Sends a step; its numbers are the text of the choice.
    fn ask_step(&self, step: &Step<'_>, cancel: &Cancel) -> Result<Choice, Failure> {
        self.check_cache()?;
        let estimate = step.body["prompt"].as_str().map_or(0, |prompt| prompt.len() as u64 / 4);
        let permit = self.limits.permit(estimate, cancel).ok_or(Failure::Cancelled)?;
        let reply = match self.post(step, cancel) {
            Err(Failure::Transient { is_overload: true, message, retry_after }) => {
                permit.overloaded();
                return Err(Failure::Transient { is_overload: true, message, retry_after });
            }
            reply => reply?,
        };
        let number = |place: &str| reply.pointer(place).and_then(Value::as_u64);
        let usage = TokenCounts {
            prompt_tokens: number("/usage/prompt_tokens")
                .or_else(|| number("/tokens_evaluated"))
                .unwrap_or_default(),
            completion_tokens: 1,
        };
        permit.answered(usage.prompt_tokens.saturating_add(1), estimate);
        let numbers = (step.reduce)(&reply)?;
        Ok(Choice { text: numbers.to_string(), finish: None, usage: Some(usage) })
    }

    fn post(&self, step: &Step<'_>, cancel: &Cancel) -> Result<Value, Failure> {
        let url = self.endpoint(step.endpoint);
        let reply = self.transport.post(&url, step.body.to_string().into_bytes(), cancel)?;
        self.check(&reply, 1)?;
        serde_json::from_slice(&reply.body).map_err(|error| {
            Failure::transient(format!("{url}: its reply is not what the protocol says: {error}"))
        })
    }

    /// The tokens of a text. They cost next to nothing, and are kept in memory if many questions may share them.
    fn tokens(&self, step: &Step<'_>, cancel: &Cancel) -> Result<Value, Failure> {
        let key = step.body.to_string();
        let known = || self.choosing.tokens.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(tokens) = known().get(&key) {
            return Ok(tokens.clone());
        }
        let tokens = (step.reduce)(&self.post(step, cancel)?)?;
        if key.len() <= SHORT {
            known().insert(key, tokens.clone());
        }
        Ok(tokens)
    }
}

fn add(counts: &Cell<TokenCounts>, more: Option<TokenCounts>) {
    let (mut sum, more) = (counts.get(), more.unwrap_or_default());
    sum.prompt_tokens = sum.prompt_tokens.saturating_add(more.prompt_tokens);
    sum.completion_tokens = sum.completion_tokens.saturating_add(more.completion_tokens);
    counts.set(sum);
}
