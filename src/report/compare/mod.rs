//! Compares two runs of one experiment, cell by cell.
//!
//! A cell's ratio is the geometric mean of the second run's pass medians over the first's, with an interval from both
//! runs' passes ([`interval_of`](crate::stats::passes::interval_of)). No interval covers a machine's drift between two runs.

mod cells;
mod comparison;
mod likeness;
mod show;

pub use comparison::{Change, Common, CompareError, Comparison, Incomparable, Options};

use self::comparison::{Filter, Side};
use super::data::{Index, RunData};

impl Comparison {
    /// Compares a run with an earlier one. Fails if they differ in game, task, options, axes, parameters, or the seed
    /// of playouts; if a filter matches nothing; and if no cell has an answer in both.
    pub fn new(a: &RunData, b: &RunData, options: Options) -> Result<Self, CompareError> {
        let filter = Filter::new([a, b], &options)?;
        likeness::refuse_unlike(a, b, &filter)?;
        let (a, b) = (Index::new(a), Index::new(b));
        let devices = cells::Devices::pair(&a, &b);
        let cells = cells::gather([&a, &b], &devices, &filter, &options);
        let own = Comparison {
            experiment: a.data.experiment.name.clone(),
            options,
            sides: [&a, &b].map(Side::of),
            warnings: likeness::warnings(&a, &b, &devices, &cells.common),
            ..cells
        };
        let [one, other] = own.sides.each_ref().map(|side| &side.folder);
        if own.common.is_empty() && !own.has_lost() {
            let [only_a, only_b] = own.only.each_ref().map(Vec::len);
            let others = own.incomparable.len();
            return Err(CompareError(format!(
                "{one} and {other}: no cell has an answer in both (only in A: {only_a}, only in B: {only_b}, without \
                 two answers to compare: {others})"
            )));
        }
        let is_judged = own.common.iter().any(|cell| !cell.has_few_passes());
        if own.options.fail_over.is_some() && !is_judged && !own.has_lost() {
            return Err(CompareError(format!(
                "--fail-over: no cell of {one} and {other} has three passes on both sides, so none can be judged"
            )));
        }
        Ok(own)
    }
}
