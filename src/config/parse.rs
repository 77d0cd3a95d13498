use serde::Deserialize;
use toml::Spanned;

use super::cases::read_cases;
use super::kinds::{check_params, line, name, pick, prose};
use super::source::{At, Checked, ConfigError, Document, fault};
use super::techniques::{RawTechnique, Reader};
use super::{Budget, Experiment, Sampling, TableSpec, TechniqueChoice};
use crate::words::{Catalogue, Params, TechniqueRecord, Value};

/// Maximum number of cells in a plan. A few million would exhaust the machine's memory.
const MOST_CELLS: usize = 100_000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawExperiment {
    name: String,
    #[serde(default, deserialize_with = "line")]
    title: String,
    #[serde(default, deserialize_with = "line")]
    paper: String,
    game: String,
    task: String,
    #[serde(default, deserialize_with = "prose")]
    analysis: String,
    seed: Option<u64>,
    pub(super) order: Option<Value>,
    #[serde(default)]
    pub(super) options: Params,
    pub(super) cases: Option<Vec<Params>>,
    #[serde(default)]
    pub(super) technique: Vec<RawTechnique>,
    /// `all` or `device`.
    pub(super) techniques: Option<String>,
    #[serde(default)]
    sampling: Sampling,
    #[serde(default)]
    budget: Budget,
    #[serde(default)]
    table: Vec<TableSpec>,
    #[serde(default)]
    chart: Vec<TableSpec>,
}

/// Parses an experiment file, fills in defaults and baselines, and checks names and values against the catalogue.
/// Errors refer to the text as `file`. Only the first fault is reported, on one line.
pub fn parse(text: &str, file: &str, catalogue: &Catalogue) -> Result<Experiment, ConfigError> {
    experiment(&Document::parse(text, file)?, catalogue)
}

/// Parses a run folder's experiment with the catalogue and the folder's techniques. Fails like [`parse`].
pub fn parse_stored(
    text: &str,
    file: &str,
    catalogue: &Catalogue,
    techniques: &[TechniqueRecord],
) -> Result<(Experiment, Catalogue), ConfigError> {
    let document = Document::parse(text, file)?;
    let known = catalogue.with(document.text_of("game").unwrap_or_default(), techniques);
    Ok((experiment(&document, &known)?, known))
}

/// Like [`parse`], for a whole file or for a table in a suite.
pub(super) fn experiment(
    document: &Document<'_>,
    catalogue: &Catalogue,
) -> Result<Experiment, ConfigError> {
    document.checked(resolve(document.raw()?, document, catalogue))
}

fn resolve(
    raw: RawExperiment,
    document: &Document<'_>,
    catalogue: &Catalogue,
) -> Checked<Experiment> {
    let budget = document.get("budget").map(Spanned::get_ref);
    let has_deadline = budget.is_some_and(|budget| budget.get("deadline").is_some());
    raw.sampling.check().at("sampling")?;
    let games = catalogue.games.iter().map(|game| (game.name, game));
    let game = pick(&raw.game, games).at("game")?;
    let tasks = game.tasks.iter().map(|task| (task.word(), *task));
    let task = pick(&raw.task, tasks).at("task")?;
    check_params(&raw.options, &[], game.options).at("options")?;
    let (axes, cases) = read_cases(&raw, game, task)?;
    let reader = Reader {
        raw: &raw,
        game,
        task,
        catalogue,
        cases: &cases,
    };
    let (techniques, swept) = reader.techniques()?;
    let taken = |choice: &TechniqueChoice| cases.iter().filter(|case| choice.takes(case)).count();
    let cells: usize = techniques.iter().map(taken).sum();
    if cells > MOST_CELLS {
        let allowed = format!("(cases times techniques); at most {MOST_CELLS} are allowed");
        return fault(format!("{cells} cells {allowed}")).at("technique");
    }
    let name = name(&raw.name).at("name")?;
    let title = Some(raw.title).filter(|it| !it.is_empty());
    let mut experiment = Experiment {
        title: title.unwrap_or_else(|| name.clone()),
        name,
        paper: raw.paper,
        analysis: raw.analysis,
        seed: raw.seed.unwrap_or(1),
        sampling: raw.sampling,
        budget: raw.budget.resolved(has_deadline).at("budget")?,
        game: game.name.to_owned(),
        task,
        options: raw.options,
        axes,
        cases,
        techniques,
        tables: Vec::new(),
        charts: Vec::new(),
    };
    experiment.tables = experiment.resolved(raw.table, false, &swept).at("table")?;
    experiment.charts = experiment.resolved(raw.chart, true, &swept).at("chart")?;
    Ok(experiment)
}
