//! The pairs named on the command line.

use std::path::Path;

use assay_core::{Error, Language, Result};
use assay_data::texts::{Form, Keys, Pairs, ReadProgress, Source};

use crate::args::TextArguments;

/// Opens the pairs; also returns the progress in reading the file whose texts are scored.
pub(super) fn open(arguments: &TextArguments) -> Result<(Pairs, ReadProgress)> {
    if let Some(path) = &arguments.pairs {
        let source = Source::open(path, None)?;
        let progress = source.progress();
        return Ok((Pairs::together(source)?, progress));
    }
    let Some(hyp) = &arguments.hyp else {
        return Err(Error::usage("there is nothing to score").hint("name it with --hyp"));
    };
    let files = || std::iter::once(hyp).chain(&arguments.refs);
    if files().filter(|path| path.as_os_str() == "-").count() > 1 {
        return Err(Error::usage("standard input can be read only once")
            .hint("name a file in place of one `-`"));
    }
    let form = arguments.format.map(Form::from);
    let named = arguments.key.as_deref().map(Keys::named);
    let hypotheses = Source::open(hyp, form)?;
    let progress = hypotheses.progress();
    // References may be in a field named after the language: its own name, or the name given.
    let given = arguments.lang.as_deref();
    let own = given.and_then(Language::by_name).map(Language::name);
    let language: Vec<&str> = own.into_iter().chain(given).collect();
    let keys = named.clone().unwrap_or_else(|| Keys::of_references(&language));
    let source = |path: &Path| Ok((Source::open(path, form)?, keys.clone()));
    let references = arguments.refs.iter().map(|path| source(path)).collect::<Result<Vec<_>>>()?;
    let keys = named.unwrap_or_else(Keys::of_hypotheses);
    Ok((Pairs::join((hypotheses, keys), references)?, progress))
}
