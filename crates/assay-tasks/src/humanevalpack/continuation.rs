//! Cuts a continuation of a prompt by OctoPack's rule: it ends with the function that it is to write.

use super::code::{BraceLanguage, Code};

/// Cuts a continuation in Python before the first line that is not indented.
pub(super) fn until_outer_line(text: &str) -> &str {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if !line.trim().is_empty() && !line.starts_with([' ', '\t']) {
            return text[..at].strip_suffix('\n').unwrap_or(&text[..at]);
        }
        at += line.len();
    }
    text
}

/// Cuts a continuation after the brace that closes what the prompt leaves open: the function, and in Java the class. A
/// continuation that does not close it ends with its last brace.
pub(super) fn until_closing_brace(text: &str, language: BraceLanguage) -> &str {
    let open = if language == BraceLanguage::Java { 2 } else { 1 };
    let code = Code::new(text, language);
    let mut last = None;
    for brace in code.braces().filter(|brace| !brace.opens) {
        last = Some(brace.at);
        if brace.outside + open == 0 {
            break;
        }
    }
    last.map_or(text, |at| &text[..=at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_ends_where_it_is_closed() {
        let check = |language, text, kept| assert_eq!(until_closing_brace(text, language), kept);
        let cpp = BraceLanguage::Cpp;
        check(cpp, "  if (x) { y(); }\n}\nint main() {}", "  if (x) { y(); }\n}");
        check(BraceLanguage::Java, "  return 1;\n  }\n}\n}", "  return 1;\n  }\n}");
        check(cpp, "  { x } y", "  { x }");
        check(cpp, "  x", "  x");
        check(
            cpp,
            "  // closes: }\n  s += \"}\"; c = '}';\n}\nrest",
            "  // closes: }\n  s += \"}\"; c = '}';\n}",
        );
        check(cpp, "  /* { */ return 1;\n}\nrest }", "  /* { */ return 1;\n}");
        check(BraceLanguage::Rust, " x('{')\n} fn g() {}", " x('{')\n}");
        check(BraceLanguage::JavaScript, " return `${x}}`;\n}\nrest()", " return `${x}}`;\n}");
        check(BraceLanguage::Go, " return `{`\n}\nrest", " return `{`\n}");
    }

    #[test]
    fn python_ends_with_its_indentation() {
        let text = "    x = 1\n\n    return x\nprint(1)\n";
        assert_eq!(until_outer_line(text), "    x = 1\n\n    return x");
        assert_eq!(until_outer_line("    return 1\n"), "    return 1\n");
    }
}
