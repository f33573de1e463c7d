//! Processor time, memory, and files line by line.

use std::error::Error;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::time::Instant;

pub(crate) type Fallible<T> = Result<T, Box<dyn Error>>;

/// Items a second of processor time: the best of five times.
pub(crate) fn timed(count: usize, work: impl Fn() -> Fallible<f64>) -> Fallible<f64> {
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let (wall, began) = (Instant::now(), processor_seconds()?);
        std::hint::black_box(work()?);
        let used = began.zip(processor_seconds()?).map(|(began, ended)| ended - began);
        best = best.min(used.unwrap_or_else(|| wall.elapsed().as_secs_f64()));
    }
    Ok(f64::from(u32::try_from(count)?) / best)
}

/// Processor time of this thread so far, in seconds; nothing where the system does not tell.
fn processor_seconds() -> Fallible<Option<f64>> {
    let Ok(text) = std::fs::read_to_string("/proc/thread-self/schedstat") else { return Ok(None) };
    let nanoseconds: f64 = text.split_whitespace().next().unwrap_or("0").parse()?;
    Ok(Some(nanoseconds / 1e9))
}

/// Hands out the lines of a file without keeping any.
pub(crate) fn each_line(path: &Path, mut take: impl FnMut(&str) -> Fallible<()>) -> Fallible<()> {
    let mut file = BufReader::with_capacity(1 << 16, File::open(path)?);
    let mut line = String::new();
    while file.read_line(&mut line)? > 0 {
        take(&line)?;
        line.clear();
    }
    Ok(())
}

/// The most memory that this process ever used, in MiB; 0 where the system does not tell.
pub(crate) fn peak() -> Fallible<f64> {
    let Ok(status) = std::fs::read_to_string("/proc/self/status") else { return Ok(0.0) };
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("0 kB");
    Ok(line.trim().trim_end_matches("kB").trim().parse::<f64>()? / 1024.0)
}
