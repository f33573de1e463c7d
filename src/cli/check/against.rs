//! What `--against` compares with: benches, files of rows, and what ships of published benchmarks.

use super::CheckArguments;
use super::input;
use fcgen::check::{Findings, Ground, Known, Other, Pool, Report, Words, canaries_of, hold_canaries, known_in, leaks};
use fcgen::format::Bench;
use std::path::{Path, PathBuf};

/// The word for what ships of published benchmarks.
const KNOWN: &str = "known";

impl CheckArguments {
    /// Adds what of a bench stands in other data, and its canary where that is found.
    pub(super) fn compare(&self, bench: &Bench, ground: &Ground, report: &mut Report) -> anyhow::Result<()> {
        let words = Words::of(ground);
        for path in &self.against {
            if is_known(path) {
                let pool = pool(&ground.language.code)?;
                let own = Other::Bench(bench.clone());
                report.add_findings(&known_in(&own, &pool, &words).map_err(input)?);
                continue;
            }
            let other = Other::open(path, Some(&ground.language.code)).map_err(input)?;
            report.add_findings(&leaks(bench, &other, ground).map_err(input)?);
            if let Other::Rows(_, files) = &other {
                let canaries = canaries_of(bench);
                report.add_findings(&hold_canaries(files, Some(&canaries)).map_err(input)?);
            }
        }
        Ok(())
    }

    /// Adds which rows of training files hold items of benchmarks: of those that are named, and always of those that ship.
    pub(super) fn benchmarks_in(
        &self,
        rows: &Other,
        files: &[PathBuf],
        ground: &Ground,
        report: &mut Report,
    ) -> anyhow::Result<()> {
        let words = Words::of(ground);
        let mut pool = pool(&ground.language.code)?;
        for path in self.against.iter().filter(|path| !is_known(path)) {
            let name = path.display().to_string();
            let other = Other::open(path, Some(&ground.language.code)).map_err(input)?;
            other
                .each(&words, &mut |row| {
                    row.prints.iter().for_each(|print| pool.add(format!("{name}: {}", row.name), print.clone()));
                })
                .map_err(input)?;
        }
        pool.seal();
        let mut findings: Findings = known_in(rows, &pool, &words).map_err(input)?;
        report.add_findings(&findings);
        findings = hold_canaries(files, None).map_err(input)?;
        report.add_findings(&findings);
        Ok(())
    }
}

fn is_known(path: &Path) -> bool {
    path == Path::new(KNOWN) && !path.exists()
}

/// Published benchmarks in a locale, sealed; those whose texts have no letters to compare, too.
fn pool(locale: &str) -> anyhow::Result<Pool<String>> {
    let mut pool = Pool::default();
    for known in Known::shipped(fcgen::assets()).map_err(input)?.iter().filter(|known| known.locale == locale) {
        known.fill(&mut pool, |id| format!("{} {id}", known.name));
    }
    pool.seal();
    Ok(pool)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_is_known_and_a_path_of_that_name_is_a_path() {
        assert!(
            is_known(Path::new("known")) && !is_known(Path::new("./known")) && !is_known(Path::new("output/known"))
        );
    }

    #[test]
    fn there_are_benchmarks_in_several_locales() {
        assert!(["en", "zh", "ko"].iter().all(|locale| !pool(locale).unwrap().is_empty()));
        assert!(pool("xx").unwrap().is_empty());
    }
}
