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
    /// All the threads asked for.
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

/// What decides how many nodes, leaves, playouts and plies a technique counts. Of a number of move sequences,
/// whoever counts them, the reference's counts decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Counts {
    /// The case, its parameters and its own rule: the same in every sample.
    Own,
    /// The search of another technique of the host, which counts the same to the last digit.
    As(&'static str),
    /// The case, its parameters and its own rule, by which a model of it on the host counts too.
    Model,
    /// The order of threads or work-groups too: they vary from sample to sample.
    Vary,
}

/// One axis that a game's cases have.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct AxisEntry {
    /// Its name: `board`, `depth`.
    pub name: &'static str,
    /// What it means and what is allowed: `WxH, both even, 4 to 64`.
    pub allowed: &'static str,
    /// Its value where one position is asked about and nothing is said, as text: `8x8`. An
    /// experiment always says.
    pub default: Option<&'static str>,
    /// The tasks whose cases have it; empty: all.
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
    /// What it means and what is allowed.
    pub allowed: &'static str,
    /// What it is where the experiment does not say, as text.
    pub default: &'static str,
    /// Refuses a value that makes no sense, saying what is allowed.
    #[serde(skip)]
    pub check: fn(&Value) -> Result<(), String>,
}

impl ParamEntry {
    /// What is said of a value that makes no sense.
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

    /// The same; `None` for `auto`.
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

    /// What is given, or `default`.
    ///
    /// # Errors
    /// [`Fault::Input`] with what `read` says of the value.
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

/// A game, as an experiment may name it.
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
    /// The tasks that it knows.
    pub tasks: &'static [Task],
    /// Refuses one axis value: `(axis, value) -> what is allowed`.
    #[serde(skip)]
    pub check_axis: fn(&str, &Value) -> Result<(), String>,
    /// Refuses options that contradict each other or the case.
    #[serde(skip)]
    pub check: fn(&Case, &Params) -> Result<(), String>,
}

/// A technique, as an experiment may name it and `bench list` prints it.
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
    /// Where it comes from: paper and section, or `ours`.
    pub paper: &'static str,
    /// What it needs of a device, for `bench list`; empty for the CPU.
    pub needs: &'static str,
    /// The baseline that does the same work in the same way, by name.
    pub like: &'static str,
    /// The technique of the host whose answers its own must equal; on the host its own name where it is the
    /// reference.
    pub reference: &'static str,
    /// What decides how much it counts.
    pub counts: Counts,
    /// The tasks that it can do.
    pub tasks: &'static [Task],
    /// Its parameters.
    pub params: &'static [ParamEntry],
    /// Refuses a case and the parameters given that do not go together, in one line that names the
    /// key, the value and what is allowed.
    #[serde(skip)]
    pub check: fn(&Case, &Params) -> Result<(), String>,
}

impl TechniqueEntry {
    /// What most techniques of a device have in common: they answer and count as `serial` does, and are the like
    /// of `rayon`. For the rest of an entry: `..TechniqueEntry::DEVICE`.
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

    /// The same of techniques on one core, which count by their own rule.
    pub const SERIAL: TechniqueEntry = TechniqueEntry {
        kind: Kind::Serial,
        like: "serial",
        counts: Counts::Own,
        ..TechniqueEntry::DEVICE
    };

    /// The same of techniques on threads, whose order decides how much they count.
    pub const THREADS: TechniqueEntry = TechniqueEntry {
        kind: Kind::Threads,
        counts: Counts::Vary,
        ..TechniqueEntry::DEVICE
    };

    /// What decides how much it counts in a task: whatever it counts leaves with, all sequences of moves are
    /// as many nodes.
    pub fn counts_in(&self, task: Task) -> Counts {
        match task {
            // What somebody brings need not count the positions on the way.
            Task::Perft if !is_brought(self.name) => Counts::As(self.reference),
            _ => self.counts,
        }
    }

    /// The technique that counts the same on the host, where there is one: its own name stands for its model.
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

/// Everything that an experiment may name. Made by the registry of techniques, so that
/// `config` can check names without knowing any technique.
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
