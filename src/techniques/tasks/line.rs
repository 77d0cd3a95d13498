use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::host::Loads;
use super::{Play, Turn};
use crate::search::alpha_beta_shared;

/// A line of play: a player's game against itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line<P> {
    /// Every position of the game where it went on, in order: those where the side to move had to
    /// pass included, the final one not.
    pub positions: Vec<P>,
    /// How many legal moves each of them has; 0 for a pass.
    pub choices: Vec<u32>,
    /// The moves and passes, in the game's notation, one after another.
    pub moves: String,
}

impl<P> Line<P> {
    /// Legal moves, averaged over the positions that have one.
    pub fn branching_factor(&self) -> f64 {
        let moving = self.choices.iter().filter(|choices| **choices > 0).count();
        let moves: u32 = self.choices.iter().sum();
        f64::from(moves) / moving as f64
    }
}

/// The game that `serial` plays against itself at a fixed depth, from the start.
///
/// Searched on all threads, as it takes `serial` seconds on the largest boards:
/// [`alpha_beta_shared`] answers with the same moves.
pub fn self_play<P: Play, G: Loads<P>>(play: &P, game: &G, depth: u32) -> Line<P::Position> {
    let mut line = Line {
        positions: Vec::new(),
        choices: Vec::new(),
        moves: String::new(),
    };
    let mut position = play.start();
    loop {
        let (next, choices) = match play.turn(&position) {
            Turn::Over(_) => return line,
            Turn::Pass(passed, name) => {
                line.moves.push_str(name);
                (passed, 0)
            }
            Turn::Move => {
                let loaded = game.load(&position);
                let best = alpha_beta_shared(game, &loaded, depth).best;
                // None only where the search and the referee disagree about the rules.
                let Some((best, next)) = best.and_then(|mv| Some((mv, play.play(&position, mv)?)))
                else {
                    return line;
                };
                line.moves.push_str(&play.name(best));
                (next, game.moves(&loaded).count() as u32)
            }
        };
        line.positions.push(std::mem::replace(&mut position, next));
        line.choices.push(choices);
    }
}

/// Lines of play by what they depend on, kept for the life of the process.
pub struct Lines<K, P> {
    made: OnceLock<Mutex<HashMap<K, Arc<Line<P>>>>>,
}

impl<K: Eq + Hash, P> Lines<K, P> {
    /// None yet.
    pub const fn new() -> Lines<K, P> {
        Lines {
            made: OnceLock::new(),
        }
    }

    /// The line of that key, made now where it was not before.
    pub fn get(&self, key: K, make: impl FnOnce() -> Line<P>) -> Arc<Line<P>> {
        // A thread that panicked while it held the lock left the map whole.
        let mut made = self
            .made
            .get_or_init(Mutex::default)
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        made.entry(key).or_insert_with(|| Arc::new(make())).clone()
    }
}

impl<K: Eq + Hash, P> Default for Lines<K, P> {
    fn default() -> Self {
        Lines::new()
    }
}
