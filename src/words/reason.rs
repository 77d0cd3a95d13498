//! Why a cell ended as it did, and what a reader should know of its row: closed sets. Code asks for the
//! variant; their sentences are for people, and are made where they are shown or written.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::Status;

/// Why a cell ended as it did: a row's `reason` is its sentence, `reason_code` its JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// All that was asked of it was met.
    Met,
    /// The user cut it off.
    Interrupted(Extent),
    /// The end of the run's budget cut it off.
    RunBudgetEnded(Extent),
    /// Its interval is wider than the target.
    Wide {
        /// Half of the interval, a share of the median; `None` where there is no interval.
        half_width: Option<f64>,
        /// What it should be.
        target: f64,
        /// What ended the sampling.
        limit: Limit,
    },
    /// Its passes are too few for an interval.
    FewPasses {
        /// Passes with samples of it.
        passes: usize,
        /// Passes of the experiment.
        wanted: usize,
    },
    /// Its own budget ended before it had the fewest samples: how many it has.
    FewSamples(usize),
    /// It would not end within its budget.
    OverBudget {
        /// The budget, ns.
        budget_ns: u64,
        /// What it is predicted to take, ns.
        predicted_ns: u64,
    },
    /// The run's budget was spent before its turn.
    BudgetSpent {
        /// The budget, ns.
        budget_ns: u64,
        /// What workers took that did not answer, ns.
        hung_ns: u64,
    },
    /// A sample took less than a step of the host's clock: the step, ns.
    TooCoarse(u64),
    /// There is no device to run it on.
    NoDevice,
    /// There is no answer to compare with, and why.
    NoReference(#[serde(skip)] String),
    /// What a technique, a driver, a worker or a comparison said, which nothing but people read.
    Told(#[serde(skip)] String),
}

/// How far a cell came that was cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Extent {
    /// So many samples.
    Samples(usize),
    /// The first so many of the second so many passes.
    Passes(usize, u64),
}

/// What ends the sampling of a cell whose interval is still too wide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    /// It has the most samples that it may have.
    Samples,
    /// Its share of the time ended.
    Share,
    /// It has so many passes.
    Passes(usize),
}

/// The one percentage of a sentence, by which alone like sentences differ.
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
    /// The percentage in its sentence.
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

    /// Its sentence with this text in place of its percentage.
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

    /// Why there is no answer to compare with: how the reference ended, or that it is not there.
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

/// What was wrong while a cell was measured: a row's `warnings` are the sentences, each with its cause and
/// what to do, and `warning_codes` the JSON. A row joins the sentences with `; `, so none has one in itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Warning {
    /// Others used the processor: the share of it that they took, 0 to 1.
    Busy(f64),
    /// The hypervisor gave the processor to somebody else: the share of time taken, 0 to 1.
    Stolen(f64),
    /// A container may use fewer processors than it sees: how many, and how many it sees.
    Quota(f64, usize),
    /// The processor's clock changed: before and after, MHz.
    Clock(u64, u64),
    /// The clock by which samples are timed goes on in steps of so many ns.
    Coarse(u64),
    /// The device's timer cannot be trusted.
    Timer,
    /// What an older program said, in its words: its rows have no codes.
    Older(String),
}

impl Warning {
    /// The percentage in its sentence.
    pub fn percent(&self) -> Option<Percent> {
        match self {
            Warning::Busy(share) | Warning::Stolen(share) => Some(Percent {
                value: share * 100.0,
                digits: 0,
            }),
            _ => None,
        }
    }

    /// Its sentence with this text in place of its percentage.
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
            Warning::Older(text) => text.clone(),
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

/// A time of one, two or three digits and its unit.
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
