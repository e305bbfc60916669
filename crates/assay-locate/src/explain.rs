//! Explanations of a line's rank.
//!
//! A candidate is compared with one other: the best with the runner-up, every other with the best.
//! The difference of their scores is distributed among the features by Shapley's rule: for every
//! set of features, the trees score a row that has these from the one candidate and the rest from
//! the other, and each feature gets the mean of its changes, over all orders of going from the one
//! to the other. So the shares add up to the difference, and a feature in which the two are equal
//! gets nothing. The paths through a tree that the two rows allow are few, so this is computed
//! exactly and needs only the trees.

use std::sync::LazyLock;

use crate::features::Table;
use crate::model::Tree;
use crate::phrases::{comparison, phrase};
use crate::{Locator, Model, RankedLine, features};

/// A candidate with the reasons for and against it.
#[derive(Debug, Clone, PartialEq)]
pub struct ExplainedLine {
    /// The candidate, as returned by [`Locator::rank`].
    pub ranked: RankedLine,
    /// The line that it is compared with; `None` if it is the only candidate.
    pub against: Option<usize>,
    /// The total preference of all trees for it over that line. This is the difference of their
    /// scores, unless one of them was so far behind that most trees did not score it.
    pub margin: f64,
    /// The reasons for the margin, largest first. The contributions add up to it.
    pub reasons: Vec<Reason>,
}

/// The contribution of one feature to a margin. A feature and its gap are one reason.
#[derive(Debug, Clone, PartialEq)]
pub struct Reason {
    /// The feature's name.
    pub feature: &'static str,
    /// The candidate's value.
    pub value: f32,
    /// The value of the line that it is compared with.
    pub other: f32,
    /// The difference to the best value of any other candidate; 0 or less if it is not the best.
    pub lead: f32,
    /// Its share in the margin: above 0 it favours the candidate.
    pub contribution: f64,
}

/// The names of the features that are not gaps.
static PLAIN: LazyLock<Vec<String>> = LazyLock::new(|| {
    let plain = features().into_iter().filter(|feature| !feature.gap);
    plain.map(|feature| feature.name).collect()
});

impl Locator {
    /// The `top` most likely candidates, as ranked by [`Self::rank`], with reasons.
    pub fn explain(&self, line: &[u8], program: &[u8], top: usize) -> Vec<ExplainedLine> {
        let table = Table::new(line, program);
        let ranked = self.rank_rows(&table);
        let explain = |place: usize| {
            let (row, candidate) = ranked[place];
            let other = ranked.get(usize::from(place == 0));
            let (margin, reasons) = other.map_or((0.0, Vec::new()), |(other, _)| {
                reasons(&self.model, table.row(row), table.row(*other))
            });
            let against = other.map(|(_, other)| other.line);
            ExplainedLine { ranked: candidate, against, margin, reasons }
        };
        (0..ranked.len().min(top)).map(explain).collect()
    }
}

impl Reason {
    /// The candidate's value as a phrase: "ends in a semicolon".
    pub fn phrase(&self) -> String {
        phrase(self.feature, self.value).unwrap_or_else(|| {
            let Self { feature, value, .. } = self;
            format!("{feature}: {value}")
        })
    }

    /// The value of the line that the candidate is compared with: "line 7: 0.55".
    pub fn comparison(&self, against: usize) -> String {
        comparison(self.feature, against, self.other, self.lead)
            .unwrap_or_else(|| format!("line {against}: {}", self.other))
    }
}

/// Returns the reasons why the trees prefer the row `here` to the row `there`.
fn reasons(model: &Model, here: &[f32], there: &[f32]) -> (f64, Vec<Reason>) {
    let shares = shares(model, here, there);
    let plain = PLAIN.len();
    let mut reasons: Vec<Reason> = (PLAIN.iter().enumerate())
        .map(|(at, feature)| Reason {
            feature,
            value: here[at],
            other: there[at],
            lead: here[at + plain],
            contribution: shares[at] + shares[at + plain],
        })
        .filter(|reason| reason.contribution.abs() > 0.0)
        .collect();
    reasons.sort_by(|left, right| right.contribution.abs().total_cmp(&left.contribution.abs()));
    (shares.iter().sum(), reasons)
}

/// Each feature's share in the difference between the scores of `here` and `there`.
fn shares(model: &Model, here: &[f32], there: &[f32]) -> Vec<f64> {
    let mut walker = Walker { here, there, decided: Vec::new(), shares: vec![0.0; here.len()] };
    for tree in &model.trees {
        walker.walk(tree, if tree.nodes.is_empty() { !0 } else { 0 });
    }
    walker.shares
}

/// Walks through a tree along all paths that a mixture of two rows can take.
struct Walker<'a> {
    here: &'a [f32],
    there: &'a [f32],
    /// The features that the path depends on, and whether each is taken from `here`.
    decided: Vec<(u16, bool)>,
    shares: Vec<f64>,
}

impl Walker<'_> {
    /// Continues from the node at `at`. The depth is bounded by the number of features.
    fn walk(&mut self, tree: &Tree, mut at: i16) {
        while at >= 0 {
            let node = &tree.nodes[at as usize];
            let (here, there) = (node.child(self.here), node.child(self.there));
            let decided = self.decided.iter().find(|(feature, _)| *feature == node.feature);
            at = match decided {
                _ if here == there => here,
                Some((_, true)) => here,
                Some((_, false)) => there,
                None => {
                    for (child, from_here) in [(here, true), (there, false)] {
                        self.decided.push((node.feature, from_here));
                        self.walk(tree, child);
                        self.decided.pop();
                    }
                    return;
                }
            };
        }
        self.distribute(f64::from(tree.leaves[!at as usize]));
    }

    /// Distributes the value of a leaf, which counts for the sets of features that lead to it: for
    /// the features that must be from `here`, and against those that must not.
    fn distribute(&mut self, leaf: f64) {
        let ours = self.decided.iter().filter(|(_, from_here)| *from_here).count();
        let theirs = self.decided.len() - ours;
        for &(feature, from_here) in &self.decided {
            self.shares[usize::from(feature)] += if from_here {
                leaf * orders(ours - 1, theirs)
            } else {
                -leaf * orders(theirs - 1, ours)
            };
        }
    }
}

/// The share of all orders of `before` + 1 + `after` elements in which one of them is at its
/// position, with these before it and those after: before! · after! / (before + after + 1)!
fn orders(before: usize, after: usize) -> f64 {
    let (few, many) = (before.min(after), before.max(after));
    let ratio = |at: usize| at as f64 / (many + at) as f64;
    (1..=few).map(ratio).product::<f64>() / (before + after + 1) as f64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::Node;

    /// Trees that use similarity, kind and position, so that candidates differ.
    fn opinionated() -> Locator {
        let feature = |name: &str| {
            let names = features().into_iter().position(|feature| feature.name == name);
            u16::try_from(names.unwrap()).unwrap()
        };
        let split = |name: &str, threshold: f32, less_or_equal: i16, greater: i16| Node {
            feature: feature(name),
            threshold,
            less_or_equal,
            greater,
        };
        let tree = Tree {
            nodes: vec![
                split("indel", 0.5, 1, 2),
                split("place in file", 0.3, !0, !1),
                split("indel, gap", 0.0, 3, !2),
                split("indel", 0.8, !3, !4),
            ],
            leaves: vec![-1.0, -0.5, 2.5, 0.25, 1.5],
        };
        let second = Tree {
            nodes: vec![split("same kind", 0.5, !0, 1), split("place in file", 0.5, !1, !2)],
            leaves: vec![-0.75, 0.5, 0.125],
        };
        let trees = vec![tree, second, Tree { nodes: vec![], leaves: vec![0.25] }];
        Locator::new(Model { trees, ..Model::default() }.with_current_features()).unwrap()
    }

    /// Shapley's values by definition: over all orders of the features that differ.
    fn by_definition(model: &Model, here: &[f32], there: &[f32]) -> Vec<f64> {
        fn visit(
            model: &Model,
            row: &mut Vec<f32>,
            left: &[usize],
            (here, weight): (&[f32], f64),
            shares: &mut [f64],
        ) {
            for &feature in left {
                let before = (row[feature], f64::from(model.score(row)));
                row[feature] = here[feature];
                let part = weight / left.len() as f64;
                shares[feature] += part * (f64::from(model.score(row)) - before.1);
                let rest: Vec<usize> =
                    left.iter().copied().filter(|&other| other != feature).collect();
                visit(model, row, &rest, (here, part), shares);
                row[feature] = before.0;
            }
        }
        let mut shares = vec![0.0; here.len()];
        let different: Vec<usize> =
            (0..here.len()).filter(|&at| here[at].to_bits() != there[at].to_bits()).collect();
        visit(model, &mut there.to_vec(), &different, (here, 1.0), &mut shares);
        shares
    }

    #[test]
    fn shares_are_those_of_the_definition() {
        let leaf = |at: i16| !at;
        let node = |feature, threshold, less_or_equal, greater| Node {
            feature,
            threshold,
            less_or_equal,
            greater,
        };
        let tree = Tree {
            nodes: vec![
                node(0, 0.5, 1, 2),
                node(1, 0.5, leaf(0), leaf(1)),
                node(2, 0.5, 3, leaf(2)),
                node(0, 0.7, leaf(3), 4),
                node(3, 0.5, leaf(4), leaf(5)),
            ],
            leaves: vec![1.0, -2.0, 4.0, 0.5, 8.0, -3.0],
        };
        let model = Model { trees: vec![tree], width: 4, features: 0 };
        for here in 0..16u8 {
            for there in 0..16u8 {
                let row = |bits: u8| -> Vec<f32> {
                    (0..4).map(|at| if bits >> at & 1 == 1 { 0.9 } else { 0.1 }).collect()
                };
                let (here, there) = (row(here), row(there));
                let found = shares(&model, &here, &there);
                let expected = by_definition(&model, &here, &there);
                for (found, expected) in found.iter().zip(&expected) {
                    assert!((found - expected).abs() < 1e-9, "{here:?} {there:?}");
                }
            }
        }
    }

    const PROGRAM: &[u8] = b"class A {\n  int size = 0;\n\n  void f() {\n    size = 1;\n    call(size);\n    size = 2;\n  }\n}\n";

    #[test]
    fn the_explained_are_the_ranked() {
        let locator = opinionated();
        let ranked = locator.rank(b"    size = 3;", PROGRAM);
        let explained = locator.explain(b"    size = 3;", PROGRAM, usize::MAX);
        let same: Vec<RankedLine> = explained.iter().map(|explained| explained.ranked).collect();
        assert_eq!(same, ranked);
        assert_eq!(explained[0].against, Some(ranked[1].line));
        assert!(explained[1..].iter().all(|other| other.against == Some(ranked[0].line)));
        assert_eq!(locator.explain(b"    size = 3;", PROGRAM, 2).len(), 2);
        let reason = &explained.last().unwrap().reasons[0];
        assert!(reason.contribution < 0.0, "the last has more against it: {reason:?}");
        assert!(!reason.phrase().contains('{'));
    }

    #[test]
    fn a_lone_candidate_needs_no_reason() {
        let explained = opinionated().explain(b"x();", b"y();", 5);
        assert_eq!((explained.len(), explained[0].against), (1, None));
        assert!(explained[0].reasons.is_empty());
        assert!(opinionated().explain(b"x();", b"\n\n", 5).is_empty());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn contributions_add_up_to_the_difference_of_the_scores(
            line in "[ a-c(){};=.\"/0-9]{0,30}",
            program in "[ a-c(){};=.\"/\n0-9]{0,300}",
        ) {
            let locator = opinionated();
            let explained = locator.explain(line.as_bytes(), program.as_bytes(), usize::MAX);
            let score = |line| {
                let found = explained.iter().find(|explained| explained.ranked.line == line);
                f64::from(found.unwrap().ranked.score)
            };
            for explained in explained.iter().filter(|explained| explained.against.is_some()) {
                let sum: f64 = explained.reasons.iter().map(|reason| reason.contribution).sum();
                let gap = score(explained.ranked.line) - score(explained.against.unwrap());
                prop_assert!((sum - explained.margin).abs() < 1e-9);
                prop_assert!((sum - gap).abs() < 1e-5, "{} is not {}", sum, gap);
                for reason in &explained.reasons {
                    prop_assert!((reason.value - reason.other).abs() > 0.0, "{:?} cannot matter", reason);
                }
            }
        }
    }
}
