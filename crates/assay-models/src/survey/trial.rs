//! The requests of a survey, one kind after the other.

use std::cell::RefCell;
use std::time::Instant;

use assay_core::{Cancel, Error, Result};
use serde_json::{Value, json};

use super::{Ability, Budget};
use crate::address::ModelAddress;
use crate::failure::{Failure, message, of_status};
use crate::likelihood::Endpoint;
use crate::likelihood::probe::{self, Shape};
use crate::reply::parse;
use crate::server::ServerDescription;
use crate::settings::Api;
use crate::stream::Pieces;
use crate::transport::{HttpReply, Transport};

pub(super) const CHAT: &str = "chat";
pub(super) const COMPLETION: &str = "completion";

/// A prompt that any model continues.
const PROMPT: &str = "def add(a, b):\n    return";

/// Tries what a server can do.
pub(super) struct Trials<'t> {
    transport: &'t Transport,
    address: &'t ModelAddress,
    server: &'t ServerDescription,
    cancel: &'t Cancel,
    budget: RefCell<Budget>,
    /// The way to ask that works.
    api: Option<Api>,
}

/// The outcome of a request: a finding, or the reason why there is none.
type Found = std::result::Result<String, String>;

impl<'t> Trials<'t> {
    pub(super) fn new(
        transport: &'t Transport,
        address: &'t ModelAddress,
        server: &'t ServerDescription,
        cancel: &'t Cancel,
    ) -> Self {
        Self { transport, address, server, cancel, budget: RefCell::new(Budget::new()), api: None }
    }

    /// The number of requests that were sent.
    pub(super) fn sent(&self) -> u32 {
        self.budget.borrow().sent
    }

    /// Tries everything.
    pub(super) fn all(&mut self) -> Result<Vec<Ability>> {
        let chat = self.ask(Api::Chat);
        let completion = self.ask(Api::Completion);
        self.api = match (&chat, &completion) {
            (Ok(_), _) => Some(Api::Chat),
            (_, Ok(_)) => Some(Api::Completion),
            _ => None,
        };
        let mut abilities = vec![
            ability(CHAT, chat, "--api chat", "--api chat cannot be used"),
            ability(COMPLETION, completion, "--api completion", "--api completion cannot be used"),
        ];
        if self.api.is_some() {
            let (logprobs, echo) = self.logprobs();
            abilities.extend([
                ability("stream", self.stream(), "--stream", "--stream cannot be used"),
                ability(
                    "n",
                    self.several(),
                    "--samples-per-request",
                    "samples are asked for one by one, as by default",
                ),
                ability(
                    "seed",
                    self.seed(),
                    "--seed: the same request can give the same reply",
                    "samples cannot be drawn again; the record keeps them",
                ),
                ability("logprobs", logprobs, "tells how sure a model is", "not used otherwise"),
                ability("echo", echo, "--choose likelihood", "see likelihood"),
                self.likelihood()?,
            ]);
        }
        if self.cancel.is_cancelled() {
            return Err(Error::failed("interrupted"));
        }
        Ok(abilities)
    }

    /// One short request.
    fn ask(&self, api: Api) -> Found {
        let started = Instant::now();
        let reply = self.post(api, &self.body(api))?;
        let choices = parse(&reply.body, api, 1)?;
        let text = choices.first().map_or("", |choice| choice.text.trim());
        let seconds = started.elapsed().as_secs_f64();
        let empty = if text.is_empty() { ", with an empty reply" } else { "" };
        Ok(format!("replied in {seconds:.1} s{empty}"))
    }

    fn stream(&self) -> Found {
        let api = self.api.unwrap_or(Api::Chat);
        let mut body = self.body(api);
        body["stream"] = json!(true);
        body["stream_options"] = json!({"include_usage": true});
        self.budget.borrow_mut().spend()?;
        let (mut pieces, mut events) = (Pieces::new(api), 0);
        let receive = &mut |bytes: &[u8]| {
            events += bytes.windows(5).filter(|window| window == b"data:").count();
            pieces.add(bytes)
        };
        let url = self.address.endpoint(api.path());
        let body = body.to_string().into_bytes();
        let reply = self.transport.post_streamed(&url, body, self.cancel, receive);
        let body = accepted(reply)?.body;
        let choices =
            pieces.finish_with(&body, 1).map_err(|why| self.transport.without_key(why))?;
        events += body.windows(5).filter(|window| window == b"data:").count();
        if events == 0 {
            return Err("ignored: the reply came in one piece".to_owned());
        }
        let has_usage = choices.iter().any(|choice| choice.usage.is_some());
        Ok(format!(
            "{events} events, {} counts of tokens",
            if has_usage { "with" } else { "without" }
        ))
    }

    fn several(&self) -> Found {
        let api = self.api.unwrap_or(Api::Chat);
        let mut body = self.body(api);
        (body["n"], body["temperature"]) = (json!(2), json!(1));
        let reply = self.post(api, &body)?;
        match parse(&reply.body, api, 2)?.len() {
            2 => Ok("two samples in one reply".to_owned()),
            _ => Err("ignored: one sample where two were asked for".to_owned()),
        }
    }

    /// Two requests with one seed, and a few with others: a small choice of tokens may be the same by chance.
    fn seed(&self) -> Found {
        let api = self.api.unwrap_or(Api::Chat);
        let said = |seed: u32| -> std::result::Result<String, String> {
            let mut body = self.body(api);
            (body["seed"], body["temperature"]) = (json!(seed), json!(1.5));
            let choices = parse(&self.post(api, &body)?.body, api, 1)?;
            Ok(choices.into_iter().map(|choice| choice.text).collect())
        };
        let first = said(1)?;
        if said(1)? != first {
            return Err("the same seed gave two different replies".to_owned());
        }
        for other in 2..5 {
            if said(other)? != first {
                return Ok("the same seed gave the same reply, another one another".to_owned());
            }
        }
        Err("four seeds gave the same reply at temperature 1.5".to_owned())
    }

    /// Log-probabilities and their shape, and whether the prompt comes back.
    fn logprobs(&self) -> (Found, Found) {
        let mut body = self.body(Api::Completion);
        (body["logprobs"], body["max_tokens"]) = (json!(1), json!(1));
        let plain = self.post(Api::Completion, &body).and_then(|reply| shape_of(&reply));
        body["echo"] = json!(true);
        let echo = self.post(Api::Completion, &body).and_then(|reply| {
            let reply: Value = serde_json::from_slice(&reply.body).unwrap_or_default();
            let text = reply.pointer("/choices/0/text").and_then(Value::as_str);
            if !text.is_some_and(|text| text.starts_with(PROMPT)) {
                return Err("silently ignored: the prompt does not come back".to_owned());
            }
            match crate::likelihood::echo::read(&reply, PROMPT) {
                Some(_) => Ok("the prompt comes back with its log-probabilities".to_owned()),
                None => Err("the prompt comes back without its log-probabilities".to_owned()),
            }
        });
        (plain, echo)
    }

    /// The likelihood of given answers.
    fn likelihood(&self) -> Result<Ability> {
        let is_llama =
            self.server.program.as_deref().is_some_and(|name| name.starts_with("llama.cpp"));
        let send = |endpoint, body: Value| {
            let url = match endpoint {
                Endpoint::Completions => self.address.endpoint("completions"),
                Endpoint::Forced => self.address.beside("completion"),
                Endpoint::Tokenize => self.address.beside("tokenize"),
            };
            Ok(self
                .send(&url, &body)
                .ok()
                .and_then(|reply| serde_json::from_slice(&reply.body).ok()))
        };
        let shape = match probe::shape(&self.address.model, is_llama, &send) {
            Ok(shape) => shape,
            Err(Failure::Fatal(error)) => return Err(error),
            Err(_) => None,
        };
        let found = match shape {
            Some(Shape::Echo) => Ok("by echo, one request per answer".to_owned()),
            Some(Shape::Forced) => {
                Ok("by /completion, which can be forced to say a token".to_owned())
            }
            None => Err("neither echo nor /tokenize and /completion as llama.cpp".to_owned()),
        };
        Ok(ability(
            "likelihood",
            found,
            "--choose likelihood",
            "--choose likelihood cannot be used; --choose reply can",
        ))
    }

    /// The body of a short request.
    fn body(&self, api: Api) -> Value {
        let mut body = json!({"model": self.address.model, "max_tokens": 8, "temperature": 0});
        match api {
            Api::Chat => {
                let text = "Name three colours.";
                body["messages"] = json!([{"role": "user", "content": text}]);
            }
            Api::Completion => body["prompt"] = PROMPT.into(),
        }
        body
    }

    fn post(&self, api: Api, body: &Value) -> std::result::Result<HttpReply, String> {
        self.send(&self.address.endpoint(api.path()), body)
    }

    fn send(&self, url: &str, body: &Value) -> std::result::Result<HttpReply, String> {
        if self.cancel.is_cancelled() {
            return Err("interrupted".to_owned());
        }
        self.budget.borrow_mut().spend()?;
        accepted(self.transport.post(url, body.to_string().into_bytes(), self.cancel))
    }
}

/// The reply, if the server did what it was asked for; else the reason in its words.
fn accepted(
    reply: std::result::Result<HttpReply, Failure>,
) -> std::result::Result<HttpReply, String> {
    let reply = reply.map_err(|failure| match failure {
        Failure::Transient { message, .. }
        | Failure::NoAnswer(message)
        | Failure::TooLong(message) => message,
        Failure::Fatal(error) => error.to_string(),
        Failure::Cancelled => "interrupted".to_owned(),
    })?;
    if (200..300).contains(&reply.status) {
        return Ok(reply);
    }
    let said = message(&reply.body);
    let status = reply.status;
    let is_about_request = !matches!(of_status(status, None, b"", ""), Failure::Transient { .. });
    let what = if is_about_request { "refused" } else { "failed" };
    Err(if said.is_empty() {
        format!("{what} (status {status})")
    } else {
        format!("{what} (status {status}): {said}")
    })
}

/// The shape of the log-probabilities in a reply.
fn shape_of(reply: &HttpReply) -> Found {
    let reply: Value = serde_json::from_slice(&reply.body).unwrap_or_default();
    let logprobs = reply.pointer("/choices/0/logprobs");
    let has = |name: &str| logprobs.is_some_and(|logprobs| logprobs.get(name).is_some());
    if has("token_logprobs") {
        return Ok("arrays, as OpenAI's legacy completions and vLLM".to_owned());
    }
    if has("content") {
        return Ok("`content`, in the shape of a chat, as llama.cpp".to_owned());
    }
    Err("silently ignored: the reply has none".to_owned())
}

fn ability(name: &'static str, found: Found, used: &'static str, without: &'static str) -> Ability {
    match found {
        Ok(found) => Ability { name, works: true, found, used },
        Err(found) => Ability { name, works: false, found, used: without },
    }
}
