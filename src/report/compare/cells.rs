//! Matches the cells of two runs.

use std::collections::HashMap;

use regex_lite::Regex;

use super::{Change, Common, Comparison, Incomparable, Options, TechniqueChange};
use crate::check::{COUNTERS, counted};
use crate::report::data::{Index, distinct, grouped, is_device};
use crate::report::format::{Unit, one_line};
use crate::report::known::Missing;
use crate::report::ratios;
use crate::results::{CellId, MeasurementRow};
use crate::stats::passes::{self, Prior, TAILS};
use crate::stats::{Ratio, median};
use crate::words::{Case, Status, Task};

/// [`Index::costs`] returns the costs of playouts in femtoseconds.
const FS_IN_NS: f64 = 1e6;

/// Pairs the devices of both runs. Paired devices have the same label, or each is the only device in its run.
pub(super) fn devices<'a>([a, b]: [&Index<'a>; 2]) -> Vec<[&'a str; 2]> {
    match (&a.devices[..], &b.devices[..]) {
        (&[one], &[other]) => vec![[one, other]],
        (ours, theirs) => {
            let both = ours.iter().filter(|label| theirs.contains(label));
            both.map(|&label| [label, label]).collect()
        }
    }
}

/// Returns the other run's label for a device of run `side`. The label of the host is the same in both runs.
fn other<'a>(devices: &[[&'a str; 2]], side: usize, label: &'a str) -> &'a str {
    let pair = devices.iter().find(|pair| pair[side] == label);
    pair.map_or(label, |pair| pair[1 - side])
}

/// Compares the selected cells of both runs. Common cells are sorted by ratio, so that the slowest are last.
pub(super) fn gather(
    [a, b]: [&Index<'_>; 2],
    devices: &[[&str; 2]],
    techniques: &Regex,
    options: &Options,
) -> Comparison {
    let mut own = Comparison::default();
    let selection = options.selection();
    let together = [a, b].map(|index| {
        let invocations = index.data.environment.invocations.iter();
        distinct(invocations.map(|it| it.together.as_deref()))
    });
    let is_paired = matches!(together[0][..], [Some(_)]) && together[0] == together[1];
    let mut pairs = Vec::new();
    for (side, [index, second]) in [[a, b], [b, a]].into_iter().enumerate() {
        for (case, place, row) in index.cells() {
            let Some(row) = row else { continue };
            let there = other(devices, side, place.device);
            let is_chosen = techniques.is_match(place.technique) && selection.takes(case);
            match second.row(&row.cell.case, place.technique, there) {
                Some(twin) if side == 0 => {
                    pairs.push((is_chosen, Pair::new([(a, row), (b, twin)], is_paired)));
                }
                None if is_chosen => {
                    let is_there = !is_device(place.device) || b.devices.contains(&there);
                    let is_asked = is_there && b.is_asked(&row.cell.case, place.technique);
                    if side == 0 && is_asked && row.status == Status::Ok {
                        let why = "B planned to measure it but has no row".to_owned();
                        own.lost.push((row.cell.clone(), why));
                    }
                    own.only[side].push(row.cell.clone());
                }
                _ => {}
            }
        }
    }
    // Excluded cells also contribute to the priors, so that a filter does not change an interval.
    let all = grouped(pairs.iter().map(|(_, pair)| (&pair.cell().device, pair)));
    let priors = all.into_iter().map(|(device, pairs)| {
        let lists = pairs.into_iter().flat_map(|pair| &pair.lists);
        (device, Prior::of(lists.map(Vec::as_slice)))
    });
    let priors: HashMap<&String, Option<Prior>> = priors.collect();
    let mut found = Vec::new();
    for (_, pair) in pairs.iter().filter(|(is_chosen, _)| *is_chosen) {
        let prior = priors[&pair.cell().device].as_ref();
        match pair.compare(prior) {
            Ok(common) => found.push((common, pair, prior)),
            Err(why) => {
                let cell = pair.cell().clone();
                if pair.is_lost() {
                    own.lost.push((cell.clone(), why.clone()));
                }
                let [status_a, status_b] = pair.rows().map(|row| row.status);
                own.incomparable.push(Incomparable {
                    cell,
                    status_a,
                    status_b,
                    why,
                });
            }
        }
    }
    let judged = found.iter().filter(|(own, ..)| !own.few_passes);
    let judged = judged.map(|(own, pair, _)| ((&own.cell.technique, &own.cell.device), *pair));
    let judged: Vec<_> = judged.collect();
    let count = judged.len();
    own.techniques = changes(grouped(judged), options);
    for (mut common, pair, prior) in found {
        common.beyond = is_beyond(&pair.lists, options, prior, count);
        own.common.push(common);
    }
    let common = &mut own.common;
    common.sort_by(|one, other| one.ratio.value.total_cmp(&other.ratio.value));
    own
}

/// Computes the change of each technique on each device over its comparable cells. The slowest comes last.
fn changes(
    groups: Vec<((&String, &String), Vec<&Pair<'_>>)>,
    options: &Options,
) -> Vec<TechniqueChange> {
    let lists: Vec<Vec<Vec<f64>>> = groups.iter().map(|(_, own)| combined(own)).collect();
    let prior = Prior::of(lists.iter().flatten().map(Vec::as_slice));
    let (prior, count) = (prior.as_ref(), groups.len());
    let each = groups.into_iter().zip(&lists);
    let changes = each.filter_map(|(((technique, device), pairs), lists)| {
        Some(TechniqueChange {
            technique: technique.clone(),
            device: device.clone(),
            cells: pairs.len(),
            beyond: is_beyond(lists, options, prior, count),
            ratio: ratio(lists, prior, TAILS)?,
        })
    });
    let mut changes: Vec<TechniqueChange> = changes.collect();
    changes.sort_by(|one, other| one.ratio.value.total_cmp(&other.ratio.value));
    changes
}

/// Combines the lists of several cells: each list has one value per pass over all of these cells.
fn combined(pairs: &[&Pair<'_>]) -> Vec<Vec<f64>> {
    let count = pairs.first().map_or(0, |pair| pair.lists.len());
    let lists = (0..count).map(|at| {
        let lists = pairs
            .iter()
            .map(|pair| (1..).zip(pair.lists[at].iter().copied()));
        passes::of_cells(&lists.map(Iterator::collect).collect::<Vec<_>>())
    });
    lists.collect()
}

fn ratio(lists: &[Vec<f64>], prior: Option<&Prior>, tails: f64) -> Option<Ratio> {
    let under = lists.get(1).map(Vec::as_slice);
    let (value, ends) = passes::interval_of(lists.first()?, under, prior, tails)?;
    let interval = Some(ends);
    Some(Ratio { value, interval })
}

/// Returns true if the second side is significantly slower, by more than `fail_over`. The interval is widened to
/// correct for `judged` comparisons. Without this correction, about one cell in forty would have its whole interval
/// above 1 even if a program is compared with itself.
fn is_beyond(lists: &[Vec<f64>], options: &Options, prior: Option<&Prior>, judged: usize) -> bool {
    let found = ratio(lists, prior, TAILS / judged.max(1) as f64);
    let gate = found.zip(options.fail_over);
    gate.is_some_and(|(ratio, most)| {
        ratio.value > 1.0 + most && ratio.interval.is_some_and(|(low, _)| low > 1.0)
    })
}

/// A cell in both runs. The second side's costs and ratios are scaled to the first side's work.
struct Pair<'a> {
    sides: [(&'a Index<'a>, &'a MeasurementRow); 2],
    /// Lists with one value per pass. If both sides were sampled together, the only list has the second side's cost
    /// divided by the first side's. Otherwise, there are two lists: the costs of the second side, then of the first.
    lists: Vec<Vec<f64>>,
    /// Factor that corrects a ratio of costs for unequal playout counts. `None` if the numbers of positions differ.
    scale: Option<f64>,
}

impl<'a> Pair<'a> {
    fn new(sides: [(&'a Index<'a>, &'a MeasurementRow); 2], is_paired: bool) -> Self {
        let [(index, row), (_, twin)] = sides;
        let scale = ratios::scale(index.data.experiment.task, row, twin);
        let factor = scale.unwrap_or(1.0);
        let lists = if is_paired {
            let [under, over] = sides.map(|(index, row)| index.passes(row));
            let median = |costs: &[u64]| median(costs).filter(|cost| *cost > 0);
            let ratio = |((_, pass), under): &((&str, u64), Vec<u64>)| {
                let (_, over) = over.iter().find(|((_, own), _)| own == pass)?;
                Some(factor * median(over)? as f64 / median(under)? as f64)
            };
            vec![under.iter().filter_map(ratio).collect()]
        } else {
            let [under, mut over] = sides.map(|(index, row)| {
                let passes = index.passes(row).into_iter();
                let medians = passes.filter_map(|(_, costs)| median(&costs));
                medians.map(|median| median as f64).collect::<Vec<_>>()
            });
            over.iter_mut().for_each(|cost| *cost *= factor);
            vec![over, under]
        };
        Pair {
            sides,
            lists,
            scale,
        }
    }

    fn cell(&self) -> &'a CellId {
        &self.sides[0].1.cell
    }

    fn rows(&self) -> [&'a MeasurementRow; 2] {
        self.sides.map(|(_, row)| row)
    }

    /// Returns true if only the first side has an answer, or if the second side's answer covers fewer positions.
    fn is_lost(&self) -> bool {
        let [one, other] = self.rows();
        let is_less = self.scale.is_none() && other.units < one.units;
        one.status == Status::Ok && (other.status != Status::Ok || is_less)
    }

    fn compare(&self, prior: Option<&Prior>) -> Result<Common, String> {
        let [one, other] = self.rows();
        for (row, name) in [(one, "A"), (other, "B")] {
            if row.status != Status::Ok {
                let missing = one_line(&Missing::of_row(row).text());
                return Err(format!("{name} is {missing}"));
            }
        }
        let index = self.sides[0].0;
        let clocked = Case::parse(&one.cell.case).is_some_and(|case| case.is_clocked());
        if clocked && index.data.experiment.task == Task::Match {
            let why = "in a match with a time per move, the clock determines the times";
            return Err(why.to_owned());
        }
        let scale = self.scale.ok_or_else(|| {
            let (one, other) = (one.units, other.units);
            format!("not the same work: {one} positions, then {other}")
        })?;
        let costs = self.sides.map(|(index, row)| index.costs(row));
        let medians = costs.each_ref().map(|costs| median(costs));
        let [Some(before @ 1..), Some(after @ 1..)] = medians else {
            let why = "the raw samples of one side are not in its folder, or its median is 0";
            return Err(why.to_owned());
        };
        let ratio = ratio(&self.lists, prior, TAILS);
        let ratio = ratio.unwrap_or(Ratio {
            value: after as f64 / before as f64 * scale,
            interval: None,
        });
        let by_playouts = index.is_by_playouts(one);
        let each = by_playouts || one.units != other.units;
        let cost = |median: u64, row: &MeasurementRow| match (by_playouts, each) {
            (true, _) => median as f64 / FS_IN_NS,
            (false, true) => median as f64 / row.units as f64,
            (false, false) => median as f64,
        };
        Ok(Common {
            cell: one.cell.clone(),
            a_ns: cost(before, one),
            b_ns: cost(after, other),
            each,
            change: Change::of(&ratio),
            beyond: false,
            few_passes: ratio.interval.is_none(),
            ratio,
            samples_a: costs[0].len(),
            samples_b: costs[1].len(),
            notes: self.notes(each),
        })
    }

    /// Describes differences in threads and work, as far as the rows show them.
    fn notes(&self, each: bool) -> Vec<String> {
        let [one, other] = self.rows();
        let mut notes = Vec::new();
        if one.threads != other.threads {
            notes.push(format!("{} threads, then {}", one.threads, other.threads));
        }
        let counts = counted(one).into_iter().zip(counted(other));
        let differ = COUNTERS.into_iter().zip(counts);
        let differ = differ.filter_map(|(name, (one, other))| {
            let [one, then] = [one?, other?].map(|count| Unit::Count.show(count as f64));
            (one != then).then(|| format!("{one} {name}, then {then}"))
        });
        let games = (one.score != other.score).then(|| "other games".to_owned());
        let differ: Vec<String> = differ.chain(games).collect();
        if !each && !differ.is_empty() {
            notes.push(format!("not the same work: {}", differ.join("; ")));
        }
        notes
    }
}
