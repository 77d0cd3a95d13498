//! `bench export`: the samples of run folders as one long table.

use super::exit::{Exit, Failure};
use super::results_args::{ExportArgs, ExportFormat};
use crate::results::export::{Format, LongTable};
use crate::results::{Run, write_atomically};
use crate::words::Status;

/// Writes the table. Cells that do not agree with their samples are named and left out.
pub fn run(args: &ExportArgs) -> Result<Exit, Failure> {
    let format = match args.format {
        ExportFormat::Csv => Format::Csv,
        ExportFormat::Jsonl => Format::Jsonl,
        ExportFormat::Parquet => Format::Parquet,
    };
    format
        .is_built_in()
        .map_err(|why| Failure::usage(anyhow::anyhow!(why)))?;
    let read = args.runs.iter().map(|folder| Run::read(folder));
    let runs: Vec<Run> = read.collect::<Result<_, _>>().map_err(Failure::files)?;
    for run in &runs {
        for warning in &run.warnings {
            eprintln!("{}: {warning}", run.path.display());
        }
    }
    let mut bytes = Vec::new();
    let rows = LongTable::new(&runs)
        .write(format, &mut bytes)
        .map_err(Failure::files)?;
    match &args.out {
        Some(file) => {
            write_atomically(file, &bytes).map_err(Failure::files)?;
            eprintln!("{}: {rows} rows", file.display());
        }
        None => print!("{}", String::from_utf8(bytes).map_err(Failure::files)?),
    }
    let mut all = runs.iter().flat_map(|run| &run.measurements);
    Ok(match all.any(|row| row.status == Status::Damaged) {
        true => Exit::Files,
        false => Exit::Good,
    })
}
