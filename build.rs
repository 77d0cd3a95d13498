//! Build-time facts for the program.

fn main() {}
