//! Positions in a file.

/// A position in a file, as precise as known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The line, from 1; 0 for the whole file.
    pub line: u64,
    /// The character within the line, from 1; 0 for the whole line.
    pub column: u64,
}

impl Place {
    /// The whole file.
    pub const FILE: Self = Self { line: 0, column: 0 };

    /// A whole line.
    pub fn line(line: u64) -> Self {
        Self { line, column: 0 }
    }

    /// Returns true if it is a whole line.
    pub fn is_line(self) -> bool {
        self.line > 0 && self.column == 0
    }

    /// The position in the file called `name`, as editors and compilers write it: `name:3:7`.
    pub fn within(self, name: &str) -> String {
        match self {
            Self { line: 0, .. } => name.to_owned(),
            Self { line, column: 0 } => format!("{name}:{line}"),
            Self { line, column } => format!("{name}:{line}:{column}"),
        }
    }
}
