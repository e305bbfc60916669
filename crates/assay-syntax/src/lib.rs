//! One parse a text, shared by everything that needs syntax.
//!
//! [`java::Checked`] parses a program once and then says of any change to it whether the program
//! would still parse, by parsing anew only what the change touches. Nothing here fails, recurses or
//! reads a clock: a text that is too large or too hard is one that parses, and how much work is too
//! much is counted, so the verdict is the same on every machine.

pub mod java;
mod outline;
mod work;
