//! Why a cell ended, and the warnings of its row. Code compares variants; sentences are made only for output.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::Status;

/// Why a cell ended: a row's `reason` is its sentence, `reason_code` its JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// It met every request.
    Met,
    /// The user interrupted the run.
    Interrupted(Extent),
    /// The run's budget ended.
    RunBudgetEnded(Extent),
    /// Its interval is wider than the target.
    Wide {
        /// Half of the interval's width over the median; `None` if there is no interval.
        half_width: Option<f64>,
        /// The required half-width over the median.
        target: f64,
        /// The limit that ended the sampling.
        limit: Limit,
    },
    /// It has too few passes for an interval.
    FewPasses {
        /// Passes in which it has samples.
        passes: usize,
        /// Passes of the experiment.
        wanted: usize,
    },
    /// The cell's budget ended before the minimum number of samples; it has this many.
    FewSamples(usize),
    /// It is predicted to exceed its budget.
    OverBudget {
        /// The budget, ns.
        budget_ns: u64,
        /// The predicted time, ns.
        predicted_ns: u64,
    },
    /// A launch is predicted to exceed the launch limit, and the technique cannot split it.
    LaunchOverLimit {
        /// The limit, ns.
        limit_ns: u64,
        /// The predicted time of its longest launch, ns.
        predicted_ns: u64,
    },
    /// The first pass has less time left than its case is predicted to take.
    CaseOverPass {
        /// The time left, ns.
        left_ns: u64,
        /// The predicted time of one sample of each cell of the case, ns.
        predicted_ns: u64,
    },
    /// The run's budget was spent before the cell started.
    BudgetSpent {
        /// The budget, ns.
        budget_ns: u64,
        /// Time spent on workers that did not answer, ns.
        hung_ns: u64,
    },
    /// A sample took less than one step of the host's clock; the step, ns.
    TooCoarse(u64),
    /// There is no device for it.
    NoDevice,
    /// There is no reference answer, and why.
    NoReference(#[serde(skip)] String),
    /// Text of a technique, a driver, a worker or a comparison, for readers only.
    Told(#[serde(skip)] String),
}

/// How far an interrupted cell came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Extent {
    /// This many samples.
    Samples(usize),
    /// This many passes, out of the second number.
    Passes(usize, u64),
}

/// The end of sampling for a cell with too wide an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    /// It has the maximum number of samples.
    Samples,
    /// Its share of the time is used up.
    Share,
    /// It has all passes, this many.
    Passes(usize),
}

/// The percentage of a sentence: the only difference between sentences of one kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Percent {
    /// The percentage.
    pub value: f64,
    /// Digits after the point.
    digits: usize,
}

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.*}", self.digits, self.value)
    }
}

impl Reason {
    /// The percentage of its sentence.
    pub fn percent(&self) -> Option<Percent> {
        match self {
            Reason::Wide {
                half_width: Some(half),
                ..
            } => Some(Percent {
                value: half * 100.0,
                digits: 1,
            }),
            _ => None,
        }
    }

    /// Its sentence with another text for the percentage.
    pub fn with(&self, percent: &str) -> String {
        match self {
            Reason::Met => String::new(),
            Reason::Interrupted(extent) => format!("interrupted after {extent}"),
            Reason::RunBudgetEnded(extent) => {
                format!("the run's whole budget ended after {extent}")
            }
            Reason::Wide {
                half_width,
                target,
                limit,
            } => {
                let reached = match half_width {
                    Some(_) => format!("±{percent} %"),
                    None => "no interval".to_owned(),
                };
                format!("{reached}, not ±{:.1} %, {limit}", target * 100.0)
            }
            Reason::FewPasses { passes, wanted } => {
                format!("{passes} passes of the {wanted} wanted: no interval")
            }
            Reason::FewSamples(samples) => format!("only {samples} samples when its budget ended"),
            Reason::OverBudget {
                budget_ns,
                predicted_ns,
            } => format!(
                "budget {}, predicted {}",
                seconds(*budget_ns),
                seconds(*predicted_ns)
            ),
            Reason::LaunchOverLimit {
                limit_ns,
                predicted_ns,
            } => format!(
                "launch limit {}, predicted {}, and it cannot split a launch",
                time_in_words(*limit_ns),
                time_in_words(*predicted_ns)
            ),
            Reason::CaseOverPass {
                left_ns,
                predicted_ns,
            } => format!(
                "the first pass has {} left, predicted for the whole case {}",
                seconds(*left_ns),
                seconds(*predicted_ns)
            ),
            Reason::BudgetSpent { budget_ns, hung_ns } => {
                let time = |ns: u64| humantime::format_duration(Duration::from_nanos(ns));
                let hung = match hung_ns {
                    0 => String::new(),
                    ns => format!("; workers that did not answer took {}", time(*ns)),
                };
                let budget = time(*budget_ns);
                format!("the whole run's budget of {budget} was spent before its turn{hung}")
            }
            Reason::TooCoarse(step) => {
                let step = time_in_words(*step);
                format!("the clock's step of {step} is too coarse for it: a sample measured 0 ns")
            }
            Reason::NoDevice => {
                "no OpenCL device on this machine (`bench devices` says more)".to_owned()
            }
            Reason::NoReference(why) => format!("no answer to compare with: {why}"),
            Reason::Told(text) => text.clone(),
        }
    }

    /// The reason for a missing reference answer: how the reference ended, or that it was not run.
    pub fn no_reference(name: &str, ended: Option<(Status, &Reason)>) -> Self {
        Reason::NoReference(match ended {
            Some((status, reason)) => format!("{name} ended {status}: {reason}"),
            None => format!("{name} is not part of this run"),
        })
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&with_own(self.percent(), |percent| self.with(percent)))
    }
}

impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Extent::Samples(samples) => write!(f, "{samples} samples"),
            Extent::Passes(taken, all) => write!(f, "{taken} of {all} passes"),
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::Samples => f.write_str("after the most samples allowed"),
            Limit::Share => f.write_str("when its share of the time ended"),
            Limit::Passes(passes) => write!(f, "after {passes} passes"),
        }
    }
}

/// Problems during a cell's measurement: a row's `warnings` and `warning_codes`. A sentence must not contain `; `.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Warning {
    /// Other processes used the processor: their share of it, 0 to 1.
    Busy(f64),
    /// The hypervisor took processor time for other guests: the share taken, 0 to 1.
    Stolen(f64),
    /// A container may use fewer processors than it sees: the quota, and the number seen.
    Quota(f64, usize),
    /// The processor's clock changed: before and after, MHz.
    Clock(u64, u64),
    /// The clock that times the samples has steps of this many ns.
    Coarse(u64),
    /// The device's timer is untrusted.
    Timer,
    /// The device's timer has steps of this many ns, too coarse for the device's work.
    Steps(u64),
}

impl Warning {
    /// The percentage of its sentence.
    pub fn percent(&self) -> Option<Percent> {
        match self {
            Warning::Busy(share) | Warning::Stolen(share) => Some(Percent {
                value: share * 100.0,
                digits: 0,
            }),
            _ => None,
        }
    }

    /// Its sentence with another text for the percentage.
    pub fn with(&self, percent: &str) -> String {
        match self {
            Warning::Busy(_) => {
                format!("busy host: other programs took {percent} % of the processor (stop them)")
            }
            Warning::Stolen(_) => format!(
                "stolen time: the hypervisor took {percent} % of the processor (use a machine of \
                 your own)"
            ),
            Warning::Quota(quota, seen) => format!(
                "CPU quota: {quota:.1} of {seen} processors may be used (raise the quota or \
                 give --threads)"
            ),
            Warning::Clock(before, after) => {
                format!("changed clock: {before} MHz before, {after} MHz after (fix the governor)")
            }
            Warning::Coarse(step) => format!(
                "coarse clock: steps of {} (times below {} are not exact to 1 %)",
                time_in_words(*step),
                time_in_words(step.saturating_mul(100))
            ),
            Warning::Timer => {
                "the device's timer cannot be trusted: only whole times, by the host's clock"
                    .to_owned()
            }
            Warning::Steps(step) => format!(
                "the device's timer has steps of {}: times of a few steps are not divided into parts",
                time_in_words(*step)
            ),
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&with_own(self.percent(), |percent| self.with(percent)))
    }
}

fn with_own(percent: Option<Percent>, sentence: impl Fn(&str) -> String) -> String {
    sentence(&percent.map(|it| it.to_string()).unwrap_or_default())
}

fn seconds(ns: u64) -> String {
    match ns as f64 / 1e9 {
        s @ 10.0.. => format!("{s:.0} s"),
        s => format!("{s:.1} s"),
    }
}

fn time_in_words(ns: u64) -> String {
    let units = [(1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "µs")];
    let (scale, unit) = units
        .into_iter()
        .find(|(scale, _)| ns >= *scale)
        .unwrap_or((1, "ns"));
    let value = ns as f64 / scale as f64;
    let digits = match value {
        ..10.0 => 2,
        ..100.0 => 1,
        _ => 0,
    };
    let text = format!("{value:.digits$}");
    let text = match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => &text,
    };
    format!("{text} {unit}")
}

/// A number of things: `1 row`, `3 rows`.
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
