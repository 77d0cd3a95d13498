//! Which cases have a launch that would pass the limit and cannot be split.

use std::time::Duration;

use super::host::{Host, Question};
use crate::words::Reason;

/// Launches of a technique that cannot split them, on a device with a limit: the papers' own programs.
#[derive(Default)]
pub(super) struct WholeLaunches {
    limit_ns: u64,
    /// The reference's nodes and plies of each case; 0 where launches are split. Empty without a limit.
    work: Vec<u64>,
    /// Work and longest launch, ns, of the last case.
    last: (u64, u64),
}

impl WholeLaunches {
    /// Sorts the cases by work, so that each predicts the next. The work of a case without a reference's answer, and of
    /// all cases once `is_over`, is unknown.
    pub(super) fn order(
        &mut self,
        limit: Duration,
        questions: &mut Vec<Question>,
        host: &mut Host<'_>,
        is_whole: impl Fn(&Question) -> bool,
        is_over: impl Fn() -> bool,
    ) {
        let mut work = |it: &Question| match is_whole(it) && !is_over() {
            true => host.work(it),
            false => 0,
        };
        let mut all: Vec<_> = questions.drain(..).map(|it| (work(&it), it)).collect();
        all.sort_by_key(|(work, _)| *work);
        (self.work, *questions) = all.into_iter().unzip();
        self.limit_ns = limit.as_nanos() as u64;
    }

    /// The reason to leave a case out. The first one is asked, and one of unknown work.
    pub(super) fn too_long(&self, number: usize) -> Option<Reason> {
        let (work, ns) = self.last;
        let own = *self.work.get(number)?;
        let predicted_ns = u128::from(ns) * u128::from(own) / u128::from(work.max(1));
        (predicted_ns > self.limit_ns.into()).then_some(Reason::LaunchOverLimit {
            limit_ns: self.limit_ns,
            predicted_ns: u64::try_from(predicted_ns).unwrap_or(u64::MAX),
        })
    }

    /// Learns from a case. A launch that cost the worker took longer than the limit, as far as anybody knows.
    pub(super) fn learn(&mut self, number: usize, launch_ns: u64, is_lost: bool) {
        let Some(work @ 1..) = self.work.get(number) else {
            return;
        };
        match (launch_ns, is_lost) {
            (0, true) => self.last = (*work, self.limit_ns),
            (0, false) => {}
            (ns, _) => self.last = (*work, ns),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_launch_is_predicted_from_the_case_before() {
        let mut launches = WholeLaunches {
            limit_ns: 50_000_000,
            work: vec![0, 10, 10_000, 1_000_000],
            ..WholeLaunches::default()
        };
        // Launches that are split say nothing of the others.
        launches.learn(0, 49_000_000, false);
        assert_eq!(launches.too_long(1), None);
        launches.learn(1, 20_000, false);
        assert_eq!(launches.too_long(2), None);
        launches.learn(2, 800_000, false);
        // A case without a launch says nothing.
        launches.learn(2, 0, false);
        let reason = Reason::LaunchOverLimit {
            limit_ns: 50_000_000,
            predicted_ns: 80_000_000,
        };
        assert_eq!(launches.too_long(3), Some(reason));
        launches.last = (10_000, 1);
        launches.learn(2, 0, true);
        assert!(launches.too_long(3).is_some(), "the worker was lost");
        assert_eq!(WholeLaunches::default().too_long(0), None);
    }
}
