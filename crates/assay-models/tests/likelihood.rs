//! The likelihood of given answers, from servers of every shape. The toy model's likelihoods are computed by hand.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "../../assay/tests/common/toy_server.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod toy_server;

use std::path::PathBuf;

use assay_core::{
    AnswerEach, AnswerError, Ask, Cancel, ChoiceQuestion, LineQuestion, LineRule, Question, Reply,
    Response,
};
use assay_models::{Api, Choose, Model, ModelAddress, ModelResources, ModelSettings};
use toy_server::{Shape, ToyServer, likelihood};

fn model(server: &ToyServer, choose: Choose, cache: Option<PathBuf>) -> Model {
    let address = ModelAddress::on(&server.url(), "toy").unwrap();
    let settings =
        ModelSettings { api: Api::Completion, choose, window: 25, ..ModelSettings::default() };
    let resources = ModelResources { cache, ..ModelResources::default() };
    Model::connect(address, settings, (0, 3), resources, Box::new(|_| vec![30])).unwrap()
}

fn ask(model: &Model, question: &Question) -> Result<Reply, AnswerError> {
    let cancel = Cancel::new();
    let id = "p".into();
    model.answer(&Ask { id: &id, index: 0, sample: 0, question, gold: None, cancel: &cancel })
}

fn choice(options: &[&str]) -> Question {
    let options = options.iter().map(|&option| option.to_owned()).collect();
    Question::Choice(ChoiceQuestion { prompt: "Is it safe?".to_owned(), options })
}

fn toy(shape: Shape) -> ToyServer {
    ToyServer::start(shape, |_, _| "no idea".to_owned())
}

const SHAPES: [Shape; 2] = [Shape::Vllm, Shape::Llama];

/// The prompt ends with a colon (58). A blank (32) after it has (174 + 32) % 5 = 1, so -1. After the blank, `y` (121) has
/// (96 + 121) % 5 = 2, so -1.5, and `n` (110) has (96 + 110) % 5 = 1, so -1. `e` (101) after `y` has
/// (363 + 101) % 5 = 4, so -2.5, `s` (115) after `e` has (303 + 115) % 5 = 3, so -2, and `o` (111) after `n` has
/// (330 + 111) % 5 = 1, so -1.
const YES: f64 = -1.0 - 1.5 - 2.5 - 2.0;
const NO: f64 = -1.0 - 1.0 - 1.0;

#[test]
fn the_likeliest_option_is_chosen_in_both_ways() {
    for shape in SHAPES {
        let server = toy(shape);
        let reply =
            ask(&model(&server, Choose::Likelihood, None), &choice(&["yes", "no"])).unwrap();
        assert_eq!(reply.response, Response::Choice("no".to_owned()), "{shape:?}");
        assert_eq!(reply.text.unwrap(), format!("[[\"yes\",{YES:.1},4],[\"no\",{NO:.1},3]]"));
        assert_eq!(reply.rule.unwrap(), "likelihood.1");
        assert!(reply.asked.unwrap().ends_with("One of: yes, no\nAnswer:"));
        let sure = reply.confidence[0];
        assert!((f64::from(sure.probability) - 1.0 / (1.0 + (YES - NO).exp())).abs() < 1e-6);
        assert!(reply.usage.prompt_tokens.unwrap() > 0);
    }
}

/// `n` after `n` has (330 + 110) % 5 = 0, so -0.5, and `nnnnnn` -1 - 1 - 5 · 0.5 = -4.5. The sums are -7, -3 and -4.5;
/// per character -2.33, -1.5 and -0.75; per token (the blank is one) -1.75, -1 and -0.64.
#[test]
fn lengths_are_normalised_by_name() {
    for shape in SHAPES {
        let server = toy(shape);
        let question = choice(&["yes", "no", "nnnnnn"]);
        for (choose, best) in [
            (Choose::Likelihood, "no"),
            (Choose::LikelihoodPerCharacter, "nnnnnn"),
            (Choose::LikelihoodPerToken, "nnnnnn"),
        ] {
            let reply = ask(&model(&server, choose, None), &question).unwrap();
            assert_eq!(reply.response, Response::Choice(best.to_owned()), "{shape:?} {choose:?}");
        }
    }
}

fn program() -> Question {
    let lines: String = (1..=60).map(|line| format!("call({line});\n")).collect();
    Question::Line(LineQuestion::new(format!("new\n\n{lines}").into_bytes(), LineRule::LineFeed))
}

#[test]
fn the_likeliest_line_of_the_window_is_chosen() {
    // 21 lines around line 30, and the first 4.
    let shown: Vec<usize> = (1..=4).chain(20..=40).collect();
    for shape in SHAPES {
        let server = toy(shape);
        let reply = ask(&model(&server, Choose::Likelihood, None), &program()).unwrap();
        let prompt = reply.asked.unwrap();
        assert!(prompt.ends_with("\nnew\nNumber of the replaced line:"), "{prompt}");
        let score = |line: usize| likelihood(&prompt, &format!(" {line}\n"));
        let mut expected: Vec<(usize, f64)> =
            shown.iter().map(|&line| (line, score(line))).collect();
        expected.sort_by(|left, right| right.1.total_cmp(&left.1));
        let best: Vec<usize> = expected.iter().take(3).map(|(line, _)| *line).collect();
        assert_eq!(reply.response, Response::Lines(best), "{shape:?}");
        let kept: Vec<(String, f64, usize)> = serde_json::from_str(&reply.text.unwrap()).unwrap();
        let numbers: Vec<usize> = kept.iter().map(|(line, _, _)| line.parse().unwrap()).collect();
        assert_eq!(numbers, shown);
        for ((_, sum, tokens), line) in kept.into_iter().zip(numbers) {
            assert!((sum - score(line)).abs() < 1e-9, "{line}");
            assert_eq!(tokens, format!(" {line}\n").len());
        }
    }
}

/// The requests beside those for what the server tells about itself.
fn asked(server: &ToyServer) -> usize {
    let is_asked = |path: &str| {
        ["/completion", "/completions", "/tokenize"].iter().any(|end| path.ends_with(end))
    };
    server.requests().iter().filter(|(path, _)| is_asked(path)).count()
}

#[test]
fn nothing_is_asked_twice() {
    for shape in SHAPES {
        let server = toy(shape);
        let cache = tempfile::tempdir().unwrap();
        let ask_all = || {
            let model = model(&server, Choose::Likelihood, Some(cache.path().to_owned()));
            let replies =
                [program(), choice(&["yes", "no"])].map(|question| ask(&model, &question));
            replies.map(|reply| reply.unwrap().text)
        };
        let first = ask_all();
        let before = asked(&server);
        assert!(before > 10);
        assert_eq!(ask_all(), first);
        assert_eq!(asked(&server), before, "{shape:?}");
        // Another rule needs no other numbers.
        let other = model(&server, Choose::LikelihoodPerToken, Some(cache.path().to_owned()));
        ask(&other, &choice(&["yes", "no"])).unwrap();
        assert_eq!(asked(&server), before, "{shape:?}");
        assert_eq!(other.from_cache(), 1);
    }
}

#[test]
fn a_server_that_cannot_is_named() {
    let server = toy(Shape::Plain);
    let failed = ask(&model(&server, Choose::Likelihood, None), &choice(&["a", "b"]));
    let Err(AnswerError::Fatal(error)) = failed else { panic!("{failed:?}") };
    let message = error.to_string();
    let start =
        format!("{}/v1 (its program is not known) does not tell the likelihood", server.url());
    assert!(message.starts_with(&start), "{message}");
    assert!(error.hint_text().unwrap().contains("--choose reply"));
}

fn code() -> Question {
    Question::Code(assay_core::CodeQuestion {
        prompt: "def f():".to_owned(),
        opening: "def f():".into(),
        language: assay_core::Language::Python,
        stop: assay_core::StopWords::default(),
    })
}

#[test]
fn a_question_without_answers_is_refused() {
    let server = toy(Shape::Vllm);
    let failed = ask(&model(&server, Choose::Likelihood, None), &code());
    let Err(AnswerError::Fatal(error)) = failed else { panic!("{failed:?}") };
    assert_eq!(error.to_string(), "--choose likelihood needs questions with given answers");
}
