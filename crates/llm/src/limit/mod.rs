//! How much may be asked of an endpoint: requests in flight and a minute, waits that it wants, what a run may spend.

pub(crate) mod budget;
pub(crate) mod limiter;
pub(crate) mod open_files;
pub(crate) mod retry_after;
pub(crate) mod window;
