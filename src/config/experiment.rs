use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::words::{Case, Params, Task, Value};

/// One experiment, as its file describes it, with every default filled in and every name checked.
///
/// Nothing past `config` sees raw input.
#[derive(Clone, Debug, PartialEq)]
pub struct Experiment {
    /// A short name, also that of its default run folder: `reversi`.
    pub name: String,
    /// One line for headings.
    pub title: String,
    /// The paper that it reproduces: authors, title, year. Empty where there is none.
    pub paper: String,
    /// The game, by its name in the catalogue.
    pub game: String,
    /// What is asked.
    pub task: Task,
    /// What the report prints above the tables.
    pub analysis: String,
    /// Seeds everything random: sampling order, bootstrap, playouts.
    pub seed: u64,
    /// The game's options: evaluation, rules. Defaults are not filled in here.
    pub options: Params,
    /// The axes, in order.
    pub axes: Vec<String>,
    /// Every case, in the order in which they are measured (cheap ones first).
    pub cases: Vec<Case>,
    /// The techniques, baselines first, in the order of the file.
    pub techniques: Vec<TechniqueChoice>,
    /// When a cell has enough samples.
    pub sampling: Sampling,
    /// How long it may all take.
    pub budget: Budget,
    /// The tables of the report.
    pub tables: Vec<TableSpec>,
    /// The charts of the report.
    pub charts: Vec<ChartSpec>,
}

/// One technique of an experiment, with its parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TechniqueChoice {
    /// Its name in the catalogue.
    pub technique: String,
    /// Its name in rows and reports: the same, unless the experiment runs it more than once with
    /// different parameters and labels each.
    pub label: String,
    /// Parameters that the file gives; the others have their defaults.
    pub params: Params,
    /// For the task `match`: the label of the technique that it plays against.
    pub opponent: Option<String>,
    /// The cases that it is measured on: of each axis named, the value or one of the list. Empty:
    /// all cases.
    #[serde(default)]
    pub only: Case,
}

impl TechniqueChoice {
    /// Whether it is measured on that case.
    pub fn takes(&self, case: &Case) -> bool {
        self.only.0.iter().all(|(axis, allowed)| match allowed {
            Value::List(values) => case.get(axis).is_some_and(|value| values.contains(value)),
            value => case.get(axis) == Some(value),
        })
    }
}

/// When a cell has enough samples.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sampling {
    /// Never fewer samples than this, unless the budget ends.
    pub min_samples: usize,
    /// Never more.
    pub max_samples: usize,
    /// Enough when the 95 % interval of the median is narrower than this on each side, as a share
    /// of the median.
    pub target: f64,
    /// Untimed samples before the first timed one.
    pub warmup: usize,
    /// Of a line of play, at most so many positions, at even distances; `None`: all of them.
    pub positions: Option<usize>,
    /// Where a cell would break its budget, its positions are halved, down to this many.
    pub min_positions: usize,
}

/// How long it may all take.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Budget {
    /// One cell: all its samples together, warm-up included, set-up not.
    pub cell: Duration,
    /// The whole run; cells that it cuts off are `skipped`.
    pub total: Duration,
    /// What a cell's request may take before its worker is killed. At least the cell's budget.
    pub deadline: Duration,
}

/// What a table's cells or a chart's points show.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Quantity {
    /// Ratio of medians: baseline over technique. Needs `technique` and `baseline`.
    Speedup,
    /// Median time of the whole task divided by its positions or playouts, ns.
    TimePerUnit,
    /// Median time of the whole task, ns.
    Time,
    /// Nodes of the technique over nodes of `baseline`.
    NodeOverhead,
    /// Nodes a second.
    NodeRate,
    /// Nodes of the whole task.
    Nodes,
    /// Leaves a second.
    LeafRate,
    /// Playouts a second.
    PlayoutRate,
    /// A fact of the case itself, by name: `branching-factor`, `positions`.
    Fact(String),
}

impl Quantity {
    /// The words of all quantities but [`Quantity::Fact`].
    pub const WORDS: [&str; 8] = [
        "speedup",
        "time-per-unit",
        "time",
        "node-overhead",
        "node-rate",
        "nodes",
        "leaf-rate",
        "playout-rate",
    ];

    /// Reads the word in an experiment file: `speedup`, `fact:branching-factor`.
    pub fn parse(word: &str) -> Option<Quantity> {
        Some(match word {
            "speedup" => Quantity::Speedup,
            "time-per-unit" => Quantity::TimePerUnit,
            "time" => Quantity::Time,
            "node-overhead" => Quantity::NodeOverhead,
            "node-rate" => Quantity::NodeRate,
            "nodes" => Quantity::Nodes,
            "leaf-rate" => Quantity::LeafRate,
            "playout-rate" => Quantity::PlayoutRate,
            _ => Quantity::Fact(
                word.strip_prefix("fact:")
                    .filter(|name| !name.is_empty())?
                    .to_owned(),
            ),
        })
    }

    /// Whether it compares a technique with a baseline.
    pub fn needs_baseline(&self) -> bool {
        matches!(self, Quantity::Speedup | Quantity::NodeOverhead)
    }

    /// Whether it belongs to the case alone, not to a technique.
    pub fn is_fact(&self) -> bool {
        matches!(self, Quantity::Fact(_))
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Quantity::Speedup => "speedup",
            Quantity::TimePerUnit => "time-per-unit",
            Quantity::Time => "time",
            Quantity::NodeOverhead => "node-overhead",
            Quantity::NodeRate => "node-rate",
            Quantity::Nodes => "nodes",
            Quantity::LeafRate => "leaf-rate",
            Quantity::PlayoutRate => "playout-rate",
            Quantity::Fact(name) => return write!(f, "fact:{name}"),
        })
    }
}

/// One table of the report, in the paper's shape.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TableSpec {
    /// File name without ending: `table-2`.
    pub id: String,
    /// Heading.
    pub title: String,
    /// What its cells show.
    pub quantity: Quantity,
    /// The axis that runs down; `technique` is one too.
    pub rows: String,
    /// The axis that runs across; `technique` is one too. `None`: a single column.
    pub columns: Option<String>,
    /// Axes held fixed.
    pub fixed: Case,
    /// Labels of the techniques shown; one table block for each, unless `technique` is an axis.
    pub techniques: Vec<String>,
    /// Labels of the baselines; one table block for each pair. Empty where the quantity needs none.
    pub baselines: Vec<String>,
    /// The paper's numbers, a path under `reports/published/`.
    pub published: Option<String>,
    /// For which baseline's block the published numbers are the like; `None`: all blocks.
    pub published_baseline: Option<String>,
    /// Text beside the table.
    pub analysis: String,
}

/// One chart of the report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChartSpec {
    /// File name without ending: `figure-4`.
    pub id: String,
    /// Heading.
    pub title: String,
    /// What its points show.
    pub quantity: Quantity,
    /// The axis that runs across.
    pub x: String,
    /// One line for each value of this axis; `technique` is one too.
    pub series: String,
    /// Axes held fixed.
    pub fixed: Case,
    /// Labels of the techniques shown; one chart for each, unless `technique` is the series.
    pub techniques: Vec<String>,
    /// Labels of the baselines; one chart for each.
    pub baselines: Vec<String>,
    /// A logarithmic vertical axis.
    pub log: bool,
    /// The paper's numbers, a path under `reports/published/`, drawn with a second mark.
    pub published: Option<String>,
    /// As in [`TableSpec::published_baseline`].
    pub published_baseline: Option<String>,
    /// Text beside the chart.
    pub analysis: String,
}
