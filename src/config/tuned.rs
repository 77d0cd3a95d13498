//! `tuned/<device>.toml`: launch parameters that suit a device, as `bench tune` found them.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::error::allowed;
use super::views::TECHNIQUE;
use super::{Experiment, TechniqueChoice};
use crate::words::{Catalogue, Params, Status, Task, TechniqueEntry};

/// Version of the file's format.
const FORMAT: u32 = 1;

/// Ends the label of a technique that is run with tuned parameters beside its defaults.
const SUFFIX: &str = "-tuned";

/// What stands above the tables.
const HEADING: &str = "\
# Launch parameters that suit one device, found by `bench tune`; `bench run --tuned` uses them.
# `params` beat the defaults, their intervals apart, on the case named; none: the defaults stay.
# Times are whole nanoseconds: medians and their 95 % bootstrap intervals. `tried` is all that was
# measured, in order.

";

/// What `bench tune` found on one device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Tuned {
    format: u32,
    /// The device.
    pub device: TunedDevice,
    /// The techniques, each once for a game and a task.
    #[serde(default, rename = "technique")]
    pub techniques: Vec<TunedTechnique>,
}

/// The device that parameters suit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct TunedDevice {
    /// Platform name.
    pub platform: String,
    /// Device name.
    pub name: String,
    /// Driver version.
    pub driver: String,
}

/// What was found of one technique.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct TunedTechnique {
    /// The game.
    pub game: String,
    /// What it was asked.
    pub task: Task,
    /// Its name in the catalogue.
    pub name: String,
    /// The file of a kernel that the experiment brings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// The parameters that beat the defaults; none where none did.
    pub params: Params,
    /// The experiment that the case is of.
    pub experiment: String,
    /// The case that it was measured on, `board=8x8 depth=4`.
    pub case: String,
    /// Hash of the kernels that it was measured with.
    pub kernel_hash: String,
    /// What the defaults took, in the last comparison.
    pub default: Timing,
    /// What `params` took in it; `None` where they are none.
    pub tuned: Option<Timing>,
    /// All that was measured, in order.
    pub tried: Vec<Tried>,
}

/// A median with its interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Timing {
    /// Median of the samples' whole times.
    pub median_ns: u64,
    /// Lower end of its 95 % bootstrap interval.
    pub low_ns: u64,
    /// Upper end of it.
    pub high_ns: u64,
    /// Samples.
    pub samples: u64,
}

/// One measurement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Tried {
    /// The parameters, the defaults left out.
    pub params: Params,
    /// How it ended.
    pub status: Status,
    /// Why, where it is not `ok`; for `ok`, the sampling condition that was not met, if any.
    pub reason: String,
    /// `None` where it is not `ok`.
    pub timing: Option<Timing>,
}

/// Why a file of tuned parameters cannot be used: one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TunedError {
    /// The file could not be read.
    #[error("{file}: cannot be read: {problem}")]
    Read {
        /// The file.
        file: String,
        /// The system's answer.
        problem: String,
    },
    /// Something in it is wrong, or it is of another device.
    #[error("{file}: {problem}")]
    Wrong {
        /// The file.
        file: String,
        /// What is wrong, and what is allowed.
        problem: String,
    },
}

impl Tuned {
    /// Nothing yet, of a device.
    pub fn new(device: TunedDevice) -> Tuned {
        Tuned {
            format: FORMAT,
            device,
            techniques: Vec::new(),
        }
    }

    /// Reads a file, its names and values checked against the catalogue.
    ///
    /// # Errors
    ///
    /// The first thing found wrong.
    pub fn read(path: &Path, catalogue: &Catalogue) -> Result<Tuned, TunedError> {
        let file = path.display().to_string();
        let text = crate::words::read_text(path).map_err(|error| TunedError::Read {
            file: file.clone(),
            problem: error.to_string(),
        })?;
        Tuned::parse(&text, catalogue).map_err(|problem| TunedError::Wrong { file, problem })
    }

    fn parse(text: &str, catalogue: &Catalogue) -> Result<Tuned, String> {
        let tuned: Tuned = toml::from_str(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            let line = text.get(..at).unwrap_or(text).matches('\n').count() + 1;
            let message: Vec<&str> = error.message().lines().collect();
            format!("line {line}: {}", message.join("; "))
        })?;
        if tuned.format != FORMAT {
            let found = tuned.format;
            return Err(format!("format: {found}; this program reads {FORMAT}"));
        }
        for technique in &tuned.techniques {
            technique.entry(catalogue)?;
        }
        Ok(tuned)
    }

    /// Refuses the file, by the name of `path`, for any other device than its own.
    ///
    /// # Errors
    ///
    /// Names both devices.
    pub fn expect_device(&self, path: &Path, devices: &[TunedDevice]) -> Result<(), TunedError> {
        let own = &self.device;
        let like =
            |device: &TunedDevice| (&device.platform, &device.name) == (&own.platform, &own.name);
        if matches!(devices, [one] if like(one)) {
            return Ok(());
        }
        let named = |device: &TunedDevice| format!("{} ({})", device.name, device.platform);
        let others: Vec<String> = devices.iter().map(named).collect();
        let others = match others.as_slice() {
            [] => "there is no device".to_owned(),
            others => format!("this run is on {}", others.join(" and on ")),
        };
        Err(TunedError::Wrong {
            file: path.display().to_string(),
            problem: format!("is of {} and of no other; {others}", named(own)),
        })
    }

    /// Puts what was found of a technique in place of what was there of it.
    pub fn put(&mut self, found: TunedTechnique) {
        let same = |it: &TunedTechnique| {
            (&it.game, it.task, &it.name) == (&found.game, found.task, &found.name)
                && it.kernel == found.kernel
        };
        match self.techniques.iter().position(same) {
            Some(place) => self.techniques[place] = found,
            None => self.techniques.push(found),
        }
    }

    /// The file's text.
    ///
    /// # Errors
    ///
    /// Where TOML has no way to write a value of it: a time of more than 292 years.
    pub fn to_toml(&self) -> Result<String, String> {
        let text = toml::to_string(self).map_err(|error| error.to_string())?;
        Ok(format!("{HEADING}{text}"))
    }

    fn of(&self, experiment: &Experiment, choice: &TechniqueChoice) -> Option<&TunedTechnique> {
        self.techniques.iter().find(|it| {
            it.game == experiment.game
                && it.task == experiment.task
                && it.name == choice.technique
                && it.kernel.as_deref() == choice.kernel()
        })
    }
}

impl TunedTechnique {
    /// Its entry, its parameters checked.
    fn entry<'c>(&self, catalogue: &'c Catalogue) -> Result<&'c TechniqueEntry, String> {
        let (game, name) = (&self.game, &self.name);
        let Some(entry) = catalogue.technique(game, name) else {
            let names: Vec<&str> = catalogue.of_game(game).map(|it| it.name).collect();
            let allowed = allowed(name, &names);
            return Err(format!("technique: {game} has no {name:?}; {allowed}"));
        };
        for (key, value) in &self.params {
            let Some(param) = entry.params.iter().find(|it| it.name == key) else {
                let names: Vec<&str> = entry.params.iter().map(|it| it.name).collect();
                let allowed = allowed(key, &names);
                return Err(format!("params: {game} {name} has no {key:?}; {allowed}"));
            };
            (param.check)(value).map_err(|problem| format!("params: {game} {name}: {problem}"))?;
        }
        Ok(entry)
    }
}

impl Experiment {
    /// Puts beside each technique that has tuned parameters, and sets none of them itself, the same
    /// technique with them: as `<label>-tuned`, measured and shown beside the defaults.
    ///
    /// A table or a chart that tells techniques apart by their parameters alone keeps its own.
    /// Gives the labels of the new ones, and a line for each that cannot be.
    pub fn add_tuned(
        &mut self,
        tuned: &Tuned,
        catalogue: &Catalogue,
    ) -> (Vec<String>, Vec<String>) {
        let (mut added, mut refused) = (Vec::new(), Vec::new());
        let mut all = Vec::new();
        let labels: Vec<String> = self.techniques.iter().map(|it| it.label.clone()).collect();
        for choice in &self.techniques {
            all.push(choice.clone());
            let Some(found) = tuned.of(self, choice) else {
                continue;
            };
            let sets = |key: &String| choice.params.contains_key(key);
            if !choice.measured || found.params.is_empty() || found.params.keys().any(sets) {
                continue;
            }
            let mut variant = choice.clone();
            variant.label.push_str(SUFFIX);
            variant.params.extend(found.params.clone());
            let fits = || {
                if labels.contains(&variant.label) {
                    return Err("the experiment has a technique of that label".to_owned());
                }
                let entry = found.entry(catalogue)?;
                let mut cases = self.cases.iter().filter(|case| variant.takes(case));
                cases.try_for_each(|case| (entry.check)(case, &variant.params))
            };
            match fits() {
                Ok(()) => {
                    added.push(choice.label.clone());
                    all.push(variant);
                }
                Err(why) => refused.push(format!("{} is left out: {why}", variant.label)),
            }
        }
        self.techniques = all;
        let axes = self.axes.clone();
        for view in self.views_mut() {
            let directions: Vec<&String> = view.rows.iter().chain(&view.columns).collect();
            let by_technique = directions.iter().any(|it| *it == TECHNIQUE);
            if by_technique || directions.iter().all(|it| axes.contains(it)) {
                view.techniques = beside(&view.techniques, &added);
            }
        }
        let added = added.iter().map(|label| format!("{label}{SUFFIX}"));
        (added.collect(), refused)
    }
}

/// The labels, each of those that have a tuned one followed by it.
fn beside(shown: &[String], added: &[String]) -> Vec<String> {
    let with = |label: &String| {
        let tuned = added.contains(label).then(|| format!("{label}{SUFFIX}"));
        std::iter::once(label.clone()).chain(tuned)
    };
    shown.iter().flat_map(with).collect()
}
