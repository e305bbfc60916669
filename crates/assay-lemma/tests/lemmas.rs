//! Lemmas as given by pymorphy3 2.0.6, and properties that hold for any word.

use assay_lemma::{Dictionary, russian, version};
use proptest::prelude::*;

fn check(words: &[(&str, &str)]) {
    let lemmas = russian().expect("the embedded dictionary is sound");
    for (word, lemma) in words {
        assert_eq!(lemmas.lemma(word), *lemma, "{word}");
    }
}

#[test]
fn known_words() {
    check(&[
        ("кошками", "кошка"),
        ("людей", "человек"),
        ("синие", "синий"),
        ("наилучший", "хороший"),
        ("бежал", "бежать"),
        // Of several readings, the most frequent one.
        ("стали", "стать"),
        ("мыла", "мыло"),
        ("две", "два"),
    ]);
}

#[test]
fn letters_as_people_write_them() {
    check(&[("елки", "ёлка"), ("ёлки", "ёлка"), ("КОШКИ", "кошка"), ("еще", "ещё"), ("", "")]);
}

#[test]
fn unknown_words() {
    check(&[
        // A known prefix, an unknown one, an ending.
        ("псевдокошками", "псевдокошка"),
        ("байткоды", "байткод"),
        ("бутявками", "бутявка"),
        ("смотри-ка", "смотреть-ка"),
        ("по-марсианскому", "по-марсианскому"),
        ("человека-гору", "человек-гора"),
        ("интернет-магазинами", "интернет-магазин"),
        ("iphone", "iphone"),
        ("12", "12"),
        ("3,5", "3,5"),
        ("кошкa", "кошкa"),
    ]);
}

#[test]
fn words_made_to_take_long_do_not() {
    for part in ["недо", "небезнедо", "е", "анти-", "не", "впереди", "-то", "а-"]
    {
        for length in [99, 100, 101, 10_000] {
            let word: String = part.chars().cycle().take(length).collect();
            let lemma = russian().expect("the embedded dictionary is sound").lemma(&word);
            assert!(!lemma.is_empty(), "{word}");
        }
    }
}

#[test]
fn a_broken_table_is_refused() {
    assert_eq!(version(), "2.4.417150.4580142");
    for bytes in [b"".as_slice(), b"assay-lemma-1 x\n", b"assay-lemma-1 x\nmore", b"else"] {
        assert!(Dictionary::decode(bytes).is_err());
    }
}

proptest! {
    #[test]
    fn any_word_has_a_lemma(word in "[а-яё.e5-]{0,30}|(недо|не|по-|анти-){0,40}|.{0,10}") {
        let lemma = russian().expect("the embedded dictionary is sound").lemma(&word);
        prop_assert_eq!(lemma.is_empty(), word.is_empty());
    }
}
