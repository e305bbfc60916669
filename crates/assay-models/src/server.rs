//! What a server tells about itself.

use std::time::Duration;

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

/// The time limit for each page.
const TIMEOUT: Duration = Duration::from_secs(20);
/// The number of attempts to get a page from a server that fails for now.
const ATTEMPTS: u32 = 6;

impl ServerDescription {
    /// Asks the server.
    pub(crate) fn ask(
        transport: &Transport,
        address: &ModelAddress,
        cancel: &Cancel,
    ) -> Result<Self> {
        let page = |url: String| get(transport, &url, cancel);
        let models = page(address.endpoint("models"))?;
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
        let props = json(&page(address.beside("props"))?);
        let mut told = entry.cloned().unwrap_or(Value::Null);
        forget_times(&mut told);
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
            json(&page(address.beside("version"))?).get("version").and_then(Value::as_str)
        {
            found.program = Some(format!("vLLM {version}"));
            found.context = entry.and_then(|entry| entry.get("max_model_len")).and_then(number);
        } else if let Some(version) =
            json(&page(address.beside("api/version"))?).get("version").and_then(Value::as_str)
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

/// Removes what changes when a server starts again.
fn forget_times(entry: &mut Value) {
    if let Value::Object(fields) = entry {
        fields.retain(|name, _| !["created", "permission", "status"].contains(&name.as_str()));
    }
}

fn json(reply: &HttpReply) -> Value {
    let body = (reply.status == 200).then(|| serde_json::from_slice(&reply.body).ok());
    body.flatten().unwrap_or(Value::Null)
}

/// Gets a page, with a few attempts.
fn get(transport: &Transport, url: &str, cancel: &Cancel) -> Result<HttpReply> {
    let mut wait = Duration::from_millis(100);
    for attempt in 1.. {
        let failed = match transport.get(url, TIMEOUT, cancel) {
            Ok(reply) if reply.status < 500 && reply.status != 429 => return Ok(reply),
            Ok(reply) if attempt >= ATTEMPTS => return Ok(reply),
            Ok(reply) => message(&reply.body),
            Err(
                Failure::Transient { message, .. }
                | Failure::NoAnswer(message)
                | Failure::TooLong(message),
            ) => message,
            Err(Failure::Fatal(error)) => return Err(error),
            Err(Failure::Cancelled) => return Err(Error::failed("interrupted")),
        };
        let is_over = attempt >= ATTEMPTS || cancel.sleep(wait);
        if is_over {
            return Err(Error::failed(format!("{url}: {failed}"))
                .hint("start the server, or check its address; `assay models URL` tries it"));
        }
        wait *= 2;
    }
    Err(Error::failed(format!("{url} cannot be reached")))
}

fn unreachable(address: &ModelAddress, why: &str) -> Error {
    Error::failed(format!("{} cannot be used{why}", address.url()))
}
