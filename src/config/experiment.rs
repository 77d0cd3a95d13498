use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::cases::distinct;
use super::kinds::{self, MOST_PASSES, MOST_SAMPLES, MOST_WARMUP, line, many, prose};
use super::source::{At, Checked, fault};
use super::write;
use super::{Quantity, TimeUnit};
use crate::words::{Case, Params, Question, Shard, Task, Value, is_brought, recorded_path};

/// Catalogue names of the baselines in every experiment: `serial` uses one core, and `rayon` uses all cores.
pub const BASELINES: [&str; 2] = ["serial", "rayon"];

/// An experiment with all defaults filled in and all names checked. Only `config` sees raw input.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Experiment {
    /// A short name, such as `reversi`. The default run folder has the same name.
    pub name: String,
    /// A one-line title for headings.
    pub title: String,
    /// The reproduced paper: authors, title, year. May be empty.
    pub paper: String,
    /// The game's name in the catalogue.
    pub game: String,
    /// The task.
    pub task: Task,
    /// Text above the tables in the report.
    pub analysis: String,
    /// The seed for the sampling order, the bootstrap and the playouts.
    pub seed: u64,
    /// Game options from the file, such as evaluation and rules. All others have their defaults.
    pub options: Params,
    /// The axes, in order.
    #[serde(rename = "order", serialize_with = "write::order")]
    pub axes: Vec<String>,
    /// Every case, in measuring order.
    #[serde(serialize_with = "write::cases")]
    pub cases: Vec<Case>,
    /// The techniques in file order, baselines first.
    #[serde(rename = "technique")]
    pub techniques: Vec<TechniqueChoice>,
    /// Criteria for when a cell has enough samples.
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

/// Parameters of user-supplied programs and kernels that contain file names.
const FILES: [&str; 3] = ["command", "files", "kernel"];

/// Lists of values, by axis or by parameter.
pub type Lists = BTreeMap<String, Vec<Value>>;

/// A technique in an experiment, with its parameters.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TechniqueChoice {
    /// The technique's name in the catalogue.
    pub technique: String,
    /// Label in rows and reports. It distinguishes uses of the same technique with different parameters.
    pub label: String,
    /// Parameters from the file. All others have their defaults.
    pub params: Params,
    /// In a match: the opponent's label.
    pub opponent: Option<String>,
    /// Whether it is measured. False if it serves only as an opponent in a match.
    pub measured: bool,
    /// Values of each axis at which to measure it. If empty, it is measured in all cases.
    pub only: Lists,
}

impl TechniqueChoice {
    /// Returns true if the technique is measured in that case.
    pub fn takes(&self, case: &Case) -> bool {
        self.measured
            && self.only.iter().all(|(axis, values)| {
                let own = case.get(axis);
                own.is_some_and(|value| values.contains(value))
            })
    }

    /// Returns the parameters to record. Paths become relative or bare file names, so that none reveals a user's home.
    pub fn recorded(&self) -> Params {
        let mut params = self.params.clone();
        if !is_brought(&self.technique) {
            return params;
        }
        let folder = std::env::current_dir().ok();
        // A path relative to a folder above the home would reveal the user's name.
        let home = std::env::home_dir().unwrap_or_default();
        let folder = folder.filter(|it| !home.starts_with(it) || home == *it);
        let is_file = |name: &String| FILES.contains(&name.as_str());
        for (_, value) in params.iter_mut().filter(|(name, _)| is_file(name)) {
            let values = match value {
                Value::List(values) => values.as_mut_slice(),
                one => std::slice::from_mut(one),
            };
            for value in values {
                if let Value::Text(path) = value {
                    *path = recorded_path(path, folder.as_deref());
                }
            }
        }
        params
    }

    /// Returns true if it may be the best CPU technique. A user-supplied one needs `best-cpu = true` and our rules.
    pub fn may_be_best(&self) -> bool {
        let asked = self.params.get("best-cpu") == Some(&Value::Flag(true));
        !is_brought(&self.technique) || asked && self.has_our_rules()
    }

    /// Returns true if its answers are compared with ours. If its rules differ, the report shows its rate but no ratio.
    pub fn has_our_rules(&self) -> bool {
        !self.params.contains_key("rules-differ")
    }

    /// Returns true if the host answers short searches. The time then includes the host's work.
    pub fn is_hybrid(&self) -> bool {
        let value = self.params.get("hybrid").and_then(Value::as_text);
        value.is_some_and(|value| value != "off")
    }
}

/// Criteria for when a cell has enough samples.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Sampling {
    /// Minimum number of samples, unless the budget runs out.
    #[serde(deserialize_with = "kinds::whole::<1, MOST_SAMPLES, _>")]
    pub min_samples: usize,
    /// Maximum number of samples.
    #[serde(deserialize_with = "kinds::whole::<1, MOST_SAMPLES, _>")]
    pub max_samples: usize,
    /// Half-width of the median's 95 % interval at which sampling stops, relative to the median.
    #[serde(deserialize_with = "kinds::share")]
    pub target: f64,
    /// Number of untimed samples before the first timed sample.
    #[serde(deserialize_with = "kinds::whole::<0, MOST_WARMUP, _>")]
    pub warmup: usize,
    /// Number of passes. Each takes a share of the samples, in a new order with new workers. A match has one pass.
    #[serde(deserialize_with = "kinds::whole::<1, MOST_PASSES, _>")]
    pub passes: usize,
    /// Maximum number of positions from a line of play, evenly spaced; `None` for all.
    #[serde(deserialize_with = "kinds::positions")]
    pub positions: Option<usize>,
    /// If a cell would exceed its budget, its number of positions is halved repeatedly, but not below this minimum.
    #[serde(deserialize_with = "kinds::whole::<1, MOST_SAMPLES, _>")]
    pub min_positions: usize,
    /// Shard of the pairs of games, if a match is divided. Sample counts then refer to the shard. Never set in a file.
    #[serde(skip)]
    pub shard: Option<Shard>,
}

impl Default for Sampling {
    /// Defaults to one untimed sample, 5 to 1,000 samples in five passes, all positions, and a target of 5 %.
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
            return fault(format!("{most} is less than min-samples ({least})")).at("max-samples");
        }
        if let Some(most) = self.positions.filter(|most| *most < fewest) {
            return fault(format!("{fewest} is more than positions ({most})")).at("min-positions");
        }
        Ok(())
    }
}

/// Time limits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Budget {
    /// Time budget for all samples of a cell, including warm-up but not set-up.
    #[serde(deserialize_with = "kinds::time", serialize_with = "write::time")]
    pub cell: Duration,
    /// Time budget for the whole run. Cells that do not fit are `skipped`.
    #[serde(deserialize_with = "kinds::time", serialize_with = "write::time")]
    pub total: Duration,
    /// Timeout for a cell's request. When it expires, the worker is killed. Must be at least `cell`.
    #[serde(deserialize_with = "kinds::time", serialize_with = "write::time")]
    pub deadline: Duration,
}

impl Default for Budget {
    /// Allows 20 seconds per cell and 15 minutes per run. The deadline is twice the cell's budget plus 30 seconds, so
    /// that only workers that hang are killed.
    fn default() -> Self {
        Self {
            cell: Duration::from_secs(20),
            total: Duration::from_secs(15 * 60),
            deadline: Duration::from_secs(70),
        }
    }
}

impl Budget {
    /// Checks a file's times and fills in the default deadline. `has_deadline` is true if the file sets it.
    pub(super) fn resolved(mut self, has_deadline: bool) -> Checked<Self> {
        self.cell = self.cell.min(self.total);
        if !has_deadline {
            self.deadline = 2 * self.cell + Duration::from_secs(30);
        }
        if self.deadline >= self.cell {
            return Ok(self);
        }
        let [own, cell] = [self.deadline, self.cell].map(humantime::format_duration);
        fault(format!("{own} is less than the cell's budget ({cell})")).at("deadline")
    }

    /// Returns the timeout for a request to a worker or a program.
    pub fn request(&self) -> Duration {
        // A driver may need several seconds to start.
        self.deadline.min(self.total.max(Duration::from_secs(5)))
    }
}

/// A table, or a chart of one quantity with a line per row and a point per column.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct TableSpec {
    /// File name without extension: `table-2`.
    pub id: String,
    /// Heading.
    #[serde(default, deserialize_with = "line")]
    pub title: String,
    /// Quantities in the cells. If there are several, each has a column, or one per baseline, and `columns` is empty.
    #[serde(rename = "quantity", deserialize_with = "many")]
    pub quantities: Vec<Quantity>,
    /// The axes for the rows, at least one. `technique` and the parameters of shown techniques also count as axes.
    #[serde(default, alias = "series", deserialize_with = "many")]
    pub rows: Vec<String>,
    /// The axes for the columns. If empty, there is a single column, or one per quantity.
    #[serde(default, alias = "x", deserialize_with = "many")]
    pub columns: Vec<String>,
    /// Axes with a fixed value.
    #[serde(default)]
    pub fixed: Params,
    /// Labels of the shown techniques. Each technique has a separate table block, unless an axis distinguishes them.
    #[serde(default, deserialize_with = "many")]
    pub techniques: Vec<String>,
    /// Labels of the baselines. Each pair of technique and baseline has a table block. Empty if no quantity needs one.
    #[serde(default, deserialize_with = "many")]
    pub baselines: Vec<String>,
    /// The unit of all times, or `None` for automatic scaling.
    pub unit: Option<TimeUnit>,
    /// Whether the chart's vertical axis is logarithmic.
    #[serde(default)]
    pub log: bool,
    /// Files with the paper's numbers, below `reports/published/`. Each cell shows the first number found in them.
    #[serde(default, deserialize_with = "many")]
    pub published: Vec<String>,
    /// The baseline of the published numbers, or `None` if they apply to all blocks.
    pub published_baseline: Option<String>,
    /// Text next to the table.
    #[serde(default, deserialize_with = "prose")]
    pub analysis: String,
}

impl Experiment {
    /// Returns the experiment's tables, then its charts.
    pub fn views(&self) -> impl Iterator<Item = &TableSpec> {
        self.tables.iter().chain(&self.charts)
    }

    /// Returns the published tables that the experiment's tables and charts name, in order and without duplicates.
    pub fn published(&self) -> Vec<&str> {
        let names = self.views().flat_map(|view| &view.published);
        distinct(names.map(String::as_str))
    }

    /// Returns the labels of all baselines: `serial`, `rayon`, and the baselines that tables and charts name.
    pub fn baselines(&self) -> HashSet<&str> {
        let named = self.views().flat_map(|view| &view.baselines);
        let all = BASELINES.into_iter().chain(named.map(String::as_str));
        all.collect()
    }

    /// Returns the question that a technique answers in a case.
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

    /// Returns the technique with that label.
    pub fn choice(&self, label: &str) -> Option<&TechniqueChoice> {
        self.techniques.iter().find(|choice| choice.label == label)
    }
}
