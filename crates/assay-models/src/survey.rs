//! The survey of a server: its models, and one small request of each kind that assay may send.
//!
//! Each request is sent once, with a time limit, so a survey ends soon whatever the server does.

mod trial;

use std::time::{Duration, Instant};

use assay_core::{Cancel, Error, Result, Secret, shown_line};
use serde::Serialize;
use serde_json::Value;

use crate::address::ModelAddress;
use crate::failure::{Failure, message, of_status};
use crate::server::{Patience, ServerDescription};
use crate::transport::{HttpReply, Transport};
use trial::Trials;

/// The time limit of a request: the first one may have to load the model.
const TIMEOUT: Duration = Duration::from_mins(1);
/// The time limit for the list of models.
const PAGE_TIMEOUT: Duration = Duration::from_secs(10);
/// The greatest number of requests.
pub(crate) const MAX_REQUESTS: u32 = 20;
/// The time after which no further request is sent.
const MAX_TIME: Duration = Duration::from_mins(2);

/// The survey of a server.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Survey {
    /// The server's address.
    pub url: String,
    /// The server's description of itself and the model.
    #[serde(flatten)]
    pub server: ServerDescription,
    /// The model that was tried.
    pub model: String,
    /// The kinds of requests, with what came of them.
    pub requests: Vec<Ability>,
    /// The number of requests that were sent.
    pub requests_sent: u32,
}

/// A kind of request, and what came of trying it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Ability {
    /// Its name.
    pub name: &'static str,
    /// Whether the server can do it.
    pub works: bool,
    /// The way in which it does, or the reason why it does not.
    pub found: String,
    /// The use that assay makes of it, or what it cannot do without.
    pub used: &'static str,
}

impl Survey {
    /// Returns whether assay can ask the model at all.
    pub fn is_usable(&self) -> bool {
        let works =
            |name| self.requests.iter().any(|ability| ability.name == name && ability.works);
        works(trial::CHAT) || works(trial::COMPLETION)
    }
}

/// Lists what the server at `url` offers, and tries one request of each kind with `model`, or its first model.
pub fn survey(
    url: &str,
    model: Option<&str>,
    key: Option<Secret>,
    cancel: &Cancel,
) -> Result<Survey> {
    let address = ModelAddress::on(url, model.unwrap_or_default())?;
    let transport = Transport::new(address.url(), address.is_loopback(), key, TIMEOUT)?;
    let listed = list(&transport, &address, cancel)?;
    let first = listed.iter().find_map(|entry| entry.get("id").and_then(Value::as_str));
    let model = model.or(first).ok_or_else(|| {
        Error::failed(format!("{} lists no models", address.url()))
            .hint("name the model: assay models URL --model NAME")
    })?;
    let address = ModelAddress::on(url, model)?;
    let server = ServerDescription::ask(&transport, &address, &Patience::default(), cancel)?;
    let mut trials = Trials::new(&transport, &address, &server, cancel);
    let requests = trials.all()?;
    let requests_sent = trials.sent();
    let model = model.to_owned();
    Ok(Survey { url: address.url().to_owned(), server, model, requests, requests_sent })
}

/// The entries of the server's list of models; an error if no such server answers.
fn list(transport: &Transport, address: &ModelAddress, cancel: &Cancel) -> Result<Vec<Value>> {
    let url = address.endpoint("models");
    let reply = match transport.get(&url, PAGE_TIMEOUT, cancel) {
        Ok(reply) => reply,
        Err(
            Failure::Transient { message, .. }
            | Failure::NoAnswer(message)
            | Failure::TooLong(message),
        ) => {
            return Err(Error::failed(format!("{}: {message}", address.url())).hint(
                "start the server, or check host and port; a server on this machine is http://localhost:PORT",
            ));
        }
        Err(Failure::Fatal(error)) => return Err(error),
        Err(Failure::Cancelled) => return Err(Error::failed("interrupted")),
    };
    if let 401 | 403 = reply.status
        && let Failure::Fatal(error) = of_status(reply.status, None, &reply.body, address.url())
    {
        return Err(error);
    }
    entries(&reply).map_err(|why| {
        Error::failed(format!("{url} is no list of models: {why}")).hint(
            "this is no server that speaks OpenAI's protocol, or its URL has another path, which usually ends in /v1",
        )
    })
}

/// The entries of a list of models. A server may have none: some serve a model that they do not list.
fn entries(reply: &HttpReply) -> std::result::Result<Vec<Value>, String> {
    let body: std::result::Result<Value, _> = serde_json::from_slice(&reply.body);
    match (reply.status, body) {
        (200, Ok(body)) => match body.get("data").and_then(Value::as_array) {
            Some(entries) => Ok(entries.clone()),
            None => Err("its JSON has no `data`".to_owned()),
        },
        (200, Err(_)) => {
            let text = String::from_utf8_lossy(&reply.body);
            let is_page = text.trim_start().to_lowercase().starts_with('<');
            let what = if is_page { "a web page" } else { "not JSON" };
            Err(format!("it is {what}, which begins {:?}", shortened(&text)))
        }
        (status, _) => {
            let said = message(&reply.body);
            let is_page = said.starts_with('<') || said.is_empty();
            let said = if is_page { String::new() } else { format!(": {said}") };
            Err(format!("status {status}{said}"))
        }
    }
}

fn shortened(text: &str) -> String {
    const MOST: usize = 40;
    let line = text.trim().lines().next().unwrap_or_default();
    shown_line(&line.chars().take(MOST).collect::<String>()).into_owned()
}

/// Time and requests that are left.
pub(crate) struct Budget {
    begun: Instant,
    sent: u32,
}

impl Budget {
    pub(crate) fn new() -> Self {
        Self { begun: Instant::now(), sent: 0 }
    }

    /// Counts a request; an error if none is left.
    pub(crate) fn spend(&mut self) -> std::result::Result<(), String> {
        if self.sent >= MAX_REQUESTS || self.begun.elapsed() > MAX_TIME {
            return Err("not tried: the server was too slow before".to_owned());
        }
        self.sent += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_list_of_models_is_named() {
        let check = |status: u16, body: &str| {
            entries(&HttpReply {
                status,
                retry_after: None,
                location: None,
                body: body.as_bytes().to_vec(),
            })
        };
        assert_eq!(check(200, r#"{"data":[{"id":"m"}]}"#).unwrap().len(), 1);
        assert!(check(200, r#"{"data":[]}"#).unwrap().is_empty());
        for (status, body, why) in [
            (200, "<!DOCTYPE html>\n<p>", "it is a web page, which begins \"<!DOCTYPE html>\""),
            (200, "hello", "it is not JSON, which begins \"hello\""),
            (200, "{}", "its JSON has no `data`"),
            (404, r#"{"detail":"Not Found"}"#, "status 404: Not Found"),
            (502, "<html>", "status 502"),
        ] {
            assert_eq!(check(status, body).unwrap_err(), why);
        }
    }
}
