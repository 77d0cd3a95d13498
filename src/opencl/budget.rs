//! Plans the amount of work per launch, so that each launch ends within the device's launch limit.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use super::device::Device;

const SHORTEST: Duration = Duration::from_millis(1);

/// A user's limit on the duration of a launch: a time or `off`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchLimit(pub Option<Duration>);

impl FromStr for LaunchLimit {
    type Err = String;

    fn from_str(text: &str) -> Result<LaunchLimit, String> {
        if text == "off" {
            return Ok(LaunchLimit(None));
        }
        let time = humantime::parse_duration(text).ok();
        time.filter(|time| *time >= SHORTEST)
            .map(|time| LaunchLimit(Some(time)))
            .ok_or_else(|| "expected a time of at least 1ms (`20ms`), or `off`".to_owned())
    }
}

impl fmt::Display for LaunchLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(time) => write!(f, "{}", humantime::format_duration(time)),
            None => f.write_str("off"),
        }
    }
}

/// Share of the limit for which launches are planned. A launch of table search takes up to 1.8 times the planned time.
pub const PLANNED: f64 = 0.5;

/// A launch shorter than this share of the limit is mostly overhead, so it gives only a lower bound on the rate.
const TELLING: f64 = 0.1;

/// Maximum factor by which one long launch raises the rate. It limits the effect of a short phase of fast work.
const RISE: f64 = 1.25;

/// Plans each launch from the rates of earlier launches. The caller chooses the unit of work, such as a playout.
#[derive(Clone, Debug)]
pub struct LaunchBudget {
    limit: Option<Duration>,
    first: u64,
    rate: Option<f64>,
}

impl LaunchBudget {
    /// Creates a budget for a device. `first` is the work of the first launch, which must be short on any device.
    pub fn new(device: &Device, first: u64) -> LaunchBudget {
        LaunchBudget {
            limit: device.launch_limit(),
            first,
            rate: None,
        }
    }

    /// Returns the amount of work for the next launch, at least 1, or `None` if there is no limit.
    pub fn next(&self) -> Option<u64> {
        let limit = self.limit?;
        let Some(rate) = self.rate else {
            return Some(self.first.max(1));
        };
        Some(((rate * limit.as_nanos() as f64 * PLANNED) as u64).max(1))
    }

    /// True if a launch has been timed.
    pub fn knows_a_rate(&self) -> bool {
        self.rate.is_some()
    }

    /// Records that a launch with this `work` took the time `took`, from the host's call to the launch's end.
    pub fn learn(&mut self, work: u64, took: Duration) {
        let Some(limit) = self.limit else { return };
        let rate = work as f64 / (took.as_nanos() as f64).max(1.0);
        let tells = took.as_secs_f64() >= limit.as_secs_f64() * TELLING;
        self.rate = Some(match self.rate {
            Some(before) if tells => rate.min(before * RISE),
            Some(before) => before.max(rate),
            None => rate,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget(limit: Option<Duration>) -> LaunchBudget {
        LaunchBudget {
            limit,
            first: 100,
            rate: None,
        }
    }

    /// Returns the durations of the launches that do this `work`. Each takes `start` plus 1 ns per unit of work.
    fn launches(mut work: u64, start: Duration, limit: Duration) -> Vec<Duration> {
        let mut budget = budget(Some(limit));
        let mut times = Vec::new();
        while work > 0 {
            let part = budget.next().unwrap().min(work);
            let took = start + Duration::from_nanos(part);
            budget.learn(part, took);
            times.push(took);
            work -= part;
        }
        times
    }

    #[test]
    fn launches_reach_the_planned_time_and_never_exceed_the_limit() {
        let limit = Duration::from_millis(50);
        let times = launches(3_000_000_000, Duration::from_micros(20), limit);
        assert!(times.iter().all(|took| *took <= limit), "{times:?}");
        let long = times.iter().filter(|took| **took > limit.mul_f64(0.45));
        assert!(long.count() > 110, "{}", times.len());
        assert!(times.len() < 130, "{}", times.len());
    }

    #[test]
    fn a_slower_phase_shortens_the_next_launch_at_once() {
        let limit = Duration::from_millis(50);
        let mut budget = budget(Some(limit));
        budget.learn(1_000_000, Duration::from_millis(10));
        assert_eq!(budget.next(), Some(2_500_000));
        budget.learn(2_500_000, Duration::from_millis(250));
        assert_eq!(budget.next(), Some(250_000));
        budget.learn(250_000, Duration::from_millis(6));
        assert_eq!(budget.next(), Some(312_500), "the rate rises slowly");
        budget.learn(10, Duration::from_millis(1));
        let expected = Some(312_500);
        assert_eq!(budget.next(), expected, "a short launch lowers nothing");
    }

    #[test]
    fn a_limit_is_a_time_or_off() {
        for (text, limit) in [("20ms", Some(Duration::from_millis(20))), ("off", None)] {
            let read: LaunchLimit = text.parse().unwrap();
            let expected = (LaunchLimit(limit), text.to_owned());
            assert_eq!((read, read.to_string()), expected);
        }
        for text in ["", "0ms", "999us", "50", "never"] {
            assert!(text.parse::<LaunchLimit>().is_err(), "{text}");
        }
    }

    #[test]
    fn without_a_limit_there_is_no_budget() {
        let mut budget = budget(None);
        budget.learn(1, Duration::from_secs(9));
        assert_eq!(budget.next(), None);
    }
}
