//! The ways in which servers differ that all speak OpenAI's protocol.

use serde_json::{Value, json};

/// A server to imitate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Dialect {
    /// llama.cpp's server.
    #[default]
    LlamaCpp,
    /// vLLM.
    Vllm,
}

impl Dialect {
    /// The body of an error.
    pub(crate) fn error(self, status: u16, kind: &str, message: &str) -> Value {
        match self {
            Self::LlamaCpp => {
                json!({"error": {"code": status, "message": message, "type": kind}})
            }
            Self::Vllm => {
                json!({"error": {"message": message, "type": kind, "param": null, "code": status}})
            }
        }
    }

    /// The body for a page that is not there.
    pub(crate) fn not_found(self) -> Value {
        match self {
            Self::LlamaCpp => self.error(404, "not_found_error", "File Not Found"),
            Self::Vllm => json!({"detail": "Not Found"}),
        }
    }

    /// The error for a prompt that is too long.
    pub(crate) fn too_long(self, tokens: usize, context: usize) -> Value {
        match self {
            Self::LlamaCpp => json!({"error": {
                "code": 400,
                "message": format!(
                    "request ({tokens} tokens) exceeds the available context size ({context} tokens), try increasing it"
                ),
                "type": "exceed_context_size_error",
                "n_prompt_tokens": tokens,
                "n_ctx": context,
            }}),
            Self::Vllm => self.error(
                400,
                "BadRequestError",
                &format!(
                    "This model's maximum context length is {context} tokens. However, your request has {tokens} \
                     input tokens. Please reduce the length of the input messages."
                ),
            ),
        }
    }

    /// The page of models.
    pub(crate) fn models(self, model: &str) -> Value {
        let meta = match self {
            Self::LlamaCpp => {
                json!({"owned_by": "llamacpp", "meta": {"n_params": 7_000_000_000_u64}})
            }
            Self::Vllm => json!({"owned_by": "vllm", "root": model, "max_model_len": 32_768}),
        };
        let mut entry = json!({"id": model, "object": "model", "created": 1_760_000_000});
        if let (Value::Object(entry), Value::Object(meta)) = (&mut entry, meta) {
            entry.extend(meta);
        }
        json!({"object": "list", "data": [entry]})
    }

    /// Other pages about the server.
    pub(crate) fn page(self, path: &str, slots: u32, context: usize) -> Option<Value> {
        match (self, path) {
            (_, "/health") => Some(json!({"status": "ok"})),
            (Self::LlamaCpp, "/props") => Some(json!({
                "build_info": "b1-test",
                "model_path": "/models/stored.gguf",
                "total_slots": slots,
                "default_generation_settings": {"n_ctx": context},
            })),
            (Self::Vllm, "/version") => Some(json!({"version": "0.0.test"})),
            _ => None,
        }
    }

    /// The id of a reply.
    pub(crate) fn id(self, is_chat: bool, number: u64) -> String {
        match self {
            Self::Vllm if !is_chat => format!("cmpl-{number:x}"),
            _ => format!("chatcmpl-{number:x}"),
        }
    }

    /// The tokens of a reply with these numbers of tokens in its choices.
    pub(crate) fn usage(self, prompt: usize, choices: &[usize]) -> Value {
        let written: usize = match self {
            Self::LlamaCpp => choices.first().copied().unwrap_or(0),
            Self::Vllm => choices.iter().sum(),
        };
        json!({
            "prompt_tokens": prompt,
            "completion_tokens": written,
            "total_tokens": prompt + written,
        })
    }
}
