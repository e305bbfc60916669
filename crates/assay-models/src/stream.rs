//! Replies that come piece by piece, as server-sent events.

use assay_core::Finish;
use serde::Deserialize;

use crate::reply::{Choice, Message, TokenCounts, finish, in_order, parse, with_thoughts};
use crate::settings::Api;

/// Puts the pieces of a reply together.
pub(crate) struct Pieces {
    api: Api,
    /// The bytes of an event that is not complete yet.
    rest: Vec<u8>,
    choices: Vec<(usize, Piecemeal)>,
    usage: Option<TokenCounts>,
    /// True if the server said that nothing follows.
    is_done: bool,
}

/// A choice, as far as it came.
#[derive(Default)]
struct Piecemeal {
    text: String,
    /// Thoughts that are sent separately.
    thoughts: String,
    finish: Option<Finish>,
    /// True if the server said why the choice ended.
    is_done: bool,
}

impl Piecemeal {
    fn whole(self) -> Choice {
        let Self { text, thoughts, finish, .. } = self;
        Choice { text: with_thoughts(&thoughts, text), finish, usage: None }
    }
}

/// The greatest size of one event.
const MAX_EVENT: usize = 16 << 20;

#[derive(Deserialize)]
struct Event {
    #[serde(default)]
    choices: Vec<EventChoice>,
    usage: Option<TokenCounts>,
    error: Option<serde_json::Value>,
}

#[derive(Deserialize)]
struct EventChoice {
    #[serde(default)]
    index: usize,
    text: Option<String>,
    delta: Option<Message>,
    finish_reason: Option<String>,
}

impl Pieces {
    pub(crate) fn new(api: Api) -> Self {
        Self { api, rest: Vec::new(), choices: Vec::new(), usage: None, is_done: false }
    }

    /// Adds bytes as they arrive. An error is a sentence about what is wrong.
    pub(crate) fn add(&mut self, bytes: &[u8]) -> Result<(), String> {
        self.rest.extend_from_slice(bytes);
        let rest = std::mem::take(&mut self.rest);
        let mut lines = rest.split_inclusive(|&byte| byte == b'\n').peekable();
        while let Some(line) = lines.next() {
            if lines.peek().is_none() && !line.ends_with(b"\n") {
                self.rest = line.to_vec();
            } else {
                self.add_line(line.trim_ascii())?;
            }
        }
        if self.rest.len() > MAX_EVENT {
            return Err("an event of its reply is too long".to_owned());
        }
        Ok(())
    }

    fn add_line(&mut self, line: &[u8]) -> Result<(), String> {
        // Comments, names and empty lines of the event stream say nothing here.
        let Some(data) = line.strip_prefix(b"data:") else { return Ok(()) };
        let data = data.trim_ascii();
        if data == b"[DONE]" {
            self.is_done = true;
            return Ok(());
        }
        let event: Event = serde_json::from_slice(data)
            .map_err(|error| format!("an event of its reply cannot be read: {error}"))?;
        if let Some(error) = event.error {
            return Err(format!("its reply ends with an error: {error}"));
        }
        self.usage = event.usage.or(self.usage);
        event.choices.into_iter().try_for_each(|choice| self.add_choice(choice))
    }

    fn add_choice(&mut self, piece: EventChoice) -> Result<(), String> {
        let EventChoice { index, text, delta, finish_reason } = piece;
        let place = self.choices.iter().position(|(known, _)| *known == index);
        let place = place.unwrap_or_else(|| {
            self.choices.push((index, Piecemeal::default()));
            self.choices.len() - 1
        });
        if self.choices.len() > 4096 {
            return Err("its reply has too many choices".to_owned());
        }
        let choice = &mut self.choices[place].1;
        match (self.api, text, delta) {
            (Api::Completion, Some(text), _) => choice.text.push_str(&text),
            (Api::Chat, _, Some(delta)) => {
                choice.thoughts.push_str(delta.thoughts());
                choice.text.push_str(&delta.said());
            }
            _ => {}
        }
        // Some servers send an empty reason until there is one.
        if let Some(reason) = finish_reason.filter(|reason| !reason.is_empty()) {
            choice.finish = finish(&reason).or(choice.finish);
            choice.is_done = true;
        }
        Ok(())
    }

    /// The same after a reply that the server calls JSON, with its body: an answer in one piece, or events all the same.
    pub(crate) fn finish_with(mut self, body: &[u8], count: usize) -> Result<Vec<Choice>, String> {
        let has_events = body.trim_ascii_start().starts_with(b"data:");
        if !body.is_empty() && !has_events {
            return parse(body, self.api, count);
        }
        self.add(body)?;
        self.finish(count)
    }

    /// The reply to a request for `count` samples; an error if the stream ended too early.
    pub(crate) fn finish(self, count: usize) -> Result<Vec<Choice>, String> {
        let Self { choices, usage, is_done, rest, .. } = self;
        let are_done = !choices.is_empty() && choices.iter().all(|(_, choice)| choice.is_done);
        if !rest.is_empty() || !(is_done || are_done) {
            return Err("its reply was cut off".to_owned());
        }
        let choices = choices.into_iter().map(|(index, choice)| (index, choice.whole()));
        in_order(choices.collect(), usage, count)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// llama.cpp's form: the tokens are in the last event.
    const CHAT: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":null}}]}\n\n\
        data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"hé\"}}]}\n\n: a comment\n\n\
        data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"llo\"}}]}\n\n\
        data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"length\"}],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":2}}\n\n\
        data: [DONE]\n\n";

    fn read(pieces: &[&[u8]], api: Api, count: usize) -> Result<Vec<Choice>, String> {
        let mut read = Pieces::new(api);
        pieces.iter().try_for_each(|piece| read.add(piece))?;
        read.finish(count)
    }

    #[test]
    fn several_choices_are_kept_apart() {
        let text = "data: {\"choices\":[{\"index\":1,\"text\":\"b\"}]}\r\n\r\n\
            data: {\"choices\":[{\"index\":0,\"text\":\"a\"}]}\r\n\r\n\
            data: {\"choices\":[{\"index\":1,\"text\":\"B\",\"finish_reason\":\"stop\"}]}\r\n\r\n\
            data: {\"choices\":[],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":4}}\r\n\r\ndata: [DONE]\r\n\r\n";
        let choices = read(&[text.as_bytes()], Api::Completion, 2).unwrap();
        assert_eq!((&*choices[0].text, &*choices[1].text), ("a", "bB"));
        assert_eq!(choices[0].usage.unwrap().completion_tokens, 4);
        assert_eq!((choices[0].finish, choices[1].finish), (None, Some(Finish::Stop)));
    }

    #[test]
    fn thoughts_come_first() {
        let text = "data: {\"choices\":[{\"delta\":{\"reasoning_content\":\"2+2\"}}]}\n\n\
            data: {\"choices\":[{\"delta\":{\"content\":\"4\"},\"finish_reason\":\"stop\"}]}\n\n";
        let choices = read(&[text.as_bytes()], Api::Chat, 1).unwrap();
        assert_eq!(choices[0].text, "<think>2+2</think>4");
    }

    #[test]
    fn streams_that_break_are_no_reply() {
        let cut = &CHAT[..CHAT.find("data: {\"choices\":[{\"index\":0,\"delta\":{},").unwrap()];
        assert_eq!(read(&[cut.as_bytes()], Api::Chat, 1).unwrap_err(), "its reply was cut off");
        assert_eq!(read(&[b""], Api::Chat, 1).unwrap_err(), "its reply was cut off");
        let broken = read(&[b"data: {\"choices\":\n\n"], Api::Chat, 1).unwrap_err();
        assert!(broken.starts_with("an event of its reply cannot be read"), "{broken}");
        let failed = read(&[b"data: {\"error\":{\"message\":\"no\"}}\n\n"], Api::Chat, 1);
        assert_eq!(failed.unwrap_err(), "its reply ends with an error: {\"message\":\"no\"}");
    }

    #[test]
    fn each_choice_must_end() {
        let finished = r#"data: {"choices":[{"index":1,"text":"b","finish_reason":"stop"}]}"#;
        let begun = r#"data: {"choices":[{"index":0,"text":"a","finish_reason":""}]}"#;
        let ended = r#"data: {"choices":[{"index":0,"text":"!","finish_reason":"odd"}]}"#;
        let done = "data: [DONE]";
        for (lines, count, texts) in [
            (&[begun, finished][..], 2, None),
            (&[finished, begun], 2, None),
            (&[begun], 1, None),
            (&[begun, begun], 1, None),
            (&[begun, done], 1, Some("a")),
            (&[begun, ended], 1, Some("a!")),
            (&[finished, begun, ended], 2, Some("a! b")),
            (&[begun, finished, done], 2, Some("a b")),
        ] {
            let text = lines.join("\n\n") + "\n\n";
            let said = read(&[text.as_bytes()], Api::Completion, count).map(|choices| {
                choices.into_iter().map(|choice| choice.text).collect::<Vec<_>>().join(" ")
            });
            let cut = || "its reply was cut off".to_owned();
            assert_eq!(said, texts.map(str::to_owned).ok_or_else(cut), "{text}");
        }
    }

    #[test]
    fn thoughts_have_two_names() {
        for delta in [
            r#"{"reasoning":"2+2","reasoning_content":"2+2"}"#,
            r#"{"reasoning":"2+2","reasoning_content":null}"#,
            r#"{"reasoning":"","reasoning_content":"2+2"}"#,
            r#"{"reasoning":"2+2","content":null}"#,
        ] {
            let text = format!(
                "data: {{\"choices\":[{{\"delta\":{delta}}}]}}\n\n\
                 data: {{\"choices\":[{{\"delta\":{{\"content\":\"4\",\"reasoning\":null,\"reasoning_content\":null}}}}]}}\n\n\
                 data: [DONE]\n\n"
            );
            let choices = read(&[text.as_bytes()], Api::Chat, 1).unwrap();
            assert_eq!(choices[0].text, "<think>2+2</think>4");
        }
    }

    proptest! {
        #[test]
        fn pieces_may_end_anywhere(cuts in prop::collection::vec(0..CHAT.len(), 0..6)) {
            let mut cuts = cuts;
            cuts.extend([0, CHAT.len()]);
            cuts.sort_unstable();
            let pieces: Vec<&[u8]> =
                cuts.windows(2).map(|pair| &CHAT.as_bytes()[pair[0]..pair[1]]).collect();
            let choices = read(&pieces, Api::Chat, 1).unwrap();
            prop_assert_eq!(&*choices[0].text, "héllo");
            prop_assert_eq!(choices[0].finish, Some(Finish::Length));
        }

        #[test]
        fn any_bytes_are_read(bytes: Vec<u8>, text in "(data: |\\{|\\}|\"choices\":\\[|\\]|\n|é){0,20}") {
            let _ = read(&[&bytes, text.as_bytes()], Api::Chat, 1);
        }
    }
}
