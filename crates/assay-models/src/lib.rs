//! Asks language models: any server that speaks OpenAI's protocol.
//!
//! A [`Model`] is a solver. A question becomes a prompt (`prompt.rs`), the prompt a request (`request.rs`), which is
//! sent when the limits allow it (`limits/`) over a connection (`transport.rs`, the only file that knows the HTTP
//! client); the reply is parsed (`reply.rs`, `stream.rs`) and read as an answer (`reading.rs`), or the failure is sorted
//! into those that may go away and those that end the run (`failure.rs`). Replies are kept across runs by the content
//! of their requests (`cache/`), so that no request is sent twice. The likelihood of given answers is in
//! `likelihood/`. `local/` starts a server for weights on disk. `survey.rs` finds out what a server can do.

mod address;
pub mod cache;
mod content;
mod failure;
mod likelihood;
mod limits;
mod local;
mod model;
mod prompt;
mod reading;
mod reply;
mod request;
mod server;
mod settings;
mod stream;
mod survey;
mod transport;
mod untrusted;

pub use address::ModelAddress;
pub use local::{LocalServer, LocalSettings, Say};
pub use model::{Model, ModelResources};
pub use prompt::RankLines;
pub use server::ServerDescription;
pub use settings::{Api, Choose, ModelSettings, Prices, Traffic};
pub use survey::{Ability, Survey, survey};
