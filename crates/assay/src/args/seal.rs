//! `assay data seal` and `assay data unseal`.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  assay data seal hidden -o hidden.age          makes hidden.age.key, to be kept secret
  assay data seal hidden -o hidden.age --recipient age1… --recipient age1…
  assay data seal hidden -o hidden.age --passphrase-file passphrase.txt

Publish hidden.age.commitment.json before the competition: it binds you to every
byte, and tells nothing about the content. The sealed file may be published too.
docs/seal.md says how it works.")]
pub(crate) struct SealArguments {
    /// The folder; every file in it is sealed.
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,

    /// The sealed file.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,

    /// The file of the public commitment. Default: FILE.commitment.json
    #[arg(long, value_name = "PATH")]
    pub(crate) commitment: Option<PathBuf>,

    /// A public key that may open it; may be repeated. Default: a new key, in FILE.key
    #[arg(short, long = "recipient", value_name = "age1…")]
    pub(crate) recipients: Vec<String>,

    /// A file of public keys that may open it, one per line.
    #[arg(long, value_name = "PATH")]
    pub(crate) recipients_file: Option<PathBuf>,

    /// Whoever knows the first line of this file may open it.
    #[arg(long, value_name = "PATH", conflicts_with_all = ["recipients", "recipients_file"])]
    pub(crate) passphrase_file: Option<PathBuf>,

    /// Replace a sealed file and a commitment that are there already; never a key.
    #[arg(long)]
    pub(crate) force: bool,

    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  assay data unseal hidden.age -o hidden           with hidden.age.key beside it
  assay data unseal hidden.age -o hidden --identity key.txt --commitment published.json
  assay data unseal hidden.age -o hidden --passphrase-file passphrase.txt
  assay data unseal hidden.age --against hidden    is the folder still what was sealed?

The folder is there afterwards only if every byte is as it was committed to; otherwise the exit code
is 3, and the message says what is wrong.")]
pub(crate) struct UnsealArguments {
    /// The sealed file.
    #[arg(value_name = "FILE")]
    pub(crate) sealed: PathBuf,

    /// The folder to make.
    #[arg(short, long, value_name = "DIR", required_unless_present = "against")]
    pub(crate) output: Option<PathBuf>,

    /// Make nothing, but name every file of this folder that is not as it was sealed.
    #[arg(long, value_name = "DIR", conflicts_with = "output")]
    pub(crate) against: Option<PathBuf>,

    /// The commitment as it was published. Default: FILE.commitment.json, if it is there
    #[arg(long, value_name = "PATH")]
    pub(crate) commitment: Option<PathBuf>,

    /// A file with a secret key; may be repeated. Default: FILE.key
    #[arg(short, long = "identity", value_name = "PATH")]
    pub(crate) identities: Vec<PathBuf>,

    /// The file whose first line is the passphrase.
    #[arg(long, value_name = "PATH", conflicts_with = "identities")]
    pub(crate) passphrase_file: Option<PathBuf>,

    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}
