//! The ways in which the stub fails, and when.

use std::collections::BTreeMap;
use std::time::Duration;

/// One way to fail.
#[derive(Debug, Clone, PartialEq)]
pub enum StubFault {
    /// Another answer than a completion: any status, headers and body.
    Answer {
        /// HTTP status.
        status: u16,
        /// Headers besides the length; a content type belongs here.
        headers: Vec<(String, String)>,
        /// The body.
        body: String,
    },
    /// The connection ends before anything is answered.
    DropBeforeHeaders,
    /// The connection ends after the headers.
    DropAfterHeaders,
    /// The connection ends in the middle of the body.
    TruncatedBody,
    /// The body comes byte by byte, with a pause before each.
    Trickle(Duration),
    /// The body has its announced length, and is half a JSON.
    HalfJson,
    /// The completion comes as `text/event-stream`.
    WrongContentType,
    /// A completion without choices.
    EmptyChoices,
    /// A completion that ends for this reason, in the server's words.
    Finish(String),
}

/// Which requests fail, and how: by their ordinal, or at a rate.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FaultPlan {
    by_ordinal: BTreeMap<u64, StubFault>,
    by_rate: Vec<(f64, StubFault)>,
    seed: u64,
}

impl StubFault {
    /// A status with an error in OpenAI's shape.
    pub fn status(status: u16) -> Self {
        let body =
            serde_json::json!({ "error": { "message": format!("stub says {status}"), "type": "stub", "code": null } });
        Self::json(status, body.to_string())
    }

    /// A status with an error whose code is a number, as vLLM and llama.cpp send it.
    pub fn integer_code(status: u16) -> Self {
        let body = serde_json::json!({ "error": { "message": format!("stub says {status}"), "code": status } });
        Self::json(status, body.to_string())
    }

    /// A status with a JSON body.
    pub fn json(status: u16, body: impl Into<String>) -> Self {
        Self::text(status, body).with_header("content-type", "application/json")
    }

    /// A status with a page, as proxies send it.
    pub fn html(status: u16) -> Self {
        let body = format!("<html><head><title>{status} from the proxy</title></head><body>Sorry</body></html>");
        Self::text(status, body).with_header("content-type", "text/html")
    }

    /// A status with a plain body.
    pub fn text(status: u16, body: impl Into<String>) -> Self {
        Self::Answer { status, headers: Vec::new(), body: body.into() }
    }

    /// The same answer with a header more.
    #[must_use]
    pub fn with_header(mut self, name: &str, value: &str) -> Self {
        if let Self::Answer { headers, .. } = &mut self {
            headers.push((name.to_owned(), value.to_owned()));
        }
        self
    }
}

impl FaultPlan {
    /// Every request fails this way.
    pub fn always(fault: StubFault) -> Self {
        Self::default().at_rate(1.0, fault)
    }

    /// The first requests fail, each in its way.
    pub fn first(faults: impl IntoIterator<Item = StubFault>) -> Self {
        let by_ordinal = (0..).zip(faults).collect();
        Self { by_ordinal, ..Self::default() }
    }

    /// Besides, this share of the requests fails this way.
    #[must_use]
    pub fn at_rate(mut self, rate: f64, fault: StubFault) -> Self {
        self.by_rate.push((rate, fault));
        self
    }

    /// Which requests a rate hits depends on the seed and on nothing else.
    #[must_use]
    pub fn with_seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// How the request with this ordinal fails, if it does.
    pub(super) fn fault(&self, ordinal: u64) -> Option<&StubFault> {
        let hit = |(kind, (rate, _)): &(u64, &(f64, StubFault))| fraction(self.seed, ordinal, *kind) < *rate;
        let by_rate = || (0..).zip(&self.by_rate).find(hit).map(|(_, (_, fault))| fault);
        self.by_ordinal.get(&ordinal).or_else(by_rate)
    }
}

/// A number from 0 to below 1 that depends on its arguments alone.
pub(super) fn fraction(seed: u64, ordinal: u64, kind: u64) -> f64 {
    let mut hasher = blake3::Hasher::new();
    for part in [seed, ordinal, kind] {
        hasher.update(&part.to_le_bytes());
    }
    let [first, second, third, fourth, ..] = *hasher.finalize().as_bytes();
    f64::from(u32::from_le_bytes([first, second, third, fourth])) / (f64::from(u32::MAX) + 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_requests_fail_and_the_next_does_not() {
        let plan = FaultPlan::first([StubFault::HalfJson, StubFault::status(500)]);
        assert_eq!(plan.fault(0), Some(&StubFault::HalfJson));
        assert_eq!(plan.fault(1), Some(&StubFault::status(500)));
        assert_eq!(plan.fault(2), None);
    }

    #[test]
    fn a_rate_is_met_and_repeats() {
        let plan = FaultPlan::default().at_rate(0.2, StubFault::HalfJson).with_seed(7);
        let hits = |plan: &FaultPlan| (0..1000).filter(|ordinal| plan.fault(*ordinal).is_some()).collect::<Vec<_>>();
        assert_eq!(hits(&plan), hits(&plan.clone()));
        assert_ne!(hits(&plan), hits(&plan.clone().with_seed(8)));
        assert!((150..250).contains(&hits(&plan).len()), "{}", hits(&plan).len());
    }

    #[test]
    fn always_is_always_and_never_is_never() {
        assert!((0..100).all(|ordinal| FaultPlan::always(StubFault::HalfJson).fault(ordinal).is_some()));
        let never = FaultPlan::default().at_rate(0.0, StubFault::HalfJson);
        assert!((0..100).all(|ordinal| never.fault(ordinal).is_none()));
    }
}
