//! Solution files.

use assay_core::shown_name;

/// Parses a solution file: one number on the first line.
pub fn parse_solution(bytes: &[u8]) -> Result<usize, String> {
    let text = String::from_utf8_lossy(bytes);
    let first = text.lines().next().unwrap_or_default().trim();
    match first.parse::<usize>() {
        Ok(line) if line > 0 => Ok(line),
        _ if first.is_empty() => Err("holds no line number".to_owned()),
        _ => Err(format!("holds \"{}\" instead of a line number", shown_name(first))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<usize, &str>) {
        let found = parse_solution(text.as_bytes());
        assert_eq!(found, expected.map_err(str::to_owned), "{text:?}");
    }

    #[test]
    fn reads_the_first_line() {
        check("17", Ok(17));
        check(" 17 \r\n", Ok(17));
        check("17\nmore", Ok(17));
        check("", Err("holds no line number"));
        check("\n17", Err("holds no line number"));
        check("0", Err("holds \"0\" instead of a line number"));
        check("-4", Err("holds \"-4\" instead of a line number"));
        check("x1", Err("holds \"x1\" instead of a line number"));
    }
}
