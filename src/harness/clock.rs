//! Reads the host's clock, which times samples, and measures its resolution.

use std::time::{Duration, Instant};

/// Number of clock steps to observe. A single step may include a pause of this process.
const STEPS: usize = 16;
/// Time after which [`FEWEST`] observed steps are enough, because the steps of a coarse clock are long.
const PATIENCE: Duration = Duration::from_millis(20);
/// Minimum number of steps to observe, however long they take.
const FEWEST: usize = 6;

/// The clock of a run.
pub trait Clock {
    /// Returns the time since the run began. It never decreases.
    fn now(&self) -> Duration;
}

impl Clock for Instant {
    fn now(&self) -> Duration {
        self.elapsed()
    }
}

/// Returns the clock's smallest observed step, ns. On a fine clock, this is the duration of one reading.
pub fn step_ns() -> u64 {
    let begun = Instant::now();
    smallest_step(|| begun.elapsed())
}

fn smallest_step(mut look: impl FnMut() -> Duration) -> u64 {
    let begun = look();
    let (mut last, mut smallest) = (begun, Duration::MAX);
    let mut seen = 0;
    while seen < FEWEST || (seen < STEPS && last - begun < PATIENCE) {
        let now = look();
        if now > last {
            smallest = smallest.min(now - last);
            seen += 1;
            last = now;
        }
    }
    u64::try_from(smallest.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Simulates a clock with steps of `step` ns. A reading takes 70 ns.
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
        assert!(step_ns() > 0);
    }

    #[test]
    fn pauses_as_long_as_a_step_or_two_do_not_hide_it() {
        let mut looks = 0;
        let mut real = 0;
        let paused = move || {
            looks += 1;
            real += 70;
            // The first five observed steps span two clock steps each, because of pauses.
            if looks % 1_000 == 0 && looks <= 5_000 {
                real += 20_000_000;
            }
            Duration::from_nanos(real / 10_000_000 * 10_000_000)
        };
        assert_eq!(smallest_step(paused), 10_000_000);
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
}
