use std::collections::HashSet;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Quantity, Shard, TimeUnit};
use crate::words::{Case, Params, Question, Task, Value, is_brought};

/// The baselines that belong to every experiment, by their names in the catalogue: one core, and
/// all of them.
pub const BASELINES: [&str; 2] = ["serial", "rayon"];

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
    pub charts: Vec<TableSpec>,
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
    /// Whether it is measured itself. In a match some techniques are there only to be played against.
    #[serde(default = "yes")]
    pub measured: bool,
    /// The cases that it is measured on: of each axis named, the value or one of the list. Empty:
    /// all cases.
    #[serde(default)]
    pub only: Case,
}

impl TechniqueChoice {
    /// Whether it is measured on that case.
    pub fn takes(&self, case: &Case) -> bool {
        self.measured
            && self.only.0.iter().all(|(axis, allowed)| match allowed {
                Value::List(values) => case.get(axis).is_some_and(|value| values.contains(value)),
                value => case.get(axis) == Some(value),
            })
    }
}

impl TechniqueChoice {
    /// Whether it may be one of the fastest techniques of the host that others are compared with: one that the
    /// experiment brings only where it says so.
    pub fn may_be_best(&self) -> bool {
        let asked = self.params.get("best-cpu") == Some(&Value::Flag(true));
        !is_brought(&self.technique) || asked && self.has_our_rules()
    }

    /// The file of a kernel that the experiment brings.
    pub fn kernel(&self) -> Option<&str> {
        self.params.get("kernel")?.as_text()
    }

    /// Whether its answers are compared with ours: where rules differ there is a rate and no ratio.
    pub fn has_our_rules(&self) -> bool {
        !self.params.contains_key("rules-differ")
    }

    /// Whether the host answers what it is predicted to answer sooner: its time is not the device's alone.
    pub fn is_hybrid(&self) -> bool {
        self.params.get("hybrid").and_then(Value::as_text) == Some("on")
    }
}

fn yes() -> bool {
    true
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
    /// How often a run goes through its cases, each time in another order and with new workers; each pass
    /// takes its share of the samples. A match is played in one.
    pub passes: usize,
    /// The most positions of a line of play, at even distances; `None`: all of them.
    pub positions: Option<usize>,
    /// Where a cell would break its budget, its positions are halved, down to this many.
    pub min_positions: usize,
    /// Of a match that is divided, the part whose pairs of games are played; the two numbers of samples are
    /// its own share then. Never in a file.
    #[serde(skip)]
    pub shard: Option<Shard>,
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

/// Minimum time of a request, however short a run's budget is: a driver needs some seconds to start.
const LEAST_REQUEST: Duration = Duration::from_secs(5);

impl Budget {
    /// Time limit of a request to a worker or a program.
    pub fn request(&self) -> Duration {
        self.deadline.min(self.total.max(LEAST_REQUEST))
    }
}

/// One table of the report, in the paper's shape; or one chart, of one quantity, whose rows are its lines and whose
/// columns, along one axis, are its points.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TableSpec {
    /// File name without ending: `table-2`.
    pub id: String,
    /// Heading.
    pub title: String,
    /// What its cells show. Of several, each has a column, and one for each baseline where it needs
    /// one; there are no `columns` then.
    pub quantities: Vec<Quantity>,
    /// The axes that run down, one at least: a row for each combination of their values that the
    /// experiment has. `technique` is an axis too, and so is a parameter of the techniques shown.
    pub rows: Vec<String>,
    /// The axes that run across, in the same way. Empty: a single column, or one for each quantity.
    pub columns: Vec<String>,
    /// Axes held fixed.
    pub fixed: Case,
    /// Labels of the techniques shown; one table block for each, unless they are told apart by an
    /// axis.
    pub techniques: Vec<String>,
    /// Labels of the baselines; one table block for each pair. Empty where no quantity needs one.
    pub baselines: Vec<String>,
    /// The unit of every time in it; `None`: each in the one that suits it.
    pub unit: Option<TimeUnit>,
    /// Of a chart: whether its vertical axis is logarithmic.
    pub log: bool,
    /// The paper's numbers, paths under `reports/published/`; the first that has one for a cell
    /// counts.
    pub published: Vec<String>,
    /// For which baseline's block the published numbers are the like; `None`: all blocks.
    pub published_baseline: Option<String>,
    /// Text beside the table.
    pub analysis: String,
}

impl Experiment {
    /// Its tables, then its charts.
    pub fn views(&self) -> impl Iterator<Item = &TableSpec> {
        self.tables.iter().chain(&self.charts)
    }

    /// The same, to be changed.
    pub(super) fn views_mut(&mut self) -> impl Iterator<Item = &mut TableSpec> {
        self.tables.iter_mut().chain(&mut self.charts)
    }

    /// The published tables that its tables and charts name, each once, in their order.
    pub fn published(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for name in self.views().flat_map(|view| &view.published) {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        names
    }

    /// The labels that others are compared with by name: `serial`, `rayon`, and the baselines of tables
    /// and charts.
    pub fn baselines(&self) -> HashSet<&str> {
        let named = self.views().flat_map(|view| &view.baselines);
        BASELINES
            .into_iter()
            .chain(named.map(String::as_str))
            .collect()
    }

    /// What one of its techniques is asked in a case.
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
            params: &choice.params,
            opponent: opponent.map(|other| (other.technique.as_str(), &other.params)),
            positions: self.sampling.positions,
            seed: self.seed,
        }
    }

    /// The technique of that label.
    pub fn choice(&self, label: &str) -> Option<&TechniqueChoice> {
        self.techniques.iter().find(|choice| choice.label == label)
    }
}
