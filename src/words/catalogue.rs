use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use super::{Case, Fault, Params, Task, Value};

/// The hardware that a technique runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// One core on the host.
    Serial,
    /// All threads of the pool.
    Threads,
    /// An OpenCL device.
    Device,
}

worded! { Kind { Serial "serial" Threads "threads" Device "device" } }

/// What determines a technique's counters (nodes, leaves, playouts, plies). See also [`TechniqueEntry::counts_in`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Counts {
    /// The case, the parameters and the algorithm. The counters are equal in every sample.
    Own,
    /// The search of this host technique. The counters must exactly equal its counters.
    As(&'static str),
    /// Like [`Counts::Own`]. In addition, the host has a model of the technique that yields equal counters.
    Model,
    /// The order of threads or work-groups as well. The counters vary between samples.
    Vary,
}

/// One axis of a game's cases.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct AxisEntry {
    /// The name of the axis: `board`, `depth`.
    pub name: &'static str,
    /// The meaning of the axis and the allowed values: `WxH, both even, 4 to 64`.
    pub allowed: &'static str,
    /// The default value, as text: `8x8`. Only commands for a single position have defaults; experiments do not.
    pub default: Option<&'static str>,
    /// The tasks whose cases have the axis. Empty means all tasks.
    pub tasks: &'static [Task],
}

impl AxisEntry {
    /// Returns true if the cases of a task have this axis.
    pub fn belongs_to(&self, task: Task) -> bool {
        self.tasks.is_empty() || self.tasks.contains(&task)
    }
}

/// One parameter of a technique, or one option of a game.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ParamEntry {
    /// The key in the experiment file.
    pub name: &'static str,
    /// The meaning and the allowed values.
    pub allowed: &'static str,
    /// The default value, as text.
    pub default: &'static str,
    /// Refuses an invalid value. The message lists the allowed values.
    #[serde(skip)]
    pub check: fn(&Value) -> Result<(), String>,
}

impl ParamEntry {
    /// Formats the error for an invalid value.
    pub fn refused(&self, value: &Value) -> String {
        format!("{}: `{value}`; allowed is {}", self.name, self.allowed)
    }

    /// Parses a whole number in a range. The error names the key, the value and the allowed values.
    pub fn whole(&self, value: &Value, range: RangeInclusive<i64>) -> Result<usize, String> {
        let number = value.as_int().filter(|number| range.contains(number));
        let number = number.and_then(|number| usize::try_from(number).ok());
        number.ok_or_else(|| self.refused(value))
    }

    /// Like [`ParamEntry::whole`], but returns `None` for `auto`.
    pub fn whole_or_auto(
        &self,
        value: &Value,
        range: RangeInclusive<i64>,
    ) -> Result<Option<usize>, String> {
        let number = value.as_text() != Some("auto");
        number.then(|| self.whole(value, range)).transpose()
    }

    /// Reads this parameter's value in `params`, or returns `default` if it is not set. Fails with the error of `read`.
    pub fn given<'a, T>(
        &self,
        params: &'a Params,
        default: T,
        read: impl FnOnce(&'a Value) -> Result<T, String>,
    ) -> Result<T, Fault> {
        let value = params.get(self.name).map_or(Ok(default), read);
        value.map_err(Fault::Input)
    }
}

/// A game that experiments may use.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct GameEntry {
    /// The name of the game: `reversi`.
    pub name: &'static str,
    /// A description in one sentence.
    pub summary: &'static str,
    /// The axes of the game's cases, in the order used in reports.
    pub axes: &'static [AxisEntry],
    /// Keys of the experiment's `[options]` table, such as the evaluation and the rules.
    pub options: &'static [ParamEntry],
    /// The tasks that the game supports.
    pub tasks: &'static [Task],
    /// Refuses an invalid value of an axis. The message lists the allowed values.
    #[serde(skip)]
    pub check_axis: fn(&str, &Value) -> Result<(), String>,
    /// Refuses options that contradict each other or the case.
    #[serde(skip)]
    pub check: fn(&Case, &Params) -> Result<(), String>,
    /// Parses a position for a case. If there is no text, returns the start position.
    #[serde(skip)]
    pub understand: fn(&Case, &Params, Option<&str>) -> Result<Understood, String>,
    /// Replays a match's games according to the rules. Each game has the measured technique's score and the moves.
    /// Returns the number of openings, or a one-line error about the first wrong game.
    #[serde(skip)]
    pub replay: Replay,
}

type Replay = fn(&Case, &Params, &[(i64, String)]) -> Result<usize, String>;

/// A parsed position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Understood {
    /// The notation of the text: `moves`, `board`, `obf`.
    pub form: &'static str,
    /// The position in the game's notation; `None` for the start position.
    pub position: Option<String>,
    /// A sentence about an unexpected start position, or an empty text.
    pub note: &'static str,
}

impl Understood {
    /// Returns a game's start position.
    pub fn start() -> Understood {
        Understood {
            form: "start",
            position: None,
            note: "",
        }
    }
}

/// A technique that experiments may use and `bench list` prints.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct TechniqueEntry {
    /// The game that the technique plays.
    pub game: &'static str,
    /// The name of the technique: `pv-split`.
    pub name: &'static str,
    /// The hardware it runs on.
    pub kind: Kind,
    /// One sentence about the algorithm.
    pub summary: &'static str,
    /// The source: paper and section, or `ours`.
    pub paper: &'static str,
    /// Required device features, for `bench list`. Empty for CPU techniques.
    pub needs: &'static str,
    /// The name of the like-for-like baseline, which does the same work in the same way.
    pub like: &'static str,
    /// The host technique that gives the same answers. A reference refers to itself.
    pub reference: &'static str,
    /// What determines its counters.
    pub counts: Counts,
    /// The tasks that the technique supports.
    pub tasks: &'static [Task],
    /// Whether it splits its launches to stay within the device's launch limit.
    pub splits: bool,
    /// Its parameters.
    pub params: &'static [ParamEntry],
    /// Refuses parameters that do not suit a case. The message names the key, the value and the allowed values.
    #[serde(skip)]
    pub check: fn(&Case, &Params) -> Result<(), String>,
}

impl TechniqueEntry {
    /// Defaults for device techniques with the answers and counters of `serial`. Use `..TechniqueEntry::DEVICE`.
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
        tasks: &[Task::Search, Task::Game, Task::Match],
        splits: false,
        params: &[],
        check: |_, _| Ok(()),
    };

    /// Defaults for a single-threaded technique. Its counters are [`Counts::Own`].
    pub const SERIAL: TechniqueEntry = TechniqueEntry {
        kind: Kind::Serial,
        like: "serial",
        counts: Counts::Own,
        ..TechniqueEntry::DEVICE
    };

    /// Defaults for a multi-threaded technique. Its counters vary.
    pub const THREADS: TechniqueEntry = TechniqueEntry {
        kind: Kind::Threads,
        counts: Counts::Vary,
        ..TechniqueEntry::DEVICE
    };

    /// Combines `other` with `shape`, which takes precedence. Keeps only the parameters that this technique has.
    pub fn params_of(&self, other: &Params, shape: &Params) -> Params {
        let all = other.clone().into_iter().chain(shape.clone());
        all.filter(|(name, _)| self.params.iter().any(|own| own.name == name))
            .collect()
    }

    /// Returns true if its launches in a task stay within the launch limit. Launches in `perft` always do.
    pub fn splits_in(&self, task: Task) -> bool {
        self.splits || task == Task::Perft
    }

    /// Returns what determines its counters in a task. In `perft` and multi-threaded playouts, the reference does.
    pub fn counts_in(&self, task: Task) -> Counts {
        let plays_at_random = self.tasks.contains(&Task::Playouts);
        match task {
            // A user-supplied technique need not count inner positions.
            _ if is_brought(self.name) => self.counts,
            Task::Perft => Counts::As(self.reference),
            Task::Playouts | Task::Choose if plays_at_random && self.counts == Counts::Vary => {
                Counts::As(self.reference)
            }
            _ => self.counts,
        }
    }

    /// Returns the host technique with equal counters, if any. The technique's own name stands for its model.
    pub fn twin_in(&self, task: Task) -> Option<&'static str> {
        match self.counts_in(task) {
            Counts::As(name) if name != self.name => Some(name),
            Counts::Model => Some(self.name),
            _ => None,
        }
    }
}

/// All games and techniques that experiments may use. The registry creates it, so that `config` imports none.
#[derive(Clone, Debug)]
pub struct Catalogue {
    /// All games.
    pub games: Vec<GameEntry>,
    /// All techniques for all games.
    pub techniques: Vec<TechniqueEntry>,
    /// The entries for user-supplied kernels and programs, for each game.
    pub brought: Vec<TechniqueEntry>,
}

impl Catalogue {
    /// Returns the game with that name.
    pub fn game(&self, name: &str) -> Option<&GameEntry> {
        self.games.iter().find(|game| game.name == name)
    }

    /// Returns the technique with that name, for that game.
    pub fn technique(&self, game: &str, name: &str) -> Option<&TechniqueEntry> {
        let all = self.techniques.iter().chain(&self.brought);
        all.into_iter().find(|t| t.game == game && t.name == name)
    }

    /// Returns all built-in techniques for a game, in the registry's order.
    pub fn of_game<'a>(&'a self, game: &'a str) -> impl Iterator<Item = &'a TechniqueEntry> {
        self.techniques.iter().filter(move |t| t.game == game)
    }

    /// Returns the catalogue for a run folder. The folder's techniques replace techniques with the same names.
    pub fn with(&self, game: &str, records: &[TechniqueRecord]) -> Catalogue {
        let mut all = self.clone();
        let Some(game) = self.game(game).map(|entry| entry.name) else {
            return all;
        };
        for record in records {
            let mut known = all.techniques.iter_mut();
            match known.find(|entry| entry.game == game && entry.name == record.name) {
                Some(entry) if TechniqueRecord::of(entry) == *record => {}
                Some(entry) => *entry = record.entry(game),
                None => all.techniques.push(record.entry(game)),
            }
        }
        all
    }
}

/// The properties of a technique. Run folders store them, because later versions may lack the technique.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TechniqueRecord {
    /// The technique's name.
    pub name: String,
    /// The hardware it runs on.
    pub kind: Kind,
    /// The like-for-like baseline.
    pub like: String,
    /// The technique that gives the same answers.
    pub reference: String,
    /// What determines its counters: `own`, `model`, `vary`, or `as` followed by a technique.
    pub counts: String,
    /// The tasks that it supports.
    pub tasks: Vec<Task>,
    /// The names of its parameters.
    pub params: Vec<String>,
}

impl TechniqueRecord {
    /// Creates the record of a technique in the catalogue.
    pub fn of(entry: &TechniqueEntry) -> TechniqueRecord {
        let counts = match entry.counts {
            Counts::Own => "own".to_owned(),
            Counts::Model => "model".to_owned(),
            Counts::Vary => "vary".to_owned(),
            Counts::As(name) => format!("as {name}"),
        };
        let params = entry.params.iter().map(|param| param.name.to_owned());
        TechniqueRecord {
            name: entry.name.to_owned(),
            kind: entry.kind,
            like: entry.like.to_owned(),
            reference: entry.reference.to_owned(),
            counts,
            tasks: entry.tasks.to_vec(),
            params: params.collect(),
        }
    }

    /// Creates an entry for reading old runs. It accepts any parameter value. Leaks its texts, as entries are static.
    fn entry(&self, game: &'static str) -> TechniqueEntry {
        let keep = |text: &str| -> &'static str { Box::leak(text.into()) };
        let param = |name: &String| ParamEntry {
            name: keep(name),
            allowed: "",
            default: "",
            check: |_| Ok(()),
        };
        let params: Vec<ParamEntry> = self.params.iter().map(param).collect();
        TechniqueEntry {
            game,
            name: keep(&self.name),
            kind: self.kind,
            like: keep(&self.like),
            reference: keep(&self.reference),
            counts: match (self.counts.as_str(), self.counts.strip_prefix("as ")) {
                ("own", _) => Counts::Own,
                ("model", _) => Counts::Model,
                (_, Some(name)) => Counts::As(keep(name)),
                _ => Counts::Vary,
            },
            tasks: self.tasks.clone().leak(),
            params: params.leak(),
            ..TechniqueEntry::DEVICE
        }
    }
}

/// The catalogue's name for a user's programs, which experiments declare with `command = ["python3", "mine.py"]`.
pub const PROGRAM: &str = "program";

/// The contracts of users' kernels with their catalogue names, for `kernel = "mine.cl"` and `contract = "playouts"`.
pub const KERNELS: [(&str, &str); 4] = [
    ("playouts", "kernel-playouts"),
    ("perft", "kernel-perft"),
    ("subtrees", "kernel-subtrees"),
    ("evaluate", "kernel-evaluate"),
];

/// Returns true if the technique is user-supplied. Such a technique fills roles, for example best CPU, only on request.
pub fn is_brought(technique: &str) -> bool {
    technique == PROGRAM || KERNELS.iter().any(|(_, name)| *name == technique)
}
