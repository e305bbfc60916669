//! Any bytes as a file of problems whose answers are programs: they are read or refused with a
//! hint.

#![no_main]

use std::ops::ControlFlow;

use assay_core::Selection;
use assay_data::Store;
use assay_data::programs::apps::{AppsProblems, Level};
use assay_data::programs::{
    FunctionProblem, MbppProblem, PackProblem, Record, Records, read_geeks,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for name in ["problems.jsonl", "problems.json"] {
        let records = Records::memory(name, bytes.to_vec());
        read::<FunctionProblem>(&records);
        read::<MbppProblem>(&records);
        read::<PackProblem>(&records);
        read_apps(AppsProblems::of_lines(records.clone(), None));
        for level in Level::ALL {
            read_apps(AppsProblems::of_lines(records.clone(), Some(level)));
        }
    }
    let (one, other) = bytes.split_at(bytes.len() / 2);
    let files = |files: [(&str, &[u8]); 2]| {
        Store::memory(
            "fuzz",
            files.map(|(name, bytes)| (name.to_owned(), bytes.to_vec().into())).into(),
        )
    };
    let metadata: &[u8] = b"{\"difficulty\": \"interview\"}";
    for part in ["1/question.txt", "1/input_output.json", "1/solutions.json"] {
        let store = files([("1/metadata.json", metadata), (part, bytes)]);
        read_apps(AppsProblems::of_folders(store, Some(Level::Interview)));
    }
    let _ = read_geeks(&files([("java/A.java", one), ("python/A.py", other)]));
});

fn read_apps(problems: assay_core::Result<AppsProblems>) {
    let Ok(problems) = problems else { return };
    let all = Selection::all(problems.ids().len());
    let mut next = 0;
    let outcome = problems.read(&all, &mut |index, _| {
        assert_eq!(index, next, "problems come in their order");
        next = index + 1;
        Ok(ControlFlow::Continue(()))
    });
    assert!(outcome.is_ok() && next == problems.ids().len(), "what was there is there again");
}

fn read<R: Record>(records: &Records) {
    let mut last = 0;
    let outcome = records.each(&mut |line, _: R| {
        assert!(line >= last, "records come in their order");
        last = line;
        Ok(ControlFlow::Continue(()))
    });
    if let Err(error) = outcome {
        assert!(error.hint_text().is_some(), "{error} names no cure");
    }
}
