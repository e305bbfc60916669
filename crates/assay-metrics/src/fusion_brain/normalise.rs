//! Normalisation of an answer to a question about an image, before it is compared.
//!
//! The rules are those of the VQA evaluation with all their special cases: which punctuation is
//! deleted and which becomes a space depends on the whole answer, and a limit that was meant as a
//! flag stops the removal of full stops after 32.

use assay_core::is_decimal_digit as is_digit;

use super::Lemma;
use super::contractions::with_apostrophe;
use crate::python::{split, strip};

const PUNCTUATION: [char; 21] = [
    ';', '/', '[', ']', '"', '{', '}', '(', ')', '=', '+', '\\', '_', '-', '>', '<', '@', '`', ',',
    '?', '!',
];
/// The maximum number of full stops that are removed.
const FULL_STOPS: usize = 32;

const ARTICLES: [&str; 3] = ["a", "an", "the"];
const NUMBERS_EN: [(&str, &str); 12] = [
    ("none", "0"),
    ("zero", "0"),
    ("one", "1"),
    ("two", "2"),
    ("three", "3"),
    ("four", "4"),
    ("five", "5"),
    ("six", "6"),
    ("seven", "7"),
    ("eight", "8"),
    ("nine", "9"),
    ("ten", "10"),
];
const NUMBERS_RU: [(&str, &str); 13] = [
    ("ноль", "0"),
    ("нисколько", "0"),
    ("никакой", "0"),
    ("один", "1"),
    ("два", "2"),
    ("три", "3"),
    ("четыре", "4"),
    ("пять", "5"),
    ("шесть", "6"),
    ("семь", "7"),
    ("восемь", "8"),
    ("девять", "9"),
    ("десять", "10"),
];

/// Normalises an English answer: numbers as digits, no articles, apostrophes where they belong.
pub fn normalise_en(answer: &str) -> String {
    let text = without_punctuation(answer).to_lowercase();
    let words = split(&text).map(|word| lookup(&NUMBERS_EN, word));
    let words = words.filter(|word| !ARTICLES.contains(word)).map(with_apostrophe);
    words.collect::<Vec<_>>().join(" ")
}

/// Normalises a Russian answer: lemmas, and numbers as digits. Without lemmas, words stay as they are.
pub fn normalise_ru(answer: &str, lemma: Option<Lemma<'_>>) -> String {
    let text = without_punctuation(answer).to_lowercase();
    let mut normal = String::new();
    for word in split(&text) {
        if !normal.is_empty() {
            normal.push(' ');
        }
        match lemma {
            Some(lemma) => normal.push_str(lookup(&NUMBERS_RU, &lemma(word))),
            None => normal.push_str(lookup(&NUMBERS_RU, word)),
        }
    }
    normal
}

fn lookup<'a>(table: &[(&str, &'static str)], word: &'a str) -> &'a str {
    table.iter().find(|(known, _)| *known == word).map_or(word, |(_, instead)| instead)
}

/// Deletes punctuation that has a space next to it anywhere in the answer, and all punctuation if
/// the answer has a comma between digits; any other punctuation becomes a space.
fn without_punctuation(answer: &str) -> String {
    let spaced: String = answer
        .chars()
        .map(|letter| if matches!(letter, '\n' | '\t') { ' ' } else { letter })
        .collect();
    let text = strip(&spaced);
    let deleted = deleted_marks(text);
    let mut kept = Vec::with_capacity(text.len());
    for letter in text.chars() {
        match PUNCTUATION.iter().position(|&mark| mark == letter) {
            None => kept.push(letter),
            Some(mark) if deleted[mark] => {}
            Some(_) => kept.push(' '),
        }
    }
    without_full_stops(&kept)
}

fn deleted_marks(text: &str) -> [bool; PUNCTUATION.len()] {
    let mut deleted = [false; PUNCTUATION.len()];
    let letters: Vec<char> = text.chars().collect();
    for (at, letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| letters.get(at)).copied();
        let after = letters.get(at + 1).copied();
        if *letter == ',' && before.is_some_and(is_digit) && after.is_some_and(is_digit) {
            return [true; PUNCTUATION.len()];
        }
        if (before == Some(' ') || after == Some(' '))
            && let Some(mark) = PUNCTUATION.iter().position(|mark| mark == letter)
        {
            deleted[mark] = true;
        }
    }
    deleted
}

/// Removes full stops that are not followed by a digit, up to the limit of 32.
fn without_full_stops(letters: &[char]) -> String {
    let mut removed = 0;
    let mut kept = String::with_capacity(letters.len());
    for (at, &letter) in letters.iter().enumerate() {
        let digit_follows = letters.get(at + 1).is_some_and(|&next| is_digit(next));
        if letter == '.' && !digit_follows && removed < FULL_STOPS {
            removed += 1;
        } else {
            kept.push(letter);
        }
    }
    kept
}
