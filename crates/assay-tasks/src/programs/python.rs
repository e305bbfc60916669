//! Texts as Python code.

/// A text as a Python literal: JSON's escapes are valid in Python.
pub(crate) fn python_text(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_written_for_python() {
        assert_eq!(python_text("a\"\n\\é"), r#""a\"\n\\é""#);
    }
}
