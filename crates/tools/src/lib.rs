//! Tools: sets of them and where they come from, the worlds that answer their calls and prove shortest paths, and live
//! servers behind them.

#[cfg(any(test, feature = "fixtures"))]
pub mod fixtures;
pub mod http;
pub mod live;
pub mod toolset;
pub mod world;
