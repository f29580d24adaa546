//! Every mutant is killed as its row says, and wrong nowhere else.

mod killed;
mod matrix;
mod sane;
mod trials;
