//! Launch and transfer times of a device, as a user measures them.

use plybench::peaks::QUANTITIES;
use plybench::results::{self, PeakRow};
use plybench::words::Status;

use super::place::{Place, changed, ended};
use crate::needed::devices;

const ONE_CELL: &str = r#"
name = "one"
title = "One cell"
game = "reversi"
task = "search"

[[cases]]
board = "4x4"
depth = 2

[[technique]]
name = "pv-split"
"#;

fn assert_measured(rows: &[PeakRow]) {
    let names: Vec<&str> = rows.iter().map(|row| row.quantity.as_str()).collect();
    assert_eq!(names, QUANTITIES.map(|quantity| quantity.name));
    for row in rows {
        let (status, reason) = (row.status, row.reason.as_str());
        assert_eq!((status, reason), (Status::Ok, ""), "{row:?}");
        let (value, low, high) = (row.value.unwrap(), row.low.unwrap(), row.high.unwrap());
        assert!(0.0 < low && low <= value && value <= high, "{row:?}");
        assert!(row.samples >= 5 && !row.launch.is_empty(), "{row:?}");
    }
    // This order holds on any device, with a margin for a busy machine.
    assert!(rows[1].value < rows[0].value.map(|ns| 3.0 * ns));
}

#[test]
fn a_run_stores_them_once_and_its_report_compares_cells_with_them() {
    let Some(_devices) = devices() else { return };
    let place = Place::new(ONE_CELL);
    let run = ["run", "tiny.toml", "--out", "run"];
    ended(place.command(&run).env("PLYBENCH_MEASURE", "on")).ends(0);
    let folder = place.path().join("run");
    let read = || results::read_peaks(&folder, &mut Vec::new()).unwrap();
    let rows = read().expect("the run stores them");
    assert_measured(&rows);
    let page = std::fs::read_to_string(folder.join("report.md")).unwrap();
    let part = "The least times are those of `peaks.csv`";
    assert!(page.contains(part), "{page}");
    ended(place.command(&run).env("PLYBENCH_MEASURE", "on")).ends(0);
    assert_eq!(read(), Some(rows));
}

#[test]
fn wrong_results_have_no_number() {
    let Some(_devices) = devices() else { return };
    let place = Place::new(ONE_CELL);
    let kernels = place.path().join("kernels");
    let right = "to[at] = from[at];";
    changed(&kernels, "peaks/peaks.cl", right, "to[at] = from[at] + 1u;");
    let run = ["run", "tiny.toml", "--out", "run", "--kernels", "kernels"];
    ended(place.command(&run).env("PLYBENCH_MEASURE", "on")).ends(0);
    let rows = results::read_peaks(&place.path().join("run"), &mut Vec::new());
    for row in rows.unwrap().unwrap() {
        let is_wrong = row.quantity == "copy";
        assert_eq!(row.status == Status::Mismatch, is_wrong, "{row:?}");
        assert_eq!(row.value.is_none(), is_wrong, "{row:?}");
        let names_it = row.reason.starts_with("copy: word 0 is 0x");
        assert_eq!(names_it, is_wrong, "{row:?}");
    }
}
