//! Tools behind live servers, over MCP and over HTTP.

mod bench;
mod http_api;
mod mcp;
mod nursery;
