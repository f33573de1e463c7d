//! Prints what our scorers say to test vectors, one JSON object on each line.
//!
//!     cargo run --release --example verdicts -- hammerbench DIR SET
//!
//! reads `DIR/hammerbench/`: cases.jsonl, predictions-SET.jsonl, parse-SET.jsonl and compare-SET.jsonl; and of
//! `DIR/callnavi/` whatever is there of questions.jsonl with predictions-SET.jsonl, stability-SET.jsonl, edge-SET.json and
//! edge-yaml.json (SET may also be the name of one of them: `edge-yaml`). Of the file that holds the authors' own verdicts
//! nothing is read; `key` joins a line with it (`id` and `run` do as well).

use fcgen::record::{Object, SuiteId, Value};
use fcgen::suite::verdicts;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [suite, folder, set] = arguments.as_slice() else {
        return complain(
            &format!(
                "usage: verdicts SUITE DIR SET, where SUITE is one of {}",
                SuiteId::ALL.map(SuiteId::as_str).join(", ")
            ),
            2,
        );
    };
    match print(suite, Path::new(folder), set) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => complain(&chain(&*error), 11),
    }
}

fn print(suite: &str, folder: &Path, set: &str) -> Result<(), Box<dyn std::error::Error>> {
    let mut out = BufWriter::new(io::stdout().lock());
    let mut result = Ok(());
    verdicts(fcgen::assets(), suite, folder, set, &mut |line: Object| {
        if result.is_ok() {
            result = writeln!(out, "{}", Value::Object(line));
        }
    })?;
    result?;
    Ok(out.flush()?)
}

fn complain(message: &str, code: u8) -> ExitCode {
    writeln!(io::stderr(), "error: {message}").unwrap_or_default();
    ExitCode::from(code)
}

fn chain(error: &dyn std::error::Error) -> String {
    let cause = error.source().map(|source| format!(": {source}")).unwrap_or_default();
    format!("{error}{cause}")
}
