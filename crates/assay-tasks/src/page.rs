//! A task's page in the documentation, generated from its card.

use assay_core::TaskCard;

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
    text += "\n```sh\n";
    text += &card.examples.join("\n");
    text + "\n```\n"
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().collect::<String>() + chars.as_str())
}
