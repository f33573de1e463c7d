//! The figures of both levels, by the names under which they are published.

use serde::Serialize;

/// What the snapshot evaluator prints.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct SnapshotFigures {
    /// Snapshots.
    pub n: u64,
    /// Those of them with the right name.
    pub named: u64,
    /// Share of refusals (no right call, and the word) among all.
    pub rejection_rate: f64,
    /// Share of replies without a call.
    pub string_ratio: f64,
    /// Parameters too many, on average.
    pub avg_hallucinated: f64,
    /// Parameters too few, on average.
    pub avg_missing: f64,
    /// Share of right names.
    pub func_acc: f64,
    /// Share with a parameter too many, among those with the right name.
    pub phr: f64,
    /// Share with a parameter too few, among those with the right name.
    pub pmr: f64,
    /// Share of arguments that pass, whatever the name.
    pub acc: f64,
}

/// What the conversation evaluator prints.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct ConversationFigures {
    /// Conversations.
    pub conversations: u64,
    /// Snapshots that were looked at.
    pub snapshots: u64,
    /// Those of them in conversations that begin with the right name.
    pub named: u64,
    /// Share of conversations whose first reply refuses.
    pub rejection_rate: f64,
    /// Parameters too many, on average.
    pub avg_hallucinated: f64,
    /// Parameters too few, on average.
    pub avg_missing: f64,
    /// Share of snapshots with a parameter too many, in conversations that begin with the right name.
    pub phr: f64,
    /// Share of snapshots with a parameter too few, in conversations that begin with the right name.
    pub pmr: f64,
    /// Share of conversations that begin with the right name.
    pub func_acc: f64,
    /// Share of snapshots whose arguments pass in conversations that begin with the right name.
    pub acc: f64,
    /// How far conversations went right, on average.
    pub pr: f64,
    /// Share of conversations that went right from end to end.
    pub sr: f64,
}

/// What the authors add to some denominators.
const TRACE: f64 = 1e-9;

/// A share as the authors divide where nothing is left to divide by.
pub(super) fn traced(part: f64, whole: u64) -> f64 {
    part / (real(whole) + TRACE)
}

/// A share; 0 of nothing, where the authors' program breaks off.
pub(super) fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { real(part) / real(whole) }
}

/// A count as a real number.
#[expect(clippy::cast_precision_loss, reason = "counts are below 2^52")]
pub(super) fn real(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_keeps_nothing_divisible() {
        assert!(traced(0.0, 0).abs() < 1e-300 && (traced(1.0, 2) - 0.499_999_999_75).abs() < 1e-12);
        assert!(share(3, 0).abs() < 1e-300 && (share(1, 4) - 0.25).abs() < 1e-300);
    }
}
