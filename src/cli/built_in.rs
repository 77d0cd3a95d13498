//! Experiments, papers' numbers and scores that are built into the program, so that it runs without a checkout.

use std::path::Path;
use std::sync::OnceLock;

use include_dir::Dir;

use super::session::Chosen;
use crate::config::{self, ConfigError};
use crate::words::Catalogue;

/// The built-in files.
#[derive(Clone, Copy, Debug)]
pub struct BuiltIn {
    /// The folder `configs`.
    pub configs: &'static Dir<'static>,
    /// The folder `reports/published`.
    pub published: &'static Dir<'static>,
    /// The rates of the committed scores, `reports/scores.csv`.
    pub scores: &'static str,
}

static BUILT_IN: OnceLock<BuiltIn> = OnceLock::new();

/// Sets the built-in files. Call it once, before any other function of this module.
pub fn set(files: BuiltIn) {
    BUILT_IN.get_or_init(|| files);
}

pub fn scores() -> &'static str {
    BUILT_IN.get().map_or("", |it| it.scores)
}

/// Returns a file of `reports/published`, if a built-in experiment has this name. Modified copies keep the name.
pub fn published(experiment: &str, name: &str) -> Option<&'static [u8]> {
    let line = format!("name = \"{experiment}\"");
    let mut texts = files().map(|(_, text)| text);
    let is_ours = texts.any(|text| text.lines().any(|own| own == line));
    let file = BUILT_IN.get()?.published.get_file(name)?;
    is_ours.then(|| file.contents())
}

/// Returns the path and the text of each built-in experiment file, sorted by name.
fn files() -> impl Iterator<Item = (&'static Path, &'static str)> {
    let files = BUILT_IN.get().into_iter();
    let files = files.flat_map(|it| it.configs.files());
    files.filter_map(|it| Some((it.path(), it.contents_utf8()?)))
}

/// Returns the names of the built-in experiment files, such as `reversi`.
pub fn names() -> Vec<String> {
    let stems = files().filter_map(|it| it.0.file_stem());
    stems.map(|it| it.to_string_lossy().into_owned()).collect()
}

fn find(name: &str) -> Option<(&'static Path, &'static str)> {
    files().find(|(path, _)| path.file_stem().is_some_and(|it| it == name))
}

/// Loads the experiments in the built-in file with this name. `reversi:NAME` loads only one of them.
pub fn experiments(argument: &str, catalogue: &Catalogue) -> Result<Vec<Chosen>, ConfigError> {
    let mut parts = argument.splitn(2, ':');
    let (name, member) = (parts.next().unwrap_or_default(), parts.next());
    let Some((path, text)) = find(name) else {
        let allowed = config::allowed(name, names());
        let problem = "is no file and no built-in experiment";
        return Err(ConfigError::At(format!("{name}: {problem}; {allowed}")));
    };
    config::load_text(&Path::new("configs").join(path), member, text, catalogue)
}

/// Loads an experiment file, or a built-in one by its name if there is no such file.
pub fn load(argument: &Path, catalogue: &Catalogue) -> Result<Vec<Chosen>, ConfigError> {
    match name_in(argument) {
        Some(name) => experiments(name, catalogue),
        None => config::load(argument, catalogue),
    }
}

/// Returns the text of an experiment file or a built-in one.
pub fn text(argument: &Path) -> Result<String, ConfigError> {
    let name = name_in(argument).and_then(|it| it.split(':').next());
    match name.and_then(find) {
        Some((_, text)) => Ok(text.to_owned()),
        None => config::read_text(argument),
    }
}

/// Returns the argument if it looks like a built-in name and no such file exists.
fn name_in(argument: &Path) -> Option<&str> {
    let text = argument.to_str()?;
    (!argument.exists() && !text.contains(['/', '\\', '.'])).then_some(text)
}
