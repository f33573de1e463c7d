//! The `fcgen` command. The work is done by the library; `cli` holds the command line and its messages.

mod cli;

use std::process::ExitCode;

/// Replies are many small allocations that are freed by other threads; the system allocator is slow at that.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    cli::run()
}
