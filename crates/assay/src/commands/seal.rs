//! `assay data seal` and `assay data unseal`: hidden data, encrypted and committed to.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use assay_core::{Cancel, Digest, Error, Result, counted, exit_code};
use assay_data::OutputTarget;
use assay_data::seal::{self as sealing, Commitment, Key, Lock, SealRequest, Seed, UnsealRequest};
use serde::Serialize;

use super::{cancel_on_interrupt, output_target};
use crate::args::{SealArguments, UnsealArguments};
use crate::output;

/// The JSON output of both commands.
#[derive(Serialize)]
struct Report<'a> {
    root: Digest,
    files: u64,
    bytes: u64,
    folders: &'a BTreeMap<String, u64>,
    tasks: u64,
    sealed: &'a Path,
    /// The path of the commitment; `None` if there was none to compare with.
    commitment: Option<&'a Path>,
    /// The key that was created.
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<&'a Path>,
    /// The folder that was created.
    #[serde(skip_serializing_if = "Option::is_none")]
    folder: Option<&'a Path>,
}

impl<'a> Report<'a> {
    fn new(data: &'a Commitment, sealed: &'a Path, commitment: Option<&'a Path>) -> Self {
        let Commitment { root, files, bytes, folders, tasks, .. } = data;
        Self {
            root: *root,
            files: *files,
            bytes: *bytes,
            folders,
            tasks: *tasks,
            sealed,
            commitment,
            key: None,
            folder: None,
        }
    }
}

pub(crate) fn seal(arguments: &SealArguments) -> Result<u8> {
    let request = seal_request(arguments)?;
    if request.output.is_standard_output() || request.commitment.is_standard_output() {
        if arguments.json {
            return Err(Error::usage(
                "the report and what is sealed cannot both go to standard output",
            )
            .hint("name files with -o and --commitment, or leave --json out"));
        }
        output::print_results_on_standard_error();
    }
    let (output, commitment) = (request.output.name(), request.commitment.name());
    let cancel = cancel_on_interrupt()?;
    let sealed = sealing::seal(&request, &Seed::random()?, &cancel);
    let Some(data) = unless_interrupted(sealed, &cancel)? else {
        return Ok(exit_code::INTERRUPTED);
    };
    let key = match &request.lock {
        Lock::NewKey(path) => Some(path.as_path()),
        Lock::Recipients(_) | Lock::Passphrase(_) => None,
    };
    if let Some(key) = key {
        output::print_message(&format!(
            "made a new key: {} (keep it secret, and keep it: nothing else opens {})",
            key.display(),
            output.display()
        ));
    }
    if arguments.json {
        output::json_pretty(&Report { key, ..Report::new(&data, output, Some(commitment)) })?;
    } else {
        output::print(&format!(
            "sealed {} in {}\n  root {}\n  commitment {}\n",
            summary(&data),
            output.display(),
            data.root,
            commitment.display()
        ))?;
    }
    Ok(exit_code::DONE)
}

/// Checks every output before any work is done.
fn seal_request(arguments: &SealArguments) -> Result<SealRequest> {
    let SealArguments { folder, force, .. } = arguments;
    let output = output_target(&arguments.output)?;
    let lock = lock(arguments, &output)?;
    let commitment = match &arguments.commitment {
        Some(path) => path.clone(),
        None => sibling(&output, ".commitment.json").ok_or_else(|| {
            Error::usage(format!(
                "there is no place for the commitment beside {}",
                output.name().display()
            ))
            .hint("name a file with --commitment")
        })?,
    };
    let commitment = output_target(&commitment)?;
    Ok(SealRequest { folder: folder.clone(), output, commitment, lock, force: *force })
}

pub(crate) fn unseal(arguments: &UnsealArguments) -> Result<u8> {
    let sealed = &arguments.sealed;
    if let Err(error) = sealed.metadata() {
        return Err(Error::reading("open", sealed, error));
    }
    let commitment = commitment_of(arguments);
    if commitment.is_none() {
        output::warn(&format!(
            "there is no commitment to hold {} against: it will be whole, but whether it is what was promised cannot be told (give --commitment)",
            sealed.display()
        ));
    }
    let promised = commitment.as_deref().map(Commitment::load).transpose()?;
    let cancel = cancel_on_interrupt()?;
    let (folder, unsealed) = match (&arguments.against, &arguments.output) {
        (None, Some(folder)) => {
            let (sealed, folder) = (sealed.clone(), folder.clone());
            let key = key(arguments)?;
            let request =
                UnsealRequest { sealed, folder: folder.clone(), commitment: promised, key };
            (folder, sealing::unseal(&request, &cancel))
        }
        (Some(folder), _) => {
            let compared = sealing::compare_folder(
                sealed,
                &key(arguments)?,
                promised.as_ref(),
                folder,
                &cancel,
            );
            (folder.clone(), compared)
        }
        (None, None) => return Err(Error::usage("no folder is named").hint("give -o DIR")),
    };
    let Some(data) = unless_interrupted(unsealed, &cancel)? else {
        return Ok(exit_code::INTERRUPTED);
    };
    if arguments.json {
        let folder = Some(folder.as_path());
        output::json_pretty(&Report {
            folder,
            ..Report::new(&data, sealed, commitment.as_deref())
        })?;
    } else {
        let against = match &commitment {
            Some(path) => format!("as committed to in {}", path.display()),
            None => "not held against any commitment".to_owned(),
        };
        let done = if arguments.against.is_some() {
            format!("{} holds the {} that were sealed", folder.display(), summary(&data))
        } else {
            format!("unsealed {} into {}", summary(&data), folder.display())
        };
        output::print(&format!("{done}\n  root {}\n  {against}\n", data.root))?;
    }
    Ok(exit_code::DONE)
}

fn lock(arguments: &SealArguments, output: &OutputTarget) -> Result<Lock> {
    let SealArguments { recipients, recipients_file, passphrase_file, .. } = arguments;
    match passphrase_file {
        Some(path) => Lock::passphrase_file(path),
        None if recipients.is_empty() && recipients_file.is_none() => {
            let path = sibling(output, ".key").ok_or_else(|| {
                Error::usage(format!("there is no place for a new key beside {}", output.name().display()))
                    .hint("give --recipient, --recipients-file or --passphrase-file, or name a file with -o")
            })?;
            Ok(Lock::NewKey(path))
        }
        None => Lock::recipients(recipients, recipients_file.as_deref()),
    }
}

/// The path beside a file to write, if the user has a folder there.
fn sibling(target: &OutputTarget, suffix: &str) -> Option<PathBuf> {
    target.path_for_siblings().map(|path| with_suffix(path, suffix))
}

fn key(arguments: &UnsealArguments) -> Result<Key> {
    if let Some(path) = &arguments.passphrase_file {
        return Key::passphrase_file(path);
    }
    if !arguments.identities.is_empty() {
        return Key::identity_files(&arguments.identities);
    }
    let default = with_suffix(&arguments.sealed, ".key");
    if !default.exists() {
        return Err(Error::usage(format!("there is no key: {} is not there", default.display()))
            .hint("give a key with --identity, or --passphrase-file"));
    }
    Key::identity_files(&[default])
}

/// The commitment that was named, or the one beside the sealed file.
fn commitment_of(arguments: &UnsealArguments) -> Option<PathBuf> {
    let default =
        || Some(with_suffix(&arguments.sealed, ".commitment.json")).filter(|path| path.exists());
    arguments.commitment.clone().or_else(default)
}

/// The path with a suffix added to its file name.
fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// `None` if the user interrupted the work.
fn unless_interrupted<T>(result: Result<T>, cancel: &Cancel) -> Result<Option<T>> {
    match result {
        Err(_) if cancel.is_cancelled() => Ok(None),
        result => result.map(Some),
    }
}

fn summary(data: &Commitment) -> String {
    let tasks = match data.tasks {
        0 => String::new(),
        tasks => format!(", {}", counted(tasks, "task")),
    };
    let (files, bytes) = (counted(data.files, "file"), counted(data.bytes, "byte"));
    format!("{files} ({bytes}{tasks})")
}
