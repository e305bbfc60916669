//! The name of a model and its server: `MODEL@URL`.

use std::fmt;

use assay_core::{Error, Result};
use reqwest::Url;

/// A model on a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelAddress {
    /// The model's name, as the server knows it.
    pub model: String,
    /// The server's address, up to `/v1`, without a slash at its end.
    base: String,
}

/// An example for hints.
const EXAMPLE: &str = "for example: http:qwen2.5-coder@http://localhost:8000/v1";

impl ModelAddress {
    /// Parses `MODEL@URL`. The model's name may contain `@`; the URL may lack `/v1`.
    pub fn parse(text: &str) -> Result<Self> {
        let wrong = |why: &str| Error::usage(format!("{text:?}: {why}")).hint(EXAMPLE);
        let Some((model, url)) = text.rsplit_once("@http") else {
            return Err(wrong("a model is named MODEL@URL, and the URL begins with http"));
        };
        if model.trim().is_empty() {
            return Err(wrong("the model has no name"));
        }
        Ok(Self { model: model.to_owned(), base: base(&format!("http{url}"))? })
    }

    /// The address of a model on the server at `url`.
    pub fn on(url: &str, model: impl Into<String>) -> Result<Self> {
        Ok(Self { model: model.into(), base: base(url)? })
    }

    /// The address of an endpoint, such as `chat/completions`.
    pub(crate) fn endpoint(&self, path: &str) -> String {
        format!("{}/{path}", self.base)
    }

    /// The address of a page beside `/v1`, such as llama.cpp's `props`.
    pub(crate) fn beside(&self, path: &str) -> String {
        let root = self.base.strip_suffix("/v1").unwrap_or(&self.base);
        format!("{root}/{path}")
    }

    /// The server's address.
    pub fn url(&self) -> &str {
        &self.base
    }

    /// Returns whether the server runs on this machine.
    pub(crate) fn is_loopback(&self) -> bool {
        let url = Url::parse(&self.base).ok();
        let host = url.as_ref().and_then(|url| url.host_str()).unwrap_or_default();
        host == "localhost" || host.starts_with("127.") || host == "[::1]"
    }
}

/// The address without a slash at its end, with `/v1` if it has no path.
fn base(url: &str) -> Result<String> {
    let wrong = |why: &str| Error::usage(format!("{url:?}: {why}")).hint(EXAMPLE);
    let parsed = Url::parse(url).map_err(|error| wrong(&format!("this is no URL: {error}")))?;
    if !parsed.username().is_empty() || parsed.password().is_some() {
        return Err(Error::usage("the URL of a server contains a user name or password")
            .hint("records hold the URL: give the key in the variable ASSAY_API_KEY"));
    }
    if parsed.query().is_some() || parsed.fragment().is_some() {
        return Err(Error::usage("the URL of a server ends before `?` and `#`")
            .hint("records hold the URL: give a key in the variable ASSAY_API_KEY"));
    }
    if parsed.host_str().is_none_or(str::is_empty) {
        return Err(wrong("the URL names no host"));
    }
    let base = parsed.as_str().trim_end_matches('/');
    let has_path = !parsed.path().trim_matches('/').is_empty();
    Ok(if has_path { base.to_owned() } else { format!("{base}/v1") })
}

impl fmt::Display for ModelAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.model, self.base)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_parsed() {
        for (text, shown) in [
            ("m@http://localhost:8000", "m@http://localhost:8000/v1"),
            ("m@http://localhost:8000/", "m@http://localhost:8000/v1"),
            ("org/m@2@https://api.example.com/v1/", "org/m@2@https://api.example.com/v1"),
            ("m@https://example.com/openai/v2", "m@https://example.com/openai/v2"),
        ] {
            assert_eq!(ModelAddress::parse(text).unwrap().to_string(), shown);
        }
        let address = ModelAddress::parse("m@http://[::1]:8000").unwrap();
        assert!(address.is_loopback());
        assert_eq!(address.endpoint("completions"), "http://[::1]:8000/v1/completions");
        assert_eq!(address.beside("props"), "http://[::1]:8000/props");
        assert!(!ModelAddress::parse("m@https://api.example.com").unwrap().is_loopback());
    }

    #[test]
    fn mistakes_are_named() {
        for (text, message) in [
            ("m", "\"m\": a model is named MODEL@URL, and the URL begins with http"),
            ("@http://x", "\"@http://x\": the model has no name"),
            ("m@http://", "\"http://\": this is no URL: empty host"),
            ("m@http://u:sk-1@x", "the URL of a server contains a user name or password"),
            ("m@http://x/v1?key=sk-1", "the URL of a server ends before `?` and `#`"),
        ] {
            assert_eq!(ModelAddress::parse(text).unwrap_err().to_string(), message);
        }
    }
}
