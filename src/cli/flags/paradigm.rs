//! `--paradigm`: what is right while required arguments are missing, in predict, score, report and export.

use crate::cli::console::exit::{Complaint, USAGE};
use clap::ValueEnum;
use fcgen::record::Paradigm;

/// What is right while required arguments are missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ParadigmFlag {
    /// A question that asks for them
    Ask,
    /// The call with the arguments given so far
    Snapshot,
}

impl ParadigmFlag {
    /// What it means.
    pub(crate) fn paradigm(self) -> Paradigm {
        match self {
            Self::Ask => Paradigm::Ask,
            Self::Snapshot => Paradigm::Snapshot,
        }
    }
}

/// The paradigm of a benchmark, where one may be given: HammerBench's own is the snapshot, and no other suite has one.
pub(crate) fn paradigm_of(is_hammerbench: bool, given: Option<Paradigm>) -> Result<Paradigm, Complaint> {
    match (is_hammerbench, given) {
        (true, given) => Ok(given.unwrap_or(Paradigm::Snapshot)),
        (false, Some(Paradigm::Snapshot)) => {
            let complaint =
                "`--paradigm snapshot` applies to HammerBench only; this benchmark belongs to another suite";
            Err(Complaint::new(USAGE, complaint).hint("omit the flag"))
        }
        (false, _) => Ok(Paradigm::Ask),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hammerbench_is_of_snapshots_unless_told_and_no_other_suite_is() {
        let of = |is_hammerbench, given| paradigm_of(is_hammerbench, given).map_err(|complaint| complaint.to_string());
        assert_eq!(of(true, None), Ok(Paradigm::Snapshot));
        assert_eq!(of(true, Some(Paradigm::Ask)), Ok(Paradigm::Ask));
        assert_eq!((of(false, None), of(false, Some(Paradigm::Ask))), (Ok(Paradigm::Ask), Ok(Paradigm::Ask)));
        assert!(of(false, Some(Paradigm::Snapshot)).is_err());
    }
}
