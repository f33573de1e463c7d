//! How fast predictions are scored, beside the time that it takes to read the same lines as JSON.
//!
//!     cargo bench --bench score [ITEMS]
//!
//! One thread, and its processor time (the authors' figures are of processor time too), so that other work on the machine
//! does not count.

#![expect(clippy::print_stdout, reason = "figures are what it is for")]

mod bfcl;
mod callnavi;
mod hammerbench;
mod timing;

fn main() -> timing::Fallible<()> {
    let count = std::env::args().find_map(|word| word.parse().ok()).unwrap_or(200_000);
    hammerbench::run(count)?;
    callnavi::run(count)?;
    bfcl::run(count)
}
