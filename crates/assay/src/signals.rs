//! Signals that assay was started to ignore, as by `nohup`, or in the background of a shell without job control.

use std::fs;

use nix::sys::signal::{SigSet, Signal};

/// The signals that Ctrl-C, a closed terminal and `kill` send.
const ENDING: [Signal; 3] = [Signal::SIGINT, Signal::SIGHUP, Signal::SIGTERM];

/// Keeps ignoring those of these signals that are ignored. Only a process with one thread may call this.
///
/// The handler for Ctrl-C is installed for all three at once. A signal that every thread blocks does not reach it.
pub(crate) fn keep_ignored() {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = ignored(&status);
    let kept: SigSet = ENDING.into_iter().filter(|signal| contains(ignored, *signal)).collect();
    // Without it, these signals end assay as they would end a program that knows nothing of them.
    let _ = kept.thread_block();
}

/// The set of ignored signals in the kernel's description of a process; empty if it is not there.
fn ignored(status: &str) -> u64 {
    let set = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    set.and_then(|set| u64::from_str_radix(set.trim(), 16).ok()).unwrap_or(0)
}

fn contains(set: u64, signal: Signal) -> bool {
    set & (1 << (signal as i32 - 1)) != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignored_signals_are_read_from_the_kernel_s_description() {
        let status = "Name:\tassay\nSigBlk:\t0000000000000003\nSigIgn:\t0000000000001001\n";
        let found = |status: &str| {
            let set = ignored(status);
            ENDING.map(|signal| contains(set, signal))
        };
        assert_eq!(found(status), [false, true, false]);
        assert_eq!(found("SigIgn:\t0000000000004002\n"), [true, false, true]);
        assert_eq!(found("Name:\tassay\n"), [false; 3]);
        assert_eq!(found("SigIgn:\tnonsense\n"), [false; 3]);
    }
}
