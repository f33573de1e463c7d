//! The `fcgen` command. What it does is in the library; what it says is in `cli`.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run()
}
