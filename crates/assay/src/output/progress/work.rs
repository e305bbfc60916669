//! The progress of a run or of scoring, drawn by a thread of its own: also while nothing is finished, and at no cost for
//! the work itself.

use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use assay_core::{ProblemId, Usage, Work, shown_name};
use assay_run::Progress;
use indicatif::{ProgressBar, ProgressStyle};
use rustix::termios::tcgetwinsize;

use super::line::{ModelUse, SlowSample, WorkLine};
use super::rate::Rate;
use super::{above_bar, new_bar};
use crate::output::{print_message, warn_once};

/// The interval between two drawings on a terminal, and between two lines elsewhere.
const ON_TERMINAL: Duration = Duration::from_millis(100);
const ELSEWHERE: Duration = Duration::from_secs(10);
/// The width of a terminal that does not tell its own.
const DEFAULT_WIDTH: usize = 80;

/// Shows the progress of runs on standard error.
pub(crate) struct RunProgressBar {
    work: Arc<Drawn>,
    /// The thread that draws, once there is work.
    drawer: Mutex<Option<JoinHandle<()>>>,
}

struct Drawn {
    bar: ProgressBar,
    /// True if there is no terminal.
    plain: bool,
    /// The number of finished steps.
    done: AtomicU64,
    state: Mutex<State>,
    /// Signalled when the thread that draws has to end.
    ended: Condvar,
    /// The tokens that a language model wrote, and their cost.
    used: Used,
    /// The samples that are worked on, by number.
    in_flight: Mutex<Vec<Option<Flight>>>,
    /// Held while something is drawn.
    drawing: Mutex<()>,
}

/// The tokens and the cost of a model's replies.
#[derive(Default)]
struct Used {
    tokens: AtomicU64,
    /// In US dollars, once a reply had a price.
    cost: Mutex<Option<f64>>,
}

#[derive(Default)]
struct State {
    /// The work; `None` before it starts and after its end.
    phase: Option<Phase>,
    ended: bool,
}

struct Phase {
    label: String,
    total: u64,
    started: Instant,
    rate: Rate,
    /// The tokens per second.
    tokens: Rate,
}

struct Flight {
    work: Work,
    problem: ProblemId,
    sample: u32,
    since: Instant,
}

impl RunProgressBar {
    pub(crate) fn new() -> Self {
        let bar = new_bar(None);
        bar.set_style(
            ProgressStyle::with_template("{msg}").unwrap_or_else(|_| ProgressStyle::default_bar()),
        );
        let work = Drawn {
            bar,
            plain: !io::stderr().is_terminal(),
            done: AtomicU64::new(0),
            state: Mutex::default(),
            ended: Condvar::new(),
            used: Used::default(),
            in_flight: Mutex::default(),
            drawing: Mutex::default(),
        };
        Self { work: Arc::new(work), drawer: Mutex::default() }
    }

    /// Starts the thread that draws. Without it, nothing is shown.
    fn start_drawing(&self) {
        let mut drawer = lock(&self.drawer);
        if drawer.is_none() {
            let work = Arc::clone(&self.work);
            let name = "progress".to_owned();
            *drawer = thread::Builder::new().name(name).spawn(move || work.draw_until_end()).ok();
        }
    }
}

impl Progress for RunProgressBar {
    fn start(&self, label: &str, total: usize, done: usize) {
        let (total, done) = (total as u64, done as u64);
        self.work.done.store(done, Ordering::Relaxed);
        // Without this, a finished bar is not drawn again.
        self.work.bar.reset();
        let (label, rate) = (shown_name(label).into_owned(), Rate::new(done));
        let tokens = Rate::new(self.work.used.tokens.load(Ordering::Relaxed));
        let phase = Phase { label, total, started: Instant::now(), rate, tokens };
        lock(&self.work.state).phase = Some(phase);
        self.start_drawing();
    }

    fn step(&self) {
        self.work.done.fetch_add(1, Ordering::Relaxed);
    }

    fn finish(&self) {
        lock(&self.work.state).phase = None;
        let _drawing = lock(&self.work.drawing);
        self.work.bar.finish_and_clear();
    }

    fn warn(&self, text: &str) {
        above_bar(|| warn_once(text));
    }

    fn note(&self, text: &str) {
        above_bar(|| print_message(text));
    }

    fn used(&self, usage: &Usage) {
        let used = &self.work.used;
        if let Some(tokens) = usage.completion_tokens {
            used.tokens.fetch_add(tokens, Ordering::Relaxed);
        }
        if let Some(cost) = usage.cost {
            *lock(&used.cost).get_or_insert_default() += cost;
        }
    }

    fn begin(&self, work: Work, problem: &ProblemId, sample: u32) -> usize {
        let flight = Flight { work, problem: problem.clone(), sample, since: Instant::now() };
        let mut in_flight = lock(&self.work.in_flight);
        if let Some(number) = in_flight.iter().position(Option::is_none) {
            in_flight[number] = Some(flight);
            return number;
        }
        in_flight.push(Some(flight));
        in_flight.len() - 1
    }

    fn end(&self, number: usize) {
        if let Some(flight) = lock(&self.work.in_flight).get_mut(number) {
            *flight = None;
        }
    }
}

impl Drop for RunProgressBar {
    fn drop(&mut self) {
        lock(&self.work.state).ended = true;
        self.work.ended.notify_all();
        if let Some(drawer) = lock(&self.drawer).take() {
            let _ = drawer.join();
        }
        self.finish();
    }
}

impl Drawn {
    /// Draws at regular intervals until the bar is dropped.
    fn draw_until_end(&self) {
        let interval = if self.plain { ELSEWHERE } else { ON_TERMINAL };
        let mut state = lock(&self.state);
        loop {
            let waited = self.ended.wait_timeout_while(state, interval, |state| !state.ended);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
            if state.ended {
                return;
            }
            drop(state);
            self.draw();
            state = lock(&self.state);
        }
    }

    fn draw(&self) {
        // Not under the lock of the state: the work must not wait for a slow terminal.
        let _drawing = lock(&self.drawing);
        let Some(line) = self.line() else { return };
        if self.plain {
            print_message(&line.plain());
        } else {
            // The last column stays free: some terminals wrap there.
            self.bar.set_message(line.with_bar(terminal_width() - 1));
        }
    }

    /// The state of the work; `None` if there is none.
    fn line(&self) -> Option<WorkLine> {
        let mut state = lock(&self.state);
        let Phase { label, total, started, rate, tokens } = state.phase.as_mut()?;
        let (done, elapsed) = (self.done.load(Ordering::Relaxed), started.elapsed());
        let (label, total, per_second) = (label.clone(), *total, rate.at(elapsed, done));
        let (idle, slowest) = (rate.idle(elapsed), self.slowest());
        let model = self.model_use(|used| tokens.at(elapsed, used));
        Some(WorkLine { label, done, total, elapsed, rate: per_second, idle, slowest, model })
    }

    /// The use of a model, if any tokens were written.
    fn model_use(&self, per_second: impl FnOnce(u64) -> Option<f64>) -> Option<ModelUse> {
        let tokens = self.used.tokens.load(Ordering::Relaxed);
        if tokens == 0 {
            return None;
        }
        let is_asked = |flight: &&Flight| flight.work == Work::Asking;
        let in_flight = lock(&self.in_flight).iter().flatten().filter(is_asked).count();
        let cost = *lock(&self.used.cost);
        Some(ModelUse { in_flight, tokens_per_s: per_second(tokens), cost })
    }

    /// The sample that has been worked on for the longest time.
    fn slowest(&self) -> Option<SlowSample> {
        let in_flight = lock(&self.in_flight);
        let Flight { problem, sample, since, .. } =
            in_flight.iter().flatten().min_by_key(|flight| flight.since)?;
        Some(SlowSample { problem: problem.clone(), sample: *sample, time: since.elapsed() })
    }
}

fn terminal_width() -> usize {
    let columns = tcgetwinsize(io::stderr()).map_or(0, |size| usize::from(size.ws_col));
    if columns > 1 { columns } else { DEFAULT_WIDTH }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slowest_sample_is_the_one_that_began_first_and_has_not_ended() {
        let bar = RunProgressBar::new();
        assert!(bar.work.line().is_none());
        bar.start("x", 3, 1);
        let problems: [ProblemId; 3] = ["a", "b", "c"].map(ProblemId::from);
        let [first, second, _] = [0, 1, 2].map(|at| bar.begin(Work::Grading, &problems[at], 7));
        let slowest = || bar.work.line().unwrap().slowest.map(|slow| slow.problem.to_string());
        assert_eq!(slowest().as_deref(), Some("a"));
        bar.end(first);
        bar.end(second);
        // A number is used again.
        assert_eq!(bar.begin(Work::Asking, &problems[0], 0), first);
        assert_eq!(slowest().as_deref(), Some("c"));
        (0..5).for_each(|_| bar.step());
        assert!(bar.work.line().unwrap().plain().starts_with("x 3/3"));
        bar.finish();
        assert!(bar.work.line().is_none());
    }
}
