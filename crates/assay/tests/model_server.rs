//! Models on a server that misbehaves: every sample arrives exactly once, and scores are those of the stored replies.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use std::process::Command;
use std::time::Duration;

use assay_testserver::{Dialect, Generations, Log, Mischief, Plan, ServerSettings, Wait};
use common::models::{Stored, asking, lines, of_data, of_sample, server, start};
use common::{CommandOutput, json, real_data, runs};
use serde_json::Value;
use tempfile::tempdir;

fn output(command: &mut Command) -> CommandOutput {
    command.output().unwrap().into()
}

/// A plan in which everything goes wrong that passes.
fn mischief(seed: u64) -> Plan {
    Plan { seed, share: 0.15, kinds: Mischief::passing(), most: 2 }
}

/// Asks a server for everything, and compares what arrives with what is stored.
fn check(stored: &Stored, settings: ServerSettings, more: &[&str], samples: usize) -> (Log, Value) {
    let folder = tempdir().unwrap();
    let expected = stored.scores(folder.path());
    let server = start(settings);
    let output = output(&mut asking(folder.path(), stored, &server, more));
    let results = json(&output);
    for field in ["counts", "metrics"] {
        assert_eq!(results[field], expected[field], "{more:?}: {output:?}");
    }
    let all = stored.len() * samples;
    assert_eq!(results["replies"]["replies"], all, "{results}");
    let run = &runs(folder.path())[0];
    assert_eq!(lines(run, "answers.jsonl").len(), all);
    assert_eq!(lines(run, "verdicts.jsonl").len(), all);
    let log = server.log();
    assert_eq!(log.answered.len(), stored.prompts() * samples);
    let mut again = log.answered_again();
    again.retain(|(name, _)| !stored.has_twin(name));
    assert_eq!(again, Vec::<&(String, u64)>::new(), "{more:?}");
    (log, results)
}

#[test]
fn everything_arrives_once_from_a_server_that_misbehaves() {
    let stored = of_sample("humaneval", 20);
    let mut seen: Vec<&str> = Vec::new();
    for (seed, dialect) in [(1, Dialect::LlamaCpp), (2, Dialect::Vllm)] {
        for (api, generations) in [("chat", stored.chats()), ("completion", stored.completions())] {
            let settings = ServerSettings {
                dialect,
                plan: mischief(seed),
                ..ServerSettings::new(generations)
            };
            for more in [&[][..], &["--stream", "--samples-per-request", "3"]] {
                let more = [&["--api", api], more].concat();
                let (log, _) = check(&stored, settings.clone(), &more, 20);
                seen.extend(log.mischief.keys());
            }
        }
    }
    for kind in Mischief::passing() {
        assert!(seen.contains(&kind.name()), "{kind:?} was never tried");
    }
}

#[test]
fn the_whole_of_humaneval_and_mbpp_arrives_once() {
    let Some(data) = real_data("the_whole_of_humaneval_and_mbpp_arrives_once") else { return };
    for (task, dialect) in [("humaneval", Dialect::LlamaCpp), ("mbpp", Dialect::Vllm)] {
        let stored = of_data(task, &data, 20);
        let settings = ServerSettings {
            dialect,
            plan: Plan { share: 0.05, ..mischief(7) },
            ..ServerSettings::new(stored.completions())
        };
        let (log, _) = check(&stored, settings, &["--api", "completion"], 20);
        assert!(log.requests > 20 * stored.len() as u64, "{}", log.requests);
    }
}

/// A run of one problem with a few samples, on a server with which one thing is wrong.
fn one(kind: Mischief, more: &[&str]) -> (CommandOutput, Log) {
    let folder = tempdir().unwrap();
    let stored = of_sample("humaneval", 2);
    let server = server(stored.chats(), Plan::first(1, kind));
    let output = output(asking(folder.path(), &stored, &server, more).args(["-i", "Sample/1"]));
    (output, server.log())
}

#[test]
fn each_kind_of_trouble_passes() {
    let kinds = [Mischief::passing(), vec![Mischief::Stall, Mischief::Huge(17)]].concat();
    for kind in kinds {
        for stream in [&[][..], &["--stream"]] {
            let more = [&["--request-timeout", "5"], stream].concat();
            let (output, log) = one(kind.clone(), &more);
            assert_eq!(output.code, 0, "{kind:?} {stream:?}: {output:?}");
            assert_eq!(log.answered_again(), Vec::<&(String, u64)>::new(), "{kind:?} {stream:?}");
        }
    }
}

#[test]
fn a_server_says_when_to_come_again() {
    for wait in [Wait::Seconds(3), Wait::Date(3)] {
        let begun = std::time::Instant::now();
        let (output, _) = one(Mischief::Status(429, wait), &[]);
        assert_eq!(output.code, 0, "{output:?}");
        // A date has whole seconds, so a part of the first one may have passed.
        assert!(begun.elapsed() >= Duration::from_secs(2), "{wait:?}: {:?}", begun.elapsed());
    }
}

#[test]
fn a_server_with_fewer_slots_gives_fewer_samples_at_once() {
    let stored = of_sample("humaneval", 10);
    let settings =
        ServerSettings { slots: 3, keeps_bodies: true, ..ServerSettings::new(stored.chats()) };
    let (log, _) = check(&stored, settings, &["--samples-per-request", "10"], 10);
    let asked: Vec<Value> =
        log.bodies.iter().map(|body| serde_json::from_str(body).unwrap()).collect();
    assert!(asked.iter().any(|body| body["n"] == 3), "{asked:?}");
    assert!(log.refused.is_empty(), "it says how many slots it has: {:?}", log.refused);
}

#[test]
fn a_sample_with_another_seed_is_another_reply() {
    let folder = tempdir().unwrap();
    let stored = of_sample("humaneval", 4);
    let settings = ServerSettings { keeps_bodies: true, ..ServerSettings::new(stored.chats()) };
    let server = start(settings);
    let seeds = |more: &[&str]| -> Vec<u64> {
        let before = server.log().bodies.len();
        let output = output(asking(folder.path(), &stored, &server, more).args(["-L", "1"]));
        assert_eq!(output.code, 0, "{output:?}");
        let bodies = server.log().bodies;
        let bodies = bodies[before..].iter().map(|body| serde_json::from_str(body).unwrap());
        let mut seeds: Vec<u64> =
            bodies.map(|body: Value| body["seed"].as_u64().unwrap()).collect();
        seeds.sort_unstable();
        seeds
    };
    let together = ["--samples-per-request", "4"];
    assert_eq!(seeds(&together), [0]);
    assert_eq!(seeds(&together), [0; 0]);
    assert_eq!(seeds(&[]), [1, 2, 3], "these were never sent");
    assert_eq!(seeds(&[]), [0; 0]);
}

#[test]
fn a_prompt_that_is_too_long_is_no_answer() {
    for dialect in [Dialect::LlamaCpp, Dialect::Vllm] {
        let folder = tempdir().unwrap();
        let stored = of_sample("humaneval", 1);
        let settings =
            ServerSettings { dialect, context: 5, ..ServerSettings::new(stored.chats()) };
        let server = start(settings);
        let output = output(asking(folder.path(), &stored, &server, &[]).args(["-L", "2"]));
        assert_eq!(output.code, 5, "{output:?}");
        assert_eq!(json(&output)["counts"]["not_answered"], 2, "{output:?}");
        assert_eq!(server.requests(), 2, "it is not asked again");
        for words in
            ["2 questions have no answer; the first one because the prompt is too long", "context"]
        {
            assert!(output.err.contains(words), "{output:?}");
        }
        assert!(
            output.err.contains("mostly because the server did not answer the prompts"),
            "{output:?}"
        );
        assert!(!output.err.contains("empty"), "{output:?}");
    }
}

#[test]
fn what_no_retry_cures_ends_the_run_with_a_cure() {
    let folder = tempdir().unwrap();
    let stored = of_sample("humaneval", 1);
    let elsewhere = server(Generations::always("x"), Plan::well());
    let redirect = Mischief::Redirect(format!("{}/v1/chat/completions", elsewhere.url()));
    let fatal = |settings: ServerSettings| {
        let server = start(settings);
        let output = output(asking(folder.path(), &stored, &server, &[]).args(["-L", "1"]));
        assert_eq!(output.code, 1, "{output:?}");
        output.err
    };
    let settings = || ServerSettings::new(stored.chats());
    let err = fatal(ServerSettings { plan: Plan::first(9, redirect), ..settings() });
    assert!(err.contains(&format!("redirects requests to {}", elsewhere.url())), "{err}");
    assert_eq!(elsewhere.log().connections, 0);
    let err = fatal(ServerSettings { key: Some("sk-123456789".to_owned()), ..settings() });
    assert!(err.contains("refuses access (status 401)"), "{err}");
    assert!(err.contains("hint: give the server's key in the environment variable"), "{err}");
}

#[test]
fn a_server_that_does_not_recover_ends_the_run_and_keeps_what_is_done() {
    let folder = tempdir().unwrap();
    let stored = of_sample("humaneval", 20);
    let mut server = server(stored.completions(), Plan::well());
    let generate = ["--api", "completion", "--generate-only"];
    server.stop();
    let output = output(&mut asking(folder.path(), &stored, &server, &generate));
    assert_eq!(output.code, 1, "{output:?}");
    assert!(output.err.contains("the server cannot be reached"), "{output:?}");
    assert!(output.err.contains("hint: start the server"), "{output:?}");
}

#[test]
fn other_addresses_work_too() {
    let folder = tempdir().unwrap();
    let stored = of_sample("humaneval", 1);
    let (server, proxy) =
        (server(stored.chats(), Plan::well()), server(stored.chats(), Plan::well()));
    let ask = |url: &str| {
        let mut command = common::assay(folder.path());
        let solver = format!("http:stored@{url}");
        command.args(["run", "humaneval", "--data", "sample", "-L", "1", "--solver", &solver]);
        command.env_remove("NO_PROXY").env_remove("no_proxy").env("http_proxy", proxy.url());
        output(&mut command)
    };
    let port = server.port();
    for host in ["localhost", "127.0.0.1"] {
        let output = ask(&format!("http://{host}:{port}/"));
        assert_eq!(output.code, 0, "a server on this machine needs no proxy: {output:?}");
    }
    let output = ask(&format!("https://127.0.0.1:{port}"));
    assert!(output.err.contains("hint: "), "{output:?}");
    assert!(output.err.contains("https"), "{output:?}");
    assert_eq!(proxy.log().connections, 0);
    // Every other host is asked through the proxy, which knows no other server.
    let output = ask("http://192.0.2.1:80");
    assert!(output.err.contains("http://192.0.2.1/v1 has no such model or address"), "{output:?}");
    assert!(proxy.log().connections > 0);
}
