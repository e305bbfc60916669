//! `assay doctor`: the capabilities of this machine.

use assay_core::{Isolation, Result, exit_code};
use assay_sandbox::{Diagnosis, Settings, Tools, diagnose};

use crate::output::{self, Column, Table};

pub(crate) fn doctor(json: bool) -> Result<u8> {
    let diagnosis = diagnose(Settings::of_this_machine(1, Isolation::Warm, &Tools::LANGUAGES)?);
    if json {
        output::json_pretty(&diagnosis)?;
    } else {
        show(&diagnosis)?;
    }
    Ok(if diagnosis.trusted { exit_code::DONE } else { exit_code::INCOMPLETE })
}

fn show(diagnosis: &Diagnosis) -> Result<()> {
    let rows = diagnosis.layers.iter().map(|layer| {
        let state = match (&layer.missing, layer.needed) {
            (None, _) => "in force".to_owned(),
            (Some(why), true) => format!("MISSING, and needed: {why}"),
            (Some(why), false) => format!("missing: {why}"),
        };
        [layer.name.clone(), state]
    });
    Table::new([Column::text("isolation"), Column::prose("state")]).rows(rows).print()?;
    output::print("\n")?;
    let memory = match diagnosis.memory_by.as_str() {
        "rlimit" => "limits of each process (rlimit): several together may use more than one may",
        "sampled" => {
            "samples: there is no control group, so programs are looked at every 50 ms (sampled), \
             and each process has limits of its own (rlimit)"
        }
        group => group,
    };
    output::print_wrapped("", &format!("memory is limited by {memory}"))?;
    output::print("\n")?;
    let rows = diagnosis.languages.iter().map(|runs| {
        let path = runs.path.as_ref().map_or("-".to_owned(), |path| path.display().to_string());
        [runs.language.clone(), path, runs.version.clone()]
    });
    let columns = [Column::text("language"), Column::text("run by"), Column::prose("version")];
    Table::new(columns).with_option("--json").rows(rows).print()?;
    if let Some(milliseconds) = diagnosis.milliseconds {
        output::print(&format!("\na small Python program is graded in {milliseconds:.1} ms\n"))?;
    }
    match &diagnosis.problem {
        Some(problem) if diagnosis.layers.is_empty() => output::warn(&format!(
            "untrusted programs are not run on this machine: {problem}\n\
             user namespaces must be allowed: see the sysctls user.max_user_namespaces, \
             kernel.unprivileged_userns_clone and kernel.apparmor_restrict_unprivileged_userns"
        )),
        Some(problem) => output::warn(&format!("Python programs are not run here: {problem}")),
        None if diagnosis.trusted => output::print("untrusted programs run in isolation here\n")?,
        None => output::warn("untrusted programs are not run on this machine: a layer is missing"),
    }
    Ok(())
}
