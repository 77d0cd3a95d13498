//! Verdicts on claims.

use serde::{Serialize, Serializer};

use crate::config::Claim;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Verdict {
    /// Every measured cell agrees.
    Holds,
    /// At least three quarters agree.
    Mostly,
    /// Fewer agree, and an interval contradicts the claim.
    Fails,
    /// Fewer agree, and no interval contradicts it.
    Unclear,
    /// No cell of the claim has a number.
    #[default]
    NotMeasured,
    /// A claim about GPUs, measured on a processor.
    NotJudged,
}

impl Verdict {
    pub(super) fn of(held: usize, against: usize, measured: usize) -> Self {
        match () {
            () if held == measured => Verdict::Holds,
            () if 4 * held >= 3 * measured => Verdict::Mostly,
            () if against > 0 => Verdict::Fails,
            () => Verdict::Unclear,
        }
    }

    pub(crate) fn words(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::Mostly => "holds mostly",
            Verdict::Fails => "fails",
            Verdict::Unclear => "unclear",
            Verdict::NotMeasured => "not measured",
            Verdict::NotJudged => "not judged",
        }
    }
}

/// A verdict and its counts, of cells or of rows of cells along an axis.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Finding {
    pub verdict: Verdict,
    pub held: usize,
    /// Further cells that agree by their value, but have no interval.
    pub leaning: usize,
    pub measured: usize,
    pub all: usize,
    /// Cells with an interval of few samples, which is only a hint.
    pub few: usize,
    /// Rows that compare cells of different numbers of positions.
    pub unequal: usize,
    /// The cell that most contradicts the claim, or comes nearest to it; empty if none has a number.
    pub worst: String,
    /// Why the first cell without a number has none; empty if all have numbers.
    pub reason: String,
}

impl Finding {
    pub(super) fn not_measured(all: usize, reason: impl Into<String>) -> Self {
        Finding {
            all,
            reason: reason.into(),
            ..Finding::default()
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Judged {
    #[serde(serialize_with = "id")]
    pub claim: Claim,
    /// A device's label, or the host; empty if the run ended before it was known.
    pub device: String,
    pub finding: Finding,
}

fn id<S: Serializer>(claim: &Claim, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&claim.id)
}
