//! Pairs of programs as problems.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use assay_core::{
    AnswerForm, AnswerRules, Error, Language, LanguagePair, Problem, ProblemId, Problems, Question,
    Reading, Reference, Result, Rules, Selection, TextQuestion, Visit, VisitReference,
};
use assay_data::named_texts::{NamedText, named_texts, starts_as_object};
use assay_data::parallel::{Corpus, Layout};

use super::grading::TextReference;
use super::metrics::Measure;

/// The number of bytes that are read to detect the kind of a file.
const HEAD: u64 = 4096;

/// Source texts and target texts.
pub(super) struct Pairs {
    /// The file that they come from; a line number is appended.
    location: String,
    ids: Vec<ProblemId>,
    /// The questions; `None` if there are only right answers.
    questions: Option<Vec<TextQuestion>>,
    /// The right answers; `None` if they are hidden.
    targets: Option<Vec<String>>,
}

impl Pairs {
    pub(super) fn from_corpus(corpus: Corpus, layout: &Layout, languages: LanguagePair) -> Self {
        let Corpus { location, ids, sources, targets } = corpus;
        let split = layout.source.split('.').next().unwrap_or_default();
        let ids = if ids.is_empty() {
            (1..=sources.len()).map(|line| format!("{split}/{line}").into()).collect()
        } else {
            ids.into_iter().map(ProblemId::from).collect()
        };
        let location = format!("{location}{}", layout.source);
        let ask = |source| TextQuestion::translation(source, languages);
        let questions = Some(sources.into_iter().map(ask).collect());
        Self { location, ids, questions, targets }
    }

    /// Pairs from right answers by problem, without their sources; `prompt` says where those are.
    pub(super) fn from_truths(
        location: String,
        truths: BTreeMap<String, String>,
        prompt: fn(&str) -> String,
    ) -> Self {
        let questions = truths.keys().map(|name| TextQuestion::prompt(prompt(name))).collect();
        let (ids, targets) =
            truths.into_iter().map(|(id, text)| (ProblemId::from(id), text)).unzip();
        Self { location, ids, questions: Some(questions), targets: Some(targets) }
    }
}

/// Returns true if a file is a JSON object, like Fusion Brain's right answers.
pub(super) fn is_truth_file(path: &Path) -> Result<bool> {
    if path.is_dir() {
        return Ok(false);
    }
    let mut head = Vec::new();
    File::open(path)
        .and_then(|file| file.take(HEAD).read_to_end(&mut head))
        .map_err(|error| Error::reading("read", path, error))?;
    Ok(starts_as_object(&head))
}

/// Reads right answers by problem.
pub(super) fn read_truths(path: &Path) -> Result<Pairs> {
    let name = path.display().to_string();
    let bytes = std::fs::read(path).map_err(|error| Error::reading("read", path, error))?;
    let members = named_texts(&bytes).map_err(|error| {
        Error::refused(format!("{}: {}", error.place.within(&name), error.message))
            .hint("the truth is one JSON object of problems and right answers")
    })?;
    let mut first = HashMap::new();
    let (mut ids, mut targets) = (Vec::new(), Vec::new());
    for NamedText { name: id, place, text } in members {
        let here = place.within(&name);
        if let Some(before) = first.insert(id.clone(), place) {
            let before = before.within(&name);
            return Err(Error::refused(format!(
                "{here}: {id:?} is there twice, first at {before}"
            ))
            .hint("a problem has one right answer: leave the other out"));
        }
        let text = text.map_err(|what| {
            Error::refused(format!("{here}: the right answer to {id:?} is {what}, not a text"))
                .hint("write it as a JSON string")
        })?;
        ids.push(ProblemId::from(id));
        targets.push(text);
    }
    if ids.is_empty() {
        return Err(Error::refused(format!("{name} holds no problems"))
            .hint("the truth is one JSON object of problems and right answers"));
    }
    Ok(Pairs { location: name, ids, questions: None, targets: Some(targets) })
}

pub(super) struct TextProblems {
    pairs: Pairs,
    rules: Rules,
    /// The language of right answers.
    into: Language,
    measures: Arc<[Measure]>,
}

impl TextProblems {
    pub(super) fn new(pairs: Pairs, rules: Rules, into: Language, measures: Vec<Measure>) -> Self {
        Self { pairs, rules, into, measures: measures.into() }
    }

    fn reference(&self, index: usize) -> Arc<dyn Reference> {
        let target = self.pairs.targets.as_ref().and_then(|targets| targets.get(index));
        let (texts, measures) = (target.cloned().into_iter().collect(), Arc::clone(&self.measures));
        Arc::new(TextReference { texts, language: self.into, measures })
    }

    fn without_sources(&self) -> Error {
        let Pairs { location, .. } = &self.pairs;
        Error::refused(format!("{location} has right answers only, and no sources to ask about"))
            .hint("`assay score` grades answers against it; to run a solver, give a folder or archive with the sources")
    }
}

impl Problems for TextProblems {
    fn ids(&self) -> &[ProblemId] {
        &self.pairs.ids
    }

    fn read(&self, wanted: &Selection, visit: &mut Visit<'_>) -> Result<()> {
        if wanted.is_empty() {
            return Ok(());
        }
        let questions = self.pairs.questions.as_ref().ok_or_else(|| self.without_sources())?;
        for index in wanted.indices() {
            let problem = Problem {
                id: self.pairs.ids[index].clone(),
                index,
                question: Question::Text(questions[index].clone()),
                reference: self.reference(index),
            };
            if visit(Reading::Problem(problem))?.is_break() {
                break;
            }
        }
        Ok(())
    }

    fn references(&self, visit: &mut VisitReference<'_>) {
        let _ =
            (0..self.pairs.ids.len()).try_for_each(|index| visit(index, Ok(self.reference(index))));
    }

    fn can_be_asked(&self) -> Result<()> {
        self.pairs.questions.as_ref().map(|_| ()).ok_or_else(|| self.without_sources())
    }

    /// The rules of the original scorers: they ignore unknown problems, and fail without a score when an answer is
    /// missing.
    fn answer_rules(&self) -> AnswerRules {
        let compat = self.rules == Rules::Compat;
        AnswerRules { form: AnswerForm::Texts, ignores_unknown: compat, needs_every_answer: compat }
    }

    fn location(&self, index: usize) -> String {
        let question = self.pairs.questions.as_ref().and_then(|questions| questions.get(index));
        match question.and_then(|question| question.languages) {
            Some(_) => format!("{}:{}", self.pairs.location, index + 1),
            None => format!("{}: {:?}", self.pairs.location, self.pairs.ids[index].as_str()),
        }
    }
}
