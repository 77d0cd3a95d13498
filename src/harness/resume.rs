//! Decides which rows and samples a run keeps from an earlier run in the same folder, and which it must not delete.
//!
//! The run keeps the samples of finished passes, adds the missing passes or games, and repeats an unfinished pass.
//! Before that, it drops rows from another program, host or device setting, and rows that ended under other rules.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::plan::{HOST, NO_DEVICE, Plan};
use super::request::{RunError, RunRequest};
use super::stop_rule::Games;
use crate::check;
use crate::config::{self, Shard};
use crate::results::{
    CellId, FactRow, MeasurementRow, Provenance, Run, RunFolder, Sample, by_cell,
};
use crate::words::{Catalogue, Extent, MatchScore, Reason, Status, Task, counted};

/// A cell's samples from earlier invocations.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResumedCell {
    pub samples: Vec<Sample>,
    /// True if at least one sample has no times for its parts.
    pub untrusted: bool,
    /// The games of a match, by opening. They include games in untimed samples.
    pub games: Games,
    pub units: u64,
}

impl ResumedCell {
    /// Returns a row's samples and games to resume, or `None` if they are incomplete. `shard` is the match's shard.
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

/// The results in the folder from earlier invocations, for the cells of a run.
#[derive(Clone, Debug, Default)]
pub struct Earlier {
    /// Complete rows, by key.
    pub kept: HashMap<String, MeasurementRow>,
    /// Samples and games of incomplete rows, by key.
    pub resumed: HashMap<String, ResumedCell>,
    /// Sequence number of the next sample in the folder.
    pub first_order: u64,
    /// Facts that the folder already contains.
    pub facts: Vec<FactRow>,
}

/// A run's decision about a row in the folder.
enum Fate {
    Kept,
    /// The run keeps the samples and adds the missing passes or games.
    Resumed(ResumedCell),
    /// The run measures the cell as if there were no row.
    Tried,
    /// The run first drops the row and its samples, for this reason.
    Dropped(&'static str),
}

/// The reason to drop a row that ended under other sampling rules.
const UNMET: &str = "the sampling condition was not met";

/// The rows of a folder. A new run decides which of them to keep.
struct Rows<'a> {
    request: &'a RunRequest<'a>,
    samples: HashMap<&'a CellId, Vec<&'a Sample>>,
    /// Keys of the experiment's cells. `asked` is true for the cells that the run measures.
    keys: HashSet<String>,
    asked: HashMap<CellId, bool>,
    rules: Rules,
}

/// This run's rules for the end of a cell, compared with those of the folder's run.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Rules {
    /// The sampling rules are the same, and the cell budget is not larger. A smaller one adds no samples to a row.
    Same,
    LargerBudget,
    /// The sampling rules differ, or the folder's experiment is unreadable.
    Other,
}

impl<'a> Rows<'a> {
    fn new(run: &'a Run, request: &'a RunRequest<'a>) -> Self {
        let (sampling, budget) = (&request.experiment.sampling, &request.experiment.budget);
        let file = request.folder.display().to_string();
        let rules = match config::parse(&run.experiment, &file, request.catalogue) {
            Ok(then) if then.sampling != *sampling => Rules::Other,
            Ok(then) if then.budget.cell < budget.cell => Rules::LargerBudget,
            Ok(_) => Rules::Same,
            Err(_) => Rules::Other,
        };
        let cells = || request.plan.cells();
        Self {
            request,
            samples: by_cell(&run.samples),
            keys: cells().map(|cell| request.names(cell).key).collect(),
            asked: cells().map(|cell| (cell.id(), cell.asked)).collect(),
            rules,
        }
    }

    fn resumed(&self, row: &MeasurementRow, shard: Option<Shard>) -> Option<ResumedCell> {
        let samples = self.samples.get(&row.cell)?;
        ResumedCell::new(row, samples, shard).filter(|_| row.status == Status::Ok)
    }

    fn fate(&self, row: &MeasurementRow) -> Fate {
        use Status::{BuildFailed, Damaged, Memory, Mismatch, Ok, Unsupported};
        let asked = self.asked.get(&row.cell).copied();
        let has_device_now = row.cell.device == NO_DEVICE && !self.request.targets.is_empty();
        if has_device_now || !self.keys.contains(&row.key) && asked.is_some() {
            let why = "the options, positions, seed, parameters, driver or device changed";
            return Fate::Dropped(why);
        }
        let sampling = self.request.sampling;
        let is_match = self.request.experiment.task == Task::Match;
        let samples = self.samples.get(&row.cell).into_iter().flatten();
        let passes: HashSet<_> = samples.map(|sample| sample.pass()).collect();
        let lacks_passes = passes.len() < if is_match { 1 } else { sampling.passes };
        // A match goes on without losing games.
        let lacks = is_match || lacks_passes || row.samples < sampling.min_samples as u64;
        match row.status {
            // A damaged row outside this run's filter is not dropped, because it would not be measured again.
            Damaged if asked != Some(false) => {
                Fate::Dropped("not consistent with the samples or the invocation")
            }
            Ok if is_unmet(&row.why(), lacks, self.rules) => {
                let goes_on = lacks_passes && has_whole_passes(&row.why(), self.rules);
                match self.resumed(row, None) {
                    Some(own) if is_match || goes_on => Fate::Resumed(own),
                    _ if asked != Some(true) => Fate::Kept,
                    _ => Fate::Dropped(UNMET),
                }
            }
            Ok | Mismatch | Unsupported | Memory | BuildFailed => Fate::Kept,
            // A budget or a transient fault ended the cells of these rows.
            _ => Fate::Tried,
        }
    }

    /// Counts the dropped CPU rows that are compared with a device's rows that the run does not measure again. Returns
    /// the count and the device.
    fn lost_baselines<'r>(
        &self,
        run: &'r Run,
        dropped: &HashSet<&str>,
    ) -> Option<(usize, &'r str)> {
        let is_cpu = |row: &&MeasurementRow| row.cell.device == HOST;
        let stays = |row: &&MeasurementRow| {
            let is_asked = self.asked.get(&row.cell) == Some(&true);
            row.status == Status::Ok && !is_cpu(row) && !is_asked
        };
        let rows = run.measurements.iter();
        let stay = rows.clone().filter(stays).map(|row| &row.cell);
        let stay: HashMap<&str, &str> = stay.map(|it| (&*it.case, &*it.device)).collect();
        let lost = rows.filter(|row| is_cpu(row) && dropped.contains(row.key.as_str()));
        let devices: Vec<&str> = lost
            .filter_map(|row| stay.get(&*row.cell.case).copied())
            .collect();
        Some((devices.len(), devices.first()?))
    }
}

/// True if an `ok` row may need more samples in this run. `lacks` is true if the row has fewer passes or samples than
/// this run needs.
fn is_unmet(reason: &Reason, lacks: bool, rules: Rules) -> bool {
    match reason {
        Reason::Met => false,
        Reason::Interrupted(Extent::Samples(_)) => true,
        Reason::Interrupted(_) | Reason::RunBudgetEnded(_) => lacks || rules == Rules::Other,
        _ => rules != Rules::Same,
    }
}

/// True if the run adds passes to an interrupted row, which has only samples of finished passes under the same rules.
fn has_whole_passes(reason: &Reason, rules: Rules) -> bool {
    use Reason::{Interrupted, RunBudgetEnded};
    rules != Rules::Other && matches!(reason, Interrupted(Extent::Passes(..)) | RunBudgetEnded(_))
}

/// Opens the folder and drops invalid rows. Returns the folder, locked against a second run, and notes for the user.
///
/// Fails if the folder holds another experiment, or if a file cannot be read or written. Also fails if the folder has
/// rows from another program or host that a filtered run would not measure again.
pub fn open_folder(request: &RunRequest<'_>) -> Result<(RunFolder, Vec<String>), RunError> {
    if request.fresh {
        return Ok((RunFolder::fresh(request.folder)?, Vec::new()));
    }
    let mut folder = RunFolder::create(request.folder)?;
    let mut notes = folder.warnings().to_vec();
    if !folder.has_run() {
        return Ok((folder, notes));
    }
    // Report damage now. Otherwise, the run would notice only at its end that its folder is unreadable.
    let mut run = folder.read()?;
    let stored = run.samples.len();
    let disagreements = disagreements(&mut run, request.catalogue);
    notes.extend(run.warnings.iter().cloned().chain(disagreements));
    let wanted = &request.experiment.name;
    let mut names = run.measurements.iter().map(|row| &row.experiment);
    if let Some(found) = names.next().filter(|it| *it != wanted) {
        return Err(RunError::OtherExperiment {
            folder: request.folder.to_owned(),
            found: found.clone(),
            wanted: wanted.clone(),
        });
    }
    let rows = Rows::new(&run, request);
    let is_asked = |row: &&MeasurementRow| rows.asked.get(&row.cell) == Some(&true);
    let made_by = Provenance::of_host(&run.environment.program, &run.environment.host);
    let changed = made_by.differences(&Provenance::of_host(&request.program, &request.host));
    let changed: Vec<&str> = changed.iter().map(|it| it.name).collect();
    let what = changed.join(" and ");
    // A filtered run must not drop rows that it does not measure again. Rows without a device are an exception.
    let mut others = run.measurements.iter().filter(|row| !is_asked(row));
    if !what.is_empty()
        && rows.asked.values().any(|asked| !asked)
        && others.any(|row| row.cell.device != NO_DEVICE)
    {
        return Err(RunError::OtherOrigin {
            folder: request.folder.to_owned(),
            rows: counted(run.measurements.len(), "row"),
            what,
        });
    }
    // Drop samples together with their rows, so that every sample has a row.
    let mut dropped: BTreeMap<String, HashSet<&str>> = BTreeMap::new();
    let (mut kept, mut resumed) = (0, Vec::new());
    for row in &run.measurements {
        let why = match rows.fate(row) {
            _ if !what.is_empty() => format!("the {what} changed"),
            Fate::Dropped(why) => why.to_owned(),
            Fate::Tried => continue,
            Fate::Kept => {
                kept += usize::from(is_asked(&row));
                continue;
            }
            Fate::Resumed(own) => {
                resumed.extend(is_asked(&row).then_some(own));
                continue;
            }
        };
        dropped.entry(why).or_default().insert(&row.key);
    }
    if let Some(keys) = dropped.get(UNMET)
        && let Some((rows, device)) = rows.lost_baselines(&run, keys)
    {
        return Err(RunError::OtherRules {
            folder: request.folder.to_owned(),
            rows: counted(rows, "row"),
            device: device.to_owned(),
        });
    }
    for (why, keys) in &dropped {
        let count = folder.retain(|row| !keys.contains(row.key.as_str()))?;
        let verb = if count == 1 { "is" } else { "are" };
        let rows = counted(count, "row");
        notes.push(format!("{rows} {verb} measured again: {why}"));
    }
    if run.samples.len() < stored {
        folder.retain(|_| true)?;
    }
    if !resumed.is_empty() {
        let pairs: usize = resumed.iter().map(|own| own.games.len()).sum();
        let samples: usize = resumed.iter().map(|own| own.samples.len()).sum();
        let done = match request.experiment.task {
            Task::Match => format!("{} of games", counted(pairs, "pair")),
            _ => counted(samples, "sample"),
        };
        let cells = counted(resumed.len(), "cell");
        notes.push(format!("{cells} resumed after {done}"));
    }
    if kept > 0 {
        let asked = rows.asked.values().filter(|asked| **asked).count();
        let (cells, rest) = (counted(kept, "cell"), asked.saturating_sub(kept));
        notes.push(format!(
            "{cells} kept from an earlier run, {rest} to measure"
        ));
    }
    Ok((folder, notes))
}

/// Runs the check for run folders, which marks inconsistent rows as damaged. Returns one line per finding.
fn disagreements(earlier: &mut Run, catalogue: &Catalogue) -> Vec<String> {
    let file = earlier.path.join("experiment.toml").display().to_string();
    // An experiment from another version may use removed names. Its rows are then measured again.
    let parsed = config::parse_stored(&earlier.experiment, &file, catalogue, &earlier.techniques);
    let Ok((experiment, known)) = parsed else {
        return Vec::new();
    };
    let read = earlier.warnings.len();
    let findings = check::check(earlier, &experiment, &known);
    let lines = findings.iter().map(|it| it.within().to_string());
    earlier.warnings.drain(read..).chain(lines).collect()
}

/// Collects the results that a run keeps from an earlier run, for the cells in its plan.
pub fn earlier(run: &Run, request: &RunRequest<'_>, plan: &Plan) -> Earlier {
    let wanted: HashSet<String> = plan.cells().map(|cell| request.names(cell).key).collect();
    let rows = Rows::new(run, request);
    let orders = run.samples.iter().map(|sample| sample.order + 1);
    let mut earlier = Earlier {
        first_order: orders.max().unwrap_or(0),
        facts: run.facts.clone(),
        ..Earlier::default()
    };
    let own = run.measurements.iter();
    for row in own.filter(|row| wanted.contains(&row.key)) {
        if let Fate::Kept = rows.fate(row) {
            earlier.kept.insert(row.key.clone(), row.clone());
        }
        if let Some(own) = rows.resumed(row, request.sampling.shard) {
            earlier.resumed.insert(row.key.clone(), own);
        }
    }
    earlier
}

/// Groups a score's games by opening. Each opening has two games. `shard` is the shard of the match that played them.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::Limit;

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
        let shard = Some(Shard { of: 3, number: 2 });
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
        let passes = |done| Reason::Interrupted(Extent::Passes(done, 5));
        use Rules::{LargerBudget, Other, Same};
        let (samples, few) = (
            Reason::Interrupted(Extent::Samples(4)),
            Reason::FewSamples(2),
        );
        for (reason, lacks, rules, [unmet, goes_on]) in [
            (&Reason::Met, true, Other, [false, false]),
            (&samples, true, Same, [true, false]),
            (&passes(2), true, Same, [true, true]),
            (&passes(2), true, LargerBudget, [true, true]),
            (&passes(2), true, Other, [true, false]),
            (&passes(6), false, Other, [true, false]),
            (&ended, false, Same, [false, true]),
            // The cell budget did not end this row.
            (&ended, false, LargerBudget, [false, true]),
            // The cell budget ended the cell, and the same one would end it again.
            (&few, true, Same, [false, false]),
            (&few, true, LargerBudget, [true, false]),
            (&wide, false, Same, [false, false]),
            (&wide, false, LargerBudget, [true, false]),
            (&wide, false, Other, [true, false]),
        ] {
            let found = [
                is_unmet(reason, lacks, rules),
                has_whole_passes(reason, rules),
            ];
            assert_eq!(found, [unmet, goes_on], "{reason} {lacks} {rules:?}");
        }
    }
}
