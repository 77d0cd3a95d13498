//! The cells of two runs, side by side.

use std::collections::HashMap;

use super::{Cell, Change, Common, Filter, Incomparable, Options, TechniqueChange};
use crate::report::data::{Index, Place, is_device};
use crate::report::number::Unit;
use crate::report::pairs;
use crate::report::paper::one_line;
use crate::results::MeasurementRow;
use crate::stats::passes::{self, Prior, TAILS};
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
    pub techniques: Vec<TechniqueChange>,
    pub incomparable: Vec<Incomparable>,
    pub only: [Vec<Cell>; 2],
    pub unmeasured: Vec<Cell>,
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
    let mut pairs = Vec::new();
    for (case, place, row) in measured(a, filter) {
        let device = devices.in_second(place.device);
        let cell = cell(case, &place);
        let Some(twin) = b.row(&cell.case, place.technique, device) else {
            let is_there = !is_device(place.device) || b.devices().contains(&device);
            if is_there && row.status == Status::Ok && b.is_asked(&cell.case, place.technique) {
                found.unmeasured.push(cell.clone());
            }
            found.only[0].push(cell);
            continue;
        };
        let pair = Pair {
            sides: [(a, row), (b, twin)],
            options,
            prior: priors.get(place.device).and_then(Option::as_ref),
        };
        match pair.compare(&cell) {
            Ok(common) => {
                found.common.push(common);
                pairs.push(pair);
            }
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
    found.techniques = techniques(&found.common, &pairs, options);
    let judged = found.common.iter().zip(&pairs);
    let judged = judged
        .filter(|(common, _)| !common.has_few_passes())
        .count();
    for (common, pair) in found.common.iter_mut().zip(&pairs) {
        let scale = pair.scale().unwrap_or(1.0);
        common.beyond = options
            .fail_over
            .is_some_and(|most| pair.values().is_beyond(most, scale, pair.prior, judged));
    }
    found
        .common
        .sort_by(|one, other| one.ratio.value.total_cmp(&other.ratio.value));
    found
}

/// What became of each technique on each device, over its cells that can be judged; the slowest last.
fn techniques(
    common: &[Common],
    pairs: &[Pair<'_, '_>],
    options: &Options,
) -> Vec<TechniqueChange> {
    let mut places: Vec<(&str, &str)> = Vec::new();
    for own in common {
        let place = (own.cell.technique.as_str(), own.cell.device.as_str());
        if !own.has_few_passes() && !places.contains(&place) {
            places.push(place);
        }
    }
    let passes: Vec<Passes> = places
        .iter()
        .map(|place| {
            let own = common.iter().zip(pairs).filter(|(common, _)| {
                let cell = &common.cell;
                (cell.technique.as_str(), cell.device.as_str()) == *place
                    && !common.has_few_passes()
            });
            let pairs: Vec<&Pair<'_, '_>> = own.map(|(_, pair)| pair).collect();
            let side = |side: usize| {
                let scale = |pair: &Pair<'_, '_>| match side {
                    1 => pair.scale().unwrap_or(1.0),
                    _ => 1.0,
                };
                let of_pair = |pair: &&Pair<'_, '_>| scaled(pair.numbered(side), scale(pair));
                passes::of_cells(&pairs.iter().map(of_pair).collect::<Vec<_>>())
            };
            let together: Option<Vec<_>> = pairs.iter().map(|pair| together(pair.sides)).collect();
            Passes {
                cells: pairs.len(),
                values: match together {
                    Some(cells) => Values::Together(passes::of_cells(&cells)),
                    None => Values::Apart([side(0), side(1)]),
                },
            }
        })
        .collect();
    let lists = passes.iter().flat_map(|own| match &own.values {
        Values::Together(ratios) => vec![ratios.as_slice()],
        Values::Apart(sides) => sides.iter().map(Vec::as_slice).collect(),
    });
    let prior = Prior::of(lists);
    let count = places.len();
    let each = places.iter().zip(&passes);
    let mut found: Vec<TechniqueChange> = each
        .filter_map(|((technique, device), own)| {
            let (value, interval) = own.values.ratio(prior.as_ref(), TAILS)?;
            Some(TechniqueChange {
                technique: (*technique).to_owned(),
                device: (*device).to_owned(),
                cells: own.cells,
                beyond: options
                    .fail_over
                    .is_some_and(|most| own.values.is_beyond(most, 1.0, prior.as_ref(), count)),
                ratio: Ratio {
                    value,
                    interval: Some(interval),
                },
            })
        })
        .collect();
    found.sort_by(|one, other| one.ratio.value.total_cmp(&other.ratio.value));
    found
}

/// What the passes of a technique's cells, or of one cell, say.
struct Passes {
    cells: usize,
    values: Values,
}

/// Numbers pass by pass.
enum Values {
    /// Ratios, the second program over the first.
    Together(Vec<f64>),
    /// Costs of each run.
    Apart([Vec<f64>; 2]),
}

impl Values {
    /// The second over the first, with an interval whose tails hold so much.
    fn ratio(&self, prior: Option<&Prior>, tails: f64) -> Option<(f64, (f64, f64))> {
        match self {
            Values::Together(ratios) => passes::interval_of(ratios, prior, tails),
            Values::Apart([under, over]) => passes::quotient_of(over, under, prior, tails),
        }
    }

    /// Whether the second side is slower by more than this, as one of so many that are judged at once: it is
    /// certain that it is slower, and the ratio is above. The interval is so wide that in one of forty
    /// comparisons of a program with itself, not for one in forty of its cells, one lies wholly above 1.
    fn is_beyond(&self, most: f64, scale: f64, prior: Option<&Prior>, judged: usize) -> bool {
        let found = self.ratio(prior, TAILS / judged.max(1) as f64);
        found.is_some_and(|(value, (low, _))| value * scale > 1.0 + most && low * scale > 1.0)
    }
}

fn scaled(passes: Vec<(u64, f64)>, scale: f64) -> Vec<(u64, f64)> {
    let each = passes.into_iter();
    each.map(|(pass, value)| (pass, value * scale)).collect()
}

/// How the passes of the cells on each device of the first run vary: their ratios, where both sides were
/// sampled together, and else the passes of both runs.
fn priors<'a>(
    a: &Index<'a>,
    b: &Index<'a>,
    devices: &'a Devices<'_>,
) -> HashMap<&'a str, Option<Prior>> {
    let mut by_device: HashMap<&str, Vec<Vec<f64>>> = HashMap::new();
    for (case, place, row) in a.cells() {
        let Some(row) = row else { continue };
        let device = devices.in_second(place.device);
        let twin = b.row(&case.to_string(), place.technique, device);
        let values = twin.and_then(|twin| together([(a, row), (b, twin)]));
        let values = values.map(|ratios| ratios.into_iter().map(|(_, ratio)| ratio).collect());
        let of_device = by_device.entry(place.device).or_default();
        of_device.push(values.unwrap_or_else(|| of_passes(a, row)));
    }
    for (_, place, row) in b.cells() {
        let Some(row) = row else { continue };
        if b.together(row).is_none() {
            let device = devices.in_first(place.device);
            let of_device = by_device.entry(device).or_default();
            of_device.push(of_passes(b, row));
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

/// What a cell cost the second program over what it cost the first, pass by pass, where both were sampled
/// together: what a pass did to both cancels.
fn together(sides: [(&Index<'_>, &MeasurementRow); 2]) -> Option<Vec<(u64, f64)>> {
    let [one, other] = sides.map(|(index, row)| index.together(row));
    if one.is_none() || one != other {
        return None;
    }
    let [under, over] = sides.map(|(index, row)| index.passes(row));
    let median = |costs: &[u64]| median(costs).filter(|cost| *cost > 0);
    let ratio = |((_, pass), under): &((&str, u64), Vec<u64>)| {
        let (_, over) = over.iter().find(|((_, own), _)| own == pass)?;
        Some((*pass, median(over)? as f64 / median(under)? as f64))
    };
    Some(under.iter().filter_map(ratio).collect())
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

    /// What both sides say, pass by pass.
    fn values(&self) -> Values {
        match together(self.sides) {
            Some(ratios) => Values::Together(ratios.into_iter().map(|(_, ratio)| ratio).collect()),
            None => Values::Apart(self.sides.map(|(index, row)| of_passes(index, row))),
        }
    }

    /// What it cost a side in each pass, numbered through its invocations.
    fn numbered(&self, side: usize) -> Vec<(u64, f64)> {
        let (index, row) = self.sides[side];
        (1..).zip(of_passes(index, row)).collect()
    }

    /// By what a ratio of the sides' costs is to be multiplied, where they are of unlike amounts of work;
    /// `None`: they cannot be set against each other.
    fn scale(&self) -> Option<f64> {
        let [one, other] = self.rows();
        pairs::scale(self.task(), one, other)
    }

    fn task(&self) -> Task {
        self.sides[0].0.data.experiment.task
    }

    /// Whether both have an answer that cannot be set against each other, because the second is of fewer
    /// positions.
    fn is_less(&self) -> bool {
        let [one, other] = self.rows();
        let both = one.status == Status::Ok && other.status == Status::Ok;
        both && other.units < one.units && self.scale().is_none()
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
        let scale = self.scale().ok_or_else(|| {
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
        let found = self.values().ratio(self.prior, TAILS);
        let ratio = match found {
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
        Ok(Common {
            cell: cell.clone(),
            costs: [cost(0), cost(1)],
            each,
            change: Change::of(&ratio, self.options.same),
            beyond: false,
            more_work: self.more_work(each),
            ratio,
            samples,
            notes: self.notes(each),
        })
    }

    /// What the second side counts more of than allowed.
    fn more_work(&self, each: bool) -> Vec<String> {
        let Some(most) = self.options.fail_work.filter(|_| !each) else {
            return Vec::new();
        };
        let [one, other] = self.rows();
        let counts = [
            ("nodes", one.nodes, other.nodes),
            ("launches", one.launches, other.launches),
            ("bytes up", one.bytes_up, other.bytes_up),
            ("bytes down", one.bytes_down, other.bytes_down),
        ];
        let grown = counts.into_iter().filter_map(|(name, one, other)| {
            let (one, other) = (one? as f64, other? as f64);
            let show = |count| Unit::Count.show(count);
            (other > one * (1.0 + most))
                .then(|| format!("{name} {}, then {}", show(one), show(other)))
        });
        grown.collect()
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
