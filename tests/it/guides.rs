//! Every command of README.md and of the guides runs as it stands there, on less.
//!
//! A block marked `sh` goes to a shell, the blocks of one document in one folder, in their order. What stands before the
//! binary makes runs small and sends questions to a server of our own; programs of other people do nothing.

#![cfg(unix)]
use crate::cli::server::Server;
use std::fmt::Write;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Programs that are not ours, and those that this test is a part of.
const OTHERS: [&str; 12] = [
    "pip",
    "npm",
    "docker",
    "vllm",
    "ollama",
    "llama-server",
    "sbatch",
    "kubectl",
    "code",
    "open",
    "trl",
    "llamafactory-cli",
];

/// Makes a pipeline small and lets the built-in model answer behind the server; the rest is handed on as it is.
const FCGEN: &str = r#"#!/bin/sh
verb="$1"
case " $* " in
  *" --base-url "*) case "$verb" in
    pipeline|localize) set -- "$@" --set model.generator.send_task=true --set model.generator.backoff=1ms;;
    predict) set -- "$@" --set send_task=true;;
  esac;;
esac
case "$verb: $* " in
  pipeline*" --limit "*|pipeline*" --preview "*|pipeline*" --check "*) ;;
  pipeline*) set -- "$@" --limit 3;;
  merge*" --limit "*) ;;
  merge*) set -- "$@" --limit 3;;
esac
exec "$FCGEN_BINARY" "$@"
"#;

/// `cargo run` is the binary; whoever tests or installs has done so.
const CARGO: &str = r#"#!/bin/sh
while [ $# -gt 0 ] && [ "$1" != "--" ]; do shift; done
[ $# -gt 0 ] || exit 0
shift
exec fcgen "$@"
"#;

fn documents() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let guides = fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<_> = guides.filter(|path| path.extension().is_some_and(|it| it == "md")).collect();
    paths.push(root.join("README.md"));
    paths.sort();
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    paths.iter().map(|path| (name(path), fs::read_to_string(path).unwrap())).collect()
}

/// The blocks of a kind.
fn blocks<'a>(text: &'a str, kind: &str) -> Vec<&'a str> {
    let opening = format!("```{kind}\n");
    let block = |after: &'a str| after.split("```").next().unwrap_or_default();
    text.split(opening.as_str()).skip(1).map(block).collect()
}

/// A folder of programs that come before all others.
fn programs(folder: &Path) {
    fs::create_dir(folder).unwrap();
    let nothing = OTHERS.iter().map(|name| (*name, "#!/bin/sh\nexit 0\n"));
    for (name, script) in [("fcgen", FCGEN), ("cargo", CARGO)].into_iter().chain(nothing) {
        let path = folder.join(name);
        fs::write(&path, script).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
}

/// What went wrong with a document's commands.
fn faults(name: &str, text: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let (bin, work) = (folder.path().join("bin"), folder.path().join("work"));
    programs(&bin);
    fs::create_dir(&work).unwrap();
    for (file, content) in files(text) {
        fs::create_dir_all(work.join(&file).parent().unwrap()).unwrap();
        fs::write(work.join(file), content).unwrap();
    }
    let (server, _) = Server::builtin(0, Duration::ZERO);
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let mut faults = String::new();
    for block in blocks(text, "sh") {
        let script = block.replace("http://localhost:8000/v1", &server.stub.base_url());
        let mut shell = Command::new("sh");
        shell.args(["-eu", "-c", &script]).current_dir(&work).env("PATH", &path);
        shell.env("FCGEN_BINARY", env!("CARGO_BIN_EXE_fcgen")).env_remove("OPENAI_API_KEY");
        let output = shell.output().unwrap();
        if !output.status.success() {
            let told = String::from_utf8_lossy(&output.stderr);
            write!(faults, "{name}: {}\n{block}{told}\n", output.status).unwrap();
        }
    }
    faults
}

/// The files that a document shows: a block whose line before it ends in the name, as in "`tools.json`:".
fn files(text: &str) -> Vec<(String, &str)> {
    let mut files = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("`:\n```") {
        let name = before.rsplit('`').next().unwrap_or_default();
        let (content, behind) = after.split_once("```").unwrap_or((after, ""));
        if let Some((kind, content)) = content.split_once('\n') {
            if kind != "sh" && !name.contains(' ') {
                files.push((name.to_owned(), content));
            }
        }
        rest = behind;
    }
    files
}

#[test]
fn every_command_of_readme_and_guides_runs() {
    let documents = documents();
    let faults: Vec<String> = std::thread::scope(|scope| {
        let at_work: Vec<_> = documents.iter().map(|(name, text)| scope.spawn(|| faults(name, text))).collect();
        at_work.into_iter().map(|work| work.join().unwrap()).collect()
    });
    assert_eq!(faults.concat(), "");
}

#[test]
fn a_command_that_does_not_exist_is_found() {
    assert!(faults("a", "```sh\nfcgen pipelines hammer\n```\n").contains("unrecognized subcommand"));
    assert!(faults("b", "```sh\nfgcen pipeline hammer\n```\n").contains("fgcen"));
}

#[test]
fn files_that_are_shown_are_there() {
    let text = "Put this into `a/tools.json`:\n```json\n[]\n```\nand\n```sh\ntest -f a/tools.json\n```\n";
    assert_eq!(faults("c", text), "");
}
