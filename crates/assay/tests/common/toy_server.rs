//! A small model server on loopback, in two shapes: as vLLM, and as llama.cpp.
//!
//! Its tokens are characters. The log-probability of a character depends on the one before it ([`logprob`]), so the
//! likelihood of any text can be computed by hand. What it says to a prompt is up to the test.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

/// The way in which a server differs from others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// `echo` is honoured; log-probabilities are arrays.
    Vllm,
    /// `echo` is ignored; there are `/tokenize` and `/completion`.
    Llama,
    /// `echo` is ignored, and there is nothing else.
    Plain,
}

/// A longer prompt is refused.
pub(crate) const LONGEST: usize = 20_000;

/// The reply to a prompt and a seed.
type Answer = dyn Fn(&str, u64) -> String + Send + Sync;

/// A running server, which ends when this is dropped.
pub(crate) struct ToyServer {
    shared: Arc<Shared>,
    port: u16,
}

struct Shared {
    shape: Shape,
    model: String,
    key: Option<String>,
    answer: Box<Answer>,
    requests: Mutex<Vec<(String, Value)>>,
    is_over: AtomicBool,
}

/// The log-probability of a character after another.
pub(crate) fn logprob(before: char, next: char) -> f64 {
    -f64::from((u32::from(before) * 3 + u32::from(next)) % 5 + 1) / 2.0
}

/// The log-probability of a text after a prompt.
pub(crate) fn likelihood(prompt: &str, text: &str) -> f64 {
    let whole: Vec<char> = prompt.chars().chain(text.chars()).collect();
    let from = prompt.chars().count();
    (from..whole.len()).map(|at| logprob(whole[at - 1], whole[at])).sum()
}

impl ToyServer {
    /// Starts a server whose model replies by `answer`.
    pub(crate) fn start(
        shape: Shape,
        answer: impl Fn(&str, u64) -> String + Send + Sync + 'static,
    ) -> Self {
        Self::serving("toy", shape, None, answer)
    }

    /// The same, under a name, and with a key that it asks for.
    pub(crate) fn serving(
        model: &str,
        shape: Shape,
        key: Option<&str>,
        answer: impl Fn(&str, u64) -> String + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let port = listener.local_addr().expect("it has an address").port();
        let shared = Arc::new(Shared {
            shape,
            model: model.to_owned(),
            key: key.map(str::to_owned),
            answer: Box::new(answer),
            requests: Mutex::default(),
            is_over: AtomicBool::new(false),
        });
        let same = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                if same.is_over.load(Ordering::SeqCst) {
                    return;
                }
                let (Ok(stream), shared) = (stream, Arc::clone(&same)) else { continue };
                std::thread::spawn(move || serve(&stream, &shared));
            }
        });
        Self { shared, port }
    }

    /// Its port.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Its address.
    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The requests with a body so far, by path.
    pub(crate) fn requests(&self) -> Vec<(String, Value)> {
        self.shared.requests.lock().expect("nobody panicked").clone()
    }
}

impl Drop for ToyServer {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::SeqCst);
        // Wakes the thread that listens.
        let _ = TcpStream::connect(("127.0.0.1", self.port));
    }
}

/// Serves the requests of one connection.
fn serve(stream: &TcpStream, shared: &Shared) {
    let mut reader = BufReader::new(stream);
    while let Some((path, key, body)) = request(&mut reader) {
        if shared.is_over.load(Ordering::SeqCst) {
            return;
        }
        let is_allowed = shared.key.as_ref().is_none_or(|right| key == format!("Bearer {right}"));
        let (status, text) = if is_allowed {
            respond(shared, &path, &body)
        } else {
            (401, json!({"error": {"message": "Invalid API Key"}}).to_string())
        };
        let head = format!(
            "HTTP/1.1 {status} x\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            text.len()
        );
        let mut writer = stream;
        if writer.write_all((head + &text).as_bytes()).is_err() {
            return;
        }
    }
}

/// The path, the key and the body of a request.
fn request(reader: &mut BufReader<&TcpStream>) -> Option<(String, String, Value)> {
    let (mut path, mut key, mut length) = (String::new(), String::new(), 0);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let line = line.trim_end();
        match line.split_once(": ") {
            _ if path.is_empty() => line.split(' ').nth(1)?.clone_into(&mut path),
            _ if line.is_empty() => break,
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                length = value.parse().ok()?;
            }
            Some((name, value)) if name.eq_ignore_ascii_case("authorization") => {
                value.clone_into(&mut key);
            }
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((path, key, serde_json::from_slice(&body).unwrap_or(Value::Null)))
}

fn respond(shared: &Shared, path: &str, body: &Value) -> (u16, String) {
    if !body.is_null() {
        let mut requests = shared.requests.lock().expect("nobody panicked");
        requests.push((path.to_owned(), body.clone()));
    }
    let missing = (404, json!({"error": {"message": "Not Found"}}));
    let (status, reply) = match (path, shared.shape) {
        ("/v1/models", _) => (200, json!({"data": [{"id": shared.model, "max_model_len": 32768}]})),
        ("/version", Shape::Vllm) => (200, json!({"version": "0.32.0"})),
        ("/props", Shape::Llama) => {
            let context = json!({"n_ctx": 2048});
            let props = json!({"build_info": "b1-toy", "total_slots": 2,
                "default_generation_settings": context, "model_path": "toy.gguf"});
            (200, props)
        }
        ("/v1/chat/completions", _) => return chat(shared, body),
        ("/v1/completions", _) => (200, completion(shared, body)),
        ("/tokenize", Shape::Llama) => {
            let text = body["content"].as_str().unwrap_or_default();
            (200, json!({"tokens": text.chars().map(u32::from).collect::<Vec<_>>()}))
        }
        ("/completion", Shape::Llama) => (200, forced(body)),
        _ => missing,
    };
    (status, reply.to_string())
}

fn chat(shared: &Shared, body: &Value) -> (u16, String) {
    let count = body["n"].as_u64().unwrap_or(1);
    if count > 2 && shared.shape == Shape::Llama {
        let message = "n_cmpl cannot be greater than the number of slots, please adjust -np";
        return (400, json!({"error": {"message": message}}).to_string());
    }
    let prompt = body["messages"].as_array().and_then(|messages| messages.last());
    let prompt = prompt.and_then(|message| message["content"].as_str()).unwrap_or_default();
    if prompt.len() > LONGEST {
        let message = "request exceeds the available context size, try increasing it";
        let error = json!({"message": message, "type": "exceed_context_size_error"});
        return (400, json!({"error": error}).to_string());
    }
    let seed = body["seed"].as_u64().unwrap_or_default();
    let text = |at: u64| (shared.answer)(prompt, seed + at);
    let usage = json!({"prompt_tokens": prompt.len() / 4, "completion_tokens": text(0).len() / 4});
    if body["stream"] == true {
        let piece = json!({"choices": [{"index": 0, "delta": {"content": text(0)}, "finish_reason": "stop"}]});
        let last = json!({"choices": [], "usage": usage});
        return (200, format!("data: {piece}\n\ndata: {last}\n\ndata: [DONE]\n\n"));
    }
    let choices: Vec<Value> = (0..count)
        .map(|at| json!({"index": at, "message": {"content": text(at)}, "finish_reason": "stop"}))
        .collect();
    (200, json!({"choices": choices, "usage": usage}).to_string())
}

fn completion(shared: &Shared, body: &Value) -> Value {
    let prompt = body["prompt"].as_str().unwrap_or_default();
    let echoes = body["echo"] == true && shared.shape == Shape::Vllm;
    let said = (shared.answer)(prompt, body["seed"].as_u64().unwrap_or_default());
    let said = if body["max_tokens"] == 1 { said.chars().take(1).collect() } else { said };
    let text = if echoes { format!("{prompt}{said}") } else { said.clone() };
    let before = if echoes { None } else { prompt.chars().last() };
    let all: Vec<char> = before.into_iter().chain(text.chars()).collect();
    let mut logprobs: Vec<Value> =
        all.windows(2).map(|pair| logprob(pair[0], pair[1]).into()).collect();
    if before.is_none() {
        logprobs.insert(0, Value::Null);
    }
    let tokens: Vec<String> = text.chars().map(String::from).collect();
    let logprobs = match shared.shape {
        _ if body.get("logprobs").is_none() => Value::Null,
        Shape::Vllm => json!({"tokens": tokens, "token_logprobs": logprobs}),
        Shape::Llama => {
            json!({"content": [{"token": tokens.first(), "logprob": logprobs.first()}]})
        }
        Shape::Plain => Value::Null,
    };
    json!({
        "choices": [{"index": 0, "text": text, "logprobs": logprobs, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": prompt.chars().count(), "completion_tokens": said.chars().count()},
    })
}

/// llama.cpp says the token that a bias forces it to say, and tells the likeliest ones.
fn forced(body: &Value) -> Value {
    let number = |value: &Value| value.as_u64().and_then(|token| u32::try_from(token).ok());
    let letter = |token: u32| char::from_u32(token).unwrap_or('?');
    let tokens = body["prompt"].as_array().cloned().unwrap_or_default();
    let before = letter(tokens.last().and_then(number).unwrap_or_default());
    let entry = |token: u32| json!({"id": token, "logprob": logprob(before, letter(token))});
    let mut all: Vec<u32> = (32..127).collect();
    all.sort_by(|a, b| {
        logprob(before, letter(*b)).total_cmp(&logprob(before, letter(*a))).then(a.cmp(b))
    });
    let count = number(&body["n_probs"]).unwrap_or_default() as usize;
    let mut said = entry(number(&body["logit_bias"][0][0]).unwrap_or(all[0]));
    said["top_logprobs"] = all.into_iter().take(count).map(entry).collect();
    json!({"completion_probabilities": [said], "tokens_evaluated": tokens.len()})
}
