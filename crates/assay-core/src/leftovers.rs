//! Processes and temporary files that must not outlive this process, for an end at once, which runs no destructors.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Something outside this process that [`clear_leftovers`] clears away, such as a child process or a temporary folder.
/// Dropping the value says that it is gone.
#[derive(Debug)]
pub struct Leftover(u64);

type Clear = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct Registry {
    next: u64,
    /// The actions by number; `None` once everything has been cleared away.
    actions: Option<BTreeMap<u64, Clear>>,
}

static REGISTRY: Mutex<Registry> = Mutex::new(Registry { next: 0, actions: Some(BTreeMap::new()) });

impl Leftover {
    /// Registers an action, which must take less than a second. If the process is about to end, it is done at once.
    pub fn new(clear: impl FnOnce() + Send + 'static) -> Self {
        let mut registry = lock();
        registry.next += 1;
        let number = registry.next;
        if let Some(actions) = &mut registry.actions {
            actions.insert(number, Box::new(clear));
        } else {
            drop(registry);
            clear();
        }
        Self(number)
    }
}

impl Drop for Leftover {
    fn drop(&mut self) {
        // Waits for an action that is being done, so that a process number is not reused while it is killed.
        if let Some(actions) = &mut lock().actions {
            actions.remove(&self.0);
        }
    }
}

/// Clears away everything that is registered, all at once, before the process ends without destructors.
pub fn clear_leftovers() {
    let mut registry = lock();
    let actions = registry.actions.take().unwrap_or_default();
    std::thread::scope(|scope| {
        for clear in actions.into_values() {
            scope.spawn(clear);
        }
    });
}

fn lock() -> MutexGuard<'static, Registry> {
    REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn what_is_still_there_is_cleared_once_and_what_comes_later_at_once() {
        let cleared = Arc::new(AtomicUsize::new(0));
        let leftover = |amount| {
            let cleared = Arc::clone(&cleared);
            Leftover::new(move || {
                cleared.fetch_add(amount, Ordering::SeqCst);
            })
        };
        let kept = [leftover(1), leftover(10)];
        drop(leftover(100));
        clear_leftovers();
        clear_leftovers();
        assert_eq!(cleared.load(Ordering::SeqCst), 11);
        drop(kept);
        let _late = leftover(1000);
        assert_eq!(cleared.load(Ordering::SeqCst), 1011);
    }
}
