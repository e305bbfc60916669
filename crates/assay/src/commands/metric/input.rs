//! The pairs named on the command line.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use assay_core::{Error, Language, Result};
use assay_data::texts::{Form, Keys, Pairs, ReadProgress, Source};

use crate::args::TextArguments;
use crate::output;

/// Opens the pairs; also returns the progress in reading the first file whose texts are scored.
pub(super) fn open(arguments: &TextArguments) -> Result<(Pairs, ReadProgress)> {
    check_files(arguments)?;
    let form = arguments.format.map(Form::from);
    let systems = hypothesis_files(arguments);
    let opened = systems.iter().map(|path| Source::open(path, form)).collect::<Result<Vec<_>>>()?;
    let progress = opened.first().map(Source::progress).unwrap_or_default();
    if !arguments.pairs.is_empty() {
        return Ok((Pairs::together(opened)?, progress));
    }
    let named = arguments.key.as_deref().map(Keys::named);
    // References may be in a field named after the language: its own name, or the name given.
    let given = arguments.lang.as_deref();
    let own = given.and_then(Language::by_name).map(Language::name);
    let language: Vec<&str> = own.into_iter().chain(given).collect();
    let keys = named.clone().unwrap_or_else(|| Keys::of_references(&language));
    let source = |path: &Path| Ok((Source::open(path, form)?, keys.clone()));
    let references = arguments.refs.iter().map(|path| source(path)).collect::<Result<Vec<_>>>()?;
    let keys = named.unwrap_or_else(Keys::of_hypotheses);
    let hypotheses = opened.into_iter().map(|source| (source, keys.clone()));
    let pairs = Pairs::join(hypotheses, references, arguments.ids.into())?;
    let with_ids = pairs.with_ids();
    if !with_ids.is_empty() {
        let by = if with_ids.len() < systems.len() + arguments.refs.len() {
            "the ids are not scored, and lines are joined by position"
        } else {
            "they are joined by their ids, which are not scored"
        };
        output::print_message(&format!(
            "{}: lines start with an id and a tab; {by} (--ids no scores whole lines)",
            with_ids.join(" and ")
        ));
    }
    Ok((pairs, progress))
}

/// The files whose texts are scored, one for each system.
pub(super) fn hypothesis_files(arguments: &TextArguments) -> &[PathBuf] {
    if arguments.pairs.is_empty() { &arguments.hyp } else { &arguments.pairs }
}

/// Checks that no file is read twice for the same purpose, and standard input only once.
fn check_files(arguments: &TextArguments) -> Result<()> {
    let systems = hypothesis_files(arguments);
    if systems.is_empty() {
        return Err(Error::usage("there is nothing to score").hint("name it with --hyp"));
    }
    let files = systems.iter().chain(&arguments.refs);
    if files.filter(|path| path.as_os_str() == "-").count() > 1 {
        return Err(Error::usage("standard input can be read only once")
            .hint("name a file in place of one `-`"));
    }
    for (files, cure) in [
        (systems, "a comparison needs different systems; name each file once"),
        (&arguments.refs, "several references are several files; name each once"),
    ] {
        let mut seen = HashSet::new();
        for file in files {
            // The same file may have two names.
            let place = fs::canonicalize(file).unwrap_or_else(|_| file.clone());
            if !seen.insert(place) {
                return Err(Error::usage(format!("{} is given twice", file.display())).hint(cure));
            }
        }
    }
    Ok(())
}
