//! The headline: for each device and family of cases the best device technique, over best one core and over
//! best CPU.

use super::data::{HOST, Index, SERIAL, is_device};
use super::figure;
use super::pairs::cost;
use super::ratios::{ROLES, Ratio};
use crate::config::Experiment;
use crate::words::{Case, Status, Task};

/// One line of the headline.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Headline {
    /// The cases that differ in their last axis only: `board=8x8`.
    pub family: String,
    pub device: String,
    /// `None` where no technique answered any case of the family on this device.
    pub best: Option<Best>,
}

/// The best device technique of a case.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Best {
    pub case: Case,
    pub technique: String,
    pub median_ns: u64,
    /// Positions of one sample, in a game; `None` in other tasks.
    pub positions: Option<u64>,
    /// Over best one core and over best CPU, in the order of [`ROLES`].
    pub ratios: [Ratio; 2],
}

impl Best {
    /// The ratio over a role.
    pub(crate) fn over(&self, role: &str) -> Option<&Ratio> {
        self.ratios.iter().find(|ratio| ratio.over == role)
    }

    pub(crate) fn comparisons(&self) -> usize {
        let known = self.ratios.iter().filter(|ratio| ratio.result.is_ok());
        known.count()
    }
}

/// One line for each device and family of which anything was measured. In a run without a device
/// the line is the host's, and its technique the fastest there.
///
/// The case shown is not the one that looks best: it is the last of its family, the most work, in
/// which a device technique can be compared with best one core and with best CPU; failing that with one of
/// them; failing that with none. Of the techniques there the one with the smallest median time or, where the clock
/// decides how much is done, with the most playouts, even if a slower one could be compared better: the
/// line says that it is the fastest.
pub(crate) fn headlines(index: &Index<'_>) -> Vec<Headline> {
    let experiment = &index.data.experiment;
    // A match's players have different opponents, and games of different lengths.
    if experiment.task == Task::Match {
        return Vec::new();
    }
    let families = begun_families(index);
    let mut headlines = Vec::new();
    let rows = &index.data.measurements;
    let on_devices = rows.iter().any(|row| is_device(&row.device));
    let places = if on_devices { index.devices() } else { &[HOST] };
    for &device in places {
        for (family, cases) in &families {
            let mut best: Option<Best> = None;
            for found in cases
                .iter()
                .rev()
                .filter_map(|case| best_of(index, case, device))
            {
                if best
                    .as_ref()
                    .is_none_or(|best| found.comparisons() > best.comparisons())
                {
                    best = Some(found);
                }
            }
            headlines.push(Headline {
                family: family.clone(),
                device: device.to_owned(),
                best,
            });
        }
    }
    headlines
}

/// The cases of an experiment by families, which differ in their last axis alone, in its order; each case by
/// itself where there is one axis.
pub(crate) fn families(experiment: &Experiment) -> Vec<(String, Vec<&Case>)> {
    let last = experiment.axes.last().map_or("", String::as_str);
    let mut families: Vec<(String, Vec<&Case>)> = Vec::new();
    for case in &experiment.cases {
        let family = if experiment.axes.len() > 1 {
            case.without(last)
        } else {
            case.clone()
        };
        let name = family.to_string();
        match families.iter_mut().find(|(known, _)| *known == name) {
            Some((_, cases)) => cases.push(case),
            None => families.push((name, vec![case])),
        }
    }
    families
}

/// The families of which something was measured: a case that was not chosen, or not come to yet, is no case
/// without an answer.
pub(crate) fn begun_families<'a>(index: &Index<'a>) -> Vec<(String, Vec<&'a Case>)> {
    let mut families = families(&index.data.experiment);
    families.retain(|(_, cases)| {
        let begun = |case: &&Case| index.is_begun(&case.to_string());
        cases.iter().any(begun)
    });
    families
}

/// The fastest technique of one case on a device, or of the host.
pub(crate) fn best_of(index: &Index<'_>, case: &Case, device: &str) -> Option<Best> {
    let text = case.to_string();
    let choices = index.data.experiment.techniques.iter();
    choices
        .filter(|choice| choice.has_our_rules())
        .filter_map(|choice| index.row(&text, &choice.label, device))
        // What the host answered without a launch says nothing of the device; and a player of another
        // kind answers another question than serial.
        .filter(|row| row.status == Status::Ok)
        .filter(|row| device == HOST || row.launches != Some(0))
        .filter(|row| index.data.asks_the_same(&row.technique, SERIAL))
        .min_by(|a, b| cost(index, a).total_cmp(&cost(index, b)))
        .and_then(|row| {
            Some(Best {
                case: case.clone(),
                technique: row.technique.clone(),
                median_ns: row.median_ns?,
                positions: (index.data.experiment.task == Task::Game).then_some(row.units),
                ratios: ROLES.map(|role| figure::ratio(index, row, role)),
            })
        })
}
