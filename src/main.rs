//! The `fcgen` command. What it does is in the library; what it says is in `cli`.

mod cli;

use std::process::ExitCode;

/// Answers are many small pieces, which other threads let go of than made them; the system's allocator is slow at that.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    cli::run()
}
