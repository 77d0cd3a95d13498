use std::path::Path;
use std::time::Duration;

use super::cases::read_cases;
use super::error::ConfigError;
use super::raw::{RawBudget, RawExperiment, RawSampling, Table, params};
use super::source::{Document, Fault, place};
use super::techniques::read_techniques;
use super::views::read_views;
use super::{Budget, Experiment, Sampling, TechniqueChoice};
use crate::words::{self, Catalogue, TechniqueRecord};

/// A plan of some millions of cells takes the memory of a machine.
const MOST_CELLS: usize = 100_000;

pub(super) fn read_text(path: &Path) -> Result<String, ConfigError> {
    let file = path.display().to_string();
    let bytes = words::read_file(path).map_err(|error| ConfigError::Read {
        file: file.clone(),
        problem: error.to_string(),
    })?;
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let text = String::from_utf8_lossy(&error.as_bytes()[..valid]);
        let place = place(&file, &text, text.len());
        ConfigError::At(format!("{place}: not text in UTF-8"))
    })
}

/// Parses an experiment file, fills in defaults and baselines, and checks names and values against the catalogue.
/// `file` is its name in errors. The error is the first fault, in one line.
pub fn parse(text: &str, file: &str, catalogue: &Catalogue) -> Result<Experiment, ConfigError> {
    experiment(&Document::parse(text, file)?, catalogue)
}

/// Reads a run folder's experiment, and the catalogue with its brought techniques. Fails as [`parse`].
pub fn parse_stored(
    text: &str,
    file: &str,
    catalogue: &Catalogue,
    techniques: &[TechniqueRecord],
) -> Result<(Experiment, Catalogue), ConfigError> {
    let document = Document::parse(text, file)?;
    let game = document
        .get("game")
        .and_then(|game| game.get_ref().as_str());
    let known = catalogue.with(game.unwrap_or_default(), techniques);
    let experiment = experiment(&document, &known)?;
    Ok((experiment, known))
}

/// As [`parse`], for a file or a table of a suite.
pub(super) fn experiment(
    document: &Document<'_>,
    catalogue: &Catalogue,
) -> Result<Experiment, ConfigError> {
    resolve(&document.raw()?, catalogue).map_err(|fault| document.error(fault))
}

fn resolve(raw: &Table<RawExperiment>, catalogue: &Catalogue) -> Result<Experiment, Fault> {
    let game = raw
        .game
        .pick(catalogue.games.iter().map(|game| (game.name, game)))?;
    let task = raw
        .task
        .pick(game.tasks.iter().map(|task| (task.word(), *task)))?;
    let options = raw.options.as_ref();
    let options = options.map_or(Ok(Default::default()), |own| params(own, &[], game.options))?;
    let (axes, cases) = read_cases(raw, game, task, &options)?;
    let techniques = read_techniques(raw, game, task, catalogue, &cases)?;
    let taken = |choice: &TechniqueChoice| cases.iter().filter(|case| choice.takes(case)).count();
    let cells: usize = techniques.iter().map(taken).sum();
    if cells > MOST_CELLS {
        let problem =
            format!("{cells} cells, cases by techniques; allowed are at most {MOST_CELLS}");
        return Err(raw.error_at("technique", problem));
    }
    let [tables, charts] = read_views(raw, &axes, &cases, &techniques)?;
    let name = &raw.name.0;
    let mut experiment = Experiment {
        name: name.clone(),
        title: raw.title.as_ref().map_or(name, |title| &title.0).clone(),
        paper: raw.paper.0.clone(),
        analysis: raw.analysis.0.clone(),
        seed: raw.seed.map_or(1, |seed| seed.0),
        sampling: raw
            .sampling
            .as_ref()
            .map_or(Ok(Sampling::default()), |own| sampling(own))?,
        budget: raw
            .budget
            .as_ref()
            .map_or(Ok(Budget::default()), |own| budget(own))?,
        game: game.name.to_owned(),
        task,
        options,
        axes,
        cases,
        techniques,
        tables,
        charts,
    };
    experiment.read_sweeps(raw, catalogue)?;
    Ok(experiment)
}

fn sampling(raw: &RawSampling) -> Result<Sampling, Fault> {
    let base = Sampling::default();
    let given = raw.max_samples.as_ref();
    let most = given.map(|most| most.get_ref().0 as usize);
    let least = base.min_samples.min(most.unwrap_or(usize::MAX));
    let min_samples = raw.min_samples.map_or(least, |least| least.0 as usize);
    if let (Some(given), Some(most)) = (given, most.filter(|most| *most < min_samples)) {
        let problem = format!("{most} is fewer than min-samples, {min_samples}");
        return Err(Fault::new(given.span(), problem));
    }
    let positions = raw.positions.as_ref().and_then(|most| most.0);
    let fewest = raw.min_positions.as_ref();
    let min_positions = fewest.map_or(base.min_positions, |least| least.get_ref().0 as usize);
    if let (Some(given), Some(most)) = (fewest, positions.filter(|most| *most < min_positions)) {
        let problem = format!("{min_positions} is more than positions, {most}");
        return Err(Fault::new(given.span(), problem));
    }
    Ok(Sampling {
        min_samples,
        max_samples: most.unwrap_or(base.max_samples.max(min_samples)),
        target: raw.target.as_ref().map_or(base.target, |share| share.0),
        warmup: raw.warmup.map_or(base.warmup, |number| number.0 as usize),
        passes: raw.passes.map_or(base.passes, |number| number.0 as usize),
        positions,
        min_positions,
        shard: None,
    })
}

fn budget(raw: &RawBudget) -> Result<Budget, Fault> {
    let base = Budget::default();
    let total = raw.total.as_ref().map_or(base.total, |time| time.0);
    let cell = raw
        .cell
        .as_ref()
        .map_or(base.cell.min(total), |time| time.0);
    let mut deadline = Budget::deadline_for(cell);
    if let Some(given) = &raw.deadline {
        deadline = given.get_ref().0;
        if deadline < cell {
            let [own, cell] = [deadline, cell].map(humantime::format_duration);
            let problem = format!("{own} is less than the budget of a cell, {cell}");
            return Err(Fault::new(given.span(), problem));
        }
    }
    Ok(Budget {
        cell,
        total,
        deadline,
    })
}

impl Default for Sampling {
    /// 5 to 1,000 samples after one untimed one, in five passes, to 5 % on each side; every position, at least one.
    fn default() -> Self {
        Self {
            min_samples: 5,
            max_samples: 1_000,
            target: 0.05,
            warmup: 1,
            passes: 5,
            positions: None,
            min_positions: 1,
            shard: None,
        }
    }
}

impl Default for Budget {
    /// 20 seconds per cell, 15 minutes per run, and the derived deadline.
    fn default() -> Self {
        let cell = Duration::from_secs(20);
        Self {
            cell,
            total: Duration::from_secs(15 * 60),
            deadline: Self::deadline_for(cell),
        }
    }
}

impl Budget {
    /// The default deadline: twice the budget of a cell and half a minute, so that only hanging workers are killed.
    fn deadline_for(cell: Duration) -> Duration {
        2 * cell + Duration::from_secs(30)
    }
}
