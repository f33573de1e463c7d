//! How far the predictions are: a bar on a terminal, a plain line every few seconds in a log.

use crate::cli::console::progress::Ticker;
use crate::cli::console::talk::{is_terminal, say};
use crate::cli::console::words::{counted, dollars, span, thousands};
use fcgen::predict::Live;
use indicatif::{ProgressBar, ProgressStyle};
use std::time::{Duration, Instant};

/// Shows the work until the ticker is dropped.
pub(crate) fn watch(live: Live) -> Ticker {
    let began = Instant::now();
    if !is_terminal() {
        say(format!("{} to run", counted(live.rows, "prediction")));
        return Ticker::start(Duration::from_secs(5), move |_| say(line(&live, began.elapsed())));
    }
    let style = ProgressStyle::with_template("[{bar:20}] {wide_msg}").unwrap_or(ProgressStyle::default_bar());
    let bar = ProgressBar::new(live.rows as u64).with_style(style);
    Ticker::start(Duration::from_millis(100), move |last| {
        bar.set_position(live.tally.read().0 as u64);
        bar.set_message(line(&live, began.elapsed()));
        if last {
            bar.abandon();
        }
    })
}

#[expect(clippy::cast_precision_loss, reason = "a rate for the eye")]
fn line(live: &Live, elapsed: Duration) -> String {
    let (done, lost) = live.tally.read();
    let (mut requests, mut kept, mut tokens, mut cost) = (0, 0, 0, 0.0);
    for row in live.usage.snapshot() {
        requests += row.requests;
        kept += row.cache_hits;
        tokens += row.prompt_tokens + row.completion_tokens;
        cost += row.cost;
    }
    let rate = done as f64 / elapsed.as_secs_f64().max(0.001);
    let rows = format!("{} of {}", thousands(done as u64), counted(live.rows, "prediction"));
    let requests = format!("{} requests ({} cached)", thousands(requests), thousands(kept));
    let (tokens, cost) = (thousands(tokens), dollars(cost));
    format!("{}: {rows}, {lost} failed, {requests}, {tokens} tokens, {cost}, {rate:.0}/s", span(elapsed))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn a_line_says_how_far_it_is() {
        let live = Live { tally: Arc::default(), usage: Arc::default(), rows: 1200 };
        insta::assert_snapshot!(
            line(&live, Duration::from_secs(3)),
            @"3.0 s: 0 of 1,200 predictions, 0 failed, 0 requests (0 cached), 0 tokens, $0.00, 0/s"
        );
        drop(watch(live));
    }
}
