use std::borrow::Cow;

use serde::Serialize;

use super::{Case, Params, Task};

/// The question of a cell, without budgets and sample counts. The row's `units` has the completed positions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Question<'a> {
    /// The game.
    pub game: &'a str,
    /// Its options.
    pub options: &'a Params,
    /// The task.
    pub task: Task,
    /// The case.
    pub case: &'a Case,
    /// The technique's name in the catalogue.
    pub technique: &'a str,
    /// Its label, which identifies rows.
    pub label: &'a str,
    /// Its parameters, as a run folder has them.
    pub params: Cow<'a, Params>,
    /// `match`: name and parameters of the opponent.
    pub opponent: Option<(&'a str, Cow<'a, Params>)>,
    /// Limit of positions of a line of play; `None` for all.
    pub positions: Option<usize>,
    /// The seed.
    pub seed: u64,
}
