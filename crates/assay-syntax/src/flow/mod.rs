//! CodeBLEU's data flow, deterministic.
//!
//! The field's tools keep the variables that a value comes from in Python's sets, whose order
//! changes from run to run, and the numbers of variables depend on it. Here they are kept in the
//! order of first occurrence.

mod edges;
mod leaves;
mod rules;
mod state;
mod walk;

use crate::SyntaxTree;
use edges::Names;
use leaves::Leaves;
use rules::Compiled;
use walk::Walk;

/// The deepest tree whose data flow is followed. Python's tools fail a little below a thousand
/// nested calls, and then find no data flow.
const MAX_DEPTH: u32 = 990;

/// The differences between the field's tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dialect {
    /// The literals that are treated as one word.
    pub literals: Literals,
    /// True if an `if` without an `else` makes the whole flow unknown, as in AVATAR's tool for all
    /// languages except Python and PHP.
    pub needs_else: bool,
}

/// The literals that are one word, whatever their content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Literals {
    /// Those that the grammar calls `string`, `string_literal` or `character_literal`.
    StringsAndCharacters,
    /// Those that the grammar calls `string`.
    Strings,
}

/// The relation between a value and its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// The same value.
    ComesFrom = 0,
    /// Computed from others.
    ComputedFrom = 1,
}

impl Relation {
    /// Its name in the field's tools.
    pub fn name(self) -> &'static str {
        match self {
            Self::ComesFrom => "comesFrom",
            Self::ComputedFrom => "computedFrom",
        }
    }
}

/// The data flow of a program.
#[derive(Debug)]
pub struct DataFlow<'a> {
    flows: Vec<Flow>,
    texts: Vec<std::borrow::Cow<'a, str>>,
}

#[derive(Debug)]
struct Flow {
    place: usize,
    text: u32,
    relation: Relation,
    sources: Vec<u32>,
}

impl<'a> DataFlow<'a> {
    /// Computes the data flow of a program. If the rules do not apply, as in many broken programs,
    /// the flow is empty.
    pub fn of(tree: &SyntaxTree<'a>, dialect: Dialect) -> Self {
        let Some(leaves) = leaves(tree, dialect) else {
            return Self { flows: Vec::new(), texts: Vec::new() };
        };
        let mut flows = Vec::new();
        follow(tree, dialect, &leaves, |place, relation, sources| {
            let (text, sources) = (leaves.list[place].text, sources.to_vec());
            flows.push(Flow { place, text, relation, sources });
        });
        Self { flows, texts: leaves.texts }
    }

    /// The identities of a program's flows, one number each, independent of the names of variables.
    pub fn identities(tree: &SyntaxTree<'a>, dialect: Dialect) -> Vec<u64> {
        let Some(leaves) = leaves(tree, dialect) else { return Vec::new() };
        let mut names = Names::new(leaves.texts.len());
        let mut identities = Vec::new();
        follow(tree, dialect, &leaves, |place, relation, sources| {
            identities.push(names.identity(leaves.list[place].text, relation, sources));
        });
        identities
    }

    /// The number of flows.
    pub fn len(&self) -> usize {
        self.flows.len()
    }

    /// Returns whether there are no flows.
    pub fn is_empty(&self) -> bool {
        self.flows.is_empty()
    }

    /// Each flow as the field's tools list it: variable, index among the words, relation, and the
    /// variables that it comes from.
    pub fn listing(&self) -> impl Iterator<Item = (&str, usize, Relation, Vec<&str>)> {
        let text = |number: u32| self.texts[number as usize].as_ref();
        self.flows.iter().map(move |flow| {
            let sources = flow.sources.iter().map(|&source| text(source)).collect();
            (text(flow.text), flow.place, flow.relation, sources)
        })
    }
}

fn leaves<'a>(tree: &SyntaxTree<'a>, dialect: Dialect) -> Option<Leaves<'a>> {
    let compiled = Compiled::of(tree.language);
    (tree.depth() <= MAX_DEPTH).then(|| Leaves::new(tree, compiled, dialect))
}

fn follow(
    tree: &SyntaxTree<'_>,
    dialect: Dialect,
    leaves: &Leaves<'_>,
    visit: impl FnMut(usize, Relation, &[u32]),
) {
    let mut walk = Walk::new(tree, Compiled::of(tree.language), dialect, leaves);
    if walk.run(0).is_ok() {
        let read = walk.state.places_read();
        walk.edges.visit(&read, visit);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Language;

    const DIALECT: Dialect =
        Dialect { literals: Literals::StringsAndCharacters, needs_else: false };

    fn flows(text: &str, language: Language) -> Vec<String> {
        let tree = SyntaxTree::parse(text, language);
        let flow = DataFlow::of(&tree, DIALECT);
        let lines = flow.listing().map(|(text, place, relation, sources)| {
            format!("{text}@{place} {} {}", relation.name(), sources.join(","))
        });
        lines.collect()
    }

    fn check(text: &str, language: Language, expected: &[&str]) {
        assert_eq!(flows(text, language), expected, "{language}: {text}");
    }

    #[test]
    fn values_are_followed() {
        check(
            "x = y\nz = x",
            Language::Python,
            &["x@0 computedFrom y", "y@2 comesFrom ", "z@3 computedFrom x", "x@5 comesFrom x"],
        );
        check(
            "a, b = b, a",
            Language::Python,
            &["a@0 computedFrom b", "b@2 computedFrom a", "b@4 comesFrom ", "a@6 comesFrom "],
        );
        check("x: int", Language::Python, &[]);
        check(
            "int x = y; x++;",
            Language::Java,
            &["x@1 comesFrom y", "y@3 comesFrom ", "x@5 computedFrom x"],
        );
    }

    #[test]
    fn a_loop_carries_values_from_its_end_to_its_start() {
        check(
            "while a:\n  b = c\n  c = b",
            Language::Python,
            &[
                "a@1 comesFrom a",
                "b@3 computedFrom c",
                "c@5 comesFrom c",
                "c@6 computedFrom b",
                "b@8 comesFrom b",
            ],
        );
    }

    #[test]
    fn what_the_rules_do_not_fit_has_no_flow() {
        // The parts of the string literal are paired with those of the attribute.
        check("x.y += 'z'", Language::Python, &[]);
        check("", Language::Java, &[]);
    }

    #[test]
    fn loops_in_loops_cost_no_more_than_their_depth() {
        let mut text = String::new();
        for depth in 0..200 {
            text += &format!("{}for a{depth} in b{depth}:\n", " ".repeat(depth));
        }
        text += &format!("{}a0 = a199\n", " ".repeat(200));
        let tree = SyntaxTree::parse(&text, Language::Python);
        assert_eq!(DataFlow::of(&tree, DIALECT).len(), 402);
    }

    #[test]
    fn a_thousand_conditions_cost_no_square() {
        let lines = (0..20_000).map(|at| format!("if c{at}:\n  x = y{at}\nprint(x)\n"));
        let text: String = lines.collect();
        let tree = SyntaxTree::parse(&text, Language::Python);
        assert_eq!(DataFlow::of(&tree, DIALECT).len(), 80_000);
    }

    #[test]
    fn many_sources_in_a_loop_cost_no_square() {
        let names: Vec<String> = (0..10_000).map(|at| format!("a{at}")).collect();
        let text =
            format!("class A {{ void f() {{ while (q) {{ x = f({}); }} }} }}", names.join(","));
        let tree = SyntaxTree::parse(&text, Language::Java);
        let flow = DataFlow::of(&tree, DIALECT);
        let (_, _, _, sources) = flow.listing().find(|(text, ..)| *text == "x").unwrap();
        assert_eq!(sources.len(), 10_001);
    }

    #[test]
    fn deep_trees_have_no_flow_and_do_no_harm() {
        let text = format!("x = {}1{}", "(".repeat(50_000), ")".repeat(50_000));
        for language in Language::ALL {
            let tree = SyntaxTree::parse(&text, language);
            DataFlow::of(&tree, DIALECT);
        }
    }

    /// The flows of a program if every loop always runs twice.
    fn the_long_way(text: &str) -> Vec<(usize, Relation, Vec<u32>)> {
        let tree = SyntaxTree::parse(text, Language::Python);
        let leaves = leaves(&tree, DIALECT).unwrap();
        let mut walk = Walk::new(&tree, Compiled::of(tree.language), DIALECT, &leaves);
        walk.always_twice = true;
        let mut flows = Vec::new();
        if walk.run(0).is_ok() {
            let read = walk.state.places_read();
            walk.edges.visit(&read, |place, relation, sources| {
                flows.push((place, relation, sources.to_vec()));
            });
        }
        flows
    }

    /// A block of statements, indented by one.
    fn block() -> impl Strategy<Value = String> {
        let line = "[a-e](, [a-e])? \\+?= [a-e](\\([a-e]\\))?\n|print\\([a-e]\\)\n";
        let lines =
            |inner: String| inner.lines().map(|line| format!(" {line}\n")).collect::<String>();
        line.prop_map(move |line| format!(" {line}")).prop_recursive(5, 24, 3, move |inner| {
            let some = prop::collection::vec(inner, 1..4).prop_map(|parts| parts.concat());
            let head = "(for [a-e] in [a-e]|while [a-e] < [a-e]|if [a-e]):\n";
            (some.clone(), head, some, any::<bool>()).prop_map(move |(before, head, body, or)| {
                let body = lines(body);
                let other = if or && head.starts_with("if") { " else:\n  a = b\n" } else { "" };
                format!("{before} {head}{body}{other}")
            })
        })
    }

    proptest! {
        #[test]
        fn the_short_way_is_the_long_way(block in block()) {
            let text = format!("def f(a):\n{block}");
            let tree = SyntaxTree::parse(&text, Language::Python);
            prop_assert!(!tree.has_error(), "{text}");
            let found: Vec<(usize, Relation, Vec<u32>)> = DataFlow::of(&tree, DIALECT)
                .flows
                .into_iter()
                .map(|Flow { place, relation, sources, .. }| (place, relation, sources))
                .collect();
            prop_assert_eq!(found, the_long_way(&text), "{}", text);
        }
    }
}
