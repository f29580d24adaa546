//! `self-test`: the probe must still fail when it must, and only then.

mod cases;
mod server;

use super::args::SelfTestArguments;
use super::{Status, UsageError};

pub(crate) fn self_test(arguments: &SelfTestArguments) -> Result<Status, UsageError> {
    if arguments.server.is_empty() { cases::self_test() } else { server::self_test(arguments) }
}
