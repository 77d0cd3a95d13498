//! The times of positions on a page.

use plybench::report::{RunData, write_from};
use plybench::words::{Case, Value};

use crate::fixture::*;

/// The section of the page, its tables' rows as lines.
fn section(data: &RunData) -> Option<String> {
    write_from(data, &data.folder).unwrap();
    let page = std::fs::read_to_string(data.folder.join("report.md")).unwrap();
    let (_, section) = page.split_once("## Position by position\n")?;
    Some(section.split("\n## ").next().unwrap().to_owned())
}

/// Gives every sample of a technique times of three positions, parts of 100 of the whole.
fn split(data: &mut RunData, technique: &str, parts: [u64; 3]) {
    let own = data.samples.iter_mut();
    for sample in own.filter(|sample| sample.technique == technique) {
        sample.positions_ns = parts.map(|part| sample.total_ns * part / 100).to_vec();
    }
}

#[test]
fn the_smallest_ratio_is_that_of_the_position_that_gains_least() {
    let folder = tempfile::tempdir().unwrap();
    let mut data = empty(folder.path());
    let mut case = case("8x8", 1);
    case.0.push(("plies".into(), Value::Text("0,3,45".into())));
    data.experiment.cases = vec![case.clone()];
    measure(&mut data, &case, "serial", 80 * MS, 10);
    measure(&mut data, &case, "rayon", 40 * MS, 10);
    measure(&mut data, &case, "pv-split", 10 * MS, 10);
    assert_eq!(section(&data), None, "no sample has times of positions");

    split(&mut data, "serial", [50, 40, 10]);
    split(&mut data, "pv-split", [20, 60, 20]);
    let shown = section(&data).unwrap();
    let row = |name: &str| {
        let mut lines = shown.lines().filter(|line| line.starts_with(name));
        let line = lines.next().unwrap_or_else(|| panic!("{shown}"));
        assert_eq!(lines.next(), None, "{name}");
        line
    };
    // 80 ms ⋅ 10 % over 10 ms ⋅ 20 %, where the whole samples' ratio is 8.
    let least = row("| pv-split on Imagined ");
    let holds = least.contains("4.00") && least.contains("after 45 plies");
    assert!(holds, "{least}");
    assert!(!least.contains("no clear ratio"), "{least}");
    assert!(row("| serial |").contains("baseline"));
    // A technique without times of positions has no row and no column.
    let head = row("| after plies | serial | pv-split on Imagined ");
    assert_eq!(head.matches('|').count(), 4, "{head}");
    assert!(row("| 3 |").contains("32.0 ms") && row("| 3 |").contains("6.00 ms"));

    // Positions that no axis names are not told one by one.
    let unnamed = Case(case.0[..2].to_vec());
    let text = case.to_string();
    data.experiment.cases = vec![unnamed.clone()];
    let of_samples = data.samples.iter_mut().map(|sample| &mut sample.case);
    let of_rows = data.measurements.iter_mut().map(|row| &mut row.case);
    for own in of_samples.chain(of_rows).filter(|own| **own == text) {
        *own = unnamed.to_string();
    }
    assert_eq!(section(&data), None);
}
