//! Git repositories in which the test decides every byte.

#![expect(clippy::disallowed_methods, reason = "tests start git")]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A history that is described commit by commit and then created at once.
#[derive(Default)]
pub(crate) struct Script {
    stream: Vec<u8>,
    commits: usize,
}

/// A commit's change to a file.
pub(crate) enum Edit<'a> {
    /// Gives it this content.
    Put(&'a str, &'a [u8]),
    /// Gives it this content and makes it executable.
    PutExecutable(&'a str, &'a [u8]),
    /// Makes it a link to this.
    Link(&'a str, &'a str),
    /// Moves it.
    Move(&'a str, &'a str),
}

impl Script {
    /// Adds a commit to `main` after its last one; returns its number.
    pub(crate) fn commit(&mut self, subject: &str, edits: &[Edit<'_>]) -> usize {
        self.commit_on("main", subject, &[], edits)
    }

    /// Adds a commit to a branch with these parents; none means the branch's last commit.
    pub(crate) fn commit_on(
        &mut self,
        branch: &str,
        subject: &str,
        parents: &[usize],
        edits: &[Edit<'_>],
    ) -> usize {
        self.commits += 1;
        let number = self.commits;
        // Commits are an hour apart, from a fixed date on.
        let seconds = 1_500_000_000 + number * 3600;
        self.line(&format!("commit refs/heads/{branch}"));
        self.line(&format!("mark :{number}"));
        self.line(&format!("committer Tester <tester@example.org> {seconds} +0000"));
        self.data(subject.as_bytes());
        for (place, parent) in parents.iter().enumerate() {
            let word = if place == 0 { "from" } else { "merge" };
            self.line(&format!("{word} :{parent}"));
        }
        for edit in edits {
            match edit {
                Edit::Put(path, content) => self.put("100644", path, content),
                Edit::PutExecutable(path, content) => self.put("100755", path, content),
                Edit::Link(path, target) => self.put("120000", path, target.as_bytes()),
                Edit::Move(from, to) => self.line(&format!("R {from} {to}")),
            }
        }
        self.line("");
        number
    }

    fn put(&mut self, mode: &str, path: &str, content: &[u8]) {
        self.line(&format!("M {mode} inline {path}"));
        self.data(content);
    }

    fn data(&mut self, bytes: &[u8]) {
        self.line(&format!("data {}", bytes.len()));
        self.stream.extend(bytes);
        self.line("");
    }

    fn line(&mut self, line: &str) {
        self.stream.extend(line.as_bytes());
        self.stream.push(b'\n');
    }

    /// Creates the repository `name` in `folder`.
    pub(crate) fn make(&self, folder: &Path, name: &str) -> PathBuf {
        let path = folder.join(name);
        fs::create_dir_all(&path).expect("a folder can be made");
        git(&path, &["init", "--quiet", "--bare", "--initial-branch", "main", "."], b"");
        git(&path, &["fast-import", "--quiet"], &self.stream);
        path
    }
}

/// Runs git in `folder`, and returns its output.
pub(crate) fn git(folder: &Path, arguments: &[&str], input: &[u8]) -> String {
    let mut child = Command::new("git")
        .current_dir(folder)
        .args(arguments)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("git runs");
    child.stdin.take().expect("it has an input").write_all(input).expect("git reads");
    let output = child.wait_with_output().expect("git ends");
    assert!(output.status.success(), "git {arguments:?}");
    String::from_utf8(output.stdout).expect("git speaks UTF-8")
}
