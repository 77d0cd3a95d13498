//! A paper's numbers and claims for an experiment.

use std::path::{Path, PathBuf};

use anyhow::Context;

use super::exit::Failure;
use crate::config::{Claims, Experiment};
use crate::report::complexity_file;
use crate::{results, words};

/// Copies the paper's numbers, complexities and claims into the run folder, so that reports need no checkout.
pub fn copy(experiment: &Experiment, config: &Path, folder: &Path) -> Result<(), Failure> {
    let claims = Claims::file_of(&experiment.game);
    let complexity = complexity_file(&experiment.game);
    let of_game = [claims.as_str(), complexity.as_str()];
    for name in experiment.published().into_iter().chain(of_game) {
        let Some(from) = file(config, name) else {
            continue;
        };
        let bytes = words::read_file(&from);
        let bytes = bytes.with_context(|| format!("{}: cannot be read", from.display()));
        let bytes = bytes.map_err(Failure::files)?;
        // Creates one folder at a time, because none of them may be a link.
        let mut to = folder.join("published");
        for part in Path::new(name) {
            results::make_folder(&to)?;
            to.push(part);
        }
        results::write_atomically(&to, &bytes)?;
    }
    Ok(())
}

/// Finds a file of `reports/published`, next to the experiment's folder or in the working directory.
fn file(config: &Path, name: &str) -> Option<PathBuf> {
    let file = Path::new("reports/published").join(name);
    let beside = config.parent().unwrap_or(Path::new(".")).join("..");
    [beside.join(&file), file]
        .into_iter()
        .find(|path| path.exists())
}

/// The paper's claims about an experiment. Prints the mistakes in the file and returns them.
pub fn claims_about(experiment: &Experiment, config: &Path) -> Claims {
    let file = file(config, &Claims::file_of(&experiment.game));
    let read = file.and_then(|file| Claims::read(&file).ok());
    let mut all = read.unwrap_or_default();
    for mistake in &all.mistakes {
        eprintln!("bench: {mistake}");
    }
    all.claims.retain(|it| it.experiment == experiment.name);
    all
}
