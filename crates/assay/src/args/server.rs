//! `assay models`.

use clap::Args;

use super::ApiKey;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  assay models http://localhost:8000
  assay models https://api.example.com/v1 --model org/model --json

About a dozen short requests are sent, each once. The key of the server comes from the
environment: ASSAY_API_KEY.

Exit codes: 0 the model can be asked, 5 it cannot.")]
pub(crate) struct ServerArguments {
    /// The server's address; without a path, /v1 is meant.
    #[arg(value_name = "URL")]
    pub(crate) url: String,

    /// The model to try. Default: the first one that the server lists.
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,

    #[command(flatten)]
    pub(crate) api_key: ApiKey,

    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}
