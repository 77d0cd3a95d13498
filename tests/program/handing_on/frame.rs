//! Reads `samples.csv` as a data frame does: row by row, by the names of its columns.

use std::collections::HashMap;

use super::kept;

type Row = HashMap<String, String>;

fn rows(name: &str) -> Vec<Row> {
    let mut reader = csv::Reader::from_path(kept().join(name)).unwrap();
    reader.deserialize().map(Result::unwrap).collect()
}

fn cell(row: &Row) -> [String; 3] {
    ["case", "technique", "device"].map(|column| row[column].clone())
}

/// The median as pandas has it, rounded down to whole units.
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
    let samples = rows("samples.csv");
    let measured = rows("measurements.csv");
    assert_eq!(measured.len(), 8);
    for row in &measured {
        for (of_sample, of_row) in COLUMNS {
            let own = samples.iter().filter(|it| cell(it) == cell(row));
            let values = own.map(|it| it[of_sample].parse().unwrap());
            assert_eq!(median(values.collect()).to_string(), row[of_row], "{row:?}");
        }
    }
    let all: u64 = measured
        .iter()
        .map(|row| row["samples"].parse::<u64>().unwrap())
        .sum();
    assert_eq!(samples.len() as u64, all);
}

/// The page of the run folder has every column.
#[test]
fn run_folder_page_names_every_column() {
    let page = include_str!("../../../docs/run-folder.md");
    for name in [
        "samples.csv",
        "measurements.csv",
        "facts.csv",
        "resources.csv",
    ] {
        let mut reader = csv::Reader::from_path(kept().join(name)).unwrap();
        for column in reader.headers().unwrap() {
            assert!(page.contains(&format!("`{column}`")), "{name}: {column}");
        }
    }
}
