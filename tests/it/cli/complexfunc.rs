//! ComplexFuncBench on the command line: made, looked over, scored, taken in, and the same however it is made.

use super::bench::{Bench, written};
use fcgen::record::{Expected, FunctionCall, Object, Sample, Step, Value};
use serde_json::{Value as Json, json};

/// Hotels, cars and sights in the least numbers, without what takes longest to prove.
const SMALL: &str = "--set pipeline.scale=0.05 --set stage.complex_queries.domains.cross=0 \
    --set stage.complex_queries.domains.flights=0 --set stage.generalize.count=3 --quiet";

/// The same of hotels and sights alone.
const SMALLER: &str = "--set stage.complex_queries.domains.car_rental=0";

fn made(bench: &Bench, more: &str) {
    bench.must(&format!("pipeline complexfunc {SMALL} {more}"));
}

fn samples(bench: &Bench, name: &str) -> Vec<Sample> {
    bench.read(name).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn steps(sample: &Sample) -> &[Step] {
    let Expected::Steps(steps) = &sample.expected else { panic!("{} wants no steps", sample.id) };
    steps
}

/// What a model says that makes the golden calls, each as `change` leaves it.
fn said(samples: &[Sample], change: impl Fn(&FunctionCall) -> Object) -> String {
    let call = |call: &FunctionCall| json!([call.name, Value::from(change(call)).to_string()]);
    let line = |sample: &Sample| {
        let turn = |step: &Step| json!({"tool_calls": step.calls.iter().map(call).collect::<Vec<_>>()});
        let turns: Vec<Json> = steps(sample).iter().map(turn).chain([json!({"content": "Done."})]).collect();
        json!({"id": sample.id, "variant": "tools", "turns": turns}).to_string() + "\n"
    };
    samples.iter().map(line).collect()
}

/// A figure of the tables, as a file of commas has it.
fn figure(table: &str, row: &str) -> Option<f64> {
    table.lines().find_map(|line| line.strip_prefix(row)?.split(',').next()?.parse().ok())
}

#[test]
fn chinese_keeps_every_rule_and_has_no_blanks_between_sentences() {
    let bench = Bench::new();
    made(&bench, &format!("{SMALLER} --locale zh --out made"));
    for sample in samples(&bench, "made/samples.jsonl") {
        for text in [&sample.query(), &sample.provenance.facts["final_answer"]] {
            assert!(text.contains(['。', '？']) && !text.contains("。 ") && !text.contains("？ "), "{text}");
        }
    }
    let checked = bench.must("check made");
    assert!(checked.stdout.contains("no violations"), "{}", checked.stdout);
}

#[test]
fn a_benchmark_is_made_and_keeps_every_rule() {
    let bench = Bench::new();
    made(&bench, "--out made");
    let samples = samples(&bench, "made/samples.jsonl");
    for kind in ["Hotels", "Car-Rental", "Attractions"] {
        assert!(samples.iter().any(|sample| sample.data_type.0 == kind), "{kind}");
    }
    assert!(samples.iter().any(|sample| sample.id.as_str().contains("/generalize/")), "one becomes several");
    assert!(samples.iter().all(|sample| steps(sample).len() >= 2 && sample.provenance.template));
    let checked = bench.must("check made");
    assert!(checked.stdout.contains("no violations"), "{}", checked.stdout);
    assert!(checked.stderr.contains(&format!("{} samples, 0 errors", samples.len())), "{}", checked.stderr);

    bench.write("perfect.jsonl", &said(&samples, |call| call.arguments.clone()));
    bench.write("idle.jsonl", &said(&samples, |_| Object::new()));
    let table = bench.must("score made --predictions perfect.jsonl idle.jsonl --format csv").stdout;
    assert_eq!(figure(&table, "overall,perfect,Success,value,"), Some(1.0), "{table}");
    assert_eq!(figure(&table, "overall,idle,Success,value,"), Some(0.0), "{table}");
    // The authors divide by all thousand of theirs, run or not.
    let authors = bench.must("score made --predictions perfect.jsonl --profile upstream --format csv").stdout;
    assert_eq!(figure(&authors, "overall,perfect,Success of those run,value,"), Some(1.0), "{authors}");

    takes_in_what_was_written(&bench, &samples);
}

/// The authors' layout holds the requests, the functions, the calls and what they were answered.
fn takes_in_what_was_written(bench: &Bench, made: &[Sample]) {
    bench.must("import made/benchmark --from complexfuncbench --out imported.jsonl");
    let imported = samples(bench, "imported.jsonl");
    assert_eq!(imported.len(), made.len());
    for (taken, made) in imported.iter().zip(made) {
        assert_eq!((taken.query(), &taken.data_type), (made.query(), &made.data_type));
        let bare = |sample: &Sample| -> Vec<_> {
            steps(sample).iter().map(|step| (step.calls.clone(), step.answers.clone())).collect()
        };
        assert_eq!(bare(taken), bare(made), "{}", made.id);
        let names = |sample: &Sample| -> Vec<_> { sample.candidates.iter().map(|it| it.name.clone()).collect() };
        assert_eq!(names(taken), names(made), "{}", made.id);
    }
    bench.must("check made/benchmark");
}

#[test]
fn one_at_a_time_many_at_once_and_shards_give_the_same() {
    let bench = Bench::new();
    made(&bench, &format!("{SMALLER} --concurrency 1 --out one"));
    made(&bench, &format!("{SMALLER} --concurrency 8 --out eight"));
    assert_eq!(bench.read("one/samples.jsonl"), bench.read("eight/samples.jsonl"));
    assert_eq!(written(&bench.path("one")), written(&bench.path("eight")));
    for part in ["1/2", "2/2"] {
        made(&bench, &format!("{SMALLER} --shard {part}"));
    }
    let folders = ["1", "2"].map(|part| format!("output/complexfunc-en-shard-{part}-of-2"));
    bench.must(&format!("merge {} {} {SMALL} {SMALLER} --out merged", folders[1], folders[0]));
    assert!(!bench.read("one/samples.jsonl").is_empty());
    assert_eq!(written(&bench.path("one")), written(&bench.path("merged")));
}
