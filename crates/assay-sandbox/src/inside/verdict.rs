//! Derives a candidate's ending from the observations.

use assay_core::{Clock, Ending, Evidence};
use rustix::process::Signal;
use serde_json::Value;

use super::watch::Observation;
use crate::message::{Output, ProcessLimits, Report};

/// The maximum number of bytes reported of the end of standard error.
const SHOWN: usize = 4096;

/// The ending of a candidate whose calls had time limits of their own. When one is reached, the candidate exits with
/// the number of the timer's signal as its status.
pub(super) fn ending_of_calls(observed: &Observation, limits: &ProcessLimits) -> Ending {
    let ending = ending_of_tests(observed, limits, false);
    let by_timer = |signal: Signal| ending == Ending::EarlyExit { code: signal.as_raw() };
    if by_timer(Signal::PROF) {
        Ending::TimeLimit { clock: Clock::Cpu }
    } else if by_timer(Signal::ALARM) {
        Ending::TimeLimit { clock: Clock::Wall }
    } else {
        ending
    }
}

/// The ending of a candidate under tests. If it contains them itself, a limit that it exceeded takes precedence over
/// its own message.
pub(super) fn ending_of_tests(
    observed: &Observation,
    limits: &ProcessLimits,
    carries_tests: bool,
) -> Ending {
    let outcome = observed.outcome.as_ref();
    // Only tests send this. It stays wrong even if the candidate takes too long for the next call.
    if let Some(wrong) = outcome.and_then(|outcome| outcome.get("wrong")).and_then(Value::as_str) {
        return Ending::WrongAnswer { message: wrong.to_owned() };
    }
    if let Some(ending) = raised(outcome).or_else(|| exited(outcome)).filter(|_| !carries_tests) {
        return ending;
    }
    if let Some(ending) = exceeded_limit(observed, limits) {
        return ending;
    }
    if is_true(outcome, "passed") || is_true(outcome, "done") {
        return Ending::Passed;
    }
    if let Some(trace) = outcome.and_then(|outcome| outcome.get("broken")).and_then(Value::as_str) {
        return Ending::SandboxError { message: trace.trim().to_owned() };
    }
    let lost = observed.source_lost && observed.outcome.is_none();
    if lost || is_true(outcome, "too_much") {
        // The answers were more than the tests could take.
        return Ending::OutputLimit;
    }
    raised(outcome).unwrap_or_else(|| ending_of_exit(observed))
}

/// Returns true if the tests request another run.
pub(super) fn wants_rerun(observed: &Observation) -> bool {
    is_true(observed.outcome.as_ref(), "again")
}

/// The ending of a program that ran by itself.
pub(super) fn ending_of_run(observed: &Observation, limits: &ProcessLimits) -> Ending {
    if let Some(ending) = exceeded_limit(observed, limits) {
        return ending;
    }
    match (raised(observed.outcome.as_ref()), observed.exit.code) {
        (_, Some(0)) => Ending::Passed,
        (Some(raised), _) => raised,
        (None, _) => ending_of_exit(observed),
    }
}

/// The largest share of its time limit that one call took, if calls have limits.
fn longest_call(observed: &Observation) -> f64 {
    let told = observed
        .outcome
        .as_ref()
        .and_then(|outcome| outcome.get("longest"))
        .and_then(Value::as_f64);
    told.unwrap_or(0.0)
}

fn is_true(outcome: Option<&Value>, key: &str) -> bool {
    outcome.and_then(|outcome| outcome.get(key)) == Some(&Value::Bool(true))
}

fn exceeded_limit(observed: &Observation, limits: &ProcessLimits) -> Option<Ending> {
    if observed.over_memory {
        return Some(Ending::MemoryLimit);
    }
    if observed.printed_too_much {
        return Some(Ending::OutputLimit);
    }
    let cpu_us = u64::try_from(observed.exit.cpu.as_micros()).unwrap_or(u64::MAX);
    let by_limit = observed.exit.signal == Some(Signal::XCPU.as_raw());
    if cpu_us >= limits.cpu_us || by_limit || longest_call(observed) >= 1.0 {
        return Some(Ending::TimeLimit { clock: Clock::Cpu });
    }
    if observed.timed_out {
        return Some(Ending::TimeLimit { clock: Clock::Wall });
    }
    None
}

/// The ending for an exception.
fn raised(outcome: Option<&Value>) -> Option<Ending> {
    let outcome = outcome?;
    let class = outcome.get("raised")?.as_str()?;
    let text = |key: &str| outcome.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let line = outcome.get("line").and_then(Value::as_u64).and_then(|line| line.try_into().ok());
    let by_name = class.strip_prefix("syntax:");
    if by_name.is_some() || is_true(Some(outcome), "syntax") {
        return Some(Ending::SyntaxError { message: text("message"), line });
    }
    if class == "MemoryError" {
        return Some(Ending::MemoryLimit);
    }
    Some(Ending::Exception { class: class.to_owned(), message: text("message"), line })
}

/// The ending for `SystemExit`.
fn exited(outcome: Option<&Value>) -> Option<Ending> {
    let code = outcome?.get("exit")?.as_i64()?;
    Some(Ending::EarlyExit { code: i32::try_from(code).unwrap_or(-1) })
}

/// The ending of a candidate that exited without a message.
fn ending_of_exit(observed: &Observation) -> Ending {
    match (observed.exit.signal, observed.exit.code) {
        // It closed the connection to its tests and continued to run.
        (Some(_), _) if observed.killed => Ending::EarlyExit { code: -1 },
        (Some(signal), _) => Ending::Crashed { signal },
        (None, code) => Ending::EarlyExit { code: code.unwrap_or(-1) },
    }
}

/// Creates the report of the observations.
pub(super) fn report(observed: Observation, ending: Ending) -> Report {
    let shown = observed.errors.len().saturating_sub(SHOWN);
    let evidence = Evidence {
        cpu_s: observed.exit.cpu.as_secs_f64(),
        wall_s: observed.wall.as_secs_f64(),
        peak_memory: Some(observed.exit.memory),
        stderr_tail: String::from_utf8_lossy(&observed.errors[shown..]).into_owned(),
        ..Evidence::default()
    };
    let text = |key: &str| {
        observed
            .outcome
            .as_ref()
            .and_then(|outcome| outcome.get(key))
            .and_then(Value::as_str)
            .map(str::to_owned)
    };
    Report {
        one_process: text("one_process"),
        marks: text("marks"),
        longest_call: longest_call(&observed),
        ending,
        evidence,
        output: Output::new(observed.output),
        suite_unknown: false,
    }
}

/// Creates the report of a failure of the sandbox itself.
pub(super) fn failure(message: String) -> Report {
    Report::new(Ending::SandboxError { message }, Evidence::default())
}
