//! `assay data mine codrep`: the changes that become tasks, those that do not, and interruption.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use common::git::{Edit, Script, git};
use common::{CommandOutput, assay, files, json, run};
use serde_json::Value;

use Edit::{Link, Move, Put, PutExecutable};

const A: &str = "class A {\n  int a = 1;\n  int b = 2; // two\n  void f() {\n    g(a);\n  }\n}\n";
const B: &str = "class B {\n  /* one\n   * two */\n  String s = \"//\";\n}\n";

fn with(text: &str, old: &str, new: &str) -> Vec<u8> {
    assert_eq!(text.matches(old).count(), 1, "{old} in {text}");
    text.replace(old, new).into_bytes()
}

fn utf16(text: &str) -> Vec<u8> {
    [0xFEFF].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
}

/// A history in which every filter applies to some changes and not to others.
fn history() -> Script {
    let mut script = Script::default();
    let latin = b"class L {\n  String s = \"\xe9\";\n}\n".to_vec();
    script.commit(
        "start",
        &[
            Put("A.java", A.as_bytes()),
            Put("B.java", B.as_bytes()),
            Put("Bytes.java", b"a\0b\nc\n"),
            Put("Crlf.java", b"class C {\r\n  int c;\r\n}\r\n"),
            Put("Latin.java", &latin),
            Put("Wide.java", &utf16("class W {\r\n  int w;\r\n}\r\n")),
            Put("Mode.java", b"m;\n"),
            Put("src/test/FooTest.java", b"assertTrue(a);\n"),
            Put("notes.txt", b"one\n"),
            Put("tool.py", b"# note\nx = 1\n"),
            Link("Link.java", "A.java"),
        ],
    );
    script.commit("one line", &[Put("A.java", &with(A, "g(a)", "g(b)"))]);
    script.commit("back", &[Put("A.java", A.as_bytes())]);
    script.commit("the same again", &[Put("A.java", &with(A, "g(a)", "g(b)"))]);
    script.commit("back again", &[Put("A.java", A.as_bytes())]);
    let two = with(&String::from_utf8(with(A, "a = 1", "a = 3")).unwrap(), "b = 2", "b = 4");
    script.commit("two lines", &[Put("A.java", &two)]);
    script.commit("two lines back", &[Put("A.java", A.as_bytes())]);
    script.commit("a line more", &[Put("A.java", &with(A, "g(a);", "g(a);\n    h();"))]);
    script.commit("a line less", &[Put("A.java", A.as_bytes())]);
    script.commit("to a blank line", &[Put("A.java", &with(A, "    g(a);", " "))]);
    script.commit("from a blank line", &[Put("A.java", A.as_bytes())]);
    script.commit("white space", &[Put("A.java", &with(A, "    g(a);", "\tg( a );"))]);
    script.commit("white space back", &[Put("A.java", A.as_bytes())]);
    script.commit("comment", &[Put("A.java", &with(A, "// two", "// zwei"))]);
    script.commit("comment back", &[Put("A.java", A.as_bytes())]);
    script.commit("block comment", &[Put("B.java", &with(B, "* two", "* zwei"))]);
    script.commit("block comment back", &[Put("B.java", B.as_bytes())]);
    script.commit("comment out", &[Put("A.java", &with(A, "    g(a);", "    // g(a);"))]);
    script.commit("comment in", &[Put("A.java", A.as_bytes())]);
    script.commit("a text like a comment", &[Put("B.java", &with(B, "\"//\"", "\"//x\""))]);
    script.commit(
        "other languages",
        &[Put("notes.txt", b"two\n"), Put("tool.py", b"# note\nx = 2\n")],
    );
    script.commit("python comment", &[Put("tool.py", b"# other note\nx = 2\n")]);
    script.commit("latin", &[Put("Latin.java", b"class L {\n  String s = \"\xe9\xe8\";\n}\n")]);
    script.commit("crlf", &[Put("Crlf.java", b"class C {\r\n  int d;\r\n}\r\n")]);
    script.commit("line ends and one line", &[Put("Crlf.java", b"class C {\n  int e;\n}\n")]);
    script.commit("line ends", &[Put("Crlf.java", b"class C {\r\n  int e;\r\n}\r\n")]);
    script.commit("wide", &[Put("Wide.java", &utf16("class W {\r\n  int v;\r\n}\r\n"))]);
    script.commit("no text", &[Put("Bytes.java", b"a\0b\nd\n")]);
    script.commit("mode", &[PutExecutable("Mode.java", b"m;\n")]);
    script.commit("link", &[Link("Link.java", "B.java")]);
    script.commit("test", &[Put("src/test/FooTest.java", b"assertTrue(b);\n")]);
    script.commit(
        "move and change",
        &[Move("A.java", "moved/A.java"), Put("moved/A.java", &with(A, "class A", "class AA"))],
    );
    let base = script.commit("move", &[Move("B.java", "moved/B.java")]);
    let side =
        script.commit_on("side", "on a branch", &[base], &[Put("Mode.java", b"on a branch;\n")]);
    let main = script.commit("meanwhile", &[Put("Wide.java", b"class V {\n  int v;\n}\n")]);
    script.commit_on("main", "merge", &[main, side], &[Put("Mode.java", b"on a branch;\n")]);
    let other = script.commit_on("side", "on a branch too", &[], &[Put("Mode.java", b"again;\n")]);
    let main = script.commit("meanwhile too", &[Put("notes.txt", b"three\n")]);
    script.commit_on(
        "main",
        "merge with a change of its own",
        &[main, other],
        &[Put("Mode.java", b"again;\n"), Put("Crlf.java", b"class C {\r\n  int f;\r\n}\r\n")],
    );
    script.commit_on("loose", "never merged", &[base], &[Put("Mode.java", b"loose;\n")]);
    script
}

/// The mined tasks, one per line: commit, path, line and new line.
fn mined_tasks(repository: &Path, dataset: &Path) -> Vec<String> {
    let log = git(repository, &["log", "--all", "--format=%H %s"], b"");
    let subjects: BTreeMap<&str, &str> =
        log.lines().filter_map(|line| line.split_once(' ')).collect();
    let provenance = fs::read_to_string(dataset.join("provenance.jsonl")).unwrap();
    let tell = |(place, line): (usize, &str)| {
        let entry: Value = serde_json::from_str(line).unwrap();
        assert_eq!(entry["task"], place + 1);
        let read = |folder: &str| {
            fs::read_to_string(dataset.join(folder).join(format!("{}.txt", place + 1))).unwrap()
        };
        let (task, solution) = (read("Tasks"), read("Solutions"));
        let subject = subjects.get(entry["commit"].as_str().unwrap()).unwrap_or(&"elsewhere");
        let from = entry["old_path"].as_str().map(|path| format!("{path} -> ")).unwrap_or_default();
        let path = entry["path"].as_str().unwrap();
        format!("{subject}: {from}{path}:{} {}", solution.trim(), task.lines().next().unwrap())
    };
    provenance.lines().enumerate().map(tell).collect()
}

fn mine(folder: &Path, arguments: &[&str]) -> CommandOutput {
    run(folder, &[&["data", "mine", "codrep"], arguments].concat())
}

const EXPECTED: [&str; 14] = [
    "one line: A.java:5 g(b);",
    "back: A.java:5 g(a);",
    "comment out: A.java:5 // g(a);",
    "comment in: A.java:5 g(a);",
    "a text like a comment: B.java:4 String s = \"//x\";",
    "latin: Latin.java:2 String s = \"éè\";",
    "crlf: Crlf.java:2 int d;",
    "line ends and one line: Crlf.java:2 int e;",
    "wide: Wide.java:2 int v;",
    "test: src/test/FooTest.java:1 assertTrue(b);",
    "move and change: A.java -> moved/A.java:1 class AA {",
    "on a branch: Mode.java:1 on a branch;",
    "meanwhile: Wide.java:1 class V {",
    "on a branch too: Mode.java:1 again;",
];

#[test]
fn every_filter_is_hit_and_missed() {
    let keep = tempfile::tempdir().unwrap();
    let repository = history().make(keep.path(), "project.git");
    let output = mine(keep.path(), &["project.git", "-o", "mined", "--json"]);
    assert_eq!(output.code, 0, "{output:?}");
    let dataset = keep.path().join("mined");
    assert_eq!(mined_tasks(&repository, &dataset), EXPECTED);
    let mined = json(&output);
    assert_eq!(mined["tasks"]["all"], 14);
    let rejected = serde_json::json!({
        "not-text": 1, "not-one-line": 5, "blank": 2, "white-space": 2, "comment": 4,
        "duplicate": 2,
    });
    assert_eq!(mined["rejected"], rejected);
    let first = fs::read_to_string(dataset.join("Tasks/1.txt")).unwrap();
    assert_eq!(first, format!("g(b);\n\n{A}"));
    let latin = fs::read_to_string(dataset.join("Tasks/6.txt")).unwrap();
    assert_eq!(latin, "String s = \"éè\";\n\nclass L {\n  String s = \"é\";\n}\n");
    let crlf = fs::read_to_string(dataset.join("Tasks/7.txt")).unwrap();
    assert_eq!(crlf, "int d;\n\nclass C {\n  int c;\n}\n");
    let entry = fs::read_to_string(dataset.join("provenance.jsonl")).unwrap();
    assert!(entry.contains(r#""repository":"project""#), "{entry}");
    assert!(entry.contains(r#""date":"2017-07-14T04:40:00Z""#), "{entry}");
    let verified = run(keep.path(), &["data", "verify", "mined"]);
    assert_eq!(verified.code, 0, "{verified:?}");
    let solved = run(keep.path(), &["run", "codrep", "--data", "mined", "--solver", "gold"]);
    assert_eq!(solved.code, 0, "{solved:?}");
}

#[test]
fn each_filter_is_a_flag() {
    let keep = tempfile::tempdir().unwrap();
    let repository = history().make(keep.path(), "project.git");
    let check = |flags: &[&str], more: &[&str], less: &[&str]| {
        let folder = format!("mined{}", flags.join(""));
        let output = mine(keep.path(), &[&["project.git", "-o", &folder], flags].concat());
        assert_eq!(output.code, 0, "{output:?}");
        let mined_tasks = mined_tasks(&repository, &keep.path().join(folder));
        let subject = |line: &str| line.split_once(':').unwrap().0.to_owned();
        let mut expected: Vec<String> = EXPECTED.iter().map(|line| subject(line)).collect();
        expected.retain(|subject| !less.contains(&subject.as_str()));
        expected.extend(more.iter().map(|&line| line.to_owned()));
        expected.sort();
        let mut found: Vec<String> = mined_tasks.iter().map(|line| subject(line)).collect();
        found.sort();
        assert_eq!(found, expected, "{flags:?}");
    };
    check(
        &["--keep-comments"],
        &["comment", "comment back", "block comment", "block comment back"],
        &[],
    );
    check(&["--keep-blank"], &["to a blank line", "from a blank line"], &[]);
    check(&["--keep-white-space"], &["white space", "white space back"], &[]);
    check(&["--keep-duplicates"], &["the same again", "back again"], &[]);
    check(&["--no-tests"], &[], &["test"]);
    check(&["--no-renames"], &[], &["move and change"]);
    check(&["--merges"], &["merge with a change of its own"], &[]);
    check(&["--all-refs"], &["never merged"], &[]);
    check(
        &["--max-bytes", "20"],
        &[],
        &EXPECTED
            .map(|line| line.split_once(':').unwrap().0)
            .iter()
            .copied()
            .filter(|subject| !["test", "on a branch", "on a branch too"].contains(subject))
            .collect::<Vec<_>>(),
    );
    let output = mine(keep.path(), &["project.git", "-o", "python", "--language", "python"]);
    assert_eq!(output.code, 0, "{output:?}");
    assert_eq!(
        mined_tasks(&repository, &keep.path().join("python")),
        ["other languages: tool.py:2 x = 2"]
    );
}

#[test]
fn repositories_are_joined_and_divided() {
    let keep = tempfile::tempdir().unwrap();
    history().make(keep.path(), "project.git");
    let mut fork = history();
    fork.commit("fork only", &[Put("Mode.java", b"fork;\n")]);
    let fork = fork.make(keep.path(), "fork.git");
    let mut other = Script::default();
    other.commit("start", &[Put("O.java", b"class O {\n}\n")]);
    other.commit("early", &[Put("O.java", b"class P {\n}\n")]);
    for _ in 0..50 {
        other.commit("wait", &[Put("wait", b"")]);
    }
    other.commit("late", &[Put("O.java", b"class Q {\n}\n")]);
    let other = other.make(keep.path(), "other");
    let output = mine(keep.path(), &["project.git", "fork.git", "other", "-o", "all", "--json"]);
    assert_eq!(output.code, 0, "{output:?}");
    let mined = json(&output);
    assert_eq!(mined["tasks"]["all"], 14 + 1 + 2);
    assert_eq!(mined["rejected"]["duplicate"], 2 + 2 + 14);
    let told_all = mined_tasks(&fork, &keep.path().join("all"));
    assert_eq!(told_all[14], "fork only: Mode.java:1 fork;");

    // 2017-07-15 is after the first tasks of both.
    let split = ["--cutoff", "2017-07-15", "--test-project", "other"];
    let repositories = ["project.git", "fork.git", "other", "-o", "split"];
    let output = mine(keep.path(), &[repositories.as_slice(), &split].concat());
    assert_eq!(output.code, 0, "{output:?}");
    let test = mined_tasks(&other, &keep.path().join("split/test"));
    assert_eq!(test, ["late: O.java:1 class Q {"]);
    let train = fs::read_to_string(keep.path().join("split/train/provenance.jsonl")).unwrap();
    let dates: Vec<Value> = train.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(dates.len(), 5, "{train}");
    assert!(dates.iter().all(|entry| entry["date"].as_str().unwrap() < "2017-07-15"));
    assert!(dates.iter().all(|entry| entry["repository"] != "other"));

    let output =
        mine(keep.path(), &["project.git", "fork.git", "-o", "no", "--cutoff", "2017-07-15"]);
    assert_eq!(output.code, 2, "a project and its fork are one: {output:?}");
    assert!(output.err.contains("share a root commit"), "{output:?}");
}

#[test]
fn misuse_is_told() {
    let keep = tempfile::tempdir().unwrap();
    history().make(keep.path(), "project.git");
    fs::create_dir(keep.path().join("plain")).unwrap();
    fs::create_dir(keep.path().join("full")).unwrap();
    fs::write(keep.path().join("full/x"), "x").unwrap();
    let check = |arguments: &[&str], code: i32, message: &str| {
        let output = mine(keep.path(), arguments);
        assert_eq!(output.code, code, "{arguments:?}: {output:?}");
        assert!(output.err.contains(message), "{arguments:?}: {output:?}");
    };
    check(&["plain", "-o", "out"], 3, "plain cannot be opened as a git repository");
    check(&["nowhere", "-o", "out"], 3, "nowhere");
    check(&["project.git", "-o", "full"], 3, "full is not empty");
    check(&["project.git", "-o", "out", "--language", "cobol"], 2, "no language is called cobol");
    check(&["project.git", "-o", "out", "--encoding", "x"], 2, "no encoding is called x");
    check(&["project.git", "-o", "out", "--cutoff", "soon"], 2, "expected a date");
    check(&["project.git", "-o", "out", "--cutoff", "2017-01-01"], 2, "no project is left");
    check(&["project.git", "./project.git", "-o", "out"], 2, "is named twice");
    check(&["project.git", "-o", "out", "--test-share", "0.3"], 2, "--cutoff");
    check(&["project.git", "-o", "full/x"], 2, "full/x is not a folder");
    assert_eq!(mine(keep.path(), &["project.git", "-o", "mined"]).code, 0);
    check(&["project.git", "-o", "mined", "--no-tests"], 3, "other settings");
    let mut empty = PathBuf::from(keep.path());
    empty.push("empty");
    fs::create_dir(&empty).unwrap();
    git(&empty, &["init", "--quiet", "."], b"");
    check(&["empty", "-o", "out"], 3, "has no commits where HEAD is");
}

#[test]
fn interrupted_mining_ends_with_the_same_bytes() {
    let keep = tempfile::tempdir().unwrap();
    let mut script = Script::default();
    let content = |number: usize| -> Vec<u8> {
        (0..30)
            .flat_map(|line| {
                let value = if line == number % 30 { number } else { 0 };
                format!("call{line}({value});\n").into_bytes()
            })
            .collect()
    };
    script.commit("start", &[Put("X.java", &content(0)), Put("Y.java", &content(0))]);
    for number in 1..1200 {
        // From one state to the next at most two lines change; every second commit reverts.
        let text = if number % 2 == 0 { content(0) } else { content(number) };
        script.commit("next", &[Put("X.java", &text)]);
    }
    script.make(keep.path(), "long.git");
    assert_eq!(mine(keep.path(), &["long.git", "-o", "whole"]).code, 0);
    let whole = files(&keep.path().join("whole"));
    assert!(whole.len() > 1500, "{}", whole.len());
    let mut unfinished = 0;
    // On a busy machine many kills come too early or too late: repeat until enough were in time.
    for round in 0..60u64 {
        if round >= 8 && unfinished >= 3 {
            break;
        }
        let folder = format!("torn{round}");
        for attempt in 0..6u64 {
            let mut child = assay(keep.path())
                .args(["data", "mine", "codrep", "long.git", "-o", &folder])
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            std::thread::sleep(Duration::from_millis(15 + (23 * round + 11 * attempt) % 400));
            let ended = child.try_wait().unwrap().is_some();
            child.kill().unwrap();
            child.wait().unwrap();
            if ended {
                break;
            }
            let state = keep.path().join(&folder).join("mining.json");
            let state = fs::read_to_string(state).unwrap_or_default();
            unfinished += usize::from(!state.is_empty() && !state.contains("\"commits\": 0,"));
        }
        let output = mine(keep.path(), &["long.git", "-o", &folder]);
        assert_eq!(output.code, 0, "{output:?}");
        let resumed = files(&keep.path().join(&folder));
        assert_eq!(resumed.keys().collect::<Vec<_>>(), whole.keys().collect::<Vec<_>>());
        assert!(resumed == whole, "round {round} differs");
    }
    assert!(unfinished >= 3, "the kills came too early or too late to test anything: {unfinished}");
}

#[test]
fn shallow_clones_work_and_broken_repositories_are_told() {
    let keep = tempfile::tempdir().unwrap();
    let repository = history().make(keep.path(), "project.git");
    let url = format!("file://{}", repository.display());
    git(keep.path(), &["clone", "--quiet", "--depth", "3", &url, "shallow"], b"");
    let output = mine(keep.path(), &["shallow", "-o", "few", "--json"]);
    assert_eq!(output.code, 0, "{output:?}");
    fs::write(repository.join("refs/heads/bad"), "garbage\n").unwrap();
    let output = mine(keep.path(), &["project.git", "-o", "all", "--all-refs"]);
    assert_eq!(output.code, 3, "{output:?}");
    assert!(output.err.contains("project.git cannot be read"), "{output:?}");
    fs::write(repository.join("HEAD"), "ref: refs/heads/nowhere\n").unwrap();
    let output = mine(keep.path(), &["project.git", "-o", "none"]);
    assert!(output.err.contains("has no commits where HEAD is"), "{output:?}");
    assert!(output.err.contains("--all-refs"), "{output:?}");
}

#[test]
fn one_stray_byte_does_not_change_other_lines() {
    let keep = tempfile::tempdir().unwrap();
    let mut script = Script::default();
    script.commit("start", &[Put("M.java", b"gr\xc3\xbcn;\nbad\xe9;\nc;\n")]);
    script.commit("encoding alone", &[Put("M.java", b"gr\xc3\xbcn;\nbad\xc3\xa9;\nc;\n")]);
    script.commit("code", &[Put("M.java", b"gr\xc3\xbcn;\nbad\xc3\xa9;\nd;\n")]);
    let repository = script.make(keep.path(), "project.git");
    assert_eq!(mine(keep.path(), &["project.git", "-o", "mined"]).code, 0);
    assert_eq!(mined_tasks(&repository, &keep.path().join("mined")), ["code: M.java:3 d;"]);
}
