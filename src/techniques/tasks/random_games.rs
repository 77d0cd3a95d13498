//! Plays random games with any [`PlayoutLanes`] on the host, on one core or on all cores.

use std::ops::Range;
use std::time::Instant;

use rayon::ThreadPool;
use rayon::prelude::*;

use super::Play;
use crate::games::random_games::{LANES, PlayoutLanes, Playouts, Root};
use crate::opencl::Quirks;
use crate::random::MOST_PLAYOUTS;
use crate::techniques::prelude::*;
use crate::techniques::{Division, Part};
use crate::words::{AxisEntry, resource};

/// A random game that can start from positions in a [`Play`].
pub trait Rooted<P: Play>: PlayoutLanes {
    /// Converts a position to the root of random games.
    fn root(&self, position: &P::Position) -> Root<Self::Board>;
}

/// Number of shares per thread into which a batch is divided. A late thread delays the others by at most one share.
pub const SHARES: u64 = 8;

/// Minimum number of playouts in a share. With fewer playouts, lanes are empty most of the time.
pub const LEAST: u64 = 128;

/// Creates a player on the calling thread, or on `pool`.
pub fn on_host<P: Play, G: Rooted<P>>(
    game: G,
    seed: u64,
    pool: Option<ThreadPool>,
) -> Box<dyn RandomPlayer<P>> {
    let least = G::SERIES * LANES as u64;
    let load = move |position: &P::Position| {
        let root = game.root(position);
        Playouts::new(game.clone(), root, seed)
    };
    tallying(load, Playouts::tally, pool, least)
}

/// Creates a player that converts positions with `load` and plays with `tally`. In a pool, a share has at least `least`
/// playouts.
pub fn tallying<P: Play, L: Send + Sync + 'static>(
    load: impl Fn(&P::Position) -> L + Send + 'static,
    tally: fn(&L, Range<u64>) -> Tally,
    pool: Option<ThreadPool>,
    least: u64,
) -> Box<dyn RandomPlayer<P>> {
    Box::new(OnHost {
        load,
        tally,
        pool,
        least,
        loaded: Vec::new(),
    })
}

struct OnHost<F, L> {
    load: F,
    tally: fn(&L, Range<u64>) -> Tally,
    pool: Option<ThreadPool>,
    least: u64,
    loaded: Vec<L>,
}

impl<P: Play, L: Send + Sync, F: Fn(&P::Position) -> L + Send> RandomPlayer<P> for OnHost<F, L> {
    fn load(&mut self, positions: &[P::Position]) -> Result<(), Fault> {
        self.loaded = positions.iter().map(&self.load).collect();
        Ok(())
    }

    fn play(&mut self, index: usize, playouts: Range<u64>) -> Result<Tally, Fault> {
        let (loaded, tally) = (&self.loaded[index], self.tally);
        Ok(match &self.pool {
            Some(pool) => share_out(pool, playouts, (SHARES, self.least), &|share| {
                tally(loaded, share)
            }),
            None => tally(loaded, playouts),
        })
    }
}

/// Tallies playouts on a pool of threads. Each thread gets up to `shares` shares of at least `least` playouts.
pub fn share_out(
    pool: &ThreadPool,
    playouts: Range<u64>,
    (shares, least): (u64, u64),
    tally: &(dyn Fn(Range<u64>) -> Tally + Sync),
) -> Tally {
    let count = playouts.end.saturating_sub(playouts.start);
    let shares = pool.current_num_threads() as u64 * shares;
    let share = count.div_ceil(shares).max(least);
    let of_share = |number: u64| {
        let from = playouts.start + number * share;
        tally(from..(from + share).min(playouts.end))
    };
    let add = |mut sum: Tally, more: Tally| {
        sum += &more;
        sum
    };
    pool.install(|| {
        let shares = (0..count.div_ceil(share)).into_par_iter();
        shares
            .map(of_share)
            .reduce(|| tally(playouts.start..playouts.start), add)
    })
}

/// The axis `playouts`, for the number of playouts in a sample.
pub const PLAYOUTS: AxisEntry = AxisEntry {
    name: "playouts",
    allowed: ALLOWED,
    default: None,
    tasks: &[Task::Playouts],
};

const ALLOWED: &str = "a whole number from 0 to 10^12";
const MOST_ASKED: i64 = 1_000_000_000_000;
const _: () = assert!((MOST_ASKED as u64) < MOST_PLAYOUTS);

/// Reads a value of the axis. The error is one line with the key, the value and the allowed values.
pub fn read_playouts(value: &Value) -> Result<u64, String> {
    let count = value
        .as_int()
        .filter(|count| (0..=MOST_ASKED).contains(count));
    count
        .map(|count| count as u64)
        .ok_or_else(|| format!("playouts: `{value}`; allowed is {ALLOWED}"))
}

/// A player, or the reason why it could not be created.
pub type Playing<P> = Result<Box<dyn RandomPlayer<P>>, Fault>;

/// Plays random games from positions of the game `P`.
///
/// A playout depends only on the seed, its number and the position. The game defines the random numbers, so a playout
/// is the same on every host and device. The tally of a set of playouts is therefore unique.
pub trait RandomPlayer<P: Play>: Send {
    /// Converts positions to the technique's form, replacing earlier ones. Never timed. Fails if a device refuses them.
    fn load(&mut self, positions: &[P::Position]) -> Result<(), Fault>;

    /// Plays the playouts with these numbers from one of the loaded positions. Fails if a device fails.
    fn play(&mut self, index: usize, playouts: Range<u64>) -> Result<Tally, Fault>;

    /// Returns the telemetry since the last call.
    fn telemetry(&mut self) -> Telemetry {
        Telemetry::default()
    }
}

pub(super) struct PlayoutCell<P: Play> {
    positions: usize,
    /// Number of playouts per position.
    count: u64,
    player: Box<dyn RandomPlayer<P>>,
}

impl<P: Play> PlayoutCell<P> {
    /// Prepares the playouts 0 to `count` - 1 from each position. Fails if the player refuses a position.
    pub(super) fn new(
        positions: &[P::Position],
        count: u64,
        mut player: Box<dyn RandomPlayer<P>>,
    ) -> Result<PlayoutCell<P>, Fault> {
        player.load(positions)?;
        Ok(PlayoutCell {
            positions: positions.len(),
            count,
            player,
        })
    }
}

impl<P: Play> Sampler for PlayoutCell<P> {
    fn sample(&mut self) -> Result<(Answer, Counters), Fault> {
        self.part(&Part::WHOLE)
    }

    fn division(&self) -> Option<Division> {
        Some(Division::Ranges)
    }

    fn part(&mut self, part: &Part) -> Result<(Answer, Counters), Fault> {
        let numbers = part.of_things(self.count);
        let mut counters = Counters::default();
        let mut tallies = Vec::with_capacity(self.positions);
        for index in 0..self.positions {
            let tally = self.player.play(index, numbers.clone())?;
            counters.playouts += tally.playouts();
            counters.plies += tally.plies;
            tallies.push(tally);
        }
        Ok((Answer::Tallies(tallies), counters))
    }

    fn units(&self) -> u64 {
        self.positions as u64 * self.count
    }

    fn telemetry(&mut self) -> Telemetry {
        self.player.telemetry()
    }
}

/// Maximum number of playouts in a launch. It is limited because all sums except the plies are single words.
pub const MOST: u64 = 1 << 26;

/// Indices of the sums that follow a launch's tally (`SUM_PLIES` and so on in the kernel).
const PLIES: usize = 0;
const STEPS_OF_LONGEST: usize = 2;

/// Adds the sums of a launch of `count` playouts to a tally. `read` contains the wins, draws and losses for each first
/// move, and then the other sums. Returns the number of plies, and the number of steps of the slowest lanes.
pub fn add_sums(
    read: &[u32],
    count: u64,
    quirks: &Quirks,
    tally: &mut Tally,
) -> Result<(u64, u64), Fault> {
    let (sums, totals) = read.split_at(3 * tally.by_first_move.len());
    let done: u64 = sums.iter().map(|sum| u64::from(*sum)).sum();
    if done != count {
        return Err(quirks.unfinished(format!(
            "kernel `flat_refill` finished {done} playouts of {count}"
        )));
    }
    for (own, more) in tally.by_first_move.iter_mut().zip(sums.chunks_exact(3)) {
        own.0 += u64::from(more[0]);
        own.1 += u64::from(more[1]);
        own.2 += u64::from(more[2]);
    }
    let wide = |at: usize| u64::from(totals[at + 1]) << 32 | u64::from(totals[at]);
    tally.plies += wide(PLIES);
    Ok((wide(PLIES), wide(STEPS_OF_LONGEST)))
}

/// Number of steps that lanes took, and number of plies that they played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Steps {
    /// Number of plies, excluding the first ply of each game, which the host plays.
    pub plies: u64,
    /// Number of steps, summed over lanes. Each lane counts the steps of the slowest lane in lockstep with it.
    pub steps: u64,
}

impl Steps {
    /// Returns the share of steps in which a lane plays a ply, in millionths.
    pub fn efficiency_ppm(self) -> u64 {
        self.plies * 1_000_000 / self.steps.max(1)
    }
}

/// Returns a player's telemetry, including its SIMT efficiency in millionths.
pub fn with_efficiency(run: &mut Runner, efficiency_ppm: u64) -> Telemetry {
    let mut resources = run.resources();
    resources.push((resource::SIMT_EFFICIENCY.to_owned(), efficiency_ppm));
    Telemetry {
        resources,
        ..run.telemetry()
    }
}

/// Number of playouts in the first launch on a device whose rate is unknown.
pub const FIRST: u64 = 1 << 12;

/// Plays a range of playouts in launches that fit a budget and have at most [`MOST`] playouts. `next` returns the first
/// part of a range that fits in one launch.
pub fn in_launches<P>(
    player: &mut P,
    budget: fn(&mut P) -> &mut LaunchBudget,
    playouts: Range<u64>,
    next: fn(&Range<u64>, u64) -> Range<u64>,
    mut launch: impl FnMut(&mut P, Range<u64>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let mut rest = playouts;
    while !rest.is_empty() {
        let most = budget(player).next().unwrap_or(MOST);
        let part = next(&rest, most.min(MOST));
        rest.start = part.end;
        let (count, start) = (part.end - part.start, Instant::now());
        launch(player, part)?;
        budget(player).learn(count, start.elapsed());
    }
    Ok(())
}

/// Returns the first part of a range: at most `most` playouts whose numbers have the same high word.
pub fn with_same_high(playouts: &Range<u64>, most: u64) -> Range<u64> {
    let from = playouts.start;
    let same_high = (from | u64::from(u32::MAX)) + 1;
    from..playouts.end.min(same_high).min(from + most)
}
