//! The host's clock, by which workers time: how fine it is.

use std::time::{Duration, Instant};

use super::host::Warning;

/// Steps of so many nanoseconds and fewer are fine enough: the shortest samples take microseconds.
const FINE_NS: u64 = 1_000;
/// So many steps are looked at, since one may hold a pause of this process.
const STEPS: usize = 16;
/// A coarse clock's steps are long, and few of them are enough.
const PATIENCE: Duration = Duration::from_millis(20);

/// The smallest step by which the clock was seen to go on, ns. A clock that is finer than the time of
/// looking at it goes on by that.
pub fn step_ns() -> u64 {
    let begun = Instant::now();
    smallest_step(|| begun.elapsed())
}

fn smallest_step(mut look: impl FnMut() -> Duration) -> u64 {
    let begun = look();
    let (mut last, mut smallest) = (begun, Duration::MAX);
    let mut seen = 0;
    while seen < STEPS && (seen == 0 || last - begun < PATIENCE) {
        let now = look();
        if now > last {
            smallest = smallest.min(now - last);
            seen += 1;
            last = now;
        }
    }
    u64::try_from(smallest.as_nanos()).unwrap_or(u64::MAX)
}

/// The warning of such steps, where they are coarse.
pub fn coarse(step_ns: u64) -> Option<Warning> {
    (step_ns > FINE_NS).then_some(Warning::Coarse(step_ns))
}

/// Why a cell has no times of which one would be 0.
pub fn too_coarse(step_ns: u64) -> String {
    let step = in_words(step_ns);
    format!("the clock's step of {step} is too coarse for it: a sample measured 0 ns")
}

/// A time of one, two or three digits and its unit.
pub fn in_words(ns: u64) -> String {
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

    /// A clock that is looked at every 70 ns, and goes on in steps of so many ns.
    fn clock(step: u64) -> impl FnMut() -> Duration {
        let mut real = 12_345;
        move || {
            real += 70;
            Duration::from_nanos(real / step * step)
        }
    }

    #[test]
    fn the_step_is_found_or_the_time_of_a_look() {
        for step in [100, 1_000, 1_000_000, 10_000_000, 15_625_000, 1_000_000_000] {
            assert_eq!(smallest_step(clock(step)), step);
        }
        assert_eq!(smallest_step(clock(1)), 70);
    }

    #[test]
    fn a_pause_between_two_looks_is_no_step() {
        let mut looks = 0;
        let mut fine = clock(1);
        let pausing = move || {
            looks += 1;
            let pause = if looks > 1 { 5_000_000 } else { 0 };
            fine() + Duration::from_nanos(pause)
        };
        assert_eq!(smallest_step(pausing), 70);
    }

    #[test]
    fn only_what_is_coarser_than_a_microsecond_is_warned_of() {
        assert_eq!(coarse(0), None);
        assert_eq!(coarse(1_000), None);
        let warning = coarse(10_000_000).map(|warning| warning.to_string());
        assert_eq!(
            warning.as_deref(),
            Some("coarse clock: steps of 10 ms (times below 1 s are not exact to 1 %)")
        );
        assert!(step_ns() > 0);
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
            assert_eq!(in_words(ns), text);
        }
    }
}
