//! A split into training and test data that share neither a project nor a time range.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use assay_core::{Digest, Error, Result};
use serde::{Deserialize, Serialize};

use crate::history::History;

/// The division of tasks: test projects after the cutoff, the other projects before it. Tasks on
/// neither side are left out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Split {
    /// The date that divides the tasks.
    pub cutoff: Cutoff,
    /// The repositories to test on; none means a share of all projects.
    pub test_projects: Vec<String>,
    /// The share of projects to test on.
    pub test_share: f64,
}

/// A point in time, in seconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Cutoff(i64);

/// The side of the division that a task is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// There is no split.
    All,
    /// Training data.
    Train,
    /// Test data.
    Test,
}

impl Side {
    /// The folder of this side's dataset within the output.
    pub(crate) fn folder(self) -> &'static str {
        match self {
            Self::All => "",
            Self::Train => "train",
            Self::Test => "test",
        }
    }
}

/// Parses a date, `2017-12-31`, or a time, `2017-12-31T12:00:00Z`.
pub fn parse_cutoff(text: &str) -> Result<Cutoff, String> {
    let whole = if text.contains('T') { text.to_owned() } else { format!("{text}T00:00:00Z") };
    let moment = humantime::parse_rfc3339(&whole)
        .map_err(|_| "expected a date such as 2017-12-31".to_owned())?;
    let seconds =
        moment.duration_since(UNIX_EPOCH).map_err(|_| "that is before 1970".to_owned())?;
    Ok(Cutoff(i64::try_from(seconds.as_secs()).unwrap_or(i64::MAX)))
}

/// A point in time in RFC 3339 format.
pub(crate) fn date(seconds: i64) -> String {
    /// The last second of the year 9999.
    const LAST: u64 = 253_402_300_799;
    let seconds = u64::try_from(seconds).unwrap_or_default().min(LAST);
    let moment: SystemTime = UNIX_EPOCH + Duration::from_secs(seconds);
    humantime::format_rfc3339_seconds(moment).to_string()
}

/// The side of each repository's project. Repositories that share a root commit are one project.
pub(crate) fn sides(split: Option<&Split>, histories: &[History]) -> Result<Vec<Side>> {
    let Some(split) = split else { return Ok(vec![Side::All; histories.len()]) };
    let known = |name: &&String| histories.iter().any(|history| history.name == **name);
    if let Some(unknown) = split.test_projects.iter().find(|name| !known(name)) {
        let names: Vec<&str> = histories.iter().map(|history| history.name.as_str()).collect();
        return Err(Error::usage(format!("there is no repository called {unknown}"))
            .hint(format!("the repositories are {}", names.join(", "))));
    }
    let projects = projects(histories);
    let first_root = |project: usize| {
        let members = histories.iter().zip(&projects).filter(|(_, of)| **of == project);
        members.flat_map(|(history, _)| &history.roots).min().cloned().unwrap_or_default()
    };
    let side = |project: usize| {
        let mut members = histories.iter().zip(&projects).filter(|(_, of)| **of == project);
        let is_test = if split.test_projects.is_empty() {
            project_fraction(&first_root(project)) < split.test_share
        } else {
            members.any(|(history, _)| split.test_projects.contains(&history.name))
        };
        if is_test { Side::Test } else { Side::Train }
    };
    let sides: Vec<Side> = projects.iter().map(|&project| side(project)).collect();
    for needed in [Side::Train, Side::Test] {
        if !sides.contains(&needed) {
            return Err(Error::usage(format!("no project is left to {} on", needed.folder()))
                .hint(
                    "name more repositories, or the ones to test on with --test-project; \
                       repositories that share a root commit are one project",
                ));
        }
    }
    Ok(sides)
}

/// For each repository, the first repository of its project.
fn projects(histories: &[History]) -> Vec<usize> {
    let mut projects: Vec<usize> = (0..histories.len()).collect();
    for later in 0..histories.len() {
        for earlier in 0..later {
            if !histories[earlier].roots.is_disjoint(&histories[later].roots) {
                let (keep, give_up) = (projects[earlier], projects[later]);
                let (keep, give_up) = (keep.min(give_up), keep.max(give_up));
                for project in &mut projects {
                    if *project == give_up {
                        *project = keep;
                    }
                }
            }
        }
    }
    projects
}

/// A number between 0 and 1 that depends only on a project's first root commit, so that the project
/// stays on its side when others are added, in any order and under any name.
fn project_fraction(root: &str) -> f64 {
    let digest = Digest::of(root.as_bytes());
    let number =
        digest.as_bytes()[..4].iter().fold(0, |sum: u32, &byte| sum << 8 | u32::from(byte));
    f64::from(number) / (f64::from(u32::MAX) + 1.0)
}

/// Returns the side of a task of a project on `side` that was committed at `seconds`.
pub(crate) fn side_of_task(split: Option<&Split>, side: Side, seconds: i64) -> Option<Side> {
    let is_future = split.is_some_and(|split| seconds >= split.cutoff.0);
    match side {
        Side::All => Some(side),
        Side::Train => (!is_future).then_some(side),
        Side::Test => is_future.then_some(side),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_and_written() {
        assert_eq!(parse_cutoff("1970-01-02"), Ok(Cutoff(86_400)));
        assert_eq!(parse_cutoff("1970-01-01T00:01:00Z"), Ok(Cutoff(60)));
        assert!(parse_cutoff("yesterday").is_err());
        assert!(parse_cutoff("1969-12-31").is_err());
        assert_eq!(date(86_400), "1970-01-02T00:00:00Z");
        assert_eq!(date(-5), "1970-01-01T00:00:00Z");
        assert_eq!(date(i64::MAX), "9999-12-31T23:59:59Z");
    }

    #[test]
    fn the_future_is_for_testing() {
        let split = Split { cutoff: Cutoff(10), test_projects: Vec::new(), test_share: 0.5 };
        let side_of_task = |side, seconds| side_of_task(Some(&split), side, seconds);
        assert_eq!(side_of_task(Side::Train, 9), Some(Side::Train));
        assert_eq!(side_of_task(Side::Train, 10), None);
        assert_eq!(side_of_task(Side::Test, 9), None);
        assert_eq!(side_of_task(Side::Test, 10), Some(Side::Test));
        assert!((0.0..1.0).contains(&project_fraction("x")));
    }
}
