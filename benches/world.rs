//! How fast a declared world is drawn, and how fast it answers, by family of functions.
//!
//!     cargo bench --bench world
//!
//! The calls are the samples that `fcgen toolset lint` makes: of every function those with its required parameters alone
//! and those with all of them. Each round of them is made in a session of its own, so that no table grows.

#![expect(clippy::print_stdout, reason = "figures are what it is for")]

use fcgen::locale::Pack;
use fcgen::record::FunctionCall;
use fcgen::toolset::Toolset;
use fcgen::world::{DeclaredSession, DeclaredWorld, Sampler};
use std::error::Error;
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

type Fallible<T> = Result<T, Box<dyn Error>>;

/// A function is called for so long at least.
const LEAST: Duration = Duration::from_millis(70);
/// Draws of sample calls for each function.
const DRAWS: u32 = 4;

fn main() -> Fallible<()> {
    let began = Instant::now();
    let toolset = Toolset::load(fcgen::assets(), "travel", "en")?;
    let loaded = began.elapsed();
    let mut pack = Pack::load(fcgen::assets(), "en")?;
    toolset.extend(&mut pack)?;
    let declaration = toolset.world.clone().ok_or("travel declares no world")?;
    let pack = Arc::new(pack);
    let began = Instant::now();
    let world = DeclaredWorld::new(declaration.clone(), pack, 11)?;
    let drawn = began.elapsed();
    let began = Instant::now();
    (0..10_000).for_each(|_| drop(black_box(world.session())));
    let session = began.elapsed() / 10_000;
    println!(
        "travel: files {:.0} ms, tables {:.0} ms, a session {:.2} us",
        millis(loaded),
        millis(drawn),
        millis(session) * 1e3
    );
    println!(
        "{:<14} {:>9} {:>10} {:>12} {:>26}",
        "family", "functions", "calls/s", "us per call", "slowest function (us)"
    );
    for domain in declaration.domains() {
        let functions: Vec<&str> = declaration.of_domain(domain).map(|function| function.name.as_str()).collect();
        let costs: Vec<(f64, &str)> = functions.iter().map(|name| (cost(&world, name), *name)).collect();
        let mean = costs.iter().map(|(cost, _)| cost).sum::<f64>() / f64::from(u32::try_from(costs.len())?);
        let slowest =
            costs.iter().max_by(|one, other| one.0.total_cmp(&other.0)).ok_or("a family without functions")?;
        let slowest = format!("{} {:.0}", slowest.1, slowest.0);
        println!("{domain:<14} {:>9} {:>10.0} {mean:>12.1} {slowest:>26}", functions.len(), 1e6 / mean);
    }
    Ok(())
}

/// Microseconds that a call of a function takes in the mean over its samples.
fn cost(world: &DeclaredWorld, function: &str) -> f64 {
    let mut sampler = Sampler::new(world);
    let draws = (0..DRAWS).flat_map(|draw| [(draw, false), (draw, true)]);
    let samples = draws.filter_map(|(draw, all)| sampler.sample(function, all, draw));
    let calls: Vec<FunctionCall> = samples.filter(|sample| sample.answer.is_ok()).map(|sample| sample.call).collect();
    let (began, mut made) = (Instant::now(), 0_u32);
    while began.elapsed() < LEAST && !calls.is_empty() {
        let mut session: DeclaredSession<'_> = world.session();
        for call in &calls {
            // What one sample made is not there for another, and then the refusal is what is measured.
            black_box(session.call(&call.name, &call.arguments)).map_or_else(drop, drop);
            made += 1;
        }
    }
    began.elapsed().as_secs_f64() * 1e6 / f64::from(made.max(1))
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
