//! The real binary, as people meet it: what it prints, how it ends, what it leaves behind.

#![expect(clippy::unwrap_used, reason = "a test stops at whatever it did not expect")]

#[path = "cli/batches.rs"]
mod batches;
#[path = "cli/bench.rs"]
mod bench;
#[path = "cli/callnavi.rs"]
mod callnavi;
#[path = "cli/check.rs"]
mod check;
#[path = "cli/complexfunc.rs"]
mod complexfunc;
#[path = "cli/endpoint.rs"]
mod endpoint;
#[path = "cli/faults.rs"]
mod faults;
#[path = "cli/functionchat.rs"]
mod functionchat;
#[cfg(unix)]
#[path = "cli/interrupts.rs"]
mod interrupts;
#[path = "cli/keys.rs"]
mod keys;
#[path = "cli/leaks.rs"]
mod leaks;
#[path = "cli/localize.rs"]
mod localize;
#[path = "cli/reach.rs"]
mod reach;
#[path = "cli/scoring.rs"]
mod scoring;
#[path = "cli/scoring_callnavi.rs"]
mod scoring_callnavi;
#[path = "cli/scoring_complexfunc.rs"]
mod scoring_complexfunc;
#[path = "cli/scoring_confetti.rs"]
mod scoring_confetti;
#[path = "cli/scoring_functionchat.rs"]
mod scoring_functionchat;
#[path = "cli/screens.rs"]
mod screens;
#[path = "cli/server.rs"]
mod server;
#[path = "cli/standing.rs"]
mod standing;
#[path = "cli/tls.rs"]
mod tls;
#[path = "cli/toolset_enrich.rs"]
mod toolset_enrich;
#[path = "cli/toolset_import.rs"]
mod toolset_import;
#[path = "cli/whole.rs"]
mod whole;
