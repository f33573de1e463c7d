//! What people read: help, errors of the command line and of files, the screens of each command.

use super::bench::Bench;
use insta::assert_snapshot;

/// The headings of a screen, in order.
fn headings(screen: &str) -> Vec<&str> {
    screen.lines().skip(2).filter(|line| !line.is_empty() && !line.starts_with(' ')).collect()
}

#[test]
fn help_lists_the_commands_and_the_exit_codes() {
    assert_snapshot!(Bench::new().run("--help").told());
}

/// The commands that a command's help lists, the subcommand `help` left out.
fn commands(help: &str) -> Vec<&str> {
    let listed = help.split_once("Commands:\n").map_or("", |(_, rest)| rest.split("\n\n").next().unwrap());
    listed.lines().filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help").collect()
}

#[test]
fn every_command_has_its_help() {
    let bench = Bench::new();
    let help = bench.run("--help").stdout;
    for command in commands(&help) {
        let help = bench.run(&format!("{command} --help"));
        for below in commands(&help.stdout) {
            assert_snapshot!(format!("help_{command}_{below}"), bench.run(&format!("{command} {below} --help")).told());
        }
        assert_snapshot!(format!("help_{command}"), help.told());
    }
}

#[test]
fn a_sound_file_is_said_to_be_sound() {
    assert_snapshot!(Bench::new().run("pipeline hammer --check").told(), @"
    exit: 0
    --- stdout
    --- stderr
    `hammer` is valid: 27 stages, locale en, no model was called
    ");
}

#[test]
fn an_unknown_file_is_told_with_the_nearest_name() {
    assert_snapshot!(Bench::new().run("pipeline hammr").told(), @"
    exit: 10
    --- stdout
    --- stderr
    error: no pipeline file `hammr`

    hint: did you mean `hammer`? Bundled pipelines: `apis`, `callnavi`, `complexfunc`, `complexfunc_model`, `confetti`, `demo`, `functionchat`, `generate` and 2 more; or use the path of a file
    ");
}

#[test]
fn a_faulty_file_is_shown_with_all_its_faults() {
    let bench = Bench::new();
    bench.write("mine.toml", "[pipeline]\nsede = 1\n\n[[stage]]\nkind = \"toolst\"\n\n[[stage]]\nkind = \"quota\"\n");
    assert_snapshot!(bench.run("pipeline mine.toml").told());
}

#[test]
fn a_faulty_flag_is_shown_like_a_line_of_the_file() {
    let line = "pipeline hammer --limit none --seed -3 --locale xx --set scale --set stage.quota.count=1";
    assert_snapshot!(Bench::new().run(line).told());
}

#[test]
fn a_base_url_needs_a_model() {
    assert_snapshot!(Bench::new().run("pipeline hammer --base-url http://localhost:8000/v1").told());
}

#[test]
fn a_senseless_command_line_is_refused() {
    let bench = Bench::new();
    for (name, line) in [
        ("unknown_flag", "pipeline hammer --modle x"),
        ("unknown_command", "pipelin hammer"),
        ("no_such_shard", "pipeline hammer --shard 4/3"),
        ("shard_and_preview", "pipeline hammer --shard 1/3 --preview 2"),
        ("base_url_without_model", "predict output/hammer-en --base-url http://localhost:8000/v1"),
        ("cost_without_price", "predict output/hammer-en --model m --max-cost 3"),
        ("no_concurrency", "pipeline hammer --concurrency 0"),
    ] {
        assert_snapshot!(name, bench.run(line).told());
    }
}

#[test]
fn a_faulty_toolset_is_input_data() {
    let bench = Bench::new();
    bench.write("tools/tools/A.B.toml", "[call.parameters]\nwho = { kind = \"person\" }\n");
    bench.write("tools/en/A.B.toml", "title = \"B\"\nwanted = \"call\"\n");
    assert_snapshot!(bench.run("pipeline hammer --toolset tools").told(), @"
    exit: 11
    --- stdout
    --- stderr
    error: tools/en/A.B.toml: no text for the tool `call`
    ");
    let ended = bench.run("pipeline hammer --toolset tools --check");
    assert_eq!(ended.code, 11, "{}", ended.stderr);
}

#[test]
fn a_run_closes_with_all_there_is_to_know() {
    let ended = Bench::new().must("pipeline hammer.toml --limit 6");
    assert_eq!(ended.stdout, "output/hammer-en\n");
    assert_eq!(
        headings(&ended.stderr),
        [
            "Example samples",
            "Example rejects",
            "Round-trip check",
            "Stages",
            "Samples",
            "Conversations",
            "Turns with template text",
            "Rejects by reason",
            "Yield",
            "Models",
            "Summary",
            "Next"
        ]
    );
    let (_, samples) = ended.stderr.split_once("Example samples").unwrap();
    let (samples, rejects) = samples.split_once("Example rejects").unwrap();
    assert_eq!(samples.matches("    expected:   ").count(), 5, "{samples}");
    assert_eq!(rejects.matches("    detail:     ").count(), 2, "{rejects}");
    assert!(ended.stderr.contains("  Synthetic templates (no LLM)"), "{}", ended.stderr);
    assert!(ended.stderr.ends_with(
        "    fcgen pipeline hammer.toml --limit 6 --base-url http://localhost:8000/v1 --model YOUR-MODEL \
         --out output/hammer-en-own\n"
    ));
    assert!(!ended.stderr.contains('\u{1b}'), "no colour where no terminal is");
}

#[test]
fn deliberate_faults_are_told() {
    let ended = Bench::new().must("pipeline hammer --limit 6 --set model.generator.defect_rate=0.3");
    assert!(ended.stderr.contains("Injected defects of the built-in generator\n"), "{}", ended.stderr);
    assert!(ended.stderr.contains("of the defects undetected; "), "{}", ended.stderr);
}

#[test]
fn quiet_is_quiet() {
    let ended = Bench::new().must("pipeline hammer --limit 2 --quiet --out here");
    assert_eq!((ended.stdout.as_str(), ended.stderr.as_str()), ("here\n", ""));
}

#[test]
fn a_preview_prints_items_and_writes_none() {
    let bench = Bench::new();
    let ended = bench.must("pipeline hammer --preview 2");
    assert!(ended.stdout.matches("    expected:   ").count() >= 4, "{}", ended.stdout);
    assert!(ended.stderr.contains("estimate per source item: about "), "{}", ended.stderr);
    assert!(!bench.path("output/hammer-en/samples.jsonl").exists());
}

#[test]
fn the_built_in_reader_is_a_weak_baseline_and_said_to_be_one() {
    let bench = Bench::new();
    bench.must("pipeline hammer --limit 1 --quiet --out run");
    let ended = bench.must("predict run --limit 5 --runs 2 --mode tools");
    assert_snapshot!(ended.told());
    let rows = bench.read("predictions.jsonl");
    assert_eq!((rows.lines().count(), rows.matches("\"variant\":\"built-in\"").count()), (10, 10));
    assert!(!bench.path("predictions.journal").exists(), "what costs nothing is not kept");
    let again = bench.must("predict run/samples.jsonl --limit 5 --runs 2 --quiet --out again.jsonl");
    assert_eq!((again.stdout.as_str(), again.stderr.as_str()), ("again.jsonl\n", ""));
    assert_eq!(bench.read("again.jsonl"), rows);
}

#[test]
fn what_cannot_be_predicted_is_told() {
    let bench = Bench::new();
    bench.write("samples.jsonl", "{\"id\": \"a\"}\n");
    bench.must("pipeline hammer --limit 1 --quiet --out run");
    for (name, line) in [
        ("no_bench", "predict no/such/run"),
        ("no_sample", "predict samples.jsonl"),
        ("faulty_set", "predict samples.jsonl --model m --set retires=3"),
        ("key_missing", "predict run --model m --api-key-env FCGEN_NO_SUCH_KEY"),
    ] {
        assert_snapshot!(name, bench.run(line).told());
    }
    assert!(!bench.path("predictions.jsonl").exists());
}

#[test]
fn a_status_is_told_of_a_run_and_of_nothing_else() {
    let bench = Bench::new();
    bench.must("pipeline hammer --limit 2 --quiet");
    let ended = bench.must("status output/hammer-en");
    assert!(ended.stdout.starts_with("output/hammer-en: hammer-en, seed 7\n"), "{}", ended.stdout);
    assert!(ended.stdout.contains("\nYield\n"), "{}", ended.stdout);
    assert_snapshot!(bench.run("status output").told(), @"
    exit: 11
    --- stdout
    --- stderr
    error: `output` is not a run folder: no manifest.json

    hint: create one with `fcgen pipeline`
    ");
}

#[test]
fn the_stored_schema_is_current() {
    let ended = Bench::new().must("schema pipeline");
    let stored = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/pipelines/schema.json")).unwrap();
    assert!(ended.stdout == stored, "run `cargo run -- schema pipeline > pipelines/schema.json`");
}

#[test]
fn a_toolset_of_ones_own_is_looked_over() {
    let bench = Bench::new();
    let tool = r#"[{"name": "call", "description": "", "parameters": {"properties": {"mood": {"type": "string"}}}}]"#;
    bench.write("mine.json", tool);
    let ended = bench.run("toolset lint mine.json");
    assert_snapshot!(ended.stdout, @r#"
    mine.json:1: warning: call: the description is empty
        fix: "description": "What it does, such as: find a book by its title"
    mine.json:1: warning: call, mood: the description is empty
        fix: "description": "What it means, such as: title of the book"
    mine.json:1: warning: call, mood: no value kind
        fix: "kinds": {"mood": "keyword"} beside "parameters"
    "#);
    assert_eq!(ended.code, 0, "a run can use it");
    assert!(ended.stderr.starts_with("mine.json: 1 tool, 3 warnings\n\nvalue kinds of `en`:\n"), "{}", ended.stderr);
    assert!(ended.stderr.contains("set value kinds in `mine.json`, under `kinds` of a tool"), "{}", ended.stderr);
    bench.write("mine.json", &tool.replace("\"parameters\"", "\"kinds\": {\"mood\": \"keywort\"}, \"parameters\""));
    let ended = bench.run("toolset lint mine.json");
    let finding = "mine.json:1: error: call, mood: unknown value kind `keywort`\n    fix: did you mean `keyword`?\n";
    assert!(ended.code == 11 && ended.stdout.starts_with(finding), "{}", ended.told());
    let ended = bench.must("toolset lint mobile --only UtilityTools.AlarmClock --show 3");
    assert!(ended.stdout.starts_with("# UtilityTools.AlarmClock."), "{}", ended.stdout);
}

#[test]
fn a_faulty_toolset_is_no_fault_of_the_pipeline_that_names_it() {
    let bench = Bench::new();
    bench.write("mine.json", r#"[{"nam": "call"}]"#);
    let rest = "[[stage]]\nkind = \"perfect_queries\"\n[[stage]]\nkind = \"candidates\"\n";
    bench.write("p.toml", &format!("[[stage]]\nkind = \"toolset\"\npath = \"mine.json\"\n{rest}"));
    assert_snapshot!(bench.run("pipeline p.toml").told(), @"
    exit: 11
    --- stdout
    --- stderr
    error: `mine.json`, the `path` of stage `toolset`: tool 1: missing field `name`
     --> p.toml:3:8
      |
    3 | path = \"mine.json\"
      |        ^^^^^^^^^^^
      |
    hint: expected a built-in toolset (`assistant`, `daily`, `enterprise`, `mobile`, `travel`), a folder, or a `.json` list of tools

    1 problem in p.toml
    ");
    bench.write("p.toml", &format!("[[stage]]\nkind = \"toolset\"\npath = \"mine.json\"\nsiz = 1\n{rest}"));
    assert_eq!(bench.run("pipeline p.toml").code, 10, "both are faulty");
    bench.write("p.toml", &format!("[[stage]]\nkind = \"toolset\"\npath = \"my.json\"\n{rest}"));
    assert_eq!(bench.run("pipeline p.toml").code, 10, "the pipeline names what is not there");
}

#[test]
fn completions_know_the_flags() {
    assert!(Bench::new().must("completions bash").stdout.contains("--rerun-rejects"));
}
