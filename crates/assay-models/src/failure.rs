//! Failures of a server, sorted into those that may go away, those about one question, and those that end the run.

use std::time::Duration;

use assay_core::{AnswerError, Error, NoAnswerKind, Response, Secret, shown_line};
use serde_json::Value;

/// A request that was not answered.
#[derive(Debug)]
pub(crate) enum Failure {
    /// It may go away if the question is asked again.
    Transient {
        /// The sentence for a person.
        message: String,
        /// The time that the server asks for.
        retry_after: Option<Duration>,
        /// True if the server has too much to do.
        is_overload: bool,
    },
    /// This question has no answer.
    NoAnswer(String),
    /// The prompt is too long for the model.
    TooLong(String),
    /// Every question would fail alike.
    Fatal(Error),
    /// The work ends.
    Cancelled,
}

impl Failure {
    /// A failure that may go away.
    pub(crate) fn transient(message: impl Into<String>) -> Self {
        Self::Transient { message: message.into(), retry_after: None, is_overload: false }
    }

    /// The failure without a server's key, where its words have it.
    pub(crate) fn without(self, key: &Secret) -> Self {
        let clean = |text| key.removed_from_text(text);
        match self {
            Self::Transient { message, retry_after, is_overload } => {
                Self::Transient { message: clean(message), retry_after, is_overload }
            }
            Self::NoAnswer(why) => Self::NoAnswer(clean(why)),
            Self::TooLong(why) => Self::TooLong(clean(why)),
            // These are our own words, and those of TLS, which never saw the key.
            Self::Fatal(_) | Self::Cancelled => self,
        }
    }

    /// The failure as the pipeline handles it; `Ok` if it concerns this question alone.
    pub(crate) fn into_answer(self) -> Result<Response, AnswerError> {
        match self {
            Self::Transient { message, retry_after, .. } => {
                Err(AnswerError::Transient { message, retry_after })
            }
            Self::NoAnswer(why) | Self::TooLong(why) => {
                Ok(Response::none(NoAnswerKind::Invalid, why))
            }
            Self::Fatal(error) => Err(AnswerError::Fatal(error)),
            Self::Cancelled => Err(AnswerError::Fatal(Error::failed("interrupted"))),
        }
    }
}

/// The failure that a status and the body that came with it mean.
pub(crate) fn of_status(
    status: u16,
    retry_after: Option<Duration>,
    body: &[u8],
    server: &str,
) -> Failure {
    let said = message(body);
    let told = |what: &str| match said.as_str() {
        "" => format!("{server} {what} (status {status})"),
        said => format!("{server} {what} (status {status}): {said}"),
    };
    match status {
        429 | 503 | 529 => {
            let message = told("has too much to do");
            Failure::Transient { message, retry_after, is_overload: true }
        }
        408 | 409 | 425 | 500..=599 => {
            Failure::Transient { message: told("failed"), retry_after, is_overload: false }
        }
        400 | 413 | 422 if asks_for_too_much(&said) => {
            Failure::Fatal(Error::failed(told("cannot write that many tokens")).hint(FEWER_TOKENS))
        }
        400 | 413 | 422 if is_too_long(&said, body) => {
            Failure::TooLong(format!("the prompt is too long for the model: {said}"))
        }
        401 | 403 => Failure::Fatal(Error::failed(told("refuses access")).hint(
            "give the server's key in the environment variable ASSAY_API_KEY, or name another \
             variable with --api-key-env",
        )),
        404 => Failure::Fatal(Error::failed(told("has no such model or address")).hint(
            "`assay models URL` lists the models of a server; the URL usually ends in /v1",
        )),
        300..=399 => Failure::Fatal(
            Error::failed(told("redirects requests")).hint("name the address that it redirects to"),
        ),
        _ => Failure::Fatal(
            Error::failed(told("refuses the request")).hint(cure(&said).unwrap_or(
                "`assay models URL` tries what a server can do; --body '{\"FIELD\": null}' leaves a field of \
                 the request out",
            )),
        ),
    }
}

/// The failure of a server that names another address.
pub(crate) fn redirected(status: u16, location: Option<&str>, server: &str) -> Failure {
    let to = location.map(|to| format!(" to {}", shown_line(to))).unwrap_or_default();
    let error = Error::failed(format!("{server} redirects requests{to} (status {status})"));
    Failure::Fatal(error.hint("a key is sent nowhere else: name the address that it redirects to"))
}

/// Returns whether a server refuses a request because it asks for more samples than it gives at once.
pub(crate) fn is_about_count(status: u16, body: &[u8]) -> bool {
    let said = message(body).to_lowercase();
    let signs = ["n_cmpl", "only one completion choice", "number of slots", "n must be"];
    matches!(status, 400 | 422) && signs.iter().any(|sign| said.contains(sign))
}

/// The way to please servers that refuse usual requests.
fn cure(said: &str) -> Option<&'static str> {
    if said.contains("max_completion_tokens") {
        return Some("--body '{\"max_tokens\": null, \"max_completion_tokens\": 1024}'");
    }
    if said.contains("only one completion choice") || said.contains("n_cmpl") {
        return Some("the server gives fewer samples at once: lower --samples-per-request");
    }
    let is_about_stop = said.contains("stop") && said.contains('4');
    is_about_stop.then_some("the server takes 4 stop words: --body '{\"stop\": [\"\\ndef\"]}'")
}

/// The cure if the model cannot write as many tokens as a request allows.
const FEWER_TOKENS: &str = "lower --max-tokens: the prompt and the reply share the model's context";

/// Returns whether an error is about the tokens that the reply may have: the context would be too small for them even
/// without a prompt, or it is not mentioned at all.
fn asks_for_too_much(said: &str) -> bool {
    let said = said.to_lowercase();
    let limit = LIMITS.iter().find_map(|name| number_after(&said, name));
    let wanted = number_after(&said, "max_tokens' is too large")
        .or_else(|| number_after(&said, "max_tokens is too large"))
        .or_else(|| number_after(&said, "max_completion_tokens is too large"))
        .or_else(|| WANTED.iter().find_map(|name| number_before(&said, name)));
    wanted.is_some_and(|wanted| limit.is_none_or(|limit| wanted >= limit))
}

/// The names of the context, before its size.
const LIMITS: [&str; 3] = ["context length", "context size", "context window"];
/// The names of the tokens of a reply, after their number.
const WANTED: [&str; 4] =
    ["in the completion", "tokens for the completion", "output tokens", "`max_new_tokens`"];

/// The first number after a name, in the same sentence.
fn number_after(text: &str, name: &str) -> Option<u64> {
    let (_, after) = text.split_once(name)?;
    let sentence = after.split(['.', '\n']).next()?;
    let mut numbers = sentence.split(|c: char| !c.is_ascii_digit()).filter(|word| !word.is_empty());
    numbers.next()?.parse().ok()
}

/// The number right before a name.
fn number_before(text: &str, name: &str) -> Option<u64> {
    let mut places = text.match_indices(name);
    places.find_map(|(at, _)| {
        text[..at].split_whitespace().next_back()?.trim_start_matches('(').parse().ok()
    })
}

/// Returns whether an error is about the length of the prompt.
fn is_too_long(said: &str, body: &[u8]) -> bool {
    let text = String::from_utf8_lossy(body);
    let is_typed = ["exceed_context_size_error", "context_length_exceeded"]
        .iter()
        .any(|kind| text.contains(kind));
    let said = said.to_lowercase();
    let has_limit = said.contains("context length")
        || said.contains("context size")
        || said.contains("context window");
    is_typed
        || (has_limit
            && ["exceed", "maximum", "too long", "longer"].iter().any(|word| said.contains(word)))
}

/// The message in the body of an error, in the shapes that servers use; shortened and escaped.
pub(crate) fn message(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    let found = serde_json::from_slice::<Value>(body).ok().and_then(|value| {
        let places = [
            value.pointer("/error/message"),
            value.get("error"),
            value.get("detail"),
            value.get("message"),
        ];
        places.into_iter().flatten().find_map(|place| match place {
            Value::String(text) => Some(text.clone()),
            Value::Array(_) => Some(place.to_string()),
            _ => None,
        })
    });
    let said = found.unwrap_or_else(|| text.into_owned());
    shown_line(said.lines().next().unwrap_or_default().trim()).into_owned()
}

/// The time in a header `Retry-After`: a number of seconds, or a date, from the date that the reply itself has. So the
/// clock of this machine may be wrong.
pub(crate) fn retry_after(header: Option<&str>, date: Option<&str>) -> Option<Duration> {
    let header = header?.trim();
    if let Ok(seconds) = header.parse() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let (until, now) = (httpdate::parse_http_date(header), httpdate::parse_http_date(date?.trim()));
    until.ok()?.duration_since(now.ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(status: u16, body: &str) -> Failure {
        of_status(status, None, body.as_bytes(), "the server")
    }

    #[test]
    fn busy_servers_are_asked_again() {
        let wait = Some(Duration::from_secs(2));
        match of_status(429, wait, br#"{"error":{"message":"slow down"}}"#, "x") {
            Failure::Transient { message, retry_after, is_overload: true } => {
                assert_eq!(message, "x has too much to do (status 429): slow down");
                assert_eq!(retry_after, wait);
            }
            other => panic!("{other:?}"),
        }
        for status in [500, 502, 503, 504, 408] {
            assert!(matches!(failure(status, ""), Failure::Transient { .. }), "{status}");
        }
    }

    #[test]
    fn a_prompt_that_is_too_long_is_no_answer() {
        for body in [
            r#"{"error":{"code":400,"message":"request (9000 tokens) exceeds the available context size","type":"exceed_context_size_error","n_prompt_tokens":9000}}"#,
            r#"{"error":{"message":"This model's maximum context length is 4096 tokens. However, you requested 9000","type":"BadRequestError","code":400}}"#,
        ] {
            assert!(matches!(failure(400, body), Failure::TooLong(_)), "{body}");
        }
    }

    #[test]
    fn a_prompt_that_leaves_no_room_is_too_long_and_a_reply_that_cannot_fit_ends_the_run() {
        for (wanted, ends) in [(512, true), (1024, true), (500, false)] {
            for said in [
                format!(
                    "'max_tokens' is too large: {wanted}. This model's maximum context length is 512 tokens and your \
                     request has 30 input tokens ({wanted} > 512 - 30)."
                ),
                format!(
                    "This model's maximum context length is 512 tokens. However, you requested {wanted} output tokens \
                     and your prompt contains at least 30 input tokens, for a total of at least 1054 tokens."
                ),
                format!(
                    "This model's maximum context length is 512 tokens. However, you requested 9000 tokens (30 in the \
                     messages, {wanted} in the completion). Please reduce the length of the messages or completion."
                ),
                format!(
                    "Requested token count exceeds the model's maximum context length of 512 tokens. You requested a \
                     total of 9000 tokens: 30 tokens from the input messages and {wanted} tokens for the completion."
                ),
            ] {
                let body = serde_json::json!({"error": {"message": said, "code": 400}}).to_string();
                match failure(400, &body) {
                    Failure::Fatal(error) if ends => {
                        assert!(error.hint_text().unwrap().contains("--max-tokens"), "{error}");
                        assert!(error.to_string().contains("maximum context length"), "{error}");
                    }
                    Failure::TooLong(_) if !ends => {}
                    other => panic!("{said}: {other:?}"),
                }
            }
        }
        let said =
            "max_tokens is too large: 100000. This model supports at most 16384 completion tokens";
        let body = serde_json::json!({"error": {"message": said}}).to_string();
        let Failure::Fatal(error) = failure(400, &body) else { panic!("{body}") };
        assert!(error.hint_text().unwrap().contains("--max-tokens"), "{error}");
    }

    #[test]
    fn what_no_retry_cures_ends_the_run_with_a_cure() {
        for (status, body, hint) in [
            (401, r#"{"error":{"message":"Invalid API Key"}}"#, "ASSAY_API_KEY"),
            (404, r#"{"detail":"Not Found"}"#, "`assay models URL`"),
            (
                400,
                r#"{"error":{"message":"use 'max_completion_tokens' instead"}}"#,
                "max_completion_tokens",
            ),
            (
                400,
                r#"{"error":{"message":"n_cmpl cannot be greater than the number of slots"}}"#,
                "--samples-per-request",
            ),
            (302, "", "redirects to"),
            (418, "teapot\nsecond line", "`assay models URL`"),
        ] {
            let Failure::Fatal(error) = failure(status, body) else { panic!("{status}") };
            assert!(error.hint_text().unwrap().contains(hint), "{status}: {error}");
            assert!(!error.to_string().contains('\n'), "{error}");
        }
    }

    #[test]
    fn waiting_times_are_seconds_or_dates() {
        let (date, later) = ("Wed, 21 Oct 2026 07:28:00 GMT", "Wed, 21 Oct 2026 07:29:10 GMT");
        for (header, date, seconds) in [
            (Some(" 2 "), None, Some(2.0)),
            (Some("0.5"), Some(date), Some(0.5)),
            (Some(later), Some(date), Some(70.0)),
            (Some(date), Some(later), None),
            (Some(later), None, None),
            (Some("-1"), None, None),
            (None, Some(date), None),
        ] {
            let seconds = seconds.map(Duration::from_secs_f64);
            assert_eq!(retry_after(header, date), seconds, "{header:?} {date:?}");
        }
    }

    #[test]
    fn refusals_of_several_samples_are_recognized() {
        let body = br#"{"error":{"message":"n_cmpl cannot be greater than the number of slots"}}"#;
        assert!(is_about_count(400, body) && !is_about_count(500, body));
        let body = br#"{"error":{"message":"Only one completion choice is allowed"}}"#;
        assert!(is_about_count(400, body));
        assert!(!is_about_count(400, br#"{"error":{"message":"max_tokens is too large"}}"#));
    }
}
