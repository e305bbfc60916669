//! `assay data …`.

use std::path::PathBuf;

use clap::builder::FalseyValueParser;
use clap::{Args, Subcommand};

#[derive(Debug, Subcommand)]
pub(crate) enum DataCommand {
    /// List the published datasets and where they lie on this machine.
    List {
        /// Where datasets lie: a folder for each task.
        #[arg(long, value_name = "DIR", env = "ASSAY_DATA")]
        data_root: Option<PathBuf>,

        /// Print JSON.
        #[arg(long, env = "ASSAY_JSON", value_parser = FalseyValueParser::new())]
        json: bool,
    },
    /// Read whole datasets and name every malformed file with the reason.
    Verify(DatasetArguments),
    /// Count files, lines, lengths and duplicates.
    Stats(DatasetArguments),
    /// Make datasets from git history.
    #[command(
        subcommand,
        after_help = "\
Examples:
  assay data mine codrep ~/src/guava -o guava
  assay data mine codrep --help                    every filter and the split"
    )]
    Mine(MineCommand),
    /// Lock a folder of hidden data away, and commit to it in public.
    Seal(SealArguments),
    /// Open sealed data, and refuse unless it is what was committed to.
    Unseal(UnsealArguments),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  assay data verify Dataset4.tar.zst
  assay data stats Dataset1:Dataset2 --json")]
pub(crate) struct DatasetArguments {
    /// Folders or archives; several may be joined by `:`.
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<String>,

    /// Print JSON.
    #[arg(long, env = "ASSAY_JSON", value_parser = FalseyValueParser::new())]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum MineCommand {
    /// Tasks of CodRep's kind: every change of a file that replaced exactly one line.
    Codrep(MineArguments),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  assay data mine codrep ~/src/guava -o guava
  assay data mine codrep repos/*.git -o mined --language python
  assay data mine codrep repos/* -o mined --cutoff 2017-01-01 --test-share 0.2
  assay run codrep --data guava --solver locate

Interrupted, the same command goes on and ends with the same bytes.")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub(crate) struct MineArguments {
    /// Git repositories, bare or not.
    #[arg(required = true, value_name = "REPO")]
    pub(crate) repositories: Vec<PathBuf>,

    /// The folder to make the dataset in: Tasks/, Solutions/ and provenance.jsonl.
    #[arg(short, long, value_name = "DIR", required = true)]
    pub(crate) output: PathBuf,

    /// The language whose files are looked at, by their endings.
    #[arg(long, value_name = "NAME", default_value = "java")]
    pub(crate) language: String,

    /// How files are read that are not UTF-8 and do not say what they are.
    #[arg(long, value_name = "NAME", default_value = "windows-1252")]
    pub(crate) encoding: String,

    /// Keep changes in comments alone.
    #[arg(long)]
    pub(crate) keep_comments: bool,

    /// Keep changes of a blank line, or to one.
    #[arg(long)]
    pub(crate) keep_blank: bool,

    /// Keep changes in white space alone.
    #[arg(long)]
    pub(crate) keep_white_space: bool,

    /// Keep tasks that are there already, from another commit or repository.
    #[arg(long)]
    pub(crate) keep_duplicates: bool,

    /// Leave out test files, as the competition's first edition did.
    #[arg(long)]
    pub(crate) no_tests: bool,

    /// Leave out larger files.
    #[arg(long, value_name = "BYTES", default_value_t = 10_000_000)]
    pub(crate) max_bytes: u64,

    /// Do not follow renames: a file that is moved is another file.
    #[arg(long)]
    pub(crate) no_renames: bool,

    /// Look at merges too, by what they change in their first parent.
    #[arg(long)]
    pub(crate) merges: bool,

    /// Follow every branch and tag, and not only HEAD.
    #[arg(long)]
    pub(crate) all_refs: bool,

    /// Divide into train/ and test/: test projects from this date on, other projects before it.
    #[arg(long, value_name = "DATE", value_parser = assay_mine::parse_cutoff)]
    pub(crate) cutoff: Option<assay_mine::Cutoff>,

    /// A repository to test on; may be repeated. Default: a share of all projects.
    #[arg(long, value_name = "NAME", requires = "cutoff")]
    pub(crate) test_project: Vec<String>,

    /// The share of projects to test on, drawn by their root commits.
    #[arg(long, value_name = "SHARE", default_value_t = 0.2, value_parser = share, requires = "cutoff", conflicts_with = "test_project")]
    pub(crate) test_share: f64,

    /// Print what was found as JSON.
    #[arg(long, env = "ASSAY_JSON", value_parser = FalseyValueParser::new())]
    pub(crate) json: bool,
}

fn share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(share) if share > 0.0 && share < 1.0 => Ok(share),
        _ => Err("expected a number between 0 and 1".to_owned()),
    }
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  assay data seal hidden -o hidden.age             makes hidden.age.key, to be kept secret
  assay data seal hidden -o hidden.age --recipient age1… --recipient age1…
  assay data seal hidden -o hidden.age --passphrase-file passphrase.txt

Publish hidden.age.commitment.json before the competition: it binds you to every byte, and tells
nothing about the content. The sealed file may be published too. docs/seal.md says how it works.")]
pub(crate) struct SealArguments {
    /// The folder; every file in it is sealed.
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,

    /// Where the sealed file goes.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,

    /// Where the public commitment goes. Default: FILE.commitment.json
    #[arg(long, value_name = "PATH", env = "ASSAY_COMMITMENT")]
    pub(crate) commitment: Option<PathBuf>,

    /// Who may open it, by public key; may be repeated. Default: a new key, in FILE.key
    #[arg(short, long = "recipient", value_name = "age1…", env = "ASSAY_RECIPIENT")]
    pub(crate) recipients: Vec<String>,

    /// Who may open it, one public key a line.
    #[arg(long, value_name = "PATH", env = "ASSAY_RECIPIENTS_FILE")]
    pub(crate) recipients_file: Option<PathBuf>,

    /// Whoever knows the first line of this file may open it.
    #[arg(long, value_name = "PATH", env = "ASSAY_PASSPHRASE_FILE", conflicts_with_all = ["recipients", "recipients_file"])]
    pub(crate) passphrase_file: Option<PathBuf>,

    /// Replace a sealed file and a commitment that are there already; never a key.
    #[arg(long)]
    pub(crate) force: bool,

    /// Print JSON.
    #[arg(long, env = "ASSAY_JSON", value_parser = FalseyValueParser::new())]
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
    #[arg(long, value_name = "PATH", env = "ASSAY_COMMITMENT")]
    pub(crate) commitment: Option<PathBuf>,

    /// A file with a secret key; may be repeated. Default: FILE.key
    #[arg(short, long = "identity", value_name = "PATH", env = "ASSAY_IDENTITY")]
    pub(crate) identities: Vec<PathBuf>,

    /// The file whose first line is the passphrase.
    #[arg(long, value_name = "PATH", env = "ASSAY_PASSPHRASE_FILE", conflicts_with = "identities")]
    pub(crate) passphrase_file: Option<PathBuf>,

    /// Print JSON.
    #[arg(long, env = "ASSAY_JSON", value_parser = FalseyValueParser::new())]
    pub(crate) json: bool,
}
