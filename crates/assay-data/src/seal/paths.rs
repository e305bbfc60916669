//! The paths that a sealed file may have: portable ones that stay in their folder.

/// The maximum length of a path, below the limit of Linux.
const MAX_PATH_BYTES: usize = 4000;
const MAX_NAME_BYTES: usize = 255;

/// The fault of a relative path, if it has one.
pub(super) fn fault(path: &str) -> Option<&'static str> {
    let is_odd = |letter: char| letter.is_control() || letter == '\\';
    if path.is_empty() {
        Some("is empty")
    } else if path.starts_with('/') {
        Some("is absolute")
    } else if path.len() > MAX_PATH_BYTES {
        Some("is too long")
    } else if path.contains(is_odd) {
        Some("has a control character or a backslash in it")
    } else {
        path.split('/').find_map(name_fault)
    }
}

fn name_fault(name: &str) -> Option<&'static str> {
    match name {
        "" => Some("has an empty part"),
        "." | ".." => Some("leads out of its folder or nowhere"),
        name if name.len() > MAX_NAME_BYTES => Some("has a part that is too long"),
        _ => None,
    }
}

/// The parent folders of a path, outermost first: `a` and `a/b` for `a/b/c`.
pub(super) fn folders(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(at, _)| &path[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_relative_paths_pass() {
        for path in ["a", "Tasks/1.txt", "ä ö/日本", "...", "a/..b/c..", "-rf", "~", "a:b"] {
            assert_eq!(fault(path), None, "{path}");
        }
        let long = "a/".repeat(2000) + "a";
        let wide = "a".repeat(256);
        for path in [
            "",
            "/",
            "/etc/x",
            "..",
            "../x",
            "a/../b",
            "a/..",
            "./a",
            "a//b",
            "a/",
            ".",
            "a\\b",
            "a\nb",
            "a\0b",
            "\u{1b}[2J",
            &long,
            &wide,
        ] {
            assert!(fault(path).is_some(), "{path:?}");
        }
    }

    #[test]
    fn folders_are_listed_from_the_outside() {
        assert_eq!(folders("a/b/c").collect::<Vec<_>>(), ["a", "a/b"]);
        assert_eq!(folders("a").count(), 0);
    }
}
