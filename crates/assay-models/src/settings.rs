//! The settings of a model, as a run records them.

use assay_core::{Error, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The settings of a model; in a run's settings under `model`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ModelSettings {
    /// The way to ask.
    pub api: Api,
    /// The way to choose among given answers.
    #[serde(skip_serializing_if = "Choose::is_reply")]
    pub choose: Choose,
    /// The system prompt of a chat.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// The temperature of sampling; the server's own if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// The probability mass that is sampled from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f64>,
    /// The number of likeliest tokens that are sampled from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_k: Option<u32>,
    /// The least probability of a token, as a share of the likeliest one's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_p: Option<f64>,
    /// The greatest number of tokens of a reply.
    pub max_tokens: u32,
    /// Texts that end a reply, in addition to the task's stop words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stop: Vec<String>,
    /// Fields that are added to the body of every request; `null` removes one.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub body: Map<String, Value>,
    /// The number of samples that are requested together.
    pub samples_per_request: u32,
    /// The greatest number of lines of a file that are shown, for tasks about lines.
    pub window: usize,
    /// The name of the rule by which the code in replies is found; none by default for completions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extract: Option<String>,
    /// True if the server is asked for repeatable replies: no prompt cache, one request at a time.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub deterministic: bool,
    /// The settings that change no reply.
    pub traffic: Traffic,
}

/// The default of [`ModelSettings::window`].
const WINDOW: usize = 400;

impl Default for ModelSettings {
    fn default() -> Self {
        Self {
            api: Api::Chat,
            choose: Choose::Reply,
            system: None,
            temperature: None,
            top_p: None,
            top_k: None,
            min_p: None,
            max_tokens: 1024,
            stop: Vec::new(),
            body: Map::new(),
            samples_per_request: 1,
            window: WINDOW,
            extract: None,
            deterministic: false,
            traffic: Traffic::default(),
        }
    }
}

/// The ways to ask a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Api {
    /// A chat, `/v1/chat/completions`: for models that were trained to follow instructions.
    Chat,
    /// The continuation of a text, `/v1/completions`: for base models.
    Completion,
}

impl Api {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::Completion => "completion",
        }
    }

    /// The path of its endpoint.
    pub(crate) fn path(self) -> &'static str {
        match self {
            Self::Chat => "chat/completions",
            Self::Completion => "completions",
        }
    }
}

/// The ways to choose among given answers: the options of a question, or the lines of a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Choose {
    /// The answer that the model's reply names.
    #[default]
    Reply,
    /// The answer whose tokens have the greatest log-probability together.
    Likelihood,
    /// The same, divided by the number of the answer's characters.
    LikelihoodPerCharacter,
    /// The same, divided by the number of tokens.
    LikelihoodPerToken,
}

impl Choose {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Reply => "reply",
            Self::Likelihood => "likelihood",
            Self::LikelihoodPerCharacter => "likelihood-per-character",
            Self::LikelihoodPerToken => "likelihood-per-token",
        }
    }

    /// The name and version of the rule, as answers record it.
    pub(crate) fn rule(self) -> String {
        format!("{}.1", self.name())
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    fn is_reply(&self) -> bool {
        *self == Self::Reply
    }
}

/// The settings that change no reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Traffic {
    /// The greatest number of requests in flight.
    pub in_flight: u32,
    /// The time limit of a request, in seconds.
    pub timeout_s: f64,
    /// The greatest number of requests per minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests_per_minute: Option<u32>,
    /// The greatest number of tokens per minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_per_minute: Option<u32>,
    /// True if replies are sent piece by piece.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub stream: bool,
    /// The prices of tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prices: Option<Prices>,
}

impl Default for Traffic {
    fn default() -> Self {
        Self {
            in_flight: 64,
            timeout_s: 600.0,
            requests_per_minute: None,
            tokens_per_minute: None,
            stream: false,
            prices: None,
        }
    }
}

/// Prices in US dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Prices {
    /// The price of tokens that are read.
    pub prompt: f64,
    /// The price of tokens that are written.
    pub completion: f64,
}

impl Prices {
    /// The price of this many tokens.
    pub(crate) fn of(self, prompt: u64, completion: u64) -> f64 {
        (self.prompt * prompt as f64 + self.completion * completion as f64) / 1e6
    }
}

impl ModelSettings {
    /// Refuses settings that no server understands.
    pub fn check(&self) -> Result<()> {
        let outside = |name: &str, value: Option<f64>, (low, high): (f64, f64)| match value {
            Some(value) if !(low..=high).contains(&value) => {
                Err(Error::usage(format!("{name} is {value}, and must be from {low} to {high}")))
            }
            _ => Ok(()),
        };
        outside("the temperature", self.temperature, (0.0, 10.0))?;
        outside("top-p", self.top_p, (0.0, 1.0))?;
        outside("min-p", self.min_p, (0.0, 1.0))?;
        if self.max_tokens == 0 || self.samples_per_request == 0 || self.traffic.in_flight == 0 {
            return Err(Error::usage(
                "the numbers of tokens, of samples per request and of requests must be above 0",
            ));
        }
        if self.choose != Choose::Reply && self.api == Api::Chat {
            return Err(Error::usage(format!(
                "--choose {} needs --api completion: a chat's reply cannot be given",
                self.choose.name()
            ))
            .hint("leave --api out, or choose by the reply: --choose reply"));
        }
        if self.system.is_some() && self.api == Api::Completion {
            return Err(Error::usage("a completion has no system prompt")
                .hint("leave --system out, or ask by --api chat"));
        }
        Ok(())
    }

    /// The settings that replies depend on, for the signature.
    pub fn identity(&self) -> String {
        let mut identity = format!("api={}.{}", self.api.name(), crate::prompt::VERSION);
        let mut add = |name: &str, value: Option<String>| {
            if let Some(value) = value {
                identity.push_str(&format!(",{name}={value}"));
            }
        };
        add("choose", (self.choose != Choose::Reply).then(|| self.choose.rule()));
        let is_sampled = self.choose == Choose::Reply;
        let number =
            |value: Option<f64>| value.filter(|_| is_sampled).map(|value| value.to_string());
        let count =
            |value: Option<u32>| value.filter(|_| is_sampled).map(|value| value.to_string());
        add("temperature", number(self.temperature));
        add("top_p", number(self.top_p));
        add("top_k", count(self.top_k));
        add("min_p", number(self.min_p));
        add("max_tokens", count(Some(self.max_tokens)));
        let shown = |texts: &[String]| serde_json::to_string(texts).unwrap_or_default();
        add("stop", (is_sampled && !self.stop.is_empty()).then(|| shown(&self.stop)));
        add("system", self.system.as_ref().map(|text| digest(text)));
        let body = Value::Object(self.body.clone()).to_string();
        add("body", (!self.body.is_empty()).then(|| digest(&body)));
        add("together", count(Some(self.samples_per_request).filter(|&together| together > 1)));
        add("deterministic", self.deterministic.then(|| "yes".to_owned()));
        // A run of a task that shows no files has the default.
        add("window", (self.window != WINDOW).then(|| self.window.to_string()));
        identity
    }
}

fn digest(text: &str) -> String {
    assay_core::Digest::of(text.as_bytes()).short()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_identity_names_what_replies_depend_on() {
        let plain = ModelSettings::default();
        assert_eq!(plain.identity(), "api=chat.2,max_tokens=1024");
        let traffic = Traffic { in_flight: 3, stream: true, ..Traffic::default() };
        let same = ModelSettings { traffic, ..plain.clone() };
        assert_eq!(same.identity(), plain.identity());
        let other = ModelSettings {
            api: Api::Completion,
            temperature: Some(0.2),
            stop: vec!["\n".to_owned()],
            samples_per_request: 4,
            ..plain
        };
        let chosen = ModelSettings { choose: Choose::Likelihood, ..other.clone() };
        assert_eq!(chosen.identity(), "api=completion.2,choose=likelihood.1", "nothing is sampled");
        let expected = "api=completion.2,temperature=0.2,max_tokens=1024,stop=[\"\\n\"],together=4";
        assert_eq!(other.identity(), expected);
    }

    #[test]
    fn the_identity_names_a_window_that_changes_prompts() {
        let narrow = ModelSettings { window: 100, ..ModelSettings::default() };
        assert_eq!(narrow.identity(), "api=chat.2,max_tokens=1024,window=100");
    }

    #[test]
    fn impossible_settings_are_refused() {
        let refuses = |settings: ModelSettings| settings.check().unwrap_err().to_string();
        let cold = ModelSettings { temperature: Some(-1.0), ..ModelSettings::default() };
        assert_eq!(refuses(cold), "the temperature is -1, and must be from 0 to 10");
        let wide = ModelSettings { top_p: Some(1.5), ..ModelSettings::default() };
        assert_eq!(refuses(wide), "top-p is 1.5, and must be from 0 to 1");
        let system = Some("be brief".to_owned());
        let mixed = ModelSettings { api: Api::Completion, system, ..ModelSettings::default() };
        assert_eq!(refuses(mixed), "a completion has no system prompt");
        let choose = Choose::LikelihoodPerToken;
        let chat = ModelSettings { choose, ..ModelSettings::default() };
        assert_eq!(
            refuses(chat),
            "--choose likelihood-per-token needs --api completion: a chat's reply cannot be given"
        );
        ModelSettings { choose, api: Api::Completion, ..ModelSettings::default() }.check().unwrap();
        ModelSettings::default().check().unwrap();
    }
}
