use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt::Display;
use std::hash::Hash;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use super::host::{Kit, own_line};
use crate::techniques::prelude::*;
use crate::words::{AxisEntry, Fact};

/// The state of a game, as a referee sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Turn<P> {
    /// The side to move must choose a move.
    Move,
    /// The side to move must pass. Contains the position after the pass, and the pass in the game's notation.
    Pass(P, &'static str),
    /// The game is over. The score is for the side that moved first: positive for a win, 0 for a draw.
    Over(i64),
}

/// The rules and the notation of a game in one case, independent of the representations that searches use.
pub trait Play: Send + 'static {
    /// Type of a position. It includes everything that the rules need. `Display` writes it in the game's notation.
    type Position: Clone + Display + Send + Sync;
    /// Type of a move other than a pass.
    type Move: Copy + Eq + Send;

    /// The game's name.
    const GAME: &str;
    /// The separator between moves in the game's notation.
    const SEPARATOR: &str = "";

    /// Returns the start position of games, and the default position of searches.
    fn start(&self) -> Self::Position;

    /// Returns the openings for a match's pairs of games. With one opening, deterministic players would repeat a game.
    fn openings(&self) -> Result<Vec<Self::Position>, Fault> {
        Ok(vec![self.start()])
    }

    /// Parses a position. The error is one line about the first invalid part.
    fn parse(&self, text: &str) -> Result<Self::Position, String>;

    /// Returns a text that is equal for two positions if and only if they have the same possible continuations.
    fn identity(&self, position: &Self::Position) -> String {
        position.to_string()
    }

    /// Returns a move in the game's notation.
    fn name(&self, mv: Self::Move) -> String;

    /// Finds the move with this name at a position, legal or not. `None` if there is no such move on the board.
    fn find(&self, position: &Self::Position, name: &str) -> Option<Self::Move>;

    /// Returns whether the side to move made the game's first move.
    fn first_to_move(&self, position: &Self::Position) -> bool;

    /// Returns the state of the game for the side to move.
    fn turn(&self, position: &Self::Position) -> Turn<Self::Position>;

    /// Returns the position after a move, or `None` if the move is illegal.
    fn play(&self, position: &Self::Position, mv: Self::Move) -> Option<Self::Position>;

    /// Returns the legal moves in the game's move order, or none if the game is over or a pass is due. They are used
    /// for choices with playouts and for a line's branching factor.
    fn moves(&self, _position: &Self::Position) -> Vec<Self::Move> {
        Vec::new()
    }

    /// Returns the value of a legal move for the side that makes it, searched with a full window to the case's depth.
    fn value_of(&self, _position: &Self::Position, _mv: Self::Move) -> Result<i64, Fault> {
        Err(lacks(Self::GAME, "search"))
    }

    /// Returns the line of play for the task `game`, and facts about the case.
    fn line(&self) -> Result<LineAndFacts<Self::Position>, Fault> {
        Err(lacks(Self::GAME, "game"))
    }
}

/// A representation that converts a game's positions.
pub trait Loads<P: Play>: Game<Move = P::Move> + Send + 'static {
    /// Converts a position.
    fn load(&self, position: &P::Position) -> Self::Position;
}

/// A line of play, which is a game that a player plays against itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line<P> {
    /// Every position from which the game continued, in order. Includes passes, but not the final position.
    pub positions: Vec<P>,
    /// Number of legal moves in each position. It is 0 if a pass is due.
    pub choices: Vec<u32>,
    /// The moves and passes in the game's notation, concatenated.
    pub moves: String,
}

impl<P> Line<P> {
    /// Returns the positions after these numbers of plies. `moves` still contains all moves.
    pub fn at(&self, plies: &[usize]) -> Result<Line<P>, Fault>
    where
        P: Clone,
    {
        if let Some(ply) = plies.iter().find(|ply| **ply >= self.positions.len()) {
            let last = self.positions.len().saturating_sub(1);
            let problem = format!("plies: `{ply}`; the line of play goes on until ply {last}");
            return Err(Fault::Input(problem));
        }
        Ok(Line {
            positions: plies
                .iter()
                .map(|ply| self.positions[*ply].clone())
                .collect(),
            choices: plies.iter().map(|ply| self.choices[*ply]).collect(),
            moves: self.moves.clone(),
        })
    }

    /// Returns the mean number of legal moves, over all positions with legal moves.
    pub fn branching_factor(&self) -> f64 {
        let moving = self.choices.iter().filter(|choices| **choices > 0).count();
        let moves: u32 = self.choices.iter().sum();
        f64::from(moves) / moving as f64
    }
}

/// Returns the error for a game that does not support a task.
pub(super) fn lacks(game: &str, task: &str) -> Fault {
    Fault::Unsupported(format!("{game} has no task `{task}`"))
}

/// A line of play with facts about the case.
pub type LineAndFacts<P> = (std::sync::Arc<Line<P>>, Vec<Fact>);

/// The axis `plies`, which selects the positions of the line of play that a sample searches. The default is all.
pub const PLIES: AxisEntry = AxisEntry {
    name: "plies",
    allowed: PLIES_ALLOWED,
    default: Some(ALL),
    tasks: &[Task::Game],
};

const ALL: &str = "all";
const RANDOM: &str = "random-";
const PLIES_ALLOWED: &str = "all positions of the line of play, the positions after some plies (ascending, [0, 3, 6]), or a number of positions from random games (1 to 4096, random-64)";

/// The positions that a sample of the task `game` searches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Plies {
    /// All positions of the line of play.
    All,
    /// The positions of the line after these numbers of plies.
    After(Vec<usize>),
    /// This number of positions from random games.
    Random(usize),
}

/// Parses a value of [`PLIES`]. The error is one line with the allowed values.
pub fn read_plies(value: &Value) -> Result<Plies, String> {
    let wrong = || format!("plies: `{value}`; allowed are {PLIES_ALLOWED}");
    let text = value.to_string();
    if text == ALL {
        return Ok(Plies::All);
    }
    if let Some(count) = text.strip_prefix(RANDOM) {
        let count = count
            .parse()
            .ok()
            .filter(|count| (1..=4096).contains(count));
        return count.map(Plies::Random).ok_or_else(wrong);
    }
    let plies = text.split(',').map(|ply| ply.parse().map_err(|_| wrong()));
    let plies: Vec<usize> = plies.collect::<Result<_, _>>()?;
    if !plies.is_sorted_by(|ply, next| ply < next) {
        return Err(wrong());
    }
    Ok(Plies::After(plies))
}

/// Returns the positions that a case selects, by default the whole line. The error is one line with the allowed values.
pub fn plies_of(case: &Case) -> Result<Plies, String> {
    case.get(PLIES.name).map_or(Ok(Plies::All), read_plies)
}

/// Plays a game in which `chooses` chooses the moves of both sides.
pub(super) fn line_of<P: Play>(
    play: &P,
    mut chooses: impl FnMut(&P::Position) -> Result<Option<P::Move>, Fault>,
) -> Result<Line<P::Position>, Fault> {
    let mut line = Line {
        positions: Vec::new(),
        choices: Vec::new(),
        moves: String::new(),
    };
    let mut position = play.start();
    loop {
        let (next, choices) = match play.turn(&position) {
            Turn::Over(_) => return Ok(line),
            Turn::Pass(passed, name) => {
                line.moves.push_str(name);
                (passed, 0)
            }
            Turn::Move => {
                let best = chooses(&position)?;
                // This is `None` only if the search and the rules disagree.
                let Some((best, next)) = best.and_then(|mv| Some((mv, play.play(&position, mv)?)))
                else {
                    return Ok(line);
                };
                line.moves.push_str(&play.name(best));
                (next, play.moves(&position).len() as u32)
            }
        };
        line.positions.push(std::mem::replace(&mut position, next));
        line.choices.push(choices);
    }
}

/// A cache of lines of play by evaluation and depth. It lasts until the process ends.
pub type Lines<E, P> = LazyLock<Mutex<HashMap<(E, u32), Arc<Line<P>>>>>;

/// Returns the line that `serial` plays against itself at a depth. Computes it at first use.
pub fn kept_line<E: Eq + Hash, P: Kit>(
    lines: &Lines<E, P::Position>,
    play: &P,
    (evaluation, depth): (E, u32),
) -> Result<Arc<Line<P::Position>>, Fault> {
    // The map stays valid if another thread panics while it holds the lock.
    let mut made = lines.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(match made.entry((evaluation, depth)) {
        Entry::Occupied(made) => made.get().clone(),
        Entry::Vacant(free) => free.insert(Arc::new(own_line(play, depth)?)).clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plies_are_read_and_checked() {
        let read = |text: &str| read_plies(&Value::parse(text));
        assert_eq!(read("all"), Ok(Plies::All));
        assert_eq!(read("7"), Ok(Plies::After(vec![7])));
        assert_eq!(read("0,3,45"), Ok(Plies::After(vec![0, 3, 45])));
        assert_eq!(read("random-64"), Ok(Plies::Random(64)));
        for text in ["", "3,0", "3,3", "-1", "1,x", "true", "random-0"] {
            let wrong = read(text).unwrap_err();
            let part = format!("plies: `{text}`; allowed are");
            assert!(wrong.starts_with(&part), "{wrong}");
        }
    }
}
