//! The user's own data in the form of a built-in task, under a name of its own.

use std::sync::Arc;

use assay_core::{Error, Opening, Problems, Result, Results, Tally, Task, TaskCard, TaskSettings};

/// The maximum length of a name.
const MAX_NAME: usize = 64;

/// A task by another's rules on the user's own data.
pub(crate) struct OwnData {
    /// The other task's card, under the own name.
    card: TaskCard,
    rules: Arc<dyn Task>,
}

impl OwnData {
    /// Data called `name`, graded by the rules of `rules`.
    pub(crate) fn new(rules: Arc<dyn Task>, name: &str) -> Result<Self> {
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        let starts_well = name.starts_with(|c: char| c.is_ascii_alphanumeric());
        if !starts_well || name.len() > MAX_NAME || !name.chars().all(is_part) {
            return Err(Error::usage(format!("{name:?} is no name for data")).hint(
                "a name has up to 64 letters, digits, `-`, `_` and `.`, and starts with a letter or a digit",
            ));
        }
        let card = TaskCard { name: name.to_owned(), ..rules.card().clone() };
        Ok(Self { card, rules })
    }
}

impl Task for OwnData {
    fn card(&self) -> &TaskCard {
        &self.card
    }

    fn open(&self, opening: &Opening<'_>) -> Result<Box<dyn Problems>> {
        self.rules.open(&Opening { own_data: true, ..*opening })
    }

    fn tally(&self, settings: &TaskSettings) -> Box<dyn Tally> {
        self.rules.tally(settings)
    }

    fn interval(&self) -> &'static str {
        self.rules.interval()
    }

    fn signature_fields(&self, settings: &TaskSettings) -> Vec<(&'static str, String)> {
        let mut fields = vec![("as", self.rules.card().name.clone())];
        fields.extend(self.rules.signature_fields(settings));
        fields
    }

    fn original_report(&self, results: &Results) -> Option<String> {
        self.rules.original_report(results)
    }
}
