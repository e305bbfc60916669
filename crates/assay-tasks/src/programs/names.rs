//! Spellings of problem names that several tasks share.

use assay_core::Language;

/// The number in a name as the field spells it: `mbpp_11_remove_Occ` (MultiPL-E), `Mbpp_11` (EvalPlus's folders),
/// `Mbpp/11` and `mbpp-11` consist of the dataset's name, in any case, and the problem's number in it.
pub(crate) fn problem_number<'a>(name: &'a str, dataset: &str) -> Option<&'a str> {
    let prefix = name.get(..dataset.len())?;
    let rest = &name[dataset.len()..];
    let number = match rest.strip_prefix('_').and_then(|rest| rest.split_once('_')) {
        Some((number, function)) if !function.is_empty() => number,
        _ => rest.strip_prefix(['/', '_', '-'])?,
    };
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    (is_number && prefix.eq_ignore_ascii_case(dataset)).then_some(number)
}

/// Returns true if a name says that its program is in another language: `Java/0` among Python's.
pub(crate) fn in_another_language(name: &str, language: Language) -> bool {
    let prefix = name.rsplit_once('/').and_then(|(before, _)| before.rsplit('/').next());
    prefix.and_then(Language::by_name).is_some_and(|named| named != language)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_found_after_the_dataset() {
        for (name, number) in [
            ("mbpp_11_remove_Occ", Some("11")),
            ("mbpp_7_f", Some("7")),
            ("Mbpp_11", Some("11")),
            ("MBPP/11", Some("11")),
            ("mbpp-11", Some("11")),
            ("mbpp_11_", None),
            ("mbpp_11a_f", None),
            ("mbpp__f", None),
            ("mbpp11", None),
            ("mbpp/11_f", None),
            ("HumanEval_11_f", None),
            ("mbp", None),
            ("mbp\u{f6}_1", None),
            ("", None),
        ] {
            assert_eq!(problem_number(name, "mbpp"), number, "{name}");
        }
    }

    #[test]
    fn names_of_other_languages_are_told_apart() {
        for (name, other) in [
            ("Java/0", true),
            ("humanevalx/CPP/0", true),
            ("Python/0", false),
            ("HumanEval/0", false),
            ("0", false),
        ] {
            assert_eq!(in_another_language(name, Language::Python), other, "{name}");
        }
    }
}
