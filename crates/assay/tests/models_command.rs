//! `assay models` and `assay cache`, with small servers on loopback.

#![cfg(feature = "models")]
#![expect(
    clippy::disallowed_methods,
    reason = "a test starts the binary from a shell that limits it"
)]

mod common;
#[path = "common/toy_server.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod toy_server;

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};

use common::{CommandOutput, assay, dataset, json, run};
use serde_json::Value;
use toy_server::{LONGEST, Shape, ToyServer, likelihood};

fn toy(shape: Shape) -> ToyServer {
    ToyServer::start(shape, |_, seed| format!("reply {seed}"))
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder can be made")
}

/// The outcome of each kind of request, as yes or no.
fn works(survey: &Value) -> Vec<(String, bool)> {
    let requests = survey["requests"].as_array().expect("a list");
    let one = |request: &Value| {
        let name = request["name"].as_str().expect("a name").to_owned();
        (name, request["works"].as_bool().expect("yes or no"))
    };
    requests.iter().map(one).collect()
}

#[test]
fn a_survey_says_what_each_server_can_do() {
    let folder = folder();
    for (shape, program, without) in [
        (Shape::Vllm, "vLLM 0.32.0", &[][..]),
        (Shape::Llama, "llama.cpp b1-toy", &["echo"]),
        (
            Shape::Plain,
            "a server that does not tell its program",
            &["logprobs", "echo", "likelihood"],
        ),
    ] {
        let server = toy(shape);
        let found = run(folder.path(), &["models", &server.url(), "--json"]);
        assert_eq!(found.code, 0, "{found:?}");
        let survey = json(&found);
        let failed: Vec<String> =
            works(&survey).into_iter().filter(|(_, works)| !works).map(|(name, _)| name).collect();
        assert_eq!(failed, without, "{shape:?} {survey:#}");
        assert_eq!(survey["model"], "toy");
        assert_eq!(survey["models"][0], "toy");
        assert!(survey["requests_sent"].as_u64().is_some_and(|sent| sent < 20));
        let shown = run(folder.path(), &["models", &server.url()]);
        assert!(shown.out.contains(program), "{}", shown.out);
        assert!(shown.out.contains("--choose likelihood"), "{}", shown.out);
    }
}

#[test]
fn an_ignored_seed_and_a_refused_n_are_found() {
    let server = ToyServer::start(Shape::Vllm, |_, _| "always the same".to_owned());
    let folder = folder();
    let survey = json(&run(folder.path(), &["models", &server.url(), "--json"]));
    let seed =
        survey["requests"].as_array().expect("a list").iter().find(|one| one["name"] == "seed");
    let found = seed.expect("it is tried")["found"].as_str().expect("a text");
    assert_eq!(found, "four seeds gave the same reply at temperature 1.5");
}

#[test]
fn a_key_comes_from_the_environment() {
    let server =
        ToyServer::serving("toy", Shape::Vllm, Some("sk-toy-12345"), |_, seed| format!("{seed}"));
    let folder = folder();
    let refused = run(folder.path(), &["models", &server.url()]);
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(
        refused.err.contains("refuses access (status 401): Invalid API Key"),
        "{}",
        refused.err
    );
    assert!(refused.err.contains("ASSAY_API_KEY"), "{}", refused.err);
    for arguments in [&["models"][..], &["models", "--api-key-env", "OTHER"]] {
        let name = if arguments.len() > 1 { "OTHER" } else { "ASSAY_API_KEY" };
        let output: CommandOutput = assay(folder.path())
            .args(arguments)
            .arg(server.url())
            .env(name, "sk-toy-12345")
            .output()
            .expect("the binary runs")
            .into();
        assert_eq!(output.code, 0, "{output:?}");
        assert!(!format!("{output:?}").contains("sk-toy"));
    }
}

/// A server that answers every connection with these bytes.
fn with_bytes(bytes: &'static [u8]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let port = listener.local_addr().expect("it has an address").port();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(bytes);
        }
    });
    format!("http://127.0.0.1:{port}")
}

#[test]
fn what_is_no_model_server_is_named() {
    let page = b"HTTP/1.1 200 OK\r\nContent-Length: 15\r\nConnection: close\r\n\r\n<!DOCTYPE html>";
    let missing = b"HTTP/1.1 404 x\r\nContent-Length: 23\r\nConnection: close\r\n\r\n{\"detail\":\"Not Found\"} ";
    let empty = b"HTTP/1.1 200 OK\r\nContent-Length: 11\r\nConnection: close\r\n\r\n{\"data\":[]}";
    let port = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr());
    let nobody = format!("http://127.0.0.1:{}", port.expect("a port is free").port());
    let folder = folder();
    for (url, message) in [
        (nobody, "the server cannot be reached: "),
        (
            with_bytes(page),
            "is no list of models: it is a web page, which begins \"<!DOCTYPE html>\"",
        ),
        (with_bytes(missing), "is no list of models: status 404: Not Found"),
        (with_bytes(empty), "lists no models"),
        (with_bytes(b"SSH-2.0-OpenSSH\r\n"), "the connection broke: "),
        ("localhost:8000".to_owned(), "\"localhost:8000\": "),
    ] {
        let output = run(folder.path(), &["models", &url]);
        assert!(matches!(output.code, 1 | 2), "{output:?}");
        assert!(output.err.contains(message), "{message}: {}", output.err);
        assert!(output.err.contains("hint:"), "{}", output.err);
        assert!(output.out.is_empty());
    }
}

/// The arguments of a run of CodRep on a dataset.
fn codrep<'a>(data: &'a str, solver: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut arguments = vec!["run", "codrep", "--data", data, "--solver", solver, "--json"];
    arguments.extend(more);
    arguments
}

#[test]
fn a_line_is_chosen_by_likelihood_and_recorded_with_its_evidence() {
    for shape in [Shape::Vllm, Shape::Llama] {
        let (server, (scratch, data)) = (toy(shape), dataset("Data", 12));
        let (data, solver) = (data.display().to_string(), format!("http:toy@{}", server.url()));
        let done = run(scratch.path(), &codrep(&data, &solver, &["--choose", "likelihood"]));
        assert_eq!(done.code, 0, "{done:?}");
        let signature = json(&done)["signature"].as_str().expect("a signature").to_owned();
        assert!(signature.contains("api=completion.2,choose=likelihood.1"), "{signature}");
        let record = &common::runs(scratch.path())[0];
        let answers = fs::read_to_string(record.join("answers.jsonl")).expect("it is there");
        let texts = fs::read_to_string(record.join("texts.jsonl")).expect("it is there");
        assert_eq!(answers.lines().count(), 12);
        for line in answers.lines() {
            let answer: Value = serde_json::from_str(line).expect("it is JSON");
            assert_eq!(answer["rule"], "likelihood.1");
            let prompt = prompt_of(&texts, &answer["question"]);
            let kept: Vec<(String, f64, usize)> =
                serde_json::from_str(answer["reply"].as_str().expect("evidence")).expect("a list");
            let scores = kept.iter().map(|(line, sum, _)| {
                assert!(
                    (sum - likelihood(&prompt, &format!(" {line}{}", end(kept.len())))).abs()
                        < 1e-6
                );
                *sum
            });
            let scores: Vec<f64> = scores.collect();
            let best = (0..scores.len()).rev().max_by(|a, b| scores[*a].total_cmp(&scores[*b]));
            let number = best.expect("there are lines") + 1;
            assert_eq!(answer["response"]["lines"][0], number, "{line}");
        }
    }
}

/// A line end follows the numbers if one of them begins another.
fn end(count: usize) -> &'static str {
    if count >= 10 { "\n" } else { "" }
}

fn prompt_of(texts: &str, hash: &Value) -> String {
    let lines = texts.lines().map(|line| serde_json::from_str::<Value>(line).expect("it is JSON"));
    let mut found = lines.filter(|text| text["hash"] == *hash);
    found.next().expect("it is kept")["text"].as_str().expect("a text").to_owned()
}

#[test]
fn likelihood_is_refused_where_there_is_nothing_to_choose() {
    let (server, folder) = (toy(Shape::Plain), folder());
    let solver = format!("http:toy@{}", server.url());
    let run_with = |more: &[&str]| {
        let mut arguments = vec!["run", "humaneval", "--data", "sample", "--solver", &solver];
        arguments.extend(more);
        run(folder.path(), &arguments)
    };
    let refused = run_with(&["--choose", "likelihood"]);
    assert_eq!(refused.code, 2, "{refused:?}");
    let message = "humaneval asks for a program, which --choose likelihood cannot choose";
    assert!(refused.err.contains(message), "{}", refused.err);
    let mut arguments = vec!["run", "codrep", "--data", "sample", "--solver", &solver];
    arguments.extend(["--choose", "likelihood", "-L", "1"]);
    let cannot = run(folder.path(), &arguments);
    assert_eq!(cannot.code, 1, "{cannot:?}");
    assert!(cannot.err.contains("does not tell the likelihood of given answers"), "{}", cannot.err);
    arguments.extend(["--api", "chat"]);
    let chat = run(folder.path(), &arguments);
    assert_eq!(chat.code, 2, "{chat:?}");
    assert!(chat.err.contains("--choose likelihood needs --api completion"), "{}", chat.err);
}

#[test]
fn a_window_that_is_too_large_for_the_model_is_made_smaller_and_named() {
    let (server, (scratch, data)) =
        (ToyServer::start(Shape::Vllm, |_, _| "7".to_owned()), dataset("Data", 1));
    let long = |length: usize| "x".repeat(length);
    // 400 and 200 lines of a hundred characters are too long, and 100 are not.
    let wide: String = (0..1000).map(|line| format!("{line}{}\n", long(97))).collect();
    common::write(&data, 1, &format!("changed\n\n{wide}"), "7");
    // No window of this file fits.
    common::write(&data, 2, &format!("changed\n\na\n{}\n", long(LONGEST)), "1");
    let (data, solver) = (data.display().to_string(), format!("http:toy@{}", server.url()));
    let done = run(scratch.path(), &codrep(&data, &solver, &[]));
    assert_eq!(done.code, 5, "{done:?}");
    assert!(done.err.contains("1 of 2 answers is missing"), "{}", done.err);
    let record = &common::runs(scratch.path())[0];
    let answers = fs::read_to_string(record.join("answers.jsonl")).expect("it is there");
    let answers: Vec<Value> =
        answers.lines().map(|line| serde_json::from_str(line).expect("it is JSON")).collect();
    assert_eq!(answers[0]["rule"], "line-number.2,window=100");
    assert_eq!(answers[0]["response"]["lines"][0], 7);
    let why = answers[1]["response"]["none"]["detail"].as_str().expect("a reason");
    assert!(why.starts_with("the prompt is too long for the model: request exceeds"), "{why}");
}

/// The paid requests of a server.
fn paid(server: &ToyServer) -> Vec<String> {
    let bodies = server.requests().into_iter();
    let mut bodies: Vec<String> = bodies
        .filter(|(path, _)| path.contains("completion"))
        .map(|(_, body)| body.to_string())
        .collect();
    bodies.sort();
    bodies
}

#[test]
fn two_processes_send_no_request_twice() {
    let server = ToyServer::start(Shape::Vllm, |_, _| {
        // Long enough for the other process to want the same.
        std::thread::sleep(std::time::Duration::from_millis(30));
        "1".to_owned()
    });
    let (scratch, data) = dataset("Data", 20);
    let (data, solver) = (data.display().to_string(), format!("http:toy@{}", server.url()));
    let children: Vec<_> = (0..3)
        .map(|number| {
            let output = scratch.path().join(number.to_string()).display().to_string();
            let mut command = assay(scratch.path());
            command.args(codrep(&data, &solver, &["-o", &output, "--in-flight", "4"]));
            command.stdout(Stdio::null()).spawn().expect("the binary runs")
        })
        .collect();
    for mut child in children {
        assert!(child.wait().expect("it ends").success());
    }
    let sent = paid(&server);
    let mut distinct = sent.clone();
    distinct.dedup();
    assert_eq!(distinct.len(), 20);
    assert_eq!(sent, distinct, "a request was sent twice");
}

#[test]
fn a_full_disk_loses_no_reply_that_arrived() {
    let server = ToyServer::start(Shape::Vllm, |_, _| "1 ".repeat(400));
    let (scratch, data) = dataset("Data", 8);
    let (data, solver) = (data.display().to_string(), format!("http:toy@{}", server.url()));
    let first = run(scratch.path(), &codrep(&data, &solver, &["-L", "2", "-o", "first"]));
    assert_eq!(first.code, 0, "{first:?}");
    let folder =
        list(scratch.path())["replies"][0]["folder"].as_str().expect("a folder").to_owned();
    let log = fs::OpenOptions::new().append(true).open(Path::new(&folder).join("replies.jsonl"));
    // Files may have 32 blocks of 1024 bytes, of which the log has used nearly all, and the record has not.
    let mut log = log.expect("it is there");
    writeln!(log, "{}", "x".repeat(30_500)).expect("it can be written");
    let arguments = codrep(&data, &solver, &["--in-flight", "1", "-j", "1"]);
    let script = "trap '' XFSZ; ulimit -f 32; exec \"$0\" \"$@\"";
    let mut command = Command::new("bash");
    command.args(["-c", script, env!("CARGO_BIN_EXE_assay")]).args(&arguments);
    command.current_dir(scratch.path()).env("ASSAY_CACHE", scratch.path().join(".cache"));
    command.env("XDG_STATE_HOME", scratch.path().join(".state"));
    let failed: CommandOutput = command.output().expect("bash runs").into();
    assert_eq!(failed.code, 1, "{failed:?}");
    assert!(failed.err.contains("replies.jsonl"), "{}", failed.err);
    assert!(failed.err.contains("--no-cache"), "{}", failed.err);
    let sent_before = paid(&server).len();
    assert!((3..8).contains(&sent_before), "{sent_before}");
    let record = common::runs(scratch.path())[0].display().to_string();
    let done = run(scratch.path(), &["run", "--resume", &record, "--json"]);
    assert_eq!(done.code, 0, "{done:?}");
    assert_eq!(paid(&server).len(), 8, "each is sent once");
}

fn list(folder: &Path) -> Value {
    json(&run(folder, &["cache", "list", "--json"]))
}

#[test]
fn the_cache_is_listed_and_cleared() {
    let (server, (scratch, data)) = (toy(Shape::Vllm), dataset("Data", 3));
    let folder = scratch.path();
    assert!(run(folder, &["cache", "list"]).out.ends_with(".cache: 0 bytes\n"));
    assert_eq!(run(folder, &["cache", "clear", "--all"]).out, "nothing to remove\n");
    let data = data.display().to_string();
    for model in ["toy", "other"] {
        let solver = format!("http:{model}@{}", server.url());
        run(folder, &codrep(&data, &solver, &[]));
    }
    let gold = run(folder, &["run", "humaneval", "--data", "sample", "--solver", "echo"]);
    assert!(matches!(gold.code, 0 | 2 | 5), "{gold:?}");
    let cached = list(folder);
    assert_eq!(cached["replies"].as_array().map(Vec::len), Some(2), "{cached:#}");
    assert_eq!(cached["replies"][0]["replies"], 3);
    let shown = run(folder, &["cache", "list"]).out;
    assert!(
        shown.contains("toy") && shown.contains("other") && shown.contains(&server.url()),
        "{shown}"
    );
    let unclear = run(folder, &["cache", "clear"]);
    assert_eq!(unclear.code, 2);
    assert!(unclear.err.contains("--model NAME, --url URL, or --all"), "{}", unclear.err);
    assert_eq!(run(folder, &["cache", "clear", "--model", "toy", "--all"]).code, 2);
    let nothing = run(folder, &["cache", "clear", "--model", "toy", "--url", "http://localhost:1"]);
    assert_eq!(nothing.out, "nothing to remove\n");
    let one = run(folder, &["cache", "clear", "--model", "toy", "--url", &server.url()]);
    assert!(one.out.starts_with("removed: 3 replies of 1 model, "), "{one:?}");
    assert_eq!(list(folder)["replies"][0]["model"], "other");
    let asked = run(folder, &["cache", "clear", "--all"]);
    assert_eq!(asked.code, 3, "{asked:?}");
    assert!(asked.err.contains("this would remove everything in") && asked.err.contains("--yes"));
    let all = run(folder, &["cache", "clear", "--all", "--yes", "--json"]);
    assert_eq!(json(&all)["removed"][0]["replies"], 3);
    assert_eq!(list(folder)["bytes"], 0);
}
