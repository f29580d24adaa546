//! The grade of one answer. Pure: what was seen in, what it is worth out.

use super::profile::Says;

/// What a detector's answer to one case is worth, best first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Grade {
    /// It failed, and named the fault.
    RightReason,
    /// It failed; whether for the right reason was not asked or not seen.
    Caught,
    /// It passed what is valid.
    Passed,
    /// It named the fault, but its exit status says that all is well.
    NamedOnly,
    /// It passed what is broken.
    Missed,
    /// It passed, and its session never came to the fault.
    Unreached,
    /// It failed what is valid.
    FalseAlarm,
    /// It was ended by a signal that nobody sent it.
    Crashed,
    /// It had not answered when its time was up.
    Hung,
    /// A client's own word for what became of its session.
    Outcome(String),
}

impl Grade {
    /// As it stands at the head of a column and in JSON.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::RightReason => "right reason",
            Self::Caught => "caught",
            Self::Passed => "passed",
            Self::NamedOnly => "named only",
            Self::Missed => "missed",
            Self::Unreached => "unreached",
            Self::FalseAlarm => "false alarm",
            Self::Crashed => "crashed",
            Self::Hung => "hung",
            Self::Outcome(word) => word,
        }
    }

    /// Whether nothing better could be asked for. A client's outcome is a fact, not a fault.
    pub(crate) fn is_right(&self) -> bool {
        matches!(self, Self::RightReason | Self::Caught | Self::Passed | Self::Outcome(_))
    }
}

/// What a case asks of a detector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Truth {
    Fault,
    Valid,
}

/// How a detector ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    Code(i32),
    Signal(i32),
    /// It was ended when its time was up.
    TimeUp,
}

/// How far the detector's session with the case came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// The server was never launched, or no server takes part.
    NoServer,
    /// Its session ended before the fault.
    Short,
    /// The fault was shown.
    Fault,
}

/// Whether the detector's output names the fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    Named,
    NotNamed,
}

/// What was seen of one answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seen<'a> {
    pub(crate) ended: Ended,
    pub(crate) reach: Reach,
    pub(crate) reason: Reason,
    /// The last word of a client that says what became of its session.
    pub(crate) outcome: Option<&'a str>,
}

pub(crate) fn grade(truth: Truth, says: Says, seen: &Seen<'_>) -> Grade {
    let code = match seen.ended {
        Ended::TimeUp => return Grade::Hung,
        Ended::Signal(_) => return Grade::Crashed,
        Ended::Code(code) => code,
    };
    if says == Says::Outcome {
        return match (seen.outcome, seen.reach) {
            (_, Reach::Short) if truth == Truth::Fault => Grade::Unreached,
            (Some(word), _) => Grade::Outcome(word.to_owned()),
            (None, _) => Grade::Crashed,
        };
    }
    match (truth, code, seen.reason, seen.reach) {
        (Truth::Valid, 0, _, _) => Grade::Passed,
        (Truth::Valid, _, _, _) => Grade::FalseAlarm,
        (Truth::Fault, 0, Reason::Named, _) => Grade::NamedOnly,
        (Truth::Fault, 0, Reason::NotNamed, Reach::Short) => Grade::Unreached,
        (Truth::Fault, 0, Reason::NotNamed, _) => Grade::Missed,
        (Truth::Fault, _, Reason::Named, _) => Grade::RightReason,
        (Truth::Fault, _, Reason::NotNamed, _) => Grade::Caught,
    }
}

#[cfg(test)]
mod tests {
    use super::{Ended, Grade, Reach, Reason, Says, Seen, Truth, grade};

    fn seen(ended: Ended, reach: Reach, reason: Reason) -> Seen<'static> {
        Seen { ended, reach, reason, outcome: None }
    }

    #[test]
    fn an_answer_is_worth_what_it_says_of_what_was_shown() {
        let fault = |code, reach, reason| {
            grade(Truth::Fault, Says::ExitStatus, &seen(Ended::Code(code), reach, reason))
        };
        assert_eq!(fault(1, Reach::Fault, Reason::Named), Grade::RightReason);
        assert_eq!(fault(1, Reach::Fault, Reason::NotNamed), Grade::Caught);
        assert_eq!(fault(0, Reach::Fault, Reason::Named), Grade::NamedOnly);
        assert_eq!(fault(0, Reach::Fault, Reason::NotNamed), Grade::Missed);
        assert_eq!(fault(0, Reach::NoServer, Reason::NotNamed), Grade::Missed);
        assert_eq!(fault(0, Reach::Short, Reason::NotNamed), Grade::Unreached);
        let valid = |code| {
            let seen = seen(Ended::Code(code), Reach::Fault, Reason::NotNamed);
            grade(Truth::Valid, Says::ExitStatus, &seen)
        };
        assert_eq!(valid(0), Grade::Passed);
        assert_eq!(valid(2), Grade::FalseAlarm);
    }

    #[test]
    fn neither_a_crash_nor_a_hang_is_an_answer() {
        for truth in [Truth::Fault, Truth::Valid] {
            for (ended, worth) in
                [(Ended::Signal(11), Grade::Crashed), (Ended::TimeUp, Grade::Hung)]
            {
                let seen = seen(ended, Reach::Fault, Reason::Named);
                assert_eq!(grade(truth, Says::ExitStatus, &seen), worth);
                assert!(!worth.is_right());
            }
        }
    }

    #[test]
    fn a_client_says_what_became_of_it_or_has_crashed() {
        let client = |outcome, reach| {
            let seen = Seen { ended: Ended::Code(0), reach, reason: Reason::NotNamed, outcome };
            grade(Truth::Fault, Says::Outcome, &seen)
        };
        assert_eq!(client(Some("ignored"), Reach::Fault), Grade::Outcome("ignored".to_owned()));
        assert_eq!(client(Some("ignored"), Reach::Short), Grade::Unreached);
        assert_eq!(client(None, Reach::Fault), Grade::Crashed);
        let seen = Seen {
            ended: Ended::Code(0),
            reach: Reach::Short,
            reason: Reason::NotNamed,
            outcome: Some("silent"),
        };
        let valid = grade(Truth::Valid, Says::Outcome, &seen);
        assert_eq!(valid, Grade::Outcome("silent".to_owned()));
    }
}
