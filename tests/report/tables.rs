//! The numbers of a report, read back from its CSVs.

use approx::assert_relative_eq;
use plybench::report::{MARKS, RunData, closing_summary, write_from};
use plybench::words::{Case, Status, Value};

use crate::fixture::*;

fn tables(data: &RunData, id: &str) -> Csv {
    write_from(data, &data.folder).unwrap();
    Csv::read(data.folder.join("tables").join(format!("{id}.csv")))
}

fn number(row: &std::collections::HashMap<String, String>, column: &str) -> f64 {
    row[column].parse().unwrap()
}

#[test]
fn a_speedup_is_the_baselines_median_over_ours_with_its_interval() {
    let folder = tempfile::tempdir().unwrap();
    let data = eventful(folder.path());
    let table = tables(&data, "table-2-over-serial");
    let row = table.row(&[("board", "16x16"), ("depth", "1")]);
    assert_eq!(row["status"], "faster");
    assert_relative_eq!(number(row, "ours"), 4.0, max_relative = 1e-3);
    let (low, high) = (number(row, "low"), number(row, "high"));
    assert!(
        3.9 < low && low < 4.0 && 4.0 < high && high < 4.1,
        "{low} to {high}"
    );
    assert_relative_eq!(number(row, "baseline_median_ns"), 40e6, max_relative = 1e-2);
    assert_eq!(row["quantity"], "speedup");
    assert_eq!(row["device"], DEVICE);
    assert_eq!(
        (row["technique"].as_str(), row["baseline"].as_str()),
        ("pv-split", "serial")
    );
    assert_eq!(
        table.row(&[("board", "8x8"), ("depth", "1")])["status"],
        "slower"
    );
}

#[test]
fn an_experiment_without_tables_has_one_of_each_techniques_time() {
    let folder = tempfile::tempdir().unwrap();
    let mut data = eventful(folder.path());
    data.experiment.tables.clear();
    data.experiment.charts.clear();
    let table = tables(&data, "of-each-technique");
    let at = [("technique", "serial"), ("board", "16x16"), ("depth", "1")];
    let row = table.row(&at);
    assert_eq!(row["quantity"], "time_per_unit_ns");
    let units = data.measurements.iter().find(|row| {
        (row.case.as_str(), row.technique.as_str()) == ("board=16x16 depth=1", "serial")
    });
    let expected = 40e6 / units.unwrap().units as f64;
    assert_relative_eq!(number(row, "ours"), expected, max_relative = 1e-2);
}

#[test]
fn numbers_in_a_csv_are_exactly_those_of_the_samples() {
    let folder = tempfile::tempdir().unwrap();
    let data = eventful(folder.path());
    let of_pass = |key: &str, pass: u64| -> f64 {
        let rows = data.samples.iter();
        let own = rows.filter(|row| row.key == key && row.pass == pass);
        let times: Vec<u64> = own.map(|row| row.total_ns).collect();
        plybench::stats::median(&times).unwrap() as f64
    };
    let (serial, device) = (
        "key of board=16x16 depth=1 serial",
        "key of board=16x16 depth=1 pv-split",
    );
    let ratios = (1..=PASSES).map(|pass| of_pass(serial, pass) / of_pass(device, pass));
    let product: f64 = ratios.map(f64::ln).sum();
    let table = tables(&data, "table-2-over-serial");
    let row = table.row(&[("board", "16x16"), ("depth", "1")]);
    let expected = (product / PASSES as f64).exp();
    assert_relative_eq!(number(row, "ours"), expected, max_relative = 1e-12);
    let (low, high) = (number(row, "low"), number(row, "high"));
    assert_relative_eq!((low * high).sqrt(), expected, max_relative = 1e-9);
}

#[test]
fn published_numbers_stand_beside_their_own_baseline_only() {
    let folder = tempfile::tempdir().unwrap();
    let data = eventful(folder.path());
    let at = [("board", "16x16"), ("depth", "1")];
    let over_serial = tables(&data, "table-2-over-serial");
    assert_eq!(over_serial.row(&at)["published"], "2");
    assert_relative_eq!(
        number(over_serial.row(&at), "ratio"),
        2.0,
        max_relative = 1e-3
    );
    assert_eq!(
        tables(&data, "table-2-over-rayon").row(&at)["published"],
        ""
    );
    // Ours is missing there, the paper's is not; and the other way round.
    let row = over_serial.row(&[("board", "8x8"), ("depth", "2")]);
    assert_eq!(
        (row["published"].as_str(), row["status"].as_str()),
        ("0.5", "faster")
    );
    assert_eq!(
        over_serial.row(&[("board", "8x8"), ("depth", "3")])["published"],
        ""
    );
}

#[test]
fn an_interval_that_contains_one_is_a_tie() {
    let folder = tempfile::tempdir().unwrap();
    let data = eventful(folder.path());
    let table = tables(&data, "table-2-over-rayon");
    let row = table.row(&[("board", "8x8"), ("depth", "1")]);
    assert_eq!(row["status"], "tie");
    assert_relative_eq!(number(row, "ours"), 1.0, max_relative = 1e-3);
    let markdown = std::fs::read_to_string(folder.path().join("report.md")).unwrap();
    assert!(markdown.contains("| 1.00<br>"), "{markdown}");
    assert!(
        markdown.contains("<br>a tie: the interval contains 1<br>"),
        "{markdown}"
    );
}

#[test]
fn an_interval_that_is_too_wide_prints_no_ratio() {
    let folder = tempfile::tempdir().unwrap();
    let mut data = empty(folder.path());
    let at = case("8x8", 1);
    measure_times(&mut data, &at, "serial", &[MS, 2 * MS, 8 * MS, 9 * MS], 10);
    measure_times(
        &mut data,
        &at,
        "pv-split",
        &[9 * MS, 2 * MS, 8 * MS, MS],
        10,
    );
    let table = tables(&data, "table-2-over-serial");
    let row = table.row(&[("board", "8x8"), ("depth", "1")]);
    assert_eq!(
        (row["status"].as_str(), row["ours"].as_str()),
        ("unclear", "")
    );
    assert!(number(row, "high") > 2.0 * number(row, "low"));
    assert!(row["reason"].ends_with("is too wide"), "{}", row["reason"]);
}

#[test]
fn one_sample_is_too_few() {
    let folder = tempfile::tempdir().unwrap();
    let mut data = empty(folder.path());
    measure_times(&mut data, &case("8x8", 1), "serial", &[MS], 10);
    measure_times(&mut data, &case("8x8", 1), "pv-split", &[MS], 10);
    let table = tables(&data, "table-2-over-serial");
    let row = table.row(&[("board", "8x8"), ("depth", "1")]);
    assert_eq!((row["ours"].as_str(), row["low"].as_str()), ("1", ""));
    let page = std::fs::read_to_string(folder.path().join("index.html")).unwrap();
    assert!(page.contains(">1.00†</td>"), "{page}");
    assert!(page.contains("title=\"1 pass; over 1.00 ms\""), "{page}");
}

#[test]
fn every_missing_cell_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let data = eventful(folder.path());
    let table = tables(&data, "table-2-over-rayon");
    assert_eq!(table.len(), 6);
    let why = |board, depth| {
        let row = table.row(&[("board", board), ("depth", depth)]);
        assert_eq!(row["ours"], "");
        (row["status"].clone(), row["reason"].clone())
    };
    let text = |a: &str, b: &str| (a.to_owned(), b.to_owned());
    assert_eq!(
        why("8x8", "3"),
        text("skipped", "budget 60 s, predicted 310 s")
    );
    assert_eq!(why("16x16", "2"), text("not measured", ""));
    assert_eq!(why("16x16", "3"), text("not in this experiment", ""));
    assert_eq!(
        why("8x8", "2"),
        text(
            "no baseline",
            "rayon is mismatch: position 3: value 5, not 7"
        )
    );
}

#[test]
fn a_baseline_that_was_not_measured_gives_no_ratio() {
    let folder = tempfile::tempdir().unwrap();
    let mut data = eventful(folder.path());
    data.measurements.retain(|row| row.technique != "serial");
    let table = tables(&data, "table-2-over-serial");
    let row = table.row(&[("board", "16x16"), ("depth", "1")]);
    assert_eq!(
        (row["status"].as_str(), row["ours"].as_str()),
        ("no baseline", "")
    );
    assert_eq!(row["reason"], "serial is not measured");
}

#[test]
fn different_positions_are_not_compared() {
    let folder = tempfile::tempdir().unwrap();
    let mut data = eventful(folder.path());
    for row in data
        .measurements
        .iter_mut()
        .filter(|row| row.technique == "pv-split")
    {
        row.units = 16;
    }
    let table = tables(&data, "table-2-over-serial");
    let row = table.row(&[("board", "16x16"), ("depth", "1")]);
    assert_eq!(
        (row["status"].as_str(), row["ours"].as_str()),
        ("different work", "")
    );
    assert_eq!(row["reason"], "16 positions, its baseline 60");
}

#[test]
fn playouts_are_compared_each() {
    let folder = tempfile::tempdir().unwrap();
    let mut data = eventful(folder.path());
    data.experiment.task = plybench::words::Task::Playouts;
    for row in data
        .measurements
        .iter_mut()
        .filter(|row| row.technique == "pv-split")
    {
        row.units = 600;
    }
    let table = tables(&data, "table-2-over-serial");
    let row = table.row(&[("board", "16x16"), ("depth", "1")]);
    assert_relative_eq!(number(row, "ours"), 40.0, max_relative = 1e-3);
}

#[test]
fn a_speedup_is_the_rate_ratio_over_the_node_overhead() {
    let folder = tempfile::tempdir().unwrap();
    let data = eventful(folder.path());
    let cells = tables(&data, "cells");
    assert_eq!(cells.len(), 15);
    let row = cells.row(&[
        ("board", "16x16"),
        ("depth", "1"),
        ("technique", "pv-split"),
    ]);
    assert_eq!(number(row, "node_overhead"), 2.0);
    assert_relative_eq!(
        number(row, "speedup_over_serial"),
        number(row, "rate_ratio") / number(row, "node_overhead"),
        max_relative = 1e-9
    );
    assert_relative_eq!(number(row, "nodes_per_s"), 1e7, max_relative = 1e-2);
    let row = cells.row(&[("board", "8x8"), ("depth", "2"), ("technique", "rayon")]);
    assert_eq!(
        (row["status"].as_str(), row["median_ns"].as_str()),
        ("mismatch", "")
    );
}

#[test]
fn the_answer_takes_the_last_case_that_can_be_compared_with_both_roles() {
    let folder = tempfile::tempdir().unwrap();
    let data = eventful(folder.path());
    let ratios = tables(&data, "ratios");
    // 8x8: depth 3 was skipped, and at depth 2 rayon was wrong.
    let row = ratios.row(&[
        ("board", "8x8"),
        ("depth", "1"),
        ("technique", "pv-split"),
        ("over", "best CPU"),
    ]);
    assert_eq!(
        (row["baseline"].as_str(), row["threads"].as_str()),
        ("serial", "1"),
        "one core is faster than two there"
    );
    let slower = number(row, "speedup");
    assert!(slower < 0.99);
    let page = std::fs::read_to_string(folder.path().join("report.md")).unwrap();
    let said = format!(
        "Faster than the best CPU program: 16x16, depth 1 (2.00 times). Slower: 8x8, depth 1 ({slower:.3} times)."
    );
    assert!(page.contains(&said), "{said}: {page}");
}

/// With the host's help no device loses, so that help would hide where the device does.
#[test]
fn the_answer_is_of_the_device_without_the_hosts_help() {
    let folder = tempfile::tempdir().unwrap();
    let mut data = eventful(folder.path());
    let mut hybrid = data.experiment.techniques[2].clone();
    hybrid.label = "hybrid".into();
    hybrid
        .params
        .insert("hybrid".into(), Value::Text("on".into()));
    data.experiment.techniques.push(hybrid);
    measure(&mut data, &case("8x8", 1), "hybrid", 100_000, 100);
    let ratios = tables(&data, "ratios");
    let helped = ratios.row(&[
        ("board", "8x8"),
        ("depth", "1"),
        ("technique", "hybrid"),
        ("over", "best CPU"),
    ]);
    assert!(number(helped, "speedup") > 1.0);
    let page = std::fs::read_to_string(folder.path().join("report.md")).unwrap();
    assert!(page.contains("Slower: 8x8, depth 1 ("), "{page}");
}

/// Where nothing was asked of the device without it, that help is part of all that can be said.
#[test]
fn the_answer_is_of_a_hybrid_where_the_device_has_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let mut data = eventful(folder.path());
    let params = &mut data.experiment.techniques[2].params;
    params.insert("hybrid".into(), Value::Text("on".into()));
    tables(&data, "ratios");
    let page = std::fs::read_to_string(folder.path().join("report.md")).unwrap();
    let said = "Faster than the best CPU program: 16x16, depth 1 (2.00 times).";
    assert!(page.contains(said), "{page}");
}

#[test]
fn facts_fill_a_table_of_one_column() {
    let folder = tempfile::tempdir().unwrap();
    let data = eventful(folder.path());
    let table = tables(&data, "table-1");
    assert_eq!(table.len(), 2);
    let row = table.row(&[("board", "8x8")]);
    assert_eq!(
        (row["ours"].as_str(), row["quantity"].as_str()),
        ("7.904", "branching_factor")
    );
    assert_eq!((row["depth"].as_str(), row["device"].as_str()), ("", ""));
}

#[test]
fn means_stand_beside_what_papers_call_times() {
    let folder = tempfile::tempdir().unwrap();
    let mut data = eventful(folder.path());
    let table = &mut data.experiment.tables[1];
    table.rows = vec!["technique".into()];
    table.techniques = vec!["serial".into()];
    table.quantities = vec![plybench::config::Quantity::MeanTimePerUnit];
    table.columns = vec!["board".into()];
    table.fixed = Case(vec![("depth".into(), Value::Int(1))]);
    table.published = vec!["made-up/times.csv".into()];
    let text = "technique,board,quantity,value,unit\nserial,8x8,time-per-unit,2,ms\n";
    std::fs::write(folder.path().join("published/made-up/times.csv"), text).unwrap();
    let table = tables(&data, "table-2");
    let row = table.row(&[("technique", "serial"), ("board", "8x8")]);
    assert_eq!(row["quantity"], "mean_time_per_unit_ns");
    let units = data.measurements[0].units as f64;
    assert_relative_eq!(number(row, "ours"), 1e6 / units, max_relative = 2e-2);
    assert_relative_eq!(number(row, "published"), 2e6);
}

#[test]
fn what_a_technique_takes_of_its_device_stands_in_its_row() {
    let folder = tempfile::tempdir().unwrap();
    let mut data = eventful(folder.path());
    let table = &mut data.experiment.tables[1];
    table.rows = vec!["technique".into()];
    table.techniques = vec!["serial".into(), "pv-split".into()];
    table.quantities = vec![plybench::config::Quantity::Resource("local-bytes".into())];
    table.columns = vec!["board".into()];
    table.fixed = Case(vec![("depth".into(), Value::Int(1))]);
    table.published = vec![];
    let table = tables(&data, "table-2");
    let row =
        |technique: &str, board: &str| table.row(&[("technique", technique), ("board", board)]);
    assert_eq!(row("pv-split", "8x8")["ours"], "3087");
    assert_eq!(row("pv-split", "8x8")["quantity"], "local_bytes");
    assert_eq!(row("pv-split", "16x16")["status"], "not told");
    assert_eq!(row("serial", "8x8")["status"], "no device");
}

#[test]
fn techniques_may_be_an_axis() {
    let folder = tempfile::tempdir().unwrap();
    let mut data = eventful(folder.path());
    let table = &mut data.experiment.tables[1];
    table.rows = vec!["technique".into()];
    table.techniques = vec!["serial".into(), "pv-split".into()];
    table.quantities = vec![plybench::config::Quantity::Time];
    table.columns = vec!["board".into()];
    table.fixed = Case(vec![("depth".into(), Value::Int(1))]);
    table.published = vec![];
    let table = tables(&data, "table-2");
    assert_eq!(table.len(), 4);
    let row = table.row(&[("technique", "serial"), ("board", "8x8")]);
    assert_eq!(
        (row["device"].as_str(), row["quantity"].as_str()),
        ("host", "time_ns")
    );
    assert_relative_eq!(number(row, "ours"), 1e6, max_relative = 1e-2);
    let row = table.row(&[("technique", "pv-split"), ("board", "8x8")]);
    assert_eq!(row["device"], DEVICE);
}

#[test]
fn several_devices_have_a_block_each() {
    let folder = tempfile::tempdir().unwrap();
    let mut data = eventful(folder.path());
    let second = plybench::results::DeviceRecord {
        label: "Second".into(),
        ..Default::default()
    };
    data.environment.devices.push(second);
    let mut rows: Vec<_> = data
        .measurements
        .iter()
        .filter(|row| row.technique == "pv-split")
        .cloned()
        .collect();
    for row in &mut rows {
        row.device = "Second".into();
        row.status = Status::Unsupported;
        row.reason = "no images".into();
    }
    data.measurements.extend(rows);
    let table = tables(&data, "table-2-over-serial-second");
    let row = table.row(&[("board", "16x16"), ("depth", "1")]);
    assert_eq!(
        (row["status"].as_str(), row["reason"].as_str()),
        ("unsupported", "no images")
    );
    let table = tables(&data, "table-2-over-serial-imagined-gpu-sons");
    assert_eq!(
        table.row(&[("board", "16x16"), ("depth", "1")])["status"],
        "faster"
    );
}

#[test]
fn a_ratio_of_few_samples_names_them_and_has_no_colour() {
    let folder = tempfile::tempdir().unwrap();
    let mut data = empty(folder.path());
    let at = case("8x8", 1);
    let times = |ns: u64, count: u64| -> Vec<u64> { (0..count).map(|i| ns + 1_000 * i).collect() };
    measure_times(&mut data, &at, "serial", &times(8 * MS, 6), 10);
    measure_times(&mut data, &at, "rayon", &times(6 * MS, 2), 10);
    measure_times(&mut data, &at, "pv-split", &times(2 * MS, 6), 10);
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let table = tables(&data, "table-2-over-rayon");
    let row = table.row(&[("board", "8x8"), ("depth", "1")]);
    assert_eq!((row["low"].as_str(), row["high"].as_str()), ("", ""));
    let (page, markdown) = (read("index.html"), read("report.md"));
    // Five passes of both sides are enough; two are not.
    let class = |name: &str| format!("<td class=\"{name}\" title=\"");
    let shown = |name: &str, number: &str| {
        let class = class(name);
        let cells = page.split(&class).skip(1);
        let mut cells = cells.filter_map(|cell| cell.split("</td>").next());
        cells.any(|cell| cell.ends_with(&format!(">{number}")))
    };
    assert!(shown("faster", "4.00"), "{page}");
    assert!(shown("few", "3.00†"), "{page}");
    assert!(page.contains("title=\"2 passes; over 6.00 ms\""), "{page}");
    assert!(page.contains(MARKS[0].1), "{page}");
    assert!(markdown.contains("<br>2 passes<br>over 6.00 ms |"));
    assert!(!markdown.contains("**3.00†**"), "not bold");
    assert!(markdown.contains(MARKS[0].1));
    // The same mark and the same words on the terminal.
    let text = closing_summary(&data, 120, false);
    assert!(
        text.contains("3.00†") && text.contains(MARKS[0].1),
        "{text}"
    );
    let text = closing_summary(&eventful(folder.path()), 120, false);
    assert!(!text.contains('†'), "{text}");
}
