//! The budget of work on a text.

/// The remaining work, in steps of a hundred parser operations or a hundred tree nodes.
pub(crate) struct Budget {
    steps: u32,
    nodes: u32,
}

/// The number of tree nodes per step; the parser counts its operations in hundreds too.
const NODES_PER_STEP: u32 = 100;

impl Budget {
    pub(crate) fn new(steps: u32) -> Self {
        Self { steps, nodes: 0 }
    }

    /// Takes this many steps, if they are left.
    pub(crate) fn take(&mut self, steps: u32) -> Option<()> {
        self.steps = self.steps.checked_sub(steps)?;
        Some(())
    }

    /// Takes the cost of visiting a node, if it is left.
    pub(crate) fn node(&mut self) -> Option<()> {
        self.nodes += 1;
        if self.nodes == NODES_PER_STEP {
            self.nodes = 0;
            self.take(1)?;
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_ends() {
        let mut work = Budget::new(2);
        assert!(work.take(1).is_some());
        assert_eq!((0..1000).take_while(|_| work.node().is_some()).count(), 199);
        assert!(work.take(1).is_none());
    }
}
