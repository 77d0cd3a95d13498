//! Samples as one long table for other programs: one row per sample, with everything that is known of it.
//!
//! A column holds either text or whole numbers. Each axis of the cases has a column, which is empty for samples whose
//! case lacks the axis. Samples of cells that are not `ok` are left out.

mod as_csv;
mod as_jsonl;
#[cfg(feature = "parquet")]
mod as_parquet;
mod columns;
mod value;

use std::io::Write;

pub use columns::LongTable;

/// How a table is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Comma-separated values with a header; nothing between two commas is a missing value.
    Csv,
    /// A JSON object a line; a missing value is `null`.
    Jsonl,
    /// Apache Parquet; needs the cargo feature `parquet`.
    Parquet,
}

impl LongTable<'_> {
    /// Writes the whole table and returns how many rows it has.
    ///
    /// # Errors
    ///
    /// Where the writer refuses, where a number does not fit the format, or where the format is not built in.
    pub fn write(&self, format: Format, out: &mut (impl Write + Send)) -> std::io::Result<u64> {
        match format {
            Format::Csv => as_csv::write(self, out),
            Format::Jsonl => as_jsonl::write(self, out),
            #[cfg(feature = "parquet")]
            Format::Parquet => as_parquet::write(self, out),
            #[cfg(not(feature = "parquet"))]
            Format::Parquet => Err(std::io::Error::other(WITHOUT_PARQUET)),
        }
    }
}

impl Format {
    /// Whether this program can write it; else what to do.
    ///
    /// # Errors
    ///
    /// One line for the user.
    pub fn is_built_in(self) -> Result<(), &'static str> {
        match self {
            Format::Parquet if !cfg!(feature = "parquet") => Err(WITHOUT_PARQUET),
            _ => Ok(()),
        }
    }
}

const WITHOUT_PARQUET: &str = "--format parquet: this program was built without it; allowed are csv and \
    jsonl, or build with `cargo build --release --features parquet`";
