//! Words that are not in the dictionary: parsed by their parts, by analogy, or by their ending.
//!
//! The methods are tried in pymorphy's order, and each gives its parses in pymorphy's order,
//! because the first parse of a part decides the lemma of the whole.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::dictionary::Dictionary;
use crate::digits::is_number;
use crate::tags::Tag;

/// The maximum length of a word; longer ones are their own lemma: nobody declines them, and
/// guessing is not worth its cost.
const MAX_LENGTH: usize = 100;
/// The minimum number of characters of a word after a prefix.
const MIN_REST: usize = 3;
/// The maximum length of an unknown prefix.
const MAX_UNKNOWN_PREFIX: usize = 5;
/// The maximum length of the ending that is examined, and the minimum length of the word.
const MAX_ENDING: usize = 5;
const SHORTEST_BY_ENDING: usize = 4;

/// Particles that are attached to a word by a hyphen and do not change it.
const PARTICLES: [&str; 8] = ["-то", "-ка", "-таки", "-де", "-тко", "-тка", "-с", "-ста"];

/// Prefixes that do not change the declension of the rest.
const PREFIXES: &str = "\
авиа авто аква анти анти- антропо архи арт арт- астро аудио аэро без бес био вело взаимо вне внутри \
видео вице- вперед впереди гекто гелио гео гетеро гига гигро гипер гипо гомо дву двух де дез дека деци \
дис до евро за зоо интер инфра квази квази- кило кино контр контр- космо космо- крипто лейб- лже лже- \
макро макси макси- мало меж медиа медиа- мега мета мета- метео метро микро милли мини мини- моно мото \
много мульти нано нарко не небез недо нейро нео низко обер- обще одно около орто палео пан пара пента \
пере пиро поли полу после пост пост- порно пра пра- пред пресс- противо противо- прото псевдо псевдо- \
радио разно ре ретро ретро- само санти сверх сверх- спец суб супер супер- супра теле тетра топ- транс \
транс- ультра унтер- штаб- экзо эко эндо эконом- экс экс- экстра экстра- электро энерго этно";

/// Finds the lemmas of words.
#[derive(Debug)]
pub struct Lemmatizer {
    dictionary: Dictionary,
    /// The prefixes, longest first.
    prefixes: Vec<Vec<char>>,
    particles: Vec<Vec<char>>,
}

/// One reading of a word.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Parse {
    tag: Tag,
    lemma: Vec<char>,
}

/// The parses of the parts of one word, each computed once.
type ParseCache = HashMap<Vec<char>, Rc<Vec<Parse>>>;

impl Lemmatizer {
    /// A lemmatizer with this dictionary.
    pub fn new(dictionary: Dictionary) -> Self {
        let letters = |text: &str| text.chars().collect::<Vec<char>>();
        let mut prefixes: Vec<Vec<char>> = PREFIXES.split_whitespace().map(letters).collect();
        prefixes.sort_by_key(|prefix| std::cmp::Reverse(prefix.len()));
        let particles = PARTICLES.iter().map(|text| letters(text)).collect();
        Self { dictionary, prefixes, particles }
    }

    /// The lemma of a word, which is converted to lower case.
    pub fn lemma(&self, word: &str) -> String {
        let word: Vec<char> = word.to_lowercase().chars().collect();
        if word.len() > MAX_LENGTH {
            return word.into_iter().collect();
        }
        let parses = self.parse(&word, &mut ParseCache::new());
        parses.first().map_or(word.as_slice(), |first| &first.lemma).iter().collect()
    }

    fn parse(&self, word: &[char], found: &mut ParseCache) -> Rc<Vec<Parse>> {
        if let Some(known) = found.get(word) {
            return Rc::clone(known);
        }
        let mut parses = self.parse_in_order(word, found);
        if let Some(order) = self.dictionary.order(word)
            && order.len() == parses.len()
        {
            parses = order.iter().filter_map(|&at| parses.get(usize::from(at)).cloned()).collect();
        }
        let parses = Rc::new(parses);
        found.insert(word.to_vec(), Rc::clone(&parses));
        parses
    }

    fn parse_in_order(&self, word: &[char], found: &mut ParseCache) -> Vec<Parse> {
        let known = self.known(word);
        if !known.is_empty() {
            return known;
        }
        let itself = || vec![Parse { tag: Tag::OTHER, lemma: word.to_vec() }];
        if is_number(word) {
            return itself();
        }
        let ways = [
            Self::with_particle,
            Self::adverb,
            Self::hyphenated,
            Self::with_known_prefix,
            Self::by_analogy,
        ];
        let parses =
            ways.iter().map(|way| way(self, word, found)).find(|parses| !parses.is_empty());
        parses.unwrap_or_else(itself)
    }

    fn known(&self, word: &[char]) -> Vec<Parse> {
        let readings = self.dictionary.readings(word).into_iter();
        readings.map(|reading| Parse { tag: reading.tag, lemma: reading.lemma }).collect()
    }

    /// «смотри-ка»: parsed without the particle.
    fn with_particle(&self, word: &[char], found: &mut ParseCache) -> Vec<Parse> {
        let whole = |particle: &&Vec<char>| word.len() > particle.len() && word.ends_with(particle);
        let Some(particle) = self.particles.iter().find(whole) else { return Vec::new() };
        let parses = self.parse(&word[..word.len() - particle.len()], found);
        parses.iter().map(|parse| parse.followed_by(particle)).collect()
    }

    /// «по-западному»: invariable, if the rest is an adjective in the dative.
    fn adverb(&self, word: &[char], found: &mut ParseCache) -> Vec<Parse> {
        let dative = Tag::read("ADJF,sing,datv");
        let Some(rest) = word.strip_prefix(&['п', 'о', '-']) else { return Vec::new() };
        if rest.len() < 2 || !self.parse(rest, found).iter().any(|parse| parse.tag.includes(dative))
        {
            return Vec::new();
        }
        vec![Parse { tag: Tag::read("ADVB"), lemma: word.to_vec() }]
    }

    /// «человек-гора»: both halves change; «интернет-магазин»: the right one does.
    fn hyphenated(&self, word: &[char], found: &mut ParseCache) -> Vec<Parse> {
        let mut halves = word.split(|&letter| letter == '-');
        let (Some(left), Some(right), None) = (halves.next(), halves.next(), halves.next()) else {
            return Vec::new();
        };
        if left.is_empty() || right.is_empty() || self.known_prefixes(word).next().is_some() {
            return Vec::new();
        }
        let (left_parses, right_parses) = (self.parse(left, found), self.parse(right, found));
        let mut parses = Vec::new();
        for of_left in left_parses.iter().filter(|parse| parse.tag.has_part_of_speech()) {
            for of_right in right_parses.iter().filter(|parse| parse.tag.agrees_with(of_left.tag)) {
                let lemma = [&of_left.lemma, ['-'].as_slice(), &of_right.lemma].concat();
                parses.push(Parse { tag: of_left.tag, lemma });
            }
        }
        let fixed = [left, &['-']].concat();
        let right_ones = right_parses.iter().filter(|parse| parse.tag.has_part_of_speech());
        parses.extend(right_ones.map(|parse| parse.preceded_by(&fixed)));
        parses
    }

    fn known_prefixes(&self, word: &[char]) -> impl Iterator<Item = &Vec<char>> {
        self.prefixes.iter().filter(move |prefix| word.starts_with(prefix))
    }

    /// «псевдокошка»: parsed as the rest. «недо» is «не» and «до» too: equal results of both are
    /// kept once, or a word with many such prefixes would have more parses than fit in memory.
    fn with_known_prefix(&self, word: &[char], found: &mut ParseCache) -> Vec<Parse> {
        let mut parses = Vec::new();
        let mut seen = HashSet::new();
        for prefix in self.known_prefixes(word) {
            let rest = &word[prefix.len()..];
            if rest.len() >= MIN_REST {
                let of_rest = self.parse(rest, found);
                let productive = of_rest.iter().filter(|parse| parse.tag.is_productive());
                let whole = productive.map(|parse| parse.preceded_by(prefix));
                parses.extend(whole.filter(|parse| seen.insert(parse.clone())));
            }
        }
        parses
    }

    /// «байткод»: parsed as the rest after an unknown prefix; and as most words with that ending.
    fn by_analogy(&self, word: &[char], _: &mut ParseCache) -> Vec<Parse> {
        let longest = MAX_UNKNOWN_PREFIX.min(word.len().saturating_sub(MIN_REST));
        let mut parses = Vec::new();
        for length in 1..=longest {
            let (prefix, rest) = word.split_at(length);
            let known = self.known(rest).into_iter().filter(|parse| parse.tag.is_productive());
            parses.extend(known.map(|parse| parse.preceded_by(prefix)));
        }
        parses.extend(self.by_ending(word));
        parses
    }

    fn by_ending(&self, word: &[char]) -> Vec<Parse> {
        if word.len() < SHORTEST_BY_ENDING {
            return Vec::new();
        }
        let mut guesses =
            Guesses { dictionary: &self.dictionary, seen: HashSet::new(), all: Vec::new() };
        for (number, prefix) in self.dictionary.prefixes().rev() {
            if word.starts_with(&prefix) {
                guesses.add(number, word);
            }
        }
        guesses.all.sort_by(|(left, _), (right, _)| right.total_cmp(left));
        guesses.all.into_iter().map(|(_, parse)| parse).collect()
    }
}

/// Guesses from words with the same ending.
struct Guesses<'a> {
    dictionary: &'a Dictionary,
    /// Spelling, tag and paradigm of each guess.
    seen: HashSet<(Vec<char>, u16, u16)>,
    /// Guesses with the share of words for which they are right.
    all: Vec<(f64, Parse)>,
}

impl Guesses<'_> {
    /// Adds the predictions for the longest ending that known words with this prefix have.
    fn add(&mut self, prefix: usize, word: &[char]) {
        let mut total = 1u64;
        let mut counted: Vec<(u32, Parse)> = Vec::new();
        for length in (1..=MAX_ENDING).rev() {
            let (start, ending) = word.split_at(word.len().saturating_sub(length));
            for ending in self.dictionary.endings(prefix, ending) {
                let spelt = [start, &ending.letters].concat();
                for guess in ending.predictions {
                    total += u64::from(guess.count);
                    let read = self.dictionary.read_as(&spelt, guess.paradigm, guess.form);
                    let Some((tag, lemma)) = read else { continue };
                    if self.seen.insert((spelt.clone(), tag, guess.paradigm)) {
                        let tag = self.dictionary.tag(tag);
                        counted.push((guess.count, Parse { tag, lemma }));
                    }
                }
            }
            if total > 1 {
                break;
            }
        }
        let share = |(count, parse)| (f64::from(count) / total as f64, parse);
        self.all.extend(counted.into_iter().map(share));
    }
}

impl Parse {
    fn preceded_by(&self, prefix: &[char]) -> Self {
        Self { tag: self.tag, lemma: [prefix, &self.lemma].concat() }
    }

    fn followed_by(&self, suffix: &[char]) -> Self {
        Self { tag: self.tag, lemma: [self.lemma.as_slice(), suffix].concat() }
    }
}
