//! The failed samples that a user looks at: a bounded choice among all verdicts, and what is shown of them.
//!
//! The choice depends on the verdicts and not on their order: programs are chosen so that every way to fail comes up,
//! lines and texts by their scores, the worst first.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use assay_core::{
    Answer, Ending, Error, FailureKind, Opening, Outcome, Problem, ProblemId, Problems, Question,
    QuestionKind, Reading, Response, Result, SampleKey, Selection, TaskCard, Verdict, class_name,
};
use assay_record::RunReader;
use assay_tasks::TaskRegistry;

use crate::Request;

/// The number of groups that failures are chosen from: the ways in which programs fail.
const MAX_GROUPS: usize = 64;

/// A sample that failed, with everything that is shown of it.
#[derive(Debug)]
pub struct FailedSample {
    /// The verdict.
    pub verdict: Verdict,
    /// The answer, if it could be found.
    pub response: Option<Arc<Response>>,
    /// The reply that the answer was cut from, if that is more.
    pub cut: Option<CutReply>,
    /// The question, if the problem could be read.
    pub question: Option<Question>,
    /// The right answer, if it is known and can be written down.
    pub gold: Option<Response>,
}

/// A reply of which only a part is graded.
#[derive(Debug, Clone)]
pub struct CutReply {
    /// The rule that found the part, with its version; `None` for the end at a stop word.
    pub rule: Option<String>,
    /// The whole text.
    pub reply: Arc<str>,
}

/// An answer as it is shown.
#[derive(Clone)]
pub(crate) struct ShownAnswer {
    pub(crate) response: Arc<Response>,
    pub(crate) cut: Option<CutReply>,
}

/// Chooses the failed samples to show, in memory that does not grow with the number of verdicts.
pub(crate) struct FailureChoice {
    most: usize,
    by: Criterion,
    /// The first samples of each group, at most `most` of each.
    groups: BTreeMap<Group, BTreeMap<Rank, Verdict>>,
}

/// The property that samples are chosen by.
enum Criterion {
    /// The way in which a program failed.
    Ending,
    /// The distance to the right line.
    Line,
    /// The first of these scores that a verdict has; true if lower values are better.
    Scores(Vec<(String, bool)>),
}

/// The class of an exception, and the kind of failure. Other kinds come before all classes, so that no number of
/// classes displaces them.
type Group = (String, Option<FailureKind>);

/// The place of a sample in its group: the worst first, then in task order.
#[derive(Debug, Clone, Copy)]
struct Rank {
    badness: f64,
    distance: usize,
    key: SampleKey,
}

impl Ord for Rank {
    fn cmp(&self, other: &Self) -> Ordering {
        let worse = other.badness.total_cmp(&self.badness);
        worse.then(other.distance.cmp(&self.distance)).then(self.key.cmp(&other.key))
    }
}

impl PartialOrd for Rank {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Rank {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Rank {}

impl FailureChoice {
    /// Chooses up to `most` samples of a task.
    pub(crate) fn new(card: &TaskCard, most: usize) -> Self {
        let scores = || {
            let metrics = card.metrics.iter();
            metrics.map(|metric| (metric.name.clone(), metric.lower_is_better)).collect()
        };
        let by = match card.asks {
            QuestionKind::Code => Criterion::Ending,
            QuestionKind::Line => Criterion::Line,
            QuestionKind::Text | QuestionKind::Choice => Criterion::Scores(scores()),
        };
        Self { most, by, groups: BTreeMap::new() }
    }

    /// Considers a verdict.
    pub(crate) fn add(&mut self, key: SampleKey, verdict: &Verdict) {
        if self.most == 0 || !is_failed_answer(verdict) {
            return;
        }
        let rank = self.rank(key, verdict);
        let most = self.most;
        let chosen = self.groups.entry(self.by.group(verdict)).or_default();
        let is_full = chosen.len() == most;
        if is_full && chosen.last_key_value().is_some_and(|(last, _)| *last < rank) {
            return;
        }
        chosen.insert(rank, verdict.clone());
        if is_full {
            chosen.pop_last();
        }
        if self.groups.len() > MAX_GROUPS {
            // Which groups stay does not depend on the order: those that come first.
            self.groups.pop_last();
        }
    }

    /// The chosen samples: of each group the first, then of each the second, and so on. One class of exceptions comes
    /// before the second one.
    pub(crate) fn finish(self) -> Vec<Verdict> {
        let mut ordered: Vec<_> = self.groups.into_iter().collect();
        ordered.sort_by_key(|(_, samples)| samples.first_key_value().map(|(rank, _)| *rank));
        let mut classes: BTreeMap<Option<FailureKind>, usize> = BTreeMap::new();
        let mut groups = BTreeMap::new();
        for ((_, kind), samples) in ordered {
            let class = classes.entry(kind).or_default();
            groups.insert((*class, kind), samples.into_values());
            *class += 1;
        }
        let mut groups: Vec<_> = groups.into_values().collect();
        let mut chosen = Vec::new();
        while chosen.len() < self.most && !groups.is_empty() {
            groups.retain_mut(|group| match group.next() {
                Some(sample) => {
                    chosen.push(sample);
                    true
                }
                None => false,
            });
        }
        chosen.truncate(self.most);
        chosen
    }

    fn rank(&self, key: SampleKey, verdict: &Verdict) -> Rank {
        let mut rank = Rank { badness: 0.0, distance: 0, key };
        match &self.by {
            Criterion::Ending => {}
            Criterion::Line => {
                rank.badness = verdict.scores.get("loss").copied().unwrap_or_default();
                let both = verdict.predicted.first().zip(verdict.solution);
                rank.distance = both.map_or(0, |(&line, right)| line.abs_diff(right));
            }
            Criterion::Scores(names) => {
                let scored = names.iter().find_map(|(name, lower_is_better)| {
                    let score = *verdict.scores.get(name.as_str())?;
                    Some(if *lower_is_better { score } else { -score })
                });
                rank.badness = scored.unwrap_or_default();
            }
        }
        rank
    }
}

impl Criterion {
    fn group(&self, verdict: &Verdict) -> Group {
        match (self, &verdict.ending) {
            (Self::Ending, Some(ending)) => {
                let class = match ending {
                    Ending::Exception { class, .. } => class_name(class),
                    _ => String::new(),
                };
                (class, FailureKind::of(ending))
            }
            _ => (String::new(), None),
        }
    }
}

impl FailedSample {
    fn new(
        verdict: Verdict,
        answer: &dyn Fn(&Verdict) -> Option<ShownAnswer>,
        question: Option<Question>,
        gold: Option<Response>,
    ) -> Self {
        let (response, cut) =
            answer(&verdict).map(|ShownAnswer { response, cut }| (response, cut)).unzip();
        Self { verdict, response, cut: cut.flatten(), question, gold }
    }
}

/// Returns true if there is an answer and it is wrong. A missing answer has nothing to show.
fn is_failed_answer(verdict: &Verdict) -> bool {
    verdict.no_answer.is_none() && matches!(verdict.outcome, Outcome::Failed | Outcome::TimedOut)
}

/// Finds the problem of each chosen sample; one that cannot be read is left out.
pub(crate) fn with_problems(
    chosen: Vec<Verdict>,
    problems: &dyn Problems,
    answer: &dyn Fn(&Verdict) -> Option<ShownAnswer>,
) -> Result<Vec<FailedSample>> {
    let wanted: HashSet<&str> = chosen.iter().map(|verdict| verdict.problem.as_str()).collect();
    let ids = problems.ids();
    let wanted = Selection::of(ids.len(), |index| wanted.contains(ids[index].as_str()));
    let mut found: HashMap<ProblemId, (Question, Option<Response>)> = HashMap::new();
    if !wanted.is_empty() {
        problems.read(&wanted, &mut |reading| {
            if let Reading::Problem(Problem { id, question, reference, .. }) = reading {
                found.insert(id, (question, reference.gold()));
            }
            Ok(ControlFlow::Continue(()))
        })?;
    }
    let sample = |verdict: Verdict| {
        let (question, gold) = found.get(&verdict.problem).cloned().unzip();
        FailedSample::new(verdict, answer, question, gold.flatten())
    };
    Ok(chosen.into_iter().map(sample).collect())
}

/// Chooses up to `most` failed samples of the complete run in `folder`, and reads their answers and problems. Nothing
/// is written and nothing is run. If the data cannot be opened any more, the samples come without their problems, with
/// the reason.
pub fn failed_samples(
    tasks: &TaskRegistry,
    folder: &Path,
    most: usize,
) -> Result<(Vec<FailedSample>, Option<Error>)> {
    let reader = RunReader::open(folder)?;
    let request = Request::from_record(&reader.manifest().request)?.task;
    let task = tasks.find_as(&request.name, request.own_name.as_deref())?;
    let mut choice = FailureChoice::new(task.card(), most);
    for (index, line) in reader.verdicts().enumerate() {
        let verdict = Verdict::from(line?);
        // Verdicts of a complete run are in task order.
        choice.add(SampleKey { index, sample: verdict.sample }, &verdict);
    }
    let chosen = choice.finish();
    if chosen.is_empty() {
        return Ok((Vec::new(), None));
    }
    let answers = answers(&reader, &chosen)?;
    let answer =
        |verdict: &Verdict| answers.get(&(verdict.problem.clone(), verdict.sample)).cloned();
    let opened = task.open(&Opening::new(&request.data, &request.settings));
    let read = opened.and_then(|problems| {
        problems.can_be_asked()?;
        with_problems(chosen.clone(), problems.as_ref(), &answer)
    });
    Ok(match read {
        Ok(failed) => (failed, None),
        Err(error) => {
            let alone = |verdict| FailedSample::new(verdict, &answer, None, None);
            (chosen.into_iter().map(alone).collect(), Some(error))
        }
    })
}

/// The answers of the chosen samples.
fn answers(
    reader: &RunReader,
    chosen: &[Verdict],
) -> Result<HashMap<(ProblemId, u32), ShownAnswer>> {
    let mut answers = HashMap::new();
    let wanted: HashSet<(&str, u32)> =
        chosen.iter().map(|verdict| (verdict.problem.as_str(), verdict.sample)).collect();
    for line in reader.answers() {
        let line = line?;
        if wanted.contains(&(line.problem.as_str(), line.sample)) {
            let answer = Answer::from(line);
            let Answer { problem, sample, response, reply, rule, .. } = answer;
            let cut = reply.map(|reply| CutReply { rule, reply: reply.into() });
            answers.insert((problem, sample), ShownAnswer { response, cut });
        }
    }
    Ok(answers)
}

#[cfg(test)]
mod tests {
    use assay_core::Task;

    use super::*;

    fn card(asks: QuestionKind) -> TaskCard {
        TaskCard { asks, ..assay_tasks::CodRep::default().card().clone() }
    }

    fn key(index: usize) -> SampleKey {
        SampleKey { index, sample: 0 }
    }

    fn ended(index: usize, ending: Ending) -> Verdict {
        let verdict = Verdict::new(format!("p/{index}").into(), 0, Outcome::Failed);
        Verdict { ending: Some(ending), ..verdict }
    }

    fn wrong() -> Ending {
        Ending::WrongAnswer { message: String::new() }
    }

    fn exception(class: &str) -> Ending {
        Ending::Exception { class: class.to_owned(), message: String::new(), line: None }
    }

    /// The names of the chosen problems.
    fn chosen<'a>(
        asks: QuestionKind,
        most: usize,
        verdicts: impl Iterator<Item = (usize, &'a Verdict)>,
    ) -> Vec<String> {
        let mut choice = FailureChoice::new(&card(asks), most);
        verdicts.for_each(|(index, verdict)| choice.add(key(index), verdict));
        choice.finish().into_iter().map(|verdict| verdict.problem.as_str().to_owned()).collect()
    }

    #[test]
    fn programs_are_chosen_from_every_kind_whatever_the_order() {
        let endings = [wrong(), wrong(), exception("NameError"), wrong(), Ending::MemoryLimit]
            .into_iter()
            .chain([exception("TypeError"), exception("NameError"), Ending::Passed]);
        let mut verdicts: Vec<Verdict> =
            endings.enumerate().map(|(index, ending)| ended(index, ending)).collect();
        verdicts[7].outcome = Outcome::Passed;
        let code = QuestionKind::Code;
        let forward = |most| chosen(code, most, verdicts.iter().enumerate());
        assert_eq!(forward(6), ["p/0", "p/2", "p/4", "p/5", "p/1", "p/6"]);
        assert_eq!(forward(2), ["p/0", "p/2"]);
        assert_eq!(forward(99).len(), 7);
        for most in 0..9 {
            assert_eq!(chosen(code, most, verdicts.iter().enumerate().rev()), forward(most));
        }
    }

    #[test]
    fn memory_is_bounded_and_hostile_names_do_not_change_the_choice() {
        let verdicts: Vec<Verdict> = (0..2000)
            .map(|index| ended(index, exception(&format!("E{}{}", index % 500, "x".repeat(100)))))
            .collect();
        let mut choice = FailureChoice::new(&card(QuestionKind::Code), 3);
        for (index, verdict) in verdicts.iter().enumerate() {
            choice.add(key(index), verdict);
        }
        let held: usize = choice.groups.values().map(BTreeMap::len).sum();
        assert!(held <= 3 * MAX_GROUPS, "{held}");
        let forward = chosen(QuestionKind::Code, 3, verdicts.iter().enumerate());
        assert_eq!(chosen(QuestionKind::Code, 3, verdicts.iter().enumerate().rev()), forward);
    }

    #[test]
    fn lines_and_texts_are_chosen_by_their_scores() {
        let line = |index: usize, loss: f64, predicted: usize| Verdict {
            predicted: vec![predicted],
            solution: Some(10),
            ..Verdict::new(format!("p/{index}").into(), 0, Outcome::Failed).score("loss", loss)
        };
        let mut verdicts =
            vec![line(0, 0.5, 11), line(1, 1.0, 100), line(2, 1.0, 900), line(3, 1.0, 100)];
        verdicts.push(Verdict::new("p/4".into(), 0, Outcome::NotAnswered).score("loss", 1.0));
        let found = chosen(QuestionKind::Line, 3, verdicts.iter().enumerate());
        assert_eq!(found, ["p/2", "p/1", "p/3"]);
        let score = |index: usize, score: f64| {
            let verdict = Verdict::new(format!("p/{index}").into(), 0, Outcome::Failed);
            verdict.score("recall@1", score)
        };
        let verdicts = [score(0, 0.5), score(1, 0.1), score(2, 0.3)];
        let found = chosen(QuestionKind::Text, 2, verdicts.iter().enumerate());
        assert_eq!(found, ["p/1", "p/2"]);
    }
}
