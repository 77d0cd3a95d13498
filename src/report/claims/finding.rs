//! What came of holding a claim against a run.

use crate::config::Claim;
use crate::report::data::is_device;

/// What a run says to a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// All that was measured agrees.
    Reproduced,
    /// Something that was measured speaks against it, by its intervals.
    NotReproduced,
    /// Nothing speaks against it, but not all intervals tell.
    Unclear,
    /// Nothing that it is about has a number.
    NotMeasured,
}

impl Verdict {
    /// The words in reports.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Verdict::Reproduced => "reproduced",
            Verdict::NotReproduced => "not reproduced",
            Verdict::Unclear => "unclear",
            Verdict::NotMeasured => "not measured",
        }
    }
}

/// A verdict and what it rests on. What is counted are cells, or rows of cells along an axis.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Finding {
    pub verdict: Verdict,
    /// In how many the claim holds.
    pub held: usize,
    /// How many have numbers.
    pub measured: usize,
    /// How many the claim is about.
    pub all: usize,
    /// Cells whose interval is of so few samples that it is only a hint.
    pub few: usize,
    /// The one that speaks most against the claim, or is nearest to it; empty where none has a number.
    pub worst: String,
    /// Why the first that has no number has none; empty where all have.
    pub reason: String,
}

impl Finding {
    pub(super) fn not_measured(all: usize, reason: impl Into<String>) -> Self {
        Finding {
            verdict: Verdict::NotMeasured,
            held: 0,
            measured: 0,
            all,
            few: 0,
            worst: String::new(),
            reason: reason.into(),
        }
    }
}

/// A claim, what it was held against, and what came out.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Judged {
    pub claim: Claim,
    /// A device's label, or the host; empty where the run has not got so far as to tell.
    pub device: String,
    pub finding: Finding,
}

/// Whether any verdict is about a device.
pub(crate) fn on_devices(judged: &[Judged]) -> bool {
    judged.iter().any(|one| is_device(&one.device))
}
