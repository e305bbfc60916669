//! The exact grammar of each language.

use std::sync::OnceLock;

use assay_core::Language;

/// The parser's version: trees of broken programs depend on it as well as on the grammar's.
const PARSER: &str = "tree-sitter-0.27.1";

/// The grammar of a language and the parser, with their versions, for signatures.
pub fn grammar(language: Language) -> String {
    let version = match language {
        Language::Java | Language::CSharp => "0.23.5",
        Language::Python | Language::JavaScript | Language::Go => "0.25.0",
        Language::C | Language::Rust => "0.24.2",
        Language::Cpp => "0.23.4",
        Language::TypeScript => "0.23.2",
        Language::Ruby => "0.23.1",
        Language::Php => "0.25.1",
    };
    format!("{language}-{version}/{PARSER}")
}

/// The properties of node kinds that the walk over a tree needs, by the number of the kind:
/// querying the grammar each time would cost as much as the walk.
pub(crate) struct Kinds {
    named: Vec<bool>,
    literal: Vec<bool>,
}

impl Kinds {
    pub(crate) fn of(language: Language) -> &'static Self {
        static KINDS: [OnceLock<Kinds>; Language::ALL.len()] =
            [const { OnceLock::new() }; Language::ALL.len()];
        KINDS[language as usize].get_or_init(|| {
            let tables = parser_tables(language);
            let ids = 0..u16::try_from(tables.node_kind_count()).unwrap_or(u16::MAX);
            let name = |id| tables.node_kind_for_id(id).unwrap_or_default();
            Self {
                named: ids.clone().map(|id| tables.node_kind_is_named(id)).collect(),
                literal: ids.map(|id| is_literal(name(id))).collect(),
            }
        })
    }

    /// Returns whether nodes of a kind are named; errors are.
    pub(crate) fn is_named(&self, kind: u16) -> bool {
        self.named.get(usize::from(kind)).copied().unwrap_or(true)
    }

    /// Returns whether nodes of a kind may be treated as one word.
    pub(crate) fn is_literal(&self, kind: u16) -> bool {
        self.literal.get(usize::from(kind)).copied().unwrap_or(false)
    }
}

/// Returns whether a kind with this name is one word for the data flow, whatever its content.
pub(crate) fn is_literal(name: &str) -> bool {
    matches!(name, "string" | "string_literal" | "character_literal")
}

/// The grammar itself.
pub(crate) fn parser_tables(language: Language) -> tree_sitter::Language {
    match language {
        Language::Java => tree_sitter_java::LANGUAGE,
        Language::Python => tree_sitter_python::LANGUAGE,
        Language::CSharp => tree_sitter_c_sharp::LANGUAGE,
        Language::C => tree_sitter_c::LANGUAGE,
        Language::Cpp => tree_sitter_cpp::LANGUAGE,
        Language::JavaScript => tree_sitter_javascript::LANGUAGE,
        Language::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
        Language::Go => tree_sitter_go::LANGUAGE,
        Language::Ruby => tree_sitter_ruby::LANGUAGE,
        Language::Php => tree_sitter_php::LANGUAGE_PHP,
        Language::Rust => tree_sitter_rust::LANGUAGE,
    }
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grammars_are_those_that_are_built_in() {
        let manifest = include_str!("../../../Cargo.toml");
        let lock = include_str!("../../../Cargo.lock");
        for language in Language::ALL {
            let grammar = grammar(language);
            let (tables, parser) = grammar.split_once('/').unwrap();
            let (name, version) = tables.rsplit_once('-').unwrap();
            let name = name.replace('_', "-");
            let line = format!("tree-sitter-{name} = \"={version}\"");
            assert!(manifest.contains(&line), "{line}");
            let locked = format!("name = \"tree-sitter-{name}\"\nversion = \"{version}\"");
            assert!(lock.contains(&locked), "{locked}");
            let version = parser.rsplit_once('-').unwrap().1;
            assert!(manifest.contains(&format!("tree-sitter = {{ version = \"={version}\"")));
            assert!(lock.contains(&format!("name = \"tree-sitter\"\nversion = \"{version}\"")));
        }
    }
}
