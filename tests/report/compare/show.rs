//! Tests a comparison as text and as JSON.

use super::*;

#[test]
fn cells_of_one_side_and_cells_without_an_answer_are_counted_and_named() {
    let mut runs = Runs::new();
    let at = case("16x16", 1);
    runs.b
        .measurements
        .retain(|row| row.cell.case != at.to_string() || row.cell.technique != "serial");
    measure(&mut runs.b, &case("16x16", 2), "serial", MS, 1);
    let row = row_at(&mut runs.b, &case("8x8", 1), "pv-split");
    (row.status, row.reason) = (Status::Crashed, "signal 11".into());
    let comparison = runs.compare(Options::default());
    assert_eq!(comparison.only.each_ref().map(Vec::len), [1, 1]);
    assert_eq!(comparison.only[0][0].technique, "serial");
    assert_eq!(comparison.only[1][0].case, "board=16x16 depth=2");
    assert_eq!(comparison.common.len(), 8);
    let text = comparison.text(200, false);
    for line in [
        "only in A: 1 cell\n",
        "only in B: 1 cell\n",
        "3 cells (1 × A ok, B crashed; 1 × A mismatch, B mismatch; 1 × A skipped, B skipped)",
        "(--json lists them)",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    let named = comparison.json()["incomparable"].to_string();
    assert!(named.contains("B is crashed: signal 11"), "{named}");
}

#[test]
fn the_text_is_a_table_that_fits_its_terminal() {
    let mut runs = Runs::new();
    scale(&mut runs.b, &case("16x16", 1), "pv-split", 1.1);
    let comparison = runs.compare(gate(0.05));
    let text = comparison.text(160, false);
    let row = text
        .lines()
        .find(|line| line.starts_with("board=16x16 depth=1  pv-split"))
        .unwrap();
    let holds = !row.contains(DEVICE);
    assert!(holds, "rows of a single device do not name it: {row}");
    let narrow = comparison.text(75, false);
    let row_without_costs = narrow
        .lines()
        .find(|line| line.starts_with("board=16x16 depth=1  pv-split"))
        .unwrap();
    assert!(row_without_costs.contains("pv-split   1.100"), "{narrow}");
    let holds = row.contains("10.0 ms  11.0 ms  1.100  1.0") && row.ends_with("slower");
    assert!(holds, "{row}");
    let part = "10 cells of reversi in both: 0 faster, 1 slower, 9 same, 0 unclear\n";
    assert!(text.contains(part), "{text}");
    let part = "significantly slower, by more than 5.0 %:\n";
    assert!(text.contains(part), "{text}");
    let last = text.lines().last().unwrap();
    let holds = last.starts_with(&format!(
        "  board=16x16 depth=1, pv-split on {DEVICE}: 1.100 ("
    ));
    assert!(holds, "{last}");
    assert!(!text.contains('\x1b'));
    assert!(comparison.text(160, true).contains("\x1b[31mslower"));
    assert!(
        runs.compare(gate(0.5))
            .text(160, false)
            .ends_with("no technique and no cell in both is slower by more than 50.0 %\n")
    );
    for width in [40, 60, 80, 100, 160] {
        let text = comparison.text(width, false);
        let folders = |line: &&str| !line.starts_with("A ") && !line.starts_with("B ");
        for line in text.lines().filter(folders) {
            assert!(line.chars().count() <= width, "{width}: {line}");
        }
    }
}
