//! Corruption operators: each spoils a clean transcript in one way and says what a detector must
//! find in it.
//!
//! Pure. A promise is reasoned from the specification and from the operator's own edit. This
//! library does not use the detector and shares no code with it, so that neither can repeat the
//! other's mistake.
//!
//! ```
//! use mutate::{Operator, Place, Session, View};
//!
//! let clean = Session::default().transcript();
//! let view = View::of(&clean);
//! let operator = Operator::all().find(|operator| operator.name == "insert-banner").unwrap();
//! let spoiled = operator.near(&view, Place { frame: 1, spot: 0 }).unwrap().apply(&clean);
//! let promised = spoiled.violation.unwrap();
//! assert_eq!(promised.rule, model::RuleId::InvalidJson);
//! assert_eq!(promised.position.frame(), Some(model::FrameNo(2)));
//! ```

mod draft;
mod edit;
mod json;
mod live;
mod operator;
mod operators;
mod promise;
mod session;
mod transcript;
mod view;

pub use live::{Aim, Moment, Patience, Strike, Then};
pub use operator::{Operator, Place};
pub use promise::{Corrupted, Corruption, Promise, PromisedAdvice, Tail};
pub use session::{Aside, Layout, ReplyOrder, Session, Spacing, Spelling};
pub use transcript::{Terms, Transcript};
pub use view::View;
