//! Locks and keys of a sealed file: key pairs or passphrases.
//!
//! Everything here is in age's own format, so that files and keys are compatible with the `age`
//! tool.

use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use age::secrecy::{ExposeSecret, SecretString};
use age::stream::StreamReader;
use age::{DecryptError, Decryptor, Encryptor, Identity, Recipient, scrypt, x25519};
use assay_core::{Error, Result};

use super::archive::broken;

/// The cost of trying a passphrase: 2 to the power of this, as in the `age` tool.
const WORK: u8 = 18;
/// The maximum cost that a sealed file may impose on the machine that opens it: a gigabyte of
/// memory.
const MAX_WORK: u8 = 20;
/// The maximum size of a file of keys; a larger one was named by mistake.
const MAX_KEY_FILE_BYTES: u64 = 1 << 20;

/// The lock of a sealed file, which decides who can open it.
pub enum Lock {
    /// The holders of these keys; each key suffices.
    Recipients(Vec<x25519::Recipient>),
    /// Everybody who knows this passphrase.
    Passphrase(SecretString),
    /// The holder of a new key, which is written to this file.
    NewKey(PathBuf),
}

impl Lock {
    /// Parses recipients (`age1…`), from the command line and from a file with one per line.
    pub fn recipients(typed: &[String], file: Option<&Path>) -> Result<Self> {
        let mut recipients = Vec::new();
        for text in typed {
            let parsed = parse_recipient(text).map_err(|fault| Error::usage(fault).hint(EXPECTED));
            recipients.push(parsed?);
        }
        if let Some(path) = file {
            let text = read_key_file(path)?;
            for (line, text) in text.lines().enumerate() {
                let text = text.trim();
                if text.is_empty() || text.starts_with('#') {
                    continue;
                }
                recipients.push(parse_recipient(text).map_err(|fault| {
                    Error::refused(format!("{}:{}: {fault}", path.display(), line + 1))
                        .hint(EXPECTED)
                })?);
            }
        }
        if recipients.is_empty() {
            return Err(Error::refused("there are no recipients").hint(EXPECTED));
        }
        Ok(Self::Recipients(recipients))
    }

    /// Reads a passphrase from a file's first line.
    pub fn passphrase_file(path: &Path) -> Result<Self> {
        read_passphrase(path).map(Self::Passphrase)
    }

    /// Creates the encryptor; a new key is created but not yet written.
    pub(super) fn encryptor(&self) -> Result<(Encryptor, Option<NewKey<'_>>)> {
        match self {
            Self::Recipients(recipients) => {
                let recipients = recipients.iter().map(|recipient| recipient as &dyn Recipient);
                Ok((encryptor(recipients)?, None))
            }
            Self::Passphrase(passphrase) => {
                let mut recipient = scrypt::Recipient::new(passphrase.clone());
                recipient.set_work_factor(WORK);
                Ok((encryptor(std::iter::once(&recipient as &dyn Recipient))?, None))
            }
            Self::NewKey(path) => {
                let identity = x25519::Identity::generate();
                let recipient = identity.to_public();
                let encryptor = encryptor(std::iter::once(&recipient as &dyn Recipient))?;
                Ok((encryptor, Some(NewKey { identity, path })))
            }
        }
    }
}

const EXPECTED: &str = "a recipient is the public half of a key, age1…; `age-keygen` makes one, and so does sealing without a recipient";

fn parse_recipient(text: &str) -> Result<x25519::Recipient, String> {
    // The text may be a secret, and is not repeated.
    text.parse().map_err(|_| {
        if text.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("age-")) {
            "a recipient is not the secret key".to_owned()
        } else {
            format!("{text:?} is not a recipient")
        }
    })
}

fn encryptor<'a>(recipients: impl Iterator<Item = &'a dyn Recipient>) -> Result<Encryptor> {
    Encryptor::with_recipients(recipients)
        .map_err(|error| Error::failed("failed to encrypt").because(error))
}

/// A key that was just created.
pub(super) struct NewKey<'a> {
    identity: x25519::Identity,
    path: &'a Path,
}

impl NewKey<'_> {
    /// Writes the key, readable by its owner only. A key is never overwritten: it may be the last
    /// copy.
    pub(super) fn write(&self) -> Result<()> {
        let mut options = OpenOptions::new();
        let opened = options.write(true).create_new(true).mode(0o600).open(self.path);
        let mut file = opened.map_err(|error| match error.kind() {
            std::io::ErrorKind::AlreadyExists => key_exists(self.path),
            _ => Error::writing("write", self.path, error),
        })?;
        let secret = self.identity.to_string();
        let text =
            format!("# public key: {}\n{}\n", self.identity.to_public(), secret.expose_secret());
        let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
        written.map_err(|error| {
            self.remove();
            Error::writing("write", self.path, error)
        })
    }

    /// Removes the key, if there is nothing that it opens.
    pub(super) fn remove(&self) {
        // A key that cannot be removed opens nothing.
        let _ = fs::remove_file(self.path);
    }
}

pub(super) fn key_exists(path: &Path) -> Error {
    Error::refused(format!("{} is there already, and a key is never overwritten", path.display()))
        .hint("move it away, or seal to it: --recipient with the public key in its first line")
}

/// The key of a sealed file.
pub enum Key {
    /// Any of these keys.
    Identities(Vec<Box<dyn Identity>>),
    /// This passphrase.
    Passphrase(SecretString),
}

impl Key {
    /// Reads files of keys (`AGE-SECRET-KEY-…`), as `age-keygen` writes them.
    pub fn identity_files(paths: &[PathBuf]) -> Result<Self> {
        let mut identities = Vec::new();
        for path in paths {
            let text = read_key_file(path)?;
            let parsed = age::IdentityFile::from_buffer(text.as_bytes());
            let refused = || Error::refused(format!("{} holds no key", path.display()));
            let file = parsed.map_err(|error| refused().because(error).hint(NO_KEY))?;
            let found =
                file.into_identities().map_err(|error| refused().because(error).hint(NO_KEY))?;
            if found.is_empty() {
                return Err(refused().hint(NO_KEY));
            }
            identities.extend(found);
        }
        Ok(Self::Identities(identities))
    }

    /// Reads a passphrase from a file's first line.
    pub fn passphrase_file(path: &Path) -> Result<Self> {
        read_passphrase(path).map(Self::Passphrase)
    }

    /// Opens the sealed file `path`. Errors in the rest are found only by reading on.
    pub(super) fn open(&self, path: &Path) -> Result<StreamReader<BufReader<File>>> {
        let file = File::open(path).map_err(|error| Error::reading("open", path, error))?;
        if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
            return Err(Error::refused(format!("{} is a folder", path.display())));
        }
        let decryptor =
            Decryptor::new_buffered(BufReader::new(file)).map_err(|error| unopened(path, error))?;
        match (self, decryptor.is_scrypt()) {
            (Self::Identities(_), true) => Err(wrong_kind(path, "a passphrase")
                .hint("give the file that holds it: --passphrase-file")),
            (Self::Passphrase(_), false) => {
                Err(wrong_kind(path, "a key").hint("give the file that holds it: --identity"))
            }
            (Self::Identities(identities), _) => decryptor
                .decrypt(identities.iter().map(AsRef::as_ref))
                .map_err(|error| unopened(path, error)),
            (Self::Passphrase(passphrase), _) => {
                let mut identity = scrypt::Identity::new(passphrase.clone());
                identity.set_max_work_factor(MAX_WORK);
                decryptor
                    .decrypt(std::iter::once(&identity as &dyn Identity))
                    .map_err(|error| unopened(path, error))
            }
        }
    }
}

const NO_KEY: &str = "a file of keys has a line that starts with AGE-SECRET-KEY-1";

fn wrong_kind(path: &Path, kind: &str) -> Error {
    Error::refused(format!("{} was sealed with {kind}", path.display()))
}

fn unopened(path: &Path, error: DecryptError) -> Error {
    let name = path.display();
    match error {
        DecryptError::NoMatchingKeys => Error::refused(format!("no key that was given opens {name}"))
            .hint("give the key whose public half it was sealed to with --identity; if it is the right one, the file's head was altered"),
        DecryptError::DecryptionFailed | DecryptError::KeyDecryptionFailed => {
            Error::refused(format!("the passphrase or key that was given does not open {name}"))
                .hint("if it is the right one, the file's head was altered")
        }
        DecryptError::ExcessiveWork { required, .. } => Error::refused(format!(
            "{name} asks for too much work (2 to the power of {required}) to try a passphrase"
        )),
        DecryptError::Io(error) if error.kind() != std::io::ErrorKind::InvalidData => {
            broken(&name.to_string(), "its head", error)
        }
        error => Error::refused(format!("{name} is not a sealed file, or its head was altered"))
            .because(error)
            .hint("get the file again, from where it was published"),
    }
}

fn read_key_file(path: &Path) -> Result<String> {
    let error = |error| Error::reading("read", path, error);
    let file = File::open(path).map_err(error)?;
    let mut text = String::new();
    file.take(MAX_KEY_FILE_BYTES).read_to_string(&mut text).map_err(error)?;
    Ok(text)
}

fn read_passphrase(path: &Path) -> Result<SecretString> {
    let error = |error| Error::reading("read", path, error);
    let file = File::open(path).map_err(error)?;
    let mut line = String::new();
    BufReader::new(file.take(MAX_KEY_FILE_BYTES)).read_line(&mut line).map_err(error)?;
    let line = line.trim_end_matches(['\r', '\n']);
    if line.is_empty() {
        return Err(Error::refused(format!("{} holds no passphrase", path.display()))
            .hint("the passphrase is the file's first line"));
    }
    Ok(SecretString::from(line.to_owned()))
}
