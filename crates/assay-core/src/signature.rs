//! Signatures: one line that names everything that a number depends on.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Digest;

/// Fields joined by `|`, each `name:value`: same signature, same number.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Signature(String);

impl Signature {
    /// Creates a signature that starts with the task and its version.
    pub fn new(task: &str, version: u32) -> Self {
        Self(format!("{task}@{version}"))
    }

    /// The first digits of the signature's hash, which is shown in its place.
    pub fn short(&self) -> String {
        Digest::of(self.0.as_bytes()).short()
    }

    /// Adds a field. A `|` in the value would end the field, so it is written `%7C`.
    #[must_use]
    pub fn field(mut self, name: &str, value: impl fmt::Display) -> Self {
        let value = value.to_string().replace('|', "%7C");
        self.0.extend(["|", name, ":", &value]);
        self
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
