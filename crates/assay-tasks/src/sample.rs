//! The problems embedded in the binary, from folders in the repository.

use std::borrow::Cow;

use assay_data::Store;
use assay_data::programs::Records;
use include_dir::{Dir, include_dir};

static APPS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/samples/apps");
static CODREP: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/samples/codrep");
static C2C: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/samples/c2c");
static GFG: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/samples/gfg");
static HUMANEVALPACK: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/samples/humanevalpack");
static JAVA_CS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/samples/trans-java-cs");

/// The handwritten texts of the tour.
pub(crate) const HTR: &[u8] = include_bytes!("../samples/fusion-brain/true_HTR.json");
/// The detections of the tour.
pub(crate) const ZSOD: &[u8] = include_bytes!("../samples/fusion-brain/true_zsOD.json");
/// The answers to questions about images of the tour.
pub(crate) const VQA: &[u8] = include_bytes!("../samples/fusion-brain/true_VQA.json");

/// The problems of coding sites of the tour.
pub(crate) fn apps() -> Store {
    store(&APPS)
}

/// The functions of the tour in six languages.
pub(crate) fn humanevalpack() -> Store {
    store(&HUMANEVALPACK)
}

/// The CodRep problems of the tour.
pub fn codrep() -> Store {
    store(&CODREP)
}

/// The functions in Java and Python of the tour.
pub(crate) fn c2c() -> Store {
    store(&C2C)
}

/// The functions in Java and Python of the tour, with scripts that compare them.
pub(crate) fn gfg() -> Store {
    store(&GFG)
}

/// The methods in Java and C# of the tour.
pub(crate) fn java_cs() -> Store {
    store(&JAVA_CS)
}

/// The functions of the tour, with more inputs than tests.
pub(crate) fn humaneval() -> Records {
    let bytes = include_bytes!("../samples/humaneval/HumanEval.jsonl").as_slice();
    Records::memory("sample/HumanEval.jsonl", bytes)
}

/// The short programs of the tour.
pub(crate) fn mbpp() -> Records {
    let bytes = include_bytes!("../samples/mbpp/mbpp.jsonl").as_slice();
    Records::memory("sample/mbpp.jsonl", bytes)
}

/// The short programs of the tour with inputs.
pub(crate) fn mbpp_plus() -> Records {
    let bytes = include_bytes!("../samples/mbpp/MbppPlus.jsonl").as_slice();
    Records::memory("sample/MbppPlus.jsonl", bytes)
}

fn store(folder: &'static Dir<'_>) -> Store {
    let mut files = Vec::new();
    collect(folder, &mut files);
    Store::memory("sample", files)
}

fn collect(folder: &'static Dir<'_>, files: &mut Vec<(String, Cow<'static, [u8]>)>) {
    for file in folder.files() {
        // A path of a sample is ASCII, so nothing is lost.
        files.push((file.path().to_string_lossy().into_owned(), file.contents().into()));
    }
    folder.dirs().for_each(|inner| collect(inner, files));
}
