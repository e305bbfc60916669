//! Cards of the built-in tasks, from TOML files.

use assay_core::TaskCard;
use include_dir::{Dir, include_dir};
use toml::Table;

static CARDS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/cards");

/// The card of a built-in task.
///
/// # Panics
///
/// If the file is missing or invalid, which a test of all cards finds first.
pub(crate) fn card(name: &str) -> TaskCard {
    let card = fields(name).and_then(Table::try_into);
    card.unwrap_or_else(|error| panic!("cards/{name}.toml: {error}"))
}

/// The fields of a card; missing ones are taken from the card that it is `like`.
fn fields(name: &str) -> Result<Table, toml::de::Error> {
    let text = CARDS.get_file(format!("{name}.toml")).and_then(|file| file.contents_utf8());
    let mut own: Table = text.unwrap_or_default().parse()?;
    match own.remove("like") {
        Some(other) => {
            let mut fields = fields(other.as_str().unwrap_or_default())?;
            fields.extend(own);
            Ok(fields)
        }
        None => Ok(own),
    }
}
