//! Golden reports and tables. Everything here is made by replay, a pure function of files in the
//! repository, so that nothing needs to be masked. `cargo xtask regen` writes it.
