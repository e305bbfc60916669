//! From what was seen to how the program ended.

use assay_core::{Clock, Ending, Evidence};
use rustix::process::Signal;
use serde_json::Value;

use super::watch::Seen;
use crate::message::{Caps, Output, Report};

/// The most bytes of the end of standard error that are reported.
const SHOWN: usize = 4096;

/// Returns the ending of a program whose calls had limits of their own. When one is reached, it ends with the number
/// of the timer's signal as its status.
pub(super) fn examined_by_calls(seen: &Seen, caps: &Caps) -> Ending {
    let ending = examined(seen, caps, false);
    let by_timer = |signal: Signal| ending == Ending::EarlyExit { code: signal.as_raw() };
    if by_timer(Signal::PROF) {
        Ending::TimeLimit { clock: Clock::Cpu }
    } else if by_timer(Signal::ALARM) {
        Ending::TimeLimit { clock: Clock::Wall }
    } else {
        ending
    }
}

/// Returns the ending of a program that was put through tests. Where it carries them itself, what it says of its end
/// counts less than a limit that it broke.
pub(super) fn examined(seen: &Seen, caps: &Caps, carries_tests: bool) -> Ending {
    let said = seen.said.as_ref();
    // Only tests say this. It stays wrong if the program takes too long over what it is asked next.
    if let Some(wrong) = said.and_then(|said| said.get("wrong")).and_then(Value::as_str) {
        return Ending::WrongAnswer { message: wrong.to_owned() };
    }
    if let Some(ending) = raised(said).or_else(|| exited(said)).filter(|_| !carries_tests) {
        return ending;
    }
    if let Some(ending) = broke_a_limit(seen, caps) {
        return ending;
    }
    if said_true(said, "passed") || said_true(said, "done") {
        return Ending::Passed;
    }
    if let Some(trace) = said.and_then(|said| said.get("broken")).and_then(Value::as_str) {
        return Ending::SandboxError { message: trace.trim().to_owned() };
    }
    let lost = seen.witness_lost && seen.said.is_none();
    if lost || said_true(said, "too_much") {
        // What it answered was more than the tests could take.
        return Ending::OutputLimit;
    }
    raised(said).unwrap_or_else(|| left(seen))
}

/// Returns whether the tests want to see it once more.
pub(super) fn wants_again(seen: &Seen) -> bool {
    said_true(seen.said.as_ref(), "again")
}

/// Returns the ending of a program that was run by itself.
pub(super) fn executed(seen: &Seen, caps: &Caps) -> Ending {
    if let Some(ending) = broke_a_limit(seen, caps) {
        return ending;
    }
    match (raised(seen.said.as_ref()), seen.ended.code) {
        (_, Some(0)) => Ending::Passed,
        (Some(raised), _) => raised,
        (None, _) => left(seen),
    }
}

/// The largest share of its limit that one call took, where calls have limits.
fn longest_call(seen: &Seen) -> f64 {
    let told = seen.said.as_ref().and_then(|said| said.get("longest")).and_then(Value::as_f64);
    told.unwrap_or(0.0)
}

fn said_true(said: Option<&Value>, key: &str) -> bool {
    said.and_then(|said| said.get(key)) == Some(&Value::Bool(true))
}

fn broke_a_limit(seen: &Seen, caps: &Caps) -> Option<Ending> {
    if seen.too_big {
        return Some(Ending::MemoryLimit);
    }
    if seen.too_much {
        return Some(Ending::OutputLimit);
    }
    let worked = u64::try_from(seen.ended.cpu.as_micros()).unwrap_or(u64::MAX);
    let by_limit = seen.ended.signal == Some(Signal::XCPU.as_raw());
    if worked >= caps.cpu_us || by_limit || longest_call(seen) >= 1.0 {
        return Some(Ending::TimeLimit { clock: Clock::Cpu });
    }
    if seen.too_long {
        return Some(Ending::TimeLimit { clock: Clock::Wall });
    }
    None
}

/// Returns the ending that an exception means.
fn raised(said: Option<&Value>) -> Option<Ending> {
    let said = said?;
    let class = said.get("raised")?.as_str()?;
    let text = |key: &str| said.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let line = said.get("line").and_then(Value::as_u64).and_then(|line| line.try_into().ok());
    let by_name = class.strip_prefix("syntax:");
    if by_name.is_some() || said_true(Some(said), "syntax") {
        return Some(Ending::SyntaxError { message: text("message"), line });
    }
    if class == "MemoryError" {
        return Some(Ending::MemoryLimit);
    }
    Some(Ending::Exception { class: class.to_owned(), message: text("message"), line })
}

/// Returns the ending that `SystemExit` means.
fn exited(said: Option<&Value>) -> Option<Ending> {
    let code = said?.get("exit")?.as_i64()?;
    Some(Ending::EarlyExit { code: i32::try_from(code).unwrap_or(-1) })
}

/// Returns the ending of a program that left without a word.
fn left(seen: &Seen) -> Ending {
    match (seen.ended.signal, seen.ended.code) {
        // It cut the connection to its tests and stayed.
        (Some(_), _) if seen.ended_here => Ending::EarlyExit { code: -1 },
        (Some(signal), _) => Ending::Crashed { signal },
        (None, code) => Ending::EarlyExit { code: code.unwrap_or(-1) },
    }
}

/// The report of what was seen.
pub(super) fn report(seen: Seen, ending: Ending) -> Report {
    let shown = seen.errors.len().saturating_sub(SHOWN);
    let evidence = Evidence {
        cpu_s: seen.ended.cpu.as_secs_f64(),
        wall_s: seen.wall.as_secs_f64(),
        peak_memory: Some(seen.ended.memory),
        stderr_tail: String::from_utf8_lossy(&seen.errors[shown..]).into_owned(),
        ..Evidence::default()
    };
    let text = |key: &str| {
        seen.said.as_ref().and_then(|said| said.get(key)).and_then(Value::as_str).map(str::to_owned)
    };
    Report {
        one_process: text("one_process"),
        marks: text("marks"),
        longest_call: longest_call(&seen),
        ending,
        evidence,
        output: Output::new(seen.output),
        exam_unknown: false,
    }
}

/// The report of a failure of the sandbox itself.
pub(super) fn failure(message: String) -> Report {
    Report::new(Ending::SandboxError { message }, Evidence::default())
}
