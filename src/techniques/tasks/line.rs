use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::Hash;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use super::kit::{Kit, own_line};
use super::{Line, Play, Turn};
use crate::words::{AxisEntry, Case, Fault, Task, Value};

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

/// The game in which both sides choose as `chooses` does.
pub(super) fn line_of<P: Play>(
    play: &P,
    chooses: &mut dyn FnMut(&P::Position) -> Result<Option<P::Move>, Fault>,
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
                // `None` only if the search and the rules disagree.
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

/// Lines of play by evaluation and depth, kept for the life of the process.
pub type Lines<E, P> = LazyLock<Mutex<HashMap<(E, u32), Arc<Line<P>>>>>;

/// The line of `serial` against itself at a depth; made on first use.
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
