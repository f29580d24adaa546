//! Every operator on clean transcripts gives exactly the finding that it promises.

mod exhaustive;
mod random;
mod support;
