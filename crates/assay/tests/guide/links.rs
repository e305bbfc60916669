//! Links between the documents lead to files and headings that exist.

use std::fs;
use std::path::Path;

use crate::check::repository;

/// The links of a page that lead nowhere.
pub(super) fn broken(page: &str) -> Vec<String> {
    let text = fs::read_to_string(repository().join(page)).expect("a page");
    let folder = Path::new(page).parent().expect("a folder");
    let mut broken = Vec::new();
    for link in text.split("](").skip(1).filter_map(|rest| rest.split_once(')')) {
        let (path, anchor) = link.0.split_once('#').unwrap_or((link.0, ""));
        if path.contains("://") {
            continue;
        }
        let target = if path.is_empty() { Path::new(page).to_owned() } else { folder.join(path) };
        let target = repository().join(target);
        let heading = || fs::read_to_string(&target).is_ok_and(|text| has_heading(&text, anchor));
        if !target.exists() || (!anchor.is_empty() && !heading()) {
            broken.push(format!("{page} links to {}, which does not exist", link.0));
        }
    }
    broken
}

/// True if a page has a heading with this anchor: its words in small letters, joined by hyphens.
fn has_heading(text: &str, anchor: &str) -> bool {
    text.lines().filter(|line| line.starts_with('#')).any(|line| {
        let words = line.trim_start_matches('#').trim().to_lowercase();
        let kept = |letter: &char| letter.is_alphanumeric() || "-_ ".contains(*letter);
        words.chars().filter(kept).collect::<String>().replace(' ', "-") == anchor
    })
}
