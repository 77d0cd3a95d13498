//! The table that a run prints at its end.

use std::path::Path;

use plybench::report::{RunData, analyse, closing_summary};
use plybench::techniques::registry;

use super::ROOT;
use super::golden::is_blessed;

/// Two devices and the paper's numbers; rates; scores of matches.
const RUNS: [&str; 3] = [
    "2-core-epyc-zen3/connect-four",
    "nvidia-h200/checkers",
    "nvidia-h200-2026-11-25/matches-reversi",
];
/// Columns of the terminal.
const WIDTH: usize = 100;

#[test]
fn keeps_the_closing_tables_of_three_runs() {
    for run in RUNS {
        let data = RunData::read(
            &Path::new(ROOT).join("reports").join(run),
            &registry::catalogue(),
        );
        let text = closing_summary(&analyse(data.unwrap()), WIDTH, false);
        // The last line has the folder's path.
        let lines: Vec<&str> = text.lines().collect();
        let (last, lines) = lines.split_last().unwrap();
        assert!(last.starts_with("report: "), "{last}");
        let found = lines.join("\n") + "\n";

        let name = format!("tests/golden_reports/closing/{}.txt", run.replace('/', "-"));
        let path = Path::new(ROOT).join(&name);
        if is_blessed() {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, &found).unwrap();
        }
        let frozen = std::fs::read_to_string(&path).unwrap_or_default();
        let [one, other] = [&frozen, &found].map(|text| text.lines().collect::<Vec<_>>());
        let at = (0..one.len().max(other.len())).find(|at| one.get(*at) != other.get(*at));
        if let Some(at) = at {
            let (expected, found) = (one.get(at), other.get(at));
            panic!("{name}:{}: expected {expected:?}, found {found:?}", at + 1);
        }
    }
}
