//! The server: its threads, its pages, and its end.

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::asked::Asked;
use crate::http::{self, Request, Response};
use crate::replies::{Choice, count};
use crate::{Dialect, Generations, Log, Mischief, Plan, mischief};

/// The settings of a server.
#[derive(Debug, Clone)]
pub struct ServerSettings {
    /// The server that it imitates.
    pub dialect: Dialect,
    /// The name of its model.
    pub model: String,
    /// Its replies.
    pub generations: Arc<Generations>,
    /// The plan of its mischief.
    pub plan: Plan,
    /// The key that it asks for.
    pub key: Option<String>,
    /// True if it puts the key that it was sent into its replies and errors.
    pub echoes_key: bool,
    /// The number of choices that llama.cpp gives at once.
    pub slots: u32,
    /// The number of tokens of a prompt and its reply.
    pub context: usize,
    /// The time that a reply takes.
    pub pause: Duration,
    /// True if the log has the bodies of requests.
    pub keeps_bodies: bool,
}

impl ServerSettings {
    /// A server without faults that gives these replies.
    pub fn new(generations: Generations) -> Self {
        Self {
            dialect: Dialect::default(),
            model: "stored".to_owned(),
            generations: Arc::new(generations),
            plan: Plan::well(),
            key: None,
            echoes_key: false,
            slots: 4,
            context: 32_768,
            pause: Duration::ZERO,
            keeps_bodies: false,
        }
    }
}

/// A server on a loopback port. It ends when it is dropped.
#[derive(Debug)]
pub struct TestServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    acceptor: Option<JoinHandle<()>>,
}

/// The state that the threads of a server share.
#[derive(Debug)]
pub(crate) struct Shared {
    settings: ServerSettings,
    log: Mutex<Log>,
    in_flight: AtomicU32,
    replies: AtomicU64,
    ends: AtomicBool,
    /// The open connections, by number.
    open: Mutex<HashMap<u64, TcpStream>>,
}

impl TestServer {
    /// Starts a server on a free port.
    pub fn start(settings: ServerSettings) -> io::Result<Self> {
        Self::start_on(0, settings)
    }

    /// Starts a server on this port, on which another one has ended.
    pub fn start_on(port: u16, settings: ServerSettings) -> io::Result<Self> {
        let shared = Arc::new(Shared {
            settings,
            log: Mutex::default(),
            in_flight: AtomicU32::new(0),
            replies: AtomicU64::new(0),
            ends: AtomicBool::new(false),
            open: Mutex::default(),
        });
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let mut server = Self { address, shared, acceptor: None };
        server.start_again()?;
        Ok(server)
    }

    /// Starts a server that was stopped, on the same port.
    pub fn start_again(&mut self) -> io::Result<()> {
        let listener = TcpListener::bind(self.address)?;
        self.address = listener.local_addr()?;
        self.shared.ends.store(false, Ordering::SeqCst);
        let shared = Arc::clone(&self.shared);
        self.acceptor = Some(thread::spawn(move || accept(&listener, &shared)));
        Ok(())
    }

    /// Ends the server as if it were killed: its port is closed, and its connections end.
    pub fn stop(&mut self) {
        let Some(acceptor) = self.acceptor.take() else { return };
        self.shared.ends.store(true, Ordering::SeqCst);
        // Wakes the thread that waits for a connection.
        drop(TcpStream::connect(self.address));
        let _ = acceptor.join();
        while !lock(&self.shared.open).is_empty() {
            lock(&self.shared.open).values().for_each(|stream| {
                let _ = stream.shutdown(Shutdown::Both);
            });
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Its address, without a path.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The solver that asks it.
    pub fn solver(&self) -> String {
        format!("http:{}@{}", self.shared.settings.model, self.url())
    }

    /// Its port.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// The requests so far.
    pub fn log(&self) -> Log {
        lock(&self.shared.log).clone()
    }

    /// Returns whether it has no connection left, so that nothing is being worked on.
    pub fn is_idle(&self) -> bool {
        lock(&self.shared.open).is_empty()
    }

    /// The number of requests for generations so far.
    pub fn requests(&self) -> u64 {
        lock(&self.shared.log).requests
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        self.stop();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    for (number, stream) in (0..).zip(listener.incoming()) {
        if shared.ends.load(Ordering::SeqCst) {
            return;
        }
        let Ok(stream) = stream else { continue };
        let Ok(other) = stream.try_clone() else { continue };
        lock(&shared.log).connections += 1;
        lock(&shared.open).insert(number, other);
        let shared = Arc::clone(shared);
        thread::spawn(move || {
            // A client may hang up at any time.
            let _ = serve(stream, &shared);
            lock(&shared.open).remove(&number);
        });
    }
}

/// Answers the requests of one connection.
fn serve(mut stream: TcpStream, shared: &Shared) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut rest = Vec::new();
    while let Some(request) = http::read(&mut stream, &mut rest)? {
        let stays = if request.method == "POST" {
            shared.in_flight(|| shared.generate(&mut stream, &request))?
        } else {
            stream.write_all(&shared.page(&request).bytes().0)?;
            true
        };
        if !stays || request.closes {
            break;
        }
    }
    let _ = stream.shutdown(Shutdown::Both);
    Ok(())
}

impl Shared {
    fn in_flight<T>(&self, work: impl FnOnce() -> T) -> T {
        let now = self.in_flight.fetch_add(1, Ordering::SeqCst) + 1;
        {
            let mut log = lock(&self.log);
            log.requests += 1;
            log.most_in_flight = log.most_in_flight.max(now);
        }
        let done = work();
        self.in_flight.fetch_sub(1, Ordering::SeqCst);
        done
    }

    /// A page about the server.
    fn page(&self, request: &Request) -> Response {
        let ServerSettings { dialect, model, slots, context, .. } = &self.settings;
        if let Some(refusal) = self.refusal(request) {
            return refusal;
        }
        if request.path == "/v1/models" {
            return Response::json(200, &dialect.models(model));
        }
        match dialect.page(&request.path, *slots, *context) {
            Some(page) => Response::json(200, &page),
            None => Response::json(404, &dialect.not_found()),
        }
    }

    /// The refusal of a request without the right key.
    fn refusal(&self, request: &Request) -> Option<Response> {
        let key = self.settings.key.as_ref()?;
        let given = request.authorization.as_deref().unwrap_or("no key");
        if given == format!("Bearer {key}") {
            return None;
        }
        Some(self.error(request, 401, "authentication_error", "Invalid API Key"))
    }

    fn error(&self, request: &Request, status: u16, kind: &str, message: &str) -> Response {
        *lock(&self.log).refused.entry(status).or_default() += 1;
        let message = match self.key_to_echo(request) {
            Some(key) => format!("{message} (you sent {key})"),
            None => message.to_owned(),
        };
        Response::json(status, &self.settings.dialect.error(status, kind, &message))
    }

    /// The key that a request came with, if it is echoed.
    fn key_to_echo<'r>(&self, request: &'r Request) -> Option<&'r str> {
        let given = request.authorization.as_deref().filter(|_| self.settings.echoes_key)?;
        Some(given.trim_start_matches("Bearer "))
    }

    /// Answers a request for generations; returns whether the connection stays.
    fn generate(&self, stream: &mut TcpStream, request: &Request) -> io::Result<bool> {
        let is_chat = match request.path.as_str() {
            "/v1/chat/completions" => true,
            "/v1/completions" => false,
            _ => {
                let page = Response::json(404, &self.settings.dialect.not_found());
                return stream.write_all(&page.bytes().0).map(|()| true);
            }
        };
        if self.settings.keeps_bodies {
            lock(&self.log).bodies.push(String::from_utf8_lossy(&request.body).into_owned());
        }
        let asked = Asked::parse(&request.body, is_chat);
        let (asked, problem) = match asked.and_then(|asked| self.problem(asked)) {
            Ok(found) => found,
            Err(why) => {
                let refusal = self.error(request, 400, "invalid_request_error", &why);
                return stream.write_all(&refusal.bytes().0).map(|()| true);
            }
        };
        if let Some(refusal) = self.refusal(request).or_else(|| self.unable(request, &asked)) {
            return stream.write_all(&refusal.bytes().0).map(|()| true);
        }
        if self.settings.pause > Duration::ZERO {
            thread::sleep(self.settings.pause);
        }
        let mischief = self.note(problem, &asked);
        self.send(stream, request, (asked, problem), mischief.as_ref())
    }

    fn problem(&self, asked: Asked) -> Result<(Asked, usize), String> {
        let found = self.settings.generations.find(&asked.prompt);
        found.map(|problem| (asked, problem)).ok_or_else(|| "no generation is stored".to_owned())
    }

    /// The refusal of what this server cannot do.
    fn unable(&self, request: &Request, asked: &Asked) -> Option<Response> {
        let ServerSettings { dialect, model, slots, context, .. } = &self.settings;
        let error =
            |status, kind, message: String| Some(self.error(request, status, kind, &message));
        if *dialect == Dialect::Vllm && asked.model != *model {
            let message = format!("The model `{}` does not exist.", asked.model);
            return error(404, "NotFoundError", message);
        }
        if *dialect == Dialect::LlamaCpp && asked.count > u64::from(*slots) {
            let message = format!("n_cmpl cannot be greater than the number of slots ({slots})");
            return error(400, "invalid_request_error", message);
        }
        let tokens = count(&asked.prompt);
        (tokens > *context).then(|| Response::json(400, &dialect.too_long(tokens, *context)))
    }

    /// Notes a request, and decides what goes wrong with it.
    fn note(&self, problem: usize, asked: &Asked) -> Option<Mischief> {
        let ServerSettings { generations, plan, .. } = &self.settings;
        let name = generations.name(problem);
        let samples = || (asked.seed..).take(usize::try_from(asked.count).unwrap_or(0));
        let mut log = lock(&self.log);
        let before = log.asked.get(&(name.to_owned(), asked.seed)).copied().unwrap_or(0);
        let mischief = plan.choose(name, asked.seed, before).cloned();
        let mischief = mischief.filter(|mischief| match mischief {
            Mischief::FewerChoices => asked.count > 1,
            Mischief::NotStreamed => asked.stream,
            _ => true,
        });
        for sample in samples() {
            *log.asked.entry((name.to_owned(), sample)).or_default() += 1;
        }
        let answered = match &mischief {
            Some(Mischief::FewerChoices) => 1,
            Some(mischief) if !mischief.is_harmless() => 0,
            _ => usize::MAX,
        };
        for sample in samples().take(answered) {
            *log.answered.entry((name.to_owned(), sample)).or_default() += 1;
        }
        if let Some(mischief) = &mischief {
            *log.mischief.entry(mischief.name()).or_default() += 1;
        }
        mischief
    }

    /// Sends the reply, as it is or with something wrong; returns whether the connection stays.
    fn send(
        &self,
        stream: &mut TcpStream,
        request: &Request,
        (asked, problem): (Asked, usize),
        mischief: Option<&Mischief>,
    ) -> io::Result<bool> {
        match mischief {
            Some(Mischief::DropBefore) => return Ok(false),
            Some(Mischief::Stall) => {
                // Until the client hangs up, or the server ends.
                let _ = stream.read(&mut [0]);
                return Ok(false);
            }
            _ => {}
        }
        let number = self.replies.fetch_add(1, Ordering::Relaxed);
        let key = self.key_to_echo(request);
        let sent = mischief::Sent { dialect: self.settings.dialect, asked: &asked, number };
        let mut response = sent.response(self.choices(&asked, problem, key), mischief);
        if let Some(key) = key.filter(|_| asked.seed % 2 == 1) {
            mischief::escape(&mut response, key);
        }
        let (bytes, head) = response.bytes();
        let end = match mischief {
            Some(Mischief::DropInHead) => head / 2,
            Some(Mischief::DropInBody) => head + (bytes.len() - head) / 2,
            _ => bytes.len(),
        };
        stream.write_all(&bytes[..end])?;
        let drops = matches!(
            mischief,
            Some(Mischief::DropInHead | Mischief::DropInBody | Mischief::DropAfter)
        );
        Ok(!drops)
    }

    fn choices(&self, asked: &Asked, problem: usize, key: Option<&str>) -> Vec<Choice> {
        let generations = &self.settings.generations;
        let choice = |index| {
            let stored = generations.sample(problem, asked.seed.wrapping_add(index));
            let choice = Choice::new(index, stored, asked);
            match key {
                Some(key) => Choice { text: format!("{}\n# {key}\n", choice.text), ..choice },
                None => choice,
            }
        };
        (0..asked.count).map(choice).collect()
    }
}
