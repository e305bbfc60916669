//! One line about work in progress, no wider than the terminal.

use std::time::Duration;

use assay_core::ProblemId;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The widest bar, and the narrowest that is shown.
const BAR: (usize, usize) = (30, 6);
/// The fewest columns of a shortened name.
const SHORTEST_NAME: usize = 8;
/// The time after which a sample in flight is shown.
const SLOW: Duration = Duration::from_secs(1);

/// Work in progress, as it is shown.
pub(super) struct WorkLine {
    pub(super) label: String,
    pub(super) done: u64,
    pub(super) total: u64,
    /// The time since the work began.
    pub(super) elapsed: Duration,
    /// Finished steps per second, once there are any.
    pub(super) rate: Option<f64>,
    /// The time since a step was last finished.
    pub(super) idle: Duration,
    /// The sample that has been worked on for the longest time.
    pub(super) slowest: Option<SlowSample>,
    /// The use of a language model, if one is asked.
    pub(super) model: Option<ModelUse>,
}

/// The use of a language model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ModelUse {
    /// The number of samples that are asked for at this moment.
    pub(super) in_flight: usize,
    /// The tokens that were written per second.
    pub(super) tokens_per_s: Option<f64>,
    /// The cost so far in US dollars, if prices are known.
    pub(super) cost: Option<f64>,
}

impl ModelUse {
    /// The part of the line about it.
    fn shown(self) -> String {
        let tokens =
            self.tokens_per_s.map_or(String::new(), |rate| format!(" · {rate:.0} tokens/s"));
        let cost = self.cost.map_or(String::new(), |cost| format!(" · ${}", dollars(cost)));
        format!(" · {} in flight{tokens}{cost}", self.in_flight)
    }
}

/// An amount with as many digits as say something.
fn dollars(amount: f64) -> String {
    if amount < 0.1 { format!("{amount:.4}") } else { format!("{amount:.2}") }
}

/// A sample in flight.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SlowSample {
    pub(super) problem: ProblemId,
    pub(super) sample: u32,
    pub(super) time: Duration,
}

impl WorkLine {
    /// The line with a bar, at most `width` columns wide. What does not fit is left out.
    pub(super) fn with_bar(&self, width: usize) -> String {
        let label = cut_end(&self.label, (width / 3).max(SHORTEST_NAME));
        let counts = self.counts();
        // A label, the counts and what else fits, the most important first.
        let mut room = width.saturating_sub(columns(&label) + 1 + columns(&counts));
        let mut take = |part: &dyn Fn(usize) -> String| {
            let part = Some(part(room)).filter(|part| columns(part) <= room).unwrap_or_default();
            room -= columns(&part);
            part
        };
        let time = take(&|_| format!(" {}", self.time()));
        let slowest = take(&|room| self.slowest_within(room));
        let rate = take(&|_| self.rate().map_or(String::new(), |rate| format!(" {rate}")));
        let model = take(&|_| self.model.map_or(String::new(), ModelUse::shown));
        let bar = self.bar(room);
        cut_end(&format!("{label} {bar}{counts}{rate}{time}{model}{slowest}"), width)
    }

    /// The line without a bar, of any width.
    pub(super) fn plain(&self) -> String {
        let rate = self.rate().map_or(String::new(), |rate| format!(" {rate}"));
        let slowest = self.slowest_within(usize::MAX);
        let model = self.model.map_or(String::new(), ModelUse::shown);
        format!("{} {}{rate} {}{model}{slowest}", self.label, self.counts(), self.time())
    }

    fn counts(&self) -> String {
        // A wrong count must not show more than the total.
        format!("{}/{}", self.done.min(self.total), self.total)
    }

    fn rate(&self) -> Option<String> {
        let per_second = self.rate?;
        Some(match per_second {
            9.95.. => format!("{per_second:.0}/s"),
            1.0.. => format!("{per_second:.1}/s"),
            _ if per_second * 60.0 >= 1.0 => format!("{:.0}/min", per_second * 60.0),
            _ => format!("{:.0}/h", per_second * 3600.0),
        })
    }

    /// The time left, or the time so far if nothing is known about the rest. What has been waited for takes at least as
    /// long again, as far as anybody can tell.
    fn time(&self) -> String {
        let left = self.total.saturating_sub(self.done) as f64;
        let left = self.rate.and_then(|rate| Duration::try_from_secs_f64(left / rate).ok());
        match left {
            Some(left) => format!("{} left", in_words(left.max(self.idle))),
            None => format!("{} so far", in_words(self.elapsed)),
        }
    }

    /// The slowest sample in at most `width` columns, shortened if need be; empty if that is too little.
    fn slowest_within(&self, width: usize) -> String {
        let Some(slowest) = self.slowest.as_ref().filter(|slowest| slowest.time >= SLOW) else {
            return String::new();
        };
        let name = format!("{}#{}", slowest.problem, slowest.sample);
        let time = in_words(slowest.time);
        let whole = format!(" · slowest: {name} {time}");
        if columns(&whole) <= width {
            return whole;
        }
        let room = width.saturating_sub(columns(&format!(" ·  {time}")));
        if room < columns(&name).min(SHORTEST_NAME) {
            return String::new();
        }
        format!(" · {} {time}", cut_start(&name, room))
    }

    /// The bar with a space after it, in at most `width` columns.
    fn bar(&self, width: usize) -> String {
        let (most, fewest) = BAR;
        let room = width.saturating_sub(1).min(most);
        if room < fewest {
            return String::new();
        }
        let share = self.done.min(self.total) as f64 / self.total.max(1) as f64;
        let full = (0..room).filter(|at| (*at as f64) < share * room as f64).count();
        format!("{}{} ", "█".repeat(full), "░".repeat(room - full))
    }
}

/// A time in its largest unit that has at least two of it.
fn in_words(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..120 => format!("{seconds} s"),
        seconds @ 120..7200 => format!("{} min", seconds / 60),
        seconds @ 7200..172_800 => format!("{} h", seconds / 3600),
        seconds => format!("{} days", seconds / 86_400),
    }
}

fn columns(text: &str) -> usize {
    text.width()
}

/// The text in at most `width` columns, without its end if it is longer.
fn cut_end(text: &str, width: usize) -> String {
    if columns(text) <= width {
        return text.to_owned();
    }
    let kept: String = fitting(text.chars(), width).collect();
    format!("{kept}…")
}

/// The same without its start.
fn cut_start(text: &str, width: usize) -> String {
    if columns(text) <= width {
        return text.to_owned();
    }
    let mut kept: Vec<char> = fitting(text.chars().rev(), width).collect();
    kept.push('…');
    kept.iter().rev().collect()
}

/// The first characters that leave a column for `…`.
fn fitting(letters: impl Iterator<Item = char>, width: usize) -> impl Iterator<Item = char> {
    let mut used = 1;
    letters.take_while(move |letter| {
        used += letter.width().unwrap_or_default();
        used <= width
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(done: u64, rate: Option<f64>, slow: Option<(&str, u64)>) -> WorkLine {
        let slowest = slow.map(|(problem, seconds)| {
            let (problem, time) = (problem.into(), Duration::from_secs(seconds));
            SlowSample { problem, sample: 4, time }
        });
        let elapsed = Duration::from_secs(15);
        let (label, idle) = ("score".to_owned(), Duration::from_secs(7));
        WorkLine { label, done, total: 3280, elapsed, rate, idle, slowest, model: None }
    }

    #[test]
    fn the_use_of_a_model_is_shown_where_it_fits() {
        let in_use = |cost| ModelUse { in_flight: 64, tokens_per_s: Some(2350.4), cost };
        let asking = WorkLine { model: Some(in_use(Some(1.234))), ..line(812, Some(54.3), None) };
        assert_eq!(
            asking.with_bar(79),
            "score ███░░░░░░░ 812/3280 54/s 45 s left · 64 in flight · 2350 tokens/s · $1.23"
        );
        assert_eq!(asking.with_bar(40), "score ███░░░░░░░ 812/3280 54/s 45 s left");
        let cheap = WorkLine { model: Some(in_use(Some(0.00123))), ..line(0, None, None) };
        assert_eq!(
            cheap.plain(),
            "score 0/3280 15 s so far · 64 in flight · 2350 tokens/s · $0.0012"
        );
    }

    #[test]
    fn what_fits_is_shown_and_the_rest_left_out() {
        let slow = line(812, Some(54.3), Some(("HumanEval/130", 12)));
        assert_eq!(
            slow.with_bar(100),
            "score ████████░░░░░░░░░░░░░░░░░░░░░░ 812/3280 54/s 45 s left · slowest: HumanEval/130#4 12 s"
        );
        assert_eq!(
            slow.with_bar(79),
            "score █████░░░░░░░░░░░░ 812/3280 54/s 45 s left · slowest: HumanEval/130#4 12 s"
        );
        assert_eq!(slow.with_bar(59), "score 812/3280 45 s left · slowest: HumanEval/130#4 12 s");
        assert_eq!(slow.with_bar(50), "score 812/3280 45 s left · HumanEval/130#4 12 s");
        assert_eq!(slow.with_bar(40), "score 812/3280 45 s left · …l/130#4 12 s");
        assert_eq!(slow.with_bar(30), "score 812/3280 54/s 45 s left");
        assert_eq!(slow.with_bar(20), "score 812/3280 54/s");
        assert_eq!(slow.with_bar(16), "score 812/3280");
        assert_eq!(slow.plain(), "score 812/3280 54/s 45 s left · slowest: HumanEval/130#4 12 s");
        assert_eq!(line(3279, Some(54.3), None).plain(), "score 3279/3280 54/s 7 s left");
        assert_eq!(line(0, None, Some(("a", 0))).plain(), "score 0/3280 15 s so far");
    }

    #[test]
    fn no_width_is_exceeded() {
        for name in ["HumanEval/130", "漢字漢字漢字漢字漢字漢字/1", "x"] {
            for label in ["score", "program:python3 a/very/long/path/to/a/solver.py --with options"]
            {
                let mut line = line(3279, Some(0.01), Some((name, 100_000)));
                label.clone_into(&mut line.label);
                for width in 1..200 {
                    let shown = line.with_bar(width);
                    assert!(columns(&shown) <= width, "{width}: {shown}");
                }
            }
        }
    }

    #[test]
    fn rates_and_times_have_a_unit_that_fits() {
        let rates = [1234.5, 54.3, 5.43, 0.5, 0.01].map(|rate| line(0, Some(rate), None).rate());
        let rates: Vec<String> = rates.into_iter().flatten().collect();
        assert_eq!(rates, ["1234/s", "54/s", "5.4/s", "30/min", "36/h"]);
        let times = [0, 119, 120, 7199, 7200, 200_000];
        let times = times.map(|seconds| in_words(Duration::from_secs(seconds)));
        assert_eq!(times, ["0 s", "119 s", "2 min", "119 min", "2 h", "2 days"]);
    }
}
