//! `fcgen status`: how a run stands, or how far one is that is still going or was broken off.

use crate::cli::console::exit::OK;
use crate::cli::console::figures::{figures, spent};
use crate::cli::console::standing::{Standing, State, busy};
use crate::cli::console::talk::{Colour, give};
use crate::cli::console::words::{columns, counted, dollars, span, thousands};
use clap::Args;
use fcgen::run::{Manifest, Progress};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// Flags of `status`.
#[derive(Debug, Args)]
pub(crate) struct StatusArguments {
    /// Run folder, such as output/hammer-en
    run: PathBuf,
    /// Print one JSON object, for scripts
    #[arg(long)]
    json: bool,
    /// Refresh every second while the run is in progress
    #[arg(long)]
    watch: bool,
}

/// What is watched is shown anew this often.
const PERIOD: Duration = Duration::from_secs(1);

/// Prints the state.
pub(crate) fn run(arguments: &StatusArguments) -> anyhow::Result<u8> {
    loop {
        let standing = Standing::of(&arguments.run)?;
        give(if arguments.json { serde_json::to_string(&standing)? } else { screen(&standing) })?;
        if arguments.watch && standing.state == State::Running {
            std::thread::sleep(PERIOD);
            continue;
        }
        return standing.complaint().map_or(Ok(OK), |complaint| Err(complaint.into()));
    }
}

fn screen(standing: &Standing) -> String {
    let mut lines = match (&standing.progress, &standing.manifest) {
        (_, Some(manifest)) if standing.state == State::Done => finished(standing, manifest),
        (Some(progress), _) => on_the_way(standing, progress),
        (None, _) => wordless(standing),
    };
    lines.extend(part("Cached replies", &standing.kept.replies));
    if let Some(hint) = standing.hint.filter(|_| standing.damage.is_none()) {
        lines.extend([String::new(), format!("hint: {hint}")]);
    }
    lines.join("\n")
}

fn finished(standing: &Standing, manifest: &Manifest) -> Vec<String> {
    let shard = manifest.shard.as_ref().map(|_| " (one of several shards)").unwrap_or_default();
    let mut lines = vec![
        format!("{}: {}-{}, seed {}{shard}", standing.run, manifest.pipeline, manifest.locale, manifest.seed),
        format!("{}, made by fcgen {}", spent(manifest), manifest.fcgen),
    ];
    if !manifest.notice.is_empty() {
        lines.push(manifest.notice.clone());
    }
    lines.extend(figures(manifest, Colour::default()));
    lines
}

fn on_the_way(standing: &Standing, progress: &Progress) -> Vec<String> {
    let Progress { pipeline, locale, seed, .. } = progress;
    let mut lines =
        vec![format!("{}: {pipeline}-{locale}, seed {seed}", standing.run), how_it_goes(standing.state, progress)];
    if progress.roots > 0 {
        lines.push(roots(standing.state, progress));
    }
    if standing.state == State::Running && progress.rates.over_seconds > 0.0 {
        lines.push(rates(progress));
    }
    lines.push(asked(progress));
    lines.extend(stages(progress));
    lines.extend(part("Rejects by reason, of finished source items", &standing.kept.rejects));
    lines
}

/// A run that left no word, such as one of an older fcgen.
fn wordless(standing: &Standing) -> Vec<String> {
    let (run, kept) = (&standing.run, &standing.kept);
    let total = |counts: &BTreeMap<String, u64>| usize::try_from(counts.values().sum::<u64>()).unwrap_or(0);
    if standing.damage.is_some() {
        return vec![format!("{run}: not finished")];
    }
    let how = if standing.state == State::Running { "starting" } else { "not finished" };
    let mut lines = vec![format!(
        "{run}: {how}; {}, {} and {} cached replies so far",
        counted(total(&kept.items), "item"),
        counted(total(&kept.rejects), "reject"),
        thousands(total(&kept.replies) as u64),
    )];
    lines.extend(part("Items by stage", &kept.items));
    lines.extend(part("Rejects by reason", &kept.rejects));
    lines
}

fn how_it_goes(state: State, progress: &Progress) -> String {
    let (busy, took) = (busy(progress.phase), span(seconds(progress.seconds)));
    match (state, &progress.stopped) {
        (State::Running, _) => format!("running for {took}: {busy}"),
        (_, Some(why)) => format!("stopped after {took}, {busy}: {why}"),
        _ => format!("terminated after {took} or more, {busy}: the process was killed, or the machine went down"),
    }
}

fn roots(state: State, progress: &Progress) -> String {
    let of = format!("{} of {} done", thousands(progress.done as u64), counted(progress.roots, "source item"));
    match (state, progress.seconds_left) {
        (State::Running, Some(left)) => format!("{of}, about {} left", span(Duration::from_secs(left))),
        (State::Running, None) => format!("{of}, remaining time unknown until one is done"),
        _ => of,
    }
}

fn rates(progress: &Progress) -> String {
    let rates = &progress.rates;
    format!(
        "last {}: {:.1} items/s, {:.1} requests/s; {} concurrent requests",
        span(seconds(rates.over_seconds)),
        rates.items_per_second,
        rates.requests_per_second,
        thousands(progress.in_flight)
    )
}

fn asked(progress: &Progress) -> String {
    let spent = &progress.spent;
    format!(
        "{} requests ({} cached, {} retried, {} failed), {} input tokens, {} output tokens, {}",
        thousands(spent.requests),
        thousands(spent.cache_hits),
        thousands(spent.retries),
        thousands(spent.failures),
        thousands(spent.prompt_tokens),
        thousands(spent.completion_tokens),
        dollars(spent.cost)
    )
}

fn stages(progress: &Progress) -> Vec<String> {
    if progress.stages.is_empty() {
        return Vec::new();
    }
    let mut rows = vec![["", "in", "out", "rejected"].map(str::to_owned).to_vec()];
    for stage in &progress.stages {
        let counts = [stage.came, stage.kept, stage.rejected].map(|count| thousands(count as u64));
        rows.push([stage.name.clone()].into_iter().chain(counts).collect());
    }
    under("Stages", &rows)
}

fn part(heading: &str, counts: &BTreeMap<String, u64>) -> Vec<String> {
    if counts.is_empty() {
        return Vec::new();
    }
    under(heading, &counts.iter().map(|(name, count)| vec![name.clone(), thousands(*count)]).collect::<Vec<_>>())
}

fn under(heading: &str, rows: &[Vec<String>]) -> Vec<String> {
    let rows = columns(rows).into_iter().map(|row| format!("  {row}"));
    [String::new(), heading.to_owned()].into_iter().chain(rows).collect()
}

/// A file says how long; whatever it says, nobody stumbles.
fn seconds(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::console::figures::tests::manifest;
    use crate::cli::console::standing::Kept;
    use fcgen::run::{Phase, Rates};

    fn standing(state: State, progress: Option<Progress>) -> Standing {
        let (run, kept) = ("output/hammer-en".to_owned(), Kept::default());
        let hint = (state != State::Running && state != State::Done).then_some("go on");
        Standing { run, state, hint, progress, kept, closed: None, damage: None, manifest: None }
    }

    fn progress() -> Progress {
        let rates = Rates { over_seconds: 15.0, items_per_second: 40.25, requests_per_second: 320.0 };
        let (phase, seconds_left) = (Phase::Making, Some(725));
        Progress {
            phase,
            roots: 299,
            done: 34,
            in_flight: 256,
            seconds: 185.0,
            rates,
            seconds_left,
            ..manifest().progress()
        }
    }

    #[test]
    fn a_run_at_its_end_shows_its_figures() {
        let kept = Kept { replies: [("ask".to_owned(), 1200)].into(), ..Kept::default() };
        let standing = Standing { kept, manifest: Some(manifest()), ..standing(State::Done, None) };
        insta::assert_snapshot!(screen(&standing));
    }

    #[test]
    fn a_run_that_goes_on_shows_how_far_and_how_fast_it_is() {
        insta::assert_snapshot!(screen(&standing(State::Running, Some(progress()))));
        let unknown = Progress { seconds_left: None, done: 0, ..progress() };
        let text = screen(&standing(State::Running, Some(unknown)));
        assert!(text.contains("\n0 of 299 source items done, remaining time unknown until one is done\n"), "{text}");
        let setup =
            Progress { phase: Phase::Setup, roots: 0, rates: Rates::default(), stages: Vec::new(), ..progress() };
        let text = screen(&standing(State::Running, Some(setup)));
        assert_eq!(text.lines().nth(1).unwrap(), "running for 3 min 5 s: setting up");
        assert_eq!(text.lines().count(), 3, "{text}");
    }

    #[test]
    fn a_run_that_stopped_says_why_and_how_to_go_on() {
        let stopped = Progress { stopped: Some("interrupted".to_owned()), ..progress() };
        let kept = Kept { rejects: [("odd".to_owned(), 7)].into(), ..Kept::default() };
        insta::assert_snapshot!(screen(&Standing { kept, ..standing(State::Stopped, Some(stopped)) }));
    }

    #[test]
    fn a_run_that_was_killed_is_not_said_to_be_at_work() {
        let text = screen(&standing(State::BrokenOff, Some(progress())));
        assert_eq!(
            text.lines().nth(1).unwrap(),
            "terminated after 3 min 5 s or more, generating items: the process was killed, or the machine went down"
        );
        assert!(text.ends_with("\n\nhint: go on") && !text.contains("concurrent"), "{text}");
    }

    #[test]
    fn a_run_that_left_no_word_shows_what_is_kept() {
        let kept = Kept { items: [("ask".to_owned(), 1)].into(), ..Kept::default() };
        insta::assert_snapshot!(screen(&Standing { kept, ..standing(State::BrokenOff, None) }), @"
        output/hammer-en: not finished; 1 item, 0 rejects and 0 cached replies so far

        Items by stage
          ask  1

        hint: go on
        ");
        let begun = screen(&standing(State::Running, None));
        assert_eq!(begun, "output/hammer-en: starting; 0 items, 0 rejects and 0 cached replies so far");
        let damage = Some("file is not a database".to_owned());
        let text = screen(&Standing { damage, ..standing(State::BrokenOff, None) });
        assert_eq!(text, "output/hammer-en: not finished", "nothing is said to be known");
    }

    #[test]
    fn a_shard_says_that_it_is_one_and_an_empty_journal_is_not_mentioned() {
        let manifest = Manifest { shard: Some("0/3".to_owned()), ..manifest() };
        let text = screen(&Standing { manifest: Some(manifest), ..standing(State::Done, None) });
        assert!(text.starts_with("output/hammer-en: hammer-en, seed 7 (one of several shards)\n"), "{text}");
        assert!(!text.contains("Cached replies\n"), "{text}");
    }

    #[test]
    fn a_script_reads_the_same() {
        let json = serde_json::to_value(standing(State::Running, Some(progress()))).unwrap();
        assert_eq!((&json["state"], &json["progress"]["phase"]), (&"running".into(), &"making".into()));
        assert_eq!(json["progress"]["rates"]["items_per_second"], 40.25);
        assert!(json.get("hint").is_none() && json.get("manifest").is_none(), "{json}");
    }
}
