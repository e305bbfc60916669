//! Files held in memory.

use std::borrow::Cow;

use assay_core::Result;

use super::{Content, TakeFile};

#[derive(Debug)]
pub(super) struct Memory(pub(super) Vec<(String, Cow<'static, [u8]>)>);

impl Memory {
    pub(super) fn scan(
        &self,
        want: &dyn Fn(&str) -> bool,
        take: &mut dyn FnMut(&str, Content),
    ) -> Vec<String> {
        for (name, bytes) in self.0.iter().filter(|(name, _)| want(name)) {
            take(name, Ok(bytes.to_vec()));
        }
        self.0.iter().map(|(name, _)| name.clone()).collect()
    }

    pub(super) fn read(&self, paths: &[String], take: &mut TakeFile<'_>) -> Result<()> {
        for (at, path) in paths.iter().enumerate() {
            let found = self.0.iter().find(|(name, _)| name == path);
            let content =
                found.map(|(_, bytes)| bytes.to_vec()).ok_or_else(|| "is not there".to_owned());
            if take(at, content)?.is_break() {
                break;
            }
        }
        Ok(())
    }
}
