//! What a server tells about itself.

use std::time::{Duration, Instant};

use assay_core::{Cancel, Digest, Error, Result};
use serde::Serialize;
use serde_json::Value;

use crate::address::ModelAddress;
use crate::failure::{Failure, message};
use crate::transport::{HttpReply, Transport};

/// What a server tells about itself and one of its models.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ServerDescription {
    /// The server's program and its version, if it tells.
    pub program: Option<String>,
    /// The models that it lists.
    pub models: Vec<String>,
    /// The number of tokens that a request and its reply may have together.
    pub context: Option<u64>,
    /// The number of requests that it works on at once.
    pub slots: Option<u32>,
    /// A hash of what it tells about the model: other weights under the same name have another one.
    pub weights: Option<String>,
    /// The settings that replies depend on, if assay starts the server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settings: Option<String>,
}

/// The time limit for the list of models.
const TIMEOUT: Duration = Duration::from_secs(20);
/// The time limit for a page that a server may not have.
const OPTIONAL_TIMEOUT: Duration = Duration::from_secs(5);
/// The number of attempts to reach a server.
const ATTEMPTS: u32 = 6;
/// The number of attempts to get a page that a server may not have.
const OPTIONAL_ATTEMPTS: u32 = 2;
/// The longest wait between two attempts.
const LONGEST_WAIT: Duration = Duration::from_secs(2);
/// The time that a server may take to load its model.
pub(crate) const LOADING: Duration = Duration::from_mins(1);

/// The patience with a server that is not ready, and the receiver of a note about that.
pub(crate) struct Patience<'p> {
    pub(crate) most: Duration,
    pub(crate) say: &'p dyn Fn(&str),
}

impl Default for Patience<'_> {
    fn default() -> Self {
        Self { most: LOADING, say: &|_| {} }
    }
}

impl ServerDescription {
    /// Asks the server.
    pub(crate) fn ask(
        transport: &Transport,
        address: &ModelAddress,
        patience: &Patience<'_>,
        cancel: &Cancel,
    ) -> Result<Self> {
        let page = |url: String| optional(transport, &url, cancel);
        let models = get(transport, &address.endpoint("models"), patience, cancel)?;
        if matches!(models.status, 401 | 403) {
            let failure =
                crate::failure::of_status(models.status, None, &models.body, address.url());
            let Failure::Fatal(error) = failure else { return Err(unreachable(address, "")) };
            return Err(error);
        }
        let models = json(&models);
        let listed = models.get("data").and_then(Value::as_array).cloned().unwrap_or_default();
        let name = |model: &Value| model.get("id").and_then(Value::as_str).map(str::to_owned);
        let mut found =
            Self { models: listed.iter().filter_map(name).collect(), ..Self::default() };
        let entry = listed.iter().find(|entry| name(entry).as_deref() == Some(&address.model));
        // llama.cpp serves one model under any name.
        let entry = entry.or(listed.first().filter(|_| listed.len() == 1));
        let props = page(address.beside("props"));
        let mut told = entry.cloned().unwrap_or(Value::Null);
        forget_news(&mut told);
        if let Some(build) = props.get("build_info").and_then(Value::as_str) {
            found.program = Some(format!("llama.cpp {build}"));
            found.slots = props
                .get("total_slots")
                .and_then(number)
                .and_then(|slots| u32::try_from(slots).ok());
            let context = "/default_generation_settings/n_ctx";
            found.context = props.pointer(context).and_then(number);
            told =
                Value::Array(vec![told, props.get("model_path").cloned().unwrap_or(Value::Null)]);
        } else if let Some(version) =
            page(address.beside("version")).get("version").and_then(Value::as_str)
        {
            found.program = Some(format!("vLLM {version}"));
            found.context = entry.and_then(|entry| entry.get("max_model_len")).and_then(number);
        } else if let Some(version) =
            page(address.beside("api/version")).get("version").and_then(Value::as_str)
        {
            found.program = Some(format!("Ollama {version}"));
        }
        found.weights = (!told.is_null()).then(|| Digest::of(told.to_string().as_bytes()).short());
        Ok(found)
    }

    /// The part of a signature that identifies the server and the weights.
    pub fn identity(&self) -> String {
        let program = self.program.as_deref().unwrap_or("unknown").replace(' ', "-");
        let weights = self.weights.as_deref().unwrap_or("unknown");
        let settings = self.settings.as_ref().map_or(String::new(), |text| format!(",{text}"));
        format!("server={program},weights={weights}{settings}")
    }
}

fn number(value: &Value) -> Option<u64> {
    value.as_u64()
}

/// Words in the names of fields that say what a server does now, and nothing about its weights.
const NEWS: [&str; 15] = [
    "created",
    "permission",
    "status",
    "state",
    "load",
    "time",
    "last",
    "expire",
    "modified",
    "usage",
    "used",
    "requests",
    "slots",
    "ttl",
    "active",
];
/// Words in the names of numbers that describe weights. Any other number may be another one in a minute.
const SIZES: [&str; 8] = ["max_", "n_", "size", "param", "context", "length", "vocab", "bits"];

/// Removes what changes while a server runs, or when it starts again.
fn forget_news(entry: &mut Value) {
    match entry {
        Value::Object(fields) => {
            fields.retain(|name, value| {
                let name = name.to_lowercase();
                let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
                let is_news = has(&NEWS) || name.ends_with("_at");
                !is_news && (has(&SIZES) || !(value.is_number() || value.is_boolean()))
            });
            fields.values_mut().for_each(forget_news);
        }
        Value::Array(entries) => entries.iter_mut().for_each(forget_news),
        _ => {}
    }
}

fn json(reply: &HttpReply) -> Value {
    let body = (reply.status == 200).then(|| serde_json::from_slice(&reply.body).ok());
    body.flatten().unwrap_or(Value::Null)
}

/// Gets the list of models. A server that is still loading its model is waited for: its error page says nothing.
fn get(
    transport: &Transport,
    url: &str,
    patience: &Patience<'_>,
    cancel: &Cancel,
) -> Result<HttpReply> {
    let begun = Instant::now();
    let (mut wait, mut broken) = (Duration::from_millis(100), 0);
    let mut is_told = false;
    loop {
        let failed = match transport.get(url, TIMEOUT, cancel) {
            Ok(reply) if reply.status < 500 && reply.status != 429 => return Ok(reply),
            Ok(reply) => not_ready(&reply),
            Err(
                Failure::Transient { message, .. }
                | Failure::NoAnswer(message)
                | Failure::TooLong(message),
            ) => {
                broken += 1;
                message
            }
            Err(Failure::Fatal(error)) => return Err(error),
            Err(Failure::Cancelled) => return Err(Error::failed("interrupted")),
        };
        let left = patience.most.saturating_sub(begun.elapsed());
        if broken >= ATTEMPTS || left.is_zero() || cancel.sleep(wait.min(left)) {
            return Err(Error::failed(format!("{url}: {failed}"))
                .hint("start the server, or check its address; `assay models URL` tries it"));
        }
        if broken == 0 && !is_told && wait >= Duration::from_secs(1) {
            is_told = true;
            (patience.say)(&format!(
                "{url}: {failed}; waiting for it, {} s at most",
                left.as_secs()
            ));
        }
        wait = (wait * 2).min(LONGEST_WAIT);
    }
}

fn not_ready(reply: &HttpReply) -> String {
    let (status, said) = (reply.status, message(&reply.body));
    let said = if said.is_empty() { said } else { format!(": {said}") };
    format!("the server is not ready (status {status}){said}")
}

/// Gets a page that a server may not have. Some close the connection instead of saying so.
fn optional(transport: &Transport, url: &str, cancel: &Cancel) -> Value {
    let mut wait = Duration::from_millis(100);
    for attempt in 1..=ATTEMPTS {
        let begun = Instant::now();
        let most = match transport.get(url, OPTIONAL_TIMEOUT, cancel) {
            // What the server tells must not depend on how much it has to do.
            Ok(reply) if matches!(reply.status, 429 | 503) => ATTEMPTS,
            Ok(reply) => return json(&reply),
            Err(_) if begun.elapsed() >= OPTIONAL_TIMEOUT => return Value::Null,
            Err(_) => OPTIONAL_ATTEMPTS,
        };
        if attempt >= most || cancel.sleep(wait) {
            break;
        }
        wait *= 2;
    }
    Value::Null
}

fn unreachable(address: &ModelAddress, why: &str) -> Error {
    Error::failed(format!("{} cannot be used{why}", address.url()))
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::io::{BufRead, BufReader, Write};
    use std::net::{TcpListener, TcpStream};

    use serde_json::json;

    use super::*;

    /// Answers requests on a free port, each by its path and number; an empty answer closes the connection.
    fn serving(answer: impl Fn(&str, usize) -> String + Send + 'static) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            for (number, stream) in listener.incoming().flatten().enumerate() {
                let answer = answer(&path(&stream), number);
                let _ = (&stream).write_all(answer.as_bytes());
            }
        });
        url
    }

    fn path(stream: &TcpStream) -> String {
        let mut lines = BufReader::new(stream).lines().map_while(std::io::Result::ok);
        let path = lines.next().and_then(|line| Some(line.split(' ').nth(1)?.to_owned()));
        lines.find(String::is_empty);
        path.unwrap_or_default()
    }

    fn page(status: u16, body: &str) -> String {
        let length = body.len();
        format!(
            "HTTP/1.1 {status} x\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"
        )
    }

    fn described(url: &str, most: Duration, say: &dyn Fn(&str)) -> Result<ServerDescription> {
        let address = ModelAddress::on(url, "m").unwrap();
        let transport = Transport::new(address.url(), true, None, TIMEOUT).unwrap();
        ServerDescription::ask(&transport, &address, &Patience { most, say }, &Cancel::new())
    }

    const MODELS: &str = r#"{"data":[{"id":"m"}]}"#;

    #[test]
    fn a_server_that_loads_is_waited_for() {
        let url = serving(|path, number| match path {
            _ if number < 6 => page(503, r#"{"error":{"message":"Loading model"}}"#),
            "/v1/models" => page(200, MODELS),
            _ => page(404, "{}"),
        });
        let said = RefCell::new(String::new());
        let found = described(&url, LOADING, &|text| said.borrow_mut().push_str(text)).unwrap();
        assert_eq!(found.models, ["m"]);
        let said = said.into_inner();
        assert!(said.contains("(status 503): Loading model; waiting for it"), "{said}");
    }

    #[test]
    fn an_error_is_no_description() {
        for status in [429, 500, 503] {
            let url = serving(move |_, _| page(status, "{}"));
            let error = described(&url, Duration::from_millis(200), &|_| {}).unwrap_err();
            let message = error.to_string();
            assert!(message.contains(&format!("not ready (status {status})")), "{message}");
        }
    }

    #[test]
    fn a_server_may_close_connections_to_pages_that_it_does_not_have() {
        let url = serving(|path, _| match path {
            "/v1/models" => page(200, MODELS),
            _ => String::new(),
        });
        let found = described(&url, LOADING, &|_| {}).unwrap();
        assert_eq!((found.models, found.program), (vec!["m".to_owned()], None));
    }

    #[test]
    fn what_changes_while_a_server_runs_is_forgotten() {
        let entry = |now: u64| {
            let mut entry = json!({
                "id": "m", "root": "org/m", "max_model_len": 4096, "created": now, "loaded_at": now,
                "load": now, "status": {"value": now.to_string()}, "meta": {"n_params": 7, "uptime": now},
            });
            forget_news(&mut entry);
            entry
        };
        assert_eq!(entry(1), entry(2));
        assert_eq!(
            entry(1),
            json!({"id": "m", "root": "org/m", "max_model_len": 4096, "meta": {"n_params": 7}})
        );
    }
}
