//! As much of HTTP/1.1 as the clients of model servers need: requests with a length, and replies as bytes.

use std::io::{self, Read, Write as _};
use std::net::TcpStream;
use std::time::SystemTime;

/// A request.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) authorization: Option<String>,
    pub(crate) body: Vec<u8>,
    /// True if the client ends the connection afterwards.
    pub(crate) closes: bool,
}

/// The greatest size of a request.
const MAX: usize = 64 << 20;

/// Reads the next request; `None` if the client has hung up. `rest` holds what came after the last one.
pub(crate) fn read(stream: &mut TcpStream, rest: &mut Vec<u8>) -> io::Result<Option<Request>> {
    let end = loop {
        if let Some(end) = rest.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
            break end;
        }
        if rest.first().is_some_and(|byte| !byte.is_ascii_uppercase()) {
            // An encrypted connection, for example.
            stream.write_all(b"HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n")?;
            return Ok(None);
        }
        if !receive(stream, rest)? {
            return Ok(None);
        }
    };
    let head = String::from_utf8_lossy(&rest[..end]).into_owned();
    let mut lines = head.split("\r\n");
    let mut first = lines.next().unwrap_or_default().split(' ');
    let (method, path) = (first.next().unwrap_or_default(), first.next().unwrap_or_default());
    let mut request = Request {
        method: method.to_owned(),
        path: path.to_owned(),
        authorization: None,
        body: Vec::new(),
        closes: false,
    };
    let mut length = 0;
    for (name, value) in lines.filter_map(|line| line.split_once(':')) {
        let value = value.trim();
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse().map_err(io::Error::other)?,
            "authorization" => request.authorization = Some(value.to_owned()),
            "connection" => request.closes = value.eq_ignore_ascii_case("close"),
            _ => {}
        }
    }
    let (start, end) = (end + 4, end + 4 + length);
    while rest.len() < end {
        if !receive(stream, rest)? {
            return Ok(None);
        }
    }
    request.body = rest[start..end].to_vec();
    rest.drain(..end);
    Ok(Some(request))
}

/// Receives more bytes; false if the client has hung up.
fn receive(stream: &mut TcpStream, into: &mut Vec<u8>) -> io::Result<bool> {
    let mut chunk = [0; 16 << 10];
    let count = stream.read(&mut chunk)?;
    into.extend_from_slice(&chunk[..count]);
    if into.len() > MAX { Err(io::Error::other("the request is too large")) } else { Ok(count > 0) }
}

/// A reply before it is sent.
#[derive(Debug, Clone)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) content_type: &'static str,
    /// Further lines of the head.
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Body,
}

/// The body of a reply.
#[derive(Debug, Clone)]
pub(crate) enum Body {
    /// It is sent with its length.
    Whole(Vec<u8>),
    /// Each piece is a chunk.
    Pieces(Vec<Vec<u8>>),
}

impl Response {
    pub(crate) fn json(status: u16, body: &serde_json::Value) -> Self {
        Self::text(status, "application/json", body.to_string())
    }

    pub(crate) fn text(status: u16, content_type: &'static str, body: impl Into<Vec<u8>>) -> Self {
        Self { status, content_type, headers: Vec::new(), body: Body::Whole(body.into()) }
    }

    pub(crate) fn events(pieces: Vec<Vec<u8>>) -> Self {
        let (content_type, headers) = ("text/event-stream", Vec::new());
        Self { status: 200, content_type, headers, body: Body::Pieces(pieces) }
    }

    /// Its bytes, and the length of its head.
    pub(crate) fn bytes(&self) -> (Vec<u8>, usize) {
        let mut bytes = format!(
            "HTTP/1.1 {} {}\r\ncontent-type: {}\r\ndate: {}\r\n",
            self.status,
            reason(self.status),
            self.content_type,
            httpdate::fmt_http_date(now()),
        )
        .into_bytes();
        for (name, value) in &self.headers {
            bytes.extend_from_slice(format!("{name}: {value}\r\n").as_bytes());
        }
        let head = match &self.body {
            Body::Whole(body) => {
                bytes.extend_from_slice(
                    format!("content-length: {}\r\n\r\n", body.len()).as_bytes(),
                );
                let head = bytes.len();
                bytes.extend_from_slice(body);
                head
            }
            Body::Pieces(pieces) => {
                bytes.extend_from_slice(b"transfer-encoding: chunked\r\n\r\n");
                let head = bytes.len();
                for piece in pieces.iter().filter(|piece| !piece.is_empty()) {
                    bytes.extend_from_slice(format!("{:x}\r\n", piece.len()).as_bytes());
                    bytes.extend_from_slice(piece);
                    bytes.extend_from_slice(b"\r\n");
                }
                bytes.extend_from_slice(b"0\r\n\r\n");
                head
            }
        };
        (bytes, head)
    }
}

/// The time, for `Date` and `Retry-After`.
#[expect(clippy::disallowed_methods, reason = "servers tell the time")]
pub(crate) fn now() -> SystemTime {
    SystemTime::now()
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        301 | 302 | 307 | 308 => "Redirect",
        400 => "Bad Request",
        401 => "Unauthorized",
        404 => "Not Found",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        503 => "Service Unavailable",
        _ => "Status",
    }
}
