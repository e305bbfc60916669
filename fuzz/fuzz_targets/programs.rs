//! Any bytes as a file of problems whose answers are programs: they are read or refused with a cure.

#![no_main]

use std::ops::ControlFlow;

use assay_data::programs::{FunctionProblem, MbppProblem, Record, Records};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for name in ["problems.jsonl", "problems.json"] {
        let records = Records::memory(name, bytes.to_vec());
        read::<FunctionProblem>(&records);
        read::<MbppProblem>(&records);
    }
});

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
