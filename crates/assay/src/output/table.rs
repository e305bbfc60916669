//! Tables that keep one row per line: what does not fit is left out by name, never wrapped.
//!
//! Only prose is wrapped, between words and within its own column.

use assay_core::{Result, shown_line};

use super::print;
use super::terminal::{Page, width};

/// The space between two columns.
const GAP: usize = 2;
/// The width to which prose may shrink.
const NARROWEST_PROSE: usize = 24;
/// The end of a title that says that the numbers have their intervals.
pub(super) const INTERVAL: &str = " [95 %]";
/// The importance of a column that is never left out.
const ALWAYS: u8 = 0;

/// A column of a table.
#[derive(Debug, Clone)]
pub(crate) struct Column {
    title: String,
    kind: Kind,
    /// Columns with the highest number are left out first; of several, the last one.
    dispensable: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Aligned at the left, never wrapped.
    Text,
    /// Aligned at the right, never wrapped.
    Number,
    /// Sentences, which may be wrapped.
    Prose,
}

impl Column {
    /// A column of names or other texts that are not wrapped.
    pub(crate) fn text(title: impl Into<String>) -> Self {
        Self { title: title.into(), kind: Kind::Text, dispensable: 1 }
    }

    /// A column of numbers.
    pub(crate) fn number(title: impl Into<String>) -> Self {
        Self { title: title.into(), kind: Kind::Number, dispensable: 1 }
    }

    /// A column of sentences.
    pub(crate) fn prose(title: impl Into<String>) -> Self {
        Self { title: title.into(), kind: Kind::Prose, dispensable: ALWAYS }
    }

    /// Marks the column as one that is never left out.
    #[must_use]
    pub(crate) fn always(self) -> Self {
        self.left_out(ALWAYS)
    }

    /// Sets when the column is left out: the highest number first.
    #[must_use]
    pub(crate) fn left_out(self, dispensable: u8) -> Self {
        Self { dispensable, ..self }
    }
}

/// A table for people.
#[derive(Debug)]
pub(crate) struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
    /// The option that shows everything, if there is one.
    option: Option<&'static str>,
    has_rule: bool,
}

impl Table {
    /// Creates a table. Its first column is never left out.
    pub(crate) fn new(columns: impl IntoIterator<Item = Column>) -> Self {
        let columns = columns.into_iter().collect();
        Self { columns, rows: Vec::new(), option: None, has_rule: true }
    }

    /// Names the option that shows what a narrow terminal has no room for.
    #[must_use]
    pub(crate) fn with_option(self, option: &'static str) -> Self {
        Self { option: Some(option), ..self }
    }

    /// Leaves out the line under the header.
    #[must_use]
    pub(crate) fn without_rule(self) -> Self {
        Self { has_rule: false, ..self }
    }

    /// Adds rows, with a cell for each column.
    #[must_use]
    pub(crate) fn rows<R>(mut self, rows: impl IntoIterator<Item = R>) -> Self
    where
        R: IntoIterator<Item = String>,
    {
        let shown = |row: R| row.into_iter().map(|cell| shown_line(&cell).into_owned()).collect();
        self.rows.extend(rows.into_iter().map(shown));
        self
    }

    /// Prints the table to standard output.
    pub(crate) fn print(&self) -> Result<()> {
        print(&self.render(Page::of_standard_output()))
    }

    /// The table as text, at most as wide as the page.
    pub(super) fn render(&self, page: Page) -> String {
        let natural: Vec<usize> =
            (0..self.columns.len()).map(|at| self.natural_width(at)).collect();
        let mut chosen: Vec<usize> = (0..self.columns.len()).collect();
        let mut left_out = Vec::new();
        while self.least_width(&chosen, &natural) > page.width
            && let Some(place) = self.most_dispensable(&chosen)
        {
            left_out.push(chosen.remove(place));
        }
        // One wide column may have taken the room of several that fit.
        left_out.sort_unstable_by_key(|&at| (self.columns[at].dispensable, at));
        left_out.retain(|&at| {
            let mut more = chosen.clone();
            more.insert(more.partition_point(|&other| other < at), at);
            let fits = self.least_width(&more, &natural) <= page.width;
            if fits {
                chosen = more;
            }
            !fits
        });
        let layout = self.layout(&chosen, &natural, page);
        let mut text = self.header(&layout);
        for row in &self.rows {
            text += &self.row(row, &layout);
        }
        left_out.sort_unstable();
        text + &self.note(&left_out, total_width(&natural), page)
    }

    /// The width of a column that has room for every cell.
    fn natural_width(&self, at: usize) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.get(at));
        let widest = cells.map(|cell| width(cell)).max().unwrap_or_default();
        widest.max(width(&self.columns[at].title))
    }

    /// The least width of a table of these columns.
    fn least_width(&self, chosen: &[usize], natural: &[usize]) -> usize {
        let least = |&at: &usize| match self.columns[at].kind {
            Kind::Prose => natural[at].min(NARROWEST_PROSE),
            Kind::Text | Kind::Number => natural[at],
        };
        total_width(&chosen.iter().map(least).collect::<Vec<_>>())
    }

    /// The place of the column to leave out next. The first column and prose alone stay.
    fn most_dispensable(&self, chosen: &[usize]) -> Option<usize> {
        let places =
            (1..chosen.len()).map(|place| (self.columns[chosen[place]].dispensable, place));
        places.filter(|&(dispensable, _)| dispensable > ALWAYS).max().map(|(_, place)| place)
    }

    /// The chosen columns with their widths: prose shrinks, and at last the first column is cut.
    fn layout(&self, chosen: &[usize], natural: &[usize], page: Page) -> Vec<(usize, usize)> {
        let mut layout: Vec<(usize, usize)> = chosen.iter().map(|&at| (at, natural[at])).collect();
        let excess = |layout: &[(usize, usize)]| {
            let widths: Vec<usize> = layout.iter().map(|&(_, width)| width).collect();
            total_width(&widths).saturating_sub(page.width)
        };
        while excess(&layout) > 0 {
            let too_much = excess(&layout);
            let prose = layout.iter_mut().filter(|(at, _)| self.columns[*at].kind == Kind::Prose);
            let widest = prose.max_by_key(|(_, width)| *width);
            let Some((_, width)) = widest.filter(|(_, width)| *width > NARROWEST_PROSE) else {
                let first = &mut layout[0].1;
                *first = first.saturating_sub(too_much).max(1);
                break;
            };
            *width = width.saturating_sub(too_much).max(NARROWEST_PROSE);
        }
        layout
    }

    fn header(&self, layout: &[(usize, usize)]) -> String {
        let titles: Vec<String> = self.columns.iter().map(|column| column.title.clone()).collect();
        let widths: Vec<usize> = layout.iter().map(|&(_, width)| width).collect();
        let titles = self.row(&titles, layout);
        if self.has_rule { titles + &"─".repeat(total_width(&widths)) + "\n" } else { titles }
    }

    /// The lines of a row; several only if prose is wrapped.
    fn row(&self, row: &[String], layout: &[(usize, usize)]) -> String {
        let cell = |&(at, wide): &(usize, usize)| {
            let text = row.get(at).map(String::as_str).unwrap_or_default();
            match self.columns[at].kind {
                Kind::Prose => wrapped(text, wide),
                Kind::Text | Kind::Number => vec![cut(text, wide)],
            }
        };
        let cells: Vec<Vec<String>> = layout.iter().map(cell).collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or_default();
        (0..height).map(|line| self.line(&cells, line, layout)).collect()
    }

    fn line(&self, cells: &[Vec<String>], line: usize, layout: &[(usize, usize)]) -> String {
        let aligned = cells.iter().zip(layout).map(|(cell, &(at, wide))| {
            let text = cell.get(line).map(String::as_str).unwrap_or_default();
            let padding = " ".repeat(wide.saturating_sub(width(text)));
            if self.columns[at].kind == Kind::Number {
                padding + text
            } else {
                text.to_owned() + &padding
            }
        });
        let line = aligned.collect::<Vec<_>>().join(&" ".repeat(GAP));
        format!("{}\n", line.trim_end())
    }

    /// The line that says what was left out and how to see it.
    fn note(&self, left_out: &[usize], whole: usize, page: Page) -> String {
        if left_out.is_empty() {
            return String::new();
        }
        let name = |&at: &usize| self.columns[at].title.trim_end_matches(INTERVAL);
        let names: Vec<&str> = left_out.iter().map(name).collect();
        let option = self.option.map_or_else(String::new, |option| format!("{option}, "));
        let names = names.join(", ");
        page.wrap_words(
            "",
            &format!("left out: {names}; shown by {option}in a pipe, and on {whole} columns"),
        )
    }
}

/// The width of columns side by side.
fn total_width(widths: &[usize]) -> usize {
    widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1)
}

/// A text without what does not fit.
fn cut(text: &str, room: usize) -> String {
    if width(text) <= room {
        return text.to_owned();
    }
    let mut kept = String::new();
    for letter in text.chars() {
        if width(&kept) + width(letter.encode_utf8(&mut [0; 4])) + 1 > room {
            break;
        }
        kept.push(letter);
    }
    kept + "…"
}

/// Sentences on lines of this width. A word that is longer is on several lines.
fn wrapped(text: &str, room: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let used = lines.last().map_or(0, |line| width(line));
        if used > 0 && used + 1 + width(word) > room {
            lines.push(String::new());
        } else if used > 0 {
            push(&mut lines, " ");
        }
        for letter in word.chars() {
            let mut bytes = [0; 4];
            let letter: &str = letter.encode_utf8(&mut bytes);
            if lines.last().is_some_and(|line| width(line) + width(letter) > room) {
                lines.push(String::new());
            }
            push(&mut lines, letter);
        }
    }
    lines
}

fn push(lines: &mut [String], text: &str) {
    if let Some(line) = lines.last_mut() {
        line.push_str(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(width: usize) -> Page {
        Page { width, colour: false }
    }

    fn table() -> Table {
        let columns = [
            Column::text("name"),
            Column::number("wide [95 %]").left_out(2),
            Column::number("slim").left_out(2),
            Column::number("n").always(),
            Column::prose("meaning"),
        ];
        let cells = ["first", "0.123 [0.100, 0.200]", "1", "12", "some words that can be wrapped"];
        Table::new(columns).with_option("--json").rows([cells.map(str::to_owned)])
    }

    #[test]
    fn what_fits_is_on_one_line() {
        let expected = "\
name            wide [95 %]  slim   n  meaning
────────────────────────────────────────────────────────────────────────
first  0.123 [0.100, 0.200]     1  12  some words that can be wrapped
";
        let shown = table().render(page(usize::MAX));
        assert_eq!(shown.replace('─', ""), expected.replace('─', ""));
        assert_eq!(table().render(page(70)), shown);
    }

    #[test]
    fn prose_is_wrapped_before_a_column_is_left_out() {
        let shown = table().render(page(63));
        assert!(shown.contains("12  some words that can be\n"), "{shown}");
        assert!(!shown.contains("left out"), "{shown}");
    }

    #[test]
    fn a_wide_column_does_not_push_out_a_slim_one() {
        let shown = table().render(page(50));
        assert!(shown.contains("first     1  12  some words that can be wrapped\n"), "{shown}");
        assert!(
            shown.ends_with("left out: wide; shown by --json, in a pipe, and on\n69 columns\n"),
            "{shown}"
        );
    }

    #[test]
    fn nothing_is_wider_than_the_page_however_narrow() {
        for width in 40..80 {
            let shown = table().render(page(width));
            assert!(shown.lines().all(|line| super::width(line) <= width), "{width}: {shown}");
        }
        let long = Table::new([Column::text("x")]).rows([["漢".repeat(50)]]).render(page(40));
        assert!(long.lines().all(|line| super::width(line) <= 40), "{long}");
    }
}
