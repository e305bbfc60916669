//! Sums up the verdicts on the answers of a file.

use std::path::PathBuf;

use assay_answers::AnswerFile;
use assay_core::{
    Counts, Fault, FaultKind, Flaw, NoAnswer, NoAnswerKind, Place, Problems, Progress, Result,
    SampleKey, Tally, Verdict,
};

use super::diagnosis::Diagnosis;
use super::grading::with_problem;
use super::kept::{KeptVerdicts, Known};
use crate::failures::FailureChoice;
use crate::pipeline::Event;
use crate::run::indices;

pub(super) struct Summary<'a> {
    pub(super) counts: Counts,
    pub(super) tally: Box<dyn Tally>,
    /// The failed samples to show.
    pub(super) choice: FailureChoice,
    /// The impossible answers.
    pub(super) faults: Vec<(Place, Fault)>,
    pub(super) flaws: Vec<Flaw>,
    pub(super) excluded: Vec<Verdict>,
    /// The problems that must be read to decide whether their answer is possible.
    pub(super) unclear: Vec<usize>,
    pub(super) diagnosis: Diagnosis,
    verdicts: Option<KeptVerdicts<'a>>,
    /// The verdicts that were there before, and are on disk.
    known: &'a Known,
    /// The number of samples that were graded, including those.
    pub(super) graded: usize,
    /// Receives progress updates, if the work takes long enough.
    progress: Option<&'a dyn Progress>,
}

impl<'a> Summary<'a> {
    /// Creates an empty summary; verdicts besides the known ones are written to `verdicts`, if given.
    pub(super) fn new(
        tally: Box<dyn Tally>,
        choice: FailureChoice,
        (verdicts, known): (Option<KeptVerdicts<'a>>, &'a Known),
        progress: Option<&'a dyn Progress>,
        diagnosis: Diagnosis,
    ) -> Self {
        Self {
            counts: Counts::default(),
            tally,
            choice,
            faults: Vec::new(),
            flaws: Vec::new(),
            excluded: Vec::new(),
            unclear: Vec::new(),
            diagnosis,
            verdicts,
            known,
            graded: known.len(),
            progress,
        }
    }

    pub(super) fn take(
        &mut self,
        event: Event,
        file: &AnswerFile,
        problems: &dyn Problems,
    ) -> Result<()> {
        // An unclear answer is graded again later, and a known verdict was counted before.
        let is_step = match &event {
            Event::Unclear(_) => false,
            Event::Graded(key, _) => !self.known.contains_key(key),
            _ => true,
        };
        if let Some(progress) = self.progress.filter(|_| is_step) {
            progress.step();
        }
        match event {
            Event::Unclear(key) => self.unclear.push(key.index),
            Event::Impossible(SampleKey { index, sample }, fault) => {
                let answer = file.of(index).get(sample as usize);
                let place = answer.map_or(Place::FILE, |answer| answer.place);
                self.faults.push((place, with_problem(fault, &problems.ids()[index])));
            }
            Event::Graded(key, verdict) => {
                self.choice.add(key, &verdict);
                if self.known.contains_key(&key) {
                    self.add(&verdict);
                } else {
                    self.graded += 1;
                    self.count(&verdict)?;
                }
                self.diagnosis.add(&verdict, file, key.index);
                if verdict.is_excluded() {
                    self.excluded.push(*verdict);
                }
            }
            // No solver is asked.
            Event::Answered(..) | Event::Checked(..) | Event::Session(_) => {}
        }
        Ok(())
    }

    /// Adds a problem without a usable solution, which cannot be graded: an answer to it is refused, and without an
    /// answer it counts like any problem without one.
    pub(super) fn note_flaw(
        &mut self,
        flaw: Flaw,
        answers: impl Iterator<Item = Place>,
    ) -> Result<()> {
        let fault = Fault::new(FaultKind::NoSolution, flaw.reason.clone());
        self.faults.extend(answers.map(|place| (place, fault.clone())));
        let reason = NoAnswer { kind: NoAnswerKind::Silent, detail: flaw.reason.clone() };
        self.count(&Verdict::unanswered(flaw.id.clone(), 0, &reason))?;
        self.flaws.push(flaw);
        Ok(())
    }

    fn count(&mut self, verdict: &Verdict) -> Result<()> {
        self.add(verdict);
        self.verdicts.as_mut().map_or(Ok(()), |file| file.append(verdict))
    }

    fn add(&mut self, verdict: &Verdict) {
        self.counts.add(verdict);
        self.tally.add(verdict);
    }

    /// Sorts the verdicts on disk, and the lists to report, by problem and sample; then writes the verdicts to their
    /// target.
    pub(super) fn sort_verdicts(&mut self, problems: &dyn Problems) -> Result<()> {
        let indices = indices(problems);
        self.excluded.sort_by_key(|verdict| indices.get(verdict.problem.as_str()).copied());
        self.flaws.sort_by_key(|flaw| flaw.index);
        let file = self.verdicts.take();
        file.map_or(Ok(()), |file| file.finish(&|id| indices.get(id).copied()))
    }

    /// Removes the verdicts so far: the answers were refused, or there is nothing to keep.
    pub(super) fn discard(&mut self) {
        self.verdicts.take().into_iter().for_each(KeptVerdicts::discard);
    }

    /// The path of the verdicts so far, if they stay.
    pub(super) fn kept_in(&self) -> Option<PathBuf> {
        self.verdicts.as_ref().and_then(KeptVerdicts::path)
    }
}
