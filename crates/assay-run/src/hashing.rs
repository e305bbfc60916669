//! Hashes of the problems that a run depends on.

use assay_core::{Digest, Fingerprint, Reading};
use assay_record::DataDigest;
use tracing::info;

use crate::OpenTask;

/// The hashes of a task's problems while they are read.
pub(crate) struct DataHashing<'a> {
    open: &'a OpenTask,
    /// The fingerprints of each question and reference by index: problems come in any order.
    found: Vec<Option<[Fingerprint; 2]>>,
}

impl<'a> DataHashing<'a> {
    pub(crate) fn new(open: &'a OpenTask) -> Self {
        Self { open, found: vec![None; open.problems.ids().len()] }
    }

    /// Takes a problem that was read; one that cannot be used is left out.
    pub(crate) fn add(&mut self, reading: &Reading) {
        if let Reading::Problem(problem) = reading {
            self.found[problem.index] =
                Some([problem.question.fingerprint(), problem.reference.fingerprint()]);
        }
    }

    /// The hashes, which the task keeps, when every chosen problem has been read.
    pub(crate) fn finish(self) -> DataDigest {
        let Self { open, found } = self;
        let ids = open.problems.ids().iter().zip(&found);
        let solutions = ids
            .filter_map(|(id, found)| found.map(|[_, reference]| [id.fingerprint(), reference]))
            .flatten();
        let digest = DataDigest {
            solutions: Digest::of_all(solutions),
            content: Digest::of_all(found.iter().flatten().flatten().copied()),
        };
        info!(solutions = %digest.solutions, content = %digest.content, "hashed the data");
        *open.digest.get_or_init(|| digest)
    }
}
