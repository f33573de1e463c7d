//! fcgen installed as people install it: `FCGEN_INSTALL=1 cargo test --test it install -- --nocapture`.
//!
//! It builds a release with everything in it and wants Python with a package index, and so is skipped unless it is asked for.

use std::path::Path;
use std::process::{Command, Output};

/// Most bytes of the program.
const MOST: u64 = 25_000_000;

fn must(command: &mut Command) -> Output {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {output:?}");
    output
}

#[test]
fn a_wheel_installs_into_a_clean_environment_and_runs() {
    if std::env::var_os("FCGEN_INSTALL").is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let project = Path::new(env!("CARGO_MANIFEST_DIR"));
    for environment in ["build", "clean"] {
        must(Command::new("python3").args(["-m", "venv", environment]).current_dir(at));
    }
    let build = at.join("build/bin/python");
    must(Command::new(&build).args(["-m", "pip", "install", "-q", "maturin>=1.9,<2"]));
    let wheel = ["-m", "maturin", "build", "--profile", "dist", "--out", at.to_str().unwrap()];
    let target = project.join("target");
    must(Command::new(&build).args(wheel).current_dir(project).env("CARGO_TARGET_DIR", target));
    let wheels = std::fs::read_dir(at).unwrap().map(|entry| entry.unwrap().path());
    let wheel = wheels.into_iter().find(|path| path.extension().is_some_and(|extension| extension == "whl")).unwrap();

    must(Command::new(at.join("clean/bin/python")).args(["-m", "pip", "install", "-q", "--no-index"]).arg(&wheel));
    let program = at.join("clean/bin/fcgen");
    let version = must(Command::new(&program).arg("--version").current_dir(at));
    assert_eq!(String::from_utf8(version.stdout).unwrap().trim(), concat!("fcgen ", env!("CARGO_PKG_VERSION")));
    // What ships with it is inside: nothing of the project lies beside.
    must(Command::new(&program).args(["pipeline", "hammer", "--limit", "2", "--quiet"]).current_dir(at));
    let size = program.metadata().unwrap().len();
    assert!(size < MOST, "the program has {size} bytes");
}

#[test]
fn the_container_installs_what_is_locked_and_holds_the_program_alone() {
    let text = include_str!("../../Containerfile");
    let (build, last) = text.rsplit_once("\nFROM ").unwrap();
    assert!(build.contains("cargo install --locked --profile dist --path . --root /usr/local"));
    let copied: Vec<&str> = last.lines().filter(|line| line.starts_with("COPY")).collect();
    assert_eq!(copied, ["COPY --from=build /usr/local/bin/fcgen /usr/local/bin/fcgen"]);
    assert!(last.contains("ca-certificates"), "the verifier of TLS reads the system's certificates");
}
