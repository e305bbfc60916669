//! A worker of its own, for the tests of this crate; assay itself becomes one by an argument.

use std::process::ExitCode;

fn main() -> ExitCode {
    assay_sandbox::worker_main()
}
