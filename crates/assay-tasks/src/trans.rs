//! `trans-java-cs` and `trans-cs-java`: CodeXGLUE's code-to-code translation.

use assay_core::Language;
use assay_data::parallel::Layout;

use crate::card::card;
use crate::sample;
use crate::translation::{MetricSet, Translation};

const JAVA: &str = "test.java-cs.txt.java";
const CSHARP: &str = "test.java-cs.txt.cs";

/// CodeXGLUE's translation from Java to C#.
pub(crate) fn trans_java_cs() -> Translation {
    Translation {
        card: card("trans-java-cs"),
        from: Language::Java,
        into: Language::CSharp,
        layout: Layout { source: JAVA, target: CSHARP, ids: None, preferred: None },
        takes_truths: false,
        metric_set: MetricSet::CodeXGlue,
        sample: sample::java_cs,
    }
}

/// CodeXGLUE's translation from C# to Java.
pub(crate) fn trans_cs_java() -> Translation {
    Translation {
        card: card("trans-cs-java"),
        from: Language::CSharp,
        into: Language::Java,
        layout: Layout { source: CSHARP, target: JAVA, ids: None, preferred: None },
        ..trans_java_cs()
    }
}
