//! Measures texts of one or more systems and their references as they are read: one thread reads, the others measure, and the calling thread joins the
//! counts and passes on the rows in order. With one job it also measures. Only a few chunks are in memory, however
//! many pairs there are.

use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use assay_core::{Cancel, Error, Result};
use assay_data::texts::{Pair, PairId};
use assay_metrics::corpus::Corpus;
use assay_metrics::text::{Sums, TextMetric};
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// A chunk ends with the pair that reaches either limit.
const CHUNK_PAIRS: usize = 512;
const CHUNK_BYTES: usize = 1 << 20;
/// The number of chunks that wait to be measured.
const QUEUED_CHUNKS: usize = 2;
/// The maximum delay of a cancellation while the input is silent.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// The maximum number of threads per core; more would only cost memory.
const MAX_THREADS_PER_CORE: usize = 8;

/// The metrics to compute for the outputs of each of several systems.
#[derive(Clone, Copy)]
pub struct Measurement<'a> {
    /// The metrics.
    pub metrics: &'a [&'a dyn TextMetric],
    /// The number of systems: each pair has that many hypotheses.
    pub systems: usize,
}

/// A measured corpus.
#[derive(Debug, Default)]
pub struct Measured {
    /// The counts of all pairs: for each system, those of each metric.
    pub corpora: Vec<Vec<Corpus>>,
    /// The number of pairs.
    pub n: u64,
}

impl Measured {
    fn new(measurement: Measurement<'_>) -> Self {
        let system = vec![Corpus::default(); measurement.metrics.len()];
        Self { corpora: vec![system; measurement.systems], n: 0 }
    }

    /// Adds the counts of the next pair.
    fn add(&mut self, metrics: &[&dyn TextMetric], counts: &[Sums]) {
        let corpora = self.corpora.iter_mut().flatten();
        for ((corpus, metric), sums) in corpora.zip(metrics.iter().cycle()).zip(counts) {
            corpus.add(*metric, sums);
        }
        self.n += 1;
    }
}

/// Receives the measured pairs.
pub trait PairSink: Sync {
    /// The rendering of a pair.
    type Row: Send;

    /// Renders a pair from its counts: for each system, those of each metric. Called by several
    /// threads concurrently.
    fn render(&self, id: &PairId, counts: &[Sums]) -> Result<Self::Row>;

    /// Receives the next pairs, in the order of the input.
    fn accept(&mut self, pairs: Vec<(Vec<Sums>, Self::Row)>) -> Result<()>;
}

/// Measures all pairs with `jobs` threads, and passes them to `sink`; `None` if cancelled.
///
/// 0 jobs mean one per core. Pairs before a read error are measured too.
pub fn measure<S: PairSink>(
    pairs: impl Iterator<Item = Result<Pair>> + Send + 'static,
    measurement: Measurement<'_>,
    jobs: usize,
    cancel: &Cancel,
    sink: &mut S,
) -> Result<Option<Measured>> {
    let workers = workers(jobs)?;
    let (sender, receiver) = sync_channel(QUEUED_CHUNKS);
    // The thread is never joined: it may be reading from an idle terminal.
    thread::Builder::new().spawn(move || read(pairs, &sender)).map_err(no_threads)?;
    let mut measured = Measured::new(measurement);
    while let Some(message) = next(&receiver, cancel) {
        let chunk = match message? {
            Message::Chunk(chunk) => chunk,
            Message::End(end) => return end.map(|()| Some(measured)),
        };
        let metrics = measurement.metrics;
        let Some(results) = measure_chunk(&chunk, metrics, workers.as_ref(), sink, cancel)? else {
            break;
        };
        for (counts, _) in &results {
            measured.add(measurement.metrics, counts);
        }
        sink.accept(results)?;
    }
    Ok(None)
}

/// The worker threads; `None` for one job, which the calling thread does itself.
pub(crate) fn workers(jobs: usize) -> Result<Option<ThreadPool>> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    match threads(jobs, cores) {
        1 => Ok(None),
        threads => {
            ThreadPoolBuilder::new().num_threads(threads).build().map(Some).map_err(no_threads)
        }
    }
}

fn threads(jobs: usize, cores: usize) -> usize {
    if jobs == 0 { cores } else { jobs.min(MAX_THREADS_PER_CORE * cores) }
}

fn no_threads(error: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::failed("failed to start threads").because(error)
}

/// The counts and the row of each pair.
type MeasuredPairs<S> = Vec<(Vec<Sums>, <S as PairSink>::Row)>;

/// Measures some pairs; `None` if cancelled meanwhile.
fn measure_chunk<S: PairSink>(
    chunk: &[Pair],
    metrics: &[&dyn TextMetric],
    workers: Option<&ThreadPool>,
    sink: &S,
    cancel: &Cancel,
) -> Result<Option<MeasuredPairs<S>>> {
    let measure = |pair: &Pair| {
        if cancel.is_cancelled() {
            return Ok(None);
        }
        let references: Vec<&str> = pair.references.iter().map(String::as_str).collect();
        let mut counts = Vec::with_capacity(pair.hypotheses.len() * metrics.len());
        for hypothesis in &pair.hypotheses {
            counts.extend(metrics.iter().map(|metric| metric.measure(&references, hypothesis)));
        }
        let row = sink.render(&pair.id, &counts)?;
        Ok(Some((counts, row)))
    };
    match workers {
        Some(workers) => workers.install(|| chunk.par_iter().map(measure).collect()),
        None => chunk.iter().map(measure).collect(),
    }
}

/// A message of the reading thread.
enum Message {
    Chunk(Vec<Pair>),
    End(Result<()>),
}

/// The next message; `None` if cancelled.
fn next(receiver: &Receiver<Message>, cancel: &Cancel) -> Option<Result<Message>> {
    while !cancel.is_cancelled() {
        match receiver.recv_timeout(POLL_INTERVAL) {
            Ok(message) => return Some(Ok(message)),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Some(Err(Error::failed("the texts were not read to their end")));
            }
        }
    }
    None
}

/// Sends chunks until the end, an error, or the loss of the receiver.
fn read(pairs: impl Iterator<Item = Result<Pair>>, sender: &SyncSender<Message>) {
    let mut chunk = Vec::new();
    let mut bytes = 0;
    let mut end = Ok(());
    for pair in pairs {
        match pair {
            Ok(pair) => {
                bytes += pair.size();
                chunk.push(pair);
            }
            Err(error) => {
                end = Err(error);
                break;
            }
        }
        if chunk.len() >= CHUNK_PAIRS || bytes >= CHUNK_BYTES {
            bytes = 0;
            if sender.send(Message::Chunk(std::mem::take(&mut chunk))).is_err() {
                return;
            }
        }
    }
    // A lost receiver is not an error: measuring was cancelled or failed.
    if !chunk.is_empty() {
        let _ = sender.send(Message::Chunk(chunk));
    }
    let _ = sender.send(Message::End(end));
}

#[cfg(test)]
mod tests {
    use assay_metrics::registry::{MetricOptions, find};

    use super::*;

    /// Collects the ids, and cancels after a given number.
    struct Collector<'a> {
        ids: Vec<String>,
        cancel: &'a Cancel,
        enough: usize,
    }

    impl PairSink for Collector<'_> {
        type Row = String;

        fn render(&self, id: &PairId, _: &[Sums]) -> Result<String> {
            Ok(format!("{id:?}"))
        }

        fn accept(&mut self, pairs: Vec<(Vec<Sums>, String)>) -> Result<()> {
            self.ids.extend(pairs.into_iter().map(|(_, id)| id));
            if self.ids.len() >= self.enough {
                self.cancel.cancel();
            }
            Ok(())
        }
    }

    fn pairs(n: u64) -> impl Iterator<Item = Result<Pair>> + Send + 'static {
        (0..n).map(|place| {
            let text = place.to_string();
            Ok(Pair { id: place.into(), references: vec![text.clone()], hypotheses: vec![text] })
        })
    }

    fn measured(
        pairs: impl Iterator<Item = Result<Pair>> + Send + 'static,
        jobs: usize,
        enough: usize,
    ) -> (Result<Option<Measured>>, Vec<String>) {
        let metric = find("exact").unwrap().build(&MetricOptions::default()).unwrap();
        let cancel = Cancel::new();
        let mut sink = Collector { ids: Vec::new(), cancel: &cancel, enough };
        let measurement = Measurement { metrics: &[metric.as_ref()], systems: 1 };
        let measured = measure(pairs, measurement, jobs, &cancel, &mut sink);
        (measured, sink.ids)
    }

    #[test]
    fn any_number_of_jobs_gives_the_same_pairs_in_order() {
        let expected: Vec<String> =
            (0..2000u64).map(|n| format!("{:?}", PairId::from(n))).collect();
        for jobs in [0, 1, 3, 4096] {
            let (measured, ids) = measured(pairs(2000), jobs, usize::MAX);
            assert_eq!(measured.unwrap().unwrap().n, 2000);
            assert!(ids == expected, "with {jobs} jobs");
        }
    }

    #[test]
    fn pairs_before_an_error_are_measured() {
        let broken = pairs(700).chain([Err(Error::refused("broken"))]).chain(pairs(1));
        let (measured, ids) = measured(broken, 2, usize::MAX);
        assert_eq!((measured.unwrap_err().to_string().as_str(), ids.len()), ("broken", 700));
    }

    #[test]
    fn a_cancellation_ends_it() {
        let (measured, ids) = measured(pairs(u64::MAX), 2, 1000);
        assert!(measured.unwrap().is_none());
        assert_eq!(ids.len(), 1024);
    }

    #[test]
    fn jobs_are_bounded_by_the_cores() {
        assert_eq!([0, 1, 16, 17, 4096].map(|jobs| threads(jobs, 2)), [2, 1, 16, 16, 16]);
    }
}
