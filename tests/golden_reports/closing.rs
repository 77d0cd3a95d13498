//! Tests the table that a run prints when it ends.

use std::path::Path;

use plybench::report::{RunData, analyse, closing_summary};
use plybench::techniques::registry;

use super::ROOT;
use super::golden_file::check;

/// Runs with two devices, with rates, and with match scores.
const RUNS: [&str; 3] = [
    "2-core-xeon/connect-four",
    "nvidia-h200/checkers",
    "nvidia-h200-2026-11-25/matches-reversi",
];
const WIDTH: usize = 100;

#[test]
fn keeps_the_closing_tables_of_three_runs() {
    for run in RUNS {
        let data = RunData::read(
            &Path::new(ROOT).join("reports").join(run),
            &registry::catalogue(),
        );
        let text = closing_summary(&analyse(data.unwrap()), WIDTH, false);
        // The last line has the path of the folder.
        let lines: Vec<&str> = text.lines().collect();
        let (last, lines) = lines.split_last().unwrap();
        assert!(last.starts_with("report: "), "{last}");
        let found = lines.join("\n") + "\n";

        let name = format!("golden_reports/closing/{}.txt", run.replace('/', "-"));
        let by_line = |text: &str| {
            let lines = (1..).zip(text.lines());
            lines
                .map(|(number, line)| (format!("line {number:03}"), line.to_owned()))
                .collect()
        };
        check(&name, &found, by_line);
    }
}
