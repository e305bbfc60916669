//! The keys and passphrases that open sealed data, and those that do not.

use std::fs;

use crate::common::run;
use crate::{check_refused, files, sealed, try_unseal};

#[test]
fn a_wrong_key_opens_nothing() {
    let keep = sealed();
    assert_eq!(run(keep.path(), &["data", "seal", "D", "-o", "E.age"]).code, 0);
    fs::rename(keep.path().join("D.age.key"), keep.path().join("right.key")).unwrap();
    let output = try_unseal(keep.path());
    assert_eq!(output.code, 2, "{output:?}");
    assert!(output.err.contains("--identity"), "{}", output.err);
    fs::copy(keep.path().join("E.age.key"), keep.path().join("D.age.key")).unwrap();
    check_refused(keep.path(), &["no key that was given opens D.age", "hint: give the key"]);
    fs::write(keep.path().join("D.age.key"), "not a key\n").unwrap();
    check_refused(keep.path(), &["D.age.key holds no key", "AGE-SECRET-KEY-1"]);
    fs::write(keep.path().join("word"), "secret\n").unwrap();
    let with = |arguments: &[&str]| {
        run(keep.path(), &[&["data", "unseal", "D.age", "-o", "out"], arguments].concat())
    };
    let output = with(&["--passphrase-file", "word"]);
    assert!(output.code == 3 && output.err.contains("was sealed with a key"), "{output:?}");
    let output = with(&["--identity", "E.age.key", "--identity", "right.key"]);
    assert_eq!(output.code, 0, "{output:?}");
}

#[test]
fn several_people_can_open_it_each_alone() {
    let keep = sealed();
    let people: Vec<age::x25519::Identity> =
        (0..3).map(|_| age::x25519::Identity::generate()).collect();
    let public: Vec<String> = people.iter().map(|key| key.to_public().to_string()).collect();
    fs::write(keep.path().join("people"), format!("# the jury\n\n{}\n", public[2])).unwrap();
    let to = ["-r", &public[0], "--recipient", &public[1], "--recipients-file", "people"];
    let arguments = [&["data", "seal", "D", "-o", "F.age"], &to[..]].concat();
    assert_eq!(run(keep.path(), &arguments).code, 0);
    assert!(!keep.path().join("F.age.key").exists());
    for (number, person) in people.iter().enumerate() {
        use age::secrecy::ExposeSecret;
        fs::write(keep.path().join("key"), person.to_string().expose_secret()).unwrap();
        let out = format!("out{number}");
        let output = run(keep.path(), &["data", "unseal", "F.age", "-o", &out, "-i", "key"]);
        assert_eq!(output.code, 0, "{output:?}");
        assert_eq!(files(&keep.path().join(out)), files(&keep.path().join("D")));
    }
    let output = run(keep.path(), &["data", "seal", "D", "-o", "G.age", "-r", "age1nonsense"]);
    assert!(output.code == 2 && output.err.contains("is not a recipient"), "{output:?}");
    fs::write(keep.path().join("people"), "# nobody\nAGE-SECRET-KEY-1QQQ\n").unwrap();
    let output =
        run(keep.path(), &["data", "seal", "D", "-o", "G.age", "--recipients-file", "people"]);
    assert!(output.code == 3 && output.err.contains("people:2: "), "{output:?}");
    assert!(!output.err.contains("QQQ"), "a secret was repeated: {}", output.err);
    assert!(!keep.path().join("G.age").exists());
}

#[test]
fn a_passphrase_opens_it() {
    let keep = sealed();
    fs::write(keep.path().join("word"), "correct horse\r\nsecond line\n").unwrap();
    fs::write(keep.path().join("wrong"), "correct  horse\n").unwrap();
    fs::write(keep.path().join("empty"), "\nsecret\n").unwrap();
    let seal = |word: &str| {
        run(keep.path(), &["data", "seal", "D", "-o", "P.age", "--passphrase-file", word])
    };
    let unseal = |word: &str| {
        run(keep.path(), &["data", "unseal", "P.age", "-o", "out", "--passphrase-file", word])
    };
    assert!(seal("empty").err.contains("holds no passphrase"));
    let output = seal("word");
    assert_eq!(output.code, 0, "{output:?}");
    assert!(!keep.path().join("P.age.key").exists());
    let output = unseal("wrong");
    assert!(output.code == 3 && output.err.contains("does not open P.age"), "{output:?}");
    let output = run(keep.path(), &["data", "unseal", "P.age", "-o", "out", "-i", "D.age.key"]);
    assert!(output.code == 3 && output.err.contains("was sealed with a passphrase"), "{output:?}");
    assert!(!keep.path().join("out").exists());
    assert_eq!(unseal("word").code, 0);
    assert_eq!(files(&keep.path().join("out")), files(&keep.path().join("D")));
}
