//! Judging somebody else's detector by the corpus: each case is played to it, and what it says is
//! held against what a person says must be found.

mod examine;
mod grade;
mod placeholder;
mod profile;
mod selection;
mod sheet;
mod supervise;

pub(crate) use examine::{Examination, NotExamined, examine};
pub(crate) use placeholder::names_the_server;
pub(crate) use profile::{Input, Pattern, Profile, shipped};
pub(crate) use selection::{Wanted, select};
pub(crate) use sheet::{Sheet, SheetFormat};
pub(crate) use supervise::{Supervised, supervise};
