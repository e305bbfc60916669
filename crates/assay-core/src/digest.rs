//! Content hashes.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A BLAKE3 hash, written as 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The hash of `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    /// The hash of a sequence of fingerprints, such as a dataset's problems in task order.
    pub fn of_all(fingerprints: impl IntoIterator<Item = Fingerprint>) -> Self {
        let mut all = blake3::Hasher::new();
        for fingerprint in fingerprints {
            all.update(&fingerprint.0.to_le_bytes());
        }
        Self(*all.finalize().as_bytes())
    }

    /// The first twelve digits: enough to distinguish datasets in a signature.
    pub fn short(&self) -> String {
        self.to_string()[..12].to_owned()
    }

    /// The raw bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl From<[u8; 32]> for Digest {
    fn from(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Digest {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let hash = blake3::Hash::from_hex(&text).map_err(serde::de::Error::custom)?;
        Ok(Self(*hash.as_bytes()))
    }
}

/// A 128-bit XXH3 hash that identifies a text, computed at memory speed.
///
/// It guards against mix-ups, not against forgery; that needs a cryptographic hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint(u128);

impl Fingerprint {
    /// The fingerprint of some bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(xxhash_rust::xxh3::xxh3_128(bytes))
    }

    /// The fingerprint as a number, evenly spread.
    pub fn as_number(self) -> u128 {
        self.0
    }
}

/// Hashes a sequence of fields without ambiguity: each is preceded by its length.
#[derive(Default)]
pub struct DigestOf(blake3::Hasher);

impl DigestOf {
    /// Creates a hasher without fields.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one field.
    pub fn field(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.update(&(bytes.len() as u64).to_le_bytes()).update(bytes);
        self
    }

    /// The hash of the fields so far.
    pub fn finish(&self) -> Digest {
        Digest(*self.0.finalize().as_bytes())
    }
}
