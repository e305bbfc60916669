//! Collects the answers of a file, whatever their form, and finds those that are there twice.

use assay_core::{AnswerForm, Digest, Fault, FaultKind, Place, Problems, Response, SampleKey};

use super::{AnswerFile, Faults, GivenAnswer};

pub(super) struct Gathering<'a> {
    pub(super) problems: &'a dyn Problems,
    pub(super) faults: Faults,
    answers: Vec<GivenAnswer>,
    /// How many samples each problem has so far, where a problem takes several.
    counts: Vec<u32>,
}

impl<'a> Gathering<'a> {
    pub(super) fn new(problems: &'a dyn Problems) -> Self {
        let form = problems.answer_form();
        let several = form == AnswerForm::Programs;
        let counts = if several { vec![0; problems.ids().len()] } else { Vec::new() };
        Self { problems, faults: Faults::new(form), answers: Vec::new(), counts }
    }

    /// Takes an answer that does not say which sample it is: the next one, or the only one.
    pub(super) fn add(&mut self, place: Place, rank: usize, response: Response) {
        let sample = self.counts.get(rank).copied().unwrap_or_default();
        self.add_sample(place, SampleKey { rank, sample }, response);
    }

    /// Takes an answer that says which sample it is.
    pub(super) fn add_sample(&mut self, place: Place, key: SampleKey, response: Response) {
        match self.counts.get_mut(key.rank) {
            Some(count) => *count += 1,
            None if key.sample > 0 => {
                let SampleKey { rank, sample } = key;
                let id = &self.problems.ids()[rank];
                let message =
                    format!("sample {sample} of {id}: this task takes one answer a problem");
                return self.faults.add(place, Fault::new(FaultKind::Malformed, message));
            }
            None => {}
        }
        self.answers.push(GivenAnswer { key, place, response });
    }

    /// What was gathered, in order, each sample once.
    pub(super) fn finish(mut self, digest: Digest) -> AnswerFile {
        self.answers.sort_by_key(|answer| (answer.key, answer.place));
        self.find_duplicates();
        self.number_samples();
        if self.problems.needs_every_answer() && self.faults.is_empty() {
            self.name_missing();
        }
        AnswerFile { answers: self.answers, faults: self.faults, digest }
    }

    fn find_duplicates(&mut self) {
        let (faults, problems) = (&mut self.faults, self.problems);
        let several = !self.counts.is_empty();
        self.answers.dedup_by(|later, first| {
            if later.key != first.key {
                return false;
            }
            let (id, before) = (&problems.ids()[first.key.rank], told(first.place));
            let message = if several {
                format!("sample {} of {id} is there twice; the first is {before}", first.key.sample)
            } else {
                format!("a second answer to {id}; the first is {before}")
            };
            faults.add(later.place, Fault::new(FaultKind::Duplicate, message));
            true
        });
    }

    /// An unfinished run's answers can have gaps.
    fn number_samples(&mut self) {
        let mut last: Option<SampleKey> = None;
        for GivenAnswer { key, .. } in &mut self.answers {
            key.sample = match last {
                Some(last) if last.rank == key.rank => last.sample + 1,
                _ => 0,
            };
            last = Some(*key);
        }
    }

    fn name_missing(&mut self) {
        let mut answers = self.answers.iter().map(|answer| answer.key.rank).peekable();
        for (rank, id) in self.problems.ids().iter().enumerate() {
            if answers.next_if_eq(&rank).is_none() {
                let message = format!("there is no answer to {:?}", id.as_str());
                self.faults.add(Place::FILE, Fault::new(FaultKind::Missing, message));
            }
            while answers.next_if_eq(&rank).is_some() {}
        }
    }
}

/// A place in words.
fn told(Place { line, column }: Place) -> String {
    if column == 0 { format!("on line {line}") } else { format!("at {line}:{column}") }
}
