//! The README's first picture: the published scores of the competition, and ours.

use serde::Deserialize;

use crate::Outcome;
use crate::shell::root;

/// A published entry: its author, its score on Dataset5 (final ranking), on Dataset4 (intermediate
/// ranking).
struct Entry {
    team: &'static str,
    dataset5: f64,
    dataset4: Option<f64>,
}

const PUBLISHED: [Entry; 8] = [
    Entry { team: "source{d}", dataset5: 0.14121, dataset4: None },
    Entry { team: "Ericsson and RISE", dataset5: 0.11431, dataset4: Some(0.09253) },
    Entry { team: "JetBrains Research, HSE", dataset5: 0.10972, dataset4: None },
    Entry { team: "Las Villas (3rd)", dataset5: 0.08578, dataset4: None },
    Entry { team: "KAIST (2nd)", dataset5: 0.07966, dataset4: Some(0.08848) },
    Entry { team: "Wisconsin–Madison, MSR (1st)", dataset5: 0.07748, dataset4: None },
    Entry { team: "Inria (open track)", dataset5: 0.07228, dataset4: Some(0.08342) },
    Entry { team: "Wisconsin–Madison, MSR (late)", dataset5: 0.07181, dataset4: None },
];

/// The part of the training report that is drawn.
#[derive(Deserialize)]
struct Report {
    held_out: Vec<HeldOut>,
}

#[derive(Deserialize)]
struct HeldOut {
    dataset: String,
    line_error: f64,
}

const WIDTH: f64 = 820.0;
const LEFT: f64 = 240.0;
const RIGHT: f64 = 40.0;
const TOP: f64 = 64.0;
const ROW: f64 = 27.0;
const MOST: f64 = 0.15;

const INK: &str = "#1f2328";
const FAINT: &str = "#8a929c";
const GRID: &str = "#e3e6ea";
const OURS: &str = "#1f6feb";
const THEIRS: &str = "#57606a";

/// Draws `docs/locate.svg` from the report beside the shipped weights.
pub(crate) fn plot() -> Outcome {
    let path = root().join("crates/assay-solvers/models/locate.report.json");
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let report: Report = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    std::fs::write(root().join("docs/locate.svg"), draw(&report)).map_err(|error| error.to_string())
}

fn x(error: f64) -> f64 {
    LEFT + error / MOST * (WIDTH - LEFT - RIGHT)
}

fn y(row: usize) -> f64 {
    TOP + ROW * (row as f64 + 0.5)
}

fn draw(report: &Report) -> String {
    let rows = PUBLISHED.len() + 1;
    let bottom = TOP + ROW * rows as f64;
    let height = bottom + 84.0;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" \
         font-family=\"Inter, 'DejaVu Sans', Helvetica, Arial, sans-serif\" font-size=\"13\">\n\
         <title>CodRep: published scores, and assay's locator on datasets that it has not seen</title>\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#ffffff\"/>\n"
    );
    svg += &text(24.0, 30.0, "start", INK, 16, "CodRep: mean line error, lower is better");
    svg += &axis(bottom);
    for (row, entry) in PUBLISHED.iter().enumerate() {
        svg += &text(LEFT - 14.0, y(row) + 4.5, "end", INK, 13, entry.team);
        svg += &circle(entry.dataset5, row, THEIRS, true);
        if let Some(error) = entry.dataset4 {
            svg += &circle(error, row, THEIRS, false);
        }
        let shown = format!("{:.4}", entry.dataset5);
        svg += &text(x(entry.dataset5) - 11.0, y(row) + 4.5, "end", FAINT, 12, &shown);
    }
    svg += &ours(report);
    svg + &legend(bottom) + "</svg>\n"
}

/// The row of assay: a point for each held-out dataset.
fn ours(report: &Report) -> String {
    let row = PUBLISHED.len();
    let mut svg = format!(
        "<rect x=\"12\" y=\"{:.1}\" width=\"{:.1}\" height=\"{ROW}\" rx=\"5\" fill=\"{OURS}\" fill-opacity=\"0.08\"/>\n",
        y(row) - ROW / 2.0,
        WIDTH - 24.0
    );
    svg += &text(LEFT - 14.0, y(row) + 4.5, "end", OURS, 13, "assay locate");
    let mut worst: f64 = 0.0;
    for held_out in &report.held_out {
        svg += &circle(held_out.line_error, row, OURS, true);
        worst = worst.max(held_out.line_error);
    }
    let figures: Vec<String> = report
        .held_out
        .iter()
        .map(|held_out| {
            let number = held_out.dataset.trim_start_matches("Dataset");
            format!("D{number} {:.4}", held_out.line_error)
        })
        .collect();
    svg + &text(x(worst) + 11.0, y(row) + 4.5, "start", OURS, 12, &figures.join(" · "))
}

fn axis(bottom: f64) -> String {
    let mut svg = String::new();
    for step in 0..=5 {
        let error = f64::from(step) * 0.03;
        svg += &format!(
            "<line x1=\"{0:.1}\" y1=\"{TOP}\" x2=\"{0:.1}\" y2=\"{bottom}\" stroke=\"{GRID}\"/>\n",
            x(error)
        );
        svg += &text(x(error), TOP - 10.0, "middle", FAINT, 12, &format!("{error:.2}"));
    }
    svg
}

fn legend(bottom: f64) -> String {
    let y = bottom + 28.0;
    let lines = [
        (THEIRS, true, "published, on Dataset5, the hidden set of the final ranking"),
        (THEIRS, false, "published, on Dataset4, the hidden set of the intermediate ranking"),
        (OURS, true, "each of Datasets 1–4, trained on the three others"),
    ];
    let mut svg = String::new();
    for (at, (colour, filled, words)) in lines.into_iter().enumerate() {
        let y = y + 19.0 * at as f64;
        svg += &mark(LEFT - 14.0 - 6.0, y - 4.5, colour, filled);
        svg += &text(LEFT, y, "start", FAINT, 12, words);
    }
    svg
}

fn circle(error: f64, row: usize, colour: &str, filled: bool) -> String {
    mark(x(error), y(row), colour, filled)
}

fn mark(x: f64, y: f64, colour: &str, filled: bool) -> String {
    let fill = if filled { colour } else { "#ffffff" };
    format!(
        "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"5\" fill=\"{fill}\" stroke=\"{colour}\" stroke-width=\"1.6\"/>\n"
    )
}

fn text(x: f64, y: f64, anchor: &str, colour: &str, size: u32, words: &str) -> String {
    let words = words.replace('&', "&amp;").replace('<', "&lt;");
    format!(
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"{colour}\" font-size=\"{size}\">{words}</text>\n"
    )
}
