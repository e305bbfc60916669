//! The bodies of requests.

use assay_core::DigestOf;
use serde_json::{Map, Value, json};

use crate::settings::{Api, ModelSettings};

/// A question to a model, before it is known which samples are asked for.
pub(crate) struct Request {
    api: Api,
    /// The body without what differs between the samples.
    body: Map<String, Value>,
    /// Fields of the user, which replace any other.
    extra: Map<String, Value>,
    seed: u64,
}

impl Request {
    /// The request for a prompt, whose reply ends at any of the stop words.
    pub(crate) fn new(
        model: &str,
        settings: &ModelSettings,
        seed: u64,
        prompt: &str,
        stop: &[String],
    ) -> Self {
        let mut body = Map::new();
        body.insert("model".to_owned(), model.into());
        match settings.api {
            Api::Chat => {
                let system = settings.system.as_ref();
                let system = system.map(|text| json!({"role": "system", "content": text}));
                let user = json!({"role": "user", "content": prompt});
                body.insert("messages".to_owned(), system.into_iter().chain([user]).collect());
            }
            Api::Completion => {
                body.insert("prompt".to_owned(), prompt.into());
            }
        }
        let mut add = |name: &str, value: Option<Value>| {
            if let Some(value) = value {
                body.insert(name.to_owned(), value);
            }
        };
        add("max_tokens", Some(settings.max_tokens.into()));
        add("temperature", settings.temperature.map(Value::from));
        add("top_p", settings.top_p.map(Value::from));
        add("top_k", settings.top_k.map(Value::from));
        add("min_p", settings.min_p.map(Value::from));
        let stop: Vec<&String> = stop.iter().chain(&settings.stop).collect();
        add("stop", (!stop.is_empty()).then(|| json!(stop)));
        // llama.cpp: a reply depends on what its cache holds.
        add("cache_prompt", settings.deterministic.then_some(Value::Bool(false)));
        Self { api: settings.api, body, extra: settings.body.clone(), seed }
    }

    /// The path of the endpoint.
    pub(crate) fn path(&self) -> &'static str {
        self.api.path()
    }

    /// The body that asks for `count` samples from `sample` on.
    pub(crate) fn body(&self, sample: u32, count: u32, stream: bool) -> Vec<u8> {
        let mut body = self.body.clone();
        body.insert("seed".to_owned(), self.seed.wrapping_add(u64::from(sample)).into());
        if count > 1 {
            body.insert("n".to_owned(), count.into());
        }
        if stream {
            body.insert("stream".to_owned(), true.into());
            body.insert("stream_options".to_owned(), json!({"include_usage": true}));
        }
        for (name, value) in &self.extra {
            match value {
                Value::Null => body.remove(name),
                value => body.insert(name.clone(), value.clone()),
            };
        }
        Value::Object(body).to_string().into_bytes()
    }

    /// The hash of everything that the reply to a sample depends on; `server` identifies the server. Samples that are
    /// asked for together have the seed of the `first` one.
    pub(crate) fn key(&self, server: &str, first: u32, sample: u32) -> assay_core::Digest {
        let mut key = DigestOf::new();
        key.field(server.as_bytes()).field(self.path().as_bytes());
        key.field(&self.body(first, 1, false)).field(&sample.to_le_bytes());
        key.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(settings: &ModelSettings, sample: u32, count: u32, stream: bool) -> String {
        let stop = ["\n#".to_owned()];
        let request = Request::new("m", settings, 7, "Hi", &stop);
        String::from_utf8(request.body(sample, count, stream)).unwrap()
    }

    #[test]
    fn a_chat_and_a_completion_are_asked_for() {
        let chat = ModelSettings {
            system: Some("Be brief.".to_owned()),
            temperature: Some(0.2),
            ..ModelSettings::default()
        };
        assert_eq!(
            body(&chat, 2, 1, false),
            "{\"max_tokens\":1024,\"messages\":[{\"content\":\"Be brief.\",\"role\":\"system\"},\
             {\"content\":\"Hi\",\"role\":\"user\"}],\"model\":\"m\",\"seed\":9,\"stop\":[\"\\n#\"],\
             \"temperature\":0.2}"
        );
        let completion = ModelSettings { api: Api::Completion, ..ModelSettings::default() };
        assert_eq!(
            body(&completion, 0, 3, true),
            "{\"max_tokens\":1024,\"model\":\"m\",\"n\":3,\"prompt\":\"Hi\",\"seed\":7,\
             \"stop\":[\"\\n#\"],\"stream\":true,\"stream_options\":{\"include_usage\":true}}"
        );
    }

    #[test]
    fn the_users_fields_count_most() {
        let extra =
            json!({"max_tokens": null, "max_completion_tokens": 5, "stop": null, "seed": 1});
        let extra = extra.as_object().unwrap().clone();
        let settings =
            ModelSettings { body: extra, api: Api::Completion, ..ModelSettings::default() };
        assert_eq!(
            body(&settings, 4, 1, false),
            "{\"max_completion_tokens\":5,\"model\":\"m\",\"prompt\":\"Hi\",\"seed\":1}"
        );
    }

    #[test]
    fn a_key_depends_on_the_reply_and_not_on_the_way_it_is_sent() {
        let request = |settings: &ModelSettings| Request::new("m", settings, 7, "Hi", &[]);
        let plain = request(&ModelSettings::default());
        let key = plain.key("server", 0, 0);
        assert_eq!(key, request(&ModelSettings::default()).key("server", 0, 0));
        assert_ne!(key, plain.key("server", 1, 1));
        assert_ne!(key, plain.key("other", 0, 0));
        let hot = ModelSettings { temperature: Some(1.0), ..ModelSettings::default() };
        assert_ne!(key, request(&hot).key("server", 0, 0));
        let fixed = json!({"seed": 1}).as_object().unwrap().clone();
        let fixed = request(&ModelSettings { body: fixed, ..ModelSettings::default() });
        assert_ne!(fixed.key("server", 0, 0), fixed.key("server", 1, 1), "each sample is a reply");
        assert_ne!(plain.key("server", 0, 1), plain.key("server", 1, 1), "another seed was sent");
        assert_eq!(fixed.key("server", 0, 1), fixed.key("server", 1, 1), "the same seed was sent");
    }
}
