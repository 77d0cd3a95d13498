use serde::Serialize;

use super::{Case, Params, Task};

/// What a cell measures, budgets and sample counts apart.
///
/// The number of positions that a cell completed within its budget is not part of it; the row has it in
/// `units`.
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
    /// Its parameters.
    pub params: &'a Params,
    /// `match`: name and parameters of the opponent.
    pub opponent: Option<(&'a str, &'a Params)>,
    /// Limit of positions of a line of play; `None` for all.
    pub positions: Option<usize>,
    /// The seed.
    pub seed: u64,
}
