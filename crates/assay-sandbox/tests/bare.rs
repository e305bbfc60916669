//! Candidates that run without isolation, as requested: their folders are private, and they do not get root's rights.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test that cannot go on has failed; it starts itself once more as another user"
)]

mod common;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use assay_core::{Cancel, Ending, Isolation, Language};
use assay_sandbox::{RunRequest, Sandbox, Settings, Source, Tools};
use common::{again, as_ordinary_user, ending, limits};

const DOUBLE: &str = "def double(x):\n    return x + x\n";
/// The number of process ids ahead of the current one for which a folder is planted.
const AHEAD: u32 = 400;

fn sandbox() -> Sandbox {
    Sandbox::new(Settings {
        workers: 1,
        isolation: Isolation::Warm,
        no_isolation: true,
        executable: common::worker(),
        tools: Tools::of_this_machine(&[Language::Python]),
    })
    .unwrap()
}

fn printed(sandbox: &Sandbox, text: &str) -> String {
    let source = Source { text, name: None };
    let limits = limits();
    let request = RunRequest { prelude: "", language: Language::Python, source, input: "", limits };
    let done = sandbox.run(&request, &Cancel::new()).unwrap();
    assert_eq!(done.ending, Ending::Passed, "{done:?}");
    String::from_utf8(done.output().to_vec()).unwrap()
}

/// A folder that anybody may write to, with a file in it.
fn victim() -> tempfile::TempDir {
    let folder = tempfile::tempdir_in("/var/tmp").unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
    fs::write(folder.path().join("file"), "untouched").unwrap();
    folder
}

fn is_untouched(victim: &tempfile::TempDir) -> bool {
    fs::read_to_string(victim.path().join("file")).is_ok_and(|text| text == "untouched")
}

#[test]
fn what_was_planted_is_neither_used_nor_emptied() {
    if again("what_was_planted") {
        return;
    }
    let victim = victim();
    let marker = victim.path().join("ran");
    let module = format!("open({:?}, 'w').close()\nraise ImportError\n", marker.to_str().unwrap());
    let next = std::process::id() + 1;
    let mut planted = Vec::new();
    for number in next..next + AHEAD {
        let folder = std::env::temp_dir().join(format!("assay-unsafe-{number}"));
        let scripts = PathBuf::from(format!("{}.scripts", folder.display()));
        if symlink(victim.path(), &folder).is_ok() && fs::create_dir(&scripts).is_ok() {
            fs::write(scripts.join("ctypes.py"), &module).unwrap();
        }
        planted.push((folder, scripts));
    }
    let verdict = ending(&sandbox(), DOUBLE);
    for (folder, scripts) in planted {
        let _ = fs::remove_file(folder);
        let _ = fs::remove_dir_all(scripts);
    }
    assert_eq!(verdict, Ending::Passed);
    assert!(is_untouched(&victim), "a folder of somebody else was emptied");
    assert!(!marker.exists(), "a planted module was run");
}

#[test]
fn folders_are_private_and_go_away() {
    if again("folders_are_private") {
        return;
    }
    let sandbox = sandbox();
    let look = "import os\nopen('left', 'w')\nfound = os.stat('.')\n\
                print(os.getuid(), found.st_uid, oct(found.st_mode), os.getcwd())\n";
    let said = printed(&sandbox, look);
    let words: Vec<&str> = said.split_whitespace().collect();
    assert_ne!(words[0], "0", "an administrator's program is nobody's");
    assert_eq!((words[0], words[2]), (words[1], "0o40700"), "{said}");
    assert_eq!(printed(&sandbox, "import os\nprint(os.listdir())"), "[]\n");
    let scripts = "import os, sys\nprint(os.path.dirname(sys.modules['candidate'].__file__))";
    let scripts = printed(&sandbox, scripts);
    let folders = [PathBuf::from(words[3]), PathBuf::from(scripts.trim())];
    assert!(folders.iter().all(|folder| folder.exists()), "{folders:?}");
    drop(sandbox);
    assert!(!folders.iter().any(|folder| folder.exists()), "{folders:?}");
}

#[test]
fn a_folder_that_a_program_has_replaced_is_not_emptied() {
    if again("a_folder_that_a_program") {
        return;
    }
    let victim = victim();
    let sandbox = sandbox();
    let name = victim.path().to_str().unwrap();
    let program = format!(
        "import os\nfolder = os.getcwd()\nos.chdir('/')\nos.rmdir(folder)\n\
         os.symlink({name:?}, folder)\nopen({name:?} + '/link', 'a').write(folder + '\\n')\n{DOUBLE}"
    );
    ending(&sandbox, &program);
    assert!(is_untouched(&victim), "the worker followed a link");
    assert_eq!(ending(&sandbox, DOUBLE), Ending::Passed);
    for link in fs::read_to_string(victim.path().join("link")).unwrap().lines() {
        let _ = fs::remove_file(Path::new(link));
    }
}

#[test]
fn an_ordinary_user_has_the_same() {
    as_ordinary_user(&["what_was_planted", "folders_are_private", "a_folder_that_a_program"]);
}
