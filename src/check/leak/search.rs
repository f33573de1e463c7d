//! Looks for the items of a bench in other data. The smaller of the two is held as hashes, the other one streams by.

use super::pool::{Likeness, Pool, Side};
use super::print::Print;
use super::source::{Other, Row, SourceError, size};
use super::words::Words;
use crate::format::{Bench, Place};
use crate::lint::entry::{Entry, each_entry};
use crate::lint::finding::{Finding, Findings, Severity};
use crate::lint::ground::Ground;
use std::collections::BTreeSet;

/// An item of the bench.
type Item = (Place, String);

/// What was found of an item: how, and where.
type Found = Option<(Likeness, String)>;

/// Finds the items of a bench that stand in other data as well.
pub fn leaks(bench: &Bench, other: &Other, ground: &Ground) -> Result<Findings, SourceError> {
    let words = Words::of(ground);
    let name = other.path().file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let mut look = Look { words, name, tools: BTreeSet::new(), findings: Findings::default() };
    if size(bench.path()) <= other.size() {
        look.bench_held(bench, other)?;
    } else {
        look.other_held(bench, other)?;
    }
    Ok(look.findings)
}

/// Finds the rows of some data in which items of a benchmark stand. The benchmark is held as hashes; its items have the ids
/// that the pool gives them.
pub fn known_in(rows: &Other, pool: &Pool<String>, words: &Words) -> Result<Findings, SourceError> {
    let mut findings = Findings::default();
    let mut nth = 0;
    let file = rows.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
    let unread = rows.each(words, &mut |row| {
        nth += 1;
        let found = row
            .prints
            .iter()
            .flat_map(|print| pool.like(print, Side::Pool))
            .min_by_key(|(at, likeness)| (*likeness, *at));
        findings.tally("rows hold no item of a benchmark", found.is_none());
        if let Some((likeness, id)) = found.and_then(|(at, likeness)| Some((likeness, pool.whose(at)?))) {
            let (rule, what) = told(likeness);
            let place = row.place.clone().unwrap_or_else(|| Place { file: file.as_str().into(), line: nth });
            findings.add(Finding::new(rule, Severity::Warning, &place, row.name, format!("{what} `{id}`")));
        }
    })?;
    unread_rows(&file, unread, &mut findings);
    Ok(findings)
}

fn told(likeness: Likeness) -> (&'static str, &'static str) {
    match likeness {
        Likeness::Text => ("contaminated", "same text as"),
        Likeness::Frame => ("contaminated_frame", "same text with other values, for the same tool, as"),
        Likeness::Call => ("contaminated_call", "same tool called with the same values as in"),
    }
}

fn unread_rows(name: &str, unread: usize, findings: &mut Findings) {
    if unread > 0 {
        let place = Place { file: name.into(), line: 0 };
        let message = format!("{unread} rows could not be parsed and were not compared");
        findings.add(Finding::new("unread_rows", Severity::Warning, &place, "", message));
    }
}

struct Look {
    words: Words,
    name: String,
    tools: BTreeSet<u32>,
    findings: Findings,
}

impl Look {
    fn bench_held(&mut self, bench: &Bench, other: &Other) -> Result<(), SourceError> {
        let mut pool: Pool<Item> = Pool::default();
        each_entry(bench, &mut |seen| {
            if let Ok(entry) = seen {
                pool.add(item(entry), Print::of(&entry.sample, &self.words));
            }
        });
        pool.seal();
        let mut found: Vec<Found> = vec![None; pool.len()];
        let unread = other.each(&self.words.clone(), &mut |row| {
            self.know(&row);
            for (at, likeness) in row.prints.iter().flat_map(|print| pool.like(print, Side::Pool)) {
                if let Some(slot) =
                    found.get_mut(at).filter(|slot| slot.as_ref().is_none_or(|(known, _)| likeness < *known))
                {
                    *slot = Some((likeness, row.name.to_owned()));
                }
            }
        })?;
        for ((item, print), found) in pool.entries().zip(found) {
            self.tell(item, print, found);
        }
        self.unread(unread);
        Ok(())
    }

    fn other_held(&mut self, bench: &Bench, other: &Other) -> Result<(), SourceError> {
        let mut pool: Pool<String> = Pool::default();
        let unread = other.each(&self.words.clone(), &mut |row| {
            self.know(&row);
            row.prints.iter().for_each(|print| pool.add(row.name.to_owned(), print.clone()));
        })?;
        pool.seal();
        each_entry(bench, &mut |seen| {
            if let Ok(entry) = seen {
                let print = Print::of(&entry.sample, &self.words);
                let best = pool.like(&print, Side::Asked).into_iter().min_by_key(|(at, likeness)| (*likeness, *at));
                let found = best.and_then(|(at, likeness)| Some((likeness, pool.whose(at)?.clone())));
                self.tell(&item(entry), &print, found);
            }
        });
        self.unread(unread);
        Ok(())
    }

    fn know(&mut self, row: &Row<'_>) {
        let called = row.prints.iter().filter(|print| print.calls);
        self.tools.extend(called.flat_map(|print| &print.tools).map(|tool| tool.name));
    }

    fn tell(&mut self, (place, id): &Item, print: &Print, found: Found) {
        if print.calls {
            let known = print.tools.iter().any(|tool| self.tools.contains(&tool.name));
            self.findings.tally("right tools are not in the other data", !known);
        }
        self.findings.tally("items are not in the other data", found.is_none());
        let Some((likeness, row)) = found else { return };
        let (rule, what) = told(likeness);
        let message = format!("{what} `{row}` of `{}`", self.name);
        self.findings.add(Finding::new(rule, Severity::Warning, place, id, message));
    }

    fn unread(&mut self, unread: usize) {
        unread_rows(&self.name, unread, &mut self.findings);
    }
}

fn item(entry: &Entry) -> Item {
    (entry.place.clone(), entry.sample.id.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::said;
    use std::path::Path;

    const FAIR: &str = "wake me for the fair that begins in the great hall behind the old railway station";

    fn write(folder: &Path, name: &str, items: &[(&str, &str)]) -> std::path::PathBuf {
        let line = |(index, (words, arguments)): (usize, &(&str, &str))| {
            serde_json::to_string(&said(&format!("{name}{index}"), "ST_Perfect", words, arguments)).unwrap()
        };
        let lines: Vec<String> = items.iter().enumerate().map(line).collect();
        std::fs::create_dir_all(folder.join(name)).unwrap();
        std::fs::write(folder.join(name).join("samples.jsonl"), lines.join("\n")).unwrap();
        folder.join(name)
    }

    /// The rules that find something, whichever side is held.
    fn found(own: &[(&str, &str)], other: &[(&str, &str)]) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let ground = Ground::load(crate::fixtures::assets(), "en").unwrap();
        let bench = Bench::open(&write(folder.path(), "own", own)).unwrap();
        let other = Other::open(&write(folder.path(), "other", other), None).unwrap();
        let told = |run: fn(&mut Look, &Bench, &Other) -> Result<(), SourceError>| {
            let mut look = Look {
                words: Words::of(&ground),
                name: "other".to_owned(),
                tools: BTreeSet::new(),
                findings: Findings::default(),
            };
            run(&mut look, &bench, &other).unwrap();
            look.findings
                .rules()
                .flat_map(|(rule, _, _, first)| first.iter().map(move |it| format!("{rule} {}: {}", it.id, it.message)))
                .collect::<Vec<_>>()
        };
        let (one, two) = (told(Look::bench_held), told(Look::other_held));
        assert_eq!(one, two);
        one
    }

    #[test]
    fn an_item_that_stands_there_is_found_and_named() {
        let found = found(
            &[("sing me a song", "{}"), (FAIR, "{}")],
            &[("what is the weather", "{}"), (FAIR, "{}"), ("nothing", "{}")],
        );
        assert_eq!(found, ["contaminated own1: same text as `other1` of `other`"]);
    }

    #[test]
    fn other_values_do_not_hide_it_and_neither_do_other_words() {
        let own = [
            ("find me somewhere to sleep near Porto tonight for my old parents", r#"{"to": "Porto"}"#),
            ("to Zanzibar by ship with 4000 crates", r#"{"to": "Zanzibar", "seats": 4000}"#),
        ];
        let other = [
            ("tonight near Vila Nova, find me somewhere to sleep for my old parents", r#"{"to": "Vila Nova"}"#),
            ("4000 crates must reach Zanzibar", r#"{"to": "Zanzibar", "seats": 4000}"#),
        ];
        let rules: Vec<String> =
            found(&own, &other).iter().map(|it| it.split(' ').next().unwrap().to_owned()).collect();
        assert_eq!(rules, ["contaminated_frame", "contaminated_call"]);
    }

    #[test]
    fn what_is_not_there_is_not_found() {
        assert_eq!(
            found(&[(FAIR, "{}")], &[("book 2 seats to Porto", r#"{"to": "Porto", "seats": 2}"#)]),
            Vec::<String>::new()
        );
    }
}
