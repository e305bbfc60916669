#![allow(warnings, clippy::all, clippy::pedantic)]
use std::time::Duration;
use assay_core::*;
use assay_sandbox::*;
fn children() -> f64 {
    let mut u: libc::rusage = unsafe { std::mem::zeroed() };
    unsafe { libc::getrusage(libc::RUSAGE_CHILDREN, &mut u) };
    let t = |t: libc::timeval| t.tv_sec as f64 + t.tv_usec as f64 / 1e6;
    t(u.ru_utime) + t(u.ru_stime)
}
fn main() {
    let n: u32 = std::env::args().nth(1).unwrap().parse().unwrap();
    let mut worker = std::env::current_exe().unwrap();
    worker.pop(); worker.pop(); worker.push("sandbox-worker");
    let mut s = Settings::of_this_machine(1, Isolation::Warm, &[Language::Python]).unwrap();
    s.executable = worker;
    let exam = Exam { setting: String::new(), called: vec!["answer".into()], tests: vec!["assert answer(6, 7) == 42".into()], appended: String::new(), preamble: String::new() };
    let limits = Limits::with_cpu(Duration::from_secs(3));
    let program = "def answer(a, b):\n    return a * b\n";
    let before = children();
    let sandbox = Sandbox::new(s).unwrap();
    for _ in 0..n {
        let e = Examination { program, exam: &exam, test: 0, rules: Rules::Strict, limits };
        assert_eq!(sandbox.examine(&e, &Cancel::new()).unwrap().ending, Ending::Passed);
    }
    drop(sandbox);
    println!("{n} programs: {:.3} s CPU of children", children() - before);
}
