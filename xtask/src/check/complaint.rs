//! One complaint: its code, the place, what is wrong there, and how to mend it.

use std::fmt;

macro_rules! codes {
    ($($code:ident: $meaning:literal),* $(,)?) => {
        /// What kind of complaint it is.
        ///
        /// T1 belongs to the test of the dependency table.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code { $(#[doc = $meaning] $code),* }

        impl Code {
            /// Every code.
            pub const ALL: &'static [Self] = &[$(Self::$code),*];

            /// The code as it is printed.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$code => stringify!($code)),* }
            }
        }
    };
}

codes! {
    R1: "A rule without its row, or without source, quotation or words in it.",
    R2: "A rule without a fixture that shows it, or a fixture without rule or recording.",
    R3: "A rule that no case but a recording shows.",
    R4: "A rule whose absence no case but a recording notices.",
    R5: "A layer without a clean control of its own.",
    C1: "A case that is not filled in, or names what does not exist.",
    C2: "Bytes that are missing, or that no script refers to.",
    C3: "Numbers that do not name one place in the bytes.",
    C4: "An origin that does not fit, or personal data in the bytes of an incident.",
    C5: "Two cases with the same bytes and script.",
    C6: "A synthetic case that no mutant of the detector gets wrong.",
    M1: "A mutant that no case kills, or that the case of its row does not kill as declared.",
    M2: "A mutant that is wrong without its temptation.",
    S1: "A generated file that is missing or not fresh.",
    S2: "A report of no case, or one that waits for a review.",
    T2: "A source file that breaks a house rule.",
    T3: "Nothing found where something must be.",
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Something that is missing or out of place. Sorted by code, then place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Complaint {
    /// The kind.
    pub code: Code,
    /// The id of a case or rule, or a path from the root of the workspace.
    pub place: String,
    /// What is wrong.
    pub text: String,
    /// How to mend it.
    pub mend: String,
}

impl Complaint {
    pub(crate) fn new(
        code: Code,
        place: impl Into<String>,
        text: impl Into<String>,
        mend: impl Into<String>,
    ) -> Self {
        Self { code, place: place.into(), text: text.into(), mend: mend.into() }
    }
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {}; {}", self.code, self.place, self.text, self.mend)
    }
}
