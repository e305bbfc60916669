//! The published figures for the competition's own data, to 1e-9.

mod common;

use common::{json, metric, real_data, run};

/// Error and recall@1 of `first`, `middle`, `last` and `worst`.
type Figures = [(f64, f64); 4];

/// The original scorer's figures: dataset, tasks, baselines.
const PUBLISHED: [(&str, usize, Figures); 4] = [
    (
        "Dataset1",
        3858,
        [
            (0.998_944_860_279_491_7, 0.000_777_604_976_671_850_7),
            (0.991_905_478_023_239_6, 0.004_924_831_518_921_721),
            (0.998_229_404_266_577, 0.0),
            (0.999_999_973_280_269_7, 0.0),
        ],
    ),
    (
        "Dataset2",
        10_088,
        [
            (0.998_201_804_188_951_9, 0.000_793_021_411_578_112_6),
            (0.987_210_628_979_717_8, 0.008_227_597_145_122_919),
            (0.998_102_320_423_441_9, 9.912_767_644_726_408e-5),
            (0.999_999_494_130_706_5, 0.0),
        ],
    ),
    (
        "Dataset3",
        15_326,
        [
            (0.992_724_509_951_364_4, 0.007_242_594_284_222_889),
            (0.980_656_233_119_753_5, 0.011_092_261_516_377_398),
            (0.995_743_086_926_424_7, 0.002_087_955_108_965_157),
            (0.999_997_799_664_536_3, 0.0),
        ],
    ),
    (
        "Dataset4",
        10_431,
        [
            (0.982_956_843_925_154_3, 0.014_955_421_340_235_836),
            (0.983_263_744_926_822_8, 0.009_395_072_380_404_563),
            (0.997_712_891_229_298_2, 9.586_808_551_433_228e-5),
            (0.999_995_342_502_905, 0.0),
        ],
    ),
];

#[test]
fn baselines_have_the_published_error_and_recall() {
    let Some(data) = real_data("baselines_have_the_published_error_and_recall") else { return };
    for (name, total, figures) in PUBLISHED {
        let scratch = tempfile::tempdir().unwrap();
        let archive = data.join(format!("codrep/{name}.tar.zst")).display().to_string();
        let solvers = ["first", "middle", "last", "worst"];
        let mut arguments = vec!["run", "codrep", "--data", &archive, "--json"];
        for solver in solvers {
            arguments.extend(["--solver", solver]);
        }
        let output = run(scratch.path(), &arguments);
        assert_eq!(output.code, 0, "{output:?}");
        let results: Vec<serde_json::Value> =
            output.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(results.len(), solvers.len());
        for ((results, solver), (error, recall)) in results.iter().zip(solvers).zip(figures) {
            assert_eq!(results["solver"], solver);
            assert_eq!(results["counts"]["problems"], total);
            assert_eq!(results["metrics"]["line-error"]["n"], total);
            let (found_error, found_recall) =
                (metric(results, "line-error"), metric(results, "recall@1"));
            assert!((found_error - error).abs() < 1e-9, "{name} {solver}: {found_error}");
            assert!((found_recall - recall).abs() < 1e-9, "{name} {solver}: {found_recall}");
        }
    }
}

#[test]
fn predictions_score_as_the_original_scorer_says() {
    let Some(data) = real_data("predictions_score_as_the_original_scorer_says") else { return };
    let scratch = tempfile::tempdir().unwrap();
    let archive = data.join("codrep/Dataset4.tar.zst").display().to_string();
    let predicted = run(scratch.path(), &["predict", &archive, "--solver", "middle"]);
    assert_eq!(predicted.code, 0, "{}", predicted.err);
    assert_eq!(predicted.out.lines().count(), 10_431);
    let first = predicted.out.lines().next().unwrap();
    assert!(first.starts_with(&format!("{archive}/Dataset4/Tasks/1.txt ")), "{first}");
    let arguments = ["score", "codrep", "-", "-d", &archive, "--format", "codrep"];
    let scored = common::feed(scratch.path(), &arguments, &predicted.out);
    assert_eq!(scored.code, 0, "{}", scored.err);
    let lines: Vec<&str> = scored.out.lines().collect();
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[0], "Total files: 10431");
    assert!(lines[1].starts_with("Average line error: 0.98326374492683"), "{}", lines[1]);
    assert_eq!(lines[2], "Recall@1: 0.009395072380404563 (the higher, the better)");
}

#[test]
fn the_published_datasets_are_sound_and_known() {
    let Some(data) = real_data("the_published_datasets_are_sound_and_known") else { return };
    let scratch = tempfile::tempdir().unwrap();
    let folder = data.join("codrep").display().to_string();
    let output = run(scratch.path(), &["data", "verify", &folder, "--json"]);
    assert_eq!(output.code, 0, "{output:?}");
    let report = json(&output);
    let datasets = report["datasets"].as_array().unwrap();
    assert_eq!(datasets.len(), 4);
    for (dataset, (name, total, _)) in datasets.iter().zip(PUBLISHED) {
        assert_eq!(dataset["dataset"], name);
        assert_eq!(dataset["tasks"], total);
        assert_eq!(dataset["published_as"], format!("codrep/{name}"));
    }
}

#[test]
fn statistics_are_those_that_are_known() {
    let Some(data) = real_data("statistics_are_those_that_are_known") else { return };
    let scratch = tempfile::tempdir().unwrap();
    // The mean number of lines per program, and the share of tasks whose replaced line occurs more
    // than once, in percent.
    for (name, lines, repeated) in [("Dataset1", 534.0, Some(3.6)), ("Dataset3", 240.0, Some(1.8))]
    {
        let archive = data.join(format!("codrep/{name}.tar.zst")).display().to_string();
        let stats = json(&run(scratch.path(), &["data", "stats", &archive, "--json"]));
        let files = stats["files"].as_f64().unwrap();
        let mean = stats["program_lines"]["mean"].as_f64().unwrap();
        assert!((mean - lines).abs() < 1.0, "{name}: {mean} lines");
        let share = 100.0 * stats["replaced_line_repeated"].as_f64().unwrap() / files;
        assert!(repeated.is_none_or(|known: f64| (share - known).abs() < 0.1), "{name}: {share} %");
        let present = 100.0 * stats["new_line_present"].as_f64().unwrap() / files;
        assert!((0.5..2.5).contains(&present), "{name}: {present} %");
    }
}
