//! The version of the record's format.

use std::fmt;
use std::str::FromStr;

use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A version of the record's format, written as `"1.2"`.
///
/// A reader understands every minor version of its own major version: a greater minor version may add
/// fields, which are ignored. The integer `1` of the first records is read as 1.0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FormatVersion {
    /// Increased when older readers would misread the record.
    pub major: u16,
    /// Increased when something is added that older readers may ignore.
    pub minor: u16,
}

impl FormatVersion {
    /// The version that this crate writes.
    pub const CURRENT: Self = Self { major: 1, minor: 2 };

    /// Returns whether this crate can read records of this version.
    pub fn is_readable(self) -> bool {
        self.major == Self::CURRENT.major
    }
}

impl Default for FormatVersion {
    fn default() -> Self {
        Self::CURRENT
    }
}

impl fmt::Display for FormatVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl FromStr for FormatVersion {
    type Err = ParseVersionError;

    fn from_str(text: &str) -> Result<Self, ParseVersionError> {
        let (major, minor) = text.split_once('.').ok_or(ParseVersionError)?;
        Ok(Self { major: number(major)?, minor: number(minor)? })
    }
}

/// A text that is not a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParseVersionError;

impl fmt::Display for ParseVersionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a format version is written MAJOR.MINOR, such as 1.2")
    }
}

impl std::error::Error for ParseVersionError {}

/// Parses a number in canonical form: no sign, no leading zero.
fn number(text: &str) -> Result<u16, ParseVersionError> {
    let number: u16 = text.parse().map_err(|_| ParseVersionError)?;
    if number.to_string() == text { Ok(number) } else { Err(ParseVersionError) }
}

impl Serialize for FormatVersion {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for FormatVersion {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(VersionVisitor)
    }
}

struct VersionVisitor;

impl Visitor<'_> for VersionVisitor {
    type Value = FormatVersion;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a format version, such as \"1.2\"")
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<FormatVersion, E> {
        let unsigned = de::Unexpected::Unsigned(number);
        let major = u16::try_from(number).map_err(|_| E::invalid_value(unsigned, &self))?;
        Ok(FormatVersion { major, minor: 0 })
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<FormatVersion, E> {
        text.parse().map_err(E::custom)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(json: &str) -> Option<FormatVersion> {
        serde_json::from_str(json).ok()
    }

    #[test]
    fn reads_both_spellings() {
        assert_eq!(read("1"), Some(FormatVersion { major: 1, minor: 0 }));
        assert_eq!(read("\"1.2\""), Some(FormatVersion::CURRENT));
        for wrong in ["1.1", "-1", "\"1\"", "\"1.\"", "\"01.1\"", "\"+1.1\"", "\"1.1.1\"", "70000"]
        {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn every_minor_version_of_this_major_is_readable() {
        assert!(FormatVersion { major: 1, minor: 9 }.is_readable());
        assert!(!FormatVersion { major: 2, minor: 0 }.is_readable());
        assert!(!FormatVersion { major: 0, minor: 9 }.is_readable());
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(major: u16, minor: u16) {
            let version = FormatVersion { major, minor };
            prop_assert_eq!(read(&serde_json::to_string(&version).unwrap()), Some(version));
        }
    }
}
