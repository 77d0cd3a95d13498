//! Makes the commands that repeat a run.

use super::data::{RunData, distinct};
use crate::results::Invocation;
use crate::words::shell_line;

/// Returns the distinct commands of a folder's invocations, without the output folder, or `run FILE` if there are none.
pub(crate) fn of_folder(data: &RunData) -> Vec<String> {
    let mut invocations = data.environment.invocations.clone();
    if invocations.is_empty() {
        invocations.push(Invocation::default());
    }
    let shards = distinct(invocations.iter().map(|it| it.selection.shard));
    let lines = invocations.iter().map(|own| {
        let file = match own.config.as_str() {
            "" => format!("configs/{}.toml", data.experiment.name),
            file => public(file),
        };
        // The path of the program in a checkout. Recorded commands contain only its name.
        let mut words = vec!["./scripts/bench".to_owned(), "run".to_owned(), file];
        words.extend(own.selection.filter_words());
        words.extend(own.selection.option_words());
        let shard = own.selection.shard.filter(|_| shards.len() == 1);
        let shard = shard.map(|it| ["--shard".to_owned(), it.to_string()]);
        words.extend(shard.into_iter().flatten());
        shell_line(&words)
    });
    distinct(lines)
}

/// Removes hidden folders from the beginning of an experiment's path.
fn public(file: &str) -> String {
    let parts = file.split('/').skip_while(|part| part.starts_with('.'));
    parts.collect::<Vec<_>>().join("/")
}
