//! A task's page in the documentation, generated from its card.

use assay_core::{Language, TaskCard};

/// The page in Markdown.
pub fn page(card: &TaskCard) -> String {
    let mut text =
        format!("## {}\n\n{}. Version {}.\n", card.name, capital(&card.summary), card.version);
    for (title, body) in card.paragraphs() {
        text += &format!("\n**{title}.** {body}\n");
    }
    if !card.prompts.is_empty() {
        text += "\n| `--prompt` | what a solver is shown |\n|---|---|\n";
        for prompt in &card.prompts {
            text += &format!("| `{}` | {} |\n", prompt.name, prompt.meaning);
        }
    }
    text += "\n| metric | better | meaning |\n|---|---|---|\n";
    for metric in &card.metrics {
        let better = if metric.lower_is_better { "lower" } else { "higher" };
        text += &format!("| `{}` | {better} | {} |\n", metric.name, metric.meaning);
    }
    text += "\n";
    if let Some(program) = card.language.and_then(tool) {
        // The test of the documents runs the commands below only where this is installed.
        text += &format!("<!-- guide: needs {program} -->\n");
    }
    text += "```sh\n";
    text += &card.examples.join("\n");
    text + "\n```\n"
}

/// The program without which a language cannot be run, unless the tests need it in any case.
fn tool(language: Language) -> Option<&'static str> {
    match language {
        Language::JavaScript => Some("node"),
        Language::Java => Some("javac"),
        Language::Cpp => Some("g++"),
        Language::Go => Some("go"),
        Language::Rust => Some("rustc"),
        _ => None,
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().collect::<String>() + chars.as_str())
}
