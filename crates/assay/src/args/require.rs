//! `--require METRIC>=NUMBER`: a threshold that a metric must reach.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use assay_core::{Estimate, Named};

/// The operators, longer ones before their beginnings.
const OPERATORS: [(&str, Comparison); 5] = [
    (">=", |value, bound| value >= bound),
    ("<=", |value, bound| value <= bound),
    ("==", |value, bound| value.partial_cmp(&bound).is_some_and(Ordering::is_eq)),
    (">", |value, bound| value > bound),
    ("<", |value, bound| value < bound),
];

type Comparison = fn(f64, f64) -> bool;
type Part = fn(&Estimate) -> f64;

/// The parts of an estimate that may be compared, by their suffix.
const PARTS: [(&str, Part); 3] =
    [(".value", |it| it.value), (".low", |it| it.low), (".high", |it| it.high)];

/// A threshold for a metric, or for an end of its interval.
#[derive(Debug, Clone)]
pub(crate) struct Requirement {
    text: String,
    /// The metric's name, with the part of the estimate if it was given.
    name: String,
    comparison: Comparison,
    bound: f64,
}

impl Requirement {
    /// The metric's name.
    pub(crate) fn metric(&self) -> &str {
        let stem = PARTS.iter().find_map(|(suffix, _)| self.name.strip_suffix(suffix));
        stem.unwrap_or(&self.name)
    }

    /// The number that is compared; `None` if the metric is undefined.
    pub(crate) fn value(&self, metrics: &Named<Estimate>) -> Option<f64> {
        let part = PARTS.iter().find(|(suffix, _)| self.name.ends_with(suffix));
        let part = part.map_or(PARTS[0].1, |(_, part)| *part);
        metrics.get(self.metric()).map(part)
    }

    /// Returns true if the metric is defined and meets the threshold.
    pub(crate) fn is_met(&self, metrics: &Named<Estimate>) -> bool {
        self.value(metrics).is_some_and(|value| (self.comparison)(value, self.bound))
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for Requirement {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || {
            "expected METRIC>=NUMBER, with one of >=, >, <=, <, == between\n\n\
             hint: such as 'pass@1>=0.6', in quotes, or 'pass@1.low>=0.55' for the interval's lower end"
                .to_owned()
        };
        let start = text.find(['<', '>', '=']).ok_or_else(expected)?;
        let (name, rest) = text.split_at(start);
        let found = OPERATORS.iter().find(|(operator, _)| rest.starts_with(operator));
        let (operator, comparison) = found.ok_or_else(expected)?;
        let bound = rest[operator.len()..].trim().parse::<f64>().ok();
        let bound = bound.filter(|bound| bound.is_finite()).ok_or_else(expected)?;
        let name = name.trim().to_owned();
        if name.is_empty() {
            return Err(expected());
        }
        let text = format!("{name}{operator}{bound}");
        Ok(Self { text, name, comparison: *comparison, bound })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metrics(value: f64) -> Named<Estimate> {
        let estimate = Estimate { value, low: value - 0.1, high: value + 0.1, n: 9 };
        [("pass@1".into(), estimate)].into_iter().collect()
    }

    #[test]
    fn a_threshold_is_met_as_its_operator_says() {
        for (text, below, at, above) in [
            ("pass@1>=0.5", false, true, true),
            ("pass@1 > 0.5", false, false, true),
            ("pass@1<=5e-1", true, true, false),
            ("pass@1<.5", true, false, false),
            ("pass@1==0.50", false, true, false),
            ("pass@1.value>=0.5", false, true, true),
            ("pass@1.low>=0.4", false, true, true),
            ("pass@1.high<=0.6", true, true, false),
        ] {
            let requirement: Requirement = text.parse().unwrap();
            assert_eq!(requirement.metric(), "pass@1");
            let met = [0.25, 0.5, 0.75].map(|value| requirement.is_met(&metrics(value)));
            assert_eq!(met, [below, at, above], "{text}");
            assert!(!requirement.is_met(&metrics(f64::NAN)), "{text}");
            assert!(!requirement.is_met(&Named::new()), "{text}");
        }
    }

    #[test]
    fn anything_else_is_refused_with_an_example() {
        for text in [
            "",
            "pass@1",
            "pass@1=0.5",
            "pass@1>=",
            ">=0.5",
            "pass@1>=x",
            "pass@1>=NaN",
            "a=>1",
            "a>=inf",
        ] {
            assert!(text.parse::<Requirement>().unwrap_err().contains("pass@1>=0.6"), "{text}");
        }
    }
}
