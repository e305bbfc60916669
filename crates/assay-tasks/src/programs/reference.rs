//! The reference of a problem whose answers are programs.

use std::sync::Arc;

use assay_core::{
    Cancel, Check, CodeForm, Digest, Ending, ExpectedCode, Fingerprint, Reference, Response,
    Result, Submission, Verdict,
};

use super::forms::code_form;
use super::grader::{ProgramGrader, lock, whole_answer};
use super::grading_rules::Stop;
use super::suite::{CodeReference, Tests};
use super::suite_run::SuiteRun;

/// The score with the number of the problem's tests.
pub(crate) const TESTS: &str = "tests";
/// The score with the number of passed tests.
pub(crate) const TESTS_PASSED: &str = "tests-passed";

/// A problem's tests, with the grader shared by all problems.
pub(super) struct ProgramReference {
    pub(super) code: CodeReference,
    pub(super) grader: Arc<ProgramGrader>,
}

impl Reference for ProgramReference {
    fn fingerprint(&self) -> Fingerprint {
        self.code.fingerprint()
    }

    fn gold(&self) -> Option<Response> {
        self.code.gold_response()
    }

    fn check(&self, response: &Response) -> Check {
        Check::kind(response.text())
    }

    fn grade(&self, submission: &Submission, cancel: &Cancel) -> Result<Verdict> {
        let Self { code, grader } = self;
        let answer = match whole_answer(&grader.grading, code, &submission.response) {
            Ok(answer) => answer,
            Err(reason) => return Ok(submission.unanswered(&reason)),
        };
        let program = (grader.grading.program)(&answer);
        let mut run = SuiteRun::new(grader, code, program, cancel);
        run.run()?;
        if let Some(Ending::SandboxError { message }) = &run.failure {
            // No answer is at fault: the sample is excluded, and reported.
            let (problem, sample) = (submission.problem.clone(), submission.key.sample);
            let reason = format!("{problem}: its tests could not be run: {message}");
            return Ok(Verdict { sample, ..Verdict::excluded(problem, reason) });
        }
        let count = grader.count(&code.tests.tests);
        let mut verdict = run.verdict(submission);
        if count > 1 {
            verdict = verdict.score(TESTS, count as f64).score(TESTS_PASSED, run.passed as f64);
        }
        if grader.grading.details {
            verdict.detail = Some(run.marks.join(" "));
        } else if grader.grading.stop == Stop::AtEnd {
            verdict.detail = Some(run.marks.concat());
        }
        Ok(Verdict { program: Some(code.digest_of(program)), ..verdict })
    }

    fn code_form(&self, text: &str) -> CodeForm {
        code_form(&self.code, text)
    }

    /// Distinguishes a continuation of the prompt from a whole program: they may be cut differently.
    fn digest_of(&self, response: &Response) -> Option<Digest> {
        match response {
            Response::Program(program) => Some(self.code.digest_of(program)),
            Response::Text(text) => {
                Some(self.code.digest_of(&format!("\0{}{text}", self.code.prompt)))
            }
            Response::Lines(_) | Response::Choice(_) | Response::None(_) => None,
        }
    }

    fn decoys(&self) -> Vec<(&'static str, Response)> {
        let empty = ("an empty program", Response::Program(String::new()));
        match &self.code.tests.tests {
            Tests::Python(tests) | Tests::PythonByCase(tests, _) => {
                let stub = Response::Program((self.grader.grading.stub)(tests));
                vec![empty, ("a program that does nothing", stub)]
            }
            Tests::InputOutput(_) => vec![empty],
            // A table that accepts a stub is found when it is recorded; in other languages a stub does not compile.
            Tests::Table(_) | Tests::Separate(_) => Vec::new(),
        }
    }

    fn expected_code(&self) -> Option<ExpectedCode<'_>> {
        let CodeReference { language, prompt, entry_points, .. } = &self.code;
        let entry_points = entry_points.iter().map(String::as_str).collect();
        Some(ExpectedCode { language: *language, entry_points, prompt })
    }

    fn whole_program(&self, response: &Response) -> Option<String> {
        let answer = whole_answer(&self.grader.grading, &self.code, response).ok()?;
        Some((self.grader.grading.program)(&answer).to_owned())
    }

    fn appended_tests(&self) -> Option<&str> {
        match &self.code.tests.tests {
            Tests::Python(tests) | Tests::PythonByCase(tests, _) => Some(&tests.appended),
            Tests::Separate(tests) => Some(&tests.appended),
            Tests::Table(_) | Tests::InputOutput(_) => None,
        }
    }

    fn use_one_process(&self, reason: &str) {
        lock(&self.grader.one_process).insert(self.code.tests_digest(), Some(reason.to_owned()));
    }
}
