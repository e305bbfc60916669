//! `assay data mine`: make datasets from git history.

use assay_core::{Error, Result, counted, exit_code, plural};
use assay_data::output_folder;
use assay_mine::{Filters, Mined, Rejection, Request, Side, Split, Walk, language, language_names};
use encoding_rs::Encoding;

use super::cancel_on_interrupt;
use crate::args::MineArguments;
use crate::output::{self, Column, RunProgressBar, Table};

pub(crate) fn codrep(arguments: &MineArguments, typed: &[String]) -> Result<u8> {
    let splits = ["test_project", "test_share"];
    if arguments.cutoff.is_none() && typed.iter().any(|name| splits.contains(&name.as_str())) {
        return Err(Error::usage("a division into training and test needs its date")
            .hint("give --cutoff DATE"));
    }
    let request = request(arguments)?;
    let cancel = cancel_on_interrupt()?;
    let mined = assay_mine::mine(&request, &RunProgressBar::new(), &cancel)?;
    if arguments.json {
        output::json_pretty(&mined)?;
    } else {
        show(&mined)?;
    }
    if !mined.complete {
        output::print_message("interrupted; the same command continues");
        return Ok(exit_code::INTERRUPTED);
    }
    for (side, _) in mined.tasks.iter().filter(|(_, tasks)| **tasks == 0) {
        output::warn(match side {
            Side::All => "no task was found",
            Side::Train => "no task is left to train on",
            Side::Test => "no task is left to test on",
        });
    }
    Ok(exit_code::DONE)
}

fn request(arguments: &MineArguments) -> Result<Request> {
    let split = arguments.cutoff.map(|cutoff| Split {
        cutoff,
        test_projects: arguments.test_project.clone(),
        test_share: arguments.test_share,
    });
    Ok(Request {
        repositories: arguments.repositories.clone(),
        output: output_folder(&arguments.output)?,
        filters: filters(arguments)?,
        walk: Walk {
            all_refs: arguments.all_refs,
            merges: arguments.merges,
            renames: !arguments.no_renames,
        },
        split,
    })
}

fn filters(arguments: &MineArguments) -> Result<Filters> {
    let language = language(&arguments.language).ok_or_else(|| {
        let known: Vec<&str> = language_names().collect();
        Error::usage(format!("no language is called {}", arguments.language))
            .hint(format!("the languages are {}", known.join(", ")))
    })?;
    let encoding = Encoding::for_label(arguments.encoding.as_bytes()).ok_or_else(|| {
        Error::usage(format!("no encoding is called {}", arguments.encoding))
            .hint("such as windows-1252, shift_jis, gbk, euc-kr, koi8-r")
    })?;
    let mut filters =
        Filters { encoding, most_bytes: arguments.max_bytes, ..Filters::new(language) };
    for (keep, reason) in [
        (arguments.keep_comments, Rejection::Comment),
        (arguments.keep_blank, Rejection::Blank),
        (arguments.keep_white_space, Rejection::WhiteSpace),
        (arguments.keep_duplicates, Rejection::Duplicate),
    ] {
        if keep {
            filters.leave_out.remove(&reason);
        }
    }
    if arguments.no_tests {
        filters.leave_out.insert(Rejection::Test);
    }
    Ok(filters)
}

fn show(mined: &Mined) -> Result<()> {
    output::print(&format!(
        "{} of {}, {} changed {}\n\n",
        counted(mined.commits, "commit"),
        counted(mined.repositories, "repository"),
        mined.files,
        plural(mined.files, "file")
    ))?;
    let tasks = mined.tasks.iter().map(|(side, count)| {
        let title = match side {
            Side::All => "tasks",
            Side::Train => "tasks to train on",
            Side::Test => "tasks to test on",
        };
        [title.to_owned(), count.to_string()]
    });
    let rejected = mined.rejected.iter().map(|(reason, count)| {
        [format!("left out: {}", describe_reason(*reason)), count.to_string()]
    });
    let columns = [Column::text("what"), Column::number("files").always()];
    Table::new(columns).rows(tasks.chain(rejected)).print()
}

fn describe_reason(reason: Rejection) -> &'static str {
    match reason {
        Rejection::Test => "a test",
        Rejection::TooLarge => "too large",
        Rejection::NotText => "not a text",
        Rejection::NotOneLine => "not one line for one",
        Rejection::Blank => "a blank line",
        Rejection::WhiteSpace => "white space alone",
        Rejection::Comment => "comments alone",
        Rejection::Duplicate => "there already",
        Rejection::NeitherSide => "on neither side of the split",
    }
}
