//! Tables that are tied to one kept result.
//!
//! ```text
//! <!-- figures
//! table = report/held_out
//! column recall@1 = recall
//! -->
//! ```
//!
//! A row is the element with its first cell as a name (the key of an object, or a text in an element of an array), or
//! with `in order` after the path, the element at its place. A column is the field that is called like it, or that
//! `column` names; `sum FIELD` and `mean FIELD by WEIGHT` combine several elements, where the path has a `*` and `#`
//! for the place of the row. Two numbers in a cell (`0.1 / 0.2`) are an array of two.

use serde_json::Value;

use crate::page::UNITS;
use crate::source::{Figure, Measured, values};

/// The cells of a row.
fn cells(line: &str) -> Vec<String> {
    let line = line.trim().trim_start_matches('|').trim_end_matches('|');
    line.split('|').map(|cell| cell.replace('`', "").trim().to_owned()).collect()
}

/// The differences between a table and its source.
pub(crate) fn errors(lines: &[String], source: &str, columns: &[&str]) -> Vec<String> {
    let heads = lines.first().map(|line| cells(line)).unwrap_or_default();
    let mut errors = Vec::new();
    for (place, line) in lines.iter().skip(2).enumerate() {
        let cells = cells(line);
        let name = cells.first().cloned().unwrap_or_default();
        for (head, cell) in heads.iter().zip(&cells).skip(1) {
            let numbers: Vec<Figure> = cell.split(" / ").filter_map(figure).collect();
            if numbers.is_empty() {
                continue;
            }
            let columns: Vec<_> =
                columns.iter().filter_map(|column| column.split_once(" = ")).collect();
            let field = columns
                .iter()
                .find(|(column, _)| column == head)
                .map_or(head.as_str(), |(_, field)| field);
            let found = row(source, &name, place).and_then(|found| field_of(&found, field));
            let compared =
                found.and_then(|values| compare(&numbers, &values, &format!("{name}, {head}")));
            errors.extend(compared.err());
        }
    }
    errors
}

/// The figure in a cell: a number alone, with a unit, or `of` a total; `14 differ` is text.
fn figure(cell: &str) -> Option<Figure> {
    let unit = cell.split(' ').nth(1).unwrap_or_default();
    let known = unit.is_empty() || unit == "of" || UNITS.contains(&unit);
    Figure::parse(cell).filter(|_| known)
}

/// The elements of a row.
fn row(source: &str, name: &str, place: usize) -> Result<Vec<Value>, String> {
    if source.contains('#') {
        return values(&source.replace('#', &place.to_string()));
    }
    if let Some(path) = source.strip_suffix(" in order") {
        return values(&format!("{path}/{place}"));
    }
    let all = values(source)?.remove(0);
    let found = match &all {
        Value::Array(items) => items.iter().find(|item| {
            item.as_object().is_some_and(|fields| fields.values().any(|value| value == name))
        }),
        other => other.get(name),
    };
    found
        .map(|found| vec![found.clone()])
        .ok_or_else(|| format!("there is no row {name} in {source}"))
}

/// The numbers of a field.
fn field_of(elements: &[Value], field: &str) -> Result<Vec<f64>, String> {
    let number = |element: &Value, field: &str| {
        let path = format!("/{field}");
        let value = element.pointer(&path).cloned().unwrap_or_default();
        value.as_f64().ok_or_else(|| format!("there is no number {field}"))
    };
    if let Some(field) = field.strip_prefix("sum ") {
        let sum: Result<f64, String> = elements.iter().map(|element| number(element, field)).sum();
        return Ok(vec![sum?]);
    }
    if let Some((field, weight)) =
        field.strip_prefix("mean ").and_then(|mean| mean.split_once(" by "))
    {
        let (mut sum, mut weights) = (0.0, 0.0);
        for element in elements {
            sum += number(element, field)? * number(element, weight)?;
            weights += number(element, weight)?;
        }
        return Ok(vec![sum / weights]);
    }
    let element = elements.first().ok_or("there is no element")?;
    match element.pointer(&format!("/{field}")) {
        Some(Value::Array(items)) => items
            .iter()
            .map(|item| item.as_f64().ok_or_else(|| format!("{field} has no numbers")))
            .collect(),
        _ => number(element, field).map(|value| vec![value]),
    }
}

fn compare(shown: &[Figure], kept: &[f64], place: &str) -> Result<(), String> {
    if shown.len() != kept.len() {
        return Err(format!("{place}: {} numbers for {}", shown.len(), kept.len()));
    }
    for (figure, &value) in shown.iter().zip(kept) {
        figure.check(Measured::plain(value), place)?;
    }
    Ok(())
}
