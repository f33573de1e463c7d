//! The first lines of `score`: how many are right, how models differ, and what is wrong most often.

use crate::cli::console::words::{counted, thousands};
use fcgen::record::{Mark, Outcome, Verdict};
use fcgen::score::{Difference, wilson};
use indexmap::IndexMap;
use serde_json::json;

/// Most models, and most classes of errors, that the summary shows.
const MODELS: usize = 4;
const ERRORS: usize = 3;
/// Most letters of the reason in an example.
const EXAMPLE: usize = 90;
/// Classes of errors that say that nothing was predicted.
const MISSING: [&str; 2] = ["no_prediction", "missing"];
/// Figures that say whether an item is right as a whole; of several that a suite has, the first.
const WHOLE: [Mark; 8] =
    [Mark::Right, Mark::Pass, Mark::Success, Mark::Valid, Mark::Acts, Mark::Ast, Mark::Routing, Mark::Structure];

/// What was found of each model, as far as a summary needs it.
#[derive(Debug, Default)]
pub(crate) struct Summary {
    models: IndexMap<String, Counts>,
}

/// What was found of one model.
#[derive(Debug, Default)]
struct Counts {
    right: u64,
    wrong: u64,
    undecided: u64,
    /// How often each class of error occurs, and the first item with it.
    errors: IndexMap<&'static str, (u64, String)>,
}

impl Counts {
    fn decided(&self) -> u64 {
        self.right + self.wrong
    }

    /// The commonest classes of errors, each with its count and an example.
    fn commonest(&self) -> Vec<(&str, u64, &str)> {
        let mut errors: Vec<(&str, u64, &str)> =
            self.errors.iter().map(|(class, (count, example))| (*class, *count, example.as_str())).collect();
        errors.sort_by_key(|(_, count, _)| std::cmp::Reverse(*count));
        errors.truncate(ERRORS);
        errors
    }
}

impl Summary {
    /// Takes in a verdict.
    pub(super) fn see(&mut self, verdict: &Verdict) {
        let counts = self.models.entry(verdict.model()).or_default();
        match verdict.outcome {
            Outcome::Right => counts.right += 1,
            Outcome::Wrong => {
                counts.wrong += 1;
                let class = verdict.error.unwrap_or("wrong");
                counts.errors.entry(class).or_insert_with(|| (0, example(verdict))).0 += 1;
            }
            Outcome::Unknown => counts.undecided += 1,
        }
    }

    /// How many predictions of a file have a verdict, over all its runs.
    pub(super) fn predicted(&self, file: &str) -> usize {
        let of_file =
            |name: &str| name.strip_prefix(file).is_some_and(|rest| rest.is_empty() || rest.starts_with(" #"));
        let models = self.models.iter().filter(|(name, _)| of_file(name));
        let missing =
            |counts: &Counts| MISSING.iter().filter_map(|class| counts.errors.get(*class)).map(|it| it.0).sum::<u64>();
        let all = models.map(|(_, counts)| (counts.decided() + counts.undecided).saturating_sub(missing(counts)));
        usize::try_from(all.sum::<u64>()).unwrap_or(usize::MAX)
    }

    /// The share of right items of the worst model; none where nothing is decided.
    pub(crate) fn least(&self) -> Option<f64> {
        let shares = self.models.values().filter_map(|counts| Some(wilson(counts.right, counts.decided())?.value));
        shares.min_by(f64::total_cmp)
    }

    /// At most twelve lines.
    pub(crate) fn lines(&self, differences: &[Difference]) -> Vec<String> {
        let width = self.models.keys().map(|name| name.chars().count()).max().unwrap_or_default();
        let first = self.models.keys().next().map(String::as_str).unwrap_or_default();
        let mut lines = Vec::new();
        for (name, counts) in self.models.iter().take(MODELS) {
            let Some(share) = wilson(counts.right, counts.decided()) else { continue };
            let [value, low, high] = [share.value, share.low, share.high].map(|it| 100.0 * it);
            let (right, all) = (thousands(counts.right), thousands(counts.decided()));
            let mut line = format!("{name:width$}  {value:5.1}% correct ({low:.1} to {high:.1}), {right} of {all}");
            if counts.undecided > 0 {
                line.extend(["; ", &thousands(counts.undecided), " undecided"]);
            }
            if let Some(it) = whole(differences, name) {
                let [change, low, high] = [it.change.value, it.change.low, it.change.high].map(|it| 100.0 * it);
                let (n, all) = (it.change.n, counts.decided());
                let common = if n < all { format!(" on {} in common", thousands(n)) } else { String::new() };
                let points = format!("; {change:+.1} points ({low:+.1} to {high:+.1}) compared with {first}{common}");
                line.push_str(&points);
            }
            lines.push(line);
        }
        if self.models.len() > MODELS {
            lines.push(format!("and {}: `--tables all`", counted(self.models.len() - MODELS, "more model")));
        }
        let Some((name, counts)) = self.models.iter().find(|(_, counts)| counts.wrong > 0) else { return lines };
        lines.push(format!("most common errors of {name}:"));
        let commonest = counts.commonest();
        let width = commonest.iter().map(|(class, ..)| class.len()).max().unwrap_or_default();
        lines.extend(
            commonest
                .iter()
                .map(|(class, count, example)| format!("  {class:width$}  {:>6}  {example}", thousands(*count))),
        );
        lines
    }

    /// The same for programs.
    pub(crate) fn json(&self, differences: &[Difference]) -> serde_json::Value {
        let models = self.models.iter().map(|(name, counts)| {
            let share = wilson(counts.right, counts.decided());
            let share = share.map(|it| json!({"value": it.value, "low": it.low, "high": it.high, "n": it.n}));
            let change = whole(differences, name).map(|it| {
                json!({"value": it.change.value, "low": it.change.low, "high": it.change.high, "n": it.change.n})
            });
            let error = |(class, count, example): &(&str, u64, &str)| {
                json!({"class": class, "count": count, "example": example})
            };
            let errors: Vec<_> = counts.commonest().iter().map(error).collect();
            json!({"model": name, "right": share, "undecided": counts.undecided, "difference": change, "errors": errors})
        });
        models.collect::<Vec<_>>().into()
    }
}

/// Why an item failed, and which it is.
fn example(verdict: &Verdict) -> String {
    let cut: String = verdict.reason.chars().take(EXAMPLE).collect();
    let more = if cut.len() < verdict.reason.len() { "..." } else { "" };
    format!("{cut}{more} [{}]", verdict.sample)
}

/// The difference of a model in the figure that is about the whole item.
fn whole<'d>(differences: &'d [Difference], model: &str) -> Option<&'d Difference> {
    WHOLE.iter().find_map(|figure| differences.iter().find(|it| it.model == model && it.figure == *figure))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fcgen::record::Object;
    use fcgen::score::Estimate;

    fn summary(models: &[&str]) -> Summary {
        let mut summary = Summary::default();
        for (at, &model) in models.iter().enumerate() {
            for item in 0..40 {
                let right = item % (at + 2) == 0;
                let class =
                    ["", "wrong_value", "no_call", "refused", "wrong_function"][if right { 0 } else { 1 + item % 4 }];
                let reason = "`date` is \u{201c}Paris\u{201d} and not \u{201c}tomorrow\u{201d}";
                let verdict = Verdict::new(&format!("item/{item}"), (item < 38).then_some(right), Object::new());
                let verdict = verdict.because(Some(class), reason);
                summary.see(&Verdict { predictions: model.to_owned(), ..verdict });
            }
        }
        summary
    }

    #[test]
    fn shares_differences_and_the_commonest_errors_come_first() {
        let estimate = |value| Estimate { n: 38, value, low: value - 0.05, high: value + 0.05 };
        let (model, figure) = ("other".to_owned(), Mark::Right);
        let difference = Difference { model, figure, first: estimate(0.5), change: estimate(-0.15) };
        insta::assert_snapshot!(summary(&["model", "other"]).lines(&[difference]).join("\n"));
    }

    #[test]
    fn however_many_models_there_are_it_stays_short() {
        let lines = summary(&["a", "b", "c", "d", "e", "f"]).lines(&[]);
        assert!(lines.len() <= 12, "{lines:?}");
        assert_eq!(lines[4], "and 2 more models: `--tables all`");
    }

    #[test]
    fn the_worst_model_decides_on_a_threshold() {
        let summary = summary(&["a", "b"]);
        assert!((summary.least().unwrap() - 13.0 / 38.0).abs() < 1e-9, "{:?}", summary.least());
        assert_eq!(Summary::default().least(), None);
    }
}
