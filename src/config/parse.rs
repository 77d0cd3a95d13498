use std::time::Duration;

use super::cases::read_cases;
use super::error::ConfigError;
use super::raw::{RawBudget, RawExperiment, RawSampling, RawView, name, params, pick};
use super::source::{At, Checked, Document, fault, keys_of, only};
use super::techniques::read_techniques;
use super::views::read_views;
use super::{Budget, Experiment, Sampling, TechniqueChoice};
use crate::words::{Catalogue, TechniqueRecord};

/// A plan of some millions of cells takes the memory of a machine.
const MOST_CELLS: usize = 100_000;

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
    // Tables and charts have one raw struct.
    for (list, others) in [
        ("table", ["x", "series", "log"]),
        ("chart", ["rows", "columns", "unit"]),
    ] {
        let mut keys = keys_of::<RawView>();
        keys.retain(|key| !others.contains(&key.as_str()));
        for (place, view) in document.list(list).iter().enumerate() {
            let own = view.get_ref().as_table().into_iter().flatten();
            let checked = only(own.map(|(key, _)| key.get_ref()), &keys);
            document.checked(checked.at(place).at(list))?;
        }
    }
    document.checked(resolve(document.raw()?, catalogue))
}

fn resolve(raw: RawExperiment, catalogue: &Catalogue) -> Checked<Experiment> {
    let games = catalogue.games.iter().map(|game| (game.name, game));
    let game = pick(&raw.game.0, games).at("game")?;
    let tasks = game.tasks.iter().map(|task| (task.word(), *task));
    let task = pick(&raw.task.0, tasks).at("task")?;
    let options = params(&raw.options, &[], game.options).at("options")?;
    let (axes, cases) = read_cases(&raw, game, task, &options)?;
    let techniques = read_techniques(&raw, game, task, catalogue, &cases)?;
    let taken = |choice: &TechniqueChoice| cases.iter().filter(|case| choice.takes(case)).count();
    let cells: usize = techniques.iter().map(taken).sum();
    if cells > MOST_CELLS {
        let allowed = format!("cases by techniques; allowed are at most {MOST_CELLS}");
        return fault(format!("{cells} cells, {allowed}")).at("technique");
    }
    let [tables, charts] = read_views(raw.table, raw.chart, &axes, &cases, &techniques)?;
    let name = name(&raw.name.0).at("name")?;
    let mut experiment = Experiment {
        title: raw.title.map_or_else(|| name.clone(), |title| title.0),
        name,
        paper: raw.paper.map_or_else(String::new, |paper| paper.0),
        analysis: raw.analysis.map_or_else(String::new, |text| text.0),
        seed: raw.seed.unwrap_or(1),
        sampling: sampling(raw.sampling).at("sampling")?,
        budget: budget(raw.budget).at("budget")?,
        game: game.name.to_owned(),
        task,
        options,
        axes,
        cases,
        techniques,
        tables,
        charts,
    };
    experiment.read_sweeps(&raw.technique, catalogue)?;
    Ok(experiment)
}

fn sampling(raw: RawSampling) -> Checked<Sampling> {
    let base = Sampling::default();
    let most = raw.max_samples.map(|most| most.0);
    let least = base.min_samples.min(most.unwrap_or(usize::MAX));
    let min_samples = raw.min_samples.map_or(least, |least| least.0);
    let max_samples = most.unwrap_or(base.max_samples.max(min_samples));
    if max_samples < min_samples {
        let problem = format!("{max_samples} is fewer than min-samples, {min_samples}");
        return fault(problem).at("max-samples");
    }
    let positions = raw.positions.and_then(|most| most.0);
    let min_positions = raw
        .min_positions
        .map_or(base.min_positions, |least| least.0);
    if let Some(most) = positions.filter(|most| *most < min_positions) {
        let problem = format!("{min_positions} is more than positions, {most}");
        return fault(problem).at("min-positions");
    }
    Ok(Sampling {
        min_samples,
        max_samples,
        target: raw.target.map_or(base.target, |share| share.0),
        warmup: raw.warmup.map_or(base.warmup, |number| number.0),
        passes: raw.passes.map_or(base.passes, |number| number.0),
        positions,
        min_positions,
        shard: None,
    })
}

fn budget(raw: RawBudget) -> Checked<Budget> {
    let base = Budget::default();
    let total = raw.total.map_or(base.total, |time| time.0);
    let cell = raw.cell.map_or(base.cell.min(total), |time| time.0);
    let deadline = raw
        .deadline
        .map_or(Budget::deadline_for(cell), |time| time.0);
    if deadline < cell {
        let [own, cell] = [deadline, cell].map(humantime::format_duration);
        let problem = format!("{own} is less than the budget of a cell, {cell}");
        return fault(problem).at("deadline");
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
