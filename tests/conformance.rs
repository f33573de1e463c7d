//! Our scorers against the authors' own evaluators, on the vectors that lie beside the repository (`../shared/vectors`, or
//! below the folder that `FCGEN_SHARED` names). Where they do not, a word says that nothing was compared.

#![expect(clippy::unwrap_used, reason = "a test stops at whatever it did not expect")]

use fcgen::format::{Bench, Predictions};
use fcgen::record::{Number, Object, Provenance, Value, Verdict};
use fcgen::suite::callnavi::{self, Answers, Level};
use fcgen::suite::complexfunc;
use fcgen::suite::complexfunc::metric::{Dialect, Similarity};
use fcgen::suite::hammerbench::metric::upstream::Flag;
use fcgen::suite::hammerbench::{Board, Options, Profile, score};
use fcgen::suite::{Question, Replies, verdicts};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// How near figures must be: the authors add a trace to some denominators.
const NEAR: f64 = 1e-6;

fn shared() -> PathBuf {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared");
    std::env::var_os("FCGEN_SHARED").map_or(beside, PathBuf::from)
}

/// The sets of a suite's vectors; nothing where there are none.
#[expect(clippy::print_stdout, reason = "a test that compared nothing should say so")]
fn sets(suite: &str) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(shared().join("vectors").join(suite)) else {
        println!("skipped: no vectors of {suite} below {}", shared().display());
        return Vec::new();
    };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let set = |name: String| Some(name.strip_prefix("expected-")?.strip_suffix(".json")?.to_owned());
    names.filter_map(set).collect()
}

/// Our lines by their keys.
fn lines(suite: &str, set: &str) -> BTreeMap<String, Object> {
    let mut lines = BTreeMap::new();
    let mut take = |line: Object| {
        let key = line["key"].as_str().unwrap().to_owned();
        assert!(lines.insert(key.clone(), line).is_none(), "{key} comes twice");
    };
    verdicts(fcgen::assets(), suite, &shared().join("vectors"), set, &mut take).unwrap();
    lines
}

fn expected(suite: &str, file: &str) -> String {
    std::fs::read_to_string(shared().join("vectors").join(suite).join(file)).unwrap()
}

fn object(text: &str) -> Object {
    Value::read_lenient(text).unwrap().0.as_object().unwrap().clone()
}

/// Every field that the authors' evaluator gave must be ours too.
fn agrees(place: &str, wanted: &Object, ours: &Object) -> usize {
    for (name, value) in wanted {
        let given = ours.get(name).unwrap_or(&Value::Null);
        assert!(given.equals(value), "{place}, {name}: {given} and not {value}");
    }
    wanted.len()
}

/// The same for figures, which need only be near. What the authors' program could not compute is not compared.
fn figures_agree(place: &str, wanted: &Object, ours: &Object) -> usize {
    let ill_defined = ["string_ratio", "string_ratio_2"];
    let is_conversation = place.starts_with("conversation");
    let compared = wanted.iter().filter(|(name, _)| !(is_conversation && ill_defined.contains(&name.as_str())));
    let mut count = 0;
    for (name, value) in compared {
        let Some(number) = value.as_number() else { continue };
        let given = ours.get(name).and_then(Value::as_number).map_or(f64::NAN, Number::as_f64);
        assert!((given - number.as_f64()).abs() <= NEAR, "{place}, {name}: {given} and not {number:?}");
        count += 1;
    }
    count
}

fn items(list: &Value) -> impl Iterator<Item = &Object> {
    list.as_list().unwrap().iter().map(|item| item.as_object().unwrap())
}

#[test]
fn hammerbench_items_are_judged_as_the_authors_judge_them() {
    for set in sets("hammerbench") {
        let (wanted, ours) =
            (object(&expected("hammerbench", &format!("expected-{set}.json"))), lines("hammerbench", &set));
        let mut fields = 0;
        for item in items(&wanted["items"]) {
            let key = item["key"].as_str().unwrap();
            fields += agrees(key, item, &ours[key]);
        }
        let mut by_chinese = 0;
        for item in items(&wanted["items_ko_with_zh_metric"]).filter(|item| item.contains_key("args_ok")) {
            let key = item["key"].as_str().unwrap();
            assert!(ours[key]["args_ok_by_zh_metric"].equals(&item["args_ok"]), "{key} by the Chinese metric");
            by_chinese += 1;
        }
        println!("hammerbench {set}: {fields} fields of items, {by_chinese} by the Chinese metric: all agree");
    }
}

#[test]
fn hammerbench_texts_are_parsed_and_arguments_compared_as_the_authors_do() {
    for set in sets("hammerbench") {
        let ours = lines("hammerbench", &set);
        for name in ["parse", "compare"] {
            let text = expected("hammerbench", &format!("{name}-{set}.jsonl"));
            for (ordinal, line) in text.lines().enumerate() {
                let (key, wanted) = (format!("{name}/{ordinal}"), object(line));
                assert!(ours[&key]["expect"].equals(&wanted["expect"]), "{key}: {} for {line}", ours[&key]["expect"]);
                let Some(f) = wanted.get("rouge_l_f").and_then(Value::as_object) else { continue };
                for (language, value) in f {
                    let (value, given) =
                        (value.as_number().unwrap(), &ours[&key]["rouge_l_f"].as_object().unwrap()[language]);
                    let difference = value.as_f64() - given.as_number().unwrap().as_f64();
                    assert!(difference.abs() < 1e-12, "{key}, {language}: {given} for {line}");
                }
            }
            println!("hammerbench {set}: {} of {name}: all agree", text.lines().count());
        }
    }
}

#[test]
fn hammerbench_figures_of_both_levels_are_the_authors() {
    for set in sets("hammerbench") {
        let (wanted, ours) =
            (object(&expected("hammerbench", &format!("expected-{set}.json"))), lines("hammerbench", &set));
        let mut figures = 0;
        for (group, levels) in wanted["snapshot_level_HEAD_52c0c79"].as_object().unwrap() {
            let place = format!("snapshot_level/{group}");
            figures +=
                figures_agree(&place, levels.as_object().unwrap()["repaired"].as_object().unwrap(), &ours[&place]);
        }
        for (group, flags) in wanted["conversation_level_9e1b0bf"].as_object().unwrap() {
            for (flag, wanted) in flags.as_object().unwrap() {
                let place = format!("conversation_level/{group}/{flag}");
                // Where the authors' program breaks off there is nothing to compare with.
                let Some(wanted) = wanted.as_object().filter(|wanted| !wanted.contains_key("crash")) else { continue };
                figures += figures_agree(&place, wanted, &ours[&place]);
            }
        }
        figures += figures_agree(
            "intent_shift_ours",
            wanted["intent_shift_ours"].as_object().unwrap(),
            &ours["intent_shift_ours"],
        );
        println!("hammerbench {set}: {figures} figures: all agree");
    }
}

/// The vectors' cases as a folder in the authors' later layout: a snapshot an item, without marked turns.
fn as_folder(folder: &Path) {
    let text = expected("hammerbench", "cases.jsonl");
    let mut files: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in text.lines() {
        let case = object(line);
        let kind = if case["data_type"].as_str().unwrap().contains("ST-") { "single-turn" } else { "multi-turn" };
        let wanted = ["id", "messages", "multiple_tools", "single_tool"];
        let item: Object = wanted.iter().map(|name| ((*name).to_owned(), case[*name].clone())).collect();
        let path = format!("data/{}/{kind}.json", case["lang"].as_str().unwrap());
        files.entry(path).or_default().push(Value::Object(item).to_string());
    }
    for (path, items) in files {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, format!("[{}]", items.join(","))).unwrap();
    }
}

#[test]
fn hammerbench_folders_and_logs_have_the_same_figures() {
    for set in sets("hammerbench") {
        let folder = tempfile::tempdir().unwrap();
        as_folder(folder.path());
        let bench = Bench::open(folder.path()).unwrap();
        let log = shared().join(format!("vectors/hammerbench/predictions-{set}.jsonl"));
        let predictions = Predictions::open(&log).unwrap();
        let wanted = object(&expected("hammerbench", &format!("expected-{set}.json")));
        let mut compared = 0;
        for locale in ["en", "zh", "ko"] {
            let options = Options { profile: Profile::Upstream, locale: Some(locale.to_owned()), ..Options::default() };
            let mut board = Board::new(locale, Profile::Upstream);
            score(&bench, &predictions, 0, &mut board, &options, &mut Replies::default(), &mut |_| Ok(())).unwrap();
            assert_eq!((board.counts.coverage.missing, board.counts.coverage.unreadable.len()), (0, 0));
            for (group, flags) in wanted["conversation_level_9e1b0bf"].as_object().unwrap() {
                let Some(data_type) = group.strip_prefix(&format!("{locale}/")) else { continue };
                let data_type = data_type.replace("ST-", "ST_").replace("ir-", "ir_").replace("SO-", "SO_");
                for (name, flag) in [("all", Flag::All), ("0", Flag::First), ("-1", Flag::Last)] {
                    let wanted = flags.as_object().unwrap()[name].as_object().unwrap();
                    if wanted.contains_key("crash") || !board.conversations.contains_key(&data_type) {
                        continue;
                    }
                    let figures = board.figures(board.of(&[&data_type]).map(|(_, it)| it), flag);
                    let ours = [
                        ("func_acc", figures.func_acc),
                        ("acc", figures.acc),
                        ("phr", figures.phr),
                        ("pmr", figures.pmr),
                        ("pr", figures.pr),
                        ("sr", figures.sr),
                        ("rejection_rate", figures.refusals),
                    ];
                    for (figure, ours) in ours {
                        let ours = ours.map_or(0.0, |it| it.value);
                        let theirs = wanted[figure].as_number().unwrap().as_f64();
                        assert!((ours - theirs).abs() <= NEAR, "{group}, {name}, {figure}: {ours} and not {theirs}");
                        compared += 1;
                    }
                }
            }
        }
        println!("hammerbench {set}: {compared} figures from folder and log: all agree");
    }
}

/// The fields of a case that the authors' scripts gave, by name; what they were given is not compared.
fn gave(case: &Object) -> Object {
    let given = ["n", "ground_truth", "predict", "repair_reply", "reply", "runs", "quirk"];
    case.iter()
        .filter(|(name, _)| !given.contains(&name.as_str()))
        .map(|(name, it)| (name.clone(), it.clone()))
        .collect()
}

/// The name of an error need not be ours; that there is one must.
fn agrees_but_for_errors_names(place: &str, wanted: &Object, ours: &Object) -> usize {
    let mut wanted = gave(wanted);
    if let Some(error) = wanted.shift_remove("error") {
        assert_eq!(error.is_null(), ours["error"].is_null(), "{place}, error: {} and not {error}", ours["error"]);
    }
    1 + agrees(place, &wanted, ours)
}

#[test]
fn callnavi_items_are_judged_as_the_authors_judge_them() {
    for set in sets("callnavi").into_iter().filter(|set| !set.starts_with("stability")) {
        let (wanted, ours) = (object(&expected("callnavi", &format!("expected-{set}.json"))), lines("callnavi", &set));
        let (mut fields, mut count) = (0, 0);
        for (run, figures) in wanted["runs"].as_object().unwrap() {
            for item in items(&figures.as_object().unwrap()["items"]) {
                let key = format!("{run}/{}", item["id"].as_str().unwrap());
                fields += agrees_but_for_errors_names(&key, item, &ours[&key]);
                count += 1;
            }
        }
        println!("callnavi {set}: {fields} fields of {count} items: all agree");
    }
}

#[test]
fn callnavi_odd_cases_are_judged_as_the_authors_judge_them() {
    for set in sets("callnavi").into_iter().filter(|set| !set.starts_with("stability")) {
        let ours = lines("callnavi", &set);
        let yaml = expected("callnavi", "edge-yaml.json");
        let mut parts = vec![("edge-yaml".to_owned(), Value::read(&yaml).unwrap())];
        let examples = expected("callnavi", "stability-paper-examples.json");
        parts.push(("example".to_owned(), Value::read(&examples).unwrap()));
        let edge = shared().join(format!("vectors/callnavi/edge-{set}.json"));
        if edge.is_file() {
            parts.extend(object(&std::fs::read_to_string(edge).unwrap()));
        }
        for (name, cases) in parts {
            for (at, case) in items(&cases).enumerate() {
                let key = format!("{name}/{at}");
                agrees_but_for_errors_names(&key, case, &ours[&key]);
            }
            println!("callnavi {set}: {} of {name}: all agree", cases.as_list().unwrap().len());
        }
    }
}

#[test]
fn callnavi_stability_is_the_papers() {
    for set in sets("callnavi").into_iter().filter_map(|set| set.strip_prefix("stability-").map(str::to_owned)) {
        let wanted = object(&expected("callnavi", &format!("expected-stability-{set}.json")));
        let ours = lines("callnavi", &format!("stability-{set}"));
        let mut count = 0;
        for item in items(&wanted["items"]) {
            let place = format!("stability/{}", item["id"].as_str().unwrap());
            for name in ["election_raw", "election_norm", "levenshtein_raw", "levenshtein_norm"] {
                let number = |of: &Object| of[name].as_number().map(Number::as_f64);
                let (wanted, ours) = (number(item), number(&ours[&place]));
                let is_near = wanted.zip(ours).is_some_and(|(one, other)| (one - other).abs() < 1e-12);
                assert!(is_near || wanted == ours, "{place}, {name}: {ours:?} and not {wanted:?}");
                count += 1;
            }
        }
        println!("callnavi {set}: {count} measures of stability: all agree");
    }
}

/// The vectors' questions as samples; nobody says from what their APIs are chosen.
fn as_samples(folder: &Path) -> Bench {
    let text = expected("callnavi", "questions.jsonl");
    let sample = |line: &str| {
        let question = object(line);
        let text = |name: &str| question[name].as_str().unwrap().to_owned();
        let truth = question["ground_truth"].as_object().unwrap();
        let (names, parameters) = (truth["API"].as_list().unwrap(), truth["parameters"].as_list().unwrap());
        let arguments = |at: usize| parameters.get(at).cloned().unwrap_or_else(|| Value::Object(Object::new()));
        let call = |(at, name): (usize, &Value)| {
            format!(r#"{{"calls": [{{"name": {name}, "arguments": {}}}], "answers": []}}"#, arguments(at))
        };
        let steps: Vec<String> = names.iter().enumerate().map(call).collect();
        let mut provenance = Provenance::default();
        if names.len() != parameters.len() {
            provenance.facts.insert("parameters".to_owned(), truth["parameters"].to_string());
        }
        format!(
            r#"{{"id": "{}", "suite": "callnavi", "data_type": "{1}", "difficulty": "{1}", "locale": "en", "candidates": [], "group": "{2}", "licence": "", "source": "", "messages": [{{"role": "user", "content": {3}}}], "expected": {{"steps": [{4}]}}, "provenance": {5}}}"#,
            text("id"),
            text("difficulty"),
            text("domain"),
            Value::from(text("question")),
            steps.join(", "),
            serde_json::to_string(&provenance).unwrap(),
        )
    };
    let lines: Vec<String> = text.lines().map(sample).collect();
    std::fs::write(folder.join("samples.jsonl"), lines.join("\n")).unwrap();
    Bench::open(folder).unwrap()
}

fn row(id: &str, run: usize, task: &str, text: &Value) -> String {
    format!(r#"{{"id": "{id}", "run": {run}, "task": "{task}", "turns": [{{"content": {text}}}]}}"#)
}

/// Predictions of one run as lines of ours, and what a repairer and a judge said to each question.
fn as_answers(folder: &Path, predictions: &[Object]) -> (Answers, BTreeMap<(Question, String), String>) {
    let (mut lines, mut said) = (Vec::new(), BTreeMap::new());
    for prediction in predictions {
        let id = prediction["id"].as_str().unwrap();
        lines.push(row(id, 0, "parameters", &prediction["predict"]));
        lines.push(row(id, 0, "routing", &prediction["route_predict"]));
        for (question, name) in [(Question::Repair, "repair_reply"), (Question::Judge, "judge_reply")] {
            said.insert((question, id.to_owned()), prediction[name].as_str().unwrap().to_owned());
        }
    }
    let path = folder.join("predictions.jsonl");
    std::fs::write(&path, lines.join("\n")).unwrap();
    (Answers::open(&path).unwrap(), said)
}

/// Scores with a repairer and a judge at hand.
fn scored(
    bench: &Bench,
    answers: &Answers,
    profile: callnavi::Profile,
    said: &BTreeMap<(Question, String), String>,
) -> (callnavi::Board, usize, Vec<Object>) {
    let options = callnavi::Options { profile, ..callnavi::Options::default() };
    let (mut replies, mut repairs) = (Replies::default(), 0);
    for question in [Question::Repair, Question::Judge] {
        replies.ask_for(question);
        replies.again();
        callnavi::score(bench, answers, "m", &options, &mut replies, &mut |_| Ok(())).unwrap();
        let open = replies.take_open(question);
        repairs += usize::from(question == Question::Repair) * open.len();
        for pending in open {
            replies.add(&pending.answered(said[&(question, pending.id.clone())].clone(), "stub"));
        }
    }
    let mut items = Vec::new();
    let mut give = |verdict: &dyn Fn() -> Verdict| {
        items.push(verdict().line);
        Ok(())
    };
    let mut scored = callnavi::score(bench, answers, "m", &options, &mut replies, &mut give).unwrap();
    (scored.boards.remove(0), repairs, items)
}

/// The runs of a set, each with its predictions.
fn runs(set: &str) -> BTreeMap<String, Vec<Object>> {
    let mut runs: BTreeMap<String, Vec<Object>> = BTreeMap::new();
    for line in expected("callnavi", &format!("predictions-{set}.jsonl")).lines() {
        let prediction = object(line);
        runs.entry(prediction["run"].as_str().unwrap().to_owned()).or_default().push(prediction);
    }
    runs
}

#[test]
fn callnavi_files_have_the_figures_that_the_authors_scripts_print() {
    for set in sets("callnavi").into_iter().filter(|set| !set.starts_with("stability")) {
        let wanted = object(&expected("callnavi", &format!("expected-{set}.json")));
        let folder = tempfile::tempdir().unwrap();
        let bench = as_samples(folder.path());
        let mut compared = 0;
        for (run, predictions) in runs(&set) {
            let (answers, said) = as_answers(folder.path(), &predictions);
            let (board, repairs, _) = scored(&bench, &answers, callnavi::Profile::UpstreamPaper, &said);
            let figures = wanted["runs"].as_object().unwrap()[&run].as_object().unwrap();
            let printed = figures["upstream_printed"].as_object().unwrap();
            let share = |tally, level| board.share(tally, level).unwrap().value;
            let routing = |level| board.routing.share(level, None).unwrap().value;
            let mut near = |name: &str, wanted: &Value, ours: f64| {
                let wanted = wanted.as_number().unwrap().as_f64();
                assert!((ours - wanted).abs() < 1e-9, "{run}, {name}: {ours} and not {wanted}");
                compared += 1;
            };
            near("syntax", &printed["syntax_validity"], share(&board.syntax, Level::All));
            near("structure", &printed["structure"], share(&board.structure, Level::All));
            near("GPT", &printed["gpt_score"], board.judge.estimate().unwrap().value);
            near("macro", &figures["upstream_macro_ast"], board.macro_average(&board.ast).unwrap().value);
            for (name, level) in ["easy", "medium", "hard", "overall"].into_iter().zip(Level::EACH) {
                let of = |figure: &str| printed[figure].as_object().unwrap()[name].clone();
                near("calls", &of("call_in_para"), share(&board.order, level));
                near("AST", &of("ast"), share(&board.ast, level));
                near("routing", &of("routing"), routing(level));
            }
            assert!(figures["repair_calls"].equals(&i64::try_from(repairs).unwrap().into()), "{run}");
            let crashes = &figures["crashes"].as_object().unwrap()["count"];
            assert!(crashes.equals(&i64::try_from(board.counts.aborted).unwrap().into()), "{run}");
        }
        println!("callnavi {set}: {compared} printed figures: all agree");
    }
}

/// What no reading of our own may take for right, whatever Python does with it.
#[test]
fn callnavi_oddities_of_python_are_wrong_by_our_own_rules() {
    for set in sets("callnavi").into_iter().filter(|set| !set.starts_with("stability")) {
        let wanted = object(&expected("callnavi", &format!("expected-{set}.json")));
        let folder = tempfile::tempdir().unwrap();
        let bench = as_samples(folder.path());
        let mut compared = 0;
        for (run, predictions) in runs(&set) {
            let (answers, said) = as_answers(folder.path(), &predictions);
            let (board, _, items_of_run) = scored(&bench, &answers, callnavi::Profile::Strict, &said);
            let ours: BTreeMap<&str, &Object> =
                items_of_run.iter().map(|it| (it["id"].as_str().unwrap(), it)).collect();
            for item in items(&wanted["runs"].as_object().unwrap()[&run].as_object().unwrap()["items"]) {
                let it = ours[item["id"].as_str().unwrap()];
                let kind = item["kind"].as_str().unwrap();
                if let Some(quirk) = item.get("quirk").and_then(Value::as_object) {
                    let ours = Value::List(["order", "structure", "ast"].map(|name| it[name].clone()).to_vec());
                    assert!(ours.equals(&quirk["strict_reading"]), "{run}, {kind}: {ours}");
                    compared += 1;
                }
                if kind.starts_with("correct") {
                    assert!(it["ast"] == true.into(), "{run}, {kind}: {it:?}");
                    compared += 1;
                }
                assert!(it["ast"] == true.into() || it["reason"].as_str().is_some_and(|it| !it.is_empty()), "{it:?}");
            }
            assert_eq!(board.ast.counts(Level::All).1, 729);
        }
        println!("callnavi {set}: {compared} items by our own rules: all agree");
    }
}

#[test]
fn callnavi_stability_of_a_file_is_the_mean_over_its_questions() {
    for set in sets("callnavi").into_iter().filter_map(|set| set.strip_prefix("stability-").map(str::to_owned)) {
        let means = object(&expected("callnavi", &format!("expected-stability-{set}.json")));
        let means = means["means"].as_object().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let bench = as_samples(folder.path());
        let text = expected("callnavi", &format!("stability-{set}.jsonl"));
        let lines = text.lines().flat_map(|line| {
            let of = object(line);
            let id = of["id"].as_str().unwrap().to_owned();
            let runs = of["runs"].as_list().unwrap().to_vec();
            runs.into_iter().enumerate().map(move |(run, text)| row(&id, run, "parameters", &text))
        });
        std::fs::write(folder.path().join("predictions.jsonl"), lines.collect::<Vec<_>>().join("\n")).unwrap();
        let answers = Answers::open(&folder.path().join("predictions.jsonl")).unwrap();
        let options = callnavi::Options::default();
        let scored =
            callnavi::score(&bench, &answers, "m", &options, &mut Replies::default(), &mut |_| Ok(())).unwrap();
        let steadiness = scored.steadiness.unwrap();
        for (level, name) in Level::EACH.into_iter().zip(["easy", "medium", "hard", "all"]) {
            let ours = steadiness.means(level).map(|it| it.unwrap().value);
            let measures = ["election_raw", "election_norm", "levenshtein_raw", "levenshtein_norm"];
            for (measure, ours) in measures.into_iter().zip(ours) {
                let wanted = means[measure].as_object().unwrap()[name].as_number().unwrap().as_f64();
                assert!((ours - wanted).abs() < 1e-9, "{name}, {measure}: {ours} and not {wanted}");
            }
        }
        println!("callnavi {set}: stability of {} runs of a file: all agree", steadiness.runs);
    }
}

/// The names in a set come in any order in the authors' messages, and two of their messages hold dumps of objects.
fn plain(value: &Value) -> Value {
    match value {
        Value::String(text) => {
            match text.split_once(" {").and_then(|(start, rest)| Some((start, rest.strip_suffix("}")?))) {
                Some((start, names)) => {
                    let mut names: Vec<&str> = names.split(", ").collect();
                    names.sort_unstable();
                    format!("{start} {{{}}}", names.join(", ")).into()
                }
                None => value.clone(),
            }
        }
        Value::List(list) => list.iter().map(plain).collect::<Vec<_>>().into(),
        Value::Object(fields) => {
            let is_dump = |kind: &Value| matches!(kind.as_str(), Some("decode_error" | "name_error"));
            let dumps = fields.get("error_type").is_some_and(is_dump);
            let kept = fields.iter().filter(|(name, _)| !(dumps && *name == "content"));
            Value::Object(kept.map(|(name, value)| (name.clone(), plain(value))).collect())
        }
        other => other.clone(),
    }
}

/// The same, with numbers that need only be near.
fn is_near(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => (one.as_f64() - other.as_f64()).abs() < 2e-9,
        (Value::List(one), Value::List(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_near(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(name, it)| other.get(name).is_some_and(|other| is_near(it, other)))
        }
        _ => one == other,
    }
}

#[test]
fn complexfuncbench_trajectories_are_judged_as_the_authors_judge_them() {
    for set in sets("complexfuncbench") {
        let wanted = object(&expected("complexfuncbench", &format!("expected-{set}.json")));
        let ours = lines("complexfuncbench", &set);
        let (mut fields, mut runs) = (0, 0);
        for (id, by_dialect) in wanted["results"].as_object().unwrap() {
            for dialect in ["gpt", "qwen", "claude"] {
                let key = format!("{id}/{dialect}");
                for (name, value) in by_dialect.as_object().unwrap()[dialect].as_object().unwrap() {
                    let given = ours[&key].get(name).unwrap_or(&Value::Null);
                    assert!(is_near(&plain(given), &plain(value)), "{key}, {name}:\n{given}\nand not\n{value}");
                    fields += 1;
                }
                runs += 1;
            }
        }
        assert_eq!(ours.len(), runs);
        println!("complexfuncbench {set}: {fields} fields of {runs} runs: all agree");
    }
}

/// What `fcgen score` counts over the trajectories of a set, by one runner's rules.
fn complexfuncbench_board(set: &str, dialect: Dialect) -> complexfunc::Board {
    let folder = shared().join("vectors/complexfuncbench");
    let file = |name: &str| folder.join(name);
    let profile =
        complexfunc::Profile { similarity: Similarity::Trigram256, ..complexfunc::Profile::upstream(dialect) };
    let options = complexfunc::Options {
        profile,
        settings: complexfunc::settings_of(fcgen::assets(), &folder).unwrap().into(),
        answers: complexfunc::Answers::read(&file(&format!("api-{set}.json"))).unwrap(),
        judge: complexfunc::JudgeRule::beside(&file("toolset.json")),
        ..complexfunc::Options::default()
    };
    let recordings = complexfunc::Recordings::open(&file(&format!("trajectories-{set}.jsonl"))).unwrap();
    let (bench, mut board) = (Bench::open(&folder).unwrap(), complexfunc::Board::new("ours", profile));
    let mut helpers = complexfunc::Helpers::default();
    complexfunc::score(&bench, &recordings, 0, &mut board, &options, &mut helpers, &mut |_| Ok(())).unwrap();
    board
}

#[test]
fn complexfuncbench_figures_are_the_authors() {
    for set in sets("complexfuncbench") {
        let wanted = object(&expected("complexfuncbench", &format!("expected-{set}.json")));
        for dialect in Dialect::ALL {
            let board = complexfuncbench_board(&set, dialect);
            let summary = wanted["summary"].as_object().unwrap()[dialect.as_str()].as_object().unwrap();
            let (all, counts) = (board.all(), &board.counts);
            for (name, ours) in [
                ("recorded", counts.coverage.scored - counts.not_recorded - counts.crashed),
                ("not_recorded", counts.not_recorded),
                ("crashed", counts.crashed),
                ("success", all.successes),
                ("correct_calls", all.correct),
                ("total_calls", all.golden),
                ("success_turns", all.passed),
                ("total_turns", all.steps),
            ] {
                let wanted = summary[name].as_number().unwrap().as_str();
                assert_eq!(ours.to_string(), wanted, "{set}, {}, {name}", dialect.as_str());
            }
            let errors = summary["error_types"].as_object().unwrap();
            let ours: Object = counts
                .ends
                .iter()
                .map(|(name, count)| (name.clone(), Value::from(i64::try_from(*count).unwrap())))
                .collect();
            assert!(Value::from(ours.clone()).equals(&errors.clone().into()), "{set}, {}: {ours:?}", dialect.as_str());
        }
        println!("complexfuncbench {set}: figures of three runners agree");
    }
}

/// The fields of a line without the key that joins it.
fn without_key(line: &Object) -> Object {
    line.iter().filter(|(name, _)| *name != "key").map(|(name, it)| (name.clone(), it.clone())).collect()
}

#[test]
fn functionchat_items_are_judged_as_the_authors_judge_them() {
    for set in sets("functionchat") {
        let wanted = object(&expected("functionchat", &format!("expected-{set}.json")));
        let ours = lines("functionchat", &set);
        let (mut fields, mut count) = (0, 0);
        for (id, item) in wanted["items"].as_object().unwrap() {
            fields += agrees(id, item.as_object().unwrap(), &ours[id]);
            assert_eq!(item.as_object().unwrap().contains_key("raw_key"), ours[id].contains_key("raw_key"), "{id}");
            count += 1;
        }
        println!("functionchat {set}: {fields} fields of {count} items: all agree");
    }
}

#[test]
fn functionchat_totals_are_the_authors_key_for_key() {
    for set in sets("functionchat") {
        let wanted = object(&expected("functionchat", &format!("expected-{set}.json")));
        let ours = lines("functionchat", &set);
        let mut figures = 0;
        for (name, prefix) in
            [("score", ""), ("score_rule_only", "rule_only/"), ("human_vs_pipeline", "human_vs_pipeline/")]
        {
            for (section, wanted) in wanted[name].as_object().unwrap() {
                let (wanted, given) = (wanted.as_object().unwrap(), without_key(&ours[&format!("{prefix}{section}")]));
                figures += agrees(&format!("{prefix}{section}"), wanted, &given);
                assert_eq!(wanted.keys().collect::<Vec<_>>(), given.keys().collect::<Vec<_>>(), "{prefix}{section}");
            }
        }
        assert!(ours["judge_calls"]["judge_calls"].equals(&wanted["judge_calls"]));
        println!("functionchat {set}: {figures} totals: all agree");
    }
}

#[test]
fn functionchat_odd_cases_are_judged_by_both_rules() {
    for set in sets("functionchat") {
        let (cases, ours) = (object(&expected("functionchat", "edge-cases.json")), lines("functionchat", &set));
        for (at, case) in items(&cases["rule"]).enumerate() {
            let (line, name) = (&ours[&format!("rule/{at}")], case["case"].as_str().unwrap());
            assert_eq!(line["upstream_rule"], case["upstream_rule"], "{name}");
            let (sound, given) = (case["sound_rule"].as_str().unwrap(), line["strict_rule"].as_str().unwrap());
            // What is for a policy to say is named so, and decided by a flag.
            let word = given.split(' ').next().unwrap();
            assert!(sound.starts_with(word) || sound.contains("by policy"), "{name}: {given} and not {sound}");
        }
        for (at, case) in items(&cases["verdict"]).enumerate() {
            for name in ["upstream", "upstream_raw", "sound"] {
                assert_eq!(ours[&format!("verdict/{at}")][name], case[name], "{}: {name}", case["reply"]);
            }
        }
        println!("functionchat {set}: odd cases: all agree");
    }
}

#[test]
fn functionchat_is_read_as_meant_by_our_own_profile() {
    use fcgen::suite::Replies;
    use fcgen::suite::functionchat::metric::strict::{Judgement, read_reply};
    use fcgen::suite::functionchat::{Board, Grounds, Options, score};
    for set in sets("functionchat") {
        let folder = shared().join("vectors/functionchat");
        let grounds = Grounds::default().of("ko").unwrap();
        let judge = expected("functionchat", &format!("judge-{set}.jsonl"));
        for line in judge.lines().map(object) {
            let read = read_reply(line["reply"].as_str().unwrap(), &grounds.verdicts);
            let meant = line["judge_intends"].as_str().filter(|_| line["reply_form"].as_str() != Some("none"));
            assert_eq!(read.map(Judgement::as_str), meant, "{}", line["reply"]);
        }
        let (bench, predictions) = (
            Bench::open(&folder).unwrap(),
            Predictions::open(&folder.join(format!("predictions-{set}.jsonl"))).unwrap(),
        );
        let mut replies = Replies::default();
        replies.read(&folder.join(format!("judge-{set}.jsonl"))).unwrap();
        let mut board = Board::new(&set, fcgen::suite::functionchat::Profile::Strict);
        let mut decided = Vec::new();
        let mut take = |verdict: &dyn Fn() -> Verdict| {
            let line = verdict().line;
            let text = |name: &str| line[name].as_str().unwrap().to_owned();
            if line["judged"] == Value::Bool(false) && line["verdict"] != line["human"] {
                decided.push(format!("{} {}", text("id"), text("reason")));
            }
            Ok(())
        };
        score(&bench, &predictions, 0, &mut board, &Options::default(), &mut replies, &mut take).unwrap();
        // The labels look at the first of several calls alone.
        assert!(decided.iter().all(|it| it.ends_with(" extra_call")), "{decided:?}");
        let (authors, ours) = (object(&expected("functionchat", &format!("expected-{set}.json"))), board.judged());
        let theirs = authors["judge_calls"].as_number().unwrap().as_f64();
        println!("functionchat {set}: {} turns for the judge where the authors ask about {theirs}", ours.judged);
        assert!(ours.judged < 300 && ours.unparsed < 3);
    }
}

#[test]
fn bfcl_predictions_are_judged_as_the_authors_judge_them() {
    for set in sets("bfcl") {
        let (wanted, ours) = (object(&expected("bfcl", &format!("expected-{set}.json"))), lines("bfcl", &set));
        let (mut count, mut right) = (0, BTreeMap::<&str, (usize, usize)>::new());
        for item in items(&wanted["items"]) {
            let pid = item["pid"].as_str().unwrap();
            let given = &ours[pid];
            for name in ["valid", "error_type", "sub_error_types"] {
                assert_eq!(given.get(name), item.get(name), "{pid}, {name}");
            }
            let of = right.entry(given["category"].as_str().unwrap()).or_default();
            *of = (of.0 + usize::from(given["valid"] == Value::Bool(true)), of.1 + 1);
            count += 1;
        }
        for (category, figures) in wanted["category_accuracy"].as_object().unwrap() {
            let number = |name: &str| figures.as_object().unwrap()[name].as_number().unwrap().as_f64();
            let (correct, total) = right[category.as_str()];
            assert_eq!(
                (correct.to_string(), total.to_string()),
                (number("correct_count").to_string(), number("total_count").to_string())
            );
        }
        println!("bfcl {set}: {count} predictions of {} categories: all agree", right.len());
    }
}

#[test]
fn bfcl_texts_are_decoded_and_odd_cases_checked_as_the_authors_do() {
    for set in sets("bfcl") {
        let ours = lines("bfcl", &set);
        for (name, file, fields) in [
            ("decode", "decode-cases.jsonl", ["ok", "decoded_repr", "fc_format", "empty"].as_slice()),
            ("edge", "edge-cases.jsonl", ["valid", "error_type"].as_slice()),
        ] {
            let text = expected("bfcl", file);
            for (at, line) in text.lines().enumerate() {
                let (given, wanted) = (&ours[&format!("{name}/{at}")], object(line));
                for field in fields {
                    assert_eq!(given.get(*field), wanted.get(*field), "{name}/{at}, {field}: {line}");
                }
            }
            println!("bfcl {set}: {} of {name}: all agree", text.lines().count());
        }
    }
}

#[test]
fn confetti_calls_are_judged_as_bfcls_checker_judges_them() {
    for set in sets("confetti")
        .into_iter()
        .filter(|set| expected("confetti", &format!("expected-{set}.json")).contains("checker"))
    {
        let (wanted, ours) = (object(&expected("confetti", &format!("expected-{set}.json"))), lines("confetti", &set));
        let (mut count, mut crashes) = (0, 0);
        for item in items(&wanted["items"]) {
            let pid = item["pid"].as_str().unwrap();
            for name in ["valid", "error_type", "upstream_crash"] {
                assert_eq!(ours[pid].get(name), item.get(name), "{pid}, {name}");
            }
            count += 1;
            crashes += usize::from(item.contains_key("upstream_crash"));
        }
        println!("confetti {set}: {count} predictions, {crashes} at which upstream breaks off: all agree");
    }
}

#[test]
fn confetti_chains_have_their_scores() {
    for set in sets("confetti") {
        let path = shared().join(format!("vectors/confetti/soft-expected-{set}.json"));
        let Ok(text) = std::fs::read_to_string(path) else { continue };
        let (wanted, ours) = (object(&text), lines("confetti", &set));
        let number = |value: &Value| value.as_number().unwrap().as_f64();
        for (id, score) in wanted["item_scores"].as_object().unwrap() {
            let given = &ours[&format!("soft/{id}")]["item_score"];
            assert!((number(given) - number(score)).abs() < 1e-9, "{id}: {given} and not {score}");
        }
        let summary = &ours["summary"];
        for name in ["chains", "ast_soft", "item_mean"] {
            assert!((number(&summary[name]) - number(&wanted[name])).abs() < 1e-9, "{name}: {}", summary[name]);
        }
        for (length, figures) in wanted["by_chain_length"].as_object().unwrap() {
            let given = summary["by_chain_length"].as_object().unwrap()[length].as_list().unwrap();
            let is_same = given
                .iter()
                .zip(figures.as_list().unwrap())
                .all(|(one, other)| (number(one) - number(other)).abs() < 1e-9);
            assert!(is_same, "chains of {length}: {given:?} and not {figures}");
        }
        println!(
            "confetti {set}: {} calls and their chains: all agree",
            wanted["item_scores"].as_object().unwrap().len()
        );
    }
}

#[test]
fn confetti_string_scores_are_those_of_the_sixty_pairs() {
    let path = shared().join("vectors/confetti/softscore-60-pairs.json");
    let Ok(text) = std::fs::read_to_string(path) else { return };
    let names = [
        ("token_f1", "token F1"),
        ("rouge_l", "Rouge-L F"),
        ("chrf", "chrF (6,b=2)"),
        ("guarded_token_f1", "token F1 + number/id guard"),
        ("guarded_rouge_l", "Rouge-L + number/id guard"),
        ("guarded_chrf", "chrF + number/id guard"),
    ];
    let mut compared = 0;
    for pair in items(&object(&text)["pairs"]) {
        let (gold, predicted) = (pair["gold"].as_str().unwrap(), pair["pred"].as_str().unwrap());
        for (name, theirs) in names {
            let score =
                fcgen::suite::confetti::string_score(fcgen::assets(), name).unwrap().of(gold, predicted).unwrap();
            let wanted = pair["scores"].as_object().unwrap()[theirs].as_number().unwrap().as_f64();
            assert!((score - wanted).abs() < 6e-5, "{name} of {gold} and {predicted}: {score} and not {wanted}");
            compared += 1;
        }
    }
    println!("confetti: {compared} string scores: all agree");
}
