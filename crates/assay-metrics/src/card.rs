//! The description of a text metric, from which its part of the command line is generated.

use std::ops::RangeInclusive;

/// The description of a text metric.
#[derive(Debug)]
pub struct TextMetricCard {
    /// The name on the command line.
    pub name: &'static str,
    /// One line, without a period.
    pub summary: &'static str,
    /// The variants, as they are listed.
    pub variants: &'static [VariantCard],
    /// The name of the variant to compute if none is chosen.
    pub default_variant: &'static str,
    /// True if the metric needs the programming language of the texts.
    pub needs_language: bool,
    /// The options beyond the variant and the language.
    pub options: &'static [OptionCard],
    /// Commands to try.
    pub examples: &'static [&'static str],
}

/// The description of a variant.
#[derive(Debug)]
pub struct VariantCard {
    /// The value of `--variant`.
    pub name: &'static str,
    /// One line, without a period.
    pub about: &'static str,
}

/// The description of an option.
#[derive(Debug)]
pub struct OptionCard {
    /// The name, without the leading `--`.
    pub name: &'static str,
    /// A second name.
    pub alias: Option<&'static str>,
    /// The placeholder of the value in the help.
    pub value_name: &'static str,
    /// One sentence or two, without the last period.
    pub help: &'static str,
    /// The values that it takes.
    pub kind: OptionKind,
}

/// The kind of values that an option takes.
#[derive(Debug, Clone)]
pub enum OptionKind {
    /// On if present: `true` or `false`.
    Flag,
    /// A whole number in a range.
    Integer(RangeInclusive<usize>),
    /// A finite number that is not negative.
    Float,
    /// One of these names.
    Choice(&'static [&'static str]),
    /// Any text; the metric itself checks it.
    Text,
}

impl TextMetricCard {
    /// The option called `name`.
    pub fn option(&self, name: &str) -> Option<&'static OptionCard> {
        self.options.iter().find(|option| option.name == name)
    }
}

impl VariantCard {
    /// A variant with its description.
    pub const fn new(name: &'static str, about: &'static str) -> Self {
        Self { name, about }
    }
}

impl OptionCard {
    /// An option that takes a value.
    pub const fn new(
        name: &'static str,
        value_name: &'static str,
        kind: OptionKind,
        help: &'static str,
    ) -> Self {
        Self { name, alias: None, value_name, help, kind }
    }

    /// An option without a value.
    pub const fn flag(name: &'static str, help: &'static str) -> Self {
        Self::new(name, "", OptionKind::Flag, help)
    }

    /// The same option with a second name.
    #[must_use]
    pub const fn alias(self, alias: &'static str) -> Self {
        Self { alias: Some(alias), ..self }
    }
}

impl OptionKind {
    /// Checks a value; the error says what is wrong with it.
    pub fn check(&self, text: &str) -> Result<(), String> {
        match self {
            Self::Flag if !["true", "false"].contains(&text) => {
                Err("expected true or false".to_owned())
            }
            Self::Integer(range) => {
                let number: i64 = text.parse().map_err(|error| format!("{error}"))?;
                let inside = usize::try_from(number).is_ok_and(|number| range.contains(&number));
                inside.then_some(()).ok_or_else(|| format!("{number} is not in {range:?}"))
            }
            Self::Float if float(text).is_none() => {
                Err("expected a number that is not negative".to_owned())
            }
            Self::Choice(names) if !names.contains(&text) => {
                Err(format!("expected one of {}", names.join(", ")))
            }
            _ => Ok(()),
        }
    }
}

/// Parses a finite number that is not negative.
pub(crate) fn float(text: &str) -> Option<f64> {
    let number: f64 = text.trim().parse().ok()?;
    (number.is_finite() && number >= 0.0).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_checked_by_kind() {
        let check = |kind: OptionKind, text: &str, expected: Result<(), &str>| {
            assert_eq!(kind.check(text), expected.map_err(str::to_owned), "{kind:?} {text:?}");
        };
        check(OptionKind::Flag, "true", Ok(()));
        check(OptionKind::Flag, "1", Err("expected true or false"));
        check(OptionKind::Integer(1..=16), "16", Ok(()));
        check(OptionKind::Integer(1..=16), "17", Err("17 is not in 1..=16"));
        check(OptionKind::Integer(1..=16), "-1", Err("-1 is not in 1..=16"));
        check(OptionKind::Integer(1..=16), "x", Err("invalid digit found in string"));
        check(OptionKind::Float, " 0.5 ", Ok(()));
        for wrong in ["-1", "nan", "inf", "x", ""] {
            check(OptionKind::Float, wrong, Err("expected a number that is not negative"));
        }
        check(OptionKind::Choice(&["f1", "recall"]), "recall", Ok(()));
        check(OptionKind::Choice(&["f1", "recall"]), "f", Err("expected one of f1, recall"));
        check(OptionKind::Text, "", Ok(()));
    }
}
