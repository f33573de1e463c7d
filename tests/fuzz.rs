//! Foreign text never panics: every reader of what others wrote is given inputs by the thousand, and by the million where
//! `FCGEN_FUZZ=1000000 cargo test --release --test fuzz -- --nocapture --test-threads 2` asks for it.
//!
//! Inputs grow from real ones and from grammars. No input may panic or overflow a worker's stack, what is read must hold
//! its invariants, and nothing may take more than its length. Time is told by the long run and asserted by none.

#![expect(clippy::print_stdout, reason = "the long run tells its figures")]
#![expect(clippy::unwrap_used, reason = "a test stops at whatever it did not expect")]

#[path = "fuzz/chance.rs"]
mod chance;
#[path = "fuzz/drive.rs"]
mod drive;
#[path = "fuzz/ladder.rs"]
mod ladder;
#[path = "fuzz/mutate.rs"]
mod mutate;
#[path = "fuzz/odd.rs"]
mod odd;
#[path = "fuzz/targets/mod.rs"]
mod targets;
#[path = "fuzz/write.rs"]
mod write;
