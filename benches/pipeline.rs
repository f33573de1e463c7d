//! How the whole pipeline grows: ten times as many items should take ten times as long, and no more memory.
//!
//!     cargo bench --bench pipeline                    scale 1 and 3: 22,000 and 68,000 samples
//!     cargo bench --bench pipeline -- 4.5 47          100,000 and 1,000,000 samples; 11 GB of room for temporary files
//!     cargo bench --bench pipeline -- --shards 8 1    one process, and 8 shards merged: are they the same bytes?
//!
//! Times differ from machine to machine, so that ratios are what counts; processor time is that of all threads. Each size
//! runs in a process of its own, since the most memory that a process ever used is known for the process alone.

#![expect(clippy::print_stdout, reason = "figures are what it is for")]

use fcgen::config::{Overrides, Plan, load};
use fcgen::run::{Live, Options, Summary, merge, run};
use std::error::Error;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// Tells a process what it is to run: a scale, and in how many shards.
const SIZE: &str = "FCGEN_BENCH_SIZE";

type Fallible<T> = Result<T, Box<dyn Error>>;

/// What one size took.
struct Figures {
    samples: f64,
    near_duplicates: f64,
    seconds: f64,
    processor: f64,
    mebibytes: f64,
    megabytes: f64,
    /// Hash of the files that two equal runs have in common.
    bytes: String,
}

fn main() -> Fallible<()> {
    if let Ok(size) = std::env::var(SIZE) {
        return run_once(&size);
    }
    // Cargo adds `--bench`.
    let mut words = std::env::args().skip(1).filter(|word| word != "--bench").peekable();
    let shards = words.next_if(|word| word == "--shards").and_then(|_| words.next());
    let mut scales: Vec<String> = words.collect();
    if scales.is_empty() {
        scales = vec!["1".to_owned(), "3".to_owned()];
    }
    println!(
        "scale         samples  near-duplicates  seconds  processor  ms/sample  peak MiB  run.db MB  bytes/sample"
    );
    let all = scales.iter().map(|scale| measure(scale, "1")).collect::<Fallible<Vec<_>>>()?;
    if let ([first, .., last], [from, .., to]) = (all.as_slice(), scales.as_slice()) {
        println!("processor time of a sample at scale {to} against scale {from}: {:.2}", last.time() / first.time());
        println!("memory at scale {to} against scale {from}: {:.2}", last.mebibytes / first.mebibytes);
    }
    if let (Some(shards), Some(scale), Some(whole)) = (shards, scales.last(), all.last()) {
        let same = measure(scale, &shards)?.bytes == whole.bytes;
        println!("{shards} shards merged and one process: {}the same bytes", if same { "" } else { "NOT " });
    }
    Ok(())
}

impl Figures {
    /// Milliseconds of all processors for one sample.
    fn time(&self) -> f64 {
        1000.0 * self.processor / self.samples
    }

    fn show(&self, name: &str) {
        println!(
            "{name:<12}  {:>7}  {:>15}  {:>7.1}  {:>9.1}  {:>9.3}  {:>8.1}  {:>9.1}  {:>12.0}",
            self.samples,
            self.near_duplicates,
            self.seconds,
            self.processor,
            self.time(),
            self.mebibytes,
            self.megabytes,
            1e6 * self.megabytes / self.samples,
        );
    }
}

/// Runs one size in another process and reads what it says.
fn measure(scale: &str, shards: &str) -> Fallible<Figures> {
    let output = Command::new(std::env::current_exe()?).env(SIZE, format!("{scale} {shards}")).output()?;
    let text = String::from_utf8(output.stdout)?;
    let said = || format!("a run of scale {scale} said {text:?}: {}", String::from_utf8_lossy(&output.stderr));
    let (numbers, bytes) = text.trim().rsplit_once(' ').ok_or_else(said)?;
    let numbers: Vec<f64> = numbers.split(' ').map(str::parse).collect::<Result<_, _>>()?;
    let &[samples, near_duplicates, seconds, processor, mebibytes, megabytes] = numbers.as_slice() else {
        return Err(said().into());
    };
    let bytes = bytes.to_owned();
    let figures = Figures { samples, near_duplicates, seconds, processor, mebibytes, megabytes, bytes };
    figures.show(&if shards == "1" { scale.to_owned() } else { format!("{scale} in {shards}") });
    Ok(figures)
}

#[expect(clippy::cast_precision_loss, reason = "sizes are far below 2^52")]
fn run_once(size: &str) -> Fallible<()> {
    let (scale, shards) = size.split_once(' ').ok_or("a size is a scale and a number of shards")?;
    let mut overrides = Overrides::default();
    overrides.set(format!("scale={scale}"));
    let text = fcgen::assets().read("pipelines/hammer.toml").ok_or("no such pipeline")?;
    let plan = load(fcgen::assets(), &text, "pipelines/hammer.toml", &overrides)
        .map_err(|problems| format!("{problems:?}"))?;
    let folder = std::env::temp_dir().join(format!("fcgen-bench-{}", std::process::id()));
    std::fs::create_dir(&folder)?;
    let began = Instant::now();
    let made = make(&plan, &folder, shards.parse()?)?;
    let seconds = began.elapsed().as_secs_f64();
    let (processor, peak) = (processor()?, peak()?);
    let megabytes = std::fs::metadata(made.folder.join("run.db"))?.len() as f64 / 1e6;
    let bytes = hash(&made.folder)?;
    std::fs::remove_dir_all(&folder)?;
    let samples: usize = made.manifest.samples.values().sum();
    let alike = made.manifest.rejects.get("near_duplicate").unwrap_or(&0);
    println!("{samples} {alike} {seconds} {processor} {peak} {megabytes} {bytes}");
    Ok(())
}

/// Runs the plan as a whole, or shard by shard and merges them.
fn make(plan: &Plan, folder: &Path, shards: usize) -> Fallible<Summary> {
    let runtime = tokio::runtime::Runtime::new()?;
    let run = |options: &Options| runtime.block_on(run(plan, options, |_: Live| {}));
    if shards < 2 {
        return Ok(run(&Options::new(folder.join("whole")))?);
    }
    let parts: Vec<PathBuf> = (0..shards).map(|part| folder.join(part.to_string())).collect();
    for (part, out) in parts.iter().enumerate() {
        run(&Options { shard: Some((part, shards)), ..Options::new(out) })?;
    }
    Ok(merge(plan, &parts, &Options::new(folder.join("merged")))?)
}

/// The most memory that this process ever used, in MiB; 0 where the system does not tell.
fn peak() -> Fallible<f64> {
    let Ok(status) = std::fs::read_to_string("/proc/self/status") else { return Ok(0.0) };
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("0 kB");
    Ok(line.trim().trim_end_matches("kB").trim().parse::<f64>()? / 1024.0)
}

/// Seconds that processors worked for this process, in the system as well; 0 where the system does not tell.
fn processor() -> Fallible<f64> {
    let Ok(status) = std::fs::read_to_string("/proc/self/stat") else { return Ok(0.0) };
    // Behind the program's name, which may hold anything, come the third field and the others.
    let (_, fields) = status.rsplit_once(')').ok_or("no such process")?;
    let ticks: Vec<f64> = fields.split_whitespace().skip(11).take(2).map(str::parse).collect::<Result<_, _>>()?;
    Ok(ticks.iter().sum::<f64>() / 100.0)
}

/// One hash of all files of a run but those that tell of times.
fn hash(folder: &Path) -> Fallible<String> {
    let mut files = Vec::new();
    gather(folder, &mut files)?;
    files.sort();
    let mut hasher = blake3::Hasher::new();
    for path in &files {
        let name = path.strip_prefix(folder)?.to_string_lossy();
        if name != "manifest.json" && !name.starts_with("run.db") {
            hasher.update(name.as_bytes()).update_reader(File::open(path)?)?;
        }
    }
    Ok(hasher.finalize().to_hex().to_string())
}

fn gather(folder: &Path, files: &mut Vec<PathBuf>) -> Fallible<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            gather(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}
