//! Tables with more columns than a terminal has room for: they go on in further tables, each with
//! the names of the rows.

use assay_core::{Result, shown_line};

use super::print;
use super::terminal::{Page, width};

/// The space between two columns.
const GAP: usize = 2;
/// The least width of the rows' names.
const NARROWEST_NAME: usize = 12;

/// Prints a table. The first column names the rows, and is cut if it is too long for the terminal;
/// no other cell is cut or wrapped. In a pipe there is one table with every column.
pub(crate) fn wide_table(header: Vec<String>, rows: Vec<Vec<String>>) -> Result<()> {
    let room = Page::of_standard_output().width;
    let shown = |row: Vec<String>| -> Vec<String> {
        row.into_iter().map(|cell| shown_line(&cell).into_owned()).collect()
    };
    let table: Vec<Vec<String>> = std::iter::once(header).chain(rows).map(shown).collect();
    print(&render(&table, room))
}

/// The tables as text; the first row is the header.
fn render(table: &[Vec<String>], room: usize) -> String {
    let columns = table.first().map_or(0, Vec::len);
    let widest =
        |at: usize| table.iter().filter_map(|row| row.get(at)).map(|cell| width(cell)).max();
    let mut widths: Vec<usize> = (0..columns).map(|at| widest(at).unwrap_or_default()).collect();
    let Some((name, cells)) = widths.split_first_mut() else { return String::new() };
    let widest_cell = cells.iter().copied().max().unwrap_or_default();
    *name = (*name).min(room.saturating_sub(widest_cell + GAP).max(NARROWEST_NAME));
    let parts = split(*name, cells, room);
    let parts = parts.into_iter().map(|part| render_part(table, &widths, &part));
    parts.collect::<Vec<_>>().join("\n")
}

/// The columns of each table, without that of the names.
fn split(name: usize, cells: &[usize], room: usize) -> Vec<Vec<usize>> {
    let mut parts: Vec<Vec<usize>> = vec![Vec::new()];
    let mut used = name;
    for (at, cell) in (1..).zip(cells) {
        let part = parts.last_mut().filter(|part| part.is_empty() || used + GAP + cell <= room);
        if let Some(part) = part {
            part.push(at);
        } else {
            parts.push(vec![at]);
            used = name;
        }
        used += GAP + cell;
    }
    parts
}

fn render_part(table: &[Vec<String>], widths: &[usize], part: &[usize]) -> String {
    let columns: Vec<usize> = std::iter::once(0).chain(part.iter().copied()).collect();
    let line = columns.iter().map(|&at| widths[at] + GAP).sum::<usize>() - GAP;
    let mut text = String::new();
    for (place, row) in table.iter().enumerate() {
        let cells = columns.iter().map(|&at| pad(&row[at], widths[at]));
        let cells = cells.collect::<Vec<_>>().join(&" ".repeat(GAP));
        text += &format!("{}\n", cells.trim_end());
        if place == 0 {
            text += &format!("{}\n", "─".repeat(line));
        }
    }
    text
}

/// A text with spaces up to a width. Of a longer one, such as a path, the end is kept.
fn pad(text: &str, room: usize) -> String {
    let mut start = 0;
    let mut kept = text.to_owned();
    while width(&kept) > room && start < text.len() {
        start += text[start..].chars().next().map_or(1, char::len_utf8);
        kept = format!("…{}", &text[start..]);
    }
    let missing = room.saturating_sub(width(&kept));
    kept + &" ".repeat(missing)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Vec<Vec<String>> {
        let rows = [
            ["hyp", "bleu", "chrf", "exact"],
            ["long/path/to/out.txt", "1.00 [0.50, 1.50]", "22.00", "0.3333"],
            ["b", "2.00", "33.00 [30.00, 36.00]", "none"],
        ];
        rows.map(|row| row.map(str::to_owned).to_vec()).to_vec()
    }

    #[test]
    fn columns_without_room_follow_below() {
        let text = render(&table(), 45);
        assert!(text.lines().all(|line| width(line) <= 45), "{text}");
        assert_eq!(
            text,
            "\
hyp                   bleu
───────────────────────────────────────
long/path/to/out.txt  1.00 [0.50, 1.50]
b                     2.00

hyp                   chrf
──────────────────────────────────────────
long/path/to/out.txt  22.00
b                     33.00 [30.00, 36.00]

hyp                   exact
────────────────────────────
long/path/to/out.txt  0.3333
b                     none
"
        );
    }

    #[test]
    fn names_without_room_keep_their_end() {
        let text = render(&table(), 36);
        assert!(text.lines().all(|line| width(line) <= 36), "{text}");
        assert!(text.contains("…th/to/out.txt  22.00\n"), "{text}");
    }

    #[test]
    fn without_a_limit_there_is_one_table() {
        let text = render(&table(), usize::MAX);
        assert_eq!(text.lines().count(), 4);
        assert!(text.starts_with("hyp                   bleu               chrf  "), "{text}");
        assert_eq!(render(&[], 80), "");
    }
}
