//! Placeholder until its author has written it.
