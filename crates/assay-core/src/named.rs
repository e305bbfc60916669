//! Values by name.

use std::borrow::Cow;

use indexmap::IndexMap;

/// Named values in the order in which they were added, written as a JSON object.
pub type Named<T> = IndexMap<Cow<'static, str>, T>;
