//! HammerBench: every user turn of a conversation closes a snapshot, and each snapshot wants one call.

pub mod strict;
pub mod upstream;
