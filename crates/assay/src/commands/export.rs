//! `assay export`: the answers of a run, for another harness.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use assay_answers::ExportFormat;
use assay_core::{Error, Result, agreeing, counted, exit_code};
use assay_data::OutputTarget;
use assay_run::{ExportSummary, RunExport, is_run};
use assay_tasks::TaskRegistry;

use super::data_at;
use crate::args::ExportArguments;
use crate::output;

pub(crate) fn export(arguments: &ExportArguments) -> Result<u8> {
    let folder = &arguments.run;
    if !is_run(folder) {
        return Err(Error::refused(format!("{} is not the folder of a run", folder.display()))
            .hint("`assay run` prints the folder of each run, such as runs/20261115T105049Z-…"));
    }
    let target = OutputTarget::named(&arguments.output)?;
    let format = ExportFormat::from(arguments.format);
    let references = references_of(&target, format)?;
    [Some(&target), references.as_ref()]
        .into_iter()
        .flatten()
        .try_for_each(|target| outside(folder, target))?;
    let data = arguments.data.as_slice();
    let data = (!data.is_empty()).then(|| data_at(data)).transpose()?;
    let run = RunExport::open(&TaskRegistry::built_in(), folder, data)?;
    run.check(format)?;
    let mut tests = Vec::new();
    run.write_references(&mut tests)
        .map_err(|error| Error::failed("the tests cannot be written").because(error))?;
    references.as_ref().map_or(Ok(()), |references| may_be_replaced(references, &tests))?;
    let mut summary = ExportSummary::default();
    target.write(|out| {
        summary = run.write(format, out)?;
        Ok(())
    })?;
    if let Some(references) = &references {
        references.write(|out| out.write_all(&tests))?;
    }
    report(&summary, &target, references.as_ref(), format);
    Ok(if summary.unanswered == 0 { exit_code::DONE } else { exit_code::INCOMPLETE })
}

/// Refuses a target in the run's own folder, whose files it could replace.
fn outside(folder: &Path, target: &OutputTarget) -> Result<()> {
    let Some(path) = target.replaced_path() else { return Ok(()) };
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let parent = parent.unwrap_or(Path::new(".")).canonicalize();
    match (parent, folder.canonicalize()) {
        (Ok(parent), Ok(folder)) if parent.starts_with(&folder) => {
            let message = format!(
                "{} is in the folder of the run, whose record is kept as it is",
                target.name().display()
            );
            Err(Error::refused(message).hint("name a file in another folder with -o"))
        }
        _ => Ok(()),
    }
}

/// Refuses to replace a file of references with another content: it may not be an export's.
fn may_be_replaced(target: &OutputTarget, content: &[u8]) -> Result<()> {
    let Some(path) = target.replaced_path() else { return Ok(()) };
    let is_same = match std::fs::read(path) {
        Ok(there) => there == content,
        Err(error) => error.kind() == ErrorKind::NotFound,
    };
    if is_same {
        return Ok(());
    }
    let message = format!(
        "the tests belong in {}, which exists and has another content",
        target.name().display()
    );
    Err(Error::refused(message).hint("move it away, or name another file with -o"))
}

/// The file of references, which BigCode's harness writes beside its generations.
fn references_of(target: &OutputTarget, format: ExportFormat) -> Result<Option<OutputTarget>> {
    if format != ExportFormat::BigCode {
        return Ok(None);
    }
    target.path_for_siblings().map(|path| OutputTarget::named(&references_beside(path))).transpose()
}

/// `references.json` for `generations.json`, `references_mbpp.json` for `generations_mbpp.json`, and `NAME.references.json`
/// for any other `NAME.json`.
fn references_beside(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(if name.contains("generations") {
        name.replace("generations", "references")
    } else {
        format!("{}.references.json", name.strip_suffix(".json").unwrap_or(&name))
    })
}

/// Says what was written, and what has no answer.
fn report(
    summary: &ExportSummary,
    target: &OutputTarget,
    references: Option<&OutputTarget>,
    format: ExportFormat,
) {
    let ExportSummary { problems, samples, unanswered } = *summary;
    let (problems, samples) = (counted(problems, "problem"), counted(samples, "sample"));
    let beside = references
        .map_or(String::new(), |target| format!("; their tests: {}", target.name().display()));
    let name = target.name().display();
    output::print_message(&format!("wrote {samples} of {problems}: {name}{beside}"));
    if format == ExportFormat::BigCode && references.is_none() {
        output::print_message("references.json is not written: it belongs beside a file");
    }
    if unanswered > 0 {
        let have = agreeing(unanswered, "has", "have");
        let (count, is) = (counted(unanswered, "sample"), agreeing(unanswered, "is", "are"));
        output::warn(&format!(
            "{count} {have} no answer and {is} written as an empty program, because the format needs every sample"
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_of_a_run_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let run = folder.path().join("run");
        std::fs::create_dir_all(run.join("inner")).unwrap();
        std::fs::write(run.join("answers.jsonl"), "{}").unwrap();
        for (name, is_right) in [
            ("run/answers.jsonl", false),
            ("run/new.json", false),
            ("run/inner/new.json", false),
            ("run/../run/new.json", false),
            ("run.json", true),
            ("run/../new.json", true),
        ] {
            let target = OutputTarget::named(&folder.path().join(name)).unwrap();
            assert_eq!(outside(&run, &target).is_ok(), is_right, "{name}");
        }
    }

    #[test]
    fn a_file_of_something_else_is_not_replaced_by_references() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("references.json");
        let target = OutputTarget::named(&path).unwrap();
        may_be_replaced(&target, b"[]\n").unwrap();
        for (content, is_right) in [("[]\n", true), ("[\"a\"]\n", false), ("", false)] {
            std::fs::write(&path, content).unwrap();
            assert_eq!(may_be_replaced(&target, b"[]\n").is_ok(), is_right, "{content}");
        }
        let refusal = may_be_replaced(&target, b"[]\n").unwrap_err().to_string();
        assert!(refusal.contains("references.json"), "{refusal}");
    }

    #[test]
    fn references_are_beside_the_generations() {
        for (path, expected) in [
            ("generations.json", "references.json"),
            ("a/generations_mbpp.json", "a/references_mbpp.json"),
            ("out.json", "out.references.json"),
            ("out", "out.references.json"),
        ] {
            assert_eq!(references_beside(Path::new(path)), Path::new(expected));
        }
    }
}
