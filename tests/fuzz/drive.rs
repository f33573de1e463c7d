//! Gives a target its inputs, keeps those that came to something new, and tells what it saw.
//!
//! `FCGEN_FUZZ=1000000` sets how many; `FCGEN_FUZZ_INPUT=FILE` gives that input alone.

use super::chance::Chance;
use super::ladder;
use super::mutate::{Pantry, mutate};
use std::collections::BTreeSet;
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{Seek, SeekFrom, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// What a worker of tokio's has, and a test's own thread.
const STACK: usize = 2 << 20;
/// So many inputs are kept because they came to something new.
const MOST_KEPT: usize = 3_000;
/// Longer ones are not kept: they would make all that grow from them slow.
const LONGEST_KEPT: usize = 4_096;
/// After so many failures a target has shown enough.
const MOST_FAILURES: usize = 8;

/// One reader with what its inputs are made from.
pub(crate) struct Target {
    /// Its name, in files and reports.
    pub(crate) name: &'static str,
    /// Inputs from real life.
    pub(crate) seeds: Vec<String>,
    /// Words of its language.
    pub(crate) words: &'static [&'static str],
    /// Makes an input that is right in form.
    pub(crate) make: fn(&mut Chance) -> String,
    /// No input is longer: some readers compare all with all, and are given texts that people say.
    pub(crate) longest: usize,
    /// How many inputs a normal test gives it.
    pub(crate) usual: u64,
}

/// What was seen.
#[derive(Default)]
struct Seen {
    inputs: u64,
    bytes: u64,
    outcomes: BTreeSet<u64>,
    failures: Vec<String>,
    slowest: (Duration, usize, Vec<u8>),
    steepest: (Duration, usize, Vec<u8>),
}

impl Target {
    /// Gives it its inputs. `check` panics where something does not hold, and else says in a few words what came of an
    /// input: inputs that come to something new are changed further.
    pub(crate) fn drive(self, check: impl Fn(&[u8]) -> String + Send) {
        let count = std::env::var("FCGEN_FUZZ").ok().map(|count| count.parse::<u64>().expect("FCGEN_FUZZ is a number"));
        std::thread::scope(|scope| {
            let work = move || self.give(count, &check);
            let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
            thread.unwrap().join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        });
    }

    fn give(&self, count: Option<u64>, check: &impl Fn(&[u8]) -> String) {
        let mut last = Last::open(self.name);
        if let Ok(path) = std::env::var("FCGEN_FUZZ_INPUT") {
            let begun = Instant::now();
            let outcome = check(&std::fs::read(path).unwrap());
            println!("{}: {outcome} ({:?})", self.name, begun.elapsed());
            return;
        }
        let (mut seen, begun, computed) = (Seen::default(), Instant::now(), ladder::computed());
        let mut kept: Vec<Vec<u8>> = self.seeds.iter().map(|seed| seed.clone().into_bytes()).collect();
        for input in kept.clone() {
            seen.take(self.name, &input, check, &mut last);
        }
        for number in 0..count.unwrap_or(self.usual) {
            let input = self.input(&kept, &mut Chance::of(self.name, number));
            let is_new = seen.take(self.name, &input, check, &mut last);
            if is_new && kept.len() < MOST_KEPT && input.len() <= LONGEST_KEPT {
                kept.push(input);
            }
            if seen.failures.len() >= MOST_FAILURES {
                break;
            }
        }
        let spent = (begun.elapsed(), ladder::computed().saturating_sub(computed));
        let steep = ladder::climb(self.words, self.longest, count.is_some(), |input| {
            seen.take(self.name, input, check, &mut last)
        });
        if count.is_some() {
            seen.report(self.name, spent, kept.len(), &steep);
        }
        last.close();
        assert!(seen.failures.is_empty(), "{}", seen.failures.join("\n"));
    }

    fn input(&self, kept: &[Vec<u8>], chance: &mut Chance) -> Vec<u8> {
        let mut input = match chance.below(10) {
            0 | 1 => (self.make)(chance).into_bytes(),
            2 => super::write::soup(chance, self.words).into_bytes(),
            _ => kept.get(chance.below(kept.len())).cloned().unwrap_or_default(),
        };
        if !chance.once_in(6) {
            mutate(&mut input, &Pantry { words: self.words, others: kept }, chance);
        }
        input.truncate(self.longest);
        input
    }
}

impl Seen {
    /// Gives an input to the check; whether it came to something new.
    fn take(&mut self, name: &str, input: &[u8], check: &impl Fn(&[u8]) -> String, last: &mut Last) -> bool {
        last.note(input);
        let begun = ladder::computed();
        let outcome = catch_unwind(AssertUnwindSafe(|| check(input)));
        let spent = ladder::computed().saturating_sub(begun);
        self.inputs += 1;
        self.bytes += input.len() as u64;
        if spent > self.slowest.0 {
            self.slowest = (spent, input.len(), start(input));
        }
        // Of short ones the fixed cost is most of it.
        let each = spent / u32::try_from(input.len() / 256).unwrap_or(1).max(1);
        if each > self.steepest.0 {
            self.steepest = (each, input.len(), start(input));
        }
        match outcome {
            Ok(outcome) => self.outcomes.insert(signature(&outcome)),
            Err(panic) => {
                let path = saved(name, self.failures.len(), input);
                let shown = String::from_utf8_lossy(&start(input)).escape_debug().to_string();
                let said = panic.downcast_ref::<String>().map(String::as_str);
                let said = said.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or_default();
                self.failures.push(format!("{name}, input {} (`{}`): {said}: {shown}", self.inputs, path.display()));
                false
            }
        }
    }

    fn report(&self, name: &str, (spent, computed): (Duration, Duration), kept: usize, steep: &[String]) {
        let shown = |(spent, length, start): &(Duration, usize, Vec<u8>)| {
            format!("{spent:.1?} for {length} bytes: {}", String::from_utf8_lossy(start).escape_debug())
        };
        println!(
            "{name}: {} inputs, {} bytes each, {:.0} s ({:.0} s computed), {} outcomes, {kept} kept, {} failures\n  slowest {}\n  steepest per 256 bytes {}",
            self.inputs,
            self.bytes / self.inputs.max(1),
            spent.as_secs_f64(),
            computed.as_secs_f64(),
            self.outcomes.len(),
            self.failures.len(),
            shown(&self.slowest),
            shown(&self.steepest),
        );
        for line in steep {
            println!("  grows faster than its length: {line}");
        }
    }
}

/// The beginning of an input, for people.
fn start(input: &[u8]) -> Vec<u8> {
    input[..input.len().min(100)].to_vec()
}

/// What is new: the words of an outcome without its figures and quotations.
fn signature(outcome: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    for (at, part) in outcome.split('`').enumerate() {
        if at % 2 == 0 {
            part.bytes().filter(|byte| !byte.is_ascii_digit()).take(200).for_each(|byte| byte.hash(&mut hasher));
        }
    }
    hasher.finish()
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
}

fn saved(name: &str, ordinal: usize, input: &[u8]) -> PathBuf {
    let path = folder().join(format!("fuzz-{name}-{ordinal}.input"));
    std::fs::write(&path, input).unwrap();
    path
}

/// The input under way, in a file: a stack that overflows leaves no other trace.
struct Last {
    file: File,
    path: PathBuf,
}

impl Last {
    fn open(name: &str) -> Self {
        let path = folder().join(format!("fuzz-{name}-{}.last", std::process::id()));
        Self { file: File::create(&path).unwrap(), path }
    }

    fn note(&mut self, input: &[u8]) {
        self.file.seek(SeekFrom::Start(0)).unwrap();
        self.file.write_all(input).unwrap();
        self.file.set_len(input.len() as u64).unwrap();
    }

    fn close(self) {
        std::fs::remove_file(self.path).unwrap();
    }
}

/// A text target's check: bytes that are no text are replaced.
pub(crate) fn text(check: impl Fn(&str) -> String) -> impl Fn(&[u8]) -> String {
    move |input| check(&String::from_utf8_lossy(input))
}
