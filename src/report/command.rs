//! The commands that repeat a run or a single cell.

use std::collections::HashSet;

use super::analysis::CellResult;
use super::data::{RunData, distinct, is_device};
use crate::results::MeasurementRow;
use crate::words::shell_line;

/// The name of the program in a checkout. Recorded commands have the bare name.
const PROGRAM: &str = "./scripts/bench";

/// Repeats one cell with its baselines: `./scripts/bench run FILE --technique '^pv-split$' --case board=8x8`.
pub(crate) fn of_cell(data: &RunData, cell: &CellResult) -> String {
    let mut words = of_run(data, cell.row.as_ref());
    let mut add = |option: &str, value: String| words.extend([option.to_owned(), value]);
    // A label consists of letters, digits, `-`, `_` and `.`.
    add(
        "--technique",
        format!("^{}$", cell.technique.replace('.', r"\.")),
    );
    for (axis, value) in &cell.case.0 {
        add("--case", format!("{axis}={value}"));
    }
    if is_device(&cell.device) {
        add("--device", cell.device.clone());
    }
    shell_line(&words)
}

/// The distinct commands that made the folder, without the output folder. Without invocations: the plain command.
pub(crate) fn of_folder(data: &RunData) -> Vec<String> {
    let invocations = &data.environment.invocations;
    let shards = invocations.iter().map(|it| &it.selection.shard);
    let is_merged = shards.collect::<HashSet<_>>().len() > 1;
    let lines = invocations.iter().map(|own| {
        let selection = &own.selection;
        let mut words = vec![PROGRAM.to_owned(), "run".to_owned(), public(&own.config)];
        words.extend(selection.filter_words());
        words.extend(selection.option_words());
        let shard = selection.shard.filter(|_| !is_merged);
        let shard = shard.map(|it| ["--shard".to_owned(), it.to_string()]);
        words.extend(shard.into_iter().flatten());
        shell_line(&words)
    });
    match distinct(lines) {
        none if none.is_empty() => vec![shell_line(&of_run(data, None))],
        lines => lines,
    }
}

/// Program, experiment and options of the invocation of the row or, without a row, of the last one.
fn of_run(data: &RunData, row: Option<&MeasurementRow>) -> Vec<String> {
    let environment = &data.environment;
    let own = row.and_then(|row| environment.invocation(&row.invocation));
    let own = own.or(environment.invocations.last());
    let name = &data.experiment.name;
    let file = own.map(|own| &own.config).filter(|file| !file.is_empty());
    let file = file.map_or_else(|| format!("configs/{name}.toml"), |file| public(file));
    let mut words = vec![PROGRAM.to_owned(), "run".to_owned(), file];
    let selection = own.map(|own| own.selection.clone()).unwrap_or_default();
    words.extend(selection.option_words());
    words
}

/// An experiment's path without the hidden folders at its beginning.
fn public(file: &str) -> String {
    let parts = file.split('/').skip_while(|part| part.starts_with('.'));
    parts.collect::<Vec<_>>().join("/")
}
