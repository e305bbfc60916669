//! The values of variables at one point of a program.

/// The leaves from which a variable may have its value: one leaf, or a union of such sets. Unions
/// are shared and never listed, so a variable that is set under a thousand conditions costs a
/// thousand, not its square.
pub(super) type Value = u32;

const ABSENT: Value = Value::MAX;

/// The values of all variables, with a journal to undo changes.
pub(super) struct State {
    values: Vec<Value>,
    journal: Vec<(u32, Value)>,
    /// The number of leaves: below this, a value is a leaf; otherwise it is the number of a union.
    places: u32,
    /// The end of each union's members.
    unions: Vec<u32>,
    members: Vec<Value>,
    /// Values that were read.
    read: Vec<Value>,
    seen: Vec<u32>,
    round: u32,
}

/// The changes of a branch: each changed variable, with its last value.
pub(super) struct Changes(Vec<(u32, Value)>);

impl Changes {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

impl State {
    pub(super) fn new(texts: usize, places: usize) -> Self {
        Self {
            values: vec![ABSENT; texts],
            journal: Vec::new(),
            places: u32::try_from(places).unwrap_or(ABSENT),
            unions: Vec::new(),
            members: Vec::new(),
            read: Vec::new(),
            seen: vec![0; texts],
            round: 0,
        }
    }

    /// Returns whether the text is known; if so, its value is marked as read.
    pub(super) fn read(&mut self, text: u32) -> bool {
        let value = self.values[text as usize];
        if value != ABSENT {
            self.read.push(value);
        }
        value != ABSENT
    }

    /// Sets the value of a text.
    pub(super) fn set(&mut self, text: u32, value: Value) {
        let old = std::mem::replace(&mut self.values[text as usize], value);
        if old != value {
            self.journal.push((text, old));
        }
    }

    /// A point to which changes can be undone.
    pub(super) fn mark(&self) -> usize {
        self.journal.len()
    }

    /// Undoes all changes since `mark`, and returns them.
    pub(super) fn undo(&mut self, mark: usize) -> Changes {
        self.round += 1;
        let mut changes = Vec::new();
        for (text, old) in self.journal.drain(mark..).rev() {
            let value = std::mem::replace(&mut self.values[text as usize], old);
            if self.seen[text as usize] != self.round {
                self.seen[text as usize] = self.round;
                changes.push((text, value));
            }
        }
        Changes(changes)
    }

    /// Applies changes that were undone.
    pub(super) fn apply(&mut self, changes: &Changes) {
        for &(text, value) in &changes.0 {
            self.set(text, value);
        }
    }

    /// Continues with the values that any of the branches, which all started here, may have left;
    /// and with the value from before, if a branch did not change it or `before` says that none may
    /// have run.
    pub(super) fn join(&mut self, branches: &[Changes], before: bool) {
        let mut changed: Vec<(u32, Value)> =
            branches.iter().flat_map(|branch| branch.0.iter().copied()).collect();
        changed.sort_unstable();
        let mut joined = Vec::new();
        for same in changed.chunk_by(|left, right| left.0 == right.0) {
            let text = same[0].0;
            joined.clear();
            joined.extend(same.iter().map(|(_, value)| *value).filter(|&value| value != ABSENT));
            let old = self.values[text as usize];
            if old != ABSENT && (before || same.len() < branches.len()) {
                joined.push(old);
            }
            joined.sort_unstable();
            joined.dedup();
            let value = self.union(&joined);
            self.set(text, value);
        }
    }

    fn union(&mut self, values: &[Value]) -> Value {
        match values {
            [] => ABSENT,
            [value] => *value,
            values => {
                self.members.extend_from_slice(values);
                self.unions.push(u32::try_from(self.members.len()).unwrap_or(ABSENT));
                self.places + u32::try_from(self.unions.len()).unwrap_or(ABSENT) - 1
            }
        }
    }

    /// The leaves that were read.
    pub(super) fn places_read(&self) -> Vec<bool> {
        let places = self.places as usize;
        let mut read = vec![false; places + self.unions.len()];
        for &value in &self.read {
            read[value as usize] = true;
        }
        // A union's members were created before it.
        for (at, &end) in self.unions.iter().enumerate().rev() {
            let start = if at == 0 { 0 } else { self.unions[at - 1] };
            if read[places + at] {
                for &member in &self.members[start as usize..end as usize] {
                    read[member as usize] = true;
                }
            }
        }
        read.truncate(places);
        read
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(state: &mut State, text: u32) -> Vec<usize> {
        state.read.clear();
        state.read(text);
        (0..).zip(state.places_read()).filter(|(_, read)| *read).map(|(place, _)| place).collect()
    }

    #[test]
    fn branches_are_joined() {
        let mut state = State::new(3, 9);
        state.set(0, 1);
        let mark = state.mark();
        state.set(0, 2);
        state.set(1, 3);
        let first = state.undo(mark);
        state.set(0, 4);
        state.set(0, 5);
        let second = state.undo(mark);
        assert_eq!(read(&mut state, 0), [1]);
        state.join(&[first, second], false);
        assert_eq!(read(&mut state, 0), [2, 5]);
        assert_eq!(read(&mut state, 1), [3]);
        assert_eq!(read(&mut state, 2), [0; 0]);
        let mark = state.mark();
        state.set(0, 7);
        let only = state.undo(mark);
        state.join(&[only], true);
        assert_eq!(read(&mut state, 0), [2, 5, 7]);
    }
}
