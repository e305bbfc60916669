//! `run.json`: everything that is known about a run before it starts.

use std::path::Path;

use assay_core::{Digest, Error, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::FormatVersion;

/// Everything that is known about a run before it starts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of the record's format.
    pub format: FormatVersion,
    /// Everything that the results depend on; absent until the data was read once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    /// Start of the run, as a date and time of RFC 3339 in UTC.
    pub started: String,
    /// Number of problems.
    pub problems: usize,
    /// Hashes of those problems; absent until the data was read once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data_digest: Option<DataDigest>,
    /// Everything that the answers depend on beside the data, as it is in the signature. Since 1.2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub solver_identity: Option<String>,
    /// The request, from which the run can be resumed.
    pub request: Request,
    /// The program that made the record.
    pub tool: Tool,
    /// The machine that the run was started on.
    pub machine: Machine,
    /// Fields of later minor versions, which are kept as they are.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// Hashes of a run's problems.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataDigest {
    /// Hash of the problems' names and right answers, in task order.
    pub solutions: Digest,
    /// Hash of the problems and their right answers, in task order.
    pub content: Digest,
}

/// The request of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// The task and the selected problems.
    pub task: TaskRequest,
    /// The solver's spec.
    pub solver: String,
    /// The solver's settings.
    #[serde(default)]
    pub solver_settings: Value,
    /// Number of samples per problem.
    pub samples: u32,
    /// Fields of later minor versions, which are kept as they are.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// The selected problems of a task.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TaskRequest {
    /// The task's name.
    pub name: String,
    /// The name under which results are reported, if the data is the user's own in the form of that task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own_name: Option<String>,
    /// The source of its problems.
    pub data: Value,
    /// The task's settings.
    #[serde(default)]
    pub settings: Value,
    /// The only problems to include, if any are named.
    #[serde(default)]
    pub ids: Vec<String>,
    /// Greatest number of problems, from the first on.
    #[serde(default)]
    pub limit: Option<usize>,
    /// Fields of later minor versions, which are kept as they are.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// The program that made a record.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tool {
    /// Its version.
    pub version: String,
    /// The commit that it was built from, where that is known.
    #[serde(default)]
    pub commit: String,
}

/// The machine that a run was started on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// The operating system.
    pub os: String,
    /// The processor's architecture.
    pub arch: String,
    /// Number of threads that it runs at once.
    pub cores: usize,
}

impl Manifest {
    /// Reads the bytes of the manifest at `path`.
    pub fn parse(bytes: &[u8], path: &Path) -> Result<Self> {
        #[derive(Deserialize)]
        struct Versioned {
            format: FormatVersion,
        }

        let refuse = |error| {
            Error::refused(format!("{} is not a run's manifest", path.display()))
                .because(error)
                .hint("name the folder of a run, as `assay run` prints it")
        };
        let Versioned { format } =
            serde_json::from_slice(bytes).map_err(|error: serde_json::Error| refuse(error))?;
        if !format.is_readable() {
            return Err(unreadable(format, path));
        }
        serde_json::from_slice(bytes).map_err(refuse)
    }

    /// The bytes of the manifest as they are written.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut bytes = serde_json::to_vec_pretty(self)
            .map_err(|error| Error::failed("failed to write a run's manifest").because(error))?;
        bytes.push(b'\n');
        Ok(bytes)
    }
}

fn unreadable(format: FormatVersion, path: &Path) -> Error {
    let major = FormatVersion::CURRENT.major;
    let cure = if format.major > major {
        "install a newer assay: this record was made by one"
    } else {
        "records begin with format 1.0: check where this file comes from"
    };
    Error::refused(format!(
        "{} has format {format}, and this version of assay reads format {major}",
        path.display()
    ))
    .hint(cure)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest(format: &str) -> String {
        format!(
            r#"{{"format":{format},"started":"2026-11-18T05:54:06Z","problems":3,"new":[1],
            "request":{{"task":{{"name":"codrep","data":"sample","later":{{}}}},"solver":"first",
            "samples":1}},"tool":{{"version":"0.1.0"}},
            "machine":{{"os":"linux","arch":"x86_64","cores":2}}}}"#
        )
    }

    fn parse(text: &str) -> Result<Manifest> {
        Manifest::parse(text.as_bytes(), Path::new("run.json"))
    }

    #[test]
    fn fields_of_later_versions_are_kept() {
        let read = parse(&manifest("\"1.7\"")).unwrap();
        assert_eq!(read.format, FormatVersion { major: 1, minor: 7 });
        assert_eq!(read.other["new"], serde_json::json!([1]));
        let written = read.to_bytes().unwrap();
        assert_eq!(Manifest::parse(&written, Path::new("run.json")).unwrap(), read);
        assert_eq!(read.request.task.other["later"], serde_json::json!({}));
    }

    #[test]
    fn another_major_version_is_refused_with_a_cure() {
        let error = parse(&manifest("\"2.0\"")).unwrap_err();
        let message = "run.json has format 2.0, and this version of assay reads format 1";
        assert_eq!(error.to_string(), message);
        assert!(error.hint_text().unwrap().starts_with("install a newer assay"));
        assert!(parse(&manifest("2")).unwrap_err().to_string().contains("format 2.0"));
        assert!(parse(&manifest("0")).unwrap_err().hint_text().unwrap().contains("1.0"));
        assert!(parse("{}").unwrap_err().to_string().ends_with("is not a run's manifest"));
    }
}
