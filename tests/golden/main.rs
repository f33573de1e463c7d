//! The bytes that fcgen writes with its built-in model, as hashes: whoever changes them has to say so.
//!
//!     cargo test --test golden                  compare with tests/golden/manifest.txt
//!     cargo test --test golden -- --renew       write it anew, and print what changed
//!     cargo test --test golden -- hammer-ko     the groups whose names hold this word
//!
//! A group is a pipeline in a locale; its products are files that the commands of `groups.rs` leave. The texts behind the
//! hashes are kept below `target/`, so that a difference can be shown where an earlier run of this test has made them.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test prints what it compared, and stops at whatever it did not expect"
)]

mod compare;
mod groups;
mod server;
#[path = "../it/coarse/serving.rs"]
mod serving;

use compare::{Kept, Manifest};
use groups::{GROUPS, Group, Products};
use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let renew = arguments.iter().any(|it| it == "--renew");
    if arguments.iter().any(|it| it == "--list") {
        for group in GROUPS {
            println!("{}: test", group.name);
        }
        return ExitCode::SUCCESS;
    }
    // `cargo test golden` names the program, as others are named by their tests.
    let words: Vec<&String> = arguments.iter().filter(|it| !it.starts_with('-') && *it != "golden").collect();
    let wanted = |group: &&Group| words.is_empty() || words.iter().any(|word| group.name.contains(word.as_str()));
    let groups: Vec<&Group> = GROUPS.iter().filter(wanted).collect();

    let (manifest, kept) = (Manifest::read(), Kept::open());
    let made = make(&groups, &kept);
    let mut failed = 0;
    let mut renewed = manifest.clone();
    for (name, products) in &made {
        let differences = manifest.differences(name, products, &kept);
        failed += usize::from(!differences.is_empty());
        println!("golden {name} ... {}", if differences.is_empty() { "ok" } else { "changed" });
        print!("{differences}");
        renewed.put(name, products);
    }
    if renew {
        renewed.write();
        println!("\nrenewed: {failed} groups changed, {} did not", made.len() - failed);
        return ExitCode::SUCCESS;
    }
    kept.prune(&manifest);
    if failed > 0 {
        println!("\nIf this is what the change is for: cargo test --test golden -- --renew");
    }
    let verdict = if failed == 0 { "ok" } else { "FAILED" };
    println!(
        "\ntest result: {verdict}. {} passed; {failed} failed; 0 ignored; 0 measured; 0 filtered out",
        made.len() - failed
    );
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Makes the products of each group, as many groups at a time as there are cores.
fn make(groups: &[&Group], kept: &Kept) -> BTreeMap<&'static str, Products> {
    let (next, made) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(group) = groups.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Some(products) = group.make(kept) {
                        made.lock().unwrap().insert(group.name, products);
                    } else {
                        println!("golden {} ... skipped: its vectors are not beside the repository", group.name);
                    }
                }
            });
        }
    });
    made.into_inner().unwrap()
}
