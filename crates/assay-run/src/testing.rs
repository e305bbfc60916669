//! A small task that asks for programs, for tests.

use std::sync::Arc;

use assay_core::{CodeReference, Language, Reference, Tests};

/// The reference of a problem.
pub(crate) fn reference(number: usize) -> Reference {
    Reference::Code(CodeReference {
        language: Language::Python,
        prompt: format!("def f{number}():\n").into(),
        stop: &[],
        gold: Some(Arc::from(format!("right {number}"))),
        tests: Arc::new(Tests::Appended(format!("assert f{number}()"))),
    })
}
