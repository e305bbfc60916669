//! Any bytes as a new line and a program: the candidates are lines of the program, described alike.

#![no_main]

use assay_locate::Table;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let end = bytes.iter().position(|&byte| byte == b'\n').unwrap_or(bytes.len());
    let (line, program) = bytes.split_at(end);
    let table = Table::new(line, program);
    let lines = program.split(|&byte| byte == b'\n').count();
    assert!(table.lines.iter().all(|line| *line < lines));
    assert_eq!(table.values.len(), table.width * table.lines.len());
    assert!(table.values.iter().all(|value| value.is_finite()));
});
