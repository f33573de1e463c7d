//! How the whole pipeline grows: three times as many items should take three times as long, and no more memory.
//!
//!     cargo bench --bench pipeline
//!
//! Times differ from machine to machine, so that ratios are what counts. Each size runs in a process of its own, since
//! the most memory that a process ever used is known for the process alone.

#![expect(clippy::print_stdout, reason = "figures are what it is for")]

use fcgen::config::{Overrides, load};
use fcgen::run::{Live, Options, run};
use std::error::Error;
use std::process::Command;
use std::time::Instant;

/// Tells a process which size it is to run.
const SCALE: &str = "FCGEN_BENCH_SCALE";

type Fallible<T> = Result<T, Box<dyn Error>>;

/// What one size took.
struct Figures {
    seconds: f64,
    items: f64,
    mebibytes: f64,
}

fn main() -> Fallible<()> {
    if let Ok(scale) = std::env::var(SCALE) {
        return run_once(&scale);
    }
    let (one, three) = (measure("1")?, measure("3")?);
    println!("scale  seconds    items  items/s  peak MiB");
    for (scale, it) in [(1, &one), (3, &three)] {
        let rate = it.items / it.seconds;
        println!("{scale:>5}  {:>7.2}  {:>7}  {rate:>7.0}  {:>8.1}", it.seconds, it.items, it.mebibytes);
    }
    let speed = (three.items / three.seconds) / (one.items / one.seconds);
    println!("speed at scale 3 against scale 1:  {speed:.2}");
    println!("memory at scale 3 against scale 1: {:.2}", three.mebibytes / one.mebibytes);
    Ok(())
}

/// Runs one size in another process and reads what it says.
fn measure(scale: &str) -> Fallible<Figures> {
    let output = Command::new(std::env::current_exe()?).env(SCALE, scale).output()?;
    let text = String::from_utf8(output.stdout)?;
    let numbers: Vec<f64> = text.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
    match numbers.as_slice() {
        [seconds, items, mebibytes] => Ok(Figures { seconds: *seconds, items: *items, mebibytes: *mebibytes }),
        _ => Err(format!("a run of scale {scale} said {text:?}: {}", String::from_utf8_lossy(&output.stderr)).into()),
    }
}

fn run_once(scale: &str) -> Fallible<()> {
    let mut overrides = Overrides::default();
    overrides.set(format!("scale={scale}"));
    let text = fcgen::data::read("pipelines/hammer.toml").ok_or("no such pipeline")?;
    let plan = load(&text, "pipelines/hammer.toml", &overrides).map_err(|problems| format!("{problems:?}"))?;
    let folder = std::env::temp_dir().join(format!("fcgen-bench-{}", std::process::id()));
    let began = Instant::now();
    let runtime = tokio::runtime::Runtime::new()?;
    let summary = runtime.block_on(run(&plan, &Options::new(&folder), |_: Live| {}))?;
    let seconds = began.elapsed().as_secs_f64();
    std::fs::remove_dir_all(&folder)?;
    println!("{seconds} {} {}", summary.manifest.samples.values().sum::<usize>(), peak()?);
    Ok(())
}

/// The most memory that this process ever used, in MiB; 0 where the system does not tell.
fn peak() -> Fallible<f64> {
    let Ok(status) = std::fs::read_to_string("/proc/self/status") else { return Ok(0.0) };
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("0 kB");
    Ok(line.trim().trim_end_matches("kB").trim().parse::<f64>()? / 1024.0)
}
