//! The client side's messages of one session: step by step, each with a constant id.
//!
//! Ids are constant so that a recording can be compared byte for byte. None is 0 or 1, which
//! servers use by chance, and both JSON types occur.

use std::fmt;
use std::str::FromStr;

use crate::ids::RawId;
use crate::phase::Phase;

/// The name of the method that no server knows.
pub const UNKNOWN_METHOD: &str = "mcp-stdio-probe/unknown";

/// The notification that says that a `subscriptions/listen` request is in force.
pub const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";

const BEFORE_FIRST_CALL_ID: u32 = 41;
const UNKNOWN_METHOD_ID: u32 = 71;

/// A list of things that a server offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum List {
    /// `tools/list`.
    Tools,
    /// `prompts/list`.
    Prompts,
    /// `resources/list`.
    Resources,
    /// `resources/templates/list`.
    ResourceTemplates,
}

impl List {
    /// Every list, in the order in which they are asked for.
    pub const ALL: [Self; 4] =
        [Self::Tools, Self::Prompts, Self::Resources, Self::ResourceTemplates];

    /// The method.
    #[must_use]
    pub fn method(self) -> &'static str {
        match self {
            Self::Tools => "tools/list",
            Self::Prompts => "prompts/list",
            Self::Resources => "resources/list",
            Self::ResourceTemplates => "resources/templates/list",
        }
    }

    /// The server capability under which the list is offered.
    #[must_use]
    pub fn capability(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Prompts => "prompts",
            Self::Resources | Self::ResourceTemplates => "resources",
        }
    }

    fn number(self) -> u32 {
        match self {
            Self::Tools => 3,
            Self::Prompts => 4,
            Self::Resources => 5,
            Self::ResourceTemplates => 6,
        }
    }
}

/// A message of the client side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PlanStep {
    /// The request `initialize`.
    Initialize,
    /// The request `server/discover`, where there is no handshake.
    Discover,
    /// The notification `notifications/initialized`.
    Initialized,
    /// A page of a list.
    List {
        /// The list.
        list: List,
        /// The page, from 1.
        page: u32,
    },
    /// A call of a tool.
    Call {
        /// Which of the calls, from 1.
        number: u32,
    },
    /// The request for a method that no server knows.
    UnknownMethod,
    /// The request `subscriptions/listen`, which stays open.
    Listen,
}

impl PlanStep {
    /// The id; None for a notification.
    #[must_use]
    pub fn id(self) -> Option<RawId> {
        match self {
            Self::Initialize => Some(RawId::integer(31)),
            Self::Discover => Some(RawId::integer(32)),
            Self::Initialized => None,
            Self::List { list, page: 1 } => Some(RawId::new(format!("\"list-{}\"", list.number()))),
            Self::List { list, page } => {
                Some(RawId::new(format!("\"list-{}.{page}\"", list.number())))
            }
            Self::Call { number } => {
                // The one number in the row that another step has is left out.
                let id = BEFORE_FIRST_CALL_ID + number;
                let passed = u32::from(id >= UNKNOWN_METHOD_ID);
                Some(RawId::integer(i64::from(id + passed)))
            }
            Self::UnknownMethod => Some(RawId::integer(i64::from(UNKNOWN_METHOD_ID))),
            Self::Listen => Some(RawId::new("\"listen-7\"")),
        }
    }

    /// The step that sends this request, if one does.
    #[must_use]
    pub fn of_request(id: &RawId, method: &str) -> Option<Self> {
        let number = |text: &str| text.parse::<u32>().ok();
        let step = match method {
            "initialize" => Self::Initialize,
            "server/discover" => Self::Discover,
            "subscriptions/listen" => Self::Listen,
            "tools/call" => {
                let id = number(id.as_str())?;
                let passed = u32::from(id > UNKNOWN_METHOD_ID);
                Self::Call { number: id.checked_sub(BEFORE_FIRST_CALL_ID + passed)? }
            }
            UNKNOWN_METHOD => Self::UnknownMethod,
            _ => {
                let list = List::ALL.into_iter().find(|list| list.method() == method)?;
                let page = match id.as_str().trim_matches('"').split_once('.') {
                    Some((_, page)) => number(page)?,
                    None => 1,
                };
                Self::List { list, page }
            }
        };
        (step.id().as_ref() == Some(id)).then_some(step)
    }

    /// The method.
    #[must_use]
    pub fn method(self) -> &'static str {
        match self {
            Self::Initialize => "initialize",
            Self::Discover => "server/discover",
            Self::Initialized => "notifications/initialized",
            Self::List { list, .. } => list.method(),
            Self::Call { .. } => "tools/call",
            Self::UnknownMethod => UNKNOWN_METHOD,
            Self::Listen => "subscriptions/listen",
        }
    }

    /// The phase that begins with the step.
    #[must_use]
    pub fn phase(self) -> Phase {
        match self {
            Self::Initialize | Self::Discover => Phase::Startup,
            Self::Initialized => Phase::Handshake,
            Self::List { .. } => Phase::Discovery,
            Self::Call { .. } | Self::UnknownMethod | Self::Listen => Phase::Call,
        }
    }
}

impl fmt::Display for PlanStep {
    /// The name used in cases: `initialize`, `tools/list#2`, `call#1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Initialize => f.write_str("initialize"),
            Self::Discover => f.write_str("discover"),
            Self::Initialized => f.write_str("initialized"),
            Self::List { list, page: 1 } => f.write_str(list.method()),
            Self::List { list, page } => write!(f, "{}#{page}", list.method()),
            Self::Call { number } => write!(f, "call#{number}"),
            Self::UnknownMethod => f.write_str("unknown-method"),
            Self::Listen => f.write_str("listen"),
        }
    }
}

impl FromStr for PlanStep {
    type Err = ();

    /// Parses the name used in cases.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (name, number) = match text.split_once('#') {
            Some((name, number)) => (name, number.parse::<u32>().map_err(|_| ())?),
            None => (text, 1),
        };
        match name {
            "initialize" => Ok(Self::Initialize),
            "discover" => Ok(Self::Discover),
            "listen" => Ok(Self::Listen),
            "initialized" => Ok(Self::Initialized),
            "call" => Ok(Self::Call { number }),
            "unknown-method" => Ok(Self::UnknownMethod),
            _ => List::ALL
                .into_iter()
                .find(|list| list.method() == name)
                .map(|list| Self::List { list, page: number })
                .ok_or(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{List, PlanStep};
    use crate::ids::RawId;

    /// The bytes of every recorded case hold these ids.
    #[test]
    fn ids_and_methods_are_those_of_the_plan() {
        let lists = [
            (List::Tools, "tools/list", "tools", r#""list-3""#),
            (List::Prompts, "prompts/list", "prompts", r#""list-4""#),
            (List::Resources, "resources/list", "resources", r#""list-5""#),
            (List::ResourceTemplates, "resources/templates/list", "resources", r#""list-6""#),
        ];
        assert_eq!(List::ALL, lists.map(|(list, ..)| list));
        for (list, method, capability, id) in lists {
            let step = PlanStep::List { list, page: 1 };
            assert_eq!((list.method(), list.capability()), (method, capability));
            assert_eq!((step.id(), step.method()), (Some(RawId::new(id)), method));
        }
        let second = PlanStep::List { list: List::Prompts, page: 2 };
        assert_eq!(second.id(), Some(RawId::new(r#""list-4.2""#)));
        for (step, id, method) in [
            (PlanStep::Initialize, Some(31), "initialize"),
            (PlanStep::Initialized, None, "notifications/initialized"),
            (PlanStep::Call { number: 1 }, Some(42), "tools/call"),
            (PlanStep::Call { number: 29 }, Some(70), "tools/call"),
            (PlanStep::Call { number: 30 }, Some(72), "tools/call"),
        ] {
            assert_eq!((step.id(), step.method()), (id.map(RawId::integer), method));
        }
        assert_eq!(PlanStep::UnknownMethod.id(), Some(RawId::integer(71)));
    }

    #[test]
    fn what_no_step_sends_is_no_step() {
        for (id, method) in [
            ("32", "initialize"),
            ("71", "tools/call"),
            ("0", "tools/call"),
            (r#""list-3""#, "prompts/list"),
            (r#""list-3.x""#, "tools/list"),
            (r#""list-3""#, "tools/call"),
            ("31", "no/such/method"),
        ] {
            assert_eq!(PlanStep::of_request(&RawId::new(id), method), None, "{id} {method}");
        }
        for name in ["", "start", "call#", "call#x", "tools/list#", "tools"] {
            assert!(name.parse::<PlanStep>().is_err(), "{name}");
        }
    }

    #[test]
    fn names_parse_back_and_ids_are_distinct() {
        let mut steps = vec![
            PlanStep::Initialize,
            PlanStep::Initialized,
            PlanStep::List { list: List::Tools, page: 1 },
            PlanStep::List { list: List::Tools, page: 2 },
            PlanStep::List { list: List::ResourceTemplates, page: 12 },
            PlanStep::UnknownMethod,
            PlanStep::Discover,
            PlanStep::Listen,
        ];
        steps.extend((1..100).map(|number| PlanStep::Call { number }));
        let ids: std::collections::BTreeSet<_> =
            steps.iter().filter_map(|step| step.id()).collect();
        assert_eq!(ids.len(), steps.len() - 1);
        for step in steps {
            assert_eq!(step.to_string().parse(), Ok(step));
            if let Some(id) = step.id() {
                assert_eq!(PlanStep::of_request(&id, step.method()), Some(step));
            }
        }
    }
}
