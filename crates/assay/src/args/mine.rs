//! `assay data mine …`.

use std::path::PathBuf;

use clap::Args;

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

    /// The language of the files to mine, by file extension.
    #[arg(long, value_name = "NAME", default_value = "java")]
    pub(crate) language: String,

    /// The encoding of files that are not UTF-8 and do not declare one.
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

    /// Keep tasks that another commit or repository has already given.
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

    /// Include merges, with their changes relative to the first parent.
    #[arg(long)]
    pub(crate) merges: bool,

    /// Follow every branch and tag, and not only HEAD.
    #[arg(long)]
    pub(crate) all_refs: bool,

    /// Divide into train/ and test/: test projects from this date on, other projects before it.
    #[arg(long, value_name = "DATE", value_parser = assay_mine::parse_cutoff)]
    pub(crate) cutoff: Option<assay_mine::Cutoff>,

    /// A repository to test on; may be repeated. Default: a share of all projects.
    #[arg(long, value_name = "NAME")]
    pub(crate) test_project: Vec<String>,

    /// The share of projects to test on, drawn by their root commits.
    #[arg(long, value_name = "SHARE", default_value_t = 0.2, value_parser = share, conflicts_with = "test_project")]
    pub(crate) test_share: f64,

    /// Print what was found as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

fn share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(share) if share > 0.0 && share < 1.0 => Ok(share),
        _ => Err("expected a number between 0 and 1".to_owned()),
    }
}
