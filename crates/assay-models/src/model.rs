//! A model on a server, as a solver.

mod asking;
mod choosing;

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use assay_core::{
    AnswerEach, AnswerError, Ask, Cancel, Digest, Error, Question, Reply, Result, Secret, Usage,
    agreeing, counted,
};

use crate::address::ModelAddress;
use crate::cache::{self, CachedModel, ReplyLog};
use crate::failure::{Failure, is_about_count, of_status, redirected};
use crate::limits::Limits;
use crate::local::{LocalServer, Say};
use crate::prompt::{Prompts, RankLines};
use crate::reading::read;
use crate::reply::{Choice, TokenCounts, parse};
use crate::request::Request;
use crate::server::{LOADING, Patience, ServerDescription};
use crate::settings::{Api, Choose, ModelSettings};
use crate::stream::Pieces;
use crate::transport::{HttpReply, Transport};
use choosing::Choosing;

/// What a model is asked with. None of it changes a reply.
#[derive(Clone, Default)]
pub struct ModelResources {
    /// The server's key.
    pub key: Option<Secret>,
    /// The folder of replies of earlier runs; none are used or kept without it.
    pub cache: Option<PathBuf>,
    /// Receives a note if the server is waited for.
    pub say: Option<Arc<Say>>,
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
    /// The server, if it is our own.
    own: Option<LocalServer>,
    cache: Option<ReplyLog>,
    /// The reason why the cache cannot keep replies any more. What arrived is answered; nothing more is asked for.
    cache_failure: Mutex<Option<Error>>,
    from_cache: AtomicU64,
    /// The server's words about the first prompt that it refused, and the number of those prompts.
    refused: Mutex<Option<(String, u64)>>,
    /// The number of replies of the server.
    from_server: AtomicU64,
    choosing: Choosing,
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
        let ModelResources { key, cache, say } = resources;
        let transport = transport(&address, &settings, key)?;
        let say = |text: &str| say.iter().for_each(|say| say(text));
        let patience = Patience { most: LOADING, say: &say };
        let server = ServerDescription::ask(&transport, &address, &patience, &Cancel::new())?;
        let url = address.url().to_owned();
        let cache = cache_of((&address.model, url), &server, cache)?;
        Ok(Self::new((address, transport, server, None), settings, (seed, top), cache, rank))
    }

    /// A model on a server of our own, which starts when it is asked.
    pub fn serve(
        own: LocalServer,
        mut settings: ModelSettings,
        (seed, top): (u64, usize),
        cache: Option<PathBuf>,
        rank: Box<RankLines>,
    ) -> Result<Self> {
        settings.check()?;
        // More would only wait at the server, and reach their time limit there.
        settings.traffic.in_flight = settings.traffic.in_flight.min(own.slots());
        let address = own.address()?;
        let transport = transport(&address, &settings, Some(own.key()))?;
        let server = own.description();
        // Its port is another one in each run.
        let cache = cache_of((&address.model, "local".to_owned()), &server, cache)?;
        Ok(Self::new((address, transport, server, Some(own)), settings, (seed, top), cache, rank))
    }

    fn new(
        (address, transport, server, own): Served,
        settings: ModelSettings,
        (seed, top): (u64, usize),
        cache: Option<ReplyLog>,
        rank: Box<RankLines>,
    ) -> Self {
        let most = if settings.deterministic { 1 } else { settings.traffic.in_flight };
        let (prompts, limits) =
            (Prompts::new(settings.api, rank), Limits::new(&settings.traffic, most));
        let (from_cache, from_server) = (AtomicU64::new(0), AtomicU64::new(0));
        let most_together = AtomicU32::new(server.slots.unwrap_or(u32::MAX).max(1));
        Self {
            address,
            settings,
            seed,
            top,
            prompts,
            transport,
            limits,
            server,
            own,
            cache,
            cache_failure: Mutex::default(),
            from_cache,
            refused: Mutex::default(),
            from_server,
            choosing: Choosing::default(),
            most_together,
        }
    }

    /// Everything that its replies depend on, as far as it can be known.
    pub fn identity(&self) -> String {
        let (settings, server) = (self.settings.identity(), self.server.identity());
        let name = match &self.own {
            // Neither port nor path changes a reply.
            Some(own) => own.name().to_owned(),
            None => self.address.to_string(),
        };
        format!("{name},{settings},seed={},{server}", self.seed)
    }

    /// The server.
    pub fn server(&self) -> &ServerDescription {
        &self.server
    }

    /// The number of replies that came from earlier runs.
    pub fn from_cache(&self) -> u64 {
        self.from_cache.load(Ordering::Relaxed)
    }

    /// A sentence about the replies of earlier runs, if there were any. The server may have another model since, and not
    /// say so.
    fn earlier_replies(&self) -> Option<String> {
        let known = self.from_cache();
        let all = known + self.from_server.load(Ordering::Relaxed);
        let are = if known == 1 { "is from an earlier run" } else { "are from earlier runs" };
        let paid = self.settings.traffic.prices.map_or("", |_| ", which paid for them");
        (known > 0).then(|| format!("{known} of {all} replies {are}{paid}; --no-cache asks again"))
    }

    /// Replies of earlier runs to consecutive samples, from the first one on.
    fn known(&self, cache: &ReplyLog, keys: &[Digest]) -> Vec<Choice> {
        let known = keys.iter().map_while(|key| cache.get(key));
        let known: Vec<Choice> = known.map(|(choice, _)| choice).collect();
        self.from_cache.fetch_add(known.len() as u64, Ordering::Relaxed);
        known
    }

    /// The replies to samples: those of earlier runs, or else new ones. Whoever else wants the same waits for them.
    fn choices(
        &self,
        request: &Request,
        (sample, count): (u32, u32),
        estimate: u64,
        cancel: &Cancel,
    ) -> Result<Vec<Choice>, Failure> {
        let Some(cache) = &self.cache else {
            return self.ask_server(request, (sample, count), estimate, cancel);
        };
        let server = self.server.identity();
        let samples = sample..sample.saturating_add(count);
        let mut keys: Vec<Digest> =
            samples.map(|each| request.key(&server, sample, each)).collect();
        let known = self.known(cache, &keys);
        if !known.is_empty() {
            return Ok(known);
        }
        let claim = cache.claim(keys.clone(), cancel).ok_or(Failure::Cancelled)?;
        let known = self.known(cache, &keys);
        if !known.is_empty() {
            return Ok(known);
        }
        let missing = keys.iter().take_while(|key| cache.get(key).is_none()).count();
        keys.truncate(missing);
        let count = u32::try_from(missing).unwrap_or(count);
        let started = Instant::now();
        let choices = self.ask_server(request, (sample, count), estimate, cancel)?;
        let wall_s = started.elapsed().as_secs_f64();
        self.from_server.fetch_add(choices.len() as u64, Ordering::Relaxed);
        for (choice, key) in choices.iter().zip(keys) {
            self.keep(cache, key, choice, wall_s);
        }
        drop(claim);
        Ok(choices)
    }

    /// Adds a reply to the cache. It is answered in any case: it is paid for.
    fn keep(&self, cache: &ReplyLog, key: Digest, choice: &Choice, wall_s: f64) {
        if let Err(error) = cache.add(key, choice, wall_s) {
            let mut failure = self.cache_failure.lock().unwrap_or_else(PoisonError::into_inner);
            failure.get_or_insert(error);
        }
    }

    /// Fails if the cache cannot keep replies any more.
    fn check_cache(&self) -> Result<(), Failure> {
        let failure = self.cache_failure.lock().unwrap_or_else(PoisonError::into_inner).take();
        failure.map_or(Ok(()), |error| Err(Failure::Fatal(error)))
    }

    /// Starts our own server, if the model is on one and it does not run.
    fn ready(&self, cancel: &Cancel) -> Result<(), Failure> {
        self.own.as_ref().map_or(Ok(()), |own| own.ready(&self.transport, cancel))
    }

    /// The name of a rule, with the window if a smaller one had to do.
    fn rule_within(&self, rule: String, window: usize) -> String {
        if window == self.settings.window { rule } else { format!("{rule},window={window}") }
    }

    /// Asks the server for samples.
    fn ask_server(
        &self,
        request: &Request,
        (sample, count): (u32, u32),
        estimate: u64,
        cancel: &Cancel,
    ) -> Result<Vec<Choice>, Failure> {
        self.check_cache()?;
        self.ready(cancel)?;
        let permit = self.limits.permit(estimate, cancel).ok_or(Failure::Cancelled)?;
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
        let used = used.map(TokenCounts::sum).fold(0, u64::saturating_add);
        permit.answered(used, estimate);
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
            let choices = pieces.finish_with(&reply.body, count_asked).map_err(broken)?;
            return Ok(self.without_key(choices));
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

    /// Notes a failure that concerns one question alone.
    fn note_refusal(&self, failure: &Failure) {
        if let Failure::NoAnswer(why) | Failure::TooLong(why) = failure {
            let mut refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
            refused.get_or_insert_with(|| (why.clone(), 0)).1 += 1;
        }
    }

    /// The remark about refused prompts.
    fn refusals(&self) -> Option<String> {
        let refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        let (why, count) = refused.as_ref()?;
        let questions = agreeing(*count, "question has", "questions have");
        Some(format!("{count} {questions} no answer; the first one because {why}"))
    }

    /// The number of samples that are asked for together.
    fn together(&self) -> u32 {
        self.settings.samples_per_request.min(self.most_together.load(Ordering::Relaxed)).max(1)
    }

    /// A choice of the server as a reply to the question.
    fn reply(&self, choice: Choice, question: &Question, asked: &Arc<str>, window: usize) -> Reply {
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
            rule: read.rule.map(|rule| self.rule_within(rule.to_owned(), window)),
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
        replies.pop().ok_or_else(|| Error::failed("the server gave no reply").into())
    }

    fn samples_together(&self) -> u32 {
        self.together()
    }

    fn remarks(&self) -> Vec<String> {
        let (wanted, given) = (self.settings.samples_per_request, self.together());
        let fewer = (given < wanted).then(|| {
            let given = counted(given, "sample");
            format!("the server gives {given} at once, so --samples-per-request {wanted} was not followed")
        });
        fewer.into_iter().chain(self.earlier_replies()).chain(self.refusals()).collect()
    }

    fn answer_samples(&self, ask: &Ask<'_>, count: u32) -> Result<Vec<Reply>, AnswerError> {
        if self.settings.choose != Choose::Reply {
            return self.choose(ask).map(|reply| vec![reply]);
        }
        self.answer_by(ask, count, &|request, samples, estimate| {
            self.choices(request, samples, estimate, ask.cancel)
        })
    }

    fn concurrency(&self, _jobs: usize) -> usize {
        let in_flight = self.settings.traffic.in_flight;
        let most = match self.server.slots {
            _ if self.settings.deterministic => 1,
            // Each answer is asked for with the same prompt, which its slot remembers unless others use it.
            Some(slots) if self.settings.choose != Choose::Reply => slots.clamp(1, in_flight),
            _ => in_flight,
        };
        most as usize
    }

    fn is_verbatim(&self) -> bool {
        self.settings.api == Api::Chat
    }

    fn promises_repetition(&self) -> bool {
        self.settings.deterministic && self.settings.choose == Choose::Reply
    }

    fn answer_again(&self, ask: &Ask<'_>, count: u32) -> Result<Vec<Reply>, AnswerError> {
        self.answer_by(ask, count, &|request, samples, estimate| {
            self.ask_server(request, samples, estimate, ask.cancel)
        })
    }
}

/// A model's address, the way there, what is known about its server, and the server if it is our own.
type Served = (ModelAddress, Transport, ServerDescription, Option<LocalServer>);

fn transport(
    address: &ModelAddress,
    settings: &ModelSettings,
    key: Option<Secret>,
) -> Result<Transport> {
    let timeout = Duration::try_from_secs_f64(settings.traffic.timeout_s);
    let timeout = timeout.unwrap_or(Duration::MAX);
    Transport::new(address.url(), address.is_loopback(), key, timeout)
}

/// The replies of earlier runs of a model on a server at this address.
fn cache_of(
    (model, url): (&str, String),
    server: &ServerDescription,
    folder: Option<PathBuf>,
) -> Result<Option<ReplyLog>> {
    let about = CachedModel { model: model.to_owned(), url, server: server.identity() };
    folder.map(|folder| cache::open(&folder, &about)).transpose()
}
