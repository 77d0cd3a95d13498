//! Defines the reasons why cells end, and the warnings in rows. Code compares only the variants, not the sentences.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Why a cell ended. A row stores the sentence as `reason` and the JSON as `reason_code`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// The cell met every requirement.
    #[error("")]
    Met,
    /// The user interrupted the run.
    #[error("interrupted after {0}")]
    Interrupted(Extent),
    /// The run's budget ran out.
    #[error("the run's whole budget ended after {0}")]
    RunBudgetEnded(Extent),
    /// The interval is wider than the target.
    #[error("{}, not ±{:.1} %, {limit}", reached(*.half_width), .target * 100.0)]
    Wide {
        /// Half-width of the interval relative to the median; `None` if there is no interval.
        half_width: Option<f64>,
        /// Required half-width relative to the median.
        target: f64,
        /// The limit that ended the sampling.
        limit: Limit,
    },
    /// The cell has too few passes for an interval.
    #[error("{passes} passes of the {wanted} wanted: no interval")]
    FewPasses {
        /// Number of passes in which the cell has samples.
        passes: usize,
        /// Number of passes in the experiment.
        wanted: usize,
    },
    /// The cell's budget ran out before the minimum number of samples. Holds the number of samples taken.
    #[error("only {0} samples when its budget ended")]
    FewSamples(usize),
    /// The cell is predicted to exceed its budget.
    #[error("budget {}, predicted {}", seconds(*.budget_ns), seconds(*.predicted_ns))]
    OverBudget {
        /// The budget, ns.
        budget_ns: u64,
        /// The predicted time, ns.
        predicted_ns: u64,
    },
    /// A launch is predicted to exceed the launch limit, and the technique cannot split it.
    #[error(
        "launch limit {}, predicted {}, and it cannot split a launch",
        time_in_words(*.limit_ns), time_in_words(*.predicted_ns)
    )]
    LaunchOverLimit {
        /// The limit, ns.
        limit_ns: u64,
        /// The predicted time for the longest launch, ns.
        predicted_ns: u64,
    },
    /// The first pass has less time left than the case is predicted to take.
    #[error(
        "the first pass has {} left, predicted for the whole case {}",
        seconds(*.left_ns), seconds(*.predicted_ns)
    )]
    CaseOverPass {
        /// The time left, ns.
        left_ns: u64,
        /// Predicted time for one sample of every cell of the case, ns.
        predicted_ns: u64,
    },
    /// The run's budget was spent before the cell started.
    #[error(
        "the whole run's budget of {} was spent before its turn{}",
        exact(*.budget_ns), hung(*.hung_ns)
    )]
    BudgetSpent {
        /// The budget, ns.
        budget_ns: u64,
        /// Time lost to workers that did not answer, ns.
        hung_ns: u64,
    },
    /// A sample was shorter than the resolution of the host's clock. Holds the resolution, ns.
    #[error("the clock's step of {} is too coarse for it: a sample measured 0 ns", time_in_words(*.0))]
    TooCoarse(u64),
    /// No device is available for the cell.
    #[error("no OpenCL device on this machine (`bench devices` says more)")]
    NoDevice,
    /// No reference answer is available. Holds the reason.
    #[error("no answer to compare with: {0}")]
    NoReference(#[serde(skip)] String),
    /// Text from a technique, a driver, a worker or a comparison, for readers only.
    #[error("{0}")]
    Told(#[serde(skip)] String),
}

/// How far an interrupted cell got.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "kebab-case")]
pub enum Extent {
    /// Number of samples taken.
    #[error("{0} samples")]
    Samples(usize),
    /// Number of passes taken, and total number of passes.
    #[error("{0} of {1} passes")]
    Passes(usize, u64),
}

/// Why sampling ended for a cell whose interval is too wide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    /// The cell has the maximum number of samples.
    #[error("after the most samples allowed")]
    Samples,
    /// The cell's share of the time is used up.
    #[error("when its share of the time ended")]
    Share,
    /// The cell has taken part in all of its passes. Holds their number.
    #[error("after {0} passes")]
    Passes(usize),
}

/// A problem during a cell's measurement, for a row's `warnings` and `warning_codes`. No sentence may contain `; `.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "kebab-case")]
pub enum Warning {
    /// Other processes used the processor. Holds their share, 0 to 1.
    #[error("busy host: other programs took {:.0} % of the processor (stop them)", .0 * 100.0)]
    Busy(f64),
    /// The hypervisor gave processor time to other guests. Holds that share, 0 to 1.
    #[error(
        "stolen time: the hypervisor took {:.0} % of the processor (use a machine of your own)", .0 * 100.0
    )]
    Stolen(f64),
    /// A container may use fewer processors than it sees. Holds the quota and the visible number.
    #[error("CPU quota: {0:.1} of {1} processors may be used (raise the quota or give --threads)")]
    Quota(f64, usize),
    /// The processor's clock frequency changed. Holds the frequency before and after, MHz.
    #[error("changed clock: {0} MHz before, {1} MHz after (fix the governor)")]
    Clock(u64, u64),
    /// The clock that times the samples is coarse. Holds its step, ns.
    #[error(
        "coarse clock: steps of {} (times below {} are not exact to 1 %)",
        time_in_words(*.0), time_in_words(.0.saturating_mul(100))
    )]
    Coarse(u64),
    /// The device's timer is untrusted.
    #[error("the device's timer cannot be trusted: only whole times, by the host's clock")]
    Timer,
    /// The device's timer is too coarse for the device's work. Holds its step, ns.
    #[error(
        "the device's timer has steps of {}: times of a few steps are not divided into parts",
        time_in_words(*.0)
    )]
    Steps(u64),
}

fn reached(half_width: Option<f64>) -> String {
    half_width.map_or("no interval".to_owned(), |half| {
        format!("±{:.1} %", half * 100.0)
    })
}

fn exact(ns: u64) -> humantime::FormattedDuration {
    humantime::format_duration(Duration::from_nanos(ns))
}

fn hung(ns: u64) -> String {
    match ns {
        0 => String::new(),
        ns => format!("; workers that did not answer took {}", exact(ns)),
    }
}

fn seconds(ns: u64) -> String {
    match ns as f64 / 1e9 {
        s @ 10.0.. => format!("{s:.0} s"),
        s => format!("{s:.1} s"),
    }
}

fn time_in_words(ns: u64) -> String {
    let (scale, unit) = match ns {
        1_000_000_000.. => (1e9, "s"),
        1_000_000.. => (1e6, "ms"),
        1_000.. => (1e3, "µs"),
        _ => (1.0, "ns"),
    };
    let value = ns as f64 / scale;
    let text = match value {
        ..10.0 => format!("{value:.2}"),
        ..100.0 => format!("{value:.1}"),
        _ => return format!("{value:.0} {unit}"),
    };
    format!(
        "{} {unit}",
        text.trim_end_matches('0').trim_end_matches('.')
    )
}

/// Formats a count with its noun: `1 row`, `3 rows`.
pub fn counted(number: usize, noun: &str) -> String {
    match number {
        1 => format!("1 {noun}"),
        _ => format!("{number} {noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_warning_falls_apart_where_a_row_joins_several() {
        for warning in [
            Warning::Busy(0.5),
            Warning::Stolen(0.5),
            Warning::Quota(1.5, 4),
            Warning::Clock(3000, 2000),
            Warning::Coarse(10_000_000),
            Warning::Timer,
            Warning::Steps(52),
        ] {
            assert!(!warning.to_string().contains("; "), "{warning}");
        }
    }

    #[test]
    fn times_have_three_digits_at_most() {
        for (ns, text) in [
            (100, "100 ns"),
            (1_500, "1.5 µs"),
            (15_625_000, "15.6 ms"),
            (100_000_000, "100 ms"),
            (1_000_000_000, "1 s"),
        ] {
            assert_eq!(time_in_words(ns), text);
        }
    }
}
