//! Files that a commit moves and changes by one line.

use std::collections::BTreeMap;

use assay_core::{Fingerprint, Result};
use gix::ObjectId;
use gix::bstr::BString;

use crate::history::{Changed, Changes};

/// Pairs deleted files with added ones that differ from them in one line. Files that were only moved
/// are set aside first. Two texts that differ in one line share their first half or their second, so
/// each text is looked at once, however many there are.
pub(crate) fn pair(
    changes: &mut Changes,
    content: &dyn Fn(ObjectId) -> Result<Option<Vec<u8>>>,
) -> Result<Vec<Changed>> {
    set_moved_aside(changes);
    if changes.deleted.is_empty() || changes.added.is_empty() {
        return Ok(Vec::new());
    }
    let mut halves: BTreeMap<Half, Vec<usize>> = BTreeMap::new();
    for (place, (_, id)) in changes.deleted.iter().enumerate() {
        for half in content(*id)?.map(|text| halves_of(&text)).into_iter().flatten() {
            halves.entry(half).or_default().push(place);
        }
    }
    let mut taken = vec![false; changes.deleted.len()];
    let mut pairs = Vec::new();
    for (path, new) in &changes.added {
        let Some(text) = content(*new)? else { continue };
        let alike = halves_of(&text).into_iter().filter_map(|half| halves.get(&half)).flatten();
        let Some(&place) = alike.filter(|&&place| !taken[place]).min() else { continue };
        taken[place] = true;
        let (old_path, old) = changes.deleted[place].clone();
        pairs.push(Changed { path: path.clone(), old_path: Some(old_path), old, new: *new });
    }
    Ok(pairs)
}

/// Takes out files that are deleted here and added there with the same content.
fn set_moved_aside(changes: &mut Changes) {
    let mut gone: BTreeMap<ObjectId, usize> = BTreeMap::new();
    for (_, id) in &changes.deleted {
        *gone.entry(*id).or_default() += 1;
    }
    let mut moved: BTreeMap<ObjectId, usize> = BTreeMap::new();
    changes.added.retain(|(_, id)| {
        let left = gone.get_mut(id).filter(|left| **left > 0);
        let is_moved = left.is_some();
        if let Some(left) = left {
            *left -= 1;
            *moved.entry(*id).or_default() += 1;
        }
        !is_moved
    });
    changes.deleted.retain(|(_, id): &(BString, ObjectId)| {
        let left = moved.get_mut(id).filter(|left| **left > 0);
        let is_moved = left.is_some();
        if let Some(left) = left {
            *left -= 1;
        }
        !is_moved
    });
}

/// A half of a text: how many lines the whole has, which half, and what it holds.
type Half = (usize, bool, u128);

fn halves_of(text: &[u8]) -> [Half; 2] {
    let count = text.split_inclusive(|&byte| byte == b'\n').count();
    let first: usize =
        text.split_inclusive(|&byte| byte == b'\n').take(count / 2).map(<[u8]>::len).sum();
    let (first, second) = text.split_at(first);
    [(count, false, first), (count, true, second)]
        .map(|(count, half, part)| (count, half, Fingerprint::of(part).as_number()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: u8) -> ObjectId {
        ObjectId::from_bytes_or_panic(&[number; 20])
    }

    #[test]
    fn files_that_differ_in_a_line_are_paired() {
        let texts: BTreeMap<ObjectId, &str> = [
            (id(1), "package a;\nclass A {\n}\n"),
            (id(2), "package b;\nclass A {\n}\n"),
            (id(3), "x\ny\nz\n"),
            (id(4), "x\ny\nw\n"),
            (id(5), "only moved\n"),
            (id(6), "something else\n\n\n"),
        ]
        .into();
        let file = |path: &str, number| (BString::from(path), id(number));
        let mut changes = Changes {
            modified: Vec::new(),
            deleted: vec![file("a/A", 1), file("m", 5), file("x", 3)],
            added: vec![file("b/A", 2), file("n", 5), file("y", 4), file("z", 6)],
        };
        let content = |id| Ok(texts.get(&id).map(|text| text.as_bytes().to_vec()));
        let pairs = pair(&mut changes, &content).unwrap();
        let names: Vec<(String, String)> = pairs
            .iter()
            .map(|pair| (pair.old_path.as_ref().unwrap().to_string(), pair.path.to_string()))
            .collect();
        let expected = [("a/A", "b/A"), ("x", "y")];
        assert_eq!(names, expected.map(|(old, new)| (old.to_owned(), new.to_owned())));
    }
}
