//! A flag that asks work to end.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Shared by whoever may ask for an end (a signal handler) and whoever must heed it.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    raised: AtomicBool,
    sleepers: Mutex<()>,
    wake: Condvar,
}

impl Cancel {
    /// A flag that nobody has raised.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks for an end.
    pub fn cancel(&self) {
        self.0.raised.store(true, Ordering::SeqCst);
        // Nobody is between looking at the flag and falling asleep while this is held.
        drop(self.0.sleepers.lock().unwrap_or_else(PoisonError::into_inner));
        self.0.wake.notify_all();
    }

    /// Waits for so long, or until an end is asked for; says whether it was.
    pub fn sleep(&self, time: Duration) -> bool {
        let sleepers = self.0.sleepers.lock().unwrap_or_else(PoisonError::into_inner);
        let slept = self.0.wake.wait_timeout_while(sleepers, time, |()| !self.is_cancelled());
        drop(slept.unwrap_or_else(PoisonError::into_inner));
        self.is_cancelled()
    }

    /// Whether an end was asked for.
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
