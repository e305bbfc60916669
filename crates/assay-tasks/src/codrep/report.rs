//! The results as CodRep's original scorer prints them.

use assay_core::Results;

/// The three lines of the original scorer.
pub(super) fn original_lines(results: &Results) -> String {
    let value = |name: &str| results.metrics.get(name).map_or(f64::NAN, |estimate| estimate.value);
    format!(
        "Total files: {}\n\
         Average line error: {} (the lower, the better)\n\
         Recall@1: {} (the higher, the better)\n",
        results.counts.problems,
        as_python(value("line-error")),
        as_python(value("recall@1")),
    )
}

/// The shortest text that parses as `value`, formatted like Python's `str`.
fn as_python(value: f64) -> String {
    let plain = value == 0.0 || (1e-4..1e16).contains(&value.abs()) || !value.is_finite();
    if plain {
        return format!("{value:?}").replace("NaN", "nan");
    }
    let text = format!("{value:e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |rest| ('-', rest));
    format!("{digits}e{sign}{exponent:0>2}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_as_python_does() {
        for (value, text) in [
            (0.0, "0.0"),
            (1.0, "1.0"),
            (0.1, "0.1"),
            (0.982_956_843_925_154_3, "0.9829568439251543"),
            (0.0001, "0.0001"),
            (9.912_767_644_726_408e-5, "9.912767644726408e-05"),
            (1e-10, "1e-10"),
            (1.5e-300, "1.5e-300"),
            (123_456_789.0, "123456789.0"),
            (1e16, "1e+16"),
        ] {
            assert_eq!(as_python(value), text);
        }
    }
}
