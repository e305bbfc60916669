//! A failed sample for a terminal.

use assay_core::{
    Ending, Evidence, LineQuestion, Question, Response, Verdict, counted, shown_line,
};
use assay_run::{CutReply, FailedSample};

use super::super::terminal::{Page, width};

/// The number of lines shown of a prompt or a source, of an answer, of a value, and of a traceback.
const MAX_PROMPT_LINES: usize = 12;
const MAX_ANSWER_LINES: usize = 20;
const MAX_VALUE_LINES: usize = 6;
const MAX_TRACE_LINES: usize = 8;
/// The number of lines shown after the one that an error names.
const AFTER: usize = 5;
/// The number of characters shown of a value or a message.
const MAX_VALUE: usize = 400;
/// The lines of a file shown before and after a line.
const CONTEXT: usize = 2;
/// The column of values.
const COLUMN: usize = 12;

/// The name of the end of a reply at a stop word, where a rule would be named.
pub(super) const STOP_WORDS: &str = "stop words";

const BOLD: &str = "1";
const DIM: &str = "2";
const GREEN: &str = "32";
const RED: &str = "31";

/// The part of a long text that is kept.
#[derive(Clone, Copy)]
enum Keep {
    First(usize),
    Last(usize),
}

/// The sample with the given place among those shown.
pub(super) fn sample(place: &str, sample: &FailedSample, page: Page) -> String {
    let verdict = &sample.verdict;
    let title = format!("{place}: {}, sample {}", verdict.problem, verdict.sample);
    let mut text = format!("\n{}\n", page.paint(&title, BOLD));
    match (&sample.question, sample.response.as_deref()) {
        (Some(Question::Line(question)), _) => text += &line_answer(verdict, question, page),
        (None, Some(Response::Lines(_))) => text += &field("answer", &line_summary(verdict), page),
        (question, _) => {
            text += &line_field("outcome", &outcome(verdict), page);
            if let Some(question) = question {
                let keep = Keep::First(MAX_PROMPT_LINES);
                text += &block("prompt", &question.prompt(), keep, page);
            }
            text += &answer(sample, page);
            text += &sample.cut.as_ref().map_or(String::new(), |cut| reply(cut, sample, page));
            text += &evidence(verdict, page);
        }
    }
    text
}

/// The way in which the sample failed.
fn outcome(verdict: &Verdict) -> String {
    match &verdict.ending {
        Some(Ending::WrongAnswer { message }) => {
            let test = test_of(message, verdict.evidence.as_ref());
            if test.is_empty() {
                "wrong answer".to_owned()
            } else {
                format!("wrong answer: {test}")
            }
        }
        Some(ending) => ending.to_string(),
        None => {
            let scores = verdict.scores.iter().map(|(name, score)| format!("{name} {score:.4}"));
            let scores: Vec<String> = scores.collect();
            if scores.is_empty() { "wrong".to_owned() } else { scores.join(" · ") }
        }
    }
}

/// The message without the parts that are shown on lines of their own.
fn test_of<'a>(message: &'a str, evidence: Option<&Evidence>) -> &'a str {
    let call = evidence.and_then(|evidence| evidence.call.as_deref());
    let Some(call) = call else { return message };
    let told = format!("{call} gave ");
    match message.find(&told) {
        Some(at) => message[..at].trim_end_matches("; "),
        None => message,
    }
}

/// The answer: around the line that an error names, if there is one, and without the prompt that it repeats.
fn program(text: &str, sample: &FailedSample, page: Page) -> String {
    let prompt = match &sample.question {
        Some(Question::Code(question)) => question.prompt.as_str(),
        _ => "",
    };
    let lines = |text: &str| text.matches('\n').count();
    let is_whole = matches!(sample.response.as_deref(), Some(Response::Program(_)));
    let (repeated, rest) = match text.strip_prefix(prompt.trim_end()).filter(|_| is_whole) {
        Some(rest) if !prompt.trim().is_empty() && !rest.trim().is_empty() => {
            (lines(prompt.trim_end()), rest)
        }
        _ => (0, text),
    };
    let line = match &sample.verdict.ending {
        Some(Ending::Exception { line, .. } | Ending::SyntaxError { line, .. }) => *line,
        _ => None,
    };
    // A continuation begins after the prompt.
    let before = if is_whole { repeated } else { lines(prompt) };
    let place = line.and_then(|line| (line as usize).checked_sub(before + 1));
    let skipped = place.unwrap_or_default().saturating_sub(MAX_ANSWER_LINES - AFTER);
    let title = match (repeated > 0, skipped > 0) {
        (true, false) => "answer, after the prompt",
        (_, true) => "answer, around the error",
        (false, false) => "answer",
    };
    let rest = match skipped {
        0 => rest,
        _ => rest.match_indices('\n').nth(skipped - 1).map_or(rest, |(at, _)| &rest[at + 1..]),
    };
    block(title, rest, Keep::First(MAX_ANSWER_LINES), page)
}

fn answer(sample: &FailedSample, page: Page) -> String {
    if let (Some(Response::Text(text) | Response::Program(text)), true) =
        (sample.response.as_deref(), sample.verdict.ending.is_some())
    {
        return program(text, sample, page);
    }
    let shown = |title: &str, response: &Response| {
        let text = match response {
            Response::Text(text) | Response::Program(text) | Response::Choice(text) => text,
            Response::Lines(_) | Response::None(_) => return String::new(),
        };
        block(title, text, Keep::First(MAX_ANSWER_LINES), page)
    };
    let mut text = sample.response.as_deref().map_or(String::new(), |given| shown("answer", given));
    // A program is not shown beside the right one: its tests decide.
    if sample.verdict.ending.is_none() {
        text += &sample.gold.as_ref().map_or(String::new(), |gold| shown("reference", gold));
    }
    text
}

/// The reply that the answer was cut from, with the rule and the part that it kept.
fn reply(cut: &CutReply, sample: &FailedSample, page: Page) -> String {
    let lines = |text: &str| text.lines().filter(|line| !line.trim().is_empty()).count();
    let kept = match sample.response.as_deref() {
        Some(Response::Text(text) | Response::Program(text)) => lines(text),
        _ => 0,
    };
    let rule = cut.rule.as_deref().unwrap_or(STOP_WORDS);
    let summary =
        format!("{rule} kept {kept} of {} of the reply", counted(lines(&cut.reply), "line"));
    let mut text = line_field("cut", &summary, page);
    text += &block("reply", &cut.reply, Keep::First(MAX_ANSWER_LINES), page);
    text
}

/// The failing call, what was expected and what came, and where an exception came from.
fn evidence(verdict: &Verdict, page: Page) -> String {
    let Some(evidence) = &verdict.evidence else { return String::new() };
    let Evidence { call, expected, got, input, traceback, stderr_tail, .. } = evidence;
    let mut text = String::new();
    let fields = [("input", input), ("call", call), ("expected", expected), ("got", got)];
    for (title, value) in fields {
        text += &value.as_deref().map_or(String::new(), |value| field(title, value, page));
    }
    let raised = matches!(
        verdict.ending,
        Some(Ending::Exception { .. } | Ending::EarlyExit { .. } | Ending::Crashed { .. })
    );
    let trace = traceback.as_deref().unwrap_or(stderr_tail);
    if raised && !trace.trim().is_empty() {
        text += &block("traceback", trace.trim_end(), Keep::Last(MAX_TRACE_LINES), page);
    }
    text
}

/// A title and a value, on one line if there is room.
fn field(title: &str, value: &str, page: Page) -> String {
    if value.trim_end_matches('\n').contains('\n') {
        return block(title, value, Keep::First(MAX_VALUE_LINES), page);
    }
    line_field(title, value.trim_end_matches('\n'), page)
}

/// A title and a value as one line, wrapped if it is long.
fn line_field(title: &str, value: &str, page: Page) -> String {
    let value = shortened(value);
    let start = format!("  {title:<0$}", COLUMN - 2);
    if COLUMN + width(&value) <= page.width {
        return format!("{}{value}\n", page.paint(&start, DIM));
    }
    let rows = page.wrap_code(&[(value, "")], COLUMN);
    format!("{}{}", page.paint(&start, DIM), rows.get(COLUMN..).unwrap_or_default())
}

/// A value as one line: escaped, and without its middle if it is long.
fn shortened(value: &str) -> String {
    let count = value.chars().count();
    if count <= MAX_VALUE {
        return shown_line(value).into_owned();
    }
    let head: String = value.chars().take(MAX_VALUE / 2).collect();
    let tail: String = value.chars().skip(count - MAX_VALUE / 2).collect();
    format!("{} … {}", shown_line(&head), shown_line(&tail))
}

/// A title and the lines of a text below it.
fn block(title: &str, text: &str, keep: Keep, page: Page) -> String {
    let text = text.trim_end_matches('\n').trim_start_matches('\n');
    let all = text.split('\n').count();
    let (skip, most) = match keep {
        Keep::First(most) => (0, most),
        Keep::Last(most) => (all.saturating_sub(most), most),
    };
    let left = all.saturating_sub(most);
    let note = |text: String| format!("    {}\n", page.paint(&text, DIM));
    let mut shown = format!("  {}\n", page.paint(title, DIM));
    if skip > 0 {
        shown += &note(format!("… {skip} lines before"));
    }
    for line in text.split('\n').skip(skip).take(most) {
        shown += format!("    {}", page.cut(line.as_bytes(), 4)).trim_end();
        shown.push('\n');
    }
    if skip == 0 && left > 0 {
        shown += &note(format!("… {left} more {}", if left == 1 { "line" } else { "lines" }));
    }
    shown
}

/// The answered line and the right one, in words.
fn line_summary(verdict: &Verdict) -> String {
    let Verdict { predicted, solution, .. } = verdict;
    let lines: Vec<String> = predicted.iter().take(10).map(ToString::to_string).collect();
    let mut text = format!("line {}", lines.join(", then "));
    if predicted.len() > lines.len() {
        text += ", …";
    }
    let Some(right) = solution else { return text };
    text += &format!("; right is line {right}");
    match predicted.iter().position(|line| line == right) {
        Some(place) if place > 0 => text += &format!(", answer {}", place + 1),
        _ => {}
    }
    if let Some(off) = predicted.first().map(|first| first.abs_diff(*right)) {
        text += &format!(" ({off} {} off)", if off == 1 { "line" } else { "lines" });
    }
    text
}

/// The new line, the answered line and the right one, each with its surroundings.
fn line_answer(verdict: &Verdict, question: &LineQuestion, page: Page) -> String {
    let lines: Vec<&[u8]> = question.program_lines().collect();
    let mut text = field("answer", &line_summary(verdict), page);
    text += &format!("  {}\n", page.paint("new line", DIM));
    text += &format!("    {}\n", page.cut(question.line().trim_ascii(), 4));
    let predicted = verdict.predicted.first().copied();
    for (title, line, colour) in [("answered", predicted, RED), ("right", verdict.solution, GREEN)]
    {
        if let Some(line) = line.filter(|line| (1..=lines.len()).contains(line)) {
            text +=
                &format!("  {}\n{}", page.paint(title, DIM), around(&lines, line, colour, page));
        }
    }
    text
}

/// A line of a file with those around it.
fn around(lines: &[&[u8]], line: usize, colour: &str, page: Page) -> String {
    let from = line.saturating_sub(CONTEXT).max(1);
    let to = (line + CONTEXT).min(lines.len());
    let digits = to.to_string().len();
    let mut text = String::new();
    for number in from..=to {
        let mark = if number == line { '>' } else { ' ' };
        let start = format!("  {mark} {number:>digits$} │ ");
        let row = format!("{start}{}", page.cut(lines[number - 1], width(&start)));
        text += &page.paint(row.trim_end(), if number == line { colour } else { DIM });
        text.push('\n');
    }
    text
}

/// The text of a line of a file, for JSON.
pub(super) fn line_text(lines: &[&[u8]], line: usize) -> Option<String> {
    let text = lines.get(line.checked_sub(1)?)?;
    let text = text.strip_suffix(b"\r").unwrap_or(text);
    Some(String::from_utf8_lossy(text).into_owned())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use assay_core::{CodeQuestion, Language, LineRule, Outcome, StopWords};

    use super::*;

    const PAGE: Page = Page { width: 80, colour: false };

    fn failed(verdict: Verdict, question: Question, response: Response) -> FailedSample {
        let (response, question) = (Some(Arc::new(response)), Some(question));
        FailedSample { verdict, response, cut: None, question, gold: None }
    }

    fn code(prompt: &str) -> Question {
        let (prompt, stop) = (prompt.to_owned(), StopWords::default());
        let (opening, language) = ("".into(), Language::Python);
        Question::Code(CodeQuestion { prompt, opening, language, stop })
    }

    fn program_verdict(ending: Ending, evidence: Evidence) -> Verdict {
        let verdict = Verdict::new("HumanEval/7".into(), 2, Outcome::Failed);
        Verdict { ending: Some(ending), evidence: Some(evidence), ..verdict }
    }

    #[test]
    fn a_wrong_answer_is_shown_with_call_expected_and_got() {
        let evidence = Evidence {
            call: Some("f([1, 2])".to_owned()),
            expected: Some("3".to_owned()),
            got: Some("4".to_owned()),
            ..Evidence::default()
        };
        let message = "assert candidate([1, 2]) == 3; f([1, 2]) gave 4, not 3".to_owned();
        let verdict = program_verdict(Ending::WrongAnswer { message }, evidence);
        let prompt: String = (1..=20).map(|line| format!("line {line}\n")).collect();
        let answer = Response::Text("    return 4\n".to_owned());
        let shown = sample("1 of 3", &failed(verdict, code(&prompt), answer), PAGE);
        assert!(shown.starts_with("\n1 of 3: HumanEval/7, sample 2\n"), "{shown}");
        for part in [
            "  outcome   wrong answer: assert candidate([1, 2]) == 3\n",
            "    line 12\n    … 8 more lines\n",
            "  answer\n        return 4\n",
            "  call      f([1, 2])\n  expected  3\n  got       4\n",
        ] {
            assert!(shown.contains(part), "{part:?} is not in {shown}");
        }
        assert!(!shown.contains("gave"), "{shown}");
    }

    #[test]
    fn hostile_texts_are_escaped_and_bounded() {
        let long = "\x1b[2J\u{202e}".to_owned() + &"x".repeat(1 << 20);
        let many = format!("{long}\n").repeat(30);
        let evidence = Evidence {
            call: Some(long.clone()),
            expected: Some(many.clone()),
            got: Some(long.clone()),
            input: Some(many.clone()),
            traceback: Some(many.clone()),
            ..Evidence::default()
        };
        let ending = Ending::Exception { class: long.clone(), message: many.clone(), line: None };
        let verdict = program_verdict(ending, evidence);
        let shown = sample("1 of 1", &failed(verdict, code(&many), Response::Program(many)), PAGE);
        assert!(!shown.contains(['\x1b', '\u{202e}']) && shown.len() < 10_000, "{}", shown.len());
        let widest = shown.lines().map(width).max();
        assert!(widest <= Some(80), "{widest:?}: {shown}");
    }

    #[test]
    fn an_exception_is_shown_with_the_end_of_its_traceback() {
        let trace: String = (1..=20).map(|line| format!("line {line}, in f\n")).collect();
        let evidence = Evidence { traceback: Some(trace), ..Evidence::default() };
        let (class, message) = ("NameError".to_owned(), "name 'y' is not defined".to_owned());
        let verdict =
            program_verdict(Ending::Exception { class, message, line: Some(3) }, evidence);
        let answer = Response::Program("x".to_owned());
        let shown = sample("1 of 1", &failed(verdict, code("p"), answer), PAGE);
        assert!(shown.contains("NameError: name 'y' is not defined, line 3\n"), "{shown}");
        assert!(shown.contains("… 12 lines before\n    line 13, in f\n"), "{shown}");
        assert!(shown.ends_with("line 20, in f\n"), "{shown}");
    }

    #[test]
    fn an_answer_is_shown_around_its_error_and_without_the_prompt() {
        let prompt = "def f(x):\n    \"\"\"Double it.\"\"\"\n";
        let body: String = (3..=60).map(|line| format!("    line {line}\n")).collect();
        let error = |line| {
            let (class, message) = ("NameError".to_owned(), String::new());
            let ending = Ending::Exception { class, message, line };
            program_verdict(ending, Evidence::default())
        };
        for response in [Response::Program(format!("{prompt}{body}")), Response::Text(body.clone())]
        {
            let whole = matches!(response, Response::Program(_));
            let near =
                sample("1 of 1", &failed(error(Some(50)), code(prompt), response.clone()), PAGE);
            assert!(near.contains("around the error\n        line 35\n"), "{near}");
            assert!(near.contains("    line 50\n") && near.contains("    line 54\n"), "{near}");
            let far = sample("1 of 1", &failed(error(None), code(prompt), response), PAGE);
            let title = if whole { "answer, after the prompt" } else { "answer" };
            assert!(far.contains(&format!("  {title}\n        line 3\n")), "{far}");
        }
    }

    #[test]
    fn a_line_is_shown_beside_the_right_one() {
        let text = b"new text\n\na\nb\nc\nd\ne\nf\ng\nh\ni\n".to_vec();
        let question = Question::Line(LineQuestion::new(text, LineRule::LineFeed));
        let verdict = Verdict {
            predicted: vec![9, 2],
            solution: Some(2),
            ..Verdict::new("Dataset4/17".into(), 0, Outcome::Failed)
        };
        let shown = sample("1 of 1", &failed(verdict, question, Response::Lines(vec![9])), PAGE);
        for part in [
            "line 9, then 2; right is line 2, answer 2 (7 lines off)",
            "  new line\n    new text\n",
            "  answered\n    7 │ g\n    8 │ h\n  > 9 │ i\n",
            "  right\n    1 │ a\n  > 2 │ b\n    3 │ c\n    4 │ d\n",
        ] {
            assert!(shown.contains(part), "{part:?} is not in {shown}");
        }
    }
}
