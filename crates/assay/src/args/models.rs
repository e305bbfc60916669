//! Arguments about language models.

use std::path::Path;

use assay_core::{Error, KEY_VARIABLE, QuestionKind, Result, Secret, TaskCard, hide_variable};
use assay_solvers::{Say, SolverCard, SolverResources, SolverSpec};
use clap::{Args, ValueEnum};
use serde_json::{Map, Value, json};

use super::ExtractArgument;
use super::local::LocalArguments;
use crate::output;

/// The argument for the part of a reply that is graded; `score` has one of the same name.
const REPLY_EXTRACT: &str = "reply_extract";
/// The variable with the key of OpenAI's own server, which is sent to no other.
const OPENAI_KEY: &str = "OPENAI_API_KEY";
const OPENAI: &str = "https://api.openai.com/";

/// The temperature and the probability mass of several samples: as the BigCode harness.
const SEVERAL: (f64, f64) = (0.2, 0.95);

#[derive(Debug, Args)]
#[command(next_help_heading = "Language models")]
pub(crate) struct ModelArguments {
    /// The way to ask: a chat for models that follow instructions, the continuation of a text for base models.
    /// Default: chat.
    #[arg(long, value_name = "API")]
    pub(crate) api: Option<ApiArgument>,

    /// The part of a reply that is graded. Default: code for a chat, none for a completion.
    #[arg(long = "extract", id = REPLY_EXTRACT, value_name = "NAME")]
    pub(crate) extract: Option<ExtractArgument>,

    /// The way to choose among given answers, for tasks about lines and options. Any but `reply` asks by --api
    /// completion. Default: reply.
    #[arg(long, value_name = "RULE")]
    pub(crate) choose: Option<ChooseArgument>,

    /// The system prompt of a chat.
    #[arg(long, value_name = "TEXT")]
    pub(crate) system: Option<String>,

    /// The temperature of sampling. Default: 0 for one sample per problem, 0.2 (with --top-p 0.95) for several.
    #[arg(long, value_name = "T")]
    pub(crate) temperature: Option<f64>,

    /// Sample from the likeliest tokens with this probability together.
    #[arg(long, value_name = "P")]
    pub(crate) top_p: Option<f64>,

    /// Sample from this many of the likeliest tokens.
    #[arg(long, value_name = "K")]
    pub(crate) top_k: Option<u32>,

    /// Sample from tokens that are at least this likely, as a share of the likeliest one's probability.
    #[arg(long, value_name = "P")]
    pub(crate) min_p: Option<f64>,

    /// The greatest number of tokens of a reply. Default: 1024.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_tokens: Option<u32>,

    /// A text that ends a reply, in addition to the task's stop words; may be repeated.
    #[arg(long, value_name = "TEXT")]
    pub(crate) stop: Vec<String>,

    /// Fields to add to the body of every request, as a JSON object; null removes one.
    #[arg(long, value_name = "JSON", value_parser = object)]
    pub(crate) body: Option<Map<String, Value>>,

    /// The number of samples of a problem that are requested together, as `n`. Default: 1.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) samples_per_request: Option<u32>,

    /// The greatest number of lines that a model is shown of a file, for tasks about lines: of a longer file, the
    /// surroundings of the lines that the locator finds likeliest. Default: 400.
    #[arg(long, value_name = "LINES", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) window: Option<u32>,

    /// Ask for repeatable replies: no prompt cache, one request at a time, temperature 0; and say whether ten prompts
    /// got the same reply twice.
    #[arg(long)]
    pub(crate) deterministic: bool,

    /// The greatest number of requests in flight; fewer if the server has too much to do. Default: 64.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub(crate) in_flight: Option<u32>,

    /// The greatest number of requests per minute.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) requests_per_minute: Option<u32>,

    /// The greatest number of tokens per minute, of prompts and replies together.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) tokens_per_minute: Option<u32>,

    /// The time limit of a request, in seconds. Default: 600.
    #[arg(long, value_name = "SECONDS", value_parser = super::seconds)]
    pub(crate) request_timeout: Option<f64>,

    /// Receive replies piece by piece: for servers behind proxies that end quiet connections.
    #[arg(long)]
    pub(crate) stream: bool,

    /// The prices of a million tokens in US dollars, of prompts and of replies, such as 0.15,0.60.
    #[arg(long, value_name = "PROMPT,REPLY", value_parser = prices)]
    pub(crate) prices: Option<(f64, f64)>,

    #[command(flatten)]
    pub(crate) api_key: ApiKey,

    /// Ask again what was asked in earlier runs, and keep no replies.
    #[arg(long)]
    pub(crate) no_cache: bool,

    #[command(flatten)]
    pub(crate) local: LocalArguments,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ApiArgument {
    /// `/v1/chat/completions`.
    Chat,
    /// `/v1/completions`.
    Completion,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ChooseArgument {
    /// The answer that the reply names.
    Reply,
    /// The answer with the greatest likelihood (`acc` in lm-evaluation-harness).
    Likelihood,
    /// The same, with the log-likelihood divided by the number of characters (`acc_norm`).
    LikelihoodPerCharacter,
    /// The same, divided by the number of tokens.
    LikelihoodPerToken,
}

impl ChooseArgument {
    fn name(self) -> &'static str {
        match self {
            Self::Reply => "reply",
            Self::Likelihood => "likelihood",
            Self::LikelihoodPerCharacter => "likelihood-per-character",
            Self::LikelihoodPerToken => "likelihood-per-token",
        }
    }
}

/// The environment variable with a server's API key.
#[derive(Debug, Args)]
pub(crate) struct ApiKey {
    /// The environment variable with the server's API key. Default: ASSAY_API_KEY, and OPENAI_API_KEY for OpenAI's own
    /// server.
    #[arg(long, value_name = "NAME")]
    pub(crate) api_key_env: Option<String>,
}

impl ApiKey {
    /// Hides the key from every program that is started. OpenAI's is hidden if it is used: a user's own program may
    /// need it.
    pub(crate) fn hide(&self) {
        self.api_key_env.iter().for_each(|name| hide_variable(name));
    }

    /// The key for the server at `url`.
    #[expect(clippy::disallowed_methods, reason = "keys come from the environment alone")]
    pub(crate) fn read(&self, url: &str) -> Result<Option<Secret>> {
        let read = |name: &str| std::env::var(name).ok().and_then(|key| Secret::new(&key));
        if let Some(name) = &self.api_key_env {
            return read(name).map(Some).ok_or_else(|| {
                Error::usage(format!("the environment variable {name} has no API key"))
                    .hint(format!("set it: export {name}=…"))
            });
        }
        if !format!("{url}/").starts_with(OPENAI) {
            return Ok(read(KEY_VARIABLE));
        }
        hide_variable(OPENAI_KEY);
        Ok(read(KEY_VARIABLE).or_else(|| read(OPENAI_KEY)))
    }
}

impl ModelArguments {
    /// The settings for models, as a run records them, for this many samples per problem: those that count for a task
    /// that asks for such answers.
    pub(crate) fn settings(&self, asks: QuestionKind, samples: u32) -> Map<String, Value> {
        let is_sampled = samples > 1 && !self.deterministic;
        let temperature = self.temperature.unwrap_or(if is_sampled { SEVERAL.0 } else { 0.0 });
        let usual_mass = (is_sampled && self.temperature.is_none()).then_some(SEVERAL.1);
        let api = self.api.map(|api| match api {
            ApiArgument::Chat => "chat",
            ApiArgument::Completion => "completion",
        });
        // What a chat would say cannot be given.
        let is_likelihood = self.choose.is_some_and(|choose| choose != ChooseArgument::Reply);
        let api = api.or_else(|| is_likelihood.then_some("completion"));
        let prices = self
            .prices
            .map(|(prompt, completion)| json!({"prompt": prompt, "completion": completion}));
        let traffic = without_nulls(json!({
            "in_flight": self.in_flight,
            "timeout_s": self.request_timeout,
            "requests_per_minute": self.requests_per_minute,
            "tokens_per_minute": self.tokens_per_minute,
            "stream": self.stream,
            "prices": prices,
        }));
        let together = self.samples_per_request.map(|together| together.min(samples));
        let window = self.window.filter(|_| asks == QuestionKind::Line);
        let extract = self.extract.filter(|_| !gives_answers(asks)).map(extract_name);
        let model = without_nulls(json!({
            "api": api,
            "choose": self.choose.map(ChooseArgument::name),
            "system": self.system,
            "temperature": temperature,
            "top_p": self.top_p.or(usual_mass),
            "top_k": self.top_k,
            "min_p": self.min_p,
            "max_tokens": self.max_tokens,
            "stop": self.stop,
            "body": self.body.clone().unwrap_or_default(),
            "samples_per_request": together,
            "window": window,
            "extract": extract,
            "deterministic": self.deterministic,
            "traffic": traffic,
        }));
        Map::from_iter([("model".to_owned(), model)])
    }

    /// Refuses a choice among answers for a task that gives none, and settings that contradict each other.
    pub(crate) fn check_task(&self, card: &TaskCard) -> Result<()> {
        let choose = self.choose.map_or("reply", ChooseArgument::name);
        if choose == "reply" {
            return self.check_sampling();
        }
        self.check_choice(choose)?;
        if gives_answers(card.asks) {
            return Ok(());
        }
        let (task, asked) = (&card.name, card.asks.answer());
        let message = format!("{task} asks for {asked}, which --choose {choose} cannot choose");
        Err(Error::usage(message).hint("leave --choose out: it is for lines and options"))
    }

    fn check_sampling(&self) -> Result<()> {
        match self.temperature {
            Some(temperature) if self.deterministic && temperature != 0.0 => {
                let message = format!(
                    "--deterministic asks at temperature 0, and --temperature is {temperature}"
                );
                Err(Error::usage(message).hint("leave one of them out"))
            }
            _ => Ok(()),
        }
    }

    /// Refuses what a choice among given answers has no use for: nothing is sampled, and no reply is written.
    fn check_choice(&self, choose: &str) -> Result<()> {
        let given = [
            ("temperature", self.temperature.is_some()),
            ("top-p", self.top_p.is_some()),
            ("top-k", self.top_k.is_some()),
            ("min-p", self.min_p.is_some()),
            ("max-tokens", self.max_tokens.is_some()),
            ("stop", !self.stop.is_empty()),
        ];
        match given.iter().find(|(_, is_given)| *is_given) {
            None => Ok(()),
            Some((option, _)) => Err(Error::usage(format!(
                "--{option} changes nothing with --choose {choose}, which samples no reply"
            ))
            .hint(format!("leave --{option} out, or choose by the reply: --choose reply"))),
        }
    }

    /// The settings for the replies of a model behind a program.
    pub(crate) fn reply_settings(&self) -> Map<String, Value> {
        let extract = self.extract.map(extract_name);
        extract.map(|name| ("model".to_owned(), json!({ "extract": name }))).into_iter().collect()
    }

    /// What a solver may use. The key is that of the solver's own server.
    pub(crate) fn resources(&self, solver: &str, cache: Option<&Path>) -> Result<SolverResources> {
        let is_model = SolverSpec::parse(solver)?.card().is_model;
        let url = solver.rsplit_once('@').map_or("", |(_, url)| url);
        let api_key = if is_model { self.api_key.read(url)? } else { None };
        let replies = cache.filter(|_| !self.no_cache).map(Path::to_owned);
        let (cache, say) = (cache.map(Path::to_owned), Say::to(output::note));
        Ok(SolverResources { api_key, replies, cache, say })
    }

    /// Refuses arguments about models if there is none.
    pub(crate) fn check(solvers: &[String], typed: &[String]) -> Result<()> {
        let is = |wanted: fn(&SolverCard) -> bool| {
            let mut parsed = solvers.iter().filter_map(|solver| SolverSpec::parse(solver).ok());
            parsed.any(|spec| wanted(spec.card()))
        };
        if is(|card| card.is_model) {
            return LocalArguments::check(solvers, typed);
        }
        // A program may have a model behind it, whose replies are prose.
        let replies_too = is(|card| card.name() == "program");
        let names: Vec<String> = <Self as Args>::augment_args(clap::Command::new(""))
            .get_arguments()
            .map(|argument| argument.get_id().to_string())
            .filter(|name| !(replies_too && name == REPLY_EXTRACT))
            .collect();
        match typed.iter().find(|name| names.contains(name)) {
            None => Ok(()),
            Some(name) => {
                let option = name.trim_start_matches("reply_").replace('_', "-");
                Err(Error::usage(format!(
                    "--{option} is for language models, and no solver is one"
                ))
                .hint("a model is named --solver http:MODEL@URL or --solver local:PATH"))
            }
        }
    }
}

/// True if questions of this kind have answers to choose from, and so no code in them.
fn gives_answers(asks: QuestionKind) -> bool {
    matches!(asks, QuestionKind::Line | QuestionKind::Choice)
}

fn extract_name(argument: ExtractArgument) -> &'static str {
    argument.rule().map_or("none", |rule| rule.name())
}

pub(super) fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(fields) => fields.into_iter().filter(|(_, value)| !value.is_null()).collect(),
        other => other,
    }
}

fn object(text: &str) -> std::result::Result<Map<String, Value>, String> {
    match serde_json::from_str(text) {
        Ok(Value::Object(fields)) => Ok(fields),
        _ => Err("expected a JSON object, such as '{\"reasoning_effort\": \"low\"}'".to_owned()),
    }
}

fn prices(text: &str) -> std::result::Result<(f64, f64), String> {
    let price =
        |text: &str| text.trim().parse().ok().filter(|price: &f64| (0.0..1e6).contains(price));
    let parsed =
        text.split_once(',').and_then(|(prompt, reply)| Some((price(prompt)?, price(reply)?)));
    parsed.ok_or_else(|| "expected two prices in US dollars, such as 0.15,0.60".to_owned())
}

#[cfg(test)]
mod tests {
    use clap::{Args as _, FromArgMatches as _};

    use super::*;

    fn parse(words: &[&str]) -> ModelArguments {
        let command = ModelArguments::augment_args(clap::Command::new("x").no_binary_name(true));
        let matches = command.try_get_matches_from(words).unwrap();
        ModelArguments::from_arg_matches(&matches).unwrap()
    }

    #[test]
    fn several_samples_are_sampled_and_one_is_not() {
        let temperatures = |words: &[&str], samples| {
            let settings = parse(words).settings(QuestionKind::Code, samples);
            (settings["model"]["temperature"].clone(), settings["model"].get("top_p").cloned())
        };
        assert_eq!(temperatures(&[], 1), (json!(0.0), None));
        assert_eq!(temperatures(&[], 20), (json!(0.2), Some(json!(0.95))));
        assert_eq!(temperatures(&["--temperature", "1"], 20), (json!(1.0), None));
        assert_eq!(temperatures(&["--deterministic"], 20), (json!(0.0), None));
    }

    #[test]
    fn what_changes_nothing_is_not_recorded() {
        let words = ["--samples-per-request", "4", "--extract", "none", "--window", "9"];
        let recorded = |asks, samples| {
            let settings = parse(&words).settings(asks, samples);
            ["samples_per_request", "extract", "window"]
                .map(|name| settings["model"].get(name).cloned().unwrap_or_default())
        };
        assert_eq!(recorded(QuestionKind::Line, 1), [json!(1), json!(null), json!(9)]);
        assert_eq!(recorded(QuestionKind::Choice, 1), [json!(1), json!(null), json!(null)]);
        assert_eq!(recorded(QuestionKind::Code, 20), [json!(4), json!("none"), json!(null)]);
    }

    #[test]
    fn contradictions_are_refused() {
        let tasks = assay_tasks::TaskRegistry::built_in();
        let codrep = tasks.find("codrep").unwrap().card().clone();
        let refused = |words: &[&str]| parse(words).check_task(&codrep).unwrap_err().to_string();
        assert_eq!(
            refused(&["--deterministic", "--temperature", "0.9"]),
            "--deterministic asks at temperature 0, and --temperature is 0.9"
        );
        for words in [
            &["--temperature", "0.9"][..],
            &["--top-k", "3"],
            &["--max-tokens", "9"],
            &["--stop", "x"],
        ] {
            let all = [&["--choose", "likelihood"], words].concat();
            let expected = "changes nothing with --choose likelihood, which samples no reply";
            assert_eq!(refused(&all), format!("{} {expected}", words[0]));
        }
        for words in [&["--deterministic", "--temperature", "0"][..], &["--choose", "likelihood"]] {
            parse(words).check_task(&codrep).unwrap();
        }
    }

    #[test]
    fn a_key_for_openai_is_sent_nowhere_else() {
        assert!(prices("0.15,0.6").is_ok() && prices("1").is_err() && prices("-1,2").is_err());
        assert!(object("{}").is_ok() && object("[]").is_err() && object("{").is_err());
        let error =
            ModelArguments::check(&["first".to_owned()], &["top_p".to_owned()]).unwrap_err();
        assert_eq!(error.to_string(), "--top-p is for language models, and no solver is one");
        let model = ["http:m@http://localhost:1".to_owned()];
        ModelArguments::check(&model, &["top_p".to_owned()]).unwrap();
    }
}
