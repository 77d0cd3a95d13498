use serde::Serialize;

use super::{Case, Params, Task};

/// The question that a cell answers, without budgets and sample counts. A row's `units` counts the completed positions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Question<'a> {
    /// The game.
    pub game: &'a str,
    /// The game's options.
    pub options: &'a Params,
    /// The task.
    pub task: Task,
    /// The case.
    pub case: &'a Case,
    /// The technique's name in the catalogue.
    pub technique: &'a str,
    /// The technique's label, which identifies rows.
    pub label: &'a str,
    /// The technique's parameters, as stored in a run folder.
    pub params: Params,
    /// `match`: the opponent's name and parameters.
    pub opponent: Option<(&'a str, Params)>,
    /// Maximum number of positions to take from a line of play; `None` for all.
    pub positions: Option<usize>,
    /// The seed.
    pub seed: u64,
}
