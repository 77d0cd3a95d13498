//! The headline: for each device and family of cases the best device technique, over one core and
//! over all of them.

use super::data::{HOST, Index, RAYON, SERIAL, is_device};
use super::figure::{self, Known, Missing};
use crate::config::Experiment;
use crate::results::MeasurementRow;
use crate::stats::{Verdict, median};
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

impl Headline {
    /// Whether a ratio in it has too few samples for an interval of 95 %.
    pub(crate) fn has_few_samples(&self) -> bool {
        self.best.as_ref().is_some_and(|best| {
            best.ratios()
                .filter_map(|(_, ratio)| ratio.as_ref().ok())
                .any(|known| known.few.is_some())
        })
    }
}

/// The best device technique of a case.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Best {
    pub case: Case,
    pub technique: String,
    pub median_ns: u64,
    /// Positions of one sample, in a game; `None` in other tasks.
    pub positions: Option<u64>,
    /// By which the best is found: [`Index::costs`], their median.
    cost: u64,
    pub over_serial: Result<Known, Missing>,
    /// `None` where the technique is rayon itself.
    pub over_rayon: Option<Result<Known, Missing>>,
    /// Over the fastest technique of the host that answers the same question, by its label: serial or rayon, or
    /// one that is better than both. `None` where the host has none but the technique itself.
    pub over_host: Option<(String, Result<Known, Missing>)>,
}

/// Stands for the fastest technique of the host where a baseline is named.
pub(crate) const FASTEST: &str = "the host's fastest";

impl Best {
    /// The case's place in its family, `depth=6`; `None` where it is alone in it.
    pub(crate) fn last_axis(&self) -> Option<String> {
        match self.case.0.as_slice() {
            [_, .., (axis, value)] => Some(format!("{axis}={value}")),
            _ => None,
        }
    }

    /// `8 positions`: on how many of a line of play the ratios rest.
    pub(crate) fn positions_text(&self) -> Option<String> {
        Some(match self.positions? {
            1 => "1 position".to_owned(),
            positions => format!("{positions} positions"),
        })
    }

    /// The time of the slowest baseline that it is compared with: how much work the case is.
    pub(crate) fn work(&self) -> Option<u64> {
        let known = self.ratios().filter_map(|(_, ratio)| ratio.as_ref().ok());
        known.filter_map(|known| known.baseline_ns).max()
    }

    /// What it was compared with, by the baseline's name.
    pub(crate) fn ratios(&self) -> impl Iterator<Item = (&'static str, &Result<Known, Missing>)> {
        let over_rayon = self.over_rayon.iter().map(|ratio| (RAYON, ratio));
        std::iter::once((SERIAL, &self.over_serial)).chain(over_rayon)
    }

    /// The ratio over a baseline: [`SERIAL`], [`RAYON`] or [`FASTEST`].
    pub(crate) fn over(&self, baseline: &str) -> Option<&Result<Known, Missing>> {
        match baseline {
            SERIAL => Some(&self.over_serial),
            RAYON => self.over_rayon.as_ref(),
            _ => self.over_host.as_ref().map(|(_, ratio)| ratio),
        }
    }

    /// The host's fastest technique, where it is neither serial nor rayon.
    pub(crate) fn other_fastest(&self) -> Option<(&str, &Result<Known, Missing>)> {
        let (label, ratio) = self.over_host.as_ref()?;
        (![SERIAL, RAYON].contains(&label.as_str())).then_some((label.as_str(), ratio))
    }

    pub(crate) fn comparisons(&self) -> usize {
        self.ratios().filter(|(_, ratio)| ratio.is_ok()).count()
    }
}

/// One line for each device and family of which anything was measured. In a run without a device
/// the line is the host's, and its technique rayon, beside serial.
///
/// The case shown is not the one that looks best: it is the last of its family, the most work, in
/// which a device technique can be compared with both baselines; failing that with one of them;
/// failing that with none. Of the techniques there the one with the smallest median time or, where the clock
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

/// The fastest technique of one case on a device; on the host that is rayon.
pub(crate) fn best_of(index: &Index<'_>, case: &Case, device: &str) -> Option<Best> {
    let text = case.to_string();
    let choices = index.data.experiment.techniques.iter();
    choices
        .filter(|choice| device != HOST || choice.label == RAYON)
        .filter_map(|choice| index.row(&text, &choice.label, device))
        // What the host answered without a launch says nothing of the device; and a player of another
        // kind answers another question than serial.
        .filter(|row| row.status == Status::Ok && row.launches != Some(0))
        .filter(|row| index.data.asks_the_same(&row.technique, SERIAL))
        .filter_map(|row| {
            Some(Best {
                case: case.clone(),
                technique: row.technique.clone(),
                median_ns: row.median_ns?,
                positions: (index.data.experiment.task == Task::Game).then_some(row.units),
                cost: median(&index.costs(row)).or(row.median_ns)?,
                over_serial: figure::speedup(index, row, SERIAL),
                over_rayon: (row.technique != RAYON).then(|| figure::speedup(index, row, RAYON)),
                over_host: over_host(index, &text, row),
            })
        })
        .min_by_key(|best| best.cost)
}

/// The ratio over the fastest technique of the host that answers what serial does and can be compared; `None`
/// where rayon should be among them and has no answer, because then nobody knows the fastest.
fn over_host(
    index: &Index<'_>,
    case: &str,
    row: &MeasurementRow,
) -> Option<(String, Result<Known, Missing>)> {
    let choices = &index.data.experiment.techniques;
    let is_told = |label: &str| {
        let row = index.row(case, label, HOST);
        row.is_some_and(|row| row.status == Status::Ok)
    };
    if choices.iter().any(|choice| choice.label == RAYON) && !is_told(RAYON) {
        return None;
    }
    let mut rows: Vec<&MeasurementRow> = choices
        .iter()
        .filter(|choice| choice.label != row.technique)
        .filter_map(|choice| index.row(case, &choice.label, HOST))
        .filter(|base| base.status == Status::Ok)
        .filter(|base| index.data.asks_the_same(&base.technique, SERIAL))
        .collect();
    rows.sort_by_key(|base| median(&index.costs(base)).or(base.median_ns));
    let mut ratios = rows.into_iter().map(|base| {
        let ratio = figure::speedup(index, row, &base.technique);
        (base.technique.clone(), ratio)
    });
    ratios.find(|(_, ratio)| ratio.is_ok())
}

/// The line that stands for the whole run on a device: of those that can be compared with most baselines the
/// one with the most work, which is the time that the slowest of these takes.
pub(crate) fn of_device<'a>(headlines: &'a [Headline], device: &str) -> Option<&'a Best> {
    let bests = headlines
        .iter()
        .filter(|line| line.device == device)
        .filter_map(|line| line.best.as_ref());
    // Of equals the last.
    bests.max_by_key(|best| (best.comparisons(), best.work()))
}

/// What the lines of a device say of its ratios over one baseline, all together.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Spread {
    /// The smallest and the largest ratio; `None` where there is none.
    pub range: Option<(f64, f64)>,
    /// The families in which it is faster, slower, neither, and those without a ratio.
    pub faster: Vec<String>,
    pub slower: Vec<String>,
    pub ties: Vec<String>,
    pub without: Vec<String>,
}

impl Spread {
    /// The families with a ratio.
    pub(crate) fn compared(&self) -> usize {
        self.faster.len() + self.slower.len() + self.ties.len()
    }
}

/// The ratios of a device's lines over a baseline.
pub(crate) fn spread(headlines: &[Headline], device: &str, baseline: &str) -> Spread {
    let mut spread = Spread::default();
    for line in headlines.iter().filter(|line| line.device == device) {
        let best = line.best.as_ref();
        let Some(Ok(known)) = best.and_then(|best| best.over(baseline)) else {
            spread.without.push(line.family.clone());
            continue;
        };
        let (low, high) = spread.range.unwrap_or((known.value, known.value));
        spread.range = Some((low.min(known.value), high.max(known.value)));
        match known.verdict {
            Some(Verdict::Faster) => &mut spread.faster,
            Some(Verdict::Slower) => &mut spread.slower,
            _ => &mut spread.ties,
        }
        .push(line.family.clone());
    }
    spread
}
