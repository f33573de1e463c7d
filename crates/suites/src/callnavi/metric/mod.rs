//! CallNavi: a question wants one or several calls of an API, in order, each with its parameters.

pub mod strict;
pub mod upstream;
