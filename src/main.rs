//! `bench`: arguments in, exit code out; nothing else.

use std::process::ExitCode;

fn main() -> ExitCode {
    plybench::cli::main()
}
