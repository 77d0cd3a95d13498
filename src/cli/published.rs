//! Finds a paper's numbers and claims, and copies them into run folders.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use super::built_in;
use super::exit::Failure;
use crate::config::{Claims, Experiment};
use crate::report::complexity_file;
use crate::results::{self, ResultsError};
use crate::words;

/// Copies the paper's numbers, complexities and claims into the run folder, so that reports need no checkout.
pub fn copy(experiment: &Experiment, config: &Path, folder: &Path) -> Result<(), Failure> {
    let claims = Claims::file_of(&experiment.game);
    let complexity = complexity_file(&experiment.game);
    let of_game = [claims.as_str(), complexity.as_str()];
    for name in experiment.published().into_iter().chain(of_game) {
        let Some((_, bytes)) = file(experiment, config, name)? else {
            continue;
        };
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

/// A file's path and contents.
type Found = (PathBuf, Cow<'static, [u8]>);

/// Finds a file of `reports/published` beside the experiment's folder, in the working directory or in the program.
fn file(experiment: &Experiment, config: &Path, name: &str) -> Result<Option<Found>, Failure> {
    let file = Path::new("reports/published").join(name);
    let beside = config.parent().unwrap_or(Path::new(".")).join("..");
    let mut paths = [beside.join(&file), file.clone()].into_iter();
    let Some(path) = paths.find(|path| path.exists()) else {
        return Ok(built_in::published(&experiment.name, name).map(|bytes| (file, bytes.into())));
    };
    let bytes = words::read_file(&path).map_err(ResultsError::io("read", &path))?;
    Ok(Some((path, bytes.into())))
}

/// Returns the paper's claims about an experiment. Prints the mistakes in the file and also returns them.
pub fn claims_about(experiment: &Experiment, config: &Path) -> Claims {
    let found = file(experiment, config, &Claims::file_of(&experiment.game));
    let mut all = match found {
        Ok(Some((path, bytes))) => {
            let text = String::from_utf8_lossy(&bytes);
            Claims::parse(&text, &path.display().to_string())
        }
        _ => Claims::default(),
    };
    for mistake in &all.mistakes {
        eprintln!("bench: {mistake}");
    }
    all.claims.retain(|it| it.experiment == experiment.name);
    all
}
