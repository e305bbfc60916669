//! Values of kept results, by name.
//!
//! | name | value |
//! |---|---|
//! | `locate[floor: read the tasks].peak_mib` | a field of a contender of `benches/results/locate.json` |
//! | `locate/cores` | the value at a path of that file |
//! | `report/held_out/0/tasks` | of the shipped weights' training report |
//! | `report/held_out/*/tasks` | the sum over all elements |
//! | `A / B`, `A * B`, `A - B` | from left to right; numbers too |

use std::fs;

use serde_json::Value;

use crate::repository;

/// A figure as a page shows it.
#[derive(Debug)]
pub(crate) struct Figure {
    number: f64,
    decimals: usize,
    unit: String,
}

impl Figure {
    /// Reads `12.5 ms`, `657,024 bytes`, `0.0618`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (number, unit) = text.split_once(' ').unwrap_or((text, ""));
        let number = number.replace(',', "");
        let decimals = number.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        Some(Self { number: number.parse().ok()?, decimals, unit: unit.to_owned() })
    }

    /// Compares with a kept value, rounded to as many decimals as are shown.
    pub(crate) fn check(&self, value: Measured, source: &str) -> Result<(), String> {
        let value = value.in_unit(&self.unit);
        let scale = 10_f64.powi(i32::try_from(self.decimals).unwrap_or(0));
        // A little beyond half a unit of the last digit: the kept value is no exact decimal.
        if (value - self.number).abs() * scale > 0.500_001 {
            let decimals = self.decimals;
            return Err(format!("{} is {value:.decimals$} in {source}", self.number));
        }
        Ok(())
    }
}

/// A value, and whether its field is in milliseconds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Measured {
    pub(crate) value: f64,
    milliseconds: bool,
}

impl Measured {
    /// A value in the unit that it is shown in.
    pub(crate) fn plain(value: f64) -> Self {
        Self { value, milliseconds: false }
    }

    fn in_unit(self, unit: &str) -> f64 {
        match unit.split(' ').next() {
            Some("s" | "seconds") if self.milliseconds => self.value / 1e3,
            Some("minutes") if self.milliseconds => self.value / 6e4,
            Some("µs") if self.milliseconds => self.value * 1e3,
            Some("%") => self.value * 1e2,
            _ => self.value,
        }
    }
}

/// The value of an expression.
pub(crate) fn value_of(expression: &str) -> Result<Measured, String> {
    let mut words = Vec::new();
    let mut rest = expression;
    // Operators stand between spaces; the names of contenders are in brackets.
    let mut depth = 0;
    let mut begin = 0;
    for (at, letter) in expression.char_indices() {
        match letter {
            '[' => depth += 1,
            ']' => depth -= 1,
            '/' | '*' | '-'
                if depth == 0
                    && expression[..at].ends_with(' ')
                    && expression[at + 1..].starts_with(' ') =>
            {
                words.push((letter, expression[begin..at].trim()));
                begin = at + 1;
                rest = &expression[begin..];
            }
            _ => {}
        }
    }
    words.push((' ', rest.trim()));
    let mut operator = ' ';
    let mut result = Measured { value: 0.0, milliseconds: false };
    for (next, word) in words {
        let term = term(word)?;
        result = match operator {
            ' ' => term,
            '/' => Measured {
                value: result.value / term.value,
                milliseconds: result.milliseconds && !term.milliseconds,
            },
            '*' => Measured { value: result.value * term.value, ..result },
            _ => Measured { value: result.value - term.value, ..result },
        };
        operator = next;
    }
    Ok(result)
}

fn term(word: &str) -> Result<Measured, String> {
    if let Ok(value) = word.parse() {
        return Ok(Measured { value, milliseconds: false });
    }
    let values = values(word)?;
    let milliseconds = word.rsplit(['/', '.']).next().is_some_and(|field| field.contains("_ms"));
    let sum: Option<f64> = values.iter().map(Value::as_f64).sum();
    sum.map(|value| Measured { value, milliseconds }).ok_or_else(|| format!("{word} is no number"))
}

/// The values that a name stands for.
pub(crate) fn values(name: &str) -> Result<Vec<Value>, String> {
    if let Some((file, rest)) = name.split_once('[') {
        let (contender, field) =
            rest.split_once("].").ok_or_else(|| format!("{name} names no field"))?;
        let contenders = load(file)?["contenders"].as_array().cloned().unwrap_or_default();
        let found = contenders.into_iter().find(|one| one["contender"] == contender);
        let value = found.and_then(|found| found.get(field).cloned());
        return value.map(|value| vec![value]).ok_or_else(|| format!("there is no {name}"));
    }
    let (file, path) = name.split_once('/').unwrap_or((name, ""));
    let mut found = vec![load(file)?];
    for part in path.split('/').filter(|part| !part.is_empty()) {
        found = found.iter().flat_map(|value| children(value, part)).collect();
    }
    if found.is_empty() { Err(format!("there is no {name}")) } else { Ok(found) }
}

/// The child of a value by name or number, or all for `*`.
fn children(value: &Value, part: &str) -> Vec<Value> {
    match (value, part) {
        (Value::Array(items), "*") => items.clone(),
        (Value::Object(fields), "*") => fields.values().cloned().collect(),
        (Value::Array(items), _) => {
            part.parse::<usize>().ok().and_then(|at| items.get(at)).cloned().into_iter().collect()
        }
        _ => value.get(part).cloned().into_iter().collect(),
    }
}

/// A file of results; `report` is the training report.
fn load(name: &str) -> Result<Value, String> {
    let path = match name {
        "report" => "crates/assay-solvers/models/locate.report.json".to_owned(),
        _ => format!("benches/results/{name}.json"),
    };
    let bytes = fs::read(repository().join(&path)).map_err(|error| format!("{path}: {error}"))?;
    serde_json::from_slice(&bytes).map_err(|error| format!("{path}: {error}"))
}

#[test]
fn figures_are_compared_with_as_many_digits_as_they_show() {
    let check = |figure: &str, value: f64, milliseconds: bool| {
        Figure::parse(figure).unwrap().check(Measured { value, milliseconds }, "x").is_ok()
    };
    assert!(check("0.46 s", 458.233, true) && !check("0.45 s", 458.233, true));
    assert!(check("17 MiB", 16.58, false) && !check("16 MiB", 16.58, false));
    assert!(check("657,024 bytes", 657_024.0, false) && !check("657,024 bytes", 657_025.0, false));
    assert!(check("6 %", 0.061, false) && check("25 µs", 0.025, true));
    let value = value_of("report/held_out/*/tasks - 3858 / 2 * 1").unwrap().value;
    assert!((value - (39_703.0 - 3_858.0) / 2.0).abs() < 1e-9, "{value}");
    assert!(value_of("nothing[x].y").is_err() && value_of("report/none").is_err());
}
