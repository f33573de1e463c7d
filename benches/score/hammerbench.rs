//! HammerBench's snapshots. Four logs, as the authors' program was measured on: mostly equal values in English and in Chinese,
//! and values that nearly all differ a little, so that Rouge-L is computed for each.

use crate::timing::{Fallible, each_line, peak, timed};
use fcgen::record::Chance;
use fcgen::suite::hammerbench::layout::LogLine;
use fcgen::suite::hammerbench::metric::upstream::{
    Comparer, Conversations, Facts, Flag, Metric, Parser, Rules, Snapshots,
};
use fcgen::suite::hammerbench::{label_of, load_words, said_of};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use std::io::{BufWriter, Write};

/// Snapshots of one conversation.
const TURNS: usize = 4;

/// The least that anybody who scores must read of a line, by `serde_json`.
#[derive(Deserialize)]
struct Floor<'t> {
    #[serde(borrow, rename = "id")]
    _id: &'t str,
    #[serde(rename = "input")]
    _input: IgnoredAny,
    #[serde(rename = "multiple_tools", default)]
    _tools: Option<IgnoredAny>,
    #[serde(rename = "predict")]
    _predict: String,
    #[serde(borrow, rename = "label")]
    _label: &'t RawValue,
}

/// Writes logs of so many snapshots, and times their scoring.
pub(crate) fn run(count: usize) -> Fallible<()> {
    println!("HammerBench: {count} snapshots, 1 thread");
    println!("log                  MiB  items/s  of which JSON floor  peak MiB  authors' items/s  ratio");
    let logs = [
        ("en, mostly equal", Values { locale: "en", changed: 0.1 }, [33_000.0, 10_500.0]),
        ("zh, mostly equal", Values { locale: "zh", changed: 0.1 }, [53_000.0, 10_500.0]),
        ("en, Rouge on all", Values { locale: "en", changed: 1.0 }, [13_500.0, 10_500.0]),
        ("zh, Rouge on all", Values { locale: "zh", changed: 1.0 }, [11_700.0, 10_500.0]),
    ];
    for (name, values, authors) in logs {
        let path = std::env::temp_dir().join(format!("fcgen-bench-{}.jsonl", std::process::id()));
        values.write_log(&path, count)?;
        let size = std::fs::metadata(&path)?.len();
        let floor = timed(count, || read_floor(&path))?;
        let snapshot = timed(count, || score(&path, values.metric(), false))?;
        let conversation = timed(count, || score(&path, values.metric(), true))?;
        std::fs::remove_file(&path)?;
        for (level, rate, theirs) in [("snapshot", snapshot, authors[0]), ("conversation", conversation, authors[1])] {
            println!(
                "{name:<17} {:>6} {rate:>8.0} {floor:>20.0} {:>9.1} {theirs:>17.0} {:>6.1}  {level} level",
                size >> 20,
                peak()?,
                rate / theirs
            );
        }
    }
    Ok(())
}

fn read_floor(path: &std::path::Path) -> Fallible<f64> {
    let mut lines = 0.0;
    each_line(path, |line| {
        std::hint::black_box(serde_json::from_str::<Floor<'_>>(line)?);
        lines += 1.0;
        Ok(())
    })?;
    Ok(lines)
}

fn score(path: &std::path::Path, metric: Metric, by_conversation: bool) -> Fallible<f64> {
    let words = load_words(fcgen::assets())?;
    let rules = Rules { parser: Parser::Default, words: &words };
    let mut comparer = Comparer::new(metric);
    let (mut snapshots, mut conversations) = (Snapshots::default(), Conversations::new(Flag::All));
    let mut turns: Vec<(Facts, bool)> = Vec::new();
    each_line(path, |line| {
        let line = LogLine::read(line)?;
        let (Some(predict), Some(label)) = (line.predict, line.label.and_then(label_of)) else {
            return Err("a line without prediction or label".into());
        };
        let facts = rules.judge(&label, said_of(&predict), &mut comparer).facts;
        snapshots.add(&facts);
        if by_conversation {
            turns.push((facts, false));
            if turns.len() == TURNS {
                conversations.add(&turns);
                turns.clear();
            }
        }
        Ok(())
    })?;
    Ok(snapshots.figures().acc + conversations.figures().pr)
}

/// What stands in a log.
struct Values {
    locale: &'static str,
    /// How many values differ a little from the right ones.
    changed: f64,
}

impl Values {
    fn metric(&self) -> Metric {
        Metric::for_locale(self.locale)
    }

    /// Writes a log as the authors do: id, history, reply, label.
    fn write_log(&self, path: &std::path::Path, count: usize) -> Fallible<()> {
        let words: Vec<&str> = if self.locale == "zh" {
            "\u{660e}\u{5929} \u{65e9}\u{4e0a} \u{516b}\u{70b9} \u{53bb} \u{5317}\u{4eac} \u{897f}\u{7ad9} \u{9910}\u{5385} \u{4f1a}\u{8bae} \u{624b}\u{673a}".split(' ').collect()
        } else {
            "tomorrow morning Harbor Street station second Gallery meeting from the north entrance near Market"
                .split(' ')
                .collect()
        };
        let mut chance = Chance::new(7, "bench", self.locale, 0);
        let mut log = BufWriter::new(std::fs::File::create(path)?);
        for number in 0..count {
            let (conversation, turn) = (number / TURNS, number % TURNS + 1);
            let (label, said) = self.arguments(turn, &words, &mut chance);
            let reply =
                format!("```json\n{{\"name\": \"Navigation.MapSearch.findPlace\", \"arguments\": {{{said}}}}}\n```");
            let history: Vec<&str> = (0..12 * turn).map(|_| words[chance.below(words.len())]).collect();
            writeln!(
                log,
                "{{\"id\": \"Based_{conversation}_{turn}\", \"input\": {}, \"predict\": {}, \"label\": {{\"name\": \"Navigation.MapSearch.findPlace\", \"arguments\": {{{label}}}}}}}",
                serde_json::to_string(&format!("user:{}", history.join(" ")))?,
                serde_json::to_string(&reply)?,
            )?;
        }
        Ok(log.flush()?)
    }

    fn arguments(&self, slots: usize, words: &[&str], chance: &mut Chance) -> (String, String) {
        let (mut label, mut said) = (Vec::new(), Vec::new());
        for slot in 0..slots {
            let value: Vec<&str> = (0..5).map(|_| words[chance.below(words.len())]).collect();
            let mut other = value.clone();
            if chance.happens(self.changed) {
                other.push(words[chance.below(words.len())]);
            }
            label.push(format!("\"slot_{slot}\": \"{}\"", value.join(" ")));
            said.push(format!("\"slot_{slot}\": \"{}\"", other.join(" ")));
        }
        (label.join(", "), said.join(", "))
    }
}
