//! Names of cases: permanent, a prefix for the family, a serial number, a slug.

use corpus::Family;

/// The name of a case: `inc-0007-dotenv-tip-line`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct CaseName<'a> {
    pub(crate) prefix: &'a str,
    pub(crate) serial: u32,
    pub(crate) slug: &'a str,
}

impl<'a> CaseName<'a> {
    /// None for a name of another form.
    pub(crate) fn parse(id: &'a str) -> Option<Self> {
        let (prefix, rest) = id.split_once('-')?;
        let (serial, slug) = rest.split_once('-')?;
        let four_digits = serial.len() == 4 && serial.bytes().all(|byte| byte.is_ascii_digit());
        let serial = serial.parse().ok().filter(|_| four_digits)?;
        (!slug.is_empty()).then_some(Self { prefix, serial, slug })
    }
}

/// What the names of a family begin with. None where a case is named like its fixture.
pub(crate) fn prefix(family: Family) -> Option<&'static str> {
    match family {
        Family::Incidents => Some("inc"),
        Family::Synthetic => Some("syn"),
        Family::Controls => Some("ctl"),
        Family::Recordings => None,
    }
}

/// The slug of a case's name; the whole name where it has no serial number.
pub(crate) fn slug(id: &str) -> &str {
    CaseName::parse(id).map_or(id, |name| name.slug)
}

/// Whether a name is made of lower-case words and numbers, joined by single hyphens, and begins
/// with a letter.
pub(crate) fn is_kebab_case(name: &str) -> bool {
    let word = |word: &str| {
        !word.is_empty()
            && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    name.starts_with(|first: char| first.is_ascii_lowercase()) && name.split('-').all(word)
}

#[cfg(test)]
mod tests {
    use super::{CaseName, is_kebab_case, slug};

    #[test]
    fn a_name_has_a_prefix_a_serial_of_four_digits_and_a_slug() {
        let name = CaseName::parse("inc-0007-tip-line");
        assert_eq!(name, Some(CaseName { prefix: "inc", serial: 7, slug: "tip-line" }));
        for other in ["startup-banner", "inc-7-tip", "inc-+007-tip", "inc-0007", "inc-0007-"] {
            assert_eq!(CaseName::parse(other), None, "{other}");
        }
        assert_eq!(slug("startup-banner"), "startup-banner");
    }

    #[test]
    fn kebab_case_is_lower_case_words_joined_by_hyphens() {
        for name in ["tip", "tip-line", "utf-16-line2"] {
            assert!(is_kebab_case(name), "{name}");
        }
        for name in ["", "Tip", "tip_line", "tip--line", "-tip", "tip-", "2-tips", "tip/line"] {
            assert!(!is_kebab_case(name), "{name}");
        }
    }
}
