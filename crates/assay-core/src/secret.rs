//! Secrets, which are never written anywhere.

use std::fmt;

/// A text that cannot be displayed, such as a server's key.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

/// The text in place of a secret.
const REMOVED: &str = "[secret]";
/// A shorter secret could be any word of a text.
const MIN_REMOVED: usize = 8;

impl Secret {
    /// A secret without surrounding white space; `None` if nothing is left.
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        (!text.is_empty()).then(|| Self(text.to_owned()))
    }

    /// The text itself, for whoever must be told.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Replaces the secret in what somebody else said.
    pub fn removed_from(&self, said: Vec<u8>) -> Vec<u8> {
        let secret = self.0.as_bytes();
        if secret.len() < MIN_REMOVED || memchr::memmem::find(&said, secret).is_none() {
            return said;
        }
        let mut rest = &said[..];
        let mut kept = Vec::with_capacity(said.len());
        while let Some(at) = memchr::memmem::find(rest, secret) {
            kept.extend_from_slice(&rest[..at]);
            kept.extend_from_slice(REMOVED.as_bytes());
            rest = &rest[at + secret.len()..];
        }
        kept.extend_from_slice(rest);
        kept
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(REMOVED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_removed_and_never_shown() {
        let secret = Secret::new(" sk-secret-1\n").unwrap();
        assert_eq!(secret.expose(), "sk-secret-1");
        assert_eq!(format!("{secret:?}"), "[secret]");
        let said = secret.removed_from(b"\xff sk-secret-1, sk-secret-1.".to_vec());
        assert_eq!(said, b"\xff [secret], [secret].");
        assert_eq!(secret.removed_from(b"sk-secret".to_vec()), b"sk-secret");
        assert!(Secret::new(" \n").is_none());
    }
}
