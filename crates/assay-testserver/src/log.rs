//! Counts of what a server was asked and answered.

use std::collections::BTreeMap;

/// One sample of a problem, by the problem's name and the request's seed.
pub type Sample = (String, u64);

/// The requests and replies of a server.
#[derive(Debug, Clone, Default)]
pub struct Log {
    /// The number of requests for generations.
    pub requests: u64,
    /// The number of connections.
    pub connections: u64,
    /// The number of requests for each sample.
    pub asked: BTreeMap<Sample, u32>,
    /// The number of proper replies for each sample, to clients that had not hung up.
    pub answered: BTreeMap<Sample, u32>,
    /// The number of times that each kind of mischief was done.
    pub mischief: BTreeMap<&'static str, u32>,
    /// The requests that were refused, by status.
    pub refused: BTreeMap<u16, u32>,
    /// The greatest number of requests that were worked on at once.
    pub most_in_flight: u32,
    /// The bodies of the latest requests, if they are kept.
    pub bodies: Vec<String>,
}

impl Log {
    /// The number of samples that were answered, counting each time.
    pub fn answers(&self) -> u64 {
        self.answered.values().map(|&times| u64::from(times)).sum()
    }

    /// The samples that were answered more than once.
    pub fn answered_again(&self) -> Vec<&Sample> {
        self.answered.iter().filter(|(_, times)| **times > 1).map(|(sample, _)| sample).collect()
    }
}
