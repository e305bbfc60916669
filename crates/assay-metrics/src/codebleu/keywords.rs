//! The keywords, which count five times as much as other words.

use assay_syntax::Language;

use super::Variant;

const JAVA: &str = "abstract assert boolean break byte case catch char class const continue default \
    do double else enum extends final finally float for goto if implements import instanceof int \
    interface long native new package private protected public return short static strictfp super \
    switch synchronized this throw throws transient try void volatile while";

const PYTHON: &str = "False None True and as assert break class continue def del elif else except \
    finally for from global if import in is lambda nonlocal not or pass raise return try while with \
    yield";

const C_SHARP: &str = "abstract as base bool break byte case catch char checked class const continue \
    decimal default delegate do double else enum event explicit extern false finally fixed float for \
    foreach goto if implicit in int interface internal is lock long namespace new null object \
    operator out override params private protected public readonly ref return sbyte sealed short \
    sizeof stackalloc static string struct switch this throw true try typeof uint ulong unchecked \
    unsafe ushort using virtual void volatile while add alias ascending async await by descending \
    dynamic equals from get global group into join let nameof notnull on orderby partial remove \
    select set unmanaged value var when where yield";

const C: &str = "auto else long switch break enum register typedef case extern return union char \
    float short unsigned const for signed void continue goto sizeof volatile default if static while \
    do int struct _Packed double";

const CPP: &str = "auto const double float int short struct unsigned break continue else for long \
    signed switch void case default enum goto register sizeof typedef volatile char do extern if \
    return static union while asm dynamic_cast namespace reinterpret_cast bool explicit new \
    static_cast typeid catch false try operator template typename class friend private this using \
    const_cast inline public throw virtual delete mutable protected true wchar_t and bitand compl \
    not_eq or_eq xor_eq and_eq bitor not or xor cin endl INT_MIN iomanip main npos std cout include \
    INT_MAX iostream MAX_RAND NULL string";

const GO: &str = "break default func interface select case defer go map struct chan else goto package \
    switch const fallthrough if range type continue for import return var false true";

/// `True` is not a word of the language, but is in the list that everybody uses.
const JAVASCRIPT: &str = "await break case catch class const continue debugger default delete do else \
    enum export extends false finally for function if implements import in instanceof interface let \
    new null package private protected public return super switch static this throw try True typeof \
    var void while with yield";

const TYPESCRIPT: &str = "abstract any as async await boolean break case catch class const continue \
    debugger declare default delete do else enum export extends false finally for function if \
    implements import in instanceof interface keyof let namespace never new null number package \
    private protected public readonly return satisfies static string super switch symbol this throw \
    true try type typeof undefined unknown var void while with yield";

const PHP: &str = "__halt_compiler abstract and array as break callable case catch class clone const \
    continue declare default die do echo else elseif empty enddeclare endfor endforeach endif \
    endswitch endwhile eval exit extends final for foreach function global goto if implements include \
    include_once instanceof insteadof interface isset list namespace new or print private protected \
    public require require_once return static switch throw trait try unset use var while xor";

const RUBY: &str = "__ENCODING__ __LINE__ __FILE__ BEGIN END alias and begin break case class def \
    defined? do else elsif end ensure false for if in module next nil not or redo rescue retry return \
    self super then true undef unless until when while yield";

const RUST: &str = "as async await block bool break char const continue crate default dyn else enum \
    expr extern f32 f64 false fn for i128 i16 i32 i64 i8 ident if impl in isize item let lifetime \
    literal loop macro_rules! match meta mod move mut pat path pub ref return self static stmt str \
    struct super trait true tt ty type u128 u16 u32 u64 u8 union unsafe use usize vis where while \
    yield";

/// The keywords of a language, as the variant lists them.
pub(super) fn keywords(language: Language, variant: Variant) -> Vec<&'static str> {
    let (list, more) = match language {
        Language::Python => (PYTHON, python_since(variant)),
        Language::Java => (JAVA, ""),
        Language::CSharp => (C_SHARP, ""),
        Language::C => (C, ""),
        Language::Cpp => (CPP, ""),
        Language::JavaScript => (JAVASCRIPT, ""),
        Language::TypeScript => (TYPESCRIPT, ""),
        Language::Go => (GO, ""),
        Language::Ruby => (RUBY, ""),
        Language::Php => (PHP, ""),
        Language::Rust => (RUST, ""),
    };
    list.split_whitespace().chain(more.split_whitespace()).collect()
}

/// The keywords that later versions of Python added, as far as each variant's list includes them.
fn python_since(variant: Variant) -> &'static str {
    match variant {
        Variant::Avatar => "",
        Variant::CodeXGlue | Variant::FusionBrain => "async await",
        Variant::K4black | Variant::Assay => "async await match case type",
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn count(language: Language, variant: Variant) -> usize {
        let words = keywords(language, variant);
        let distinct: BTreeSet<&str> = words.iter().copied().collect();
        assert_eq!(words.len(), distinct.len(), "{language}");
        words.len()
    }

    #[test]
    fn lists_have_the_published_lengths() {
        use Language::{C, CSharp, Cpp, Go, Java, JavaScript, Php, Python, Ruby, Rust};
        let published = [
            (Java, 50),
            (Python, 38),
            (CSharp, 107),
            (C, 33),
            (Cpp, 87),
            (JavaScript, 46),
            (Go, 27),
            (Ruby, 41),
            (Php, 65),
            (Rust, 71),
        ];
        for (language, length) in published {
            assert_eq!(count(language, Variant::K4black), length, "{language}");
        }
        assert_eq!(count(Python, Variant::CodeXGlue), 35);
        assert_eq!(count(Python, Variant::Avatar), 33);
        count(Language::TypeScript, Variant::Assay);
    }
}
