//! The replies of models in the cache.

use std::path::Path;

use assay_core::Result;
use assay_models::ModelAddress;
use assay_models::cache::{self, CachedModel, CachedReplies};

use super::{Choice, Log, Removed};

pub(super) fn list(cache: &Path) -> Result<Vec<Log>> {
    Ok(cache::list(cache)?.into_iter().map(log).collect())
}

/// Removes the chosen replies, except those in use.
pub(super) fn clear(cache: &Path, choice: &Choice) -> Result<Removed> {
    let url = choice.url.as_deref().map(|url| ModelAddress::on(url, "")).transpose()?;
    let is_meant = |about: Option<&CachedModel>| match about {
        None => choice.is_all(),
        Some(about) => {
            let has = |wanted: Option<&str>, is: &str| wanted.is_none_or(|wanted| wanted == is);
            has(choice.model.as_deref(), &about.model)
                && has(url.as_ref().map(ModelAddress::url), &about.url)
        }
    };
    let cleared = cache::clear(cache, &is_meant)?;
    let logs = |logs: Vec<CachedReplies>| logs.into_iter().map(log).collect();
    Ok(Removed { removed: logs(cleared.removed), in_use: logs(cleared.in_use) })
}

fn log(replies: CachedReplies) -> Log {
    let CachedReplies { about, replies, bytes, folder } = replies;
    let (model, url, server) = match about {
        Some(CachedModel { model, url, server }) => (Some(model), Some(url), Some(server)),
        None => (None, None, None),
    };
    Log { model, url, server, replies, bytes, folder }
}
