//! The page that `fcgen report` writes, `fcgen show` and `fcgen review`, by the real binary; and with `FCGEN_BROWSER=1`
//! the page in a real headless Chromium (`FCGEN_CHROMIUM` names it where it is not `chromium`).

mod browser;
mod samples;

use browser::Browser;
use samples::{EVIL, Folder};
use std::time::Duration;

/// A browser, where one is wanted.
fn browser() -> Option<Browser> {
    (std::env::var_os("FCGEN_BROWSER")? == "1").then(Browser::start)
}

/// The JSON of every script of data in a page.
fn data(page: &str) -> Vec<serde_json::Value> {
    let parts = page.split("<script type=\"application/json\"").skip(1);
    let texts = parts.map(|part| part.split_once('>').unwrap().1.split_once("</script>").unwrap().0);
    texts.map(|text| serde_json::from_str(text).unwrap()).collect()
}

#[test]
fn a_page_is_one_file_whose_data_is_json_and_nothing_but() {
    let folder = Folder::with(12);
    let page = folder.report(&["--no-audit"]);
    let data = data(&page);
    assert_eq!(
        data.iter().filter(|it| it["store"] == "samples").map(|it| it["rows"].as_u64().unwrap()).sum::<u64>(),
        12
    );
    assert_eq!(data.iter().find_map(|it| it.get("samples")).unwrap(), 12);
    assert_eq!(page.matches("<script").count(), data.len() + 1);
    assert!(!page.contains("<script>window.hurt") && !page.contains("src=\"") && !page.contains("@import"));
}

#[test]
fn the_same_run_makes_the_same_page() {
    let folder = Folder::with(3);
    assert_eq!(folder.report(&["--no-audit"]), folder.report(&["--no-audit"]));
}

#[test]
fn two_models_are_scored_and_joined_to_their_samples() {
    let folder = Folder::with(8);
    let page =
        folder.report(&["--no-audit", "--predictions", &folder.prediction("one", 2), &folder.prediction("two", 3)]);
    let data = data(&page);
    let stores: Vec<_> = data.iter().filter_map(|it| it["store"].as_str()).collect();
    assert_eq!(stores, ["samples", "tools", "verdicts one", "verdicts two", "predictions one", "predictions two"]);
    let summary = data.last().unwrap();
    assert!(!summary["scores"]["tables"].as_array().unwrap().is_empty());
    assert!(!folder.path("report.verdicts.part").exists());
}

#[test]
fn each_run_of_a_file_is_a_model_of_its_own_with_its_predictions() {
    let folder = Folder::with(4);
    let two = folder.prediction("two", 3);
    let said = std::fs::read_to_string(&two).unwrap();
    let again = said.lines().map(|line| line.replacen('{', "{\"run\": 1, ", 1) + "\n").collect::<String>();
    std::fs::write(&two, said + &again).unwrap();
    for files in [vec![two.clone()], vec![folder.prediction("one", 2), two]] {
        let named = files.iter().map(String::as_str);
        let page = folder.report(&["--no-audit", "--predictions"].into_iter().chain(named).collect::<Vec<_>>());
        let stores = |kind: &str| -> Vec<String> {
            let data = data(&page);
            let names = data.iter().filter_map(|it| it["store"].as_str()?.strip_prefix(kind)).map(str::to_owned);
            names.collect()
        };
        assert!(stores("verdicts ").contains(&"two #1".to_owned()), "{:?}", stores("verdicts "));
        assert_eq!(stores("verdicts "), stores("predictions "));
    }
}

#[test]
fn samples_are_shown_plainly_where_they_are_piped() {
    let folder = Folder::with(12);
    let shown = folder.fcgen(&["show", &folder.name(), "t/1"]);
    insta::assert_snapshot!(shown, @r#"
    ST_Perfect  hammerbench  en
    t/1

    user       book a train to Porto </script><script>window.hurt = 1</script><img src=x onerror="window.hurt = 1"> number 1

    expected
      -> book
         to = "Porto"  source: "Porto" (verbatim)
    tools (2)
      book, sing
    provenance  template, unreviewed
    "#);
    let drawn = folder.fcgen(&["show", &folder.name(), "--random", "2", "--type", "IR"]);
    assert_eq!(drawn.matches("IR  hammerbench  en").count(), 2, "{drawn}");
}

#[test]
fn a_sheet_that_was_filled_in_becomes_a_reviewed_run() {
    let folder = Folder::with(4);
    let sheet = folder.path("sheet.csv").display().to_string();
    folder.fcgen(&["review", &folder.name(), "--out", &sheet]);
    let filled = std::fs::read_to_string(&sheet).unwrap().replacen(",,\n", ",accept,well said\n", 1);
    std::fs::write(&sheet, filled).unwrap();
    let out = folder.path("reviewed").display().to_string();
    folder.fcgen(&["review", &folder.name(), "--sheet", &sheet, "--out", &out]);
    let samples = std::fs::read_to_string(folder.path("reviewed/samples.jsonl")).unwrap();
    assert_eq!((samples.lines().count(), samples.matches(r#""review":"accepted""#).count()), (4, 1));
    assert!(samples.contains(r#""review_note":"well said""#));
}

#[test]
fn the_browser_shows_filters_and_opens_and_nothing_in_the_data_runs() {
    let Some(mut page) = browser() else { return };
    let folder = Folder::with(300);
    folder.report(&["--predictions", &folder.prediction("one", 2), &folder.prediction("two", 3)]);
    page.open(&folder.path("report.html"));
    assert!(page.text("#overview").contains("Quality checks"));

    page.run("location.hash = '/samples'");
    page.wait("document.querySelectorAll('.row').length > 5");
    assert!(page.text(".count").starts_with("300 samples"));
    page.run("const box = document.getElementById('search'); box.value = 'NUMBER 299'; box.dispatchEvent(new Event('input'))");
    page.wait("document.querySelector('.count').textContent.startsWith('1 of')");
    page.keys(&["Enter"]);
    page.wait("document.querySelector('.dialogue')");
    assert!(page.text(".turn.user").contains(EVIL), "{}", page.text(".turn.user"));
    assert_eq!(page.run("[window.hurt, document.querySelectorAll('img').length].join()"), ",0");
    assert_eq!(page.run("document.querySelectorAll('.models.two .model').length"), "2");
    page.shot("item");

    page.run("location.hash = '/scores'");
    page.wait("document.querySelector('#scores table button')");
    page.run("document.querySelector('#scores table button').click()");
    page.wait("document.querySelector('[data-filter=verdict1]').value === 'right'");
    assert!(page.text(".count").starts_with("50 of 300"), "{}", page.text(".count"));
    page.keys(&["j", "j", "k", "a"]);
    page.wait("document.querySelector('[data-decision=accept]').getAttribute('aria-pressed') === 'true'");
    assert!(page.text(".controls").contains("Download review (1)"));
    page.keys(&["?"]);
    page.wait("document.getElementById('keys').open");
    page.keys(&["Escape", "t", "t"]);
    assert_eq!(page.run("document.documentElement.dataset.theme"), "dark");
    assert_eq!(page.complaints(), Vec::<String>::new());
}

#[test]
fn an_edit_stays_while_it_is_put_aside() {
    let Some(mut page) = browser() else { return };
    let folder = Folder::with(3);
    folder.report(&["--no-audit"]);
    page.open(&folder.path("report.html"));
    page.run("location.hash = '/samples'");
    page.wait("document.querySelector('.row')");
    page.run("document.querySelector('.row').click()");
    page.wait("document.querySelector('[data-decision=edit]')");
    let toggle = "document.querySelector('[data-decision=edit]').click()";
    page.run(toggle);
    page.run("{ const box = document.querySelector('.edits textarea'); box.value = 'to Faro'; box.dispatchEvent(new Event('input')); }");
    assert!(page.run(SHEET).contains(",edit,to Faro,,"), "{}", page.run(SHEET));
    page.run(toggle);
    assert!(!page.run(SHEET).contains("to Faro"));
    page.run(toggle);
    assert!(page.run(SHEET).contains(",edit,to Faro,,"), "{}", page.run(SHEET));
    assert_eq!(page.complaints(), Vec::<String>::new());
}

/// The sheet that the page would hand out.
const SHEET: &str = "(async () => {
    URL.createObjectURL = (blob) => { window.sheet = blob; return 'data:,'; };
    [...document.querySelectorAll('button')].find((it) => it.textContent.startsWith('Download review')).click();
    return await window.sheet.text();
})()";

#[test]
fn fifty_thousand_samples_stay_usable() {
    let Some(mut page) = browser() else { return };
    let folder = Folder::with(50_000);
    folder.report(&["--no-audit", "--predictions", &folder.prediction("one", 2), &folder.prediction("two", 3)]);
    page.open(&folder.path("report.html"));
    let paint = page.run("Math.round(performance.getEntriesByName('first-contentful-paint')[0].startTime)");
    page.run("location.hash = '/samples'");
    page.wait("document.querySelectorAll('.row').length > 5");
    let filter = page.run(
        "new Promise((done) => {
            const [box, count] = [document.getElementById('search'), document.querySelector('.count')];
            const begun = performance.now();
            const look = () => count.textContent.startsWith('50,000') ? setTimeout(look, 1) : requestAnimationFrame(() => done(Math.round(performance.now() - begun)));
            box.value = 'porto 4242';
            box.dispatchEvent(new Event('input'));
            look();
        })",
    );
    let heap = page.run("Math.round(performance.memory.usedJSHeapSize / 1e6)");
    let bytes = std::fs::metadata(folder.path("report.html")).unwrap().len();
    println!(
        "50,000 samples, two models: {bytes} bytes, first paint {paint} ms, filter {filter} ms, {heap} MB of heap"
    );
    assert!(paint.parse::<u64>().unwrap() < 3000 && filter.parse::<u64>().unwrap() < 500);
    assert_eq!(page.complaints(), Vec::<String>::new());
}

/// How long a browser may take for anything, on a machine that is busy.
const PATIENCE: Duration = Duration::from_secs(120);
