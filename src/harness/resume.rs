//! What a run keeps of an earlier one in the same folder, and what it must not delete.

use std::collections::HashSet;
use std::path::Path;

use super::begun::{Begun, Earlier};
use super::plan::{Cell, CellNames, HOST, NO_DEVICE, Plan, Processor, Target};
use super::request::{RunError, RunRequest};
use super::unmet::unmet_rows;
use crate::check;
use crate::config::{self, Experiment};
use crate::results::{
    CellId, DeviceRecord, MeasurementRow, Provenance, Run, RunFolder, beside, by_cell,
    read_environment,
};
use crate::words::{Catalogue, Devices, Status, Task, counted};

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
    let mut earlier = folder.read()?;
    let stored = earlier.samples.len();
    let disagreements = disagreements(&mut earlier, request.catalogue);
    let samples = by_cell(&earlier.samples);
    if let Some(row) = earlier.measurements.first()
        && row.experiment != request.experiment.name
    {
        return Err(RunError::OtherExperiment {
            folder: request.folder.to_owned(),
            found: row.experiment.clone(),
            wanted: request.experiment.name.clone(),
        });
    }
    let (plan, whole) = (request.plan.asked(|_| false), request.plan);
    let names = cell_names(request);
    let planned: HashSet<CellId> = plan.cells().map(Cell::id).collect();
    let rows = || earlier.measurements.iter();
    notes.extend(earlier.warnings.iter().cloned());
    notes.extend(disagreements);
    let mut gone: HashSet<String> = HashSet::new();
    // Samples are dropped together with their rows, so that none is left without a row.
    let mut drop = |mut keys: HashSet<String>, why: &str| -> Result<(), RunError> {
        keys.retain(|key| !gone.contains(key));
        if !keys.is_empty() {
            let dropped = folder.retain(|row| !keys.contains(&row.key))?;
            notes.push(format!("{} measured again: {why}", are(dropped, "row")));
            gone.extend(keys);
        }
        Ok(())
    };

    let environment = &earlier.environment;
    let changed = Provenance::of_host(&environment.program, &environment.host)
        .differences(&Provenance::of_host(&request.program, &request.host));
    if changed.is_empty() {
        let why = "the options, positions, seed, parameters, driver or device changed";
        drop(of_another_key(request, rows(), &names), why)?;
    } else {
        let changed: Vec<&str> = changed.iter().map(|it| it.name).collect();
        let what = changed.join(" and ");
        // Rows of cells without a device are not lost.
        let mut lost =
            rows().filter(|row| row.cell.device != NO_DEVICE && !planned.contains(&row.cell));
        if plan.len() != whole.len() && lost.next().is_some() {
            return Err(RunError::OtherOrigin {
                folder: request.folder.to_owned(),
                rows: counted(earlier.measurements.len(), "row"),
                what,
            });
        }
        let all = rows().map(|row| row.key.clone()).collect();
        drop(all, &format!("another {what} made them"))?;
    }

    let wanted: HashSet<String> = plan.cells().map(|cell| names(cell).key).collect();
    let unmet = unmet_rows(&earlier, request, &wanted);
    drop(unmet.anew, "their sampling condition was not met")?;

    // A row that a filter leaves out would not be measured again.
    let left_out = whole.cells().filter(|cell| !cell.asked).map(Cell::id);
    let left_out: HashSet<CellId> = left_out.collect();
    let damaged =
        rows().filter(|row| row.status == Status::Damaged && !left_out.contains(&row.cell));
    let why = "they did not agree with their samples or their invocation";
    drop(damaged.map(|row| row.key.clone()).collect(), why)?;
    if earlier.samples.len() < stored {
        folder.retain(|_| true)?;
    }

    let mut goes_on = unmet.goes_on;
    goes_on.retain(|key| !gone.contains(key));
    if !goes_on.is_empty() {
        notes.push(match request.experiment.task {
            Task::Match => {
                let of = rows().filter(|row| goes_on.contains(&row.key));
                let begun = of.filter_map(|row| Begun::new(row, samples.get(&row.cell)?, None));
                let pairs: usize = begun.map(|begun| begun.games.len()).sum();
                let matches = match goes_on.len() {
                    1 => "1 match goes".to_owned(),
                    several => format!("{several} matches go"),
                };
                format!("{matches} on after {} of games", counted(pairs, "pair"))
            }
            _ => {
                let verb = if goes_on.len() == 1 { "gets" } else { "get" };
                format!(
                    "{} {verb} the passes that lack",
                    counted(goes_on.len(), "cell")
                )
            }
        });
    }
    let is_left = |key: &String| wanted.contains(key) && !gone.contains(key);
    let kept = rows().filter(|row| is_left(&row.key) && !goes_on.contains(&row.key));
    let kept = kept.filter(|row| is_settled(row.status)).count();
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

fn are(number: usize, noun: &str) -> String {
    let verb = if number == 1 { "is" } else { "are" };
    format!("{} {verb}", counted(number, noun))
}

/// The rows whose cell is still in the experiment with another key, and those without a device if there is one now.
fn of_another_key<'a>(
    request: &RunRequest<'_>,
    rows: impl Iterator<Item = &'a MeasurementRow>,
    names: &dyn Fn(&Cell) -> CellNames,
) -> HashSet<String> {
    let keys: HashSet<String> = request.plan.cells().map(|cell| names(cell).key).collect();
    let current: HashSet<CellId> = request.plan.cells().map(Cell::id).collect();
    let stale = rows.filter(|row| {
        row.cell.device == NO_DEVICE && !request.targets.is_empty()
            || !keys.contains(&row.key) && current.contains(&row.cell)
    });
    stale.map(|row| row.key.clone()).collect()
}

/// Whether a row with this status is final. Cells that a budget or a transient fault ended are tried again.
fn is_settled(status: Status) -> bool {
    matches!(
        status,
        Status::Ok | Status::Mismatch | Status::Unsupported | Status::Memory | Status::BuildFailed
    )
}

/// What a run keeps of an earlier one for the cells of its plan: final rows, and the samples of cells to go on with.
pub fn earlier(
    run: &Run,
    request: &RunRequest<'_>,
    plan: &Plan,
    names: &dyn Fn(&Cell) -> CellNames,
) -> Earlier {
    let wanted: HashSet<String> = plan.cells().map(|cell| names(cell).key).collect();
    let goes_on = unmet_rows(run, request, &wanted).goes_on;
    let all = run.measurements.iter();
    let rows = || all.clone().filter(|row| wanted.contains(&row.key));
    let kept = rows().filter(|row| is_settled(row.status) && !goes_on.contains(&row.key));
    let begun = rows().filter(|row| row.status == Status::Ok);
    let shard = request.sampling.shard;
    let samples = by_cell(&run.samples);
    let begun = begun.filter_map(|row| {
        let own = samples.get(&row.cell)?;
        Some((row.key.clone(), Begun::new(row, own, shard)?))
    });
    let orders = run.samples.iter().map(|sample| sample.order + 1);
    Earlier {
        kept: kept.map(|row| (row.key.clone(), row.clone())).collect(),
        begun: begun.collect(),
        first_order: orders.max().unwrap_or(0),
        facts: run.facts.clone(),
    }
}

/// The keys of the host's answers in the folder: the fastest of them that a filter leaves out are timed again beside new
/// cells.
pub fn answered(run: &Run, request: &RunRequest<'_>) -> HashSet<String> {
    let is_match = request.experiment.task == Task::Match;
    let rows = run.measurements.iter().filter(|_| !is_match);
    let rows = rows.filter(|row| row.status == Status::Ok && row.cell.device == HOST);
    rows.map(|row| row.key.clone()).collect()
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
}
