//! Every operator on clean transcripts gives exactly the finding that it promises.

mod exhaustive;
mod live;
mod random;
mod support;
