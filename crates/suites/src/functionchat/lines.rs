//! The line of one turn, as `fcgen score --items` writes it.

use super::board::{Found, Verdict};
use super::profile::Profile;
use super::said::Line;
use crate::functionchat::metric::ErrorKind;
use crate::functionchat::metric::strict::{Ruled, Votes};
use crate::functionchat::metric::upstream::Rule;
use crate::record::{self, Mark, Object, Sample, Value};

/// What came of a turn.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Judged {
    /// What our rules say, or what the authors' rule amounts to.
    pub ruled: Ruled,
    /// What the authors' rule says.
    pub rule: Option<Rule>,
    /// Whether it is the judge's to say.
    pub by_judge: bool,
    /// What became of it.
    pub verdict: Verdict,
    /// The lines in which nothing was found.
    pub raw_key: Option<String>,
    /// The votes.
    pub votes: Votes,
    /// What judges said.
    pub replies: Vec<String>,
    /// Where the authors' program breaks off.
    pub crash: Option<&'static str>,
}

impl Judged {
    /// The word for what the rule says.
    pub(super) fn rule(&self) -> &'static str {
        self.rule.map_or_else(|| self.ruled.outcome.as_str(), Rule::as_str)
    }
}

/// The verdict on a turn, with its line.
pub(super) fn verdict(
    sample: &Sample,
    said: &Line,
    judged: &Judged,
    found: &Found,
    error: Option<ErrorKind>,
    profile: Profile,
) -> record::Verdict {
    let mut line = Object::new();
    let mut put = |name: &str, value: Value| drop(line.insert(name.to_owned(), value));
    put("id", sample.id.as_str().into());
    put("rule", judged.rule().into());
    put("judged", judged.by_judge.into());
    put("verdict", judged.verdict.as_str().into());
    if let Some(key) = &judged.raw_key {
        put("raw_key", key.as_str().into());
    }
    if profile == Profile::Strict {
        put("reason", judged.ruled.reason.as_str().into());
    }
    let texts = [
        ("detail", Some(judged.ruled.detail.as_str()).filter(|detail| !detail.is_empty())),
        ("error", error.map(ErrorKind::as_str)),
        ("crash", judged.crash),
        ("way", said.way.as_deref()),
        ("human", found.human.map(|is_right| if is_right { "pass" } else { "fail" })),
        ("kind", said.kind.as_deref()),
    ];
    for (name, text) in texts.into_iter().filter_map(|(name, text)| Some((name, text?))) {
        put(name, text.into());
    }
    if judged.replies.len() > 1 {
        let Votes { pass, fail, unparsed } = judged.votes;
        put("votes", Value::List([pass, fail, unparsed].map(|count| i64::from(count).into()).to_vec()));
    }
    let right = match judged.verdict {
        Verdict::Pass => Some(true),
        Verdict::Fail => Some(false),
        Verdict::Unparsed | Verdict::Unjudged => None,
    };
    let ruled = &judged.ruled;
    let is_named = profile == Profile::Strict && ruled.detail.is_empty();
    let reason = if is_named { ruled.reason.as_str() } else { &ruled.detail };
    let verdict = record::Verdict::new(sample.id.as_str(), right, line).because(error.map(ErrorKind::as_str), reason);
    verdict.marked(Mark::Pass, judged.verdict == Verdict::Pass)
}

#[cfg(test)]
mod tests {
    use super::super::board::tests::found;
    use super::super::questions::tests::{call, sample};
    use super::*;
    use crate::functionchat::layout::Set;
    use crate::functionchat::metric::strict::Reason;

    fn shown(judged: &Judged, profile: Profile) -> String {
        let sample = sample("singlecall/1/exact", "exact", &call(), &serde_json::json!({}));
        let said = Line { kind: Some("gt".to_owned()), ..Line::missing() };
        let found = found(Set::Singlecall, "exact", judged.verdict, judged.by_judge, Some(true));
        let error = (judged.verdict == Verdict::Fail).then_some(ErrorKind::WrongValue);
        Value::Object(verdict(&sample, &said, judged, &found, error, profile).line).to_string()
    }

    fn judged(ruled: Ruled, verdict: Verdict) -> Judged {
        let (rule, raw_key, crash) = (None, None, None);
        let (votes, replies) = (Votes::default(), Vec::new());
        Judged { ruled, rule, by_judge: false, verdict, raw_key, votes, replies, crash }
    }

    #[test]
    fn what_nobody_could_judge_does_not_pass_and_is_not_wrong() {
        let sample = sample("singlecall/1/exact", "exact", &call(), &serde_json::json!({}));
        let of = |end: Verdict, detail: &str, profile| {
            let judged = judged(Ruled::fail(Reason::Key, detail), end);
            let found = found(Set::Singlecall, "exact", end, false, None);
            let error = (end == Verdict::Fail).then_some(ErrorKind::WrongValue);
            let it = verdict(&sample, &Line::missing(), &judged, &found, error, profile);
            (it.outcome.is_right(), it.marks.get(Mark::Pass), it.error, it.reason)
        };
        let wrong = |reason: &str| (Some(false), Some(false), Some(ErrorKind::WrongValue.as_str()), reason.to_owned());
        assert_eq!(of(Verdict::Fail, "`a` is missing", Profile::Strict), wrong("`a` is missing"));
        assert_eq!(of(Verdict::Fail, "", Profile::Strict), wrong(Reason::Key.as_str()));
        assert_eq!(of(Verdict::Fail, "", Profile::Upstream), wrong(""));
        assert_eq!(of(Verdict::Pass, "", Profile::Strict), (Some(true), Some(true), None, String::new()));
        for end in [Verdict::Unparsed, Verdict::Unjudged] {
            assert_eq!(of(end, "", Profile::Strict), (None, Some(false), None, String::new()));
        }
    }

    #[test]
    fn a_line_says_what_its_profile_knows() {
        let votes = Votes { pass: 0, fail: 2, unparsed: 1 };
        let ruled = Ruled::fail(Reason::Key, "`a` is missing");
        let judged = Judged { votes, ..judged(ruled, Verdict::Fail) };
        insta::assert_snapshot!(shown(&judged, Profile::Strict));
        let judged = Judged {
            ruled: Ruled::undecided(),
            rule: Some(Rule::Fail),
            by_judge: true,
            verdict: Verdict::Unparsed,
            raw_key: Some("hm".to_owned()),
            replies: vec![String::new(); 3],
            ..judged
        };
        insta::assert_snapshot!(shown(&judged, Profile::Upstream));
    }
}
