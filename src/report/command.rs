//! Makes the commands that repeat a run or a single cell.

use super::analysis::CellResult;
use super::data::{RunData, distinct, is_device};
use crate::results::Invocation;
use crate::words::shell_line;

/// The path of the program in a checkout. Recorded commands contain only its name.
const PROGRAM: &str = "./scripts/bench";

/// Repeats one cell with its baselines: `./scripts/bench run FILE --technique '^pv-split$' --case board=8x8`.
pub(crate) fn of_cell(data: &RunData, cell: &CellResult) -> String {
    let environment = &data.environment;
    let row = cell.row.as_ref();
    let own = row.and_then(|row| environment.invocation(&row.invocation));
    let own = own.or(environment.invocations.last()).cloned();
    let own = own.unwrap_or_default();
    let mut words = run(data, &own);
    words.extend(own.selection.option_words());
    let mut add = |option: &str, value: String| words.extend([option.to_owned(), value]);
    // A label consists of letters, digits, `-`, `_` and `.`.
    let label = cell.technique.replace('.', r"\.");
    add("--technique", format!("^{label}$"));
    for (axis, value) in &cell.case.0 {
        add("--case", format!("{axis}={value}"));
    }
    if is_device(&cell.device) {
        add("--device", cell.device.clone());
    }
    shell_line(&words)
}

/// Returns the distinct commands of a folder's invocations without the output folder, or `run FILE` without invocations.
pub(crate) fn of_folder(data: &RunData) -> Vec<String> {
    let mut invocations = data.environment.invocations.clone();
    if invocations.is_empty() {
        invocations.push(Invocation::default());
    }
    let shards = distinct(invocations.iter().map(|it| it.selection.shard));
    let lines = invocations.iter().map(|own| {
        let mut words = run(data, own);
        words.extend(own.selection.filter_words());
        words.extend(own.selection.option_words());
        let shard = own.selection.shard.filter(|_| shards.len() == 1);
        let shard = shard.map(|it| ["--shard".to_owned(), it.to_string()]);
        words.extend(shard.into_iter().flatten());
        shell_line(&words)
    });
    distinct(lines)
}

/// Returns the words for the program, `run` and the experiment's file.
fn run(data: &RunData, own: &Invocation) -> Vec<String> {
    let file = match own.config.as_str() {
        "" => format!("configs/{}.toml", data.experiment.name),
        file => public(file),
    };
    vec![PROGRAM.to_owned(), "run".to_owned(), file]
}

/// Removes hidden folders from the beginning of an experiment's path.
fn public(file: &str) -> String {
    let parts = file.split('/').skip_while(|part| part.starts_with('.'));
    parts.collect::<Vec<_>>().join("/")
}
