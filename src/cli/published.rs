//! The papers' numbers and claims about an experiment.

use std::path::{Path, PathBuf};

use anyhow::Context;

use super::exit::Failure;
use crate::config::{Claim, Claims, Experiment};
use crate::report::complexity;
use crate::{results, words};

/// Copies the papers' numbers that the experiment's tables name, those of complexity and the papers' claims, into the
/// run folder, so that a report can be made again anywhere.
pub fn copy(experiment: &Experiment, config: &Path, folder: &Path) -> Result<(), Failure> {
    let claims = Claims::file_of(&experiment.game);
    let complexity = complexity::file_of(&experiment.game);
    let of_game = [claims.as_str(), complexity.as_str()];
    for name in experiment.published().into_iter().chain(of_game) {
        let Some(from) = file(config, name) else {
            continue;
        };
        let bytes = words::read_file(&from)
            .with_context(|| format!("{}: cannot be read", from.display()))
            .map_err(Failure::files)?;
        // Folder by folder: none of them may be a link.
        let mut to = folder.join("published");
        for part in Path::new(name) {
            results::make_folder(&to).map_err(Failure::files)?;
            to.push(part);
        }
        results::write_atomically(&to, &bytes).map_err(Failure::files)?;
    }
    Ok(())
}

/// A file of `reports/published`, beside the experiment's folder or the working one.
pub fn file(config: &Path, name: &str) -> Option<PathBuf> {
    let folder = Path::new("reports/published");
    let beside = config.parent().unwrap_or(Path::new(".")).join("..");
    let places = [beside.join(folder).join(name), folder.join(name)];
    places.into_iter().find(|path| path.exists())
}

/// The paper's claims about an experiment. A mistake in their file is told by `bench check` and the report.
pub fn claims_about(experiment: &Experiment, config: &Path) -> Vec<Claim> {
    let file = file(config, &Claims::file_of(&experiment.game));
    let claims = file.and_then(|file| Claims::read(&file, None).ok());
    let mut claims = claims.unwrap_or_default().claims;
    claims.retain(|claim| claim.experiment == experiment.name);
    claims
}
