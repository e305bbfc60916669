//! The rate of finished steps over the last half minute.

use std::collections::VecDeque;
use std::time::Duration;

/// The time over which the rate is measured.
const WINDOW: Duration = Duration::from_secs(30);
/// The time between two points of measurement.
const STEP: Duration = Duration::from_secs(1);

/// The numbers of finished steps at points in time, the first of which is the start.
#[derive(Debug)]
pub(super) struct Rate {
    start: u64,
    /// The time when a step was last seen to be finished, and their number.
    latest: (Duration, u64),
    points: VecDeque<(Duration, u64)>,
}

impl Rate {
    /// Starts to measure with `done` steps finished before.
    pub(super) fn new(done: u64) -> Self {
        let start = (Duration::ZERO, done);
        Self { start: done, latest: start, points: VecDeque::from([start]) }
    }

    /// The time since a step was last finished.
    pub(super) fn idle(&self, time: Duration) -> Duration {
        time.saturating_sub(self.latest.0)
    }

    /// The steps per second, with `done` steps finished at this time after the start. If none was finished lately, the
    /// rate since the start; `None` if none was finished at all.
    pub(super) fn at(&mut self, time: Duration, done: u64) -> Option<f64> {
        if done != self.latest.1 {
            self.latest = (time, done);
        }
        while self.points.len() > 1 && self.points[1].0 + WINDOW <= time {
            self.points.pop_front();
        }
        let per_second = |(since, before): (Duration, u64)| {
            let seconds = time.saturating_sub(since).as_secs_f64();
            let steps = done.saturating_sub(before);
            (steps > 0 && seconds > 0.0).then(|| steps as f64 / seconds)
        };
        let lately = self.points.front().copied().and_then(per_second);
        if self.points.back().is_some_and(|(last, _)| *last + STEP <= time) {
            self.points.push_back((time, done));
        }
        lately.or_else(|| per_second((Duration::ZERO, self.start)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_half_minute_counts() {
        let mut rate = Rate::new(100);
        let mut at = |seconds, done| rate.at(Duration::from_secs(seconds), done);
        assert_eq!(at(5, 100), None);
        assert_eq!(at(10, 200), Some(10.0));
        for second in 11..=60 {
            at(second, 200 + (second - 10));
        }
        // One per second since the tenth second.
        assert_eq!(at(61, 251), Some(1.0));
        // Nothing in the last half minute: 151 steps since the start.
        at(100, 251);
        let since_start = at(151, 251).unwrap();
        assert!((since_start - 1.0).abs() < 1e-9, "{since_start}");
        assert_eq!(rate.idle(Duration::from_secs(151)), Duration::from_secs(90));
    }
}
