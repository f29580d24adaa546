//! The live tests are listed at compile time from the recordings: a new one must rebuild them.

fn main() {
    println!("cargo::rerun-if-changed=../corpus/recordings");
}
