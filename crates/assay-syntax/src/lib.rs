//! One parse per text, shared by everything that needs syntax. No I/O.

pub mod comments;
pub mod flow;
mod grammar;
pub mod java;
mod mix;
mod outline;
pub mod python;
mod space;
mod tree;
mod work;

pub use assay_core::Language;
pub use grammar::grammar;
pub use space::{is_space, trim};
pub use tree::SyntaxTree;
