//! The life of a model server: started when it is needed, waited for, and started again if it dies.

use std::net::TcpListener;
use std::process::ExitStatus;
use std::sync::{MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use assay_core::{Cancel, Error, counted};
use assay_guard::Guarded;
use tracing::debug;

use super::LocalServer;
use super::program::Start;
use super::tail::Tail;
use crate::failure::{Failure, message};
use crate::transport::Transport;

/// The number of times that a server that died is started again.
const MOST_RESTARTS: u32 = 5;
/// The interval at which a starting server is asked whether it is ready.
const POLL: Duration = Duration::from_millis(100);
/// The time limit of one such request.
const POLL_LIMIT: Duration = Duration::from_secs(10);
/// The interval at which the user is told that the server still starts.
const NEWS: Duration = Duration::from_secs(10);

/// A server at a moment of its life.
pub(super) struct State {
    /// Holds the port until the server is started.
    reserved: Option<TcpListener>,
    running: Option<Running>,
    restarts: u32,
    /// The reason why it is started no more.
    failed: Option<String>,
}

struct Running {
    process: Guarded,
    stderr: Option<Tail>,
}

impl State {
    /// A server that was not started.
    pub(super) fn waiting(reserved: TcpListener) -> Self {
        Self { reserved: Some(reserved), running: None, restarts: 0, failed: None }
    }
}

impl LocalServer {
    /// Waits until the server is ready. Starts it if it does not run.
    pub(crate) fn ready(&self, transport: &Transport, cancel: &Cancel) -> Result<(), Failure> {
        let mut state = self.lock();
        if cancel.is_cancelled() {
            return Err(Failure::Cancelled);
        }
        if let Some(why) = &state.failed {
            return Err(Failure::Fatal(Error::failed(why.clone())));
        }
        let is_running = state.running.is_some();
        let status = state.running.as_mut().and_then(Running::status);
        if is_running && status.is_none() {
            return Ok(());
        }
        if let Some(status) = status {
            let ended = self.obituary(&mut state, status);
            self.may_start_again(&mut state, &ended).map_err(|why| fail(&mut state, why))?;
        }
        self.start(&mut state, transport, cancel)
    }

    fn may_start_again(&self, state: &mut State, ended: &str) -> Result<(), String> {
        state.restarts += 1;
        if state.restarts > MOST_RESTARTS {
            let times = counted(MOST_RESTARTS as usize + 1, "time");
            return Err(format!("the model server died {times}; the last time, {ended}"));
        }
        let restarts = state.restarts;
        (self.say)(&format!("{ended}\nit is started again ({restarts} of {MOST_RESTARTS})"));
        Ok(())
    }

    fn start(
        &self,
        state: &mut State,
        transport: &Transport,
        cancel: &Cancel,
    ) -> Result<(), Failure> {
        let Self { weights, program, settings, port, key, .. } = self;
        let about = settings.identity().replace(',', " ");
        (self.say)(&format!("starting {program} for {} ({about})", weights.name));
        let command = program.command(&Start { weights, settings, port: *port, key });
        state.reserved = None;
        let mut process = Guarded::spawn(command).map_err(|error| {
            Failure::Fatal(fail_to_start(&format!("failed to start {program}: {error}")))
        })?;
        let stderr = process.stderr.take().map(Tail::of);
        state.running = Some(Running { process, stderr });
        let started = Instant::now();
        let waited = self.wait(state, started, transport, cancel);
        match &waited {
            Ok(()) => {
                (self.say)(&format!("ready after {:.1} s", started.elapsed().as_secs_f64()));
            }
            Err(failure) => {
                state.running = None;
                if let Failure::Fatal(error) = failure {
                    state.failed = Some(error.to_string());
                }
            }
        }
        waited
    }

    /// Waits until the server is ready, dead, too slow or not wanted any more.
    fn wait(
        &self,
        state: &mut State,
        started: Instant,
        transport: &Transport,
        cancel: &Cancel,
    ) -> Result<(), Failure> {
        let limit = self.start_limit();
        let mut told = started;
        loop {
            let is_ready = self.is_ready(transport, cancel)?;
            // Whoever replies may be another server, if this one did not get the port.
            let status = state.running.as_mut().and_then(Running::status);
            if let Some(status) = status {
                let ended = self.obituary(state, status);
                let why = format!("the model server did not start: {ended}");
                return Err(Failure::Fatal(fail_to_start(&why)));
            }
            if is_ready {
                return Ok(());
            }
            if started.elapsed() >= limit {
                return Err(Failure::Fatal(self.too_slow(state)));
            }
            if told.elapsed() >= NEWS {
                told = Instant::now();
                let (so_far, limit) = (started.elapsed().as_secs(), limit.as_secs());
                (self.say)(&format!("still starting after {so_far} s of at most {limit} s"));
            }
            if cancel.sleep(POLL) {
                return Err(Failure::Cancelled);
            }
        }
    }

    /// Asks whether the server can be asked.
    fn is_ready(&self, transport: &Transport, cancel: &Cancel) -> Result<bool, Failure> {
        let address = self.address().map_err(Failure::Fatal)?;
        for url in [address.beside("health"), address.endpoint("models")] {
            let reply = match transport.get(&url, POLL_LIMIT, cancel) {
                Ok(reply) => reply,
                Err(Failure::Transient { message, .. }) => {
                    debug!(message, "not ready");
                    return Ok(false);
                }
                Err(other) => return Err(other),
            };
            match reply.status {
                200..300 => return Ok(true),
                500.. | 429 => return Ok(false),
                _ if url.ends_with("/health") => {}
                401 | 403 => {
                    let said = message(&reply.body);
                    let why =
                        format!("the model server refuses the key that assay gave it: {said}");
                    return Err(Failure::Fatal(Error::failed(why).hint(
                        "a command of --server-command finds the key in the variable ASSAY_SERVER_KEY, or as {key}",
                    )));
                }
                // It has no such page, but it speaks.
                _ => return Ok(true),
            }
        }
        Ok(false)
    }

    /// Ends a server that takes too long.
    fn too_slow(&self, state: &mut State) -> Error {
        let limit = self.settings.start_limit_s;
        let last = state.running.take().map_or_else(Vec::new, |running| self.last_words(running));
        let why = format!("the model server was not ready within {limit} s{}", lines(&last));
        Error::failed(why).hint("allow it more time with --server-start-limit")
    }

    /// A description of the end of a server, which is taken out of the state.
    fn obituary(&self, state: &mut State, status: ExitStatus) -> String {
        let last = state.running.take().map_or_else(Vec::new, |running| self.last_words(running));
        format!("the model server ended ({status}){}", lines(&last))
    }

    fn last_words(&self, mut running: Running) -> Vec<String> {
        // What it started may hold its standard error open.
        let _ = running.process.kill_all();
        running.stderr.map_or_else(Vec::new, |stderr| stderr.last_lines(&self.key))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Running {
    /// The exit status, if it has ended.
    fn status(&mut self) -> Option<ExitStatus> {
        // A guard that cannot be asked is gone, and so is the server.
        self.process.try_wait().unwrap_or_else(|_| self.process.kill_all().ok())
    }
}

/// Keeps the reason why nothing is started any more.
fn fail(state: &mut State, why: String) -> Failure {
    state.failed = Some(why.clone());
    Failure::Fatal(Error::failed(why))
}

fn fail_to_start(why: &str) -> Error {
    Error::failed(why).hint(
        "less memory is used with a smaller --context or fewer --slots; another server can be named with \
         --server-command",
    )
}

/// The last words of a server, if there are any.
fn lines(last: &[String]) -> String {
    if last.is_empty() {
        String::new()
    } else {
        format!("; it said last:\n  {}", last.join("\n  "))
    }
}
