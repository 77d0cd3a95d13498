//! The task `playouts`: tallies of random games.

use std::ops::Range;

use super::Play;
use crate::random::MOST_PLAYOUTS;
use crate::techniques::Sampler;
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

/// Reads a value of the axis.
///
/// # Errors
/// One line that names the key, the value and what is allowed.
pub fn read_playouts(value: &Value) -> Result<u64, String> {
    let count = value.as_int().filter(|count| (0..=MOST).contains(count));
    count
        .map(|count| count as u64)
        .ok_or_else(|| format!("playouts: `{value}`; allowed is {ALLOWED}"))
}

/// How a technique plays random games from positions of the game `P`.
///
/// A playout is a function of the seed, its number and the position, the same on every host and
/// device: the game says which numbers it draws. So a tally of playouts is one number too.
pub trait RandomPlayer<P: Play> {
    /// Lays positions out as the technique wants them, in place of those before. Never timed.
    ///
    /// # Errors
    /// Where a device refuses.
    fn load(&mut self, positions: &[P::Position]) -> Result<(), Fault>;

    /// Is told, within the timed section, that a sample of the task `playouts` begins: it pays for its own
    /// transfers, so that what a device has of a position from the sample before is to be sent again.
    fn begin_sample(&mut self) {}

    /// Plays the playouts of these numbers from one of the loaded positions.
    ///
    /// # Errors
    /// Where a device fails.
    fn play(&mut self, index: usize, playouts: Range<u64>) -> Result<Tally, Fault>;

    /// Where the time since the last call of this went, and what it chose, used and knows.
    fn telemetry(&mut self) -> Telemetry {
        Telemetry::default()
    }
}

/// Makes a technique ready for the task `playouts`: from each position the playouts number 0 to
/// `count`.
///
/// # Errors
/// What loading the positions fails with.
pub fn prepare_playouts<P: Play>(
    positions: &[P::Position],
    count: u64,
    mut player: Box<dyn RandomPlayer<P>>,
) -> Result<Box<dyn Sampler>, Fault> {
    player.load(positions)?;
    Ok(Box::new(Playouts {
        positions: positions.len(),
        count,
        player,
    }))
}

/// A technique made ready for playouts.
struct Playouts<P: Play> {
    positions: usize,
    /// Playouts from each.
    count: u64,
    player: Box<dyn RandomPlayer<P>>,
}

impl<P: Play> Sampler for Playouts<P> {
    fn sample(&mut self) -> Result<(Answer, Counters), Fault> {
        let mut counters = Counters::default();
        let mut tallies = Vec::with_capacity(self.positions);
        self.player.begin_sample();
        for index in 0..self.positions {
            let tally = self.player.play(index, 0..self.count)?;
            counters.playouts += tally.playouts();
            counters.plies += tally.plies;
            tallies.push(tally);
        }
        Ok((Answer::Tallies(tallies), counters))
    }

    /// Playouts.
    fn units(&self) -> u64 {
        self.positions as u64 * self.count
    }

    fn telemetry(&mut self) -> Telemetry {
        self.player.telemetry()
    }
}
