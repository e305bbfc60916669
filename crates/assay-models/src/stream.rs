//! Replies that come piece by piece, as server-sent events.

use serde::Deserialize;

use crate::reply::{Choice, Message, TokenCounts, finish, in_order, parse, text_of};
use crate::settings::Api;

/// Puts the pieces of a reply together.
pub(crate) struct Pieces {
    api: Api,
    /// The bytes of an event that is not complete yet.
    rest: Vec<u8>,
    choices: Vec<(usize, Choice)>,
    /// The thoughts of each choice, where they are sent separately.
    thoughts: Vec<(usize, String)>,
    usage: Option<TokenCounts>,
    is_done: bool,
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
        let (choices, thoughts) = (Vec::new(), Vec::new());
        Self { api, rest: Vec::new(), choices, thoughts, usage: None, is_done: false }
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
            let empty = Choice { text: String::new(), finish: None, usage: None };
            self.choices.push((index, empty));
            self.thoughts.push((index, String::new()));
            self.choices.len() - 1
        });
        if self.choices.len() > 4096 {
            return Err("its reply has too many choices".to_owned());
        }
        let (choice, thoughts) = (&mut self.choices[place].1, &mut self.thoughts[place].1);
        match (self.api, text, delta) {
            (Api::Completion, Some(text), _) => choice.text.push_str(&text),
            (Api::Chat, _, Some(delta)) => {
                let said = delta.content.or(delta.refusal);
                choice.text.push_str(said.as_deref().unwrap_or_default());
                thoughts.push_str(delta.reasoning_content.as_deref().unwrap_or_default());
            }
            _ => {}
        }
        if let Some(reason) = finish_reason {
            choice.finish = finish(&reason).or(choice.finish);
            self.is_done = true;
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
        if !self.is_done || !self.rest.is_empty() {
            return Err("its reply was cut off".to_owned());
        }
        let Self { mut choices, thoughts, usage, .. } = self;
        for ((_, choice), (_, thoughts)) in choices.iter_mut().zip(thoughts) {
            let content = Some(std::mem::take(&mut choice.text));
            let message = Message { content, reasoning_content: Some(thoughts), refusal: None };
            choice.text = text_of(message);
        }
        in_order(choices, usage, count)
    }
}

#[cfg(test)]
mod tests {
    use assay_core::Finish;
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
