//! The cells of two runs, side by side.

use std::collections::HashMap;

use super::comparison::{
    Change, Common, Comparison, Filter, Incomparable, Options, TechniqueChange,
};
use crate::check::counted;
use crate::report::data::{Index, is_device};
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

/// The devices of both runs: of equal labels, or the only device of each.
pub(super) struct Devices<'a>(pub Vec<[&'a str; 2]>);

impl<'a> Devices<'a> {
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
    // Per device of the first run: ratios if both were sampled together, else costs.
    let mut by_device: HashMap<&str, Vec<Vec<f64>>> = HashMap::new();
    let mut pairs = Vec::new();
    for (case, place, row) in a.cells() {
        let Some(row) = row else { continue };
        let device = devices.other(0, place.device);
        let twin = b.row(&row.cell.case, place.technique, device);
        let pair = twin.map(|twin| Pair::new([(a, row), (b, twin)]));
        let ratios = pair.as_ref().and_then(|pair| pair.ratios.as_ref());
        let values = ratios.map_or_else(|| plain(&by_pass(a, row)), |own| plain(own));
        by_device.entry(place.device).or_default().push(values);
        if !filter.takes(case, place.technique) {
            continue;
        }
        if pair.is_none() {
            let is_there = !is_device(place.device) || b.devices.contains(&device);
            if is_there && row.status == Status::Ok && b.is_asked(&row.cell.case, place.technique) {
                own.unmeasured.push(row.cell.clone());
            }
            own.only[0].push(row.cell.clone());
        }
        pairs.extend(pair);
    }
    for (case, place, row) in b.cells() {
        let Some(row) = row else { continue };
        let device = devices.other(1, place.device);
        if b.together(row).is_none() {
            let of_device = by_device.entry(device).or_default();
            of_device.push(plain(&by_pass(b, row)));
        }
        let is_common = a.row(&row.cell.case, place.technique, device).is_some();
        if !is_common && filter.takes(case, place.technique) {
            own.only[1].push(row.cell.clone());
        }
    }
    let prior = |lists: Vec<Vec<f64>>| Prior::of(lists.iter().map(Vec::as_slice));
    let priors = by_device.into_iter();
    let priors: HashMap<&str, _> = priors.map(|(at, lists)| (at, prior(lists))).collect();
    let mut found = Vec::new();
    for pair in &pairs {
        let prior = priors.get(pair.row().cell.device.as_str());
        let prior = prior.and_then(Option::as_ref);
        match pair.compare(prior, options) {
            Ok(common) => found.push((common, pair, prior)),
            Err(why) => own.incomparable.push(Incomparable {
                cell: pair.row().cell.clone(),
                status: pair.rows.map(|row| row.status),
                is_lost: pair.is_lost(),
                why,
            }),
        }
    }
    let judged = || found.iter().filter(|(own, ..)| !own.has_few_passes());
    let count = judged().count();
    let place = |own: &Common| [own.cell.technique.clone(), own.cell.device.clone()];
    own.techniques = techniques(
        grouped(judged().map(|(own, pair, _)| (place(own), *pair))),
        options,
    );
    own.common = found
        .into_iter()
        .map(|(common, pair, prior)| Common {
            beyond: Values::of(&[pair]).is_beyond(options, prior, count),
            ..common
        })
        .collect();
    let by_ratio = |one: &Common, other: &Common| one.ratio.value.total_cmp(&other.ratio.value);
    own.common.sort_by(by_ratio);
    own
}

/// The change of each technique on each device over its comparable cells, the slowest last.
fn techniques(
    groups: Vec<([String; 2], Vec<&Pair<'_>>)>,
    options: &Options,
) -> Vec<TechniqueChange> {
    let values: Vec<Values> = groups.iter().map(|(_, own)| Values::of(own)).collect();
    let prior = Prior::of(values.iter().flat_map(Values::lists));
    let (prior, count) = (prior.as_ref(), groups.len());
    let each = groups.into_iter().zip(&values);
    let changes = each.filter_map(|(([technique, device], pairs), values)| {
        let (value, interval) = values.ratio(prior, TAILS)?;
        let interval = Some(interval);
        Some(TechniqueChange {
            technique,
            device,
            cells: pairs.len(),
            beyond: values.is_beyond(options, prior, count),
            ratio: Ratio { value, interval },
        })
    });
    let mut changes: Vec<TechniqueChange> = changes.collect();
    changes.sort_by(|one, other| one.ratio.value.total_cmp(&other.ratio.value));
    changes
}

/// A value per pass, with the pass's number.
type Passes = Vec<(u64, f64)>;

fn plain(passes: &[(u64, f64)]) -> Vec<f64> {
    passes.iter().map(|(_, value)| *value).collect()
}

fn by_pass(index: &Index<'_>, row: &MeasurementRow) -> Passes {
    let passes = index.passes(row).into_iter().map(|(_, costs)| costs);
    let medians = passes::medians(&passes.collect::<Vec<_>>());
    (1..).zip(medians).collect()
}

/// Ratios per pass, second program over first; or, if `under` is there, costs of each run.
struct Values {
    over: Vec<f64>,
    under: Option<Vec<f64>>,
}

impl Values {
    fn of(pairs: &[&Pair<'_>]) -> Values {
        let joined = |lists: Vec<Passes>| match &lists[..] {
            [one] => plain(one),
            several => passes::of_cells(several),
        };
        let ratios: Option<Vec<Passes>> = pairs.iter().map(|pair| pair.ratios.clone()).collect();
        let side = |side: usize| pairs.iter().map(|pair| pair.passes[side].clone()).collect();
        match ratios {
            Some(ratios) => Values {
                over: joined(ratios),
                under: None,
            },
            None => Values {
                over: joined(side(1)),
                under: Some(joined(side(0))),
            },
        }
    }

    fn lists(&self) -> impl Iterator<Item = &[f64]> {
        let under = self.under.iter().map(Vec::as_slice);
        under.chain([self.over.as_slice()])
    }

    fn ratio(&self, prior: Option<&Prior>, tails: f64) -> Option<(f64, (f64, f64))> {
        passes::interval_of(&self.over, self.under.as_deref(), prior, tails)
    }

    /// True if the second side is certainly slower, by more than the gate. Widened for `judged` cells: comparing a
    /// program with itself, one run in forty has a cell wholly above 1.
    fn is_beyond(&self, options: &Options, prior: Option<&Prior>, judged: usize) -> bool {
        let found = self.ratio(prior, TAILS / judged.max(1) as f64);
        let gate = found.zip(options.fail_over);
        gate.is_some_and(|((value, (low, _)), most)| value > 1.0 + most && low > 1.0)
    }
}

/// A cell of both runs. Costs and ratios of the second side are scaled to the first side's work.
struct Pair<'a> {
    rows: [&'a MeasurementRow; 2],
    costs: [Vec<u64>; 2],
    passes: [Passes; 2],
    /// Pass by pass, if both were sampled together.
    ratios: Option<Passes>,
    /// Factor for a ratio of the sides' costs; `None` if their work differs.
    scale: Option<f64>,
    task: Task,
    by_playouts: bool,
}

impl<'a> Pair<'a> {
    fn new(sides: [(&Index<'a>, &'a MeasurementRow); 2]) -> Self {
        let (index, row) = sides[0];
        let rows = sides.map(|(_, row)| row);
        let task = index.data.experiment.task;
        let scale = pairs::scale(task, rows[0], rows[1]);
        let factor = scale.unwrap_or(1.0);
        let [under, mut over] = sides.map(|(index, row)| by_pass(index, row));
        over.iter_mut().for_each(|(_, cost)| *cost *= factor);
        let [one, other] = sides.map(|(index, row)| index.together(row));
        let ratios = (one.is_some() && one == other).then(|| {
            let [under, over] = sides.map(|(index, row)| index.passes(row));
            let median = |costs: &[u64]| median(costs).filter(|cost| *cost > 0);
            let ratio = |((_, pass), under): &((&str, u64), Vec<u64>)| {
                let (_, over) = over.iter().find(|((_, own), _)| own == pass)?;
                Some((*pass, factor * median(over)? as f64 / median(under)? as f64))
            };
            under.iter().filter_map(ratio).collect()
        });
        Pair {
            rows,
            costs: sides.map(|(index, row)| index.costs(row)),
            passes: [under, over],
            ratios,
            scale,
            task,
            by_playouts: index.is_by_playouts(row),
        }
    }

    fn row(&self) -> &'a MeasurementRow {
        self.rows[0]
    }

    /// True if the second side has no answer or one for fewer positions, and the first has one.
    fn is_lost(&self) -> bool {
        let [one, other] = self.rows;
        let is_less = self.scale.is_none() && other.units < one.units;
        one.status == Status::Ok && (other.status != Status::Ok || is_less)
    }

    fn compare(&self, prior: Option<&Prior>, options: &Options) -> Result<Common, String> {
        let [one, other] = self.rows;
        for (row, name) in [(one, "A"), (other, "B")] {
            if row.status != Status::Ok {
                let reason = Some(one_line(&row.reason)).filter(|reason| !reason.is_empty());
                let reason = reason.map_or(String::new(), |reason| format!(": {reason}"));
                return Err(format!("{name} is {}{reason}", row.status));
            }
        }
        let clocked = Case::parse(&one.cell.case).is_some_and(|case| case.is_clocked());
        if clocked && self.task == Task::Match {
            return Err("in a match within a time per move the clock decides the times".to_owned());
        }
        let scale = self.scale.ok_or_else(|| {
            let (one, other) = (one.units, other.units);
            format!("not the same work: {one} positions, then {other}")
        })?;
        let medians = self.costs.each_ref().map(|costs| median(costs));
        let [Some(before @ 1..), Some(after @ 1..)] = medians else {
            let why = "the raw samples of one side are not in its folder, or its median is 0";
            return Err(why.to_owned());
        };
        let (value, interval) = Values::of(&[self]).ratio(prior, TAILS).unzip();
        let value = value.unwrap_or(after as f64 / before as f64 * scale);
        let ratio = Ratio { value, interval };
        let each = self.by_playouts || one.units != other.units;
        let cost = |median: u64, row: &MeasurementRow| match (self.by_playouts, each) {
            (true, _) => median as f64 / FS_IN_NS,
            (false, true) => median as f64 / row.units as f64,
            (false, false) => median as f64,
        };
        Ok(Common {
            cell: one.cell.clone(),
            costs: [cost(before, one), cost(after, other)],
            each,
            change: Change::of(&ratio, options.same),
            beyond: false,
            // If the clock or the number of playouts differs, counts differ rightly.
            more_work: match each {
                true => Vec::new(),
                false => self.more_work(options.fail_work.unwrap_or(f64::INFINITY)),
            },
            ratio,
            samples: self.costs.each_ref().map(Vec::len),
            notes: self.notes(each),
        })
    }

    /// Counters that grew by more than `most`.
    fn more_work(&self, most: f64) -> Vec<String> {
        type Counter = (&'static str, fn(&MeasurementRow) -> Option<u64>);
        const COUNTERS: [Counter; 4] = [
            ("nodes", |row| row.nodes),
            ("launches", |row| row.launches),
            ("bytes up", |row| row.bytes_up),
            ("bytes down", |row| row.bytes_down),
        ];
        let grown = COUNTERS.into_iter().filter_map(|(name, of)| {
            let [one, other] = self.rows.map(of);
            let (one, other) = (one?, other?);
            let text = [one, other].map(shown).join(", then ");
            (other as f64 > one as f64 * (1.0 + most)).then(|| format!("{name} {text}"))
        });
        grown.collect()
    }

    /// Differences in threads and work, as far as rows tell.
    fn notes(&self, each: bool) -> Vec<String> {
        let [one, other] = self.rows;
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
