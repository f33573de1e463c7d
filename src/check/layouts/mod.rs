//! The authors' files as streams of samples, with the places where they stand.

pub(crate) mod authors;
pub(crate) mod chats;
pub(crate) mod domains;
pub(crate) mod rows;
