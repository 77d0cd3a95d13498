//! What came of holding a claim against a run.

use crate::config::Claim;

/// What a run says to a claim.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// All that was measured agrees.
    Holds,
    /// Three quarters of it or more agree.
    Mostly,
    /// Fewer agree, and something speaks against it by its interval.
    Fails,
    /// Fewer agree, and nothing speaks against it: the intervals do not tell.
    Unclear,
    /// Nothing that it is about has a number.
    #[default]
    NotMeasured,
}

impl Verdict {
    /// Every verdict, the best first.
    pub(crate) const ALL: [Verdict; 5] = {
        use Verdict::{Fails, Holds, Mostly, NotMeasured, Unclear};
        [Holds, Mostly, Fails, Unclear, NotMeasured]
    };

    /// The verdict on what has numbers: in how many of them the claim holds, and how many speak against it.
    pub(super) fn of(held: usize, against: usize, measured: usize) -> Self {
        match () {
            () if held == measured => Verdict::Holds,
            () if 4 * held >= 3 * measured => Verdict::Mostly,
            () if against > 0 => Verdict::Fails,
            () => Verdict::Unclear,
        }
    }

    /// The words in reports.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::Mostly => "holds mostly",
            Verdict::Fails => "fails",
            Verdict::Unclear => "unclear",
            Verdict::NotMeasured => "not measured",
        }
    }
}

/// A verdict and what it rests on. What is counted are cells, or rows of cells along an axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Finding {
    pub verdict: Verdict,
    /// In how many the claim holds.
    pub held: usize,
    /// How many more agree by their value, but have no interval.
    pub leaning: usize,
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
            all,
            reason: reason.into(),
            ..Finding::default()
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

impl Judged {
    /// Whether the run says that it holds or fails.
    pub(crate) fn is_decided(&self) -> bool {
        let verdict = self.finding.verdict;
        !matches!(verdict, Verdict::Unclear | Verdict::NotMeasured)
    }
}
