//! Tests the numbers of a report, which are read from its CSV files.

use approx::assert_relative_eq;
use plybench::config::TechniqueChoice;
use plybench::report::MARKS;
use plybench::words::{Task, Value};

use crate::fixture::*;

#[test]
fn an_experiment_without_tables_has_one_of_each_techniques_time() {
    let (_folder, mut data) = fresh(eventful);
    data.experiment.tables.clear();
    data.experiment.charts.clear();
    let table = tables(&data, "of-each-technique");
    let at = [("technique", "serial"), ("board", "16x16"), ("depth", "1")];
    let row = table.row(&at);
    assert_eq!(row["quantity"], "time_per_unit_ns");
    let units = data.measurements.iter().find(|row| {
        (row.cell.case.as_str(), row.cell.technique.as_str()) == ("board=16x16 depth=1", "serial")
    });
    let expected = 40e6 / units.unwrap().units as f64;
    assert_relative_eq!(number(row, "ours"), expected, max_relative = 1e-2);
}

#[test]
fn every_missing_cell_says_why() {
    let (folder, data) = fresh(eventful);
    let table = tables(&data, "table-2-over-rayon");
    assert_eq!(table.len(), 6);
    let why = |board, depth| {
        let row = table.row(&[("board", board), ("depth", depth)]);
        assert_eq!(row["ours"], "");
        (row["status"].clone(), row["reason"].clone())
    };
    let text = |a: &str, b: &str| (a.to_owned(), b.to_owned());
    let found = why("8x8", "3");
    assert_eq!(found, text("skipped", "budget 60 s, predicted 310 s"));
    assert_eq!(why("16x16", "2"), text("not measured", ""));
    assert_eq!(why("16x16", "3"), text("not in this experiment", ""));
    let wrong = "rayon is mismatch: position 3: value 5, not 7";
    assert_eq!(why("8x8", "2"), text("no baseline", wrong));

    let mut data = eventful(folder.path());
    rows_of(&mut data, "pv-split").for_each(|row| row.units = 16);
    let table = tables(&data, "table-2-over-serial");
    let row = table.row(&[("board", "16x16"), ("depth", "1")]);
    assert_eq!((&*row["status"], &*row["ours"]), ("different work", ""));
    assert_eq!(row["reason"], "16 positions, its baseline 60");
}

/// The device plays ten times as many playouts, in a quarter of the time.
#[test]
fn playouts_are_compared_each() {
    let (_folder, mut data) = fresh(eventful);
    data.experiment.task = Task::Playouts;
    rows_of(&mut data, "pv-split").for_each(|row| row.units = 600);
    let table = tables(&data, "table-2-over-serial");
    let row = table.row(&[("board", "16x16"), ("depth", "1")]);
    assert_relative_eq!(number(row, "ours"), 40.0, max_relative = 1e-3);
}

/// Hybrid techniques never lose to the host, so the answer uses only techniques that need no help from the host.
#[test]
fn the_answer_is_of_the_device_without_the_hosts_help() {
    let folder = tempfile::tempdir().unwrap();
    let hybrid = |choice: &mut TechniqueChoice| {
        let on = Value::Text("on".into());
        choice.params.insert("hybrid".into(), on);
    };
    let mut data = eventful(folder.path());
    let mut helped = data.experiment.techniques[2].clone();
    helped.label = "hybrid".into();
    hybrid(&mut helped);
    data.experiment.techniques.push(helped);
    measure(&mut data, &case("8x8", 1), "hybrid", 100_000, 100);
    let page = markdown(&data);
    assert!(page.contains("slower in 1 (largest: "), "{page}");
    let mut data = eventful(folder.path());
    hybrid(&mut data.experiment.techniques[2]);
    let page = markdown(&data);
    let said = "in 2 of 4 cases (largest: 2.00x, ";
    assert!(page.contains(said), "{page}");
}

#[test]
fn a_ratio_of_few_samples_names_them_and_has_no_colour() {
    let (folder, mut data) = fresh(empty);
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
    // Five passes on each side are enough for an interval, but two are not.
    let class = |name: &str| format!("<td class=\"{name}\" title=\"");
    let shown = |name: &str, number: &str| {
        let class = class(name);
        let cells = page.split(&class).skip(1);
        let mut cells = cells.filter_map(|cell| cell.split("</td>").next());
        cells.any(|cell| cell.ends_with(&format!(">{number}")))
    };
    assert!(shown("faster", "4.00"), "{page}");
    assert!(shown("few", "3.00†"), "{page}");
    assert!(page.contains("title=\"2 passes; over 6.00 ms"), "{page}");
    assert!(page.contains(MARKS[0].1), "{page}");
    assert!(markdown.contains("<br>2 passes<br>over 6.00 ms"));
    assert!(!markdown.contains("**3.00†**"), "not bold");
    assert!(markdown.contains(MARKS[0].1));
    // The terminal must show the same mark and the same words.
    let text = closing(&data, 120, false);
    let holds = text.contains("3.00†") && text.contains(MARKS[0].1);
    assert!(holds, "{text}");
    let text = closing(&eventful(folder.path()), 120, false);
    assert!(!text.contains('†'), "{text}");
}
