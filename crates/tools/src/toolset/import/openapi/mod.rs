//! APIs that are described by `OpenAPI`.

pub(super) mod body;
pub(super) mod document;
pub(super) mod operation;
pub(super) mod read;
pub(super) mod reference;
pub(super) mod schema;
pub(super) mod server;
pub(super) mod typed;
pub(super) mod union;
pub(super) mod values;
pub(super) mod yaml;
