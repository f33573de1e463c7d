//! Pipeline files and what the command line says differently. Lines that begin with `# --set ` are given as there.

use super::super::chance::Chance;
use super::super::drive::{Target, text};
use super::super::{odd, write};
use super::files;
use fcgen::config::{Files, Overrides, Plan, Recipe, Source, load_with};
use std::fmt::Write;

const WORDS: &[&str] = &[
    "[pipeline]\n",
    "[[stage]]\n",
    "[model.generator]\n",
    "[model.judge]\n",
    "kind = ",
    "name = ",
    "from = ",
    "seed = ",
    "locale = ",
    "format = ",
    "limit = ",
    "scale = ",
    "path = ",
    "per_tool = ",
    "provider = ",
    "\"grammar\"",
    "\"openai\"",
    "\"toolset\"",
    "\"toolkits\"",
    "\"perfect_queries\"",
    "\"imperfect_queries\"",
    "\"consistency\"",
    "\"candidates\"",
    "\"generate\"",
    "\"mobile\"",
    "\"hammerbench\"",
    "model = ",
    "concurrency = ",
    "timeout = \"30s\"\n",
    "price = { input = 0.1 }\n",
    "# --set seed=",
    "# --set ",
    "stage.toolkits.",
    "temperature = ",
    "= 1\n",
    "\n",
    "\"",
    "'''",
    "\"\"\"",
    "[",
    "]",
    "{",
    "}",
    ".",
    "=",
    "#",
    "\\u00e9",
    "a.b.c",
    "true",
    "[\"a\"]",
    "1979-05-27T07:32:00Z",
    "accept = \"rouge_or_judge\"\n",
    "want = ",
    "budget = ",
    "requests_per_minute = ",
];

/// Whole lines in a likely order.
fn lines(chance: &mut Chance) -> String {
    let mut text = String::from("[pipeline]\nname = \"x\"\n");
    for _ in 0..=chance.few(6) {
        let kind = chance.pick(&[
            "toolkits",
            "toolset",
            "perfect_queries",
            "parameters",
            "consistency",
            "candidates",
            "imperfect_queries",
            "script",
        ]);
        writeln!(text, "[[stage]]\nkind = \"{kind}\"").unwrap();
        for _ in 0..chance.few(3) {
            let key = chance.pick(&[
                "per_tool", "name", "from", "path", "want", "model", "budget", "accept", "rouge_l", "retries", "seeds",
            ]);
            let value = match chance.below(4) {
                0 => chance.pick(odd::NUMBERS).to_owned(),
                1 => write::json(chance, 2),
                2 => "\"mobile\"".to_owned(),
                _ => "4".to_owned(),
            };
            writeln!(text, "{key} = {value}").unwrap();
        }
    }
    text
}

#[test]
fn pipeline_files() {
    let mut seeds = files("tests/fixtures/pipelines", ".toml");
    seeds.push(SMALL.to_owned());
    seeds.extend(files("pipelines", ".toml").into_iter().filter(|text| text.len() < 3_000));
    let files = Files::within(fcgen::assets(), "tests/fixtures/pipelines");
    Target { name: "pipeline", seeds, words: WORDS, make: lines, longest: 16 << 10, usual: 100 }.drive(text(|input| {
        let overrides: Overrides = input.lines().filter_map(|line| line.strip_prefix("# --set ")).collect();
        let load = |text: &str| load_with(text, "mine.toml", &overrides, &files);
        match load(input) {
            Ok(plan) => {
                let recipe: Recipe = serde_json::from_str(&serde_json::to_string(&plan.recipe).unwrap()).unwrap();
                assert_eq!(recipe, plan.recipe);
                let written = toml::from_str::<toml::Table>(input).expect("what loads is TOML").to_string();
                let again =
                    load(&written).unwrap_or_else(|problems| panic!("{problems}\nonce it is written as\n{written}"));
                assert_eq!(placeless(again), placeless(plan.clone()));
                format!("{} stages, {} emitted", plan.stages.len().min(4), plan.emitted().len().min(3))
            }
            Err(problems) => {
                assert!(problems.count() > 0);
                let source = Source::new("mine.toml", input, &overrides);
                for problem in problems.iter() {
                    let spot = source.spot(&problem.span).expect("a problem has a place");
                    assert!(spot.text.get(spot.offset..).is_some(), "{problem:?}");
                    assert!(spot.line.is_none_or(|line| line <= input.matches('\n').count() + 1), "{problem:?}");
                    assert!(problem.message.chars().next().is_some_and(|letter| !letter.is_uppercase()), "{problem:?}");
                }
                let shown = problems.to_string();
                assert!(shown.contains("error: "), "{shown}");
                problems.iter().map(|problem| problem.message.clone()).take(2).collect::<Vec<_>>().join("; ")
            }
        }
    }));
}

/// A plan as text, without the places of its parts in the file and without the file.
fn placeless(plan: Plan) -> String {
    let shown = format!("{:?}", Plan { recipe: Recipe::default(), ..plan });
    let mut kept = String::with_capacity(shown.len());
    for part in shown.split("span: ") {
        let is_place = |letter: char| letter.is_ascii_digit() || letter == '.';
        kept.push_str(part.trim_start_matches(is_place));
    }
    kept
}

const SMALL: &str = r#"[pipeline]
name = "small"
locale = "en"
seed = 7
scale = 2

[model.generator]
provider = "grammar"

[[stage]]
kind = "toolkits"

[[stage]]
kind = "perfect_queries"
per_tool = 4

[[stage]]
kind = "parameters"

[[stage]]
kind = "consistency"
accept = "rouge_or_judge"

[[stage]]
kind = "candidates"
"#;
