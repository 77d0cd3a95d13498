//! Reads `samples.csv` as a data frame does: row by row, with columns by name.

use super::kept;
use crate::place::{cell, rows};

/// Computes the median as pandas does, rounded down to an integer.
fn median(mut values: Vec<u64>) -> u64 {
    values.sort_unstable();
    let (low, high) = (values[(values.len() - 1) / 2], values[values.len() / 2]);
    low.midpoint(high)
}

#[test]
fn medians_per_cell_equal_the_measurements() {
    const COLUMNS: [(&str, &str); 6] = [
        ("total_ns", "median_ns"),
        ("host_ns", "host_ns"),
        ("launches", "launches"),
        ("nodes", "nodes"),
        ("leaves", "leaves"),
        ("bytes_up", "bytes_up"),
    ];
    let samples = rows(&kept().join("samples.csv"));
    let measured = rows(&kept().join("measurements.csv"));
    assert_eq!(measured.len(), 8);
    for row in &measured {
        for (of_sample, of_row) in COLUMNS {
            let own = samples.iter().filter(|it| cell(it) == cell(row));
            let values = own.map(|it| it[of_sample].parse().unwrap());
            assert_eq!(median(values.collect()).to_string(), row[of_row], "{row:?}");
        }
    }
    let all = measured.iter().map(|row| row["samples"].parse::<usize>());
    assert_eq!(samples.len(), all.map(Result::unwrap).sum::<usize>());
}

/// `docs/run-folder.md` documents every CSV column.
#[test]
fn run_folder_page_names_every_column() {
    let page = include_str!("../../../docs/run-folder.md");
    for name in ["samples", "measurements", "facts", "resources"] {
        let mut reader = csv::Reader::from_path(kept().join(format!("{name}.csv"))).unwrap();
        let mut columns = reader.headers().unwrap().iter();
        let missing = columns.find(|column| !page.contains(&format!("`{column}`")));
        assert_eq!(missing, None, "{name}");
    }
}
