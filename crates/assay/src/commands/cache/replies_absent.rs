//! The replies of models in the cache, in a build without the feature `models`: there are none.

use std::path::Path;

use assay_core::Result;

use super::{Choice, Log, Removed};

#[expect(clippy::unnecessary_wraps, reason = "as with the feature")]
pub(super) fn list(_cache: &Path) -> Result<Vec<Log>> {
    Ok(Vec::new())
}

#[expect(clippy::unnecessary_wraps, reason = "as with the feature")]
pub(super) fn clear(_cache: &Path, _choice: &Choice) -> Result<Removed> {
    Ok(Removed::default())
}
