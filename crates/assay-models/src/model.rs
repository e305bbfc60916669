//! A model on a server, as a solver.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use assay_core::{AnswerEach, AnswerError, Ask, Cancel, Question, Reply, Result, Secret, Usage};
use tracing::debug;

use crate::address::ModelAddress;
use crate::cache::{self, CachedModel, ReplyLog};
use crate::failure::{Failure, is_about_count, of_status, redirected};
use crate::limits::Limits;
use crate::prompt::{Prompts, RankLines};
use crate::reading::read;
use crate::reply::{Choice, parse};
use crate::request::Request;
use crate::server::ServerDescription;
use crate::settings::{Api, ModelSettings};
use crate::stream::Pieces;
use crate::transport::{HttpReply, Transport};

/// What a model is asked with. None of it changes a reply.
#[derive(Debug, Clone, Default)]
pub struct ModelResources {
    /// The server's key.
    pub key: Option<Secret>,
    /// The folder of replies of earlier runs; none are used or kept without it.
    pub cache: Option<PathBuf>,
}

/// A model on a server.
pub struct Model {
    address: ModelAddress,
    settings: ModelSettings,
    seed: u64,
    /// The greatest number of lines that an answer may name.
    top: usize,
    prompts: Prompts,
    transport: Transport,
    limits: Limits,
    server: ServerDescription,
    cache: Option<ReplyLog>,
    from_cache: AtomicU64,
    /// The greatest number of samples that the server gives at once, as far as it is known.
    most_together: AtomicU32,
}

impl Model {
    /// Connects to a model: asks the server about itself, and opens the replies of earlier runs.
    pub fn connect(
        address: ModelAddress,
        settings: ModelSettings,
        (seed, top): (u64, usize),
        resources: ModelResources,
        rank: Box<RankLines>,
    ) -> Result<Self> {
        settings.check()?;
        let timeout = Duration::try_from_secs_f64(settings.traffic.timeout_s);
        let timeout = timeout.unwrap_or(Duration::MAX);
        let ModelResources { key, cache } = resources;
        let transport = Transport::new(address.url(), address.is_loopback(), key, timeout)?;
        let server = ServerDescription::ask(&transport, &address, &Cancel::new())?;
        let about = CachedModel {
            model: address.model.clone(),
            url: address.url().to_owned(),
            server: server.identity(),
        };
        let cache = cache.map(|folder| cache::open(&folder, &about)).transpose()?;
        let most = if settings.deterministic { 1 } else { settings.traffic.in_flight };
        let (prompts, limits) = (
            Prompts::new(settings.api, settings.window, rank),
            Limits::new(&settings.traffic, most),
        );
        let from_cache = AtomicU64::new(0);
        let most_together = AtomicU32::new(server.slots.unwrap_or(u32::MAX).max(1));
        Ok(Self {
            address,
            settings,
            seed,
            top,
            prompts,
            transport,
            limits,
            server,
            cache,
            from_cache,
            most_together,
        })
    }

    /// Everything that its replies depend on, as far as it can be known.
    pub fn identity(&self) -> String {
        let (settings, server) = (self.settings.identity(), self.server.identity());
        format!("{},{settings},seed={},{server}", self.address, self.seed)
    }

    /// The server.
    pub fn server(&self) -> &ServerDescription {
        &self.server
    }

    /// The number of replies that came from earlier runs.
    pub fn from_cache(&self) -> u64 {
        self.from_cache.load(Ordering::Relaxed)
    }

    /// Replies of earlier runs to consecutive samples, from the first one on.
    fn known(&self, request: &Request, sample: u32, count: u32) -> Vec<Choice> {
        let Some(cache) = &self.cache else { return Vec::new() };
        let server = self.server.identity();
        let samples = sample..sample.saturating_add(count);
        let known: Vec<Choice> = samples
            .map_while(|sample| cache.get(&request.key(&server, sample)))
            .map(|(choice, _)| choice)
            .collect();
        self.from_cache.fetch_add(known.len() as u64, Ordering::Relaxed);
        known
    }

    /// Asks the server for samples, and keeps what it replied.
    fn ask_server(
        &self,
        request: &Request,
        (sample, count): (u32, u32),
        estimate: u64,
        cancel: &Cancel,
    ) -> Result<Vec<Choice>, Failure> {
        let permit = self.limits.permit(estimate, cancel).ok_or(Failure::Cancelled)?;
        let started = Instant::now();
        let choices = match self.send(request, sample, count, cancel) {
            Ok(choices) => choices,
            Err(failure) => {
                if let Failure::Transient { is_overload: true, .. } = failure {
                    permit.overloaded();
                }
                return Err(failure);
            }
        };
        let used = choices.iter().filter_map(|choice| choice.usage);
        let used = used.map(|usage| usage.prompt_tokens + usage.completion_tokens).sum();
        permit.answered(used, estimate);
        let wall_s = started.elapsed().as_secs_f64();
        if let Some(cache) = &self.cache {
            let server = self.server.identity();
            for (choice, sample) in choices.iter().zip(sample..) {
                cache.add(request.key(&server, sample), choice, wall_s).map_err(Failure::Fatal)?;
            }
        }
        Ok(choices)
    }

    fn send(
        &self,
        request: &Request,
        sample: u32,
        count: u32,
        cancel: &Cancel,
    ) -> Result<Vec<Choice>, Failure> {
        let url = self.address.endpoint(request.path());
        let (api, count_asked) = (self.settings.api, count as usize);
        let broken =
            |why: String| Failure::transient(format!("{url}: {}", self.transport.without_key(why)));
        if self.settings.traffic.stream {
            let mut pieces = Pieces::new(api);
            let body = request.body(sample, count, true);
            let receive = &mut |bytes: &[u8]| pieces.add(bytes);
            let reply = self.transport.post_streamed(&url, body, cancel, receive)?;
            self.check(&reply, count)?;
            if reply.body.is_empty() {
                let choices = pieces.finish(count_asked).map_err(broken)?;
                return Ok(self.without_key(choices));
            }
            return parse(&reply.body, api, count_asked).map_err(broken);
        }
        let reply = self.transport.post(&url, request.body(sample, count, false), cancel)?;
        self.check(&reply, count)?;
        parse(&reply.body, api, count_asked).map_err(broken)
    }

    /// Removes the key from replies that came piece by piece.
    fn without_key(&self, mut choices: Vec<Choice>) -> Vec<Choice> {
        for choice in &mut choices {
            choice.text = self.transport.without_key(std::mem::take(&mut choice.text));
        }
        choices
    }

    fn check(&self, reply: &HttpReply, count: u32) -> Result<(), Failure> {
        let HttpReply { status, retry_after, location, body } = reply;
        let url = self.address.url();
        match status {
            200..300 => Ok(()),
            300..400 => Err(redirected(*status, location.as_deref(), url)),
            _ if count > 1 && is_about_count(*status, body) => {
                self.most_together.fetch_min(count / 2, Ordering::Relaxed);
                Err(Failure::transient(format!("{url} gives fewer than {count} samples at once")))
            }
            _ => Err(of_status(*status, *retry_after, body, url)),
        }
    }

    /// The number of samples that are asked for together.
    fn together(&self) -> u32 {
        self.settings.samples_per_request.min(self.most_together.load(Ordering::Relaxed)).max(1)
    }

    /// A choice of the server as a reply to the question.
    fn reply(&self, choice: Choice, question: &Question, asked: &Arc<str>) -> Reply {
        let Choice { text, finish, usage } = choice;
        let read = read(&text, question, self.top);
        let price = self.settings.traffic.prices;
        let usage = usage.map_or_else(Usage::default, |usage| Usage {
            prompt_tokens: Some(usage.prompt_tokens),
            completion_tokens: Some(usage.completion_tokens),
            cost: price.map(|price| price.of(usage.prompt_tokens, usage.completion_tokens)),
        });
        Reply {
            text: read.rule.is_some().then_some(text),
            rule: read.rule.map(str::to_owned),
            asked: Some(Arc::clone(asked)),
            finish,
            usage,
            ..read.response.into()
        }
    }
}

impl AnswerEach for Model {
    fn answer(&self, ask: &Ask<'_>) -> Result<Reply, AnswerError> {
        let mut replies = self.answer_samples(ask, 1)?;
        replies.pop().ok_or_else(|| assay_core::Error::failed("the server gave no reply").into())
    }

    fn samples_together(&self) -> u32 {
        self.together()
    }

    fn remarks(&self) -> Vec<String> {
        let (wanted, given) = (self.settings.samples_per_request, self.together());
        let fewer = (given < wanted).then(|| {
            format!("the server gives {given} samples at once, so --samples-per-request {wanted} was not followed")
        });
        fewer.into_iter().collect()
    }

    fn answer_samples(&self, ask: &Ask<'_>, count: u32) -> Result<Vec<Reply>, AnswerError> {
        let Ask { question, sample, cancel, .. } = *ask;
        let count = count.min(self.together());
        let prompt = self.prompts.prompt(question);
        let stop = match self.settings.api {
            // In a chat, a stop word may come before the code.
            Api::Chat => Vec::new(),
            Api::Completion => question.stop_words().words().to_vec(),
        };
        let request = Request::new(&self.address.model, &self.settings, self.seed, &prompt, &stop);
        let asked: Arc<str> = prompt.as_ref().into();
        let mut choices = self.known(&request, sample, count);
        if choices.is_empty() {
            // Four characters are about a token.
            let estimate = prompt.len() as u64 / 4
                + u64::from(count) * u64::from(self.settings.max_tokens) / 2;
            choices = match self.ask_server(&request, (sample, count), estimate, cancel) {
                Ok(choices) => choices,
                Err(failure) => {
                    debug!(?failure, "no reply");
                    let reply: Reply = failure.into_answer()?.into();
                    return Ok(vec![Reply { asked: Some(asked), ..reply }]);
                }
            };
        }
        Ok(choices.into_iter().map(|choice| self.reply(choice, question, &asked)).collect())
    }

    fn concurrency(&self, _jobs: usize) -> usize {
        if self.settings.deterministic { 1 } else { self.settings.traffic.in_flight as usize }
    }

    fn is_verbatim(&self) -> bool {
        self.settings.api == Api::Chat
    }
}
