//! What a run keeps of an earlier one in the same folder, and what it must not delete.
//!
//! A row has one fate: its samples stay, and the run adds the passes or games that it lacks. Samples of finished passes
//! alone are in the folder, but for a first pass, which an interrupted run repeats. A row that something else made, or
//! that ended under other rules, is dropped first.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use super::plan::{Cell, CellNames, HOST, NO_DEVICE, Plan, Processor, Target};
use super::request::{RunError, RunRequest};
use super::stop_rule::Games;
use crate::check;
use crate::config::{self, Experiment, Shard};
use crate::results::{
    CellId, DeviceRecord, FactRow, MeasurementRow, Provenance, Run, RunFolder, Sample, beside,
    by_cell, read_environment,
};
use crate::words::{Catalogue, Devices, Extent, MatchScore, Reason, Status, Task, counted};

/// The samples that earlier invocations took of a cell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResumedCell {
    pub samples: Vec<Sample>,
    /// Whether a sample has no times of its parts.
    pub untrusted: bool,
    /// A match's games by opening, untimed samples included; all openings from 0 on, of a shard all its own.
    pub games: Games,
    /// Units in a sample.
    pub units: u64,
}

impl ResumedCell {
    /// The part of a row and its samples; `None` if they are incomplete.
    ///
    /// `shard`: the part of a match whose games they are.
    pub fn new(row: &MeasurementRow, samples: &[&Sample], shard: Option<Shard>) -> Option<Self> {
        let games = match row.task == Task::Match.word() {
            true => pairs_of(row.match_score()?, shard)?,
            false => Games::new(),
        };
        let is_whole = !samples.is_empty() && samples.len() as u64 == row.samples;
        is_whole.then(|| Self {
            samples: samples.iter().map(|sample| (*sample).clone()).collect(),
            untrusted: row.kernel_ns.is_none(),
            games,
            units: row.units,
        })
    }
}

/// What earlier invocations left in the folder for the cells of a run.
#[derive(Clone, Debug, Default)]
pub struct Earlier {
    /// Rows that lack nothing, by key.
    pub kept: HashMap<String, MeasurementRow>,
    /// Samples and games, by key.
    pub resumed: HashMap<String, ResumedCell>,
    /// The number of the next sample in the folder's order.
    pub first_order: u64,
    /// Facts that the folder already has.
    pub facts: Vec<FactRow>,
}

/// What a row needs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Needs {
    /// Nothing: it is final.
    Nothing,
    /// It keeps its samples, and lacks passes or games.
    More,
    /// It met no condition, and nothing of it can stay.
    All,
    /// It has no answer, by a budget or a fault that may pass.
    Retry,
}

/// The rows of a folder, for the cells that a run asks for.
struct Rows<'a> {
    request: &'a RunRequest<'a>,
    run: &'a Run,
    samples: HashMap<&'a CellId, Vec<&'a Sample>>,
    /// Keys of the cells that the run asks for.
    wanted: HashSet<String>,
    /// Whether the folder's run had other sampling rules or another cell budget; also true if its experiment cannot be
    /// read.
    sampled_otherwise: bool,
}

impl<'a> Rows<'a> {
    fn new(run: &'a Run, request: &'a RunRequest<'a>, wanted: HashSet<String>) -> Self {
        let rules = |experiment: &Experiment| (experiment.sampling.clone(), experiment.budget.cell);
        let file = request.folder.display().to_string();
        let then = config::parse(&run.experiment, &file, request.catalogue);
        let now = rules(request.experiment);
        Self {
            request,
            run,
            samples: by_cell(&run.samples),
            wanted,
            sampled_otherwise: then.map_or(true, |then| rules(&then) != now),
        }
    }

    fn all(&self) -> impl Iterator<Item = &'a MeasurementRow> {
        self.run.measurements.iter()
    }

    fn samples_of(&self, row: &MeasurementRow) -> &[&'a Sample] {
        self.samples.get(&row.cell).map_or(&[], Vec::as_slice)
    }

    fn needs(&self, row: &MeasurementRow) -> Needs {
        use Status::{BuildFailed, Memory, Mismatch, Ok, Unsupported};
        match row.status {
            Ok => {}
            Mismatch | Unsupported | Memory | BuildFailed => return Needs::Nothing,
            _ => return Needs::Retry,
        }
        let (sampling, own) = (self.request.sampling, self.samples_of(row));
        let is_match = self.request.experiment.task == Task::Match;
        let passes: HashSet<_> = own.iter().map(|sample| sample.pass()).collect();
        let lacks_passes = passes.len() < if is_match { 1 } else { sampling.passes };
        let lacks = lacks_passes || row.samples < sampling.min_samples as u64;
        let why = row.why();
        if !is_unmet(&why, lacks, self.sampled_otherwise) {
            return Needs::Nothing;
        }
        let pass_ended = match why {
            Reason::Interrupted(extent) => matches!(extent, Extent::Passes(..)),
            why => matches!(why, Reason::RunBudgetEnded(_)),
        };
        let goes_on = is_match || pass_ended && lacks_passes && !self.sampled_otherwise;
        match goes_on && ResumedCell::new(row, own, None).is_some() {
            true => Needs::More,
            false => Needs::All,
        }
    }

    /// The note about cells that lack passes, or matches that lack games.
    fn goes_on(&self, more: &[&MeasurementRow]) -> String {
        if self.request.experiment.task != Task::Match {
            let verb = if more.len() == 1 { "gets" } else { "get" };
            return format!(
                "{} {verb} the passes that lack",
                counted(more.len(), "cell")
            );
        }
        let own = more
            .iter()
            .filter_map(|row| ResumedCell::new(row, self.samples_of(row), None));
        let pairs = counted(own.map(|cell| cell.games.len()).sum(), "pair");
        match more.len() {
            1 => format!("1 match goes on after {pairs} of games"),
            several => format!("{several} matches go on after {pairs} of games"),
        }
    }
}

/// Whether an `ok` row stopped at a condition that this run may meet. It did if the user interrupted it, because such a
/// run must end like an uninterrupted one; if the run's budget ended while it `lacks` passes or samples that this run
/// wants; or if it ended under other rules. A row that met its condition stays.
fn is_unmet(reason: &Reason, lacks: bool, sampled_otherwise: bool) -> bool {
    match reason {
        Reason::Met => false,
        Reason::Interrupted(_) => true,
        Reason::RunBudgetEnded(_) => lacks || sampled_otherwise,
        _ => sampled_otherwise,
    }
}

/// Opens the folder, drops invalid rows, and reports what it found.
///
/// Returns the folder, locked against a second run, and the notes for the user. Fails if the folder holds another
/// experiment, or rows of another program, kernels, build, host or thread count that a filtered run would not measure
/// again; or if a file cannot be read or written.
pub fn open_folder(request: &RunRequest<'_>) -> Result<(RunFolder, Vec<String>), RunError> {
    if request.fresh {
        return Ok((RunFolder::fresh(request.folder)?, Vec::new()));
    }
    let mut folder = RunFolder::create(request.folder)?;
    let mut notes = folder.warnings().to_vec();
    if !folder.has_run() {
        return Ok((folder, notes));
    }
    // Damage is reported now: otherwise a run would find out at its end that its folder is unreadable.
    let mut run = folder.read()?;
    let stored = run.samples.len();
    let disagreements = disagreements(&mut run, request.catalogue);
    notes.extend(run.warnings.iter().cloned().chain(disagreements));
    let wanted = &request.experiment.name;
    if let Some(row) = run
        .measurements
        .first()
        .filter(|row| row.experiment != *wanted)
    {
        return Err(RunError::OtherExperiment {
            folder: request.folder.to_owned(),
            found: row.experiment.clone(),
            wanted: wanted.clone(),
        });
    }
    let (plan, names) = (request.plan.asked(|_| false), cell_names(request));
    let keys_of = |plan: &Plan| plan.cells().map(|cell| names(cell).key).collect();
    let (wanted, known): (HashSet<String>, HashSet<String>) =
        (keys_of(&plan), keys_of(request.plan));
    let asked: HashMap<CellId, bool> = request.plan.cells().map(|it| (it.id(), it.asked)).collect();
    let is_asked = |row: &MeasurementRow| asked.get(&row.cell).copied().unwrap_or(true);
    let rows = Rows::new(&run, request, wanted);

    let environment = &run.environment;
    let changed = Provenance::of_host(&environment.program, &environment.host)
        .differences(&Provenance::of_host(&request.program, &request.host));
    let changed: Vec<&str> = changed.iter().map(|it| it.name).collect();
    let changed = changed.join(" and ");
    // Rows of cells without a device are not lost.
    let is_lost = |row: &MeasurementRow| {
        row.cell.device != NO_DEVICE && asked.get(&row.cell).is_none_or(|asked| !asked)
    };
    if !changed.is_empty() && plan.len() != request.plan.len() && rows.all().any(is_lost) {
        return Err(RunError::OtherOrigin {
            folder: request.folder.to_owned(),
            rows: counted(run.measurements.len(), "row"),
            what: changed,
        });
    }
    let others = format!("another {changed} made them");
    let why_dropped = |row: &MeasurementRow| -> Option<&str> {
        let has_device_now = row.cell.device == NO_DEVICE && !request.targets.is_empty();
        if !changed.is_empty() {
            Some(&others)
        } else if has_device_now || !known.contains(&row.key) && asked.contains_key(&row.cell) {
            Some("the options, positions, seed, parameters, driver or device changed")
        } else if row.status == Status::Damaged && is_asked(row) {
            // A row that a filter leaves out would not be measured again.
            Some("they did not agree with their samples or their invocation")
        } else if rows.wanted.contains(&row.key) && rows.needs(row) == Needs::All {
            Some("their sampling condition was not met")
        } else {
            None
        }
    };
    // Samples are dropped together with their rows, so that none is left without a row.
    let mut dropped: Vec<(&str, HashSet<String>)> = Vec::new();
    for row in rows.all() {
        if let Some(why) = why_dropped(row) {
            match dropped.iter_mut().find(|(known, _)| *known == why) {
                Some((_, keys)) => drop(keys.insert(row.key.clone())),
                None => dropped.push((why, HashSet::from([row.key.clone()]))),
            }
        }
    }
    for (why, keys) in &dropped {
        let rows = folder.retain(|row| !keys.contains(&row.key))?;
        let verb = if rows == 1 { "is" } else { "are" };
        let rows = counted(rows, "row");
        notes.push(format!("{rows} {verb} measured again: {why}"));
    }
    if run.samples.len() < stored {
        folder.retain(|_| true)?;
    }

    let left = rows
        .all()
        .filter(|row| rows.wanted.contains(&row.key) && why_dropped(row).is_none());
    let (more, others): (Vec<&MeasurementRow>, Vec<&MeasurementRow>) =
        left.partition(|row| rows.needs(row) == Needs::More);
    if !more.is_empty() {
        notes.push(rows.goes_on(&more));
    }
    let kept = others
        .iter()
        .filter(|row| rows.needs(row) == Needs::Nothing)
        .count();
    if kept > 0 {
        let to_measure = plan.len().saturating_sub(kept);
        let cells = counted(kept, "cell");
        notes.push(format!(
            "{cells} kept from an earlier run, {to_measure} to measure"
        ));
    }
    Ok((folder, notes))
}

/// Runs the check of run folders, which damages the rows that fail. What they and the samples that no row has disagree
/// about, a line each.
fn disagreements(earlier: &mut Run, catalogue: &Catalogue) -> Vec<String> {
    let file = earlier.path.join("experiment.toml").display().to_string();
    // An experiment of another version may name what is gone: its rows are measured again.
    let parsed = config::parse_stored(&earlier.experiment, &file, catalogue, &earlier.techniques);
    let Ok((experiment, known)) = parsed else {
        return Vec::new();
    };
    let checked = check::check(earlier, &experiment, &known);
    let findings = checked.findings.iter();
    let lines = findings.map(|finding| finding.within().to_string());
    checked.killed.into_iter().chain(lines).collect()
}

/// What a run keeps of an earlier one for the cells of its plan.
pub fn earlier(
    run: &Run,
    request: &RunRequest<'_>,
    plan: &Plan,
    names: &dyn Fn(&Cell) -> CellNames,
) -> Earlier {
    let wanted = plan.cells().map(|cell| names(cell).key).collect();
    let rows = Rows::new(run, request, wanted);
    let orders = run.samples.iter().map(|sample| sample.order + 1);
    let mut earlier = Earlier {
        first_order: orders.max().unwrap_or(0),
        facts: run.facts.clone(),
        ..Earlier::default()
    };
    for row in rows.all().filter(|row| rows.wanted.contains(&row.key)) {
        let needs = rows.needs(row);
        if matches!(needs, Needs::Nothing | Needs::All) {
            earlier.kept.insert(row.key.clone(), row.clone());
        }
        let samples = rows.samples_of(row);
        if row.status == Status::Ok
            && let Some(cell) = ResumedCell::new(row, samples, request.sampling.shard)
        {
            earlier.resumed.insert(row.key.clone(), cell);
        }
    }
    earlier
}

/// The keys of the host's answers in the folder: the fastest of them that a filter leaves out are timed again beside new
/// cells.
pub fn answered(run: &Run, request: &RunRequest<'_>) -> HashSet<String> {
    let is_match = request.experiment.task == Task::Match;
    let rows = run.measurements.iter().filter(|_| !is_match);
    let rows = rows.filter(|row| row.status == Status::Ok && row.cell.device == HOST);
    rows.map(|row| row.key.clone()).collect()
}

/// The games of a score, by opening; each opening has two. Without the players' times. `shard`: the part of the match
/// that played them.
pub fn pairs_of(score: MatchScore, shard: Option<Shard>) -> Option<Games> {
    let games = score.games;
    if games.is_empty() || !games.len().is_multiple_of(2) {
        return None;
    }
    let pairs = games.chunks_exact(2).zip(0..).map(|(pair, number)| {
        let opening = shard.map_or(number, |shard| shard.index(number));
        let count = |sign| pair.iter().filter(|(own, _)| own.signum() == sign).count() as u64;
        let score = MatchScore {
            opening,
            wins: count(1),
            draws: count(0),
            losses: count(-1),
            games: pair.to_vec(),
            ..MatchScore::default()
        };
        (opening, score)
    });
    Some(pairs.collect())
}

/// The devices of a run, each with the label that its folder has for it. A label ends with a number if the host has
/// several devices of that name. Without this step, another device of the host would change the label, and the folder's
/// rows would be lost.
///
/// Labels stay if the experiment lists devices by them.
pub fn called_as_before(targets: &[Target], experiment: &Experiment, folder: &Path) -> Vec<Target> {
    let mut called = targets.to_vec();
    let mut choices = experiment.techniques.iter();
    let is_listed =
        choices.any(|it| matches!(Devices::of(&it.params), Ok(Some(Devices::Listed(_)))));
    // A damaged folder is refused when it is opened.
    let Ok(environment) = read_environment(folder) else {
        return called;
    };
    if is_listed {
        return called;
    }
    let known: Vec<&DeviceRecord> = environment
        .invocations
        .iter()
        .flat_map(|it| &it.devices)
        .collect();
    let mut taken: HashSet<String> = HashSet::new();
    let mut new = Vec::new();
    for target in &mut called {
        let own = &target.record;
        let is_it = |it: &&&DeviceRecord| {
            !it.address.is_empty()
                && (&it.platform, &it.name, &it.address) == (&own.platform, &own.name, &own.address)
        };
        match known.iter().find(is_it) {
            Some(earlier) if taken.insert(earlier.label.clone()) => {
                target.record.label.clone_from(&earlier.label);
            }
            _ => new.push(target),
        }
    }
    let labels: HashSet<&str> = known.iter().map(|it| it.label.as_str()).collect();
    for target in new {
        if taken.contains(&target.record.label) {
            let own = target.record.label.clone();
            let name = own.rsplit_once(" #").map_or(&*own, |(name, _)| name);
            let mut numbered = (1..).map(|number| format!("{name} #{number}"));
            let is_free = |it: &String| !labels.contains(it.as_str()) && !taken.contains(it);
            target.record.label = numbered.find(is_free).unwrap_or(own);
        }
        taken.insert(target.record.label.clone());
    }
    called
}

/// Gives the names of each cell in rows.
pub fn cell_names<'a>(request: &'a RunRequest<'_>) -> impl Fn(&Cell) -> CellNames + 'a {
    move |cell: &Cell| {
        // A device technique without a device must not get the host's key for the same name.
        let none = DeviceRecord {
            name: NO_DEVICE.to_owned(),
            ..DeviceRecord::default()
        };
        let target = cell.on.place().map(|place| &request.targets[place]);
        let is_none = cell.on == Processor::NoDevice;
        let device = target.map_or(is_none.then_some(&none), |it| Some(&it.record));
        let beside = target.map(|it| {
            let host = std::iter::once(&it.record).chain(&it.others);
            beside(&cell.choice.params, &it.record, host)
        });
        let provenance = Provenance {
            device,
            beside: beside.unwrap_or_default(),
            ..Provenance::of_host(&request.program, &request.host)
        };
        CellNames {
            key: provenance.key(&request.experiment.question(&cell.choice, &cell.case)),
            address: device.map_or(String::new(), |device| device.address.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::Invocation;
    use crate::words::Limit;

    fn device(address: &str, label: &str) -> Target {
        Target {
            address: (0, 0),
            record: DeviceRecord {
                label: label.into(),
                name: "card".into(),
                address: address.into(),
                ..DeviceRecord::default()
            },
            has_display: false,
            environment: Vec::new(),
            others: Vec::new(),
        }
    }

    /// The labels of devices in a folder that was measured with others.
    fn called(before: &[(&str, &str)], now: &[(&str, &str)]) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let of = |all: &[(&str, &str)]| -> Vec<Target> {
            all.iter()
                .map(|(address, label)| device(address, label))
                .collect()
        };
        let invocation = Invocation {
            devices: of(before).into_iter().map(|it| it.record).collect(),
            ..Invocation::default()
        };
        let run = RunFolder::create(folder.path()).unwrap();
        run.add_invocation(&invocation.with_id()).unwrap();
        let text =
            "name = \"x\"\ngame = \"connect-four\"\ntask = \"perft\"\ncases = [{ depth = 1 }]\n";
        let catalogue = crate::techniques::registry::catalogue();
        let experiment = crate::config::parse(text, "x", &catalogue).unwrap();
        let called = called_as_before(&of(now), &experiment, folder.path());
        called.into_iter().map(|it| it.record.label).collect()
    }

    #[test]
    fn a_device_keeps_its_label_with_other_devices_beside_it() {
        let two = [("a", "card #1"), ("b", "card #2")];
        assert_eq!(called(&two, &[("b", "card")]), ["card #2"]);
        assert_eq!(called(&[("b", "card")], &two), ["card #1", "card"]);
        assert_eq!(called(&two, &two), ["card #1", "card #2"]);
        // Another device takes no other's label.
        let other = [("b", "card #1"), ("c", "card #2")];
        assert_eq!(called(&two, &other), ["card #2", "card #3"]);
        assert_eq!(called(&[("a", "card")], &[("c", "card")]), ["card"]);
        // Without an address they cannot be told apart.
        assert_eq!(called(&[("", "card #1")], &[("", "card")]), ["card"]);
    }

    #[test]
    fn a_score_is_read_as_it_was_written() {
        let pair = |opening, games: [(i64, &str); 2], wins, draws, losses| MatchScore {
            opening,
            wins,
            draws,
            losses,
            games: games.map(|(own, moves)| (own, moves.to_owned())).to_vec(),
            ..MatchScore::default()
        };
        let pairs = [
            pair(0, [(12, "f5d6"), (-12, "f5f4")], 1, 0, 1),
            pair(1, [(0, "22-17 11x18"), (0, "")], 0, 2, 0),
        ];
        let mut whole = MatchScore::default();
        pairs.iter().for_each(|pair| whole.add(pair));
        let read = MatchScore::read(&whole.to_string()).and_then(|score| pairs_of(score, None));
        let read = read.expect("games");
        assert_eq!(read.into_values().collect::<Vec<_>>(), pairs);
    }

    #[test]
    fn a_shards_games_are_of_its_own_openings() {
        let score = MatchScore::read("2 won, 0 drawn, 2 lost; +1 a; -1 b; +1 c; -1 d").unwrap();
        let shard = "2/3".parse().ok();
        let openings: Vec<u64> = pairs_of(score, shard).unwrap().into_keys().collect();
        assert_eq!(openings, [1, 4]);
    }

    #[test]
    fn what_is_no_score_gives_no_games() {
        for score in [
            "",
            "1 won, 0 drawn, 1 lost",
            "1 won, 0 drawn, 0 lost; +12 f5",
            "1 won, 0 drawn, 1 lost; +12 f5; f5f4",
            "1 won, 0 drawn, 1 lost; +12 f5; x f5f4",
        ] {
            let games = MatchScore::read(score).and_then(|score| pairs_of(score, None));
            assert_eq!(games, None, "{score}");
        }
    }

    #[test]
    fn what_the_user_or_another_budget_cut_off_is_tried_again() {
        let wide = Reason::Wide {
            half_width: Some(0.09),
            target: 0.02,
            limit: Limit::Samples,
        };
        let ended = Reason::RunBudgetEnded(Extent::Samples(4));
        for (reason, lacks, otherwise, expected) in [
            (Reason::Met, true, false, false),
            (Reason::Met, true, true, false),
            (Reason::Interrupted(Extent::Samples(4)), true, false, true),
            (Reason::Interrupted(Extent::Samples(4)), false, false, true),
            (ended.clone(), true, false, true),
            (ended, false, false, false),
            // It ended by its own budget: the same budget would end it again.
            (Reason::FewSamples(2), true, false, false),
            (wide.clone(), false, false, false),
            (wide, false, true, true),
        ] {
            let found = is_unmet(&reason, lacks, otherwise);
            assert_eq!(found, expected, "{reason} {lacks} {otherwise}");
        }
    }
}
