//! Builds without some of the features: what they lack is refused in plain words.

mod common;

use common::run;

#[test]
fn a_build_without_a_feature_refuses_what_needs_it() {
    let scratch = tempfile::tempdir().unwrap();
    let check = |has_feature: bool, arguments: &str, lacks: &str, feature: &str| {
        let arguments: Vec<&str> = arguments.split(' ').collect();
        let said = run(scratch.path(), &arguments);
        let refusal = format!("error: this build has no support for {lacks}");
        assert_eq!(said.err.contains(&refusal), !has_feature, "{arguments:?}: {said:?}");
        if !has_feature {
            assert_eq!((said.code, said.out.as_str()), (2, ""), "{arguments:?}");
            let hint = format!("hint: build it with the feature {feature}\n");
            assert!(said.err.ends_with(&hint), "{arguments:?}: {}", said.err);
        }
    };
    let (mine, seal) = (cfg!(feature = "mine"), cfg!(feature = "seal"));
    check(mine, "data mine codrep . -o mined --no-tests", "git history", "mine");
    check(seal, "data seal . -o hidden.age", "sealed data", "seal");
    check(seal, "data unseal -o hidden hidden.age", "sealed data", "seal");
    for task in ["vqa", "fusion-brain"] {
        let has_lemmas = cfg!(feature = "russian-lemmas");
        let arguments = format!("run {task} --data sample --solver gold");
        check(has_lemmas, &arguments, "answers in Russian", "russian-lemmas");
    }
}

#[test]
fn english_answers_need_no_feature() {
    let scratch = tempfile::tempdir().unwrap();
    let truth = "{\"0\": {\"answer\": \"yes\", \"question_id\": 0, \"lang\": \"en\"}}";
    std::fs::write(scratch.path().join("true_VQA.json"), truth).unwrap();
    let arguments = ["run", "vqa", "--data", "true_VQA.json", "--solver", "gold", "--json"];
    let said = run(scratch.path(), &arguments);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.out.contains("\"passed\":1"), "{}", said.out);
}
