//! Weights on disk: a model server of our own, for one run.
//!
//! [`LocalServer::find`] checks the weights (`weights.rs`) and looks for a program that can serve them (`program.rs`)
//! before anything starts. The server starts when the first question is asked (`serving.rs`), with a guard, so it ends
//! with assay however that ends. It is asked over HTTP as any other; port and key are known to nobody else and part of no
//! record. If it dies, it is started again a few times.

mod program;
mod serving;
mod settings;
mod tail;
mod weights;

use std::net::TcpListener;
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use assay_core::{Error, Result, Secret};

use crate::address::ModelAddress;
use crate::server::ServerDescription;
use program::Program;
use serving::State;
pub use settings::LocalSettings;
use weights::Weights;

/// Receives short messages for the user: what is started, and how long it takes.
pub type Say = dyn Fn(&str) + Send + Sync;

/// A model server for weights on disk, which runs while it is asked.
pub struct LocalServer {
    weights: Weights,
    program: Program,
    settings: LocalSettings,
    port: u16,
    key: Secret,
    say: Box<Say>,
    state: Mutex<State>,
}

impl LocalServer {
    /// Checks weights, and finds a server for them. Nothing is started yet. Hashes of weights are kept in `cache`; a
    /// command of the settings runs in `folder`.
    pub fn find(
        path: &Path,
        settings: LocalSettings,
        folder: &Path,
        cache: Option<&Path>,
        say: Box<Say>,
    ) -> Result<Self> {
        settings.check()?;
        let weights = Weights::find(path, cache)?;
        let program = Program::find(&weights, &settings, folder)?;
        // The port stays ours until the server takes it over.
        let reserved = TcpListener::bind(("127.0.0.1", 0)).map_err(|error| no_port(&error))?;
        let port = reserved.local_addr().map_err(|error| no_port(&error))?.port();
        let state = Mutex::new(State::waiting(reserved));
        Ok(Self { weights, program, settings, port, key: random_key()?, say, state })
    }

    /// Everything about it that replies depend on: neither port nor key, and not where the weights are.
    pub(crate) fn description(&self) -> ServerDescription {
        ServerDescription {
            program: Some(self.program.to_string()),
            models: vec![self.weights.name.clone()],
            context: Some(u64::from(self.settings.context)),
            slots: Some(self.settings.slots),
            weights: Some(self.weights.digest.short()),
            settings: Some(self.settings.identity()),
        }
    }

    /// The model's name.
    pub(crate) fn name(&self) -> &str {
        &self.weights.name
    }

    /// The address while it runs.
    pub(crate) fn address(&self) -> Result<ModelAddress> {
        ModelAddress::on(&format!("http://127.0.0.1:{}", self.port), self.name())
    }

    /// The number of requests that it works on at once.
    pub(crate) fn slots(&self) -> u32 {
        self.settings.slots
    }

    pub(crate) fn key(&self) -> Secret {
        self.key.clone()
    }

    fn start_limit(&self) -> Duration {
        Duration::try_from_secs_f64(self.settings.start_limit_s).unwrap_or(Duration::MAX)
    }
}

fn no_port(error: &std::io::Error) -> Error {
    Error::failed(format!("failed to find a free port for a model server: {error}"))
}

/// A key that nobody can guess.
fn random_key() -> Result<Secret> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| {
        Error::failed(format!("the operating system gives no random numbers: {error}"))
    })?;
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    Secret::new(&digits).ok_or_else(|| Error::failed("failed to make a key"))
}
