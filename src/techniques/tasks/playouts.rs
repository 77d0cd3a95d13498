//! The task `playouts`: tallies of random games.

use std::ops::Range;

use super::Play;
use crate::random::MOST_PLAYOUTS;
use crate::techniques::Sampler;
use crate::techniques::part::{Division, Part};
use crate::words::{Answer, AxisEntry, Counters, Fault, Tally, Task, Telemetry, Value};

/// The axis that says how many playouts a sample has.
pub const PLAYOUTS: AxisEntry = AxisEntry {
    name: "playouts",
    allowed: ALLOWED,
    default: None,
    tasks: &[Task::Playouts],
};

const ALLOWED: &str = "a whole number from 0 to 10^12";
const MOST: i64 = 1_000_000_000_000;
const _: () = assert!((MOST as u64) < MOST_PLAYOUTS);

/// Reads a value of the axis. Fails with one line that names the key, the value and what is allowed.
pub fn read_playouts(value: &Value) -> Result<u64, String> {
    let count = value.as_int().filter(|count| (0..=MOST).contains(count));
    count
        .map(|count| count as u64)
        .ok_or_else(|| format!("playouts: `{value}`; allowed is {ALLOWED}"))
}

/// Plays random games from positions of the game `P`.
///
/// A playout is a function of the seed, its number and the position, the same on every host and device, because the
/// game defines its random numbers. So the tally of a set of playouts is unique.
pub trait RandomPlayer<P: Play>: Send {
    /// Converts positions to the technique's form, replacing earlier ones. Never timed. Fails if a device refuses.
    fn load(&mut self, positions: &[P::Position]) -> Result<(), Fault>;

    /// Called within the timed section at the start of a sample of playouts: a sample pays for its own transfers.
    fn begin_sample(&mut self) {}

    /// Plays the playouts with these numbers from one of the loaded positions. Fails if a device fails.
    fn play(&mut self, index: usize, playouts: Range<u64>) -> Result<Tally, Fault>;

    /// Where the time since the last call went, the technique's choices and its facts.
    fn telemetry(&mut self) -> Telemetry {
        Telemetry::default()
    }
}

/// A technique, prepared for playouts.
pub(super) struct Playouts<P: Play> {
    positions: usize,
    /// Playouts per position.
    count: u64,
    player: Box<dyn RandomPlayer<P>>,
}

impl<P: Play> Playouts<P> {
    /// The playouts numbered 0 to `count` - 1 from each position. Fails if the player refuses a position.
    pub(super) fn new(
        positions: &[P::Position],
        count: u64,
        mut player: Box<dyn RandomPlayer<P>>,
    ) -> Result<Playouts<P>, Fault> {
        player.load(positions)?;
        Ok(Playouts {
            positions: positions.len(),
            count,
            player,
        })
    }
}

impl<P: Play> Sampler for Playouts<P> {
    fn sample(&mut self) -> Result<(Answer, Counters), Fault> {
        self.part(&Part::WHOLE)
    }

    fn division(&self) -> Option<Division> {
        Some(Division::Ranges)
    }

    /// The playouts with the part's numbers, from each position.
    fn part(&mut self, part: &Part) -> Result<(Answer, Counters), Fault> {
        let numbers = part.of_things(self.count);
        let mut counters = Counters::default();
        let mut tallies = Vec::with_capacity(self.positions);
        self.player.begin_sample();
        for index in 0..self.positions {
            let tally = self.player.play(index, numbers.clone())?;
            counters.playouts += tally.playouts();
            counters.plies += tally.plies;
            tallies.push(tally);
        }
        Ok((Answer::Tallies(tallies), counters))
    }

    /// The number of playouts.
    fn units(&self) -> u64 {
        self.positions as u64 * self.count
    }

    fn telemetry(&mut self) -> Telemetry {
        self.player.telemetry()
    }
}
