use std::path::Path;
use std::time::Duration;

use toml::Spanned;
use toml::de::DeTable;

use super::cases::read_cases;
use super::error::ConfigError;
use super::reader::{Item, Source, Table, read_params};
use super::techniques::read_techniques;
use super::views::read_views;
use super::{Budget, Experiment, Sampling, TechniqueChoice};
use crate::words::{self, Catalogue, Task, TechniqueRecord};

/// A plan of some millions of cells takes the memory of a machine.
const MOST_CELLS: usize = 100_000;
const MOST_SAMPLES: u64 = 1_000_000;
/// Untimed samples come in one answer of a worker, which has a limited length.
const MOST_WARMUP: u64 = 1_000;
/// More passes add nothing, and their workers' starts cost more than their samples.
const MOST_PASSES: u64 = 100;

pub(super) const KEYS: [&str; 16] = [
    "name",
    "title",
    "paper",
    "game",
    "task",
    "analysis",
    "seed",
    "order",
    "options",
    "cases",
    "technique",
    "techniques",
    "sampling",
    "budget",
    "table",
    "chart",
];

pub(super) fn read_text(path: &Path) -> Result<String, ConfigError> {
    let file = path.display().to_string();
    let bytes = words::read_file(path).map_err(|error| ConfigError::Read {
        file: file.clone(),
        problem: error.to_string(),
    })?;
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let text = String::from_utf8_lossy(&error.as_bytes()[..valid]);
        let source = Source {
            file: &file,
            text: &text,
        };
        source.error(text.len(), "", "not text in UTF-8")
    })
}

/// Parses an experiment file, fills in defaults and baselines, and checks names and values against the catalogue.
/// `file` is its name in errors. The error is the first fault, in one line.
pub fn parse(text: &str, file: &str, catalogue: &Catalogue) -> Result<Experiment, ConfigError> {
    let source = Source { file, text };
    let document = document(source)?;
    parse_table(&Table::root(source, document.get_ref()), catalogue)
}

/// Reads a run folder's experiment, and the catalogue with its brought techniques. Fails as [`parse`].
pub fn parse_stored(
    text: &str,
    file: &str,
    catalogue: &Catalogue,
    techniques: &[TechniqueRecord],
) -> Result<(Experiment, Catalogue), ConfigError> {
    let source = Source { file, text };
    let document = document(source)?;
    let game = document.get_ref().get("game");
    let game = game.and_then(|game| game.get_ref().as_str());
    let known = catalogue.with(game.unwrap_or_default(), techniques);
    let experiment = parse_table(&Table::root(source, document.get_ref()), &known)?;
    Ok((experiment, known))
}

pub(super) fn document(source: Source<'_>) -> Result<Spanned<DeTable<'_>>, ConfigError> {
    DeTable::parse(source.text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        let message: Vec<&str> = error.message().lines().collect();
        source.error(at, "", format!("not TOML: {}", message.join("; ")))
    })
}

/// As [`parse`], for a file or a table of a suite.
pub(super) fn parse_table(
    root: &Table<'_>,
    catalogue: &Catalogue,
) -> Result<Experiment, ConfigError> {
    root.only(&KEYS)?;

    let game_item = root.need("game")?;
    let games: Vec<&str> = catalogue.games.iter().map(|game| game.name).collect();
    let game_name = game_item.one_of(&games)?;
    let Some(game) = catalogue.game(game_name) else {
        return Err(game_item.error("not in the catalogue"));
    };
    let task_item = root.need("task")?;
    let words: Vec<&str> = game.tasks.iter().map(|task| task.word()).collect();
    let task_word = task_item.one_of(&words)?;
    let Some(task) = Task::ALL.into_iter().find(|task| task.word() == task_word) else {
        return Err(task_item.error("not a task"));
    };

    let options = root.read("options", |item| {
        read_params(&item.table()?, &[], game.options)
    })?;
    let options = options.unwrap_or_default();
    let (axes, cases) = read_cases(root, game, task, &options)?;
    let techniques = read_techniques(root, game, task, catalogue, &cases)?;
    let taken = |choice: &TechniqueChoice| cases.iter().filter(|case| choice.takes(case)).count();
    let cells: usize = techniques.iter().map(taken).sum();
    if cells > MOST_CELLS {
        let problem =
            format!("{cells} cells, cases by techniques; allowed are at most {MOST_CELLS}");
        return Err(root.error_at_key("technique", problem));
    }
    let name = root.need("name")?.name()?.to_owned();
    let [tables, charts] = read_views(root, &axes, &cases, &techniques)?;
    let budget = root.read("budget", read_budget)?.unwrap_or_default();
    let mut experiment = Experiment {
        title: root.line_or("title", &name)?,
        paper: root.line_or("paper", "")?,
        analysis: root.text("analysis")?,
        seed: root
            .read("seed", |item| item.whole(0..=u64::MAX))?
            .unwrap_or(1),
        sampling: root.read("sampling", read_sampling)?.unwrap_or_default(),
        game: game.name.to_owned(),
        name,
        task,
        options,
        axes,
        cases,
        techniques,
        budget,
        tables,
        charts,
    };
    experiment.read_sweeps(root, catalogue)?;
    Ok(experiment)
}

fn read_sampling(item: &Item<'_>) -> Result<Sampling, ConfigError> {
    let mut sampling = Sampling::default();
    let table = item.table()?;
    table.only(&[
        "min-samples",
        "max-samples",
        "target",
        "warmup",
        "passes",
        "positions",
        "min-positions",
    ])?;
    let count = |key: &str, least: u64, most: u64, number: &mut usize| {
        let given = table.read(key, |item| item.whole(least..=most))?;
        *number = given.map_or(*number, |given| given as usize);
        Ok(given.is_some())
    };
    let has_fewest = count("min-samples", 1, MOST_SAMPLES, &mut sampling.min_samples)?;
    if has_fewest {
        sampling.max_samples = sampling.max_samples.max(sampling.min_samples);
    }
    if count("max-samples", 1, MOST_SAMPLES, &mut sampling.max_samples)? && !has_fewest {
        sampling.min_samples = sampling.min_samples.min(sampling.max_samples);
    }
    if sampling.max_samples < sampling.min_samples {
        let (most, least) = (sampling.max_samples, sampling.min_samples);
        let problem = format!("{most} is fewer than min-samples, {least}");
        return Err(table.need("max-samples")?.error(problem));
    }
    let target = table.read("target", Item::share)?;
    sampling.target = target.unwrap_or(sampling.target);
    count("warmup", 0, MOST_WARMUP, &mut sampling.warmup)?;
    count("passes", 1, MOST_PASSES, &mut sampling.passes)?;
    sampling.positions = table.read("positions", read_positions)?.flatten();
    let fewest = &mut sampling.min_positions;
    if count("min-positions", 1, MOST_SAMPLES, fewest)?
        && let Some(most) = sampling.positions.filter(|most| most < fewest)
    {
        let problem = format!("{fewest} is more than positions, {most}");
        return Err(table.need("min-positions")?.error(problem));
    }
    Ok(sampling)
}

fn read_positions(item: &Item<'_>) -> Result<Option<usize>, ConfigError> {
    if item.text() == Ok("all") {
        return Ok(None);
    }
    let must = format!("a whole number from 1 to {MOST_SAMPLES}, or \"all\"");
    let whole = item.whole(1..=MOST_SAMPLES);
    whole
        .map(|number| Some(number as usize))
        .map_err(|_| item.wrong(&must))
}

fn read_budget(item: &Item<'_>) -> Result<Budget, ConfigError> {
    let mut budget = Budget::default();
    let table = item.table()?;
    table.only(&["cell", "total", "deadline"])?;
    let total = table.read("total", Item::duration)?;
    budget.total = total.unwrap_or(budget.total);
    let cell = table.read("cell", Item::duration)?;
    budget.cell = cell.unwrap_or(budget.cell.min(budget.total));
    budget.deadline = Budget::deadline_for(budget.cell);
    if let Some(item) = table.get("deadline") {
        budget.deadline = item.duration()?;
        if budget.deadline < budget.cell {
            let [own, cell] = [budget.deadline, budget.cell].map(humantime::format_duration);
            return Err(item.error(format!("{own} is less than the budget of a cell, {cell}")));
        }
    }
    Ok(budget)
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
