//! The plan of a server's mischief.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::time::{Duration, SystemTime};

use serde_json::json;

use crate::Dialect;
use crate::asked::Asked;
use crate::http::{Body, Response, now};
use crate::replies::{Choice, whole};
use crate::streamed::events;

/// Something that goes wrong with one request.
#[derive(Debug, Clone, PartialEq)]
pub enum Mischief {
    /// The connection ends before the reply.
    DropBefore,
    /// The connection ends in the head of the reply.
    DropInHead,
    /// The connection ends in the body of the reply; of a stream, between two events.
    DropInBody,
    /// The reply is as it should be, and then the connection ends without notice.
    DropAfter,
    /// The server says nothing until the client hangs up.
    Stall,
    /// The server refuses with this status, and says when to come again.
    Status(u16, Wait),
    /// The reply is JSON that breaks off.
    BrokenJson,
    /// The stream ends as it should, but before the text does; a reply in one piece lacks its end.
    CutStream,
    /// The choices have numbers that were not asked for.
    WrongIndex,
    /// The reply has no choices.
    NoChoices,
    /// The reply has fewer choices than were asked for.
    FewerChoices,
    /// The reply is a page for people, with status 200.
    WebPage,
    /// The reply is right, but is called a text.
    WrongContentType,
    /// A stream is replied to in one piece.
    NotStreamed,
    /// The reply is an error with status 200; in a stream, after the first event.
    ErrorInside,
    /// The reply has this many mebibytes.
    Huge(usize),
    /// The server names another address.
    Redirect(String),
}

/// The server's words about the time to wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// Nothing.
    Unsaid,
    /// `Retry-After` in seconds.
    Seconds(u32),
    /// `Retry-After` as a date.
    Date(u32),
}

impl Wait {
    /// The header.
    pub(crate) fn header(self, now: SystemTime) -> Option<String> {
        match self {
            Self::Unsaid => None,
            Self::Seconds(seconds) => Some(seconds.to_string()),
            Self::Date(seconds) => {
                Some(httpdate::fmt_http_date(now + Duration::from_secs(seconds.into())))
            }
        }
    }
}

impl Mischief {
    /// Its name in the log.
    pub fn name(&self) -> &'static str {
        match self {
            Self::DropBefore => "drop before",
            Self::DropInHead => "drop in head",
            Self::DropInBody => "drop in body",
            Self::DropAfter => "drop after",
            Self::Stall => "stall",
            Self::Status(429, _) => "429",
            Self::Status(503, _) => "503",
            Self::Status(..) => "status",
            Self::BrokenJson => "broken JSON",
            Self::CutStream => "cut stream",
            Self::WrongIndex => "wrong index",
            Self::NoChoices => "no choices",
            Self::FewerChoices => "fewer choices",
            Self::WebPage => "web page",
            Self::WrongContentType => "wrong content type",
            Self::NotStreamed => "not streamed",
            Self::ErrorInside => "error inside",
            Self::Huge(_) => "huge",
            Self::Redirect(_) => "redirect",
        }
    }

    /// Returns whether the client can still use every choice of the reply.
    pub(crate) fn is_harmless(&self) -> bool {
        matches!(self, Self::DropAfter | Self::WrongContentType | Self::NotStreamed)
    }

    /// Everything that may go wrong for a moment; what follows must be as if nothing had.
    pub fn passing() -> Vec<Self> {
        vec![
            Self::DropBefore,
            Self::DropInHead,
            Self::DropInBody,
            Self::DropAfter,
            Self::Status(429, Wait::Unsaid),
            Self::Status(429, Wait::Seconds(1)),
            Self::Status(429, Wait::Date(1)),
            Self::Status(500, Wait::Unsaid),
            Self::Status(503, Wait::Unsaid),
            Self::BrokenJson,
            Self::CutStream,
            Self::WrongIndex,
            Self::NoChoices,
            Self::FewerChoices,
            Self::WebPage,
            Self::WrongContentType,
            Self::NotStreamed,
            Self::ErrorInside,
        ]
    }
}

/// Decides what goes wrong, by its seed, the sample and how often it was asked for: not by the order of requests.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    /// The seed.
    pub seed: u64,
    /// The share of requests that go wrong.
    pub share: f64,
    /// The kinds to choose from.
    pub kinds: Vec<Mischief>,
    /// The number of times that a sample may go wrong; then it is answered.
    pub most: u32,
}

impl Plan {
    /// Nothing goes wrong.
    pub fn well() -> Self {
        Self::default()
    }

    /// This goes wrong with the first `most` requests for each sample.
    pub fn first(most: u32, kind: Mischief) -> Self {
        Self { seed: 0, share: 1.0, kinds: vec![kind], most }
    }

    /// The mischief for a request of a sample that was asked for `before` times.
    pub(crate) fn choose(&self, name: &str, sample: u64, before: u32) -> Option<&Mischief> {
        if self.kinds.is_empty() || before >= self.most {
            return None;
        }
        let mut hash = DefaultHasher::new();
        (self.seed, name, sample, before).hash(&mut hash);
        let random = hash.finish();
        let is_wrong = (random >> 11) as f64 / ((1_u64 << 53) as f64) < self.share;
        (1_u32, random).hash(&mut hash);
        let kind = hash.finish() % self.kinds.len() as u64;
        is_wrong.then(|| &self.kinds[usize::try_from(kind).unwrap_or(0)])
    }
}

/// A reply that is being written.
pub(crate) struct Sent<'a> {
    pub(crate) dialect: Dialect,
    pub(crate) asked: &'a Asked,
    /// The number of the reply.
    pub(crate) number: u64,
}

impl Sent<'_> {
    /// The reply with these choices, and with what goes wrong.
    pub(crate) fn response(&self, mut choices: Vec<Choice>, wrong: Option<&Mischief>) -> Response {
        match wrong {
            Some(Mischief::Status(status, wait)) => return self.refused(*status, *wait),
            Some(Mischief::Redirect(to)) => return redirect(to),
            Some(Mischief::WebPage) => {
                return Response::text(200, "text/html", "<html><body>Welcome</body></html>");
            }
            Some(Mischief::WrongIndex) => choices.iter_mut().for_each(|choice| choice.index += 7),
            Some(Mischief::NoChoices) => choices.clear(),
            Some(Mischief::FewerChoices) => choices.truncate(1),
            Some(Mischief::Huge(mebibytes)) => {
                choices.truncate(1);
                for choice in &mut choices {
                    choice.text = "x".repeat(mebibytes << 20);
                }
            }
            _ => {}
        }
        if self.asked.stream && wrong != Some(&Mischief::NotStreamed) {
            self.streamed(&choices, wrong)
        } else {
            self.whole(&choices, wrong)
        }
    }

    fn whole(&self, choices: &[Choice], wrong: Option<&Mischief>) -> Response {
        let mut body = whole(self.dialect, self.asked, choices, self.number);
        if wrong == Some(&Mischief::ErrorInside) {
            body = self.dialect.error(500, "server_error", "the graphics card is on fire");
        }
        let mut text = body.to_string();
        if matches!(wrong, Some(Mischief::BrokenJson | Mischief::CutStream)) {
            let middle = (0..=text.len() / 2).rfind(|&at| text.is_char_boundary(at));
            text.truncate(middle.unwrap_or(0));
        }
        let is_text = wrong == Some(&Mischief::WrongContentType);
        Response::text(200, if is_text { "text/plain" } else { "application/json" }, text)
    }

    fn streamed(&self, choices: &[Choice], wrong: Option<&Mischief>) -> Response {
        let mut events = events(self.dialect, self.asked, choices, self.number);
        let middle = events.len() / 2;
        match wrong {
            Some(Mischief::BrokenJson) => events[middle] = b"data: {\"choices\":[{\n\n".to_vec(),
            Some(Mischief::CutStream) => events.truncate(middle),
            Some(Mischief::NoChoices) => events = vec![b"data: [DONE]\n\n".to_vec()],
            Some(Mischief::ErrorInside) => {
                events.truncate(middle);
                let error = self.dialect.error(500, "server_error", "out of memory");
                events.push(format!("data: {error}\n\n").into_bytes());
            }
            _ => {}
        }
        let mut response = Response::events(events);
        if wrong == Some(&Mischief::WrongContentType) {
            response.content_type = "text/plain";
        }
        response
    }

    fn refused(&self, status: u16, wait: Wait) -> Response {
        let body = self.dialect.error(status, "server_error", "come again later");
        let mut response = Response::json(status, &body);
        response.headers.extend(wait.header(now()).map(|wait| ("retry-after", wait)));
        response
    }
}

fn redirect(to: &str) -> Response {
    let mut response = Response::json(307, &json!({}));
    response.headers.push(("location", to.to_owned()));
    response
}

/// Writes a text in a reply with an escape for each character, as JSON allows.
pub(crate) fn escape(response: &mut Response, text: &str) {
    let escaped: String = text.bytes().map(|byte| format!("\\u{byte:04x}")).collect();
    let replace = |body: &mut Vec<u8>| {
        *body = String::from_utf8_lossy(body).replace(text, &escaped).into_bytes();
    };
    match &mut response.body {
        Body::Whole(body) => replace(body),
        Body::Pieces(pieces) => pieces.iter_mut().for_each(replace),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_goes_wrong_as_often_as_it_says_and_in_every_way() {
        let plan = Plan { seed: 3, share: 0.25, kinds: Mischief::passing(), most: 2 };
        let chosen: Vec<&Mischief> =
            (0..4000).filter_map(|sample| plan.choose("p", sample, 0)).collect();
        assert!((900..1100).contains(&chosen.len()), "{}", chosen.len());
        assert!(plan.kinds.iter().all(|kind| chosen.contains(&kind)));
        assert_eq!(plan.choose("p", 7, 1), plan.choose("p", 7, 1));
        assert!((0..4000).all(|sample| plan.choose("p", sample, 2).is_none()));
        assert_eq!(Plan::well().choose("p", 0, 0), None);
    }
}
