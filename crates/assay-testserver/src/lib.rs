//! A model server for tests: it speaks OpenAI's protocol on a loopback port, answers from stored generations, and
//! misbehaves as planned.
//!
//! [`TestServer::start`] starts it in this process, one thread per connection, without any HTTP library: what it sends
//! is written here byte by byte, so that it can also send what no server should. [`Generations`] recognizes prompts and
//! holds the replies; the sample is the request's `seed`. [`Dialect`] chooses between the ways in which llama.cpp and
//! vLLM differ. A [`Plan`] decides by its own seed which requests go wrong, and how. [`Log`] counts what was asked and
//! answered.

#![allow(clippy::missing_panics_doc, reason = "a test that cannot go on has failed")]

mod asked;
mod dialect;
mod generations;
mod http;
mod likelihood;
mod log;
mod mischief;
mod replies;
mod server;
mod streamed;

pub use dialect::Dialect;
pub use generations::Generations;
pub use log::{Log, Sample};
pub use mischief::{Mischief, Plan, Wait};
pub use server::{ServerSettings, TestServer};
