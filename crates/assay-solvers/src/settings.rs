//! The settings of solvers, as a run records them.

use std::path::PathBuf;
use std::time::Duration;

use assay_core::{Error, Result};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The settings of a solver; part of a run's settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SolverSettings {
    /// The seed of every random choice.
    pub seed: u64,
    /// The number of lines to answer, best first.
    pub top: usize,
    /// The time limit of a solver command, in seconds.
    #[serde(rename = "time_limit_s", with = "seconds")]
    pub time_limit: Duration,
    /// The folder in which a solver command runs, and to which a file's path is relative.
    pub working_folder: PathBuf,
    /// Settings of single solvers, by name. The solver that they belong to parses them
    /// ([`Self::specific`]).
    #[serde(flatten)]
    pub specific: Map<String, Value>,
}

impl SolverSettings {
    /// The settings of one solver, as a struct whose fields have defaults.
    pub fn specific<T: DeserializeOwned>(&self) -> Result<T> {
        serde_json::from_value(Value::Object(self.specific.clone()))
            .map_err(|error| Error::usage("the solver's settings cannot be read").because(error))
    }
}

/// Durations in seconds.
mod seconds {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(time: &Duration, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_f64(time.as_secs_f64())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        let seconds = f64::deserialize(from)?;
        Duration::try_from_secs_f64(seconds).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(default)]
    struct ModelSettings {
        temperature: f64,
        max_tokens: u32,
    }

    impl Default for ModelSettings {
        fn default() -> Self {
            Self { temperature: 0.0, max_tokens: 1024 }
        }
    }

    fn read(value: &Value) -> SolverSettings {
        serde_json::from_value(value.clone()).unwrap()
    }

    #[test]
    fn settings_of_earlier_records_stay_as_they_are() {
        let value = json!({"seed": 7, "time_limit_s": 0.5, "top": 3, "working_folder": "/a"});
        let settings = read(&value);
        assert_eq!(settings.time_limit, Duration::from_millis(500));
        assert_eq!(settings.specific::<ModelSettings>().unwrap(), ModelSettings::default());
        assert_eq!(serde_json::to_value(&settings).unwrap(), value);
    }

    #[test]
    fn a_solver_reads_settings_of_its_own() {
        let mut value = json!({"seed": 0, "time_limit_s": 1.0, "top": 1, "working_folder": "."});
        value["temperature"] = json!(0.25);
        let settings = read(&value);
        let specific = ModelSettings { temperature: 0.25, ..ModelSettings::default() };
        assert_eq!(settings.specific::<ModelSettings>().unwrap(), specific);
        assert_eq!(serde_json::to_value(&settings).unwrap(), value);
        value["temperature"] = json!("hot");
        read(&value).specific::<ModelSettings>().unwrap_err();
    }
}
