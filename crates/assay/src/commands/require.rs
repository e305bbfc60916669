//! Thresholds that the user sets with `--require`.

use assay_core::{Error, QuestionKind, Result, Results, TaskCard, counted};
use assay_tasks::TaskRegistry;

use crate::args::Requirement;
use crate::output;

/// Refuses thresholds for metrics that none of the tasks has, before anything is run.
pub(crate) fn refuse_unknown(
    requirements: &[Requirement],
    cards: &[&TaskCard],
    pass_k: &[u32],
) -> Result<()> {
    for requirement in requirements {
        let metric = requirement.metric();
        if !cards.iter().any(|card| has_metric(card, metric)) {
            let names = |card: &&TaskCard| {
                let metrics = card.metrics.iter().map(|metric| metric.name.as_str());
                format!("{} has {}", card.name, metrics.collect::<Vec<_>>().join(", "))
            };
            let known: Vec<String> = cards.iter().map(names).collect();
            return Err(Error::usage(format!("{requirement}: no metric is called {metric:?}"))
                .hint(known.join("\n")));
        }
        let k = metric.rsplit_once("pass@").and_then(|(_, k)| k.parse::<u32>().ok());
        if let Some(k) = k.filter(|k| !pass_k.contains(k)) {
            return Err(Error::usage(format!("{requirement}: {metric} is not computed"))
                .hint(format!("ask for it with -k {k}")));
        }
    }
    Ok(())
}

/// Returns true if a task may have this metric. A card names one k for all.
fn has_metric(card: &TaskCard, name: &str) -> bool {
    let stem = |name: &str| {
        let (stem, k) = name.rsplit_once('@')?;
        (k == "k" || k.parse::<u32>().is_ok()).then(|| stem.to_owned())
    };
    card.metrics.iter().any(|metric| {
        metric.name == name
            || stem(&metric.name).is_some_and(|known| stem(name) == Some(known))
            || card.asks == QuestionKind::Code && stem(name).as_deref() == Some("pass")
    })
}

/// Reports every threshold that a run misses, with the value; returns whether there is any.
pub(crate) fn report_missed(requirements: &[Requirement], results: &[&Results]) -> bool {
    let tasks = TaskRegistry::built_in();
    let mut is_missed = false;
    for results in results {
        let card = tasks.find(&results.task).map(|task| task.card());
        for requirement in requirements {
            // Of several tasks, those without the metric are not asked for it.
            let applies = card.as_ref().map_or(true, |card| has_metric(card, requirement.metric()));
            if !applies || requirement.is_met(&results.metrics) {
                continue;
            }
            is_missed = true;
            let value = requirement.value(&results.metrics);
            let value = value.map_or_else(
                || format!("is undefined{}", why_undefined(requirement.metric(), results)),
                |value| format!("is {value}"),
            );
            let Results { task, solver, .. } = results;
            output::show_error_text(&format!(
                "{requirement} is missed: {solver} on {task} {value}"
            ));
        }
    }
    is_missed
}

/// The reason why a metric is undefined, as far as it is known.
fn why_undefined(metric: &str, results: &Results) -> String {
    let k = metric.rsplit_once("pass@").and_then(|(_, k)| k.parse::<u32>().ok());
    let left_out = results.left_out.get(metric);
    match (left_out, k) {
        (Some(reason), _) => format!(": {reason}"),
        (None, Some(k)) => format!(": it needs {} of every problem", counted(k, "sample")),
        (None, None) => String::new(),
    }
}

/// Refuses values of k that all need more samples per problem than a run has.
pub(crate) fn refuse_too_few_samples(pass_k: &[u32], card: &TaskCard, samples: u32) -> Result<()> {
    let Some(least) = pass_k.iter().min().filter(|&&k| k > samples) else { return Ok(()) };
    if card.asks != QuestionKind::Code {
        return Ok(());
    }
    let have = counted(samples, "sample");
    Err(Error::usage(format!(
        "pass@{least} needs {least} samples per problem, and -n asks for {have}"
    ))
    .hint(format!("add -n {least}, or take a smaller -k")))
}
