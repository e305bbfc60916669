//! Files that a commit moves and changes by one line.

use std::collections::BTreeMap;

use assay_core::{Fingerprint, Result};

use crate::history::{BString, Changed, Changes, ObjectId};

/// The minimum number of lines that are not blank for a file to be recognised after a move and a
/// change.
const MIN_LINES: usize = 3;

/// Pairs deleted files with added ones that differ from them in exactly one line: first those with
/// the same name, then the others, in the order of their paths. Files that were only moved are
/// removed before.
pub(crate) fn pair(
    changes: &mut Changes,
    content: &dyn Fn(ObjectId) -> Result<Option<Vec<u8>>>,
) -> Result<Vec<Changed>> {
    remove_moved(changes);
    if changes.deleted.is_empty() || changes.added.is_empty() {
        return Ok(Vec::new());
    }
    let deleted = digest_all(&changes.deleted, content)?;
    let added = digest_all(&changes.added, content)?;
    // Texts that differ in one line share their first or their second half, so few need comparing.
    let mut halves: BTreeMap<Half, Vec<usize>> = BTreeMap::new();
    for (place, lines) in deleted.iter().enumerate() {
        for half in lines.iter().flat_map(|lines| halves_of(lines)) {
            halves.entry(half).or_default().push(place);
        }
    }
    let mut taken = vec![false; deleted.len()];
    let mut pairs: Vec<Option<usize>> = vec![None; added.len()];
    for by_name in [true, false] {
        for (place, lines) in added.iter().enumerate() {
            let Some(lines) = lines.as_ref().filter(|_| pairs[place].is_none()) else { continue };
            let alike = halves_of(lines).into_iter().filter_map(|half| halves.get(&half)).flatten();
            let fits = |&&old: &&usize| {
                let same_name =
                    name_of(&changes.deleted[old].0) == name_of(&changes.added[place].0);
                !taken[old]
                    && (same_name || !by_name)
                    && deleted[old].as_ref().is_some_and(|old| differ_in_one(old, lines))
            };
            if let Some(&old) = alike.filter(fits).min() {
                taken[old] = true;
                pairs[place] = Some(old);
            }
        }
    }
    let pairs = pairs.into_iter().zip(&changes.added).filter_map(|(old, (path, new))| {
        let (old_path, old) = changes.deleted[old?].clone();
        Some(Changed { path: path.clone(), old_path: Some(old_path), old, new: *new })
    });
    Ok(pairs.collect())
}

/// Removes files that are deleted in one place and added in another with the same content.
fn remove_moved(changes: &mut Changes) {
    let moved = common(&changes.deleted, &changes.added);
    for files in [&mut changes.deleted, &mut changes.added] {
        let mut left = moved.clone();
        files.retain(|(_, id)| {
            let moved = left.get_mut(id).filter(|left| **left > 0);
            let stays = moved.is_none();
            if let Some(left) = moved {
                *left -= 1;
            }
            stays
        });
    }
}

/// The number of times that each content occurs on both sides.
fn common(
    left: &[(BString, ObjectId)],
    right: &[(BString, ObjectId)],
) -> BTreeMap<ObjectId, usize> {
    let count = |files: &[(BString, ObjectId)]| {
        let mut counts: BTreeMap<ObjectId, usize> = BTreeMap::new();
        for (_, id) in files {
            *counts.entry(*id).or_default() += 1;
        }
        counts
    };
    let right = count(right);
    let both = |(id, count): (ObjectId, usize)| Some((id, count.min(*right.get(&id)?)));
    count(left).into_iter().filter_map(both).collect()
}

/// Returns hashes of the lines of each file; none for files that are too small to be recognised.
fn digest_all(
    files: &[(BString, ObjectId)],
    content: &dyn Fn(ObjectId) -> Result<Option<Vec<u8>>>,
) -> Result<Vec<Option<Vec<u128>>>> {
    let digest = |text: Vec<u8>| {
        let lines = || text.split_inclusive(|&byte| byte == b'\n');
        let filled = lines().filter(|line| !line.trim_ascii().is_empty()).count();
        let digests = lines().map(|line| Fingerprint::of(line).as_number());
        (filled >= MIN_LINES).then(|| digests.collect())
    };
    files.iter().map(|(_, id)| Ok(content(*id)?.and_then(digest))).collect()
}

/// A half of a text: the number of lines of the whole, which half, and its content.
type Half = (usize, bool, u128);

fn halves_of(lines: &[u128]) -> [Half; 2] {
    let (first, second) = lines.split_at(lines.len() / 2);
    [(false, first), (true, second)].map(|(half, part)| {
        let bytes: Vec<u8> = part.iter().flat_map(|line| line.to_le_bytes()).collect();
        (lines.len(), half, Fingerprint::of(&bytes).as_number())
    })
}

fn differ_in_one(left: &[u128], right: &[u128]) -> bool {
    left.len() == right.len()
        && left.iter().zip(right).filter(|(left, right)| left != right).take(2).count() == 1
}

fn name_of(path: &BString) -> &[u8] {
    path.rsplit(|&byte| byte == b'/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: u8) -> ObjectId {
        ObjectId::from_bytes_or_panic(&[number; 20])
    }

    fn check(deleted: &[(&str, &str)], added: &[(&str, &str)], expected: &[(&str, &str)]) {
        let mut texts: Vec<&str> = deleted.iter().chain(added).map(|(_, text)| *text).collect();
        texts.sort_unstable();
        texts.dedup();
        let id_of = |text: &str| id(u8::try_from(texts.binary_search(&text).unwrap()).unwrap());
        let files = |files: &[(&str, &str)]| -> Vec<(BString, ObjectId)> {
            files.iter().map(|(path, text)| ((*path).into(), id_of(text))).collect()
        };
        let mut changes =
            Changes { modified: Vec::new(), deleted: files(deleted), added: files(added) };
        let content = |wanted| {
            let text = texts.iter().find(|text| id_of(text) == wanted);
            Ok(text.map(|text| text.as_bytes().to_vec()))
        };
        let pairs = pair(&mut changes, &content).unwrap();
        let names: Vec<(String, String)> = pairs
            .iter()
            .map(|pair| (pair.old_path.as_ref().unwrap().to_string(), pair.path.to_string()))
            .collect();
        let expected: Vec<(String, String)> =
            expected.iter().map(|(old, new)| ((*old).to_owned(), (*new).to_owned())).collect();
        assert_eq!(names, expected);
    }

    #[test]
    fn files_that_differ_in_a_line_are_paired() {
        check(
            &[("a/A", "package a;\nclass A {\n}\n"), ("m", "moved\n\n\n"), ("x", "x\ny\nz\n")],
            &[
                ("b/A", "package b;\nclass A {\n}\n"),
                ("n", "moved\n\n\n"),
                ("y", "x\ny\nw\n"),
                ("z", "something\nelse\n\n"),
            ],
            &[("a/A", "b/A"), ("x", "y")],
        );
        check(&[("a", "one\n")], &[("b", "other\n")], &[]);
        check(&[("a", "one\ntwo\nthree\n")], &[("b", "1\n2\n3\n")], &[]);
    }

    #[test]
    fn a_common_header_does_not_mislead() {
        let text = |package: &str, name: &str| format!("h\nh\nh\nh\n{package}\nclass {name}\n}}\n");
        let (one, two, three) = (text("a", "One"), text("a", "Two"), text("a", "Three"));
        let (new_two, new_three) = (text("b", "Two"), text("b", "Three"));
        check(
            &[("a/One", &one), ("a/Three", &three), ("a/Two", &two)],
            &[("b/Three", &new_three), ("b/Two", &new_two)],
            &[("a/Three", "b/Three"), ("a/Two", "b/Two")],
        );
    }
}
