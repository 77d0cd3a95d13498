//! The arguments of the commands that hand results on: `export`, `submit`, `validate`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

pub const EXPORT_HELP: &str = "\
One table of all the runs, a row a sample. Every row has all of itself: machine, run, experiment, a column
an axis of its case, technique, device, driver, processor, revision, hashes of sources and kernels,
invocation with its time, pass, times in whole nanoseconds, counters. Nothing is to be filled forward: an
empty field (csv) or null (jsonl) is a value that there is none of, such as the driver of a technique of the
host. An axis that has the name of another column is called case_NAME: case_playouts is what was asked for,
playouts what was done.

The median of total_ns over the rows of one (machine, run, cell, key), an even number's two middle ones
averaged and rounded down, is median_ns of the run's measurements.csv. Cells without an answer have no row.

Examples:
  bench export reports/local/reversi > reversi.csv
  bench export reports/*/reversi --format jsonl --out reversi.jsonl

Exit codes: 0 all good · 1 a format that this program was built without · 4 a folder could not be read, or
a row does not agree with its samples: the others are written";

#[derive(Args, Debug)]
pub struct ExportArgs {
    /// Run folders
    #[arg(required = true, value_name = "RUN")]
    pub runs: Vec<PathBuf>,
    /// The format; parquet where the program was built with it
    #[arg(short, long, value_name = "FORMAT", default_value = "csv")]
    pub format: ExportFormat,
    /// The file [default: standard output]
    #[arg(short, long, value_name = "FILE", required_if_eq("format", "parquet"))]
    pub out: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum ExportFormat {
    Csv,
    Jsonl,
    Parquet,
}
