//! Any bytes as a new line and a program: every line can be checked, with the same result again.

#![no_main]

use assay_syntax::java::CheckedProgram;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let end = bytes.iter().position(|&byte| byte == b'\n').unwrap_or(bytes.len());
    let (line, program) = bytes.split_at(end);
    assert_eq!(verdicts(line, program), verdicts(line, program));
});

fn verdicts(line: &[u8], program: &[u8]) -> Vec<bool> {
    let mut checked = CheckedProgram::new(program);
    let mut start = 0;
    let verdict = |old: &[u8]| {
        let place = start..start + old.len();
        start = place.end + 1;
        checked.would_parse(place, line)
    };
    program.split(|&byte| byte == b'\n').map(verdict).collect()
}
