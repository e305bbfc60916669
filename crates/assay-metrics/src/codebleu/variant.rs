//! The implementations of CodeBLEU that the field uses, by name, and in what they differ.

use assay_syntax::Language;
use assay_syntax::comments::Removal;
use assay_syntax::flow::{Dialect, Literals};

/// An implementation of CodeBLEU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variant {
    /// Ours: what the others share, without what is wrong in all of them.
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

/// What a missing data flow counts as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoFlow {
    /// Nothing was right.
    Zero,
    /// All was right; so it is too if there are flows and none was found.
    One,
    /// It is left out, and the other parts count for more.
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

    /// Whether the hypothesis loses its comments once more for each further reference. Of Python,
    /// something may be left that is taken for a docstring the second time.
    pub(super) fn cleans_again(self) -> bool {
        self != Self::Assay
    }

    /// Whether the white space around a text is dropped.
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
            // AVATAR's divides by zero.
            Self::CodeXGlue | Self::FusionBrain | Self::Avatar => NoFlow::Zero,
        }
    }

    /// Whether a subtree of the hypothesis stands for one of the reference only.
    pub(super) fn clips_subtrees(self) -> bool {
        self == Self::Assay
    }
}
