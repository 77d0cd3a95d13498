//! Checks a device's event timestamps, and measures the latency of an empty launch.

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::device::Shared;
use super::kernel::Kernel;
use super::memory::{Access, Buffer};
use super::parts::Stamps;
use super::program::Program;
use super::queue::Queue;
use super::quirks::BuildNeeds;
use crate::words::{Fault, Timer};

/// Minimum time of a kernel whose device and host times are compared. It is long because a launch takes up to 0.1 ms.
const LONG_ENOUGH: Duration = Duration::from_millis(3);

/// Time limit of the check, which slow simulators need. When it ends, the best comparison so far counts.
const PATIENCE: Duration = Duration::from_millis(500);

/// Accepted ratio of device to host time for a long kernel. Host time includes launch and wake-up, and clocks drift.
const AGREEMENT: RangeInclusive<f64> = 0.8..=1.05;

/// Maximum number of steps per work-item, a power of 4. rusticl 22 cuts loops after 65,535 iterations.
const MOST_STEPS: u32 = 16_384;

const TRIPS: usize = 101;
/// Time limit for all round trips.
const TRIPS_PATIENCE: Duration = Duration::from_millis(100);
const FEWEST_TRIPS: usize = 11;

/// Checks the timer: its resolution, the order of timestamps, and the agreement with the host's clock. Also returns the
/// kernel's preferred work-group multiple, and the median time, ns, to launch an empty kernel and read back one word.
pub(super) fn check(device: &Arc<Shared>) -> Result<(Timer, usize, Option<u64>), Fault> {
    let program = Program::new(device, "common/probe.cl", &[], None, BuildNeeds::default())?;
    let mut kernel = program.kernel("probe")?;
    let word = Buffer::<u32>::new(device, 1, Access::Write)?;
    kernel.set_buffer(0, &word)?;
    let multiple = kernel.preferred_multiple();
    let resolution_ns = device.info.timer_resolution_ns;
    let share = if resolution_ns == 0 {
        Err("its resolution is 0".to_owned())
    } else {
        let mut queue = Queue::new(device, true)?;
        compare(&mut queue, &mut kernel, multiple)?
    };
    let timer = verdict(resolution_ns, share);
    kernel.set_scalar(1, 0_u32)?;
    let queue = Queue::new(device, timer.is_trusted())?;
    let round_trip_ns = round_trip(queue, &kernel, &word)?;
    Ok((timer, multiple, round_trip_ns))
}

/// Judges the timer. `share` is device time divided by host time for a long kernel, or `None` if none ran long enough.
fn verdict(resolution_ns: u64, share: Result<Option<f64>, String>) -> Timer {
    match share {
        Err(why) => Timer::Untrusted(format!("untrusted: {why}")),
        Ok(Some(share)) if !AGREEMENT.contains(&share) => Timer::Untrusted(format!(
            "untrusted: a kernel's time is {share:.2} of the host's"
        )),
        Ok(_) if resolution_ns > 1 => Timer::Stepped(resolution_ns),
        Ok(_) => Timer::Trusted,
    }
}

/// Measures the median time of a round trip, ns. Returns `None` if fewer than [`FEWEST_TRIPS`] round trips end within
/// the time limit, as on slow simulators.
fn round_trip(mut queue: Queue, kernel: &Kernel, word: &Buffer<u32>) -> Result<Option<u64>, Fault> {
    let mut back = [0];
    let mut times = Vec::with_capacity(TRIPS);
    let mut since: Option<Instant> = None;
    while times.len() < TRIPS && since.is_none_or(|since| since.elapsed() < TRIPS_PATIENCE) {
        let start = Instant::now();
        queue.launch(kernel, [1], Some([1]))?;
        queue.read(word, &mut back)?;
        // The first launch may compile, so it is discarded, and the time limit starts after it.
        if since.is_some() {
            times.push(start.elapsed().as_nanos() as u64);
        }
        since.get_or_insert_with(Instant::now);
        queue.take_parts();
    }
    times.sort_unstable();
    Ok(times
        .get(times.len() / 2)
        .copied()
        .filter(|_| times.len() >= FEWEST_TRIPS))
}

/// Runs the kernel with more and more steps until it takes long enough. The inner error describes bad timestamps.
fn compare(
    queue: &mut Queue,
    kernel: &mut Kernel,
    multiple: usize,
) -> Result<Result<Option<f64>, String>, Fault> {
    let local = multiple.min(kernel.max_group());
    let mut items = local * queue.device().info.compute_units.max(1) as usize;
    let mut steps = 64;
    let mut last_end = 0;
    let mut best: Option<f64> = None;
    // The first launch may compile, so it is not compared, and the time limit starts after it.
    let mut warm: Option<Instant> = None;
    while !best.is_some_and(|share| AGREEMENT.contains(&share))
        && warm.is_none_or(|since| since.elapsed() < PATIENCE)
    {
        kernel.set_scalar(1, steps)?;
        let launched = Instant::now();
        queue.launch(kernel, [items], Some([local]))?;
        queue.finish()?;
        let wall = launched.elapsed();
        for stamps in queue.take_stamps()? {
            if let Err(why) = plausible(&stamps, last_end) {
                return Ok(Err(why));
            }
            last_end = stamps.end;
            if warm.is_some() && wall >= LONG_ENOUGH {
                let share = (stamps.end - stamps.start) as f64 / wall.as_nanos() as f64;
                let off = |share: f64| (share - 1.0).abs();
                best = Some(best.map_or(
                    share,
                    |best| if off(share) < off(best) { share } else { best },
                ));
            }
        }
        if wall < LONG_ENOUGH {
            if steps < MOST_STEPS {
                steps *= 4;
            } else {
                items *= 4;
            }
        }
        warm.get_or_insert_with(Instant::now);
    }
    Ok(Ok(best))
}

/// Rejects timestamps that are out of order, either among themselves or relative to the previous command.
fn plausible(stamps: &Stamps, last_end: u64) -> Result<(), String> {
    if !stamps.in_order() {
        return Err(format!(
            "a command's timestamps are queued {}, start {}, end {}",
            stamps.queued, stamps.start, stamps.end
        ));
    }
    if stamps.start < last_end {
        return Err("a command starts before the previous one ends".to_owned());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::parts::Work;
    use super::*;

    #[test]
    fn a_verdict_says_what_is_wrong() {
        assert_eq!(verdict(1, Ok(Some(0.99))), Timer::Trusted);
        assert_eq!(verdict(1_000, Ok(None)), Timer::Stepped(1_000));
        let expected = "untrusted: a kernel's time is 0.01 of the host's";
        assert_eq!(verdict(1, Ok(Some(0.013))).to_string(), expected);
        assert!(!verdict(1, Ok(Some(2.0))).is_trusted());
        let zero = verdict(0, Err("its resolution is 0".to_owned()));
        assert_eq!(zero.to_string(), "untrusted: its resolution is 0");
    }

    #[test]
    fn stamps_must_be_in_order() {
        let stamps = |queued, start, end| Stamps {
            work: Work::Kernel,
            queued,
            start,
            end,
        };
        assert_eq!(plausible(&stamps(5, 6, 9), 5), Ok(()));
        let found = plausible(&stamps(7, 6, 9), 0);
        assert_eq!(found, Ok(()), "within two clocks' jitter");
        assert!(plausible(&stamps(1_000_000, 6, 9), 0).is_err());
        assert!(plausible(&stamps(5, 9, 6), 0).is_err());
        assert!(plausible(&stamps(0, 0, 0), 0).is_err());
        assert!(plausible(&stamps(5, 6, 9), 7).is_err());
    }
}
