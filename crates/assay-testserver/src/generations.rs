//! Stored generations, found by the prompts that they reply to.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

/// Stored generations of several problems.
#[derive(Debug, Default)]
pub struct Generations {
    problems: Vec<Problem>,
    /// The problems of prompts that were seen before.
    seen: RwLock<HashMap<String, Option<usize>>>,
}

#[derive(Debug)]
struct Problem {
    name: String,
    /// The part of its prompts that no other problem's prompts have.
    mark: String,
    samples: Vec<String>,
}

impl Generations {
    /// No generations.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same reply to everything.
    pub fn always(reply: impl Into<String>) -> Self {
        let mut generations = Self::new();
        generations.add("any", "", vec![reply.into()]);
        generations
    }

    /// Adds a problem: its name, a text that every prompt for it contains and no other problem's, and its samples.
    /// A request for a sample beyond them gets them again from the first on.
    pub fn add(
        &mut self,
        name: impl Into<String>,
        mark: impl Into<String>,
        samples: Vec<String>,
    ) -> &mut Self {
        assert!(!samples.is_empty(), "a problem has samples");
        self.problems.push(Problem { name: name.into(), mark: mark.into(), samples });
        self
    }

    /// The number of the problem that a prompt is about: the one with the longest mark in it.
    pub(crate) fn find(&self, prompt: &str) -> Option<usize> {
        let seen = self.seen.read().unwrap_or_else(PoisonError::into_inner).get(prompt).copied();
        if let Some(found) = seen {
            return found;
        }
        let marked = self.problems.iter().enumerate();
        let marked = marked.filter(|(_, problem)| prompt.contains(&problem.mark));
        let found = marked.max_by_key(|(_, problem)| problem.mark.len()).map(|(number, _)| number);
        let mut seen = self.seen.write().unwrap_or_else(PoisonError::into_inner);
        seen.insert(prompt.to_owned(), found);
        found
    }

    /// The name of a problem.
    pub(crate) fn name(&self, problem: usize) -> &str {
        &self.problems[problem].name
    }

    /// A sample of a problem.
    pub(crate) fn sample(&self, problem: usize, number: u64) -> &str {
        let samples = &self.problems[problem].samples;
        &samples[usize::try_from(number).unwrap_or(0) % samples.len()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_mark_counts() {
        let mut generations = Generations::new();
        generations.add("short", "add two", vec!["a".to_owned(), "b".to_owned()]);
        generations.add("long", "add two numbers", vec!["c".to_owned()]);
        let found = |prompt| generations.find(prompt).map(|problem| generations.name(problem));
        assert_eq!(found("please add two numbers"), Some("long"));
        assert_eq!(found("add two lists"), Some("short"));
        assert_eq!(found("add two lists"), Some("short"), "also from memory");
        assert_eq!(found("sort"), None);
        assert_eq!(generations.sample(0, 1), "b");
        assert_eq!(generations.sample(0, 2), "a", "again from the first on");
    }
}
