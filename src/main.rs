//! fcgen.
fn main() {}
