//! The finding out of a server's way to tell likelihoods.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::{Endpoint, echo, forced};
use crate::failure::Failure;

/// The ways to learn the likelihood of a given text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// The server sends a prompt's log-probabilities back.
    Echo,
    /// The server is forced to say the text, as llama.cpp can be.
    Forced,
}

/// A text whose likelihood any server can tell.
const TEXT: &str = "1 2 3 4";

/// Sends a request; `None` if the server refuses it.
pub(crate) type Try<'a> = dyn Fn(Endpoint, Value) -> Result<Option<Value>, Failure> + 'a;

/// The way of this server; `None` if it has none.
pub(crate) fn shape(model: &str, is_llama: bool, send: &Try<'_>) -> Result<Option<Shape>, Failure> {
    let order = if is_llama { [Shape::Forced, Shape::Echo] } else { [Shape::Echo, Shape::Forced] };
    for shape in order {
        let works = match shape {
            Shape::Echo => echoes(model, send)?,
            Shape::Forced => can_be_forced(send)?,
        };
        if works {
            return Ok(Some(shape));
        }
    }
    Ok(None)
}

fn echoes(model: &str, send: &Try<'_>) -> Result<bool, Failure> {
    let reply = send(Endpoint::Completions, echo::body(model, TEXT, &Map::new()))?;
    Ok(reply.is_some_and(|reply| echo::read(&reply, TEXT).is_some()))
}

fn can_be_forced(send: &Try<'_>) -> Result<bool, Failure> {
    let Some(reply) = send(Endpoint::Tokenize, json!({"content": TEXT, "add_special": true}))?
    else {
        return Ok(false);
    };
    let tokens: Option<Vec<u32>> =
        reply.get("tokens").and_then(|tokens| serde_json::from_value(tokens.clone()).ok());
    let Some((&last, before)) = tokens.as_ref().and_then(|tokens| tokens.split_last()) else {
        return Ok(false);
    };
    let reply = send(Endpoint::Forced, forced::body(before, last, 1, true))?;
    let wanted = BTreeSet::from([last]);
    Ok(reply.is_some_and(|reply| forced::read(&reply, last, &wanted).is_ok()))
}
