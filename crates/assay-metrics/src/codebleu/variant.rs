//! The implementations of CodeBLEU that the field uses, by name, and their differences.

use assay_syntax::Language;
use assay_syntax::comments::Removal;
use assay_syntax::flow::{Dialect, Literals};

/// An implementation of CodeBLEU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variant {
    /// Ours: the behaviour that the others share, without the errors that all of them have.
    Assay,
    /// The evaluator of `CodeXGLUE`, the original.
    CodeXGlue,
    /// The evaluator of AVATAR.
    Avatar,
    /// The scorer of the Fusion Brain challenge.
    FusionBrain,
    /// The package `codebleu`.
    K4black,
}

/// The score of a missing data flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoFlow {
    /// The score of this part is 0.
    Zero,
    /// The score of this part is 1; also if there are flows and none was found.
    One,
    /// The part is left out, and the other parts weigh more.
    LeftOut,
}

impl Variant {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Assay, Self::CodeXGlue, Self::Avatar, Self::FusionBrain, Self::K4black];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Assay => "assay",
            Self::CodeXGlue => "codexglue",
            Self::Avatar => "avatar",
            Self::FusionBrain => "fusion-brain",
            Self::K4black => "k4black",
        }
    }

    /// The languages that it knows.
    pub fn languages(self) -> &'static [Language] {
        use Language::{C, CSharp, Cpp, Go, Java, JavaScript, Php, Python, Ruby, Rust};
        match self {
            Self::Assay => &Language::ALL,
            Self::CodeXGlue => &[Java, CSharp, Python],
            Self::Avatar => &[Java, Python],
            Self::FusionBrain => &[Python],
            Self::K4black => &[Java, JavaScript, CSharp, Php, C, Cpp, Python, Go, Ruby, Rust],
        }
    }

    pub(super) fn removal(self) -> Removal {
        match self {
            Self::Assay | Self::K4black => Removal::ByLanguage,
            Self::CodeXGlue | Self::Avatar => Removal::CLike,
            Self::FusionBrain => Removal::None,
        }
    }

    /// Returns whether comments are removed from the hypothesis again for each further reference.
    /// In Python, the first removal may leave something that the second takes for a docstring.
    pub(super) fn removes_comments_again(self) -> bool {
        self != Self::Assay
    }

    /// Returns whether white space around a text is removed.
    pub(super) fn strips(self) -> bool {
        self != Self::FusionBrain
    }

    pub(super) fn dialect(self) -> Dialect {
        let avatar = self == Self::Avatar;
        let literals = if avatar { Literals::Strings } else { Literals::StringsAndCharacters };
        Dialect { literals, needs_else: avatar }
    }

    pub(super) fn no_flow(self) -> NoFlow {
        match self {
            Self::Assay => NoFlow::LeftOut,
            Self::K4black => NoFlow::One,
            // AVATAR's evaluator divides by zero.
            Self::CodeXGlue | Self::FusionBrain | Self::Avatar => NoFlow::Zero,
        }
    }

    /// Returns whether a subtree of the hypothesis matches only one of the reference.
    pub(super) fn clips_subtrees(self) -> bool {
        self == Self::Assay
    }
}
