//! Measures pairs as they are read: one thread reads, the others measure, this one joins and prints
//! in order; and measures, where one is enough. A few chunks are in memory, however many pairs there
//! are.

use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use assay_core::{Cancel, Error, Result};
use assay_data::texts::{Pair, Pairs};
use assay_metrics::text::{Sums, TextMetric};
use rayon::prelude::*;

use super::print::Rows;
use crate::output;

/// A chunk ends with the pair that fills either.
const CHUNK_PAIRS: usize = 512;
const CHUNK_BYTES: usize = 1 << 20;
/// How many chunks wait to be measured.
const WAITING: usize = 2;
/// How soon Ctrl-C is heeded while the input is silent.
const GLANCE: Duration = Duration::from_millis(50);

/// A corpus.
#[derive(Debug, Default)]
pub(super) struct Measured {
    pub(super) total: Sums,
    pub(super) n: u64,
}

/// What the reader says.
enum Read {
    Chunk(Vec<Pair>),
    End(Result<()>),
}

/// Measures all pairs and prints their rows; nothing comes of it if that is interrupted.
pub(super) fn measure(
    pairs: Pairs,
    metric: &dyn TextMetric,
    jobs: usize,
    cancel: &Cancel,
    rows: Rows,
    show: &dyn Fn(u64),
) -> Result<Option<Measured>> {
    const FAILED: &str = "failed to start threads";
    // One worker is this thread: another would have memory of its own to fill.
    let workers = (jobs > 1).then(|| rayon::ThreadPoolBuilder::new().num_threads(jobs).build());
    let workers = workers.transpose().map_err(|error| Error::failed(FAILED).because(error))?;
    let (sender, receiver) = sync_channel(WAITING);
    // Nobody waits for it in the end: it may be reading a terminal on which nobody types.
    thread::Builder::new()
        .spawn(move || read(pairs, &sender))
        .map_err(|error| Error::failed(FAILED).because(error))?;
    let mut measured = Measured::default();
    while let Some(message) = next(&receiver, cancel) {
        let chunk = match message? {
            Read::Chunk(chunk) => chunk,
            Read::End(end) => return end.map(|()| Some(measured)),
        };
        let measure = |pair: &Pair| measure_pair(pair, metric, rows);
        let results: Vec<(Sums, String)> = match &workers {
            Some(workers) => workers.install(|| chunk.par_iter().map(measure).collect()),
            None => chunk.iter().map(measure).collect::<Result<_>>(),
        }?;
        if cancel.is_cancelled() {
            break;
        }
        let text = measured.add(&results, metric, rows);
        if !text.is_empty() {
            output::write(text.as_bytes())?;
        }
        show(measured.n);
    }
    Ok(None)
}

impl Measured {
    /// Adds the next pairs; what is printed of them.
    fn add(&mut self, results: &[(Sums, String)], metric: &dyn TextMetric, rows: Rows) -> String {
        let mut text = match results.first() {
            Some((sums, _)) if self.n == 0 => rows.header(&metric.score_pair(sums)),
            _ => String::new(),
        };
        for (sums, row) in results {
            metric.join(&mut self.total, sums);
            text.push_str(row);
        }
        self.n += results.len() as u64;
        text
    }
}

/// The reader's next message; none if there is no need for it any more.
fn next(receiver: &Receiver<Read>, cancel: &Cancel) -> Option<Result<Read>> {
    while !cancel.is_cancelled() {
        match receiver.recv_timeout(GLANCE) {
            Ok(message) => return Some(Ok(message)),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Some(Err(Error::failed("the texts were not read to their end")));
            }
        }
    }
    None
}

fn measure_pair(pair: &Pair, metric: &dyn TextMetric, rows: Rows) -> Result<(Sums, String)> {
    let references: Vec<&str> = pair.references.iter().map(String::as_str).collect();
    let sums = metric.measure(&references, &pair.hypothesis);
    let row = rows.row(&pair.id, || metric.score_pair(&sums))?;
    Ok((sums, row))
}

/// Sends chunks until the end or an error, or until nobody listens.
fn read(pairs: Pairs, sender: &SyncSender<Read>) {
    let mut chunk = Vec::new();
    let mut bytes = 0;
    let mut end = Ok(());
    for pair in pairs {
        match pair {
            Ok(pair) => {
                bytes += pair.size();
                chunk.push(pair);
            }
            Err(error) => end = Err(error),
        }
        if chunk.len() >= CHUNK_PAIRS || bytes >= CHUNK_BYTES {
            bytes = 0;
            if sender.send(Read::Chunk(std::mem::take(&mut chunk))).is_err() {
                return;
            }
        }
    }
    // What was read before an error is measured and printed too. That nobody listens is no error.
    if !chunk.is_empty() {
        let _ = sender.send(Read::Chunk(chunk));
    }
    let _ = sender.send(Read::End(end));
}
