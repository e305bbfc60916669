//! What is said of a language model's replies.

use std::path::Path;

use assay_core::{ProblemId, Repeated, Replies, agreeing, counted};

use super::{list_some, print_message, warn};

/// The share of replies from which on something seems to be wrong with the way to ask.
const MANY: f64 = 0.05;

/// Says what the replies cost, and warns of the signs of a wrong way to ask.
pub(crate) fn show_replies(replies: &Replies) {
    print_message(&cost(replies));
    for warning in warnings(replies) {
        warn(&warning);
    }
    match replies.repeated.map(repetition) {
        Some(Ok(held)) => print_message(&held),
        Some(Err(broken)) => warn(&broken),
        None => {}
    }
}

/// Says where the answers are, which are graded later.
pub(crate) fn show_answered(folder: &Path, answers: usize, unusable: &[ProblemId]) {
    if !unusable.is_empty() {
        let are = agreeing(unusable.len(), "is unusable", "are unusable");
        let title = format!("{} {are} and was not asked", counted(unusable.len(), "problem"));
        list_some(&title, unusable.iter().map(ProblemId::as_str), unusable.len());
    }
    let (folder, answers) = (folder.display(), counted(answers, "answer"));
    print_message(&format!("{answers} recorded in {folder}\ngrade with: assay score {folder}"));
}

fn cost(replies: &Replies) -> String {
    let Replies { prompt_tokens: read, completion_tokens: written, cost, .. } = *replies;
    let count = match replies.replies {
        1 => "1 reply".to_owned(),
        count => format!("{count} replies"),
    };
    let tokens = match (read, written) {
        (0, 0) => ", of which the server counts no tokens".to_owned(),
        _ => format!(": {read} tokens read, {written} written"),
    };
    let cost = cost.map_or(String::new(), |cost| format!(", ${cost:.4}"));
    format!("{count}{tokens}{cost}")
}

/// The outcome of asking again: a message if every reply was the same, else a warning.
fn repetition(repeated: Repeated) -> Result<String, String> {
    let Repeated { tried, same } = repeated;
    let prompts = counted(tried, "prompt");
    match tried - same.min(tried) {
        _ if tried == 0 => {
            Err("no prompt could be asked again: it is not known whether replies repeat".to_owned())
        }
        0 => Ok(format!("{prompts} asked again: the same reply each time")),
        other => Err(format!(
            "{prompts} asked again: {other} got another reply, so the server's replies do not repeat; the record is what does"
        )),
    }
}

fn warnings(replies: &Replies) -> Vec<String> {
    let Replies { empty, refused, unread, cut_by_length, filtered, fenced, .. } = *replies;
    let signs = [
        (
            empty,
            agreeing(empty, "is empty", "are empty"),
            "a chat model needs --api chat, a base model --api completion; --failures 3 shows prompts and replies",
        ),
        (
            refused,
            agreeing(
                refused,
                "is missing, because the server did not answer the prompt",
                "are missing, because the server did not answer the prompts",
            ),
            "answers.jsonl has the reasons; a prompt and --max-tokens must fit the model's context together",
        ),
        (
            unread,
            agreeing(
                unread,
                "names no answer that the task takes",
                "name no answer that the task takes",
            ),
            "`reply` in answers.jsonl has their text",
        ),
        (
            cut_by_length,
            agreeing(
                cut_by_length,
                "was cut at the greatest number of tokens",
                "were cut at the greatest number of tokens",
            ),
            "raise --max-tokens",
        ),
        (
            fenced,
            agreeing(
                fenced,
                "holds Markdown fences, which are no code",
                "hold Markdown fences, which are no code",
            ),
            "find the code in them with --extract code, or ask with --api chat",
        ),
        (
            filtered,
            agreeing(
                filtered,
                "was withheld by a filter of the server",
                "were withheld by a filter of the server",
            ),
            "the server decides this",
        ),
    ];
    let many = signs.into_iter().filter(|(count, ..)| *count > 0 && replies.share(*count) >= MANY);
    many.map(|(count, what, cure)| format!("{count} of {} replies {what}: {cure}", replies.replies))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_of_a_wrong_way_to_ask_are_warned_of() {
        let fine = Replies { replies: 100, empty: 1, ..Replies::default() };
        assert_eq!(warnings(&fine), Vec::<String>::new());
        let bad = Replies {
            empty: 5,
            refused: 7,
            unread: 6,
            cut_by_length: 70,
            fenced: 9,
            filtered: 100,
            ..fine
        };
        assert_eq!(
            warnings(&bad),
            [
                "5 of 100 replies are empty: a chat model needs --api chat, a base model --api completion; --failures 3 shows prompts and replies",
                "7 of 100 replies are missing, because the server did not answer the prompts: answers.jsonl has the reasons; a prompt and --max-tokens must fit the model's context together",
                "6 of 100 replies name no answer that the task takes: `reply` in answers.jsonl has their text",
                "70 of 100 replies were cut at the greatest number of tokens: raise --max-tokens",
                "9 of 100 replies hold Markdown fences, which are no code: find the code in them with --extract code, or ask with --api chat",
                "100 of 100 replies were withheld by a filter of the server: the server decides this",
            ]
        );
    }

    #[test]
    fn a_broken_promise_is_warned_of() {
        let said = |tried, same| repetition(Repeated { tried, same });
        assert_eq!(said(10, 10).unwrap(), "10 prompts asked again: the same reply each time");
        assert_eq!(
            said(10, 3).unwrap_err(),
            "10 prompts asked again: 7 got another reply, so the server's replies do not repeat; the record is what does"
        );
        assert!(said(0, 0).unwrap_err().starts_with("no prompt could be asked again"));
    }

    #[test]
    fn the_cost_is_said_as_far_as_it_is_known() {
        let none = Replies { replies: 1, ..Replies::default() };
        assert_eq!(cost(&none), "1 reply, of which the server counts no tokens");
        let known =
            Replies { replies: 2, prompt_tokens: 5, completion_tokens: 7, cost: Some(0.1), ..none };
        assert_eq!(cost(&known), "2 replies: 5 tokens read, 7 written, $0.1000");
    }
}
