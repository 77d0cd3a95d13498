//! `bench matrix`: every technique on every OpenCL implementation, from run folders alone.

use super::exit::{Exit, Failure};
use super::results_args::MatrixArgs;
use crate::report::matrix::Matrix;
use crate::results;

/// The table, beside the folders that it is made from.
const TABLE: &str = "matrix.csv";

/// Prints the table and writes it as CSV.
pub fn run(args: &MatrixArgs) -> Result<Exit, Failure> {
    let matrix = Matrix::read(&args.folder).map_err(Failure::files)?;
    let csv = matrix.csv().map_err(Failure::files)?;
    results::write_atomically(&args.folder.join(TABLE), &csv).map_err(Failure::files)?;
    print!("{}", matrix.text());
    Ok(if matrix.ran() == 0 {
        eprintln!("bench: {}: nothing was run", args.folder.display());
        Exit::NoDevice
    } else if matrix.is_wrong() {
        Exit::WrongAnswer
    } else if matrix.is_good() {
        Exit::Good
    } else {
        Exit::Failed
    })
}
