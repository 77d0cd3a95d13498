//! A load whose size is fitted to a target time, and its samples.

use std::time::{Duration, Instant};

use crate::opencl::Queue;
use crate::words::Fault;

/// Target time of a sample: long compared with a launch and the timer's resolution, short enough for many
/// samples. A size that takes at least half of it is accepted.
const TARGET: Duration = Duration::from_millis(20);
/// A size that takes longer than this when samples begin is fitted to [`TARGET`] once more.
const LONGEST: Duration = Duration::from_millis(50);
/// Limit of the growth factor between two tries: most of a short time is launch overhead, which says little
/// about longer runs.
const STEEPEST: f64 = 16.0;
/// The fewest samples of a quantity, even when its time is over.
const FEWEST: usize = 5;
/// The most samples of a quantity.
const MOST: usize = 15;

/// The time budget of one quantity, counted from creation.
pub struct Turn {
    begun: Instant,
    share: Duration,
}

impl Turn {
    /// A budget that starts now.
    pub fn of(share: Duration) -> Turn {
        Turn {
            begun: Instant::now(),
            share,
        }
    }

    /// Whether the budget is used up.
    pub fn is_over(&self) -> bool {
        self.begun.elapsed() >= self.share
    }

    /// Whether half of it is used up: the search for the fastest launch then ends, to leave time for samples.
    pub fn is_half_over(&self) -> bool {
        self.begun.elapsed() >= self.share / 2
    }
}

/// The clock of a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// The device's event timestamps: kernels alone.
    Events,
    /// The host's clock, from the call to the end of all its work.
    Host,
}

impl Clock {
    /// The word in `peaks.csv`.
    pub fn words(self) -> &'static str {
        match self {
            Clock::Events => "device events",
            Clock::Host => "host clock",
        }
    }
}

/// The time and the work of one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timed {
    /// The time, ns.
    pub ns: u64,
    /// The work, in the quantity's unit.
    pub work: u64,
    /// The clock.
    pub clock: Clock,
}

/// Work in pieces of equal size.
pub trait Load {
    /// Limit of pieces in a sample.
    fn most(&self) -> u64;

    /// Restores the initial state of a run, which loads of other launches may have changed.
    fn prepare(&mut self) -> Result<(), Fault> {
        Ok(())
    }

    /// Runs `pieces` pieces.
    fn run(&mut self, pieces: u64) -> Result<Timed, Fault>;

    /// Compares the results of the last run with the host's own.
    fn check(&mut self) -> Result<(), Fault>;

    /// The launch configuration with this many pieces, for readers.
    fn words(&self, pieces: u64) -> String;
}

/// The samples of a quantity.
#[derive(Clone, Debug, PartialEq)]
pub struct Sampled {
    /// The times, ns.
    pub times: Vec<u64>,
    /// The work of each sample.
    pub work: u64,
    /// The launch configuration.
    pub launch: String,
    /// The clock; [`Clock::Host`] if any sample used it.
    pub clock: Clock,
}

/// The time of what `enqueue` puts into an idle queue, ns: kernel time by events if the timer is trusted,
/// else host time from the first call to the end of the last command.
pub fn kernels_time(
    queue: &mut Queue,
    enqueue: impl FnOnce(&mut Queue) -> Result<(), Fault>,
) -> Result<(u64, Clock), Fault> {
    queue.take_parts();
    let start = Instant::now();
    enqueue(queue)?;
    queue.finish()?;
    let wall_ns = start.elapsed().as_nanos() as u64;
    let parts = queue.take_parts();
    Ok(if parts.untrusted || parts.kernel_ns == 0 {
        (wall_ns, Clock::Host)
    } else {
        (parts.kernel_ns, Clock::Events)
    })
}

/// The number of pieces whose run takes about `target`, and that run. The very first run is discarded:
/// drivers may compile during it.
fn fit(load: &mut dyn Load, target: Duration) -> Result<(u64, Timed), Fault> {
    let target = target.as_nanos() as f64;
    let most = load.most().max(1);
    load.prepare()?;
    load.run(1)?;
    let mut pieces = 1;
    loop {
        let timed = load.run(pieces)?;
        let short_of = target / timed.ns.max(1) as f64;
        if short_of <= 2.0 || pieces == most {
            return Ok((pieces, timed));
        }
        pieces = ((pieces as f64 * short_of.min(STEEPEST)) as u64).clamp(pieces + 1, most);
    }
}

/// A load, prepared with one of its launches, and its speed.
pub struct Ready<'l, C> {
    choice: C,
    load: Box<dyn Load + 'l>,
    pieces: u64,
    work_per_ns: f64,
}

/// A load, or why its launch cannot be made.
pub type Made<'l> = Result<Box<dyn Load + 'l>, Fault>;

/// Prepares a load for each launch of a list and keeps the fastest, `so_far` included. A launch that cannot
/// be made is skipped.
///
/// # Errors
///
/// The driver's refusal, at once; if no launch can be made, the first one's fault.
pub fn fastest<'l, C: Clone>(
    turn: &Turn,
    so_far: Option<Ready<'l, C>>,
    choices: &[C],
    make: &mut dyn FnMut(&C) -> Made<'l>,
) -> Result<Ready<'l, C>, Fault> {
    let mut best = so_far;
    let mut refused = None;
    for choice in choices {
        if best.is_some() && turn.is_half_over() {
            break;
        }
        let tried = make(choice).and_then(|mut load| {
            let (pieces, timed) = fit(load.as_mut(), TARGET / 2)?;
            Ok((load, pieces, timed))
        });
        match tried {
            Ok((load, pieces, timed)) => {
                let work_per_ns = timed.work as f64 / timed.ns.max(1) as f64;
                if best.as_ref().is_none_or(|it| work_per_ns > it.work_per_ns) {
                    best = Some(Ready {
                        choice: choice.clone(),
                        load,
                        pieces,
                        work_per_ns,
                    });
                }
            }
            Err(Fault::Device(why)) => return Err(Fault::Device(why)),
            Err(fault) => {
                refused.get_or_insert(fault);
            }
        }
    }
    best.ok_or_else(|| refused.unwrap_or_else(|| Fault::Unsupported("no launch fits".into())))
}

impl<C> Ready<'_, C> {
    /// The launch.
    pub fn choice(&self) -> &C {
        &self.choice
    }

    /// Takes the samples, then checks the results of the last one.
    ///
    /// # Errors
    ///
    /// As [`Load::run`]; [`Fault::Wrong`] where the results are wrong.
    pub fn sample(mut self, turn: &Turn) -> Result<Sampled, Fault> {
        let load = self.load.as_mut();
        load.prepare()?;
        let mut pieces = self.pieces;
        let mut first = load.run(pieces)?;
        let (ns, target) = (first.ns.max(1) as f64, TARGET.as_nanos() as f64);
        if ns < target / 2.0 || first.ns as u128 > LONGEST.as_nanos() {
            let fitting = ((pieces as f64 * target / ns) as u64).clamp(1, load.most().max(1));
            if fitting != pieces {
                pieces = fitting;
                first = load.run(pieces)?;
            }
        }
        // The run that fixed the size has also warmed up the device; it is not a sample.
        let (work, mut clock) = (first.work, first.clock);
        let mut times = Vec::with_capacity(MOST);
        while times.len() < FEWEST || (times.len() < MOST && !turn.is_over()) {
            let timed = load.run(pieces)?;
            times.push(timed.ns);
            if timed.clock == Clock::Host {
                clock = Clock::Host;
            }
        }
        load.check()?;
        Ok(Sampled {
            times,
            work,
            launch: load.words(pieces),
            clock,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    /// A device with a fixed time per launch and per piece, and an extra one per choice.
    struct Fake<'a> {
        launch_ns: u64,
        piece_ns: u64,
        most: u64,
        wrong: bool,
        runs: &'a RefCell<Vec<u64>>,
    }

    impl Load for Fake<'_> {
        fn most(&self) -> u64 {
            self.most
        }

        fn run(&mut self, pieces: u64) -> Result<Timed, Fault> {
            self.runs.borrow_mut().push(pieces);
            Ok(Timed {
                ns: self.launch_ns + pieces * self.piece_ns,
                work: pieces * 100,
                clock: Clock::Events,
            })
        }

        fn check(&mut self) -> Result<(), Fault> {
            if self.wrong {
                return Err(Fault::Wrong("it is wrong".into()));
            }
            Ok(())
        }

        fn words(&self, pieces: u64) -> String {
            format!("{pieces} pieces of {} ns", self.piece_ns)
        }
    }

    fn sampled(
        piece_ns: &[u64],
        most: u64,
        share: Duration,
        wrong: bool,
    ) -> (Result<Sampled, Fault>, Vec<u64>) {
        let runs = RefCell::new(Vec::new());
        let turn = Turn::of(share);
        let ready = fastest(&turn, None, piece_ns, &mut |&piece_ns| {
            if piece_ns == 0 {
                return Err(Fault::Memory("no room".into()));
            }
            Ok(Box::new(Fake {
                launch_ns: 5_000,
                piece_ns,
                most,
                wrong,
                runs: &runs,
            }) as Box<dyn Load>)
        });
        let result = ready.and_then(|ready| ready.sample(&turn));
        (result, runs.into_inner())
    }

    const LONG: Duration = Duration::from_secs(3600);

    #[test]
    fn the_fastest_launch_is_sampled_at_a_size_that_can_be_timed() {
        let (sampled, _) = sampled(&[0, 900, 17, 40], u64::MAX, LONG, false);
        let sampled = sampled.unwrap();
        assert!(sampled.launch.ends_with("pieces of 17 ns"), "{sampled:?}");
        assert_eq!(sampled.times.len(), MOST);
        for ns in &sampled.times {
            assert!((10_000_000..=50_000_000).contains(ns), "{ns}");
        }
        let pieces = sampled.work / 100;
        assert_eq!(sampled.times[0], 5_000 + 17 * pieces);
    }

    #[test]
    fn a_slow_device_has_the_fewest_samples_of_one_piece() {
        let (sampled, runs) = sampled(&[400_000_000, 3], 1 << 40, Duration::ZERO, false);
        let sampled = sampled.unwrap();
        assert_eq!((sampled.times.len(), sampled.work), (FEWEST, 100));
        // One run to warm up, one to measure, one to fix the size: the second launch was not tried.
        assert_eq!(runs, [1; 3 + FEWEST]);
    }

    #[test]
    fn no_sample_has_more_pieces_than_there_are() {
        let (sampled, runs) = sampled(&[10], 1_000, LONG, false);
        assert_eq!(sampled.unwrap().work, 100_000);
        assert!(runs.iter().all(|&pieces| pieces <= 1_000), "{runs:?}");
    }

    #[test]
    fn wrong_results_have_no_number() {
        let (sampled, _) = sampled(&[50], u64::MAX, LONG, true);
        assert_eq!(sampled, Err(Fault::Wrong("it is wrong".into())));
    }

    #[test]
    fn what_cannot_be_launched_at_all_says_why() {
        let (sampled, runs) = sampled(&[0, 0], u64::MAX, LONG, false);
        assert_eq!(sampled, Err(Fault::Memory("no room".into())));
        assert!(runs.is_empty());
    }
}
