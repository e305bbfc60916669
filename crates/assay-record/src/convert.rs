//! Conversions between line types and the types that assay works with.
//!
//! The format on disk is defined here and in the line types only, independently of the types of the
//! other crates.

use std::sync::Arc;

use assay_core as core;

use crate::{
    AnswerLine, Clock, Ending, Evidence, Finish, NoAnswer, Outcome, ResponseLine, SessionEnd,
    SessionLine, Tokens, VerdictLine, Why,
};

/// Converts an enum without fields both ways, variant by variant.
macro_rules! same_variants {
    ($ours:ident, $core:ident: $($variant:ident),+) => {
        impl From<core::$core> for $ours {
            fn from(value: core::$core) -> Self {
                match value {
                    $(core::$core::$variant => Self::$variant,)+
                }
            }
        }

        impl From<$ours> for core::$core {
            fn from(value: $ours) -> Self {
                match value {
                    $($ours::$variant => Self::$variant,)+
                }
            }
        }
    };
}

same_variants!(Why, NoAnswerKind: Silent, TimedOut, Crashed, Garbage, Invalid);
same_variants!(Outcome, Outcome: Passed, Failed, TimedOut, NotAnswered, Excluded);
same_variants!(Clock, Clock: Cpu, Wall);
same_variants!(Finish, Finish: Stop, Length, Filtered);

/// Converts an enum with named fields both ways, variant by variant; each field converts by itself.
macro_rules! same_fields {
    ($ours:ident, $core:ident: $($variant:ident { $($field:ident),* }),+) => {
        impl From<core::$core> for $ours {
            fn from(value: core::$core) -> Self {
                match value {
                    $(core::$core::$variant { $($field),* } => Self::$variant { $($field: $field.into()),* },)+
                }
            }
        }

        impl From<$ours> for core::$core {
            fn from(value: $ours) -> Self {
                match value {
                    $($ours::$variant { $($field),* } => Self::$variant { $($field: $field.into()),* },)+
                }
            }
        }
    };
}

same_fields!(Ending, Ending:
    Passed {},
    WrongAnswer { message },
    Exception { class, message, line },
    SyntaxError { message, line },
    TimeLimit { clock },
    MemoryLimit {},
    OutputLimit {},
    EarlyExit { code },
    Crashed { signal },
    SandboxError { message }
);

/// Converts a struct both ways, field by field.
macro_rules! same_struct {
    ($ours:ident, $core:ident: $($field:ident),+) => {
        impl From<core::$core> for $ours {
            fn from(value: core::$core) -> Self {
                let core::$core { $($field),+ } = value;
                Self { $($field: $field.into()),+ }
            }
        }

        impl From<$ours> for core::$core {
            fn from(value: $ours) -> Self {
                let $ours { $($field),+ } = value;
                Self { $($field: $field.into()),+ }
            }
        }
    };
}

same_struct!(Evidence, Evidence: cpu_s, wall_s, peak_memory, memory_by, stderr_tail, call, expected, got, input,
    traceback, one_process, unstable);
same_struct!(SessionLine, SessionReport: command, working_folder, time_limit_s, wall_s, end, asked, answered,
    garbage_lines, garbage, stderr_tail);

impl From<core::NoAnswer> for NoAnswer {
    fn from(core::NoAnswer { kind, detail }: core::NoAnswer) -> Self {
        Self { why: kind.into(), detail }
    }
}

impl From<NoAnswer> for core::NoAnswer {
    fn from(NoAnswer { why, detail }: NoAnswer) -> Self {
        Self { kind: why.into(), detail }
    }
}

impl From<core::SessionEnd> for SessionEnd {
    fn from(end: core::SessionEnd) -> Self {
        match end {
            core::SessionEnd::Exited(code) => Self::Exited(code),
            core::SessionEnd::Signalled(signal) => Self::Signalled(signal),
            core::SessionEnd::TimedOut => Self::TimedOut,
            core::SessionEnd::Cancelled => Self::Cancelled,
        }
    }
}

impl From<SessionEnd> for core::SessionEnd {
    fn from(end: SessionEnd) -> Self {
        match end {
            SessionEnd::Exited(code) => Self::Exited(code),
            SessionEnd::Signalled(signal) => Self::Signalled(signal),
            SessionEnd::TimedOut => Self::TimedOut,
            SessionEnd::Cancelled => Self::Cancelled,
        }
    }
}

impl From<core::Response> for ResponseLine {
    fn from(response: core::Response) -> Self {
        match response {
            core::Response::Lines(lines) => Self::Lines(lines),
            core::Response::Text(text) => Self::Text(text),
            core::Response::Program(text) => Self::Program(text),
            core::Response::Choice(label) => Self::Choice(label),
            core::Response::None(reason) => Self::None(reason.into()),
        }
    }
}

impl From<ResponseLine> for core::Response {
    fn from(response: ResponseLine) -> Self {
        match response {
            ResponseLine::Lines(lines) => Self::Lines(lines),
            ResponseLine::Text(text) => Self::Text(text),
            ResponseLine::Program(text) => Self::Program(text),
            ResponseLine::Choice(label) => Self::Choice(label),
            ResponseLine::None(reason) => Self::None(reason.into()),
        }
    }
}

/// The solver's confidence is not recorded, because grading does not use it. The question that was asked is recorded
/// among the texts, and the writer knows its hash.
impl From<core::Answer> for AnswerLine {
    fn from(answer: core::Answer) -> Self {
        let core::Answer {
            problem,
            sample,
            response,
            wall_s,
            reply,
            rule,
            asked: _,
            finish,
            retries,
            confidence: _,
            usage,
        } = answer;
        let tokens = usage.prompt_tokens.zip(usage.completion_tokens);
        Self {
            wall_s,
            reply,
            rule,
            finish: finish.map(Into::into),
            retries,
            tokens: tokens.map(|(prompt, completion)| Tokens { prompt, completion }),
            cost: usage.cost,
            ..Self::new(problem, sample, Arc::unwrap_or_clone(response).into())
        }
    }
}

impl From<AnswerLine> for core::Answer {
    fn from(line: AnswerLine) -> Self {
        let AnswerLine {
            problem,
            sample,
            response,
            wall_s,
            started_s: _,
            question: _,
            reply,
            rule,
            finish,
            tokens,
            retries,
            cost,
        } = line;
        let usage = core::Usage {
            prompt_tokens: tokens.map(|tokens| tokens.prompt),
            completion_tokens: tokens.map(|tokens| tokens.completion),
            cost,
        };
        Self {
            wall_s,
            reply,
            rule,
            finish: finish.map(Into::into),
            retries,
            usage,
            ..Self::new(problem.into(), sample, response.into())
        }
    }
}

impl From<core::Verdict> for VerdictLine {
    fn from(verdict: core::Verdict) -> Self {
        // Destructured, so that a new field cannot be forgotten.
        let core::Verdict {
            problem,
            sample,
            outcome,
            scores,
            counts,
            group,
            no_answer,
            detail,
            ending,
            evidence,
            program,
            predicted,
            solution,
        } = verdict;
        Self {
            problem: problem.into(),
            sample,
            outcome: outcome.into(),
            scores: scores.iter().map(|(name, score)| (name.to_string(), *score)).collect(),
            counts: counts
                .iter()
                .map(|(name, counts)| (name.to_string(), counts.clone()))
                .collect(),
            group,
            why: no_answer.map(Into::into),
            detail,
            ending: ending.map(Into::into),
            evidence: evidence.map(Into::into),
            program,
            predicted,
            solution,
        }
    }
}

impl From<VerdictLine> for core::Verdict {
    fn from(line: VerdictLine) -> Self {
        let mut verdict = Self::new(line.problem.into(), line.sample, line.outcome.into());
        for (name, score) in line.scores {
            verdict.scores.insert(name.into(), score);
        }
        for (name, counts) in line.counts {
            verdict.counts.insert(name.into(), counts);
        }
        Self {
            group: line.group,
            no_answer: line.why.map(Into::into),
            detail: line.detail,
            ending: line.ending.map(Into::into),
            evidence: line.evidence.map(Into::into),
            program: line.program,
            predicted: line.predicted,
            solution: line.solution,
            ..verdict
        }
    }
}
