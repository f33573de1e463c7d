//! A locale that is begun: it hides no other, and with a model three files are enough.

use super::bench::Bench;
use super::server::Server;
use std::time::Duration;

#[test]
fn a_started_locale_leaves_the_others_alone() {
    let bench = Bench::new();
    let begun = bench.must("locale new de --name German").stderr;
    assert!(begun.contains("3 files still in English"), "{begun}");
    assert!(bench.read("locales/de/language.toml").contains("code = \"de\""));
    bench.must("pipeline hammer --limit 1 --quiet --out english");
    bench.must("pipeline hammer --limit 1 --quiet --locale ko --out korean");
    let refused = bench.run("pipeline hammer --locale de --check");
    assert!(refused.code == 10 && refused.stderr.contains("is incomplete"), "{}", refused.stderr);
    let again = bench.must("locale new de").stderr;
    assert!(again.contains("3 files already present, not changed"), "{again}");
}

#[test]
fn with_a_model_three_files_are_enough_for_items() {
    let bench = Bench::new();
    bench.must("locale new de --name German");
    let (server, _) = Server::builtin(0, Duration::ZERO);
    let ended = bench.must(&server.line("--limit 2 --locale de --out run"));
    for told in [
        "are missing; the English files are used",
        "are identical to the English files",
        "is identical to English for 299 of 299 tools",
    ] {
        assert!(ended.stderr.contains(told), "{}", ended.stderr);
    }
    let samples = bench.read("run/samples.jsonl");
    assert!(samples.lines().count() > 50 && samples.lines().all(|line| line.contains("\"locale\":\"de\"")));
}

#[test]
fn what_cannot_be_begun_is_named() {
    let bench = Bench::new();
    let ended = bench.run("locale new de --from xx");
    assert!(ended.code == 11 && ended.stderr.contains("no locale `xx`"), "{}", ended.stderr);
    assert_eq!(bench.run("locale copy en ../out").code, 2);
}
