//! One parse a text, shared by everything that needs syntax. No I/O.

pub mod comments;
pub mod flow;
pub mod java;
mod language;
mod mix;
mod outline;
mod space;
mod tree;
mod work;

pub use language::Language;
pub use space::{is_space, trim};
pub use tree::SyntaxTree;
