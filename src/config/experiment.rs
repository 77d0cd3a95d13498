use std::borrow::Cow;
use std::collections::HashSet;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::cases::unique;
use super::kinds::{self, MOST_PASSES, MOST_SAMPLES, MOST_WARMUP, line, many, prose};
use super::source::{At, Checked, fault};
use super::write;
use super::{Quantity, TimeUnit};
use crate::words::{Case, Params, Question, Shard, Task, Value, is_brought, recorded_path};

/// The baselines of every experiment, by their names in the catalogue: one core, and all cores.
pub const BASELINES: [&str; 2] = ["serial", "rayon"];

/// An experiment with every default filled in and every name checked. Nothing past `config` sees raw input.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Experiment {
    /// A short name, and its default run folder's: `reversi`.
    pub name: String,
    /// One line for headings.
    pub title: String,
    /// The reproduced paper: authors, title, year; may be empty.
    pub paper: String,
    /// The game, by its name in the catalogue.
    pub game: String,
    /// The task.
    pub task: Task,
    /// Text above the tables of the report.
    pub analysis: String,
    /// Seeds everything random: sampling order, bootstrap, playouts.
    pub seed: u64,
    /// The game's options: evaluation, rules. Without defaults.
    pub options: Params,
    /// The axes, in order.
    #[serde(rename = "order", serialize_with = "write::order")]
    pub axes: Vec<String>,
    /// Every case, in measuring order (cheap ones first).
    #[serde(serialize_with = "write::cases")]
    pub cases: Vec<Case>,
    /// The techniques, baselines first, in the order of the file.
    #[serde(rename = "technique")]
    pub techniques: Vec<TechniqueChoice>,
    /// When a cell has enough samples.
    pub sampling: Sampling,
    /// Time limits.
    pub budget: Budget,
    /// The tables of the report.
    #[serde(rename = "table")]
    pub tables: Vec<TableSpec>,
    /// The charts of the report.
    #[serde(rename = "chart")]
    pub charts: Vec<TableSpec>,
}

/// Parameters of programs and kernels that name files.
const FILES: [&str; 3] = ["command", "files", "kernel"];

/// A technique of an experiment, with its parameters.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TechniqueChoice {
    /// Its name in the catalogue.
    pub technique: String,
    /// Its name in rows and reports; differs if the experiment has it several times with different parameters.
    pub label: String,
    /// Parameters of the file; others have their defaults.
    pub params: Params,
    /// In a match: the label of its opponent.
    pub opponent: Option<String>,
    /// False for a technique that serves only as an opponent in a match.
    pub measured: bool,
    /// The cases that it is measured on: per axis a value or a list. Empty: all cases.
    pub only: Case,
}

impl TechniqueChoice {
    /// True if it is measured on that case.
    pub fn takes(&self, case: &Case) -> bool {
        self.measured
            && self.only.0.iter().all(|(axis, allowed)| match allowed {
                Value::List(values) => case.get(axis).is_some_and(|value| values.contains(value)),
                value => case.get(axis) == Some(value),
            })
    }

    /// Its parameters for the run folder. Paths are relative or bare file names, so that none shows a user's home.
    pub fn recorded(&self) -> Cow<'_, Params> {
        if !is_brought(&self.technique) {
            return Cow::Borrowed(&self.params);
        }
        let folder = std::env::current_dir().ok();
        // A path from above the home shows the user's name.
        let home = std::env::home_dir().unwrap_or_default();
        let folder = folder.filter(|it| !home.starts_with(it) || home == *it);
        let mut params = self.params.clone();
        for name in FILES {
            let values = match params.get_mut(name) {
                Some(Value::List(values)) => values.as_mut_slice(),
                Some(value) => std::slice::from_mut(value),
                None => continue,
            };
            for value in values {
                if let Value::Text(path) = value {
                    *path = recorded_path(path, folder.as_deref());
                }
            }
        }
        Cow::Owned(params)
    }

    /// True if it may be a best CPU technique. A brought technique must declare it.
    pub fn may_be_best(&self) -> bool {
        let asked = self.params.get("best-cpu") == Some(&Value::Flag(true));
        !is_brought(&self.technique) || asked && self.has_our_rules()
    }

    /// The file of a brought kernel.
    pub fn kernel(&self) -> Option<&str> {
        self.params.get("kernel")?.as_text()
    }

    /// True if its answers are compared with ours. With other rules the report has its rate, but no ratio.
    pub fn has_our_rules(&self) -> bool {
        !self.params.contains_key("rules-differ")
    }

    /// True if the host answers short searches: the time then includes the host's work.
    pub fn is_hybrid(&self) -> bool {
        let value = self.params.get("hybrid").and_then(Value::as_text);
        value.is_some_and(|value| value != "off")
    }
}

/// When a cell has enough samples.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Sampling {
    /// Minimum of samples, unless the budget ends.
    #[serde(deserialize_with = "kinds::whole::<1, MOST_SAMPLES, _>")]
    pub min_samples: usize,
    /// Maximum of samples.
    #[serde(deserialize_with = "kinds::whole::<1, MOST_SAMPLES, _>")]
    pub max_samples: usize,
    /// Enough if the 95 % interval of the median is narrower than this on each side, as a share of the median.
    #[serde(deserialize_with = "kinds::share")]
    pub target: f64,
    /// Untimed samples before the first timed one.
    #[serde(deserialize_with = "kinds::whole::<0, MOST_WARMUP, _>")]
    pub warmup: usize,
    /// Passes through the cases, each in another order with new workers and its share of the samples. A match has one.
    #[serde(deserialize_with = "kinds::whole::<1, MOST_PASSES, _>")]
    pub passes: usize,
    /// Maximum of positions in a line of play, at even distances; `None` for all.
    #[serde(deserialize_with = "kinds::positions")]
    pub positions: Option<usize>,
    /// Positions are halved down to this number if a cell would exceed its budget.
    #[serde(deserialize_with = "kinds::whole::<1, MOST_SAMPLES, _>")]
    pub min_positions: usize,
    /// For a divided match, the shard of its pairs of games. The numbers of samples refer to it. Never in a file.
    #[serde(skip)]
    pub shard: Option<Shard>,
}

impl Default for Sampling {
    /// One untimed sample, then 5 to 1,000 samples in five passes, to 5 % on each side. All positions, at least one.
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

impl Sampling {
    pub(super) fn check(&self) -> Checked<()> {
        let (least, most, fewest) = (self.min_samples, self.max_samples, self.min_positions);
        if most < least {
            return fault(format!("{most} is fewer than min-samples, {least}")).at("max-samples");
        }
        match self.positions.filter(|most| *most < fewest) {
            Some(most) => {
                fault(format!("{fewest} is more than positions, {most}")).at("min-positions")
            }
            None => Ok(()),
        }
    }
}

/// Time limits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Budget {
    /// One cell: all its samples with warm-up, without set-up.
    #[serde(deserialize_with = "kinds::time", serialize_with = "write::time")]
    pub cell: Duration,
    /// The whole run; cells beyond it are `skipped`.
    #[serde(deserialize_with = "kinds::time", serialize_with = "write::time")]
    pub total: Duration,
    /// Timeout of a cell's request, after which its worker is killed. At least the cell's budget.
    #[serde(deserialize_with = "kinds::time", serialize_with = "write::time")]
    pub deadline: Duration,
}

impl Default for Budget {
    /// 20 seconds per cell and 15 minutes per run. The deadline is twice the budget of a cell plus half a minute, so
    /// that only hanging workers are killed.
    fn default() -> Self {
        Self {
            cell: Duration::from_secs(20),
            total: Duration::from_secs(15 * 60),
            deadline: Duration::from_secs(70),
        }
    }
}

impl Budget {
    /// Checks the times of a file. `has_deadline`: true if the file has that key.
    pub(super) fn resolved(mut self, has_deadline: bool) -> Checked<Self> {
        self.cell = self.cell.min(self.total);
        if !has_deadline {
            self.deadline = 2 * self.cell + Duration::from_secs(30);
        }
        if self.deadline >= self.cell {
            return Ok(self);
        }
        let [own, cell] = [self.deadline, self.cell].map(humantime::format_duration);
        fault(format!("{own} is less than the budget of a cell, {cell}")).at("deadline")
    }

    /// Timeout of a request to a worker or a program.
    pub fn request(&self) -> Duration {
        // A driver needs some seconds to start.
        self.deadline.min(self.total.max(Duration::from_secs(5)))
    }
}

/// A table in the paper's shape; or a chart of one quantity: rows are lines, columns are points along one axis.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct TableSpec {
    /// File name without extension: `table-2`.
    pub id: String,
    /// Heading.
    #[serde(default, deserialize_with = "line")]
    pub title: String,
    /// Quantities of the cells. Several quantities make columns, one per baseline if needed; `columns` is then empty.
    #[serde(rename = "quantity", deserialize_with = "many")]
    pub quantities: Vec<Quantity>,
    /// The axes that run down, at least one. `technique` and parameters of the shown techniques are axes too.
    #[serde(default, alias = "series", deserialize_with = "many")]
    pub rows: Vec<String>,
    /// The axes that run across. Empty: a single column, or one per quantity.
    #[serde(default, alias = "x", deserialize_with = "many")]
    pub columns: Vec<String>,
    /// Fixed axes.
    #[serde(default, with = "write::table")]
    pub fixed: Case,
    /// Labels of the shown techniques; one table block per technique, unless an axis distinguishes them.
    #[serde(default, deserialize_with = "many")]
    pub techniques: Vec<String>,
    /// Labels of the baselines; one table block per pair. Empty if no quantity needs one.
    #[serde(default, deserialize_with = "many")]
    pub baselines: Vec<String>,
    /// The unit of every time; `None`: scaled.
    pub unit: Option<TimeUnit>,
    /// True if a chart's vertical axis is logarithmic.
    #[serde(default)]
    pub log: bool,
    /// The paper's numbers, as paths under `reports/published/`. For each cell the first file with a number counts.
    #[serde(default, deserialize_with = "many")]
    pub published: Vec<String>,
    /// The baseline of the published numbers; `None`: all blocks.
    pub published_baseline: Option<String>,
    /// Text beside the table.
    #[serde(default, deserialize_with = "prose")]
    pub analysis: String,
}

impl Experiment {
    /// Its tables, then its charts.
    pub fn views(&self) -> impl Iterator<Item = &TableSpec> {
        self.tables.iter().chain(&self.charts)
    }

    /// The published tables that its tables and charts name, each once, in their order.
    pub fn published(&self) -> Vec<&str> {
        let names = self.views().flat_map(|view| &view.published);
        unique(names.map(String::as_str))
    }

    /// The labels of baselines: `serial`, `rayon`, and the baselines of tables and charts.
    pub fn baselines(&self) -> HashSet<&str> {
        let named = self.views().flat_map(|view| &view.baselines);
        let all = BASELINES.into_iter().chain(named.map(String::as_str));
        all.collect()
    }

    /// The question of a technique in a case.
    pub fn question<'a>(&'a self, choice: &'a TechniqueChoice, case: &'a Case) -> Question<'a> {
        let opponent = choice.opponent.as_deref();
        let opponent = opponent.and_then(|label| self.choice(label));
        Question {
            game: &self.game,
            options: &self.options,
            task: self.task,
            case,
            technique: &choice.technique,
            label: &choice.label,
            params: choice.recorded(),
            opponent: opponent.map(|other| (other.technique.as_str(), other.recorded())),
            positions: self.sampling.positions,
            seed: self.seed,
        }
    }

    /// The technique of that label.
    pub fn choice(&self, label: &str) -> Option<&TechniqueChoice> {
        self.techniques.iter().find(|choice| choice.label == label)
    }
}
