use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::host::Algorithm;
use super::{Line, Loads, Play, Turn};
use crate::words::{AxisEntry, Case, Task, Value};

/// The axis `plies`: the positions of the line of play that a sample searches; all of them by default.
pub const PLIES: AxisEntry = AxisEntry {
    name: "plies",
    allowed: PLIES_ALLOWED,
    default: Some(ALL),
    tasks: &[Task::Game],
};

const ALL: &str = "all";
const RANDOM: &str = "random-";
const PLIES_ALLOWED: &str = "all positions of the line of play, or those after these plies: [0, 3, 6], rising; or so \
     many positions of random games, 1 to 4096: random-64";

/// The positions that a sample of the task `game` searches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Plies {
    /// Those of the line of play.
    All,
    /// Those after these plies of it.
    After(Vec<usize>),
    /// This many positions of random games.
    Random(usize),
}

/// Parses a value of [`PLIES`]. Fails with one line that says what is allowed.
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

/// The positions that a case names; all of the line where it names none. Fails with one line that says what is allowed.
pub fn plies_of(case: &Case) -> Result<Plies, String> {
    case.get(PLIES.name).map_or(Ok(Plies::All), read_plies)
}

/// The game of `serial` against itself at a fixed depth, searched on all threads by an algorithm with the same moves.
pub fn self_play<A: Algorithm, P: Play, G: Loads<P>>(
    play: &P,
    game: &G,
    depth: u32,
) -> Line<P::Position> {
    line_of(play, &mut |position| {
        let position = game.load(position);
        let best = A::search(game, &position, depth).best;
        (best, game.moves(&position).count() as u32)
    })
}

/// A move, and how many there are to choose from.
type Chosen<M> = (Option<M>, u32);

/// The game in which both sides choose as `chooses` does, which also tells the number of moves.
fn line_of<P: Play>(
    play: &P,
    chooses: &mut dyn FnMut(&P::Position) -> Chosen<P::Move>,
) -> Line<P::Position> {
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
                let (best, choices) = chooses(&position);
                // `None` only if the search and the rules disagree.
                let Some((best, next)) = best.and_then(|mv| Some((mv, play.play(&position, mv)?)))
                else {
                    return line;
                };
                line.moves.push_str(&play.name(best));
                (next, choices)
            }
        };
        line.positions.push(std::mem::replace(&mut position, next));
        line.choices.push(choices);
    }
}

/// Lines of play by key, kept for the life of the process.
pub struct Lines<K, P> {
    made: OnceLock<Mutex<HashMap<K, Arc<Line<P>>>>>,
}

impl<K: Eq + Hash, P> Lines<K, P> {
    /// No lines yet.
    pub const fn new() -> Lines<K, P> {
        Lines {
            made: OnceLock::new(),
        }
    }

    /// The line with this key; made on first use.
    pub fn get(&self, key: K, make: impl FnOnce() -> Line<P>) -> Arc<Line<P>> {
        // The map stays valid if another thread panics while it holds the lock.
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
