//! The README's picture: the tour as shown in a terminal.

use crate::Outcome;
use crate::shell::{command, root, run};

const FONT: f64 = 13.0;
const ADVANCE: f64 = FONT * 0.602;
const LEADING: f64 = 19.0;
const MARGIN: f64 = 18.0;
/// The number of lines on a screen.
const SCREEN: usize = 40;

/// Runs the tour and draws its output to `docs/tour.svg`.
pub(crate) fn picture() -> Outcome {
    run("cargo", &["build", "--locked", "--package", "assay"])?;
    let scratch = tempfile::tempdir().map_err(|error| error.to_string())?;
    let binary = root().join("target/debug/assay").display().to_string();
    let output = command(&binary, &["run"])
        .current_dir(scratch.path())
        .env("COLUMNS", "80")
        .output()
        .map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout).replace(&binary, "assay");
    let lines: Vec<&str> = ["$ assay run"].into_iter().chain(text.lines()).collect();
    if lines.len() > SCREEN {
        return Err(format!("the tour has {} lines, and a screen has {SCREEN}", lines.len()));
    }
    std::fs::write(root().join("docs/tour.svg"), draw(&lines)).map_err(|error| error.to_string())
}

fn draw(lines: &[&str]) -> String {
    let columns = lines.iter().map(|line| line.chars().count()).max().unwrap_or_default();
    let width = columns as f64 * ADVANCE + 2.0 * MARGIN;
    let height = lines.len() as f64 * LEADING + 2.0 * MARGIN;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
         font-family=\"'DejaVu Sans Mono', Menlo, Consolas, monospace\" font-size=\"{FONT}\">\n\
         <title>assay run: the tour</title>\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#16181d\"/>\n"
    );
    for (at, line) in lines.iter().enumerate() {
        let y = MARGIN + LEADING * (at as f64 + 0.75);
        let colour = match line.trim_start().chars().next() {
            Some('$') => "#8bd5a0",
            Some('#') => "#7f8796",
            _ => "#d8dce4",
        };
        svg += &format!(
            "<text x=\"{MARGIN}\" y=\"{y:.1}\" fill=\"{colour}\" xml:space=\"preserve\">{}</text>\n",
            escape(line)
        );
    }
    svg + "</svg>\n"
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
