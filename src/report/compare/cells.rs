//! The cells of two runs, side by side.

use std::collections::HashMap;

use super::{Change, Common, Comparison, Filter, Incomparable, Options, TechniqueChange};
use crate::check::counted;
use crate::report::data::{Index, Place, is_device};
use crate::report::number::Unit;
use crate::report::pairs;
use crate::report::paper::one_line;
use crate::report::series::grouped;
use crate::results::MeasurementRow;
use crate::stats::passes::{self, Prior, TAILS};
use crate::stats::{Ratio, median};
use crate::words::{Case, Status, Task};

/// [`Index::costs`] gives playouts' costs in femtoseconds.
const FS_IN_NS: f64 = 1e6;

pub(super) struct Devices<'a>(pub Vec<[&'a str; 2]>);

impl<'a> Devices<'a> {
    /// Pairs devices by label, or the only device of each run.
    pub(super) fn pair(a: &Index<'a>, b: &Index<'a>) -> Self {
        Devices(match (&a.devices[..], &b.devices[..]) {
            (&[one], &[other]) => vec![[one, other]],
            (ours, theirs) => {
                let both = ours.iter().filter(|label| theirs.contains(label));
                both.map(|&label| [label, label]).collect()
            }
        })
    }

    /// The other run's label of a place on `side`; the host is the host.
    pub(super) fn other<'b>(&'b self, side: usize, label: &'b str) -> &'b str {
        let pair = self.0.iter().find(|pair| pair[side] == label);
        pair.map_or(label, |pair| pair[1 - side])
    }
}

/// The filtered cells of either run; common cells by ratio, the slowest last.
pub(super) fn gather(
    [a, b]: [&Index<'_>; 2],
    devices: &Devices<'_>,
    filter: &Filter,
    options: &Options,
) -> Comparison {
    let mut own = Comparison::default();
    let priors = priors(a, b, devices);
    let mut found: Vec<(Common, Pair<'_, '_>)> = Vec::new();
    for (place, row) in measured(a, filter) {
        let device = devices.other(0, place.device);
        let cell = &row.cell;
        let Some(twin) = b.row(&cell.case, place.technique, device) else {
            let is_there = !is_device(place.device) || b.devices.contains(&device);
            if is_there && row.status == Status::Ok && b.is_asked(&cell.case, place.technique) {
                own.unmeasured.push(cell.clone());
            }
            own.only[0].push(cell.clone());
            continue;
        };
        let pair = Pair {
            sides: [(a, row), (b, twin)],
            options,
            prior: priors.get(place.device).and_then(Option::as_ref),
        };
        match pair.compare() {
            Ok(common) => found.push((common, pair)),
            Err(why) => own.incomparable.push(Incomparable {
                cell: cell.clone(),
                status: [row.status, twin.status],
                less: [row.status, twin.status] == [Status::Ok; 2]
                    && twin.units < row.units
                    && pair.scale().is_none(),
                why,
            }),
        }
    }
    for (place, row) in measured(b, filter) {
        let device = devices.other(1, place.device);
        if a.row(&row.cell.case, place.technique, device).is_none() {
            own.only[1].push(row.cell.clone());
        }
    }
    own.techniques = techniques(&found, options);
    let judged = found.iter().filter(|(common, _)| !common.has_few_passes());
    let judged = judged.count();
    let found = found.into_iter().map(|(common, pair)| Common {
        beyond: options.fail_over.is_some_and(|most| {
            let scale = pair.scale().unwrap_or(1.0);
            pair.values().is_beyond(most, scale, pair.prior, judged)
        }),
        ..common
    });
    own.common.extend(found);
    let by_ratio = |one: &Common, other: &Common| one.ratio.value.total_cmp(&other.ratio.value);
    own.common.sort_by(by_ratio);
    own
}

/// The change of each technique on each device over its comparable cells, the slowest last.
fn techniques(found: &[(Common, Pair<'_, '_>)], options: &Options) -> Vec<TechniqueChange> {
    let judged = found.iter().filter(|(common, _)| !common.has_few_passes());
    let place = |common: &'_ Common| [common.cell.technique.clone(), common.cell.device.clone()];
    let groups = grouped(judged.map(|(common, pair)| (place(common), pair)));
    let values = groups.iter().map(|(_, pairs)| Values::of_cells(pairs));
    let values: Vec<Values> = values.collect();
    let prior = Prior::of(values.iter().flat_map(Values::lists));
    let count = groups.len();
    let each = groups.iter().zip(&values);
    let changes = each.filter_map(|(([technique, device], pairs), values)| {
        let prior = prior.as_ref();
        let (value, interval) = values.ratio(prior, TAILS)?;
        let interval = Some(interval);
        let is_beyond = |most| values.is_beyond(most, 1.0, prior, count);
        Some(TechniqueChange {
            technique: technique.clone(),
            device: device.clone(),
            cells: pairs.len(),
            beyond: options.fail_over.is_some_and(is_beyond),
            ratio: Ratio { value, interval },
        })
    });
    let mut changes: Vec<TechniqueChange> = changes.collect();
    changes.sort_by(|one, other| one.ratio.value.total_cmp(&other.ratio.value));
    changes
}

/// Values per pass: ratios, second program over first; or, if `under` is there, costs of each run.
struct Values {
    over: Vec<f64>,
    under: Option<Vec<f64>>,
}

impl Values {
    fn of_cells(pairs: &[&Pair<'_, '_>]) -> Values {
        let together: Option<Vec<_>> = pairs.iter().map(|pair| together(pair.sides)).collect();
        if let Some(cells) = together {
            let (over, under) = (passes::of_cells(&cells), None);
            return Values { over, under };
        }
        let side = |side: usize| {
            let of_pair = |pair: &&Pair<'_, '_>| {
                let (index, row) = pair.sides[side];
                let scale = pair.scale().filter(|_| side == 1).unwrap_or(1.0);
                let costs = of_passes(index, row).into_iter().map(|cost| cost * scale);
                (1..).zip(costs).collect::<Vec<(u64, f64)>>()
            };
            passes::of_cells(&pairs.iter().map(of_pair).collect::<Vec<_>>())
        };
        Values {
            over: side(1),
            under: Some(side(0)),
        }
    }

    fn lists(&self) -> impl Iterator<Item = &[f64]> {
        let under = self.under.iter().map(Vec::as_slice);
        under.chain([self.over.as_slice()])
    }

    fn ratio(&self, prior: Option<&Prior>, tails: f64) -> Option<(f64, (f64, f64))> {
        match &self.under {
            None => passes::interval_of(&self.over, prior, tails),
            Some(under) => passes::quotient_of(&self.over, under, prior, tails),
        }
    }

    /// True if the second side is certainly slower, by more than `most`. Widened for `judged` cells: comparing a
    /// program with itself, one run in forty has a cell wholly above 1.
    fn is_beyond(&self, most: f64, scale: f64, prior: Option<&Prior>, judged: usize) -> bool {
        let found = self.ratio(prior, TAILS / judged.max(1) as f64);
        found.is_some_and(|(value, (low, _))| value * scale > 1.0 + most && low * scale > 1.0)
    }
}

/// Variation between passes per device of the first run: of ratios if both were sampled together, else of costs.
fn priors<'a>(
    a: &Index<'a>,
    b: &Index<'a>,
    devices: &'a Devices<'_>,
) -> HashMap<&'a str, Option<Prior>> {
    let mut by_device: HashMap<&str, Vec<Vec<f64>>> = HashMap::new();
    for (case, place, row) in a.cells() {
        let Some(row) = row else { continue };
        let device = devices.other(0, place.device);
        let twin = b.row(&case.to_string(), place.technique, device);
        let ratios = twin.and_then(|twin| together([(a, row), (b, twin)]));
        let ratios = ratios.map(|own| own.into_iter().map(|(_, ratio)| ratio).collect());
        let of_device = by_device.entry(place.device).or_default();
        of_device.push(ratios.unwrap_or_else(|| of_passes(a, row)));
    }
    for (_, place, row) in b.cells() {
        if let Some(row) = row.filter(|row| b.together(row).is_none()) {
            let of_device = by_device.entry(devices.other(1, place.device));
            of_device.or_default().push(of_passes(b, row));
        }
    }
    let prior = |cells: Vec<Vec<f64>>| Prior::of(cells.iter().map(Vec::as_slice));
    let each = by_device.into_iter();
    each.map(|(device, cells)| (device, prior(cells))).collect()
}

fn of_passes(index: &Index<'_>, row: &MeasurementRow) -> Vec<f64> {
    let passes = index.passes(row).into_iter();
    passes::medians(&passes.map(|(_, costs)| costs).collect::<Vec<_>>())
}

/// Second cost over first, pass by pass, if both were sampled together.
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

fn measured<'a>(
    index: &Index<'a>,
    filter: &Filter,
) -> impl Iterator<Item = (Place<'a>, &'a MeasurementRow)> {
    let cells = index.cells();
    let cells = cells.filter(|(case, place, _)| filter.takes(case, place.technique));
    cells.filter_map(|(_, place, row)| Some((place, row?)))
}

struct Pair<'a, 'b> {
    sides: [(&'b Index<'a>, &'b MeasurementRow); 2],
    options: &'b Options,
    prior: Option<&'b Prior>,
}

impl Pair<'_, '_> {
    fn rows(&self) -> [&MeasurementRow; 2] {
        self.sides.map(|(_, row)| row)
    }

    fn values(&self) -> Values {
        let [under, over] = self.sides;
        match together(self.sides) {
            Some(ratios) => Values {
                over: ratios.into_iter().map(|(_, ratio)| ratio).collect(),
                under: None,
            },
            None => Values {
                over: of_passes(over.0, over.1),
                under: Some(of_passes(under.0, under.1)),
            },
        }
    }

    /// Factor for a ratio of the sides' costs; `None` if their work differs.
    fn scale(&self) -> Option<f64> {
        let [one, other] = self.rows();
        pairs::scale(self.task(), one, other)
    }

    fn task(&self) -> Task {
        self.sides[0].0.data.experiment.task
    }

    fn compare(&self) -> Result<Common, String> {
        let [one, other] = self.rows();
        let cell = &one.cell;
        for (row, name) in [(one, "A"), (other, "B")] {
            if row.status != Status::Ok {
                let reason = Some(one_line(&row.reason)).filter(|reason| !reason.is_empty());
                let reason = reason.map_or(String::new(), |reason| format!(": {reason}"));
                return Err(format!("{name} is {}{reason}", row.status));
            }
        }
        let clocked = Case::parse(&cell.case).is_some_and(|case| case.is_clocked());
        if clocked && self.task() == Task::Match {
            return Err("in a match within a time per move the clock decides the times".to_owned());
        }
        let scale = self.scale().ok_or_else(|| {
            let (one, other) = (one.units, other.units);
            format!("not the same work: {one} positions, then {other}")
        })?;
        let by_playouts = self.sides[0].0.is_by_playouts(one);
        let costs = self.sides.map(|(index, row)| index.costs(row));
        let median = |costs: &Vec<u64>| median(costs).filter(|cost| *cost > 0);
        let [Some(before), Some(after)] = costs.each_ref().map(median) else {
            let why = "the raw samples of one side are not in its folder, or its median is 0";
            return Err(why.to_owned());
        };
        let (value, interval) = self.values().ratio(self.prior, TAILS).unzip();
        let ratio = Ratio {
            value: value.unwrap_or(after as f64 / before as f64) * scale,
            interval: interval.map(|(low, high)| (low * scale, high * scale)),
        };
        let each = by_playouts || one.units != other.units;
        let cost = |median: u64, row: &MeasurementRow| match (by_playouts, each) {
            (true, _) => median as f64 / FS_IN_NS,
            (false, true) => median as f64 / row.units as f64,
            (false, false) => median as f64,
        };
        Ok(Common {
            cell: cell.clone(),
            costs: [cost(before, one), cost(after, other)],
            each,
            change: Change::of(&ratio, self.options.same),
            beyond: false,
            // If the clock or the number of playouts differs, counts differ rightly.
            more_work: if each { Vec::new() } else { self.more_work() },
            ratio,
            samples: costs.map(|costs| costs.len()),
            notes: self.notes(each),
        })
    }

    fn more_work(&self) -> Vec<String> {
        let most = self.options.fail_work.unwrap_or(f64::INFINITY);
        let [one, other] = self.rows();
        let counts = [
            ("nodes", one.nodes, other.nodes),
            ("launches", one.launches, other.launches),
            ("bytes up", one.bytes_up, other.bytes_up),
            ("bytes down", one.bytes_down, other.bytes_down),
        ];
        let grown = counts.into_iter().filter_map(|(name, one, other)| {
            let (one, other) = (one?, other?);
            let text = [one, other].map(shown).join(", then ");
            (other as f64 > one as f64 * (1.0 + most)).then(|| format!("{name} {text}"))
        });
        grown.collect()
    }

    /// Differences in threads and work, as far as rows tell.
    fn notes(&self, each: bool) -> Vec<String> {
        let [one, other] = self.rows();
        let mut notes = Vec::new();
        if one.threads != other.threads {
            notes.push(format!("{} threads, then {}", one.threads, other.threads));
        }
        let counts = counted(one).into_iter().zip(counted(other));
        let differ = counts.filter_map(|((name, one), (_, other))| {
            let [one, other] = [one?, other?];
            (one != other).then(|| format!("{} {name}, then {}", shown(one), shown(other)))
        });
        let games = (one.score != other.score).then(|| "other games".to_owned());
        let differ: Vec<String> = differ.chain(games).collect();
        if !each && !differ.is_empty() {
            notes.push(format!("not the same work: {}", differ.join("; ")));
        }
        notes
    }
}

fn shown(count: u64) -> String {
    Unit::Count.show(count as f64)
}
