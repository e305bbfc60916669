//! Spellings of problem names that several tasks share.

/// The number in a name of MultiPL-E: `mbpp_11_remove_Occ` consists of the dataset, the problem's number in it, and
/// the function's name.
pub(crate) fn multipl_e_number<'a>(name: &'a str, dataset: &str) -> Option<&'a str> {
    let (number, function) = name.strip_prefix(dataset)?.strip_prefix('_')?.split_once('_')?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    (is_number && !function.is_empty()).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_found_between_data_set_and_function() {
        for (name, number) in [
            ("mbpp_11_remove_Occ", Some("11")),
            ("mbpp_7_f", Some("7")),
            ("mbpp_11_", None),
            ("mbpp_11", None),
            ("mbpp_11a_f", None),
            ("mbpp__f", None),
            ("mbpp/11_f", None),
            ("HumanEval_11_f", None),
            ("", None),
        ] {
            assert_eq!(multipl_e_number(name, "mbpp"), number, "{name}");
        }
    }
}
