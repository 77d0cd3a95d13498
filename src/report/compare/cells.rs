//! The cells of two runs, side by side.

use std::collections::HashMap;

use super::{Cell, Change, Common, Filter, Incomparable, Options};
use crate::report::data::{Index, Place};
use crate::report::figure;
use crate::report::number::Unit;
use crate::report::paper::one_line;
use crate::results::MeasurementRow;
use crate::stats::passes::{self, Prior};
use crate::stats::{Ratio, median};
use crate::words::{Case, Status, Task};

/// Femtoseconds in a nanosecond: [`Index::costs`] tells playouts' costs in them.
const FS_IN_NS: f64 = 1e6;

/// Which device of the second run stands beside which of the first.
pub(super) struct Devices<'a> {
    /// Labels in the first run and in the second.
    pub pairs: Vec<(&'a str, &'a str)>,
    /// The one pair whose labels differ, where each run has this one device alone.
    pub by_position: Option<(&'a str, &'a str)>,
}

impl<'a> Devices<'a> {
    /// By label; where each run has exactly one device, and they differ, those two.
    pub(super) fn pair(a: &Index<'a>, b: &Index<'a>) -> Self {
        match (a.devices(), b.devices()) {
            (&[one], &[other]) if one != other => Devices {
                pairs: vec![(one, other)],
                by_position: Some((one, other)),
            },
            (ours, theirs) => Devices {
                pairs: ours
                    .iter()
                    .filter(|label| theirs.contains(label))
                    .map(|&label| (label, label))
                    .collect(),
                by_position: None,
            },
        }
    }

    /// The second run's label of a place of the first; the host is the host.
    pub(super) fn in_second<'b>(&'b self, label: &'b str) -> &'b str {
        match self.by_position {
            Some((one, other)) if one == label => other,
            _ => label,
        }
    }

    /// The first run's label of a place of the second.
    fn in_first<'b>(&'b self, label: &'b str) -> &'b str {
        match self.by_position {
            Some((one, other)) if other == label => one,
            _ => label,
        }
    }
}

/// What was found in two runs.
#[derive(Default)]
pub(super) struct Found {
    pub common: Vec<Common>,
    pub incomparable: Vec<Incomparable>,
    pub only: [Vec<Cell>; 2],
}

impl Found {
    /// Why nothing can be compared, with what there is instead.
    pub(super) fn none_in_common(&self, sides: [&Index<'_>; 2]) -> String {
        let [a, b] = sides.map(|index| index.data.folder.display());
        format!(
            "{a} and {b}: no cell has an answer in both (only in A: {}, only in B: {}, without two answers \
             to compare: {})",
            self.only[0].len(),
            self.only[1].len(),
            self.incomparable.len()
        )
    }
}

/// Every cell of either run that the filter takes; the common ones by ratio, the slowest last.
pub(super) fn gather(
    a: &Index<'_>,
    b: &Index<'_>,
    devices: &Devices<'_>,
    filter: &Filter,
    options: &Options,
) -> Found {
    let mut found = Found::default();
    let priors = priors(a, b, devices);
    for (case, place, row) in measured(a, filter) {
        let device = devices.in_second(place.device);
        let cell = cell(case, &place);
        let Some(twin) = b.row(&cell.case, place.technique, device) else {
            found.only[0].push(cell);
            continue;
        };
        let pair = Pair {
            sides: [(a, row), (b, twin)],
            options,
            prior: priors.get(place.device).and_then(Option::as_ref),
        };
        match pair.compare(&cell) {
            Ok(common) => found.common.push(common),
            Err(why) => found.incomparable.push(Incomparable {
                cell,
                status: [row.status, twin.status],
                less: pair.is_less(),
                why,
            }),
        }
    }
    for (case, place, row) in measured(b, filter) {
        let device = devices.in_first(place.device);
        if a.row(&row.case, place.technique, device).is_none() {
            found.only[1].push(cell(case, &place));
        }
    }
    found
        .common
        .sort_by(|one, other| one.ratio.value.total_cmp(&other.ratio.value));
    found
}

/// How the passes of the cells on each device of the first run vary, in both runs.
fn priors<'a>(
    a: &Index<'a>,
    b: &Index<'a>,
    devices: &'a Devices<'_>,
) -> HashMap<&'a str, Option<Prior>> {
    let mut by_device: HashMap<&str, Vec<Vec<f64>>> = HashMap::new();
    for (index, is_first) in [(a, true), (b, false)] {
        for (_, place, row) in index.cells() {
            let Some(row) = row else { continue };
            let device = if is_first {
                place.device
            } else {
                devices.in_first(place.device)
            };
            by_device
                .entry(device)
                .or_default()
                .push(of_passes(index, row));
        }
    }
    let each = by_device.into_iter();
    each.map(|(device, cells)| (device, Prior::of(cells.iter().map(Vec::as_slice))))
        .collect()
}

/// What a cell cost in each of its passes, of whatever invocation.
fn of_passes(index: &Index<'_>, row: &MeasurementRow) -> Vec<f64> {
    let passes: Vec<Vec<u64>> = index
        .passes(row)
        .into_iter()
        .map(|(_, costs)| costs)
        .collect();
    passes::medians(&passes)
}

/// The cells of a run that have a row.
fn measured<'a>(
    index: &Index<'a>,
    filter: &Filter,
) -> impl Iterator<Item = (&'a Case, Place<'a>, &'a MeasurementRow)> {
    index.cells().filter_map(|(case, place, row)| {
        row.filter(|_| filter.takes(case, place.technique))
            .map(|row| (case, place, row))
    })
}

fn cell(case: &Case, place: &Place<'_>) -> Cell {
    Cell {
        case: case.to_string(),
        technique: place.technique.to_owned(),
        device: place.device.to_owned(),
    }
}

/// One cell in both runs.
struct Pair<'a, 'b> {
    sides: [(&'b Index<'a>, &'b MeasurementRow); 2],
    options: &'b Options,
    /// How the passes of its device's cells vary.
    prior: Option<&'b Prior>,
}

impl Pair<'_, '_> {
    fn rows(&self) -> [&MeasurementRow; 2] {
        self.sides.map(|(_, row)| row)
    }

    /// What it cost in each pass of each side.
    fn of_passes(&self) -> [Vec<f64>; 2] {
        self.sides.map(|(index, row)| of_passes(index, row))
    }

    fn task(&self) -> Task {
        self.sides[0].0.data.experiment.task
    }

    /// Whether both have an answer that cannot be set against each other, because the second is of fewer
    /// positions.
    fn is_less(&self) -> bool {
        let [one, other] = self.rows();
        let both = one.status == Status::Ok && other.status == Status::Ok;
        both && other.units < one.units && figure::scale(self.task(), one, other).is_none()
    }

    /// The comparison, or why there is none.
    fn compare(&self, cell: &Cell) -> Result<Common, String> {
        let [one, other] = self.rows();
        for (row, name) in [(one, "A"), (other, "B")] {
            if row.status != Status::Ok {
                let reason = one_line(&row.reason);
                return Err(match reason.as_str() {
                    "" => format!("{name} is {}", row.status),
                    reason => format!("{name} is {}: {reason}", row.status),
                });
            }
        }
        let clocked = Case::parse(&cell.case).is_some_and(|case| case.is_clocked());
        if clocked && self.task() == Task::Match {
            return Err("in a match within a time per move the clock decides the times".to_owned());
        }
        let scale = figure::scale(self.task(), one, other).ok_or_else(|| {
            format!(
                "not the same work: {} positions, then {}",
                one.units, other.units
            )
        })?;
        let by_playouts = self.sides[0].0.is_by_playouts(one);
        let costs = self.sides.map(|(index, row)| index.costs(row));
        let medians = [0, 1].map(|side: usize| median(&costs[side]).filter(|cost| *cost > 0));
        let [Some(before), Some(after)] = medians else {
            let why = "the raw samples of one side are not in its folder, or its median is 0";
            return Err(why.to_owned());
        };
        let [of_a, of_b] = self.of_passes();
        let ratio = match passes::quotient(&of_b, &of_a, self.prior) {
            Some((value, (low, high))) => Ratio {
                value: value * scale,
                interval: Some((low * scale, high * scale)),
            },
            None => Ratio {
                value: after as f64 / before as f64 * scale,
                interval: None,
            },
        };
        let samples = [costs[0].len(), costs[1].len()];
        let each = by_playouts || one.units != other.units;
        let cost = |side: usize| {
            let median = median(&costs[side]).unwrap_or_default() as f64;
            match (by_playouts, each) {
                (true, _) => median / FS_IN_NS,
                (false, true) => median / self.rows()[side].units as f64,
                (false, false) => median,
            }
        };
        let beyond = |most: f64| ratio.interval.is_some_and(|(low, _)| low > 1.0 + most);
        Ok(Common {
            cell: cell.clone(),
            costs: [cost(0), cost(1)],
            each,
            change: Change::of(&ratio, self.options.same),
            beyond: self.options.fail_over.is_some_and(beyond),
            ratio,
            samples,
            notes: self.notes(each),
        })
    }

    fn notes(&self, each: bool) -> Vec<String> {
        let [one, other] = self.rows();
        let mut notes = Vec::new();
        if one.threads != other.threads {
            notes.push(format!("{} threads, then {}", one.threads, other.threads));
        }
        // Where the clock or the number of playouts differs, so do the counts, and nothing is wrong.
        if !each {
            notes.extend(self.other_work());
        }
        notes
    }

    /// What one side did and the other did not, as far as rows tell.
    fn other_work(&self) -> Option<String> {
        let [one, other] = self.rows();
        let mut differ = Vec::new();
        for (name, one, other) in [
            ("nodes", one.nodes, other.nodes),
            ("leaves", one.leaves, other.leaves),
            ("playouts", one.playouts, other.playouts),
            ("plies", one.plies, other.plies),
        ] {
            if let (Some(one), Some(other)) = (one, other)
                && one != other
            {
                let show = |count: u64| Unit::Count.show(count as f64);
                differ.push(format!("{} {name}, then {}", show(one), show(other)));
            }
        }
        if one.score != other.score {
            differ.push("other games".to_owned());
        }
        (!differ.is_empty()).then(|| format!("not the same work: {}", differ.join("; ")))
    }
}
