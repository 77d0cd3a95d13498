//! What kernels do, counted in a simulator: `cl/operations.csv`, which is embedded in the program.
//! `scripts/count-operations` makes it.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{ResultsError, csv_file};
use crate::words::Case;

/// The file, for messages.
const PATH: &str = "cl/operations.csv";

/// The counts as this program was built with them.
const EMBEDDED: &str = include_str!("../../cl/operations.csv");

/// One row of `operations.csv`: what a technique's kernels do for a node, a ply or a playout, on an
/// average of one sample. Operations are counted on lanes of 32 bits: one on 64 bits is two, on a
/// vector as many as it has lanes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OperationRow {
    /// The game.
    pub game: String,
    /// The technique, by its name in the catalogue.
    pub technique: String,
    /// Its parameters that are not the default, `refill=false`.
    pub params: String,
    /// The axes on which the counts depend, `board=8x8`: not those that say how much is done.
    pub case: String,
    /// The task that was counted.
    pub task: String,
    /// The whole case that was counted.
    pub counted: String,
    /// What the numbers are for: `node`, `ply` or `playout`.
    pub per: String,
    /// Additions and subtractions.
    pub add: f64,
    /// And, or, exclusive or.
    pub logic: f64,
    /// Shifts and rotations.
    pub shift: f64,
    /// Multiplications; divisions, each as one.
    pub multiply: f64,
    /// Set bits, leading zeros, reversals: what has a unit of its own on GPUs.
    pub popcount: f64,
    /// Comparisons, choices, minima and maxima.
    pub select: f64,
    /// Bytes loaded from global memory, whether a cache has them or not.
    pub global_load_bytes: f64,
    /// Bytes stored there.
    pub global_store_bytes: f64,
    /// Bytes loaded from local memory.
    pub local_load_bytes: f64,
    /// Bytes stored there.
    pub local_store_bytes: f64,
    /// Atomic operations on global memory.
    pub global_atomics: f64,
    /// Atomic operations on local memory.
    pub local_atomics: f64,
    /// The kernels' hash, as in a run's environment.
    pub kernel_hash: String,
    /// The simulator.
    pub by: String,
}

impl OperationRow {
    /// [`OperationRow::case`], read.
    pub fn key(&self) -> Case {
        Case::parse(&self.case).unwrap_or_default()
    }
}

/// The embedded counts.
///
/// # Errors
///
/// Where the file is damaged; a test sees to it that it is not.
pub fn operations() -> Result<Vec<OperationRow>, ResultsError> {
    csv_file::parse(Path::new(PATH), EMBEDDED.as_bytes(), &mut Vec::new())
}

/// The file that holds these rows.
///
/// # Errors
///
/// Where a row is no row.
pub fn operations_file(rows: &[OperationRow]) -> Result<Vec<u8>, ResultsError> {
    csv_file::whole(Path::new(PATH), rows)
}
impl csv_file::Columns for OperationRow {}
