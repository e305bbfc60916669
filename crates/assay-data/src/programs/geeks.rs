//! TransCoder's programs of GeeksForGeeks: the same function in Java and in Python, with a script
//! that compares a translation with the original on about ten sets of arguments.

use std::collections::BTreeMap;
use std::path::Path;

use assay_core::{Error, Result};

use crate::Store;

/// The line of a script that is replaced by a translation.
const PLACEHOLDER: &str = "TOFILL";
const MAIN: &str = "if __name__ == '__main__':";

/// A function in both languages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GeeksProblem {
    /// The name of its files.
    pub id: String,
    /// The Java function, called `f_gold`.
    pub java: String,
    /// The Python function with its imports, called `f_gold`.
    pub python: String,
    /// The code of the Python script that compares `f_filled` with it, up to the line that prints
    /// how many times (`n_success`) of how many (`len(param)`) they agree.
    pub comparison: String,
}

/// The functions in the folder or archive at `path`, or in an archive of that folder.
pub fn open_geeks(path: &Path) -> Result<Vec<Result<GeeksProblem, (String, String)>>> {
    let found = Store::find(path, &|name| name_in(name, "py").is_some())?;
    let (store, _) = found.ok_or_else(|| nothing(&path.display().to_string()))?;
    read_geeks(&store)
}

/// Reads the functions of `store` that exist in both languages, sorted by name, and those that
/// cannot be used, with the reason.
pub fn read_geeks(store: &Store) -> Result<Vec<Result<GeeksProblem, (String, String)>>> {
    let mut java = BTreeMap::new();
    let mut python = BTreeMap::new();
    let wanted = |name: &str| name_in(name, "java").or(name_in(name, "py")).is_some();
    store.scan(&wanted, &mut |name, content| {
        let text = content
            .and_then(|bytes| String::from_utf8(bytes).map_err(|_| "is not UTF-8".to_owned()));
        let text = text.map_err(|reason| format!("{name} {reason}"));
        if let Some(id) = name_in(name, "java") {
            java.insert(id.to_owned(), text);
        } else if let Some(id) = name_in(name, "py") {
            python.insert(id.to_owned(), text);
        }
    })?;
    let both = java.into_iter().filter_map(|(id, java)| {
        let python = python.remove(&id)?;
        Some(problem(&id, java, python).map_err(|reason| (id, reason)))
    });
    let both: Vec<_> = both.collect();
    if both.is_empty() {
        return Err(nothing(store.location()));
    }
    Ok(both)
}

fn nothing(location: &str) -> Error {
    Error::refused(format!("{location} holds no function in Java and Python"))
        .hint("it has java/NAME.java and python/NAME.py, as TransCoder's archive")
}

/// The name of a file with this extension in a folder of that language.
fn name_in<'a>(path: &'a str, extension: &str) -> Option<&'a str> {
    let folder = if extension == "py" { "python" } else { extension };
    let (path, file) = path.rsplit_once('/')?;
    let last = path.rsplit('/').next()?;
    (last == folder).then(|| file.strip_suffix(extension)?.strip_suffix('.')).flatten()
}

fn problem(
    id: &str,
    java: Result<String, String>,
    python: Result<String, String>,
) -> Result<GeeksProblem, String> {
    let (java, python) = (java?, python?);
    let (before, _) = java.split_once("//TOFILL").ok_or("the Java program has no //TOFILL")?;
    let class = before
        .find(&format!("class {id}"))
        .ok_or("the Java program has no class of its name: it is of another function")?;
    let (_, function) = before[class..].split_once('{').ok_or("the Java class has no beginning")?;
    let (gold, rest) =
        python.split_once(&format!("#{PLACEHOLDER}")).ok_or("the Python program has no #TOFILL")?;
    let (_, main) = rest.split_once(MAIN).ok_or("the Python program has no main part")?;
    let is_code = |line: &&str| !line.starts_with('#');
    Ok(GeeksProblem {
        id: id.to_owned(),
        java: function.trim().to_owned(),
        python: gold.lines().filter(is_code).collect::<Vec<_>>().join("\n").trim().to_owned(),
        comparison: dedented(main),
    })
}

/// The lines of an indented block, with four spaces of indentation removed.
fn dedented(block: &str) -> String {
    let lines = block.lines().map(|line| line.strip_prefix("    ").unwrap_or(line.trim_start()));
    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn store(files: &[(&str, &str)]) -> Store {
        let files =
            files.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec().into()));
        Store::memory("here", files.collect())
    }

    const JAVA: &str = "// note\nimport java.util.*;\npublic class ADD{\nstatic int f_gold ( int a ) {\n  return a ;\n}\n\n//TOFILL\n\npublic static void main(String args[]) {\n}\n}";
    const PYTHON: &str = "# note\nimport math\ndef f_gold ( a ) :\n    return a\n\n#TOFILL\n\nif __name__ == '__main__':\n    param = [\n    (1,),\n        ]\n    for p in param:\n        f_filled(*p)\n";

    #[test]
    fn a_function_is_taken_out_of_both_scripts() {
        let found =
            read_geeks(&store(&[("java/ADD.java", JAVA), ("x/python/ADD.py", PYTHON)])).unwrap();
        let [Ok(problem)] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(problem.java, "static int f_gold ( int a ) {\n  return a ;\n}");
        assert_eq!(problem.python, "import math\ndef f_gold ( a ) :\n    return a");
        assert_eq!(
            problem.comparison,
            "param = [\n(1,),\n    ]\nfor p in param:\n    f_filled(*p)"
        );
    }

    #[test]
    fn what_is_missing_is_named() {
        let error = read_geeks(&store(&[("java/ADD.java", JAVA)])).unwrap_err();
        assert_eq!(error.to_string(), "here holds no function in Java and Python");
        let found =
            read_geeks(&store(&[("java/ADD.java", "class ADD{"), ("python/ADD.py", PYTHON)]));
        let reason = "the Java program has no //TOFILL".to_owned();
        assert_eq!(found.unwrap(), [Err(("ADD".to_owned(), reason))]);
    }

    proptest! {
        #[test]
        fn any_scripts_are_a_problem_or_a_reason(java in "\\PC*", python in "\\PC*", cut in 0..90_usize) {
            let half = |text: &str| text.get(..cut).unwrap_or(text).to_owned();
            let _ = problem("ADD", Ok(java.clone()), Ok(PYTHON.to_owned()));
            let _ = problem("ADD", Ok(half(JAVA) + &java), Ok(half(PYTHON) + &python));
        }
    }
}
