//! Columns for Arrow, where the build can write them.

#[cfg(not(feature = "parquet"))]
mod none;
#[cfg(feature = "parquet")]
mod parquet;

#[cfg(not(feature = "parquet"))]
pub(super) use none::Columns;
#[cfg(feature = "parquet")]
pub(super) use parquet::Columns;
