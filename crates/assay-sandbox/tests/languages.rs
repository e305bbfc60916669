//! Programs of every language that the machine has tools for.

mod common;

use assay_core::{Cancel, Ending, Isolation, Language};
use assay_sandbox::{Executed, Execution, Limits, Sandbox, Source};
use common::sandbox;
use std::time::Duration;

fn run(sandbox: &Sandbox, language: Language, text: &str, input: &str) -> Executed {
    let limits = Limits::with_cpu(Duration::from_secs(5));
    let source = Source { text, name: None };
    sandbox.execute(&Execution { language, source, input, limits }, &Cancel::new()).unwrap()
}

#[test]
fn trial() {
    let sandbox = sandbox(Isolation::Warm);
    for (language, right, wrong) in [
        (Language::Python, "print(int(input()) * 2)", "print(1"),
        (
            Language::JavaScript,
            "const t = require('fs').readFileSync(0, 'utf8'); console.log(2 * Number(t));",
            "let x = ;",
        ),
        (
            Language::Java,
            "import java.util.*; public class Main { public static void main(String[] a) { System.out.println(2 * new Scanner(System.in).nextInt()); } }",
            "class Main { int }",
        ),
        (
            Language::Cpp,
            "#include <iostream>\nint main() { int x; std::cin >> x; std::cout << 2 * x << \"\\n\"; }",
            "int main() { return x; }",
        ),
        (
            Language::Rust,
            "fn main() { let mut t = String::new(); std::io::stdin().read_line(&mut t).unwrap(); println!(\"{}\", 2 * t.trim().parse::<i32>().unwrap()); }",
            "fn main() { x }",
        ),
    ] {
        let done = run(&sandbox, language, right, "21\n");
        eprintln!(
            "{language}: {:?} {:?} {:?}",
            done.ending,
            String::from_utf8_lossy(&done.output),
            done.evidence
        );
        assert_eq!(done.output, b"42\n");
        let done = run(&sandbox, language, wrong, "21\n");
        assert!(
            matches!(done.ending, Ending::SyntaxError { .. } | Ending::EarlyExit { .. }),
            "{done:?}"
        );
        eprintln!("   {:?}", done.ending);
    }
}
