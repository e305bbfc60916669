//! HTTP: the only file that knows the client.
//!
//! Each request in flight has a lane: a connection and the small runtime that drives it, on the thread that asks. No
//! request waits for another thread to be woken, and lanes are used again.

use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use assay_core::{Cancel, Error, Result, Secret};
use reqwest::header::{
    AUTHORIZATION, CONTENT_TYPE, DATE, HeaderMap, HeaderName, HeaderValue, LOCATION, RETRY_AFTER,
};
use reqwest::{Client, Response, redirect};
use tokio::runtime::{Builder, Runtime};

use crate::failure::{Failure, retry_after};
use crate::untrusted::tls_failure;

/// The greatest size of a reply. As many may be in memory as there are requests in flight.
const MAX_REPLY: usize = 16 << 20;
/// The time limit for connecting.
const CONNECT: Duration = Duration::from_secs(20);
/// The interval at which a waiting request checks whether the work has been cancelled.
const POLL: Duration = Duration::from_millis(100);

/// Sends requests to one server.
pub(crate) struct Transport {
    lanes: Mutex<Vec<Lane>>,
    key: Option<Secret>,
    tls: Arc<rustls::ClientConfig>,
    timeout: Duration,
    /// True if the server is on this machine: no proxy of the environment is used.
    is_local: bool,
}

/// A connection, and what drives it.
struct Lane {
    runtime: Runtime,
    client: Client,
}

/// A reply that came whole.
pub(crate) struct HttpReply {
    pub(crate) status: u16,
    pub(crate) retry_after: Option<Duration>,
    /// The address that the server redirects to.
    pub(crate) location: Option<String>,
    pub(crate) body: Vec<u8>,
}

impl HttpReply {
    fn without(self, key: &Secret) -> Self {
        let location = self.location.map(|to| key.removed_from_text(to));
        Self { body: key.removed_from(self.body), location, ..self }
    }
}

/// Receives a reply piece by piece.
pub(crate) type Receive<'r> = dyn FnMut(&[u8]) -> Result<(), String> + 'r;

impl Transport {
    pub(crate) fn new(
        url: &str,
        is_local: bool,
        key: Option<Secret>,
        timeout: Duration,
    ) -> Result<Self> {
        let tls = tls(url.starts_with("https:"))?;
        Ok(Self { lanes: Mutex::default(), key, tls, timeout, is_local })
    }

    /// Gets a page. `timeout` replaces the usual time limit.
    pub(crate) fn get(
        &self,
        url: &str,
        timeout: Duration,
        cancel: &Cancel,
    ) -> Result<HttpReply, Failure> {
        self.in_lane(cancel, timeout, async |client| {
            read(self.authorized(client.get(url))?.send().await).await
        })
    }

    /// Sends a request with a JSON body, and receives the whole reply.
    pub(crate) fn post(
        &self,
        url: &str,
        body: Vec<u8>,
        cancel: &Cancel,
    ) -> Result<HttpReply, Failure> {
        self.in_lane(cancel, self.timeout, async |client| {
            let request = client.post(url).header(CONTENT_TYPE, "application/json").body(body);
            read(self.authorized(request)?.send().await).await
        })
    }

    /// The same, but hands a successful reply over piece by piece; the reply's body is then empty. A server that does
    /// not know streams replies in one piece.
    pub(crate) fn post_streamed(
        &self,
        url: &str,
        body: Vec<u8>,
        cancel: &Cancel,
        receive: &mut Receive<'_>,
    ) -> Result<HttpReply, Failure> {
        self.in_lane(cancel, self.timeout, async |client| {
            let request = client.post(url).header(CONTENT_TYPE, "application/json").body(body);
            let response =
                self.authorized(request)?.send().await.map_err(|error| broken(&error))?;
            if !response.status().is_success() || is_json(&response) {
                return read(Ok(response)).await;
            }
            let head = head(&response);
            pieces(response, &mut |piece| receive(piece).map_err(Failure::transient)).await?;
            Ok(head)
        })
    }

    /// Removes the key from what a server said, where it came in several pieces.
    pub(crate) fn without_key(&self, said: String) -> String {
        match &self.key {
            Some(key) => key.removed_from_text(said),
            None => said,
        }
    }

    fn authorized(
        &self,
        request: reqwest::RequestBuilder,
    ) -> Result<reqwest::RequestBuilder, Failure> {
        let Some(key) = &self.key else { return Ok(request) };
        let wrong =
            |_| Failure::Fatal(Error::usage("the API key has characters that no header can have"));
        let mut value =
            HeaderValue::from_str(&format!("Bearer {}", key.expose())).map_err(wrong)?;
        value.set_sensitive(true);
        Ok(request.headers(HeaderMap::from_iter([(AUTHORIZATION, value)])))
    }

    /// Runs a request in a free lane, until it ends, its time is up or the work is cancelled.
    fn in_lane(
        &self,
        cancel: &Cancel,
        timeout: Duration,
        request: impl AsyncFnOnce(&Client) -> Result<HttpReply, Failure>,
    ) -> Result<HttpReply, Failure> {
        let free = self.lanes.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let lane = free.map_or_else(|| self.lane(), Ok).map_err(Failure::Fatal)?;
        let sent = lane.runtime.block_on(until(cancel, timeout, request(&lane.client)));
        // A connection whose reply was not read to its end is not used again.
        if sent.is_ok() {
            self.lanes.lock().unwrap_or_else(PoisonError::into_inner).push(lane);
        }
        match &self.key {
            Some(key) => {
                sent.map(|reply| reply.without(key)).map_err(|failure| failure.without(key))
            }
            None => sent,
        }
    }

    fn lane(&self) -> Result<Lane> {
        let failed = |error: &dyn std::fmt::Display| {
            Error::failed(format!("failed to prepare a connection: {error}"))
        };
        let runtime =
            Builder::new_current_thread().enable_all().build().map_err(|error| failed(&error))?;
        // Redirects could lead the key to another server.
        let mut client = Client::builder()
            .connect_timeout(CONNECT)
            .redirect(redirect::Policy::none())
            .pool_max_idle_per_host(1)
            .tcp_nodelay(true)
            .tls_backend_preconfigured(self.tls.as_ref().clone());
        if self.is_local {
            client = client.no_proxy();
        }
        let client = client.build().map_err(|error| failed(&error))?;
        Ok(Lane { runtime, client })
    }
}

/// Waits for a request, at most `timeout` and until the work is cancelled.
async fn until(
    cancel: &Cancel,
    timeout: Duration,
    request: impl Future<Output = Result<HttpReply, Failure>>,
) -> Result<HttpReply, Failure> {
    let cancelled = async {
        while !cancel.is_cancelled() {
            tokio::time::sleep(POLL).await;
        }
    };
    tokio::select! {
        biased;
        reply = request => reply,
        () = cancelled => Err(Failure::Cancelled),
        () = tokio::time::sleep(timeout) => {
            let seconds = timeout.as_secs_f64();
            Err(Failure::transient(format!("the server did not reply within {seconds} s")))
        }
    }
}

/// Reads a reply to its end.
async fn read(response: reqwest::Result<Response>) -> Result<HttpReply, Failure> {
    let response = response.map_err(|error| broken(&error))?;
    let mut reply = head(&response);
    pieces(response, &mut |piece| {
        reply.body.extend_from_slice(piece);
        Ok(())
    })
    .await?;
    Ok(reply)
}

/// A reply without its body.
fn head(response: &Response) -> HttpReply {
    HttpReply {
        status: response.status().as_u16(),
        retry_after: retry_after(header(response, &RETRY_AFTER), header(response, &DATE)),
        location: header(response, &LOCATION).map(str::to_owned),
        body: Vec::new(),
    }
}

fn header<'r>(response: &'r Response, name: &HeaderName) -> Option<&'r str> {
    response.headers().get(name).and_then(|value| value.to_str().ok())
}

fn is_json(response: &Response) -> bool {
    header(response, &CONTENT_TYPE).is_some_and(|kind| kind.starts_with("application/json"))
}

async fn pieces(
    mut response: Response,
    take: &mut dyn FnMut(&[u8]) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut size = 0;
    while let Some(piece) = response.chunk().await.map_err(|error| broken(&error))? {
        size += piece.len();
        if size > MAX_REPLY {
            let most = MAX_REPLY >> 20;
            return Err(Failure::transient(format!(
                "the server's reply is larger than {most} MiB"
            )));
        }
        take(&piece)?;
    }
    Ok(())
}

/// The failure of a connection, with its innermost cause, which says most.
fn broken(error: &reqwest::Error) -> Failure {
    if let Some(failure) = tls_failure(error) {
        return failure;
    }
    let what =
        if error.is_connect() { "the server cannot be reached" } else { "the connection broke" };
    let mut cause: &dyn std::error::Error = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    Failure::transient(format!("{what}: {cause}"))
}

/// TLS as ring does it, with the machine's certificates; they are not read if nothing is encrypted. The client insists
/// on a configuration even then.
fn tls(is_encrypted: bool) -> Result<Arc<rustls::ClientConfig>> {
    let failed = |error: &dyn std::fmt::Display| {
        Error::failed(format!("failed to prepare encrypted connections: {error}"))
    };
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = rustls::ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| failed(&error))?;
    let builder = if is_encrypted {
        let verifier =
            rustls_platform_verifier::Verifier::new(provider).map_err(|error| failed(&error))?;
        builder.dangerous().with_custom_certificate_verifier(Arc::new(verifier))
    } else {
        builder.with_root_certificates(rustls::RootCertStore::empty())
    };
    let config = builder.with_no_client_auth();
    Ok(Arc::new(config))
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead as _, BufReader, Write as _};
    use std::net::TcpListener;
    use std::thread::{self, JoinHandle};

    use super::*;
    use crate::settings::Api;
    use crate::stream::Pieces;

    const KEY: &str = "sk-Xq7/zW4-vK9pLm2RtY8";

    /// A server that sends these pieces to its first request; returns its address, and how many pieces it could send.
    fn serve(pieces: Vec<Vec<u8>>) -> (String, JoinHandle<usize>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let served = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let lines = BufReader::new(stream.try_clone().unwrap()).lines();
            assert!(lines.map_while(std::io::Result::ok).any(|line| line.is_empty()));
            pieces.iter().take_while(|piece| stream.write_all(piece).is_ok()).count()
        });
        (url, served)
    }

    fn transport(url: &str) -> Transport {
        Transport::new(url, true, Secret::new(KEY), Duration::from_mins(1)).unwrap()
    }

    fn events(data: &str) -> Vec<u8> {
        let head =
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
        format!("{head}data: {data}\n\n").into_bytes()
    }

    #[test]
    fn endless_replies_end() {
        let head = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n".to_vec();
        let mebibyte = [b"100000\r\n".to_vec(), vec![b' '; 1 << 20], b"\r\n".to_vec()].concat();
        let pieces = [vec![head], vec![mebibyte; 64]].concat();
        let (url, served) = serve(pieces);
        let transport = transport(&url);
        let sent = transport.post(&url, Vec::new(), &Cancel::new());
        let Err(Failure::Transient { message, .. }) = sent else { panic!("it was read") };
        assert_eq!(message, "the server's reply is larger than 16 MiB");
        assert!(served.join().unwrap() < 64, "the connection is closed");
    }

    #[test]
    fn a_key_is_in_no_failure_of_a_stream() {
        for data in [
            format!("{{\"error\":{{\"message\":\"bad key {KEY}\"}}}}"),
            format!("{{\"choices\":\"{KEY}\"}}"),
            format!("{{\"choices\":\"{}\"}}", KEY.replace('/', "\\/")),
        ] {
            let (url, served) = serve(vec![events(&data)]);
            let mut pieces = Pieces::new(Api::Chat);
            let receive = &mut |bytes: &[u8]| pieces.add(bytes);
            let sent = transport(&url).post_streamed(&url, Vec::new(), &Cancel::new(), receive);
            let Err(Failure::Transient { message, .. }) = sent else { panic!("{data}") };
            assert!(message.contains("[secret]") && !message.contains("vK9pLm"), "{message}");
            served.join().unwrap();
        }
    }
}
