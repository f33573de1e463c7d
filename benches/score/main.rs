//! How fast predictions are scored, beside the time that it takes to read the same lines as JSON.
//!
//!     cargo bench --bench score [SUITE ...] [ITEMS]
//!
//! One thread, and its processor time (the authors' figures are of processor time too), so that other work on the machine
//! does not count.

#![expect(clippy::print_stdout, reason = "figures are what it is for")]

mod bfcl;
mod callnavi;
mod hammerbench;
mod timing;

type Run = fn(usize) -> timing::Fallible<()>;

const SUITES: [(&str, Run); 3] = [("hammerbench", hammerbench::run), ("callnavi", callnavi::run), ("bfcl", bfcl::run)];

fn main() -> timing::Fallible<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let count = words.iter().find_map(|word| word.parse().ok()).unwrap_or(200_000);
    let is_named = |name: &str| words.iter().any(|word| word == name);
    let named = SUITES.iter().any(|(name, _)| is_named(name));
    SUITES.iter().filter(|(name, _)| !named || is_named(name)).try_for_each(|(_, run)| run(count))
}
