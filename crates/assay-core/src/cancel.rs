//! A flag that asks work to end.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// A flag shared between the code that requests an end (a signal handler) and the code that checks for it.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    raised: AtomicBool,
    sleepers: Mutex<()>,
    wake: Condvar,
}

impl Cancel {
    /// Creates a flag that is not raised.
    pub fn new() -> Self {
        Self::default()
    }

    /// Requests an end.
    pub fn cancel(&self) {
        self.0.raised.store(true, Ordering::SeqCst);
        // While this lock is held, no thread is between checking the flag and falling asleep.
        drop(self.0.sleepers.lock().unwrap_or_else(PoisonError::into_inner));
        self.0.wake.notify_all();
    }

    /// Waits for `time`, or until an end is requested; returns whether it was.
    pub fn sleep(&self, time: Duration) -> bool {
        let sleepers = self.0.sleepers.lock().unwrap_or_else(PoisonError::into_inner);
        let slept = self.0.wake.wait_timeout_while(sleepers, time, |()| !self.is_cancelled());
        drop(slept.unwrap_or_else(PoisonError::into_inner));
        self.is_cancelled()
    }

    /// Returns true if an end was requested.
    pub fn is_cancelled(&self) -> bool {
        self.0.raised.load(Ordering::SeqCst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_sleeps_is_woken() {
        let cancel = Cancel::new();
        assert!(!cancel.sleep(Duration::from_millis(1)));
        let sleeper = cancel.clone();
        let asleep = std::thread::spawn(move || sleeper.sleep(Duration::from_hours(1)));
        cancel.cancel();
        assert!(asleep.join().unwrap());
    }
}
