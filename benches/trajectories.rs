//! How fast trajectories are gone through once more, on one core, with no judge and no embedding.
//!
//!     cargo bench --bench trajectories [TRAJECTORIES]
//!
//! Samples are about as long as the authors' (3.2 steps, 5 calls). A third of the trajectories is perfect; the others call one
//! by one, repeat themselves, make mistakes of form and of content and correct them, or stop early. The authors' program goes
//! through 100 to 194 a second. Processor time counts, so that other work on the machine does not.

#![expect(clippy::print_stdout, reason = "figures are what it is for")]

use fcgen::record::{Chance, FunctionCall, Sample, Step, Value};
use fcgen::suite::complexfunc::layout::{Row, Trajectory};
use fcgen::suite::complexfunc::metric::{
    Dialect, Golden, Machine, Oracle, Outcome, Rules, Settings, Similarity, Turn, play,
};
use fcgen::suite::complexfunc::turns_of;
use serde_json::{Value as Json, json};
use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

type Fallible<T> = Result<T, Box<dyn Error>>;

/// Different samples; trajectories go round among them.
const SAMPLES: usize = 100;

fn main() -> Fallible<()> {
    let count = std::env::args().find_map(|word| word.parse().ok()).unwrap_or(20_000);
    let bench = Bench::new(count)?;
    println!("{count} trajectories, {} samples, 1 thread", bench.samples.len());
    println!("rules       mapping      machine/s  from lines/s  successes");
    for (name, rules) in [("strict", Rules::default()), ("upstream", Rules::Upstream(Dialect::Gpt))] {
        for (mapping, similarity) in [("structured", Similarity::Structured), ("trigram256", Similarity::Trigram256)] {
            let golden: Vec<Golden> = bench.samples.iter().map(|sample| bench.golden(sample, rules)).collect();
            let machine = timed(count, || Ok(bench.play(&golden, similarity)))?;
            let lines = timed(count, || bench.read_and_play(rules, similarity))?;
            let successes = bench.play(&golden, similarity);
            println!("{name:<11} {mapping:<12} {machine:>9.0} {lines:>13.0} {successes:>10}");
        }
    }
    Ok(())
}

/// Trajectories a second of processor time: the best of five times.
fn timed(count: usize, work: impl Fn() -> Fallible<usize>) -> Fallible<f64> {
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

struct Bench {
    samples: Vec<Sample>,
    settings: Arc<Settings>,
    /// A line of predictions, and the same as turns, each with the place of its sample.
    lines: Vec<(usize, String)>,
    turns: Vec<(usize, Vec<Turn>)>,
}

/// Says its turns; nobody else knows anything.
struct Recorded<I>(I);

impl<I: Iterator<Item = Turn>> Oracle<'_> for Recorded<I> {
    fn turn(&mut self) -> Option<Turn> {
        self.0.next()
    }
}

impl Bench {
    fn new(count: usize) -> Fallible<Self> {
        let mut chance = Chance::new(7, "bench", "trajectories", 0);
        let samples = (0..SAMPLES).map(|number| sample(number, &mut chance)).collect::<Fallible<Vec<_>>>()?;
        let settings = json!({"free_functions": ["Find_Place"], "free_removed_at_end": ["Find_Place"], "set_valued_parameter": "tags",
            "exact_match_values": {"Find_Place": [], "Search": ["date", "area_id"], "Get_Details": ["token"], "Get_Reviews": []}});
        let mut lines = Vec::with_capacity(count);
        for number in 0..count {
            let place = number % SAMPLES;
            let said = turns(steps(&samples[place]), number / SAMPLES, &mut chance);
            lines.push((place, json!({"id": samples[place].id, "variant": "tools", "turns": said}).to_string()));
        }
        let read = |(place, line): &(usize, String)| Ok((*place, turns_in(line)?));
        let turns = lines.iter().map(read).collect::<Fallible<Vec<_>>>()?;
        Ok(Self { samples, settings: Arc::new(serde_json::from_value(settings)?), lines, turns })
    }

    fn golden(&self, sample: &Sample, rules: Rules) -> Golden {
        Golden::new(steps(sample), &sample.candidates, self.settings.clone(), rules)
    }

    /// The machine alone: samples and turns are at hand. Gives the number of successes.
    fn play(&self, golden: &[Golden], similarity: Similarity) -> usize {
        let outcomes = self.turns.iter().map(|(place, turns)| {
            play(Machine::new(&golden[*place], similarity), &mut Recorded(turns.iter().cloned()))
        });
        outcomes.filter(Outcome::is_success).count()
    }

    /// All that `fcgen score` does for a prediction: reads its line, makes the sample ready, goes through it.
    fn read_and_play(&self, rules: Rules, similarity: Similarity) -> Fallible<usize> {
        let mut successes = 0;
        for (place, line) in &self.lines {
            let golden = self.golden(&self.samples[*place], rules);
            let mut recorded = Recorded(turns_in(line)?.into_iter());
            successes += usize::from(play(Machine::new(&golden, similarity), &mut recorded).is_success());
        }
        Ok(successes)
    }
}

fn turns_in(line: &str) -> Fallible<Vec<Turn>> {
    let trajectory = Trajectory::read(line)?;
    Ok(turns_of(&trajectory, false).into_iter().map(|(turn, _)| turn).collect())
}

fn steps(sample: &Sample) -> &[Step] {
    match &sample.expected {
        fcgen::record::Expected::Steps(steps) => steps,
        _ => &[],
    }
}

/// A sample of two to five steps: places are found, then searched, then looked at.
fn sample(number: usize, chance: &mut Chance) -> Fallible<Sample> {
    let place = |chance: &mut Chance| format!("Place {} by the river", chance.below(10_000));
    let mut conversation = vec![json!({"role": "user", "content": "What can be had there, and for how much?"})];
    for step in 0..2 + chance.below(4) {
        let calls: Vec<Json> = (0..=chance.below(2))
            .map(|_| match step {
                0 => json!({"name": "Find_Place", "arguments": {"query": place(chance)}}),
                1 => json!({"name": "Search", "arguments": {"area_id": format!("area-{}", chance.below(900)), "date": "2027-03-01",
                    "people": chance.below(6), "tags": "pool,sauna", "sort_by": "price"}}),
                _ => json!({"name": "Get_Details", "arguments": {"token": format!("{:0120}", chance.below(1_000_000)), "lang": "en"}}),
            })
            .collect();
        let answers: Vec<Json> =
            calls.iter().map(|_| json!({"status": true, "message": "Success", "data": {"items": [1, 2, 3]}})).collect();
        conversation.push(json!({"role": "assistant", "function_call": calls}));
        conversation.push(json!({"role": "observation", "content": answers}));
    }
    conversation.push(json!({"role": "assistant", "content": "Here it is."}));
    let text = json!({"type": "string"});
    let functions = json!([
        {"name": "Find_Place", "parameters": {"properties": {"query": text}, "required": ["query"]}},
        {"name": "Search", "parameters": {"properties": {"area_id": text, "date": text, "people": {"type": "number"}, "tags": text,
            "sort_by": text}, "required": ["area_id", "date"]}},
        {"name": "Get_Details", "parameters": {"properties": {"token": text, "lang": text}, "required": ["token"]}},
        {"name": "Get_Reviews", "parameters": {"properties": {"token": text}, "required": ["token"]}},
    ]);
    let row = json!({"id": format!("Bench-{number}"), "conversations": conversation, "functions": functions});
    Ok(Row::read(&row.to_string())?.into_sample("en")?)
}

/// What a model says: one of nine manners.
fn turns(steps: &[Step], manner: usize, chance: &mut Chance) -> Vec<Json> {
    let call = |call: &FunctionCall| json!([call.name, Value::from(call.arguments.clone()).to_string()]);
    let mut turns: Vec<Vec<Json>> = steps.iter().map(|step| step.calls.iter().map(call).collect()).collect();
    let at = chance.below(turns.len());
    match manner % 9 {
        0..3 => {}
        3 => turns = turns.into_iter().flatten().map(|call| vec![call]).collect(),
        4 => turns.insert(at + 1, turns[0].clone()),
        5 => turns.insert(at, vec![json!([steps[at].calls[0].name, "{}"])]),
        6 => turns.insert(at, vec![wrong(&steps[at].calls[0])]),
        7 => turns[at].push(wrong(&steps[at].calls[0])),
        _ => drop(turns.pop()),
    }
    let said = turns.into_iter().map(|calls| json!({"tool_calls": calls}));
    said.chain([json!({"content": "Here it is."})]).collect()
}

/// The call with another value.
fn wrong(call: &FunctionCall) -> Json {
    let mut arguments = call.arguments.clone();
    if let Some((_, value)) = arguments.iter_mut().next() {
        *value = "something else".into();
    }
    json!([call.name, Value::from(arguments).to_string()])
}
