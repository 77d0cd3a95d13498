//! Axes of the games with searches, other than the board: depth, plies, playouts and effort.

use super::line::{PLIES, read_plies};
use super::remembering::{EFFORT, effort_of, read_effort};
use super::{Effort, PLAYOUTS, read_playouts};
use crate::games::text::Form;
use crate::words::{AxisEntry, Case, Task, Understood, Value};

/// The depths of a game's cases, from 1 on.
pub struct Depths {
    /// Allowed values.
    pub allowed: &'static str,
    most: i64,
}

impl Depths {
    /// Depths from 1 to `most`. `allowed` says so.
    pub const fn up_to(most: i64, allowed: &'static str) -> Depths {
        Depths { allowed, most }
    }

    /// The axis. A match may do without: it has an effort then.
    pub const fn axis(&self) -> AxisEntry {
        AxisEntry {
            name: DEPTH,
            allowed: self.allowed,
            default: Some("6"),
            tasks: &[Task::Search, Task::Game, Task::Match, Task::Perft],
        }
    }

    /// Reads a value. Fails with one line that names the key, the value and what is allowed.
    pub fn read(&self, value: &Value) -> Result<u32, String> {
        let depth = value
            .as_int()
            .filter(|depth| (1..=self.most).contains(depth));
        let depth = depth.map(|depth| depth as u32);
        depth.ok_or_else(|| format!("{DEPTH}: `{value}`; allowed is {}", self.allowed))
    }
}

const DEPTH: &str = "depth";

/// The depth (0 with playouts or an effort), the playouts (0 if not given) and the effort of a case.
pub fn depth_playouts_effort(
    case: &Case,
    depth: &Depths,
) -> Result<(u32, u64, Option<Effort>), String> {
    let effort = effort_of(case)?;
    let playouts = case.get(PLAYOUTS.name).map(read_playouts).transpose()?;
    let depth = match (effort, playouts) {
        (None, None) => depth.read(axis_of(case, DEPTH)?)?,
        _ => 0,
    };
    Ok((depth, playouts.unwrap_or(0), effort))
}

/// The value of an axis. Fails with one line that names the axis, where the case has none.
pub fn axis_of<'c>(case: &'c Case, name: &str) -> Result<&'c Value, String> {
    case.get(name)
        .ok_or_else(|| format!("{name}: the case does not say"))
}

/// [`GameEntry::understand`](crate::words::GameEntry::understand) by what reads the text.
pub fn understood<P: ToString, E: ToString>(
    read: Result<(P, Form), E>,
) -> Result<Understood, String> {
    let (position, form) = read.map_err(|error| error.to_string())?;
    Ok(Understood {
        form: form.word(),
        position: Some(position.to_string()),
        note: "",
    })
}

/// Checks the value of an axis of a game, whose first axis is `first`, with what reads it.
pub fn check_axis(
    (game, axis, value): (&str, &str, &Value),
    (first, read): (&str, impl FnOnce(&Value) -> Result<(), String>),
    depth: &Depths,
) -> Result<(), String> {
    match axis {
        _ if axis == first => read(value),
        DEPTH => depth.read(value).map(drop),
        _ if axis == PLIES.name => read_plies(value).map(drop),
        _ if axis == EFFORT.name => read_effort(value).map(drop),
        _ if axis == PLAYOUTS.name => read_playouts(value).map(drop),
        _ => Err(format!(
            "{axis}: no axis of {game}; allowed are {first}, depth, plies, effort and playouts"
        )),
    }
}

/// [`ParamEntry::check`](crate::words::ParamEntry::check) by what reads the value. Fails with the reader's, as text.
pub fn checked<T, E: ToString>(read: Result<T, E>) -> Result<(), String> {
    read.map(drop).map_err(|error| error.to_string())
}
