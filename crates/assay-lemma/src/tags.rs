//! The part of a form's grammatical tag that matters for lemmas.

/// Parts of speech, numbers, cases, persons and tenses: two halves of a hyphenated word belong
/// together if they agree in all of these. Rare names of a case are listed beside the common one.
const FEATURES: [&[&str]; 35] = [
    &["NOUN"],
    &["ADJF"],
    &["ADJS"],
    &["COMP"],
    &["VERB"],
    &["INFN"],
    &["PRTF"],
    &["PRTS"],
    &["GRND"],
    &["NUMR"],
    &["ADVB"],
    &["NPRO"],
    &["PRED"],
    &["PREP"],
    &["CONJ"],
    &["PRCL"],
    &["INTJ"],
    &["sing"],
    &["plur"],
    &["nomn"],
    &["gent", "gen1"],
    &["datv"],
    &["accs"],
    &["ablt"],
    &["loct", "loc1"],
    &["voct"],
    &["gen2"],
    &["acc2"],
    &["loc2"],
    &["1per"],
    &["2per"],
    &["3per"],
    &["pres"],
    &["past"],
    &["futr"],
];
const PARTS_OF_SPEECH: usize = 17;

/// The closed parts of speech: no new words are formed, so no unknown word is one of them.
const CLOSED: [&str; 8] = ["NUMR", "NPRO", "PRED", "PREP", "CONJ", "PRCL", "INTJ", "Apro"];

const PRODUCTIVE: u64 = 1 << 63;
const PART_OF_SPEECH_IS_KNOWN: u64 = 1 << 62;

/// A set of the relevant features.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Tag(u64);

impl Tag {
    /// The tag of a number, of foreign letters or of an unknown word.
    pub(crate) const OTHER: Self = Self(PRODUCTIVE);

    /// Parses a tag in `OpenCorpora`'s notation, such as `NOUN,anim,masc sing,nomn`.
    pub fn read(text: &str) -> Self {
        let grammemes: Vec<&str> = text.split([',', ' ']).collect();
        let mut bits = 0;
        for (place, names) in FEATURES.iter().enumerate() {
            if names.iter().any(|name| grammemes.contains(name)) {
                bits |= 1 << place;
            }
        }
        let part = grammemes.first().copied().unwrap_or_default();
        if FEATURES[..PARTS_OF_SPEECH].iter().any(|names| names.contains(&part)) {
            bits |= PART_OF_SPEECH_IS_KNOWN;
        }
        if !CLOSED.iter().any(|name| grammemes.contains(name)) {
            bits |= PRODUCTIVE;
        }
        Self(bits)
    }

    pub(crate) fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    pub(crate) fn bits(self) -> u64 {
        self.0
    }

    /// Returns whether an unknown word can have this tag.
    pub fn is_productive(self) -> bool {
        self.0 & PRODUCTIVE != 0
    }

    pub(crate) fn has_part_of_speech(self) -> bool {
        self.0 & PART_OF_SPEECH_IS_KNOWN != 0
    }

    pub(crate) fn agrees_with(self, other: Self) -> bool {
        let features = (1u64 << FEATURES.len()) - 1;
        (self.0 ^ other.0) & features == 0
    }

    pub(crate) fn includes(self, other: Self) -> bool {
        let features = (1u64 << FEATURES.len()) - 1;
        other.0 & features & !self.0 == 0
    }
}
