//! Finds failed assertions in the output of compiled programs that contain their tests.

/// Texts with which the languages' runtimes report a failed assertion.
const SIGNS: [&str; 5] =
    ["Assertion `", "AssertionError", "Assertion failed", "assertion failed", "assertion `"];

/// The line that reports a failed assertion. A candidate could print one itself; that would only turn its failure into
/// another kind of failure.
pub(super) fn failed_assertion(errors: &str) -> Option<&str> {
    errors.lines().map(str::trim).find(|line| SIGNS.iter().any(|sign| line.contains(sign)))
}

#[cfg(test)]
mod tests {
    use super::failed_assertion;

    #[test]
    fn every_runtime_is_understood() {
        for report in [
            "program: main.cpp:9: int main(): Assertion `f(1) == 2' failed.",
            "Exception in thread \"main\" java.lang.AssertionError",
            "Assertion failed: f(1) is wrong",
            "assertion `left == right` failed",
            "AssertionError [ERR_ASSERTION]: 1 == 2",
        ] {
            assert_eq!(failed_assertion(&format!("before\n {report}\nafter")), Some(report));
        }
        assert_eq!(failed_assertion("Segmentation fault"), None);
    }
}
