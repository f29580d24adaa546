//! The scenarios that come with the probe, by name.

macro_rules! built_in {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../scenarios/", $name, ".json")))),*]
    };
}

/// Name and text of each.
pub(super) const ALL: &[(&str, &str)] = built_in![
    "session",
    "stateless-session",
    "close-at-spawn",
    "close-after-burst",
    "close-after-idle",
    "close-after-call",
    "close-stdout",
    "quiet",
    "odd-messages",
    "ping-first",
    "cancel",
    "discover",
    "malformed-line",
    "parallel-calls",
    "slow-reader",
];
