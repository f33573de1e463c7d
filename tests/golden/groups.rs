//! What is made: each shipped pipeline in each locale that it has, and what the other commands make of its run.

use crate::compare::{Kept, Product};
use crate::server::{Server, answer};
use crate::serving;
use fcgen::suite::verdicts;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Hashes of the files that a group leaves, by their names.
pub(crate) type Products = BTreeMap<String, Product>;

/// A pipeline in a locale, or the verdicts on test vectors.
pub(crate) struct Group {
    pub(crate) name: &'static str,
    source: Source,
    suite: Option<&'static Suite>,
    /// Whether three shards are merged as well.
    sharded: bool,
    /// The locale that its run is localized to.
    localized: Option<&'static str>,
}

enum Source {
    /// The arguments of `fcgen pipeline`; also run with defects.
    BuiltIn(&'static str),
    /// The same, where nothing is drawn by the built-in model.
    Recorded(&'static str),
    /// The same, with the model of `serving.rs`.
    Served(&'static str),
    /// The vectors of this suite beside the repository.
    Vectors(&'static str),
}

/// How a suite's samples are predicted and scored.
struct Suite {
    layout: &'static str,
    profiles: &'static [&'static str],
    /// Whether the built-in reader can be asked.
    readable: bool,
    /// Further arguments of `predict` by a word for the product.
    predict: &'static [(&'static str, &'static str)],
}

static HAMMER: Suite = Suite {
    layout: "hammerbench",
    profiles: &["strict", "upstream", "upstream-snapshot"],
    readable: true,
    predict: &[("prompt", "--mode prompt"), ("tools", "--mode tools"), ("gold", "--mode prompt --candidates upstream")],
};
static CALLNAVI: Suite = Suite {
    layout: "callnavi",
    profiles: &["strict", "upstream", "upstream-paper"],
    readable: true,
    predict: &[
        ("prompt", "--mode prompt"),
        ("tools", "--mode tools"),
        ("routing", "--mode prompt --task routing --candidates yaml"),
        ("yaml", "--mode prompt --answer yaml --candidates signature"),
        ("structured", "--mode prompt --structured"),
    ],
};
static COMPLEXFUNC: Suite = Suite {
    layout: "complexfuncbench",
    profiles: &["strict", "upstream", "upstream-qwen", "upstream-claude"],
    readable: false,
    predict: &[("tools", "--mode tools"), ("prompt", "--mode prompt")],
};
static FUNCTIONCHAT: Suite = Suite {
    layout: "functionchat",
    profiles: &["strict", "upstream"],
    readable: false,
    predict: &[("tools", "--mode tools"), ("prompt", "--mode prompt")],
};
static CONFETTI: Suite = Suite {
    layout: "confetti",
    profiles: &["strict", "upstream"],
    readable: false,
    predict: &[
        ("tools", "--mode tools"),
        ("prompt", "--mode prompt"),
        ("on-policy", "--mode tools --policy on_policy"),
    ],
};

const EXPORTS: [&str; 10] =
    ["trl", "trl-arrow", "openai", "llamafactory", "llamafactory-openai", "hermes", "xlam", "bfcl", "parquet", "csv"];
/// Exports with other settings, by a word for the product.
const SPECIAL: [(&str, &str); 5] = [
    ("snapshot", "--to trl --paradigm snapshot"),
    ("dpo", "--to trl --objective dpo"),
    ("rl", "--to trl --objective rl"),
    ("split", "--to openai --split 0.8,0.2 --mix all"),
    ("renamed", "--to trl --rename 0.5 --keep-duplicates"),
];

pub(crate) const GROUPS: &[Group] = &[
    Group::of("hammer-en", Source::BuiltIn("hammer --limit 14"), Some(&HAMMER)).sharded().localized("ko"),
    Group::of("hammer-ko", Source::BuiltIn("hammer --limit 14 --locale ko"), Some(&HAMMER)).localized("zh"),
    Group::of("hammer-zh", Source::BuiltIn("hammer --limit 14 --locale zh"), Some(&HAMMER)),
    Group::of("callnavi-en", Source::BuiltIn("callnavi --set scale=0.1"), Some(&CALLNAVI)).sharded().localized("ko"),
    Group::of("callnavi-ko", Source::BuiltIn("callnavi --set scale=0.1 --locale ko"), Some(&CALLNAVI)),
    Group::of("complexfunc-en", Source::BuiltIn("complexfunc --set scale=0.02"), Some(&COMPLEXFUNC)).sharded(),
    Group::of("complexfunc-ko", Source::BuiltIn("complexfunc --set scale=0.02 --locale ko"), Some(&COMPLEXFUNC)),
    Group::of("complexfunc-zh", Source::BuiltIn("complexfunc --set scale=0.02 --locale zh"), Some(&COMPLEXFUNC)),
    Group::of("functionchat-ko", Source::BuiltIn("functionchat"), Some(&FUNCTIONCHAT)).sharded().localized("en"),
    Group::of("functionchat-en", Source::BuiltIn("functionchat --locale en"), Some(&FUNCTIONCHAT)),
    Group::of("functionchat-zh", Source::BuiltIn("functionchat --locale zh"), Some(&FUNCTIONCHAT)),
    Group::of("functionchat-ja", Source::BuiltIn("functionchat --locale ja"), Some(&FUNCTIONCHAT)),
    Group::of("confetti-en", Source::BuiltIn("confetti --set scale=0.05"), Some(&CONFETTI)).sharded(),
    Group::of("confetti-ko", Source::BuiltIn("confetti --set scale=0.05 --locale ko"), Some(&CONFETTI)),
    Group::of("apis-en", Source::BuiltIn("apis"), Some(&CALLNAVI)).sharded(),
    Group::of("toolkits-en", Source::BuiltIn("toolkits"), None).sharded(),
    Group::of("generate-en", Source::BuiltIn("generate"), None).sharded(),
    Group::of("demo-en", Source::Recorded("demo"), Some(&HAMMER)),
    Group::of("complexfunc_model-en", Source::Served("complexfunc_model"), Some(&COMPLEXFUNC)),
    Group::of("vectors-bfcl", Source::Vectors("bfcl"), None),
    Group::of("vectors-callnavi", Source::Vectors("callnavi"), None),
    Group::of("vectors-complexfuncbench", Source::Vectors("complexfuncbench"), None),
    Group::of("vectors-confetti", Source::Vectors("confetti"), None),
    Group::of("vectors-functionchat", Source::Vectors("functionchat"), None),
    Group::of("vectors-hammerbench", Source::Vectors("hammerbench"), None),
];

impl Group {
    const fn of(name: &'static str, source: Source, suite: Option<&'static Suite>) -> Self {
        Self { name, source, suite, sharded: false, localized: None }
    }

    const fn sharded(self) -> Self {
        Self { sharded: true, ..self }
    }

    const fn localized(self, locale: &'static str) -> Self {
        Self { localized: Some(locale), ..self }
    }

    /// Makes everything in a folder of its own; nothing where the vectors that it is about are not at hand.
    pub(crate) fn make(&self, kept: &Kept) -> Option<Products> {
        let work = Work { folder: tempfile::tempdir().unwrap(), kept };
        match self.source {
            Source::BuiltIn(line) => {
                work.run(&format!("pipeline {line} --quiet --out run"));
                work.run(&format!("pipeline {line} --quiet --set model.generator.defect_rate=0.2 --out defects"));
                if self.sharded {
                    work.merge(line);
                }
            }
            Source::Recorded(line) => work.run(&format!("pipeline {line} --quiet --out run")),
            Source::Served(line) => {
                let server = Server::start(serving::model);
                let url = server.url();
                work.run(&format!(
                    "pipeline {line} --quiet --out run --model stub --base-url {url} --set model.generator.send_task=true {SERVED}"
                ));
                work.write("requests.jsonl", &server.requests());
            }
            Source::Vectors(suite) => work.verdicts(suite)?,
        }
        if let Some(locale) = self.localized {
            work.run(&format!("localize run --locale {locale} --quiet --out localized"));
        }
        if let Some(suite) = self.suite {
            work.look_at(suite);
            work.predict_and_score(suite);
        }
        Some(work.products())
    }
}

/// What the model of `serving.rs` can do of the shipped pipeline: two requests about hotels.
const SERVED: &str = "--set stage.coarse_queries.queries=2 --set stage.coarse_queries.least_steps=2 \
    --set stage.coarse_queries.spare=20 --set stage.coarse_queries.domains.hotels=2 \
    --set stage.coarse_queries.domains.flights=0 --set stage.coarse_queries.domains.attractions=0 \
    --set stage.coarse_queries.domains.car_rental=0 --set stage.coarse_queries.domains.cross=0";

struct Work<'k> {
    folder: tempfile::TempDir,
    kept: &'k Kept,
}

impl Work<'_> {
    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    /// Runs `fcgen` here; it must end well. Gives what it printed.
    fn fcgen(&self, line: &str) -> String {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fcgen"));
        command.args(line.split_whitespace()).current_dir(self.folder.path());
        let output = command.env_remove("OPENAI_API_KEY").env("NO_PROXY", "127.0.0.1").output().unwrap();
        assert!(output.status.success(), "fcgen {line}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    fn run(&self, line: &str) {
        self.fcgen(line);
    }

    fn merge(&self, line: &str) {
        for shard in 1..=3 {
            self.run(&format!("pipeline {line} --quiet --shard {shard}/3 --out shard-{shard}"));
        }
        self.run(&format!("merge shard-1 shard-2 shard-3 --pipeline {line} --quiet --out merged"));
    }

    /// Checks, exports and imports the run.
    fn look_at(&self, suite: &Suite) {
        self.write("check.json", &self.fcgen("check run --audit --format json"));
        for to in EXPORTS.into_iter().filter(|to| !self.has_no_rows(to)) {
            self.run(&format!("export run --allow-template --to {to} --out export-{to}"));
        }
        for (name, line) in SPECIAL {
            self.run(&format!("export run --allow-template {line} --out export-{name}"));
        }
        self.run(&format!("import run/benchmark --from {} --out imported.jsonl", suite.layout));
    }

    /// Requests in several steps are no rows of these.
    fn has_no_rows(&self, to: &str) -> bool {
        ["xlam", "bfcl"].contains(&to) && self.path("run/benchmark/ComplexFuncBench.jsonl").exists()
    }

    fn predict_and_score(&self, suite: &Suite) {
        if suite.readable {
            self.run("predict run --quiet --limit 60 --out predictions-reader.jsonl");
            self.score(suite, "reader");
        }
        let server = Server::start(answer);
        for (name, line) in suite.predict {
            let url = server.url();
            self.run(&format!(
                "predict run --quiet --limit 40 --model m --base-url {url} {line} --out predictions-{name}.jsonl"
            ));
            self.write(&format!("requests-{name}.jsonl"), &server.requests());
            self.score(suite, name);
        }
    }

    fn score(&self, suite: &Suite, name: &str) {
        for profile in suite.profiles {
            let items = format!("items-{name}-{profile}.jsonl");
            let table = self.fcgen(&format!(
                "score run --predictions predictions-{name}.jsonl --profile {profile} --items {items} --format json"
            ));
            self.write(&format!("score-{name}-{profile}.json"), &table);
        }
    }

    /// What our scorers give for the vectors, where they are at hand.
    fn verdicts(&self, suite: &str) -> Option<()> {
        let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared");
        let vectors = std::env::var_os("FCGEN_SHARED").map_or(beside, PathBuf::from).join("vectors");
        vectors.join(suite).is_dir().then_some(())?;
        let mut text = String::new();
        verdicts(fcgen::assets(), suite, &vectors, "A", &mut |line| {
            text += &fcgen::record::Value::Object(line).to_string();
            text.push('\n');
        })
        .unwrap();
        self.write("verdicts.jsonl", &text);
        Some(())
    }

    /// The hash of each file here, of a folder's files as one text.
    fn products(&self) -> Products {
        let mut products = Products::new();
        for path in entries(self.folder.path()) {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            if !path.is_dir() {
                products.insert(name, self.kept.keep(&fs::read(&path).unwrap()));
            } else if !name.starts_with("shard-") {
                for part in entries(&path).into_iter().filter(|part| !is_of_the_moment(part)) {
                    let name = format!("{name}/{}", part.file_name().unwrap().to_str().unwrap());
                    products.insert(name, self.kept.keep(&whole(&part)));
                }
            }
        }
        products
    }
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    entries
}

/// A file that tells of times, or of the order in which answers came.
fn is_of_the_moment(path: &Path) -> bool {
    let name = path.file_name().unwrap().to_str().unwrap();
    name.starts_with("run.db") || ["manifest.json", "progress.json"].contains(&name)
}

/// A file, or all files of a folder behind their names.
fn whole(path: &Path) -> Vec<u8> {
    if !path.is_dir() {
        return fs::read(path).unwrap();
    }
    let mut bytes = Vec::new();
    for part in entries(path) {
        bytes.extend(format!("== {}\n", part.file_name().unwrap().to_str().unwrap()).bytes());
        bytes.extend(whole(&part));
    }
    bytes
}
