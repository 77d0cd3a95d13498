//! `bench export`: the table's medians are the rows'.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{bench, kept, measured, median, records, said};

#[test]
fn medians_of_exported_samples_are_those_of_the_rows_to_the_nanosecond() {
    let folder = kept();
    let folder = folder.to_str().unwrap();
    let measured = measured(&kept());
    assert_eq!(measured.len(), 8);

    let output = bench(&["export", folder]);
    assert!(output.status.success(), "{}", said(&output));
    let rows = records(&output.stdout);
    let mut times: BTreeMap<String, Vec<u128>> = BTreeMap::new();
    for row in &rows {
        for column in [
            "machine",
            "run",
            "experiment",
            "board",
            "depth",
            "technique",
            "device",
            "revision",
            "invocation",
            "utc",
            "key",
            "cell",
            "case",
        ] {
            assert!(!row[column].is_empty(), "{column} of {row:?}");
        }
        assert_eq!(
            row["case"],
            format!("board={} depth={}", row["board"], row["depth"])
        );
        times
            .entry(row["key"].clone())
            .or_default()
            .push(row["total_ns"].parse().unwrap());
    }
    let medians: BTreeMap<String, u128> = times
        .into_iter()
        .map(|(key, own)| (key, median(own)))
        .collect();
    assert_eq!(medians, measured);
    assert_eq!(
        (rows[0]["machine"].as_str(), rows[0]["run"].as_str()),
        ("kept", "small")
    );

    let output = bench(&["export", folder, "--format", "jsonl"]);
    assert!(output.status.success(), "{}", said(&output));
    let text = String::from_utf8(output.stdout).unwrap();
    let objects: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(objects.len(), rows.len());
    let mut times: BTreeMap<String, Vec<u128>> = BTreeMap::new();
    for (object, row) in objects.iter().zip(&rows) {
        // The same values, numbers as numbers and what is missing as null.
        for (column, text) in row {
            let shown = match &object[column] {
                Value::Null => String::new(),
                Value::String(text) => text.clone(),
                number => number.to_string(),
            };
            assert_eq!(shown, *text, "{column}");
        }
        assert!(object["depth"].is_u64() && object["driver"].is_null());
        let key = object["key"].as_str().unwrap().to_owned();
        times
            .entry(key)
            .or_default()
            .push(object["total_ns"].as_u64().unwrap().into());
    }
    let medians: BTreeMap<String, u128> = times
        .into_iter()
        .map(|(key, own)| (key, median(own)))
        .collect();
    assert_eq!(medians, measured);
}

#[test]
fn a_format_that_is_not_built_in_is_refused_in_one_line() {
    let folder = kept();
    let output = bench(&[
        "export",
        folder.to_str().unwrap(),
        "--format",
        "parquet",
        "--out",
        "x.parquet",
    ]);
    // What it writes is read below.
    if !cfg!(feature = "parquet") {
        assert_eq!(output.status.code(), Some(1));
        assert!(
            said(&output).contains("allowed are csv and jsonl"),
            "{}",
            said(&output)
        );
    }
}

/// The file as another reader of the format sees it: the parquet crate's own.
#[cfg(feature = "parquet")]
#[test]
fn medians_of_a_parquet_file_are_those_of_the_rows_to_the_nanosecond() {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::RowAccessor;

    let file = super::run().path().join("medians.parquet");
    let out = file.to_str().unwrap();
    let folder = kept();
    let folder = folder.to_str().unwrap();
    let output = bench(&["export", folder, "--format", "parquet", "--out", out]);
    assert!(output.status.success(), "{}", said(&output));
    let reader = SerializedFileReader::new(std::fs::File::open(&file).unwrap()).unwrap();
    let schema = reader.metadata().file_metadata().schema_descr_ptr();
    let at = |name: &str| {
        let mut columns = schema.columns().iter();
        columns.position(|column| column.name() == name).unwrap()
    };
    let (key, time, depth, driver) = (at("key"), at("total_ns"), at("depth"), at("driver"));
    let mut times: BTreeMap<String, Vec<u128>> = BTreeMap::new();
    for row in reader.get_row_iter(None).unwrap() {
        let row = row.unwrap();
        assert!([2, 3].contains(&row.get_long(depth).unwrap()));
        assert!(row.get_string(driver).is_err(), "the host has none");
        let own = times
            .entry(row.get_string(key).unwrap().clone())
            .or_default();
        own.push(row.get_long(time).unwrap().try_into().unwrap());
    }
    let medians = times.into_iter().map(|(key, own)| (key, median(own)));
    assert_eq!(medians.collect::<BTreeMap<_, _>>(), measured(&kept()));
}
