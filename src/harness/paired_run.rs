//! Measures two programs in one invocation: the same cells, by both programs' workers, in one schedule.
//!
//! The scheduler sees one plan that has each cell twice: cells with even numbers belong to the first program, those with
//! odd numbers to the second. So both are sampled alternately, in the same passes. The answers of both are compared with
//! the first program's references.

use super::host::utc_now;
use super::plan::{Cell, Plan};
use super::request::{RunError, RunRequest};
use super::resume::Earlier;
use super::run::{Finished, Side, measure};
use super::schedule::Progress;
use crate::results::RunFolder;

/// The plan that [`run`] executes: each cell of the experiment twice, the first program's before the second's.
pub fn plan(request: &RunRequest<'_>) -> Plan {
    let of_side = |cell: &Cell, side: usize| Cell {
        index: 2 * cell.index + side,
        pair: cell.index,
        program: side,
        ..cell.clone()
    };
    let both = |cell: &Cell| [of_side(cell, 0), of_side(cell, 1)];
    let mut plan = request.plan.clone();
    for group in &mut plan.groups {
        group.cells = group.cells.iter().flat_map(both).collect();
    }
    plan
}

/// Measures every cell with the programs of both requests, which differ only in program and folder. Both are empty.
pub fn run<'a>(
    [first, second]: [&'a RunRequest<'a>; 2],
    [a, b]: [&'a mut RunFolder; 2],
    progress: &mut dyn Progress,
) -> Result<[Finished; 2], RunError> {
    let (plan, earlier, together) = (plan(first), Earlier::default(), utc_now());
    let mut sides = [
        Side::start(first, a, Some(&together))?,
        Side::start(second, b, Some(&together))?,
    ];
    let known = (&plan, &earlier);
    let ended = measure(first.experiment, &mut sides, known, Vec::new(), progress)?;
    Ok(sides.map(|side| Finished {
        ended,
        rows: side.rows.into_values().collect(),
    }))
}
