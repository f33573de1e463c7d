//! Our scorers against the authors' own evaluators, on the vectors that lie beside the repository (`../shared/vectors`, or
//! below the folder that `FCGEN_SHARED` names). Where they do not, a word says that nothing was compared.

#![expect(clippy::unwrap_used, reason = "a test stops at whatever it did not expect")]

use fcgen::format::{Bench, Predictions};
use fcgen::record::{Number, Object, Value};
use fcgen::score::hammerbench::upstream::Flag;
use fcgen::suite::hammerbench::{Board, Judgements, Options, Profile, score};
use fcgen::suite::verdicts;
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
    verdicts(suite, &shared().join("vectors"), set, &mut take).unwrap();
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
            score(&bench, &predictions, 0, &mut board, &options, &mut Judgements::default(), &mut |_| Ok(())).unwrap();
            assert_eq!((board.counts.missing, board.counts.unreadable.len()), (0, 0));
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
