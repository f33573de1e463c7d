//! Scorers: machines without files, sockets and clocks. None of them knows which model it looks at.

pub mod extract;
pub mod hammerbench;
pub mod python;
