//! Every published dataset that a task takes its problems from, by folder.

use super::{Entry, Form, Version};

const CODREP: Entry = Entry {
    name: "codrep",
    tasks: &["codrep"],
    problems: None,
    form: Form::CodRep,
    versions: &[],
    publisher: "https://github.com/KTH/CodRep-competition",
    licence: None,
    about: "CodRep 2018, open from the start",
};

const FUSION_BRAIN: Entry = Entry {
    name: "fusion_brain",
    tasks: &["fusion-brain"],
    problems: None,
    form: Form::File(&[]),
    versions: &[],
    publisher: "https://github.com/ai-forever/fusion_brain_aij2021",
    licence: None,
    about: "a truth of the Fusion Brain Challenge 2021",
};

const EVALPLUS: Entry = Entry {
    name: "evalplus",
    tasks: &[],
    problems: None,
    form: Form::File(&[]),
    versions: &[],
    publisher: "https://github.com/evalplus/evalplus",
    licence: Some("Apache-2.0"),
    about: "EvalPlus: inputs, whose results come from the reference solution",
};

const MBPP: Entry = Entry {
    name: "mbpp",
    tasks: &["mbpp"],
    problems: None,
    form: Form::File(&[]),
    versions: &[],
    publisher: "https://github.com/google-research/google-research/tree/master/mbpp",
    licence: Some("CC-BY-4.0"),
    about: "MBPP 2021: short Python programs",
};

/// Every known dataset; those in one folder are together.
pub const ENTRIES: &[Entry] = &[
    Entry {
        name: "codrep/Dataset1",
        problems: Some(3858),
        versions: &[Version {
            name: "Dataset1",
            digest: "b305963e7e502cf989c0159502d74b7be0da0cadb413b130cd02ddd461f146a2",
        }],
        ..CODREP
    },
    Entry {
        name: "codrep/Dataset2",
        problems: Some(10_088),
        versions: &[Version {
            name: "Dataset2",
            digest: "7857e831d3425c4d674ff2265b4f09059b8d6e59a5bfec1af158406b5e42c7c7",
        }],
        ..CODREP
    },
    Entry {
        name: "codrep/Dataset3",
        problems: Some(15_326),
        versions: &[Version {
            name: "Dataset3",
            digest: "5e4b747a71e62188cd9d148474a5ec981d8696c5e332dde63abc3e5007609a30",
        }],
        ..CODREP
    },
    Entry {
        name: "codrep/Dataset4",
        problems: Some(10_431),
        versions: &[Version {
            name: "Dataset4",
            digest: "70a4a4c04e6c59d33161ae5da43500f5c4c78f3a08fe8431b4939a93f6ebdc38",
        }],
        about: "CodRep 2018, hidden set of the intermediate ranking",
        ..CODREP
    },
    Entry {
        name: "codrep/Dataset5",
        problems: Some(18_366),
        about: "CodRep 2018, hidden set of the final ranking",
        ..CODREP
    },
    Entry {
        name: "avatar/g4g_functions",
        tasks: &["c2c"],
        problems: Some(682),
        form: Form::Named(
            "g4g_functions",
            &["test.java-python.java", "test.java-python.python", "test.java-python.id"],
        ),
        versions: &[Version {
            name: "AVATAR's functions, test split",
            digest: "dc2adde871ecd908479a7ef383f3956f9148387baedb0a8114568d3c429655aa",
        }],
        publisher: "https://github.com/wasiahmad/AVATAR",
        licence: Some("CC-BY-SA-4.0"),
        about: "AVATAR's functions in Java and Python, test split",
    },
    Entry {
        name: "codexglue_trans/java-cs",
        tasks: &["trans-java-cs", "trans-cs-java"],
        problems: Some(1000),
        form: Form::Holding(&["test.java-cs.txt.java", "test.java-cs.txt.cs"]),
        versions: &[Version {
            name: "CodeXGLUE's code-to-code-trans, test split",
            digest: "3a5e2e96f2bf9415663b5ccdbad98eb8b04f28604c12e5ce52688e7917023c93",
        }],
        publisher: "https://github.com/microsoft/CodeXGLUE",
        licence: Some("C-UDA"),
        about: "CodeXGLUE's methods in Java and C#, test split",
    },
    Entry {
        name: "humaneval/HumanEval",
        tasks: &["humaneval"],
        problems: Some(164),
        form: Form::File(&["HumanEval.jsonl"]),
        versions: &[Version {
            name: "HumanEval",
            digest: "7ded9fa0d8808ba29da1791e81196ee8ad930d82e9a780f53349594fb55014b5",
        }],
        publisher: "https://github.com/openai/human-eval",
        licence: Some("MIT"),
        about: "HumanEval 2021: Python functions from their docstrings",
    },
    Entry {
        name: "humaneval_plus/HumanEvalPlus",
        tasks: &["humaneval-plus"],
        problems: Some(164),
        form: Form::File(&["HumanEvalPlus-v0.1.10.jsonl", "HumanEvalPlus.jsonl"]),
        versions: &[Version {
            name: "HumanEvalPlus v0.1.10",
            digest: "a56b3f652333c716a9d032b7d63e7f4f62a980e30283916b2a985f4eb178a73e",
        }],
        ..EVALPLUS
    },
    Entry {
        name: "humaneval_plus/HumanEvalPlus-OriginFmt",
        tasks: &["humaneval-plus"],
        problems: Some(164),
        form: Form::File(&["HumanEvalPlus-OriginFmt.jsonl"]),
        versions: &[Version {
            name: "HumanEvalPlus-OriginFmt",
            digest: "d1a6dbb1a00aa88ef3fed245b2c618f0684c85e6dbd7e2d6c8bf25ce8a90b4f2",
        }],
        about: "EvalPlus: the same as tests with assertions",
        ..EVALPLUS
    },
    Entry {
        name: "humanevalpack/HumanEvalPack",
        tasks: &[
            "humanevalpack-python",
            "humanevalpack-cpp",
            "humanevalpack-go",
            "humanevalpack-java",
            "humanevalpack-js",
            "humanevalpack-rust",
        ],
        problems: Some(164),
        form: Form::Holding(&[
            "cpp/data/humanevalpack.jsonl",
            "go/data/humanevalpack.jsonl",
            "java/data/humanevalpack.jsonl",
            "js/data/humanevalpack.jsonl",
            "python/data/humanevalpack.jsonl",
            "rust/data/humanevalpack.jsonl",
        ]),
        versions: &[Version {
            name: "HumanEvalPack, six languages",
            digest: "c333a7067973d72cc380ef0cea473858ae44cbf55f0452e3e0462195d7c1ddef",
        }],
        publisher: "https://github.com/bigcode-project/octopack",
        licence: Some("MIT"),
        about: "OctoPack's HumanEval in six languages",
    },
    Entry {
        name: "mbpp/mbpp",
        problems: Some(974),
        form: Form::File(&["mbpp.jsonl"]),
        versions: &[Version {
            name: "MBPP",
            digest: "5dbd1e4ea8954328e6d6fb70a7793621a9301deafb1fa63b2a4439b0c5b0617f",
        }],
        ..MBPP
    },
    Entry {
        name: "mbpp/sanitized-mbpp",
        tasks: &["mbpp-sanitized"],
        problems: Some(427),
        form: Form::File(&["sanitized-mbpp.json"]),
        versions: &[Version {
            name: "MBPP, sanitized",
            digest: "6b3b77777be0e6c1627453ef1655886af9b6ea8c34b8e67d3aa3c417e66a98d9",
        }],
        about: "MBPP 2021, the problems that were checked by hand",
        ..MBPP
    },
    Entry {
        name: "mbpp_plus/MbppPlus",
        tasks: &["mbpp-plus"],
        problems: Some(378),
        form: Form::File(&["MbppPlus-v0.2.0.jsonl", "MbppPlus.jsonl"]),
        versions: &[Version {
            name: "MbppPlus v0.2.0",
            digest: "7c51542bbb525b61b4150f3386f9813145a685d3168b9856503cfba5b27db282",
        }],
        ..EVALPLUS
    },
    Entry {
        name: "mbpp_plus/MbppPlus-v0.1.0",
        tasks: &["mbpp-plus"],
        problems: Some(399),
        form: Form::File(&["MbppPlus-v0.1.0.jsonl"]),
        versions: &[Version {
            name: "MbppPlus v0.1.0",
            digest: "1826a6f5baee7ba3e3a5240c38555d1bf8b131cbec1691003709e5b902ca6fe6",
        }],
        ..EVALPLUS
    },
    Entry {
        name: "mbpp_plus/MbppPlus-OriginFmt",
        tasks: &["mbpp-plus"],
        problems: Some(378),
        form: Form::File(&["MbppPlus-OriginFmt.jsonl"]),
        versions: &[Version {
            name: "MbppPlus-OriginFmt",
            digest: "bb5584187a84477d63ffcbb8c88c1754d2c7e8814c83293a87b6ebf24f4aeb6e",
        }],
        about: "EvalPlus: the same as tests with assertions",
        ..EVALPLUS
    },
    Entry {
        name: "apps/APPS",
        tasks: &["apps-introductory", "apps-interview", "apps-competition"],
        problems: Some(10_000),
        form: Form::Holding(&["question.txt"]),
        versions: &[],
        publisher: "https://github.com/hendrycks/apps",
        licence: Some("MIT"),
        about: "APPS 2021: problems of coding sites, a folder each",
    },
    Entry {
        name: "apps/selected150",
        tasks: &["apps-introductory", "apps-interview", "apps-competition"],
        problems: Some(150),
        form: Form::File(&["selected150.jsonl"]),
        versions: &[Version {
            name: "MapCoder's selection of APPS",
            digest: "6d2b402aace19690663b0af43d7311866cab4f7586d79ced538c48978215141f",
        }],
        publisher: "https://github.com/Md-Ashraful-Pramanik/MapCoder",
        licence: Some("MIT"),
        about: "MapCoder's selection of APPS, all on standard input",
    },
    Entry {
        name: "transcoder_gfg/GeeksForGeeks",
        tasks: &["translate-gfg-java-python"],
        problems: None,
        form: Form::Holding(&[".java", ".py"]),
        versions: &[],
        publisher: "https://github.com/facebookresearch/CodeGen",
        licence: Some("CC-BY-SA-2.0"),
        about: "TransCoder's test scripts: functions in Java and Python",
    },
    Entry {
        name: "fusion_brain/C2C",
        tasks: &["fusion-brain"],
        form: Form::File(&["true_C2C.json"]),
        ..FUSION_BRAIN
    },
    Entry {
        name: "fusion_brain/HTR",
        tasks: &["htr", "fusion-brain"],
        form: Form::File(&["true_HTR.json"]),
        ..FUSION_BRAIN
    },
    Entry {
        name: "fusion_brain/zsOD",
        tasks: &["zsod", "fusion-brain"],
        form: Form::File(&["true_zsOD.json"]),
        ..FUSION_BRAIN
    },
    Entry {
        name: "fusion_brain/VQA",
        tasks: &["vqa", "fusion-brain"],
        form: Form::File(&["true_VQA.json"]),
        ..FUSION_BRAIN
    },
];
