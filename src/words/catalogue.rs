use std::ops::RangeInclusive;

use serde::Serialize;

use super::brought::is_brought;
use super::{Case, Fault, Params, Task, Value};

/// What a technique runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// One core of the host.
    Serial,
    /// All threads of the pool.
    Threads,
    /// An OpenCL device.
    Device,
}

impl Kind {
    /// The word in `bench list` and in reports.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Serial => "serial",
            Kind::Threads => "threads",
            Kind::Device => "device",
        }
    }
}

/// What determines a technique's counters: nodes, leaves, playouts and plies. For `perft` it is always the
/// reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Counts {
    /// The case, the parameters and the technique's own rule: equal in every sample.
    Own,
    /// The search of another host technique, whose counters it must equal exactly.
    As(&'static str),
    /// As [`Counts::Own`], and a model of the technique on the host counts the same.
    Model,
    /// The order of threads or work-groups as well: the counters vary between samples.
    Vary,
}

/// One axis of a game's cases.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct AxisEntry {
    /// Its name: `board`, `depth`.
    pub name: &'static str,
    /// Its meaning and its allowed values: `WxH, both even, 4 to 64`.
    pub allowed: &'static str,
    /// Its value for commands on a single position that do not give one, as text: `8x8`. An experiment always
    /// gives one.
    pub default: Option<&'static str>,
    /// The tasks whose cases have it; empty for all tasks.
    pub tasks: &'static [Task],
}

impl AxisEntry {
    /// Whether the cases of a task have it.
    pub fn belongs_to(&self, task: Task) -> bool {
        self.tasks.is_empty() || self.tasks.contains(&task)
    }
}

/// One parameter of a technique, or one option of a game.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ParamEntry {
    /// Its key in the experiment file.
    pub name: &'static str,
    /// Its meaning and its allowed values.
    pub allowed: &'static str,
    /// Its value if the experiment does not give one, as text.
    pub default: &'static str,
    /// Refuses an invalid value, with a message that says what is allowed.
    #[serde(skip)]
    pub check: fn(&Value) -> Result<(), String>,
}

impl ParamEntry {
    /// The refusal of an invalid value.
    pub fn refused(&self, value: &Value) -> String {
        format!("{}: `{value}`; allowed is {}", self.name, self.allowed)
    }

    /// A whole number within a range.
    ///
    /// # Errors
    /// One line that names the key, the value and what is allowed.
    pub fn whole(&self, value: &Value, range: RangeInclusive<i64>) -> Result<usize, String> {
        let number = value.as_int().filter(|number| range.contains(number));
        let number = number.and_then(|number| usize::try_from(number).ok());
        number.ok_or_else(|| self.refused(value))
    }

    /// As [`ParamEntry::whole`], with `None` for `auto`.
    ///
    /// # Errors
    /// As [`ParamEntry::whole`].
    pub fn whole_or_auto(
        &self,
        value: &Value,
        range: RangeInclusive<i64>,
    ) -> Result<Option<usize>, String> {
        match value.as_text() {
            Some("auto") => Ok(None),
            _ => self.whole(value, range).map(Some),
        }
    }

    /// The value given in `params`, else `default`.
    ///
    /// # Errors
    /// [`Fault::Input`] with the message of `read`.
    pub fn given<T>(
        &self,
        params: &Params,
        default: T,
        read: impl FnOnce(&Value) -> Result<T, String>,
    ) -> Result<T, Fault> {
        let value = params.get(self.name).map_or(Ok(default), read);
        value.map_err(Fault::Input)
    }
}

/// A game that an experiment may name.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct GameEntry {
    /// `reversi`.
    pub name: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// The axes of its cases, in the order reports use.
    pub axes: &'static [AxisEntry],
    /// Keys of the experiment's `[options]` table: evaluation, rules.
    pub options: &'static [ParamEntry],
    /// The tasks that it supports.
    pub tasks: &'static [Task],
    /// Refuses one axis value: `(axis, value) -> what is allowed`.
    #[serde(skip)]
    pub check_axis: fn(&str, &Value) -> Result<(), String>,
    /// Refuses options that contradict each other or the case.
    #[serde(skip)]
    pub check: fn(&Case, &Params) -> Result<(), String>,
}

/// A technique that an experiment may name and `bench list` prints.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct TechniqueEntry {
    /// The game it plays.
    pub game: &'static str,
    /// Its name: `pv-split`.
    pub name: &'static str,
    /// What it runs on.
    pub kind: Kind,
    /// One sentence: what it does.
    pub summary: &'static str,
    /// Its source: paper and section, or `ours` for techniques of this project.
    pub paper: &'static str,
    /// Device features that it requires, for `bench list`; empty for the CPU.
    pub needs: &'static str,
    /// The like-for-like baseline: the technique that does the same work in the same way, by name.
    pub like: &'static str,
    /// The host technique whose answers its own must equal; a reference names itself.
    pub reference: &'static str,
    /// What determines its counters.
    pub counts: Counts,
    /// The tasks that it supports.
    pub tasks: &'static [Task],
    /// Its parameters.
    pub params: &'static [ParamEntry],
    /// Refuses parameters that do not fit the case or each other, in one line that names the key, the value
    /// and what is allowed.
    #[serde(skip)]
    pub check: fn(&Case, &Params) -> Result<(), String>,
}

impl TechniqueEntry {
    /// Defaults of a device technique: answers and counters equal `serial`, and the like-for-like baseline is
    /// `rayon`. Use with struct update: `..TechniqueEntry::DEVICE`.
    pub const DEVICE: TechniqueEntry = TechniqueEntry {
        game: "",
        name: "",
        kind: Kind::Device,
        summary: "",
        paper: "ours",
        needs: "",
        like: "rayon",
        reference: "serial",
        counts: Counts::As("serial"),
        tasks: &[],
        params: &[],
        check: takes_every_case,
    };

    /// Defaults of a technique on one core, whose counters follow its own rule.
    pub const SERIAL: TechniqueEntry = TechniqueEntry {
        kind: Kind::Serial,
        like: "serial",
        counts: Counts::Own,
        ..TechniqueEntry::DEVICE
    };

    /// Defaults of a technique on threads, whose counters depend on their order.
    pub const THREADS: TechniqueEntry = TechniqueEntry {
        kind: Kind::Threads,
        counts: Counts::Vary,
        ..TechniqueEntry::DEVICE
    };

    /// What determines its counters in a task. For `perft` it is the reference: the number of move sequences
    /// does not depend on the technique.
    pub fn counts_in(&self, task: Task) -> Counts {
        match task {
            // A user's own technique need not count inner positions.
            Task::Perft if !is_brought(self.name) => Counts::As(self.reference),
            _ => self.counts,
        }
    }

    /// The host technique with equal counters, if there is one: the technique's own name stands for its
    /// model.
    pub fn twin_in(&self, task: Task) -> Option<&'static str> {
        match self.counts_in(task) {
            Counts::As(name) if name != self.name => Some(name),
            Counts::Model => Some(self.name),
            _ => None,
        }
    }
}

/// [`TechniqueEntry::check`] of a technique that takes every case of its game.
pub fn takes_every_case(_case: &Case, _params: &Params) -> Result<(), String> {
    Ok(())
}

/// Everything that an experiment may name. The registry of techniques makes it, so that `config` can check
/// names without importing techniques.
#[derive(Clone, Debug, Serialize)]
pub struct Catalogue {
    /// All games.
    pub games: Vec<GameEntry>,
    /// All techniques of all games.
    pub techniques: Vec<TechniqueEntry>,
    /// What stands for the kernels and programs that experiments bring, for each game.
    pub brought: Vec<TechniqueEntry>,
}

impl Catalogue {
    /// The game of that name.
    pub fn game(&self, name: &str) -> Option<&GameEntry> {
        self.games.iter().find(|game| game.name == name)
    }

    /// The technique of that name, for that game.
    pub fn technique(&self, game: &str, name: &str) -> Option<&TechniqueEntry> {
        let all = self.techniques.iter().chain(&self.brought);
        all.into_iter().find(|t| t.game == game && t.name == name)
    }

    /// All techniques of a game but those that experiments bring, in the registry's order.
    pub fn of_game<'a>(&'a self, game: &'a str) -> impl Iterator<Item = &'a TechniqueEntry> {
        self.techniques.iter().filter(move |t| t.game == game)
    }
}
