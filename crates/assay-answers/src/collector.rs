//! Collects the answers of a file, independently of its format, and finds duplicates.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use assay_core::{
    AnswerForm, AnswerPart, Digest, Fault, FaultKind, Place, Problems, Response, SampleKey,
    Selection, Submission, counted, disambiguate,
};

use super::shape::Shape;
use super::{AnswerFile, Faults, GivenAnswer, ProblemNames};

pub(super) struct Collector<'a> {
    pub(super) problems: &'a dyn Problems,
    /// The problems whose answers count.
    pub(super) chosen: &'a Selection,
    pub(super) faults: Faults,
    answers: Vec<GivenAnswer>,
    /// The number of samples of each problem so far, if a problem takes several.
    counts: Vec<u32>,
    /// The answers of each line that names its problem, by that problem.
    named: BTreeMap<usize, Vec<Range<usize>>>,
    passed_over: BTreeMap<String, usize>,
    /// The names that no problem has.
    unknown: BTreeSet<String>,
    /// The answers without a name.
    unnamed: Vec<Unnamed>,
    /// The formats that were recognized.
    shapes: BTreeSet<Shape>,
    /// The filter of lm-evaluation-harness whose answers count, and whether there are others.
    filter: Option<String>,
    has_other_filters: bool,
    /// The field that holds a program, if the user named one.
    pub(super) key: Option<&'a str>,
}

/// The answers of a line that names no problem.
struct Unnamed {
    place: Place,
    responses: Vec<Response>,
    is_settled: bool,
    prompt: Option<String>,
}

/// The maximum number of unknown names that are kept.
const MAX_UNKNOWN: usize = 20_000;

impl<'a> Collector<'a> {
    pub(super) fn new(
        problems: &'a dyn Problems,
        chosen: &'a Selection,
        key: Option<&'a str>,
    ) -> Self {
        let form = problems.answer_rules().form;
        let several = form == AnswerForm::Programs;
        let counts = if several { vec![0; problems.ids().len()] } else { Vec::new() };
        Self {
            problems,
            chosen,
            faults: Faults::new(form),
            answers: Vec::new(),
            counts,
            named: BTreeMap::new(),
            passed_over: BTreeMap::new(),
            unknown: BTreeSet::new(),
            unnamed: Vec::new(),
            shapes: BTreeSet::new(),
            filter: None,
            has_other_filters: false,
            key,
        }
    }

    /// Returns true if the answers of this filter count: those of the first one that comes.
    pub(super) fn takes_filter(&mut self, filter: &str) -> bool {
        let first = self.filter.get_or_insert_with(|| filter.to_owned());
        let is_first = first == filter;
        self.has_other_filters |= !is_first;
        is_first
    }

    /// Notes the format of an answer.
    pub(super) fn note(&mut self, shape: Shape) {
        self.shapes.insert(shape);
    }

    /// Keeps a name that no problem has, if that is the fault.
    pub(super) fn note_unknown(&mut self, fault: &Fault, name: String) {
        if fault.kind == FaultKind::UnknownProblem && self.unknown.len() < MAX_UNKNOWN {
            self.unknown.insert(name);
        }
    }

    /// Keeps the answers of a line that names no problem: a file of such lines may be in task order.
    pub(super) fn add_unnamed(
        &mut self,
        place: Place,
        responses: Vec<Response>,
        is_settled: bool,
        prompt: Option<String>,
    ) {
        self.unnamed.push(Unnamed { place, responses, is_settled, prompt });
    }

    /// Counts an answer to a problem that the task leaves out.
    pub(super) fn count_passed_over(&mut self, name: String) {
        *self.passed_over.entry(name).or_default() += 1;
    }

    /// Adds the answers of a line to the problem that it names. They are settled if it is known whether they are whole
    /// programs.
    pub(super) fn add_named(
        &mut self,
        place: Place,
        index: usize,
        responses: Vec<Response>,
        is_settled: bool,
    ) {
        let start = self.answers.len();
        for response in responses {
            self.add(place, index, response);
        }
        for answer in &mut self.answers[start..] {
            answer.is_settled = is_settled;
        }
        self.named.entry(index).or_default().push(start..self.answers.len());
    }

    /// Adds an answer without a sample number: the next one, or the only one.
    pub(super) fn add(&mut self, place: Place, index: usize, response: Response) {
        let sample = self.counts.get(index).copied().unwrap_or_default();
        self.add_sample(place, SampleKey { index, sample }, response);
    }

    /// Adds an answer with a sample number.
    pub(super) fn add_sample(&mut self, place: Place, key: SampleKey, response: Response) {
        match self.counts.get_mut(key.index) {
            Some(count) => *count += 1,
            None if key.sample > 0 => {
                let SampleKey { index, sample } = key;
                let id = &self.problems.ids()[index];
                let message =
                    format!("sample {sample} of {id}: this task takes one answer a problem");
                return self.faults.add(place, Fault::new(FaultKind::Malformed, message));
            }
            None => {}
        }
        let problem = self.problems.ids()[key.index].clone();
        let submission = Submission { key, problem, response: Arc::new(response) };
        self.answers.push(GivenAnswer {
            place,
            submission,
            is_settled: true,
            prompt: None,
            form: None,
            reply: None,
        });
    }

    /// The collected answers, in order, each sample once.
    pub(super) fn finish(mut self, digest: Digest) -> AnswerFile {
        self.place_unnamed();
        self.share_among_problems_of_one_name();
        let names = self.names();
        let given = self.answers.len();
        self.answers.retain(|answer| self.chosen.contains(answer.index()));
        let not_chosen = given - self.answers.len();
        self.answers.sort_by_key(|answer| (answer.submission.key, answer.place));
        self.find_duplicates();
        self.number_samples();
        if self.faults.is_empty() {
            self.name_missing();
        }
        self.advise(&names);
        let filter = self.filter.take().filter(|_| self.has_other_filters);
        let Self { answers, faults, passed_over, shapes, .. } = self;
        let shapes: Vec<String> =
            shapes.iter().filter(|shape| !shape.is_usual()).map(Shape::to_string).collect();
        let filter = filter.map(|filter| format!(" (filter {filter:?}, the first of several)"));
        let read_as = (!shapes.is_empty())
            .then(|| format!("{}{}", shapes.join(" and "), filter.unwrap_or_default()));
        AnswerFile { answers, passed_over, names, not_chosen, read_as, faults, digest }
    }

    /// Gives lines without names to the problems in task order, if there is one for each problem and nothing else.
    fn place_unnamed(&mut self) {
        let unnamed = std::mem::take(&mut self.unnamed);
        let total = self.problems.ids().len();
        if unnamed.len() != total || !self.answers.is_empty() {
            for Unnamed { place, .. } in unnamed {
                let message = format!(
                    "the line names no problem: it needs a \"task_id\", \"problem_id\", \"name\" or \"id\", \
                     unless there is one line for each of the {total} problems, in task order"
                );
                self.faults.add(place, Fault::new(FaultKind::Malformed, message));
            }
            return;
        }
        self.note(Shape::Unnamed);
        for (index, Unnamed { place, responses, is_settled, prompt }) in
            unnamed.into_iter().enumerate()
        {
            let start = self.answers.len();
            self.add_named(place, index, responses, is_settled);
            let prompt: Option<Arc<str>> = prompt.map(Arc::from);
            for answer in &mut self.answers[start..] {
                answer.prompt.clone_from(&prompt);
            }
        }
    }

    /// The names of all problems that have answers.
    fn names(&self) -> BTreeSet<String> {
        let mut indices: Vec<usize> = self.answers.iter().map(GivenAnswer::index).collect();
        indices.sort_unstable();
        indices.dedup();
        let answered = indices.iter().map(|&index| self.problems.ids()[index].as_str().to_owned());
        answered.chain(self.passed_over.keys().chain(&self.unknown).cloned()).collect()
    }

    /// Adds advice about names that no problem has.
    fn advise(&mut self, names: &BTreeSet<String>) {
        if !self.unknown.is_empty()
            && let Some(advice) = self.problems.advice(names)
        {
            self.faults.advise(advice);
        }
    }

    /// Distributes lines among problems that have the same name in the data: the lines with that
    /// name belong to the problems in turn, unless the file uses our own names for the others.
    fn share_among_problems_of_one_name(&mut self) {
        let names = ProblemNames::new(self.problems);
        for (&first, lines) in self.named.iter().filter(|(_, lines)| lines.len() > 1) {
            let name = self.problems.ids()[first].as_str();
            let others = (2..).map_while(|nth| names.exact(&disambiguate(name, nth)));
            let all: Vec<usize> = std::iter::once(first).chain(others).collect();
            if all[1..].iter().any(|&index| self.counts.get(index).is_some_and(|&count| count > 0))
            {
                continue;
            }
            if lines.len() > all.len() && self.problems.leaves_out(name) {
                let message = format!(
                    "{name:?} is on {}, and the data has it among the problems that the task \
                     leaves out too; keep the lines that are meant",
                    counted(lines.len(), "line")
                );
                let place = lines.first().and_then(|line| self.answers.get(line.start));
                let place = place.map_or(Place::FILE, |answer| answer.place);
                self.faults.add(place, Fault::new(FaultKind::UnknownProblem, message));
                continue;
            }
            for (line, &index) in lines.iter().zip(all.iter().cycle()) {
                for GivenAnswer { submission, .. } in &mut self.answers[line.clone()] {
                    submission.key.index = index;
                    submission.problem = self.problems.ids()[index].clone();
                }
            }
        }
    }

    fn find_duplicates(&mut self) {
        let faults = &mut self.faults;
        let several = !self.counts.is_empty();
        self.answers.dedup_by(|later, first| {
            let Submission { key, problem: id, .. } = &first.submission;
            if later.submission.key != *key {
                return false;
            }
            let before = describe_place(first.place);
            let message = if several {
                format!("sample {} of {id} is there twice; the first is {before}", key.sample)
            } else {
                format!("a second answer to {id}; the first is {before}")
            };
            faults.add(later.place, Fault::new(FaultKind::Duplicate, message));
            true
        });
    }

    /// Renumbers the samples without gaps, which the answers of an unfinished run can have.
    fn number_samples(&mut self) {
        let mut last: Option<SampleKey> = None;
        for GivenAnswer { submission: Submission { key, .. }, .. } in &mut self.answers {
            key.sample = match last {
                Some(last) if last.index == key.index => last.sample + 1,
                _ => 0,
            };
            last = Some(*key);
        }
    }

    /// The problems that need an answer: all, or those of some parts of the task.
    fn required(&self) -> Vec<Range<usize>> {
        let needs_all = |problems: &dyn Problems| problems.answer_rules().needs_every_answer;
        let parts = self.problems.answer_parts();
        let of_part = |part: &AnswerPart<'_>| {
            needs_all(part.problems).then(|| part.first..part.first + part.problems.ids().len())
        };
        let whole = needs_all(self.problems).then(|| 0..self.problems.ids().len());
        whole.into_iter().chain(parts.iter().filter_map(of_part)).collect()
    }

    fn name_missing(&mut self) {
        let required = self.required();
        let mut answers = self.answers.iter().map(GivenAnswer::index).peekable();
        for (index, id) in self.problems.ids().iter().enumerate() {
            let has_none = answers.next_if_eq(&index).is_none() && self.chosen.contains(index);
            if has_none && required.iter().any(|part| part.contains(&index)) {
                let message = match self.problems.answer_rules().form {
                    AnswerForm::Object(_) => format!("{:?} is missing", id.as_str()),
                    _ => format!("there is no answer to {:?}", id.as_str()),
                };
                self.faults.add(Place::FILE, Fault::new(FaultKind::Missing, message));
            }
            while answers.next_if_eq(&index).is_some() {}
        }
    }
}

/// A position in a file, for messages.
fn describe_place(Place { line, column }: Place) -> String {
    if column == 0 { format!("on line {line}") } else { format!("at {line}:{column}") }
}
