//! The meaning of each language's nodes for the flow of data: CodeBLEU's rules, as tables.
//!
//! They were written for grammars of 2020, and some no longer apply (C#'s initialisers and for-each
//! loops, Rust's names of kinds). They stay as they are: the field's numbers depend on them.

use std::num::NonZero;
use std::sync::OnceLock;

use crate::Language;
use crate::grammar::{is_literal, parser_tables};

/// The rules of one language.
pub(super) struct Rules {
    pub(super) definitions: &'static [&'static str],
    pub(super) definition: Definition,
    pub(super) assignments: &'static [&'static str],
    pub(super) assignment: Assignment,
    /// `x++`: everything in it is computed from everything in it.
    pub(super) increments: &'static [&'static str],
    pub(super) ifs: &'static [&'static str],
    /// The children of an `if` that start a new branch.
    pub(super) branches: &'static [&'static str],
    pub(super) branching: Branching,
    pub(super) fors: &'static [&'static str],
    pub(super) for_loop: For,
    pub(super) for_eaches: &'static [&'static str],
    pub(super) for_each: ForEach,
    pub(super) whiles: &'static [&'static str],
    /// Children that run before their siblings.
    pub(super) first: &'static [&'static str],
}

/// The positions of a definition's name and value.
#[derive(Clone, Copy)]
pub(super) enum Definition {
    /// In these fields.
    Fields(&'static str, &'static str),
    /// The first child and, if there are exactly two, the second.
    TwoChildren,
    /// The second child and, if there is one, the third.
    SecondAndThird,
}

/// The way an assignment links its sides.
#[derive(Clone, Copy)]
pub(super) enum Assignment {
    /// Each variable on the left has an edge from each on the right.
    Whole,
    /// Part by part if both sides have the same number; each variable on the left has one edge from
    /// all of its part on the right.
    Parts,
    /// The same, but `x += y` has its sides at its ends.
    PartsOfRuby,
}

/// The states that are joined after an `if`.
#[derive(Clone, Copy)]
pub(super) struct Branching {
    /// True if everything after the first branch is a branch too.
    pub(super) to_the_end: bool,
    /// True if the state before counts even with an `else`.
    pub(super) always_before: bool,
}

/// The way in which a `for` runs.
#[derive(Clone, Copy)]
pub(super) enum For {
    /// All children, then all after the first of this kind again.
    Again(&'static str),
    /// The same for Go, whose update also runs again.
    AgainWithUpdate,
    /// Twice: right side, left side, and the last child if it is of this kind.
    LeftRight(&'static str),
    /// Twice: value, pattern, body.
    PatternValue,
}

/// The positions of a for-each's variable, iterated value and body.
#[derive(Clone, Copy)]
pub(super) enum ForEach {
    /// In these fields.
    Fields(&'static str, &'static str, &'static str),
    /// The second and the first child of this kind, and the field `body`.
    SecondAndFirst(&'static str),
}

const JAVA: Rules = Rules {
    definitions: &["variable_declarator"],
    definition: Definition::Fields("name", "value"),
    assignments: &["assignment_expression"],
    assignment: Assignment::Whole,
    increments: &["update_expression"],
    ifs: &["if_statement", "else"],
    branches: &["if_statement", "else"],
    branching: Branching { to_the_end: true, always_before: false },
    fors: &["for_statement"],
    for_loop: For::Again("local_variable_declaration"),
    for_eaches: &["enhanced_for_statement"],
    for_each: ForEach::Fields("name", "value", "body"),
    whiles: &["while_statement"],
    first: &[],
};

/// The rules of C#, also used for C and C++, which have none.
const C_SHARP: Rules = Rules {
    definition: Definition::TwoChildren,
    increments: &["postfix_unary_expression"],
    for_eaches: &["for_each_statement"],
    for_each: ForEach::Fields("left", "right", "body"),
    ..JAVA
};

const PYTHON: Rules = Rules {
    definitions: &["default_parameter"],
    assignments: &["assignment", "augmented_assignment", "for_in_clause"],
    assignment: Assignment::Parts,
    increments: &[],
    ifs: &["if_statement"],
    branches: &["elif_clause", "else_clause"],
    branching: Branching { to_the_end: false, always_before: false },
    for_loop: For::LeftRight("block"),
    for_eaches: &[],
    first: &["for_in_clause"],
    ..JAVA
};

const RUBY: Rules = Rules {
    definitions: &["keyword_parameter"],
    assignments: &["assignment", "operator_assignment"],
    assignment: Assignment::PartsOfRuby,
    increments: &[],
    ifs: &["if", "elsif", "else", "unless", "when"],
    branches: &["if", "elsif", "else", "unless", "when"],
    branching: Branching { to_the_end: false, always_before: false },
    fors: &["for"],
    for_loop: For::PatternValue,
    for_eaches: &[],
    whiles: &["while_modifier", "until"],
    ..JAVA
};

const GO: Rules = Rules {
    definitions: &["var_spec"],
    assignments: &["assignment_statement"],
    increments: &["inc_statement"],
    branching: Branching { to_the_end: true, always_before: true },
    for_loop: For::AgainWithUpdate,
    for_eaches: &[],
    whiles: &[],
    ..JAVA
};

const PHP: Rules = Rules {
    definitions: &["simple_parameter"],
    definition: Definition::Fields("name", "default_value"),
    assignments: &["assignment_expression", "augmented_assignment_expression"],
    ifs: &["if_statement", "else_clause"],
    branches: &["if_statement", "else_clause"],
    branching: Branching { to_the_end: true, always_before: true },
    for_loop: For::Again("assignment_expression"),
    for_eaches: &["foreach_statement"],
    for_each: ForEach::SecondAndFirst("variable_name"),
    ..JAVA
};

/// The rules of JavaScript, also used for TypeScript, which has none.
const JAVASCRIPT: Rules = Rules {
    assignments: &["assignment_pattern", "augmented_assignment_expression"],
    branching: Branching { to_the_end: true, always_before: true },
    for_loop: For::Again("variable_declaration"),
    for_eaches: &[],
    ..JAVA
};

const RUST: Rules = Rules {
    definitions: &["function_item"],
    definition: Definition::SecondAndThird,
    assignments: &["assignment_expression", "compound_assignment_expr", "let_expression"],
    increments: &[],
    ifs: &["if_expression", "if_let_expression", "match_expression", "else"],
    branches: &["if_expression", "if_let_expression", "match_expression", "else"],
    fors: &["for_expression"],
    for_eaches: &["for_each_statement"],
    for_each: ForEach::Fields("left", "right", "body"),
    whiles: &["while_expression", "while_let_expression", "loop_expression"],
    ..JAVA
};

fn rules(language: Language) -> &'static Rules {
    match language {
        Language::Java => &JAVA,
        Language::CSharp | Language::C | Language::Cpp => &C_SHARP,
        Language::Python => &PYTHON,
        Language::Ruby => &RUBY,
        Language::Go => &GO,
        Language::Php => &PHP,
        Language::JavaScript | Language::TypeScript => &JAVASCRIPT,
        Language::Rust => &RUST,
    }
}

/// The role of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Definition,
    Assignment,
    Increment,
    If,
    For,
    ForEach,
    While,
    Other,
}

/// The properties of a kind of nodes.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a question of its own about a name")]
pub(super) struct Kind {
    pub(super) name: String,
    pub(super) role: Role,
    pub(super) is_string: bool,
    pub(super) is_other_literal: bool,
    pub(super) is_comment: bool,
    pub(super) is_identifier: bool,
    pub(super) says_else: bool,
    pub(super) is_branch: bool,
    pub(super) is_first: bool,
}

/// The rules of a language with its kinds and fields as numbers.
pub(super) struct Compiled {
    pub(super) rules: &'static Rules,
    kinds: Vec<Kind>,
    error: Kind,
    fields: Vec<(&'static str, u16)>,
}

impl Compiled {
    /// The rules of `language`.
    pub(super) fn of(language: Language) -> &'static Self {
        static COMPILED: [OnceLock<Compiled>; Language::ALL.len()] =
            [const { OnceLock::new() }; Language::ALL.len()];
        COMPILED[language as usize].get_or_init(|| {
            let rules = rules(language);
            let tables = parser_tables(language);
            let count = u16::try_from(tables.node_kind_count()).unwrap_or(u16::MAX);
            let name = |id| tables.node_kind_for_id(id).unwrap_or_default();
            let kinds = (0..count).map(|id| kind(name(id), rules)).collect();
            let number = |name| tables.field_id_for_name(name).map_or(NO_FIELD, NonZero::get);
            let fields = FIELDS.map(|name| (name, number(name))).to_vec();
            Self { rules, kinds, error: kind("ERROR", rules), fields }
        })
    }

    pub(super) fn kind(&self, id: u16) -> &Kind {
        self.kinds.get(usize::from(id)).unwrap_or(&self.error)
    }

    /// The number of the field with this name.
    pub(super) fn field(&self, name: &str) -> u16 {
        let field = self.fields.iter().find(|(known, _)| *known == name);
        field.map_or(NO_FIELD, |(_, number)| *number)
    }
}

/// A number that no field has.
const NO_FIELD: u16 = u16::MAX;

/// The fields that the rules use.
const FIELDS: [&str; 8] =
    ["left", "right", "name", "value", "body", "default_value", "update", "pattern"];

fn kind(name: &str, rules: &Rules) -> Kind {
    let by_kind = [
        (rules.definitions, Role::Definition),
        (rules.assignments, Role::Assignment),
        (rules.increments, Role::Increment),
        (rules.ifs, Role::If),
        (rules.fors, Role::For),
        (rules.for_eaches, Role::ForEach),
        (rules.whiles, Role::While),
    ];
    let role = by_kind.into_iter().find(|(names, _)| names.contains(&name));
    Kind {
        name: name.to_owned(),
        role: role.map_or(Role::Other, |(_, role)| role),
        is_string: name == "string",
        is_other_literal: is_literal(name) && name != "string",
        is_comment: name == "comment",
        is_identifier: name == "identifier",
        says_else: name.contains("else"),
        is_branch: rules.branches.contains(&name),
        is_first: rules.first.contains(&name),
    }
}
