//! Secrets, which are never written anywhere.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Mutex, PoisonError};

/// A text that cannot be displayed, such as a server's key.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

/// The environment variable with the key of a server.
pub const KEY_VARIABLE: &str = "ASSAY_API_KEY";

/// Other variables with keys.
static OTHER_VARIABLES: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Hides an environment variable from the programs that this process starts from now on.
pub fn hide_variable(name: &str) {
    let mut others = OTHER_VARIABLES.lock().unwrap_or_else(PoisonError::into_inner);
    others.insert(name.to_owned());
}

/// The environment variables that no started program may have.
pub fn hidden_variables() -> Vec<String> {
    let others = OTHER_VARIABLES.lock().unwrap_or_else(PoisonError::into_inner);
    others.iter().cloned().chain([KEY_VARIABLE.to_owned()]).collect()
}

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

    /// Replaces the secret in what somebody else said, also where JSON has escapes for its characters.
    pub fn removed_from(&self, said: Vec<u8>) -> Vec<u8> {
        let mut rest = &said[..];
        let mut kept = Vec::new();
        while let Some((start, end)) = self.find(rest) {
            kept.extend_from_slice(&rest[..start]);
            kept.extend_from_slice(REMOVED.as_bytes());
            rest = &rest[end..];
        }
        if rest.len() == said.len() {
            return said;
        }
        kept.extend_from_slice(rest);
        kept
    }

    /// The same for a text.
    pub fn removed_from_text(&self, said: String) -> String {
        match String::from_utf8(self.removed_from(said.into_bytes())) {
            Ok(text) => text,
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        }
    }

    /// The first place of the secret, and its end.
    fn find(&self, said: &[u8]) -> Option<(usize, usize)> {
        let secret = self.0.as_bytes();
        let first = *secret.first().filter(|_| secret.len() >= MIN_REMOVED)?;
        let mut starts = memchr::memchr2_iter(first, b'\\', said);
        starts.find_map(|start| Some((start, start + length_at(&said[start..], secret)?)))
    }
}

/// The number of bytes in which a text begins with the secret, if it does.
fn length_at(text: &[u8], secret: &[u8]) -> Option<usize> {
    let mut at = 0;
    for &byte in secret {
        at += length_of(text.get(at..)?, byte)?;
    }
    Some(at)
}

/// The number of bytes in which a text begins with this byte: itself, or an escape such as `\u002d` or `\/`. In JSON
/// inside JSON, escapes have several backslashes.
fn length_of(text: &[u8], byte: u8) -> Option<usize> {
    if text.first() == Some(&byte) {
        return Some(1);
    }
    let slashes = text.iter().take_while(|&&byte| byte == b'\\').count();
    let escape = text.get(slashes..).filter(|_| slashes > 0)?;
    match escape.first()? {
        b'u' => {
            let digits = std::str::from_utf8(escape.get(1..5)?).ok()?;
            (u32::from_str_radix(digits, 16).ok()? == u32::from(byte)).then_some(slashes + 5)
        }
        other => (*other == byte).then_some(slashes + 1),
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

    #[test]
    fn a_secret_is_found_behind_escapes() {
        let secret = Secret::new("sk-a/b\u{e9}cret").unwrap();
        for said in [
            "x sk-a/bécret y",
            r"x \u0073k\u002Da\/b\u00c3\u00a9cret y",
            r"x sk-a\\/bécre\\u0074 y",
        ] {
            assert_eq!(secret.removed_from_text(said.to_owned()), "x [secret] y");
        }
        for said in ["sk-a/bécre", r"\u0073k-a", r"\", r"\u00", r"s\k\-\a/bécret\n"] {
            let kept = secret.removed_from_text(said.to_owned());
            assert!(kept == said || !said.ends_with("cre"), "{said}");
        }
        let plain = Secret::new("hunter2hunter2").unwrap();
        assert_eq!(plain.removed_from_text("hunter2hunter".to_owned()), "hunter2hunter");
    }
}
