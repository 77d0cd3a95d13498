//! Runs an experiment on its devices and writes a run folder. With two programs, writes a folder for each program.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::{Duration, Instant};

use super::executor::{Executor, Lost};
use super::host::{ProcWatch, utc_now};
use super::machine::Machine;
use super::plan::{Cell, HOST, Plan, Target};
use super::process::ProcessExecutor;
use super::protocol::{Opened, Reply, Request};
use super::record;
use super::request::{RunError, RunRequest};
use super::resume::{self, Earlier};
use super::schedule::{Ended, Progress, RunState, Scheduler, Sink};
use crate::config::{self, Experiment};
use crate::results::{CellId, FactRow, MeasurementRow, ResourceRow, RunFolder, Sample};
use crate::words::{Status, Task, TechniqueRecord};

#[derive(Debug)]
pub struct Finished {
    pub ended: Ended,
    pub rows: Vec<MeasurementRow>,
}

pub fn run(
    request: &RunRequest<'_>,
    folder: &mut RunFolder,
    progress: &mut dyn Progress,
) -> Result<Finished, RunError> {
    let key = |cell: &Cell| request.names(cell).key;
    let before = folder.has_run().then(|| folder.read()).transpose()?;
    // Add host cells that the filter excludes but that have rows. The fastest are timed again with the new cells.
    let is_match = request.experiment.task == Task::Match;
    let rows = before.iter().flat_map(|run| &run.measurements);
    let rows = rows.filter(|it| !is_match && it.status == Status::Ok && it.cell.device == HOST);
    let answered: HashSet<&String> = rows.map(|row| &row.key).collect();
    let mut plan = request.plan.asked(|cell| answered.contains(&key(cell)));
    plan.named_first(request.evidence);
    let known = |run| resume::earlier(run, request, &plan);
    let earlier = before.as_ref().map_or_else(Earlier::default, known);

    let mut sides = [Side::start(request, folder, None)?];
    let experiment = Experiment {
        sampling: request.sampling.clone(),
        ..request.experiment.clone()
    };
    let targets = request.targets.iter();
    let limits = targets.map(|it| request.workers.whole_launch(it)).collect();
    let ended = measure(&experiment, &mut sides, (&plan, &earlier), limits, progress)?;
    let [Side { rows: measured, .. }] = &mut sides;
    let rows = plan.cells().filter(|cell| cell.asked).filter_map(|cell| {
        let kept = || earlier.kept.get(&key(cell)).cloned();
        measured.remove(&cell.id()).or_else(kept)
    });
    let rows = rows.collect();
    Ok(Finished { ended, rows })
}

/// Returns the plan that [`run_paired`] executes. It contains each cell twice, first for the first program.
pub fn paired_plan(request: &RunRequest<'_>) -> Plan {
    let of_side = |cell: &Cell, side: usize| Cell {
        index: 2 * cell.index + side,
        pair: cell.index,
        program: side,
        ..cell.clone()
    };
    let both = |cell: &Cell| [of_side(cell, 0), of_side(cell, 1)];
    let mut plan = request.plan.clone();
    for group in &mut plan.groups {
        group.cells = group.cells.iter().flat_map(both).collect();
    }
    plan
}

/// Measures every cell with the programs of both requests. The requests differ only in program and (empty) folder.
///
/// The scheduler sees one plan that contains each cell twice. Cells with even numbers belong to the first program, and
/// cells with odd numbers to the second. Both copies of a cell are sampled alternately in the same passes. Their
/// answers are compared with the first program's references.
pub fn run_paired<'a>(
    [first, second]: [&'a RunRequest<'a>; 2],
    [a, b]: [&'a mut RunFolder; 2],
    progress: &mut dyn Progress,
) -> Result<[Finished; 2], RunError> {
    let (plan, earlier, together) = (paired_plan(first), Earlier::default(), utc_now());
    let mut sides = [
        Side::start(first, a, Some(&together))?,
        Side::start(second, b, Some(&together))?,
    ];
    let known = (&plan, &earlier);
    let ended = measure(first.experiment, &mut sides, known, Vec::new(), progress)?;
    Ok(sides.map(|side| Finished {
        ended,
        rows: side.rows.into_values().collect(),
    }))
}

/// Measures a plan with one program per side. A cell's program number is the index of its side in `sides`.
fn measure(
    experiment: &Experiment,
    sides: &mut [Side<'_>],
    (plan, earlier): (&Plan, &Earlier),
    whole_launches: Vec<Option<Duration>>,
    progress: &mut dyn Progress,
) -> Result<Ended, RunError> {
    let requests: Vec<_> = sides.iter().map(|side| side.request).collect();
    let workers = |target: Option<&Target>| {
        let each = requests.iter().map(|it| it.workers.worker(target));
        Programs(each.collect())
    };
    let first = requests[0];
    let (mut host, targets) = (workers(None), first.targets.iter());
    let mut devices: Vec<Programs> = targets.map(|target| workers(Some(target))).collect();
    let devices = devices.iter_mut().map(|it| it as &mut dyn Executor);
    let invocation = sides[0].invocation.clone();
    let mut scheduler = Scheduler {
        machine: Machine {
            experiment,
            host: &mut host,
            devices: devices.collect(),
            clock: &Instant::now(),
            stop: &first.stop,
            hung: BTreeMap::new(),
        },
        sink: &mut Folders(sides),
        progress,
        watch: &mut ProcWatch::default(),
        earlier,
        names: &|cell| requests[cell.program].names(cell),
        invocation: &invocation,
        threads: first.workers.options.threads,
        whole_launches,
        state: RunState::new(experiment, earlier),
    };
    scheduler.run(plan).map_err(RunError::Write)
}

/// The workers of each program. A cell's number modulo the number of programs selects the program.
struct Programs(Vec<ProcessExecutor>);

impl Executor for Programs {
    fn ask(&mut self, request: Request, deadline: Duration) -> Result<Reply, Lost> {
        let program = request.cell() % self.0.len();
        self.0[program].ask(request, deadline)
    }

    fn retire(&mut self) {
        self.0.iter_mut().for_each(Executor::retire);
    }

    fn opened(&self) -> Option<&Opened> {
        self.0.iter().find_map(Executor::opened)
    }

    /// If any worker is lost, the cells of all programs are prepared again. This is more than necessary, but rare.
    fn generation(&self) -> u64 {
        self.0.iter().map(Executor::generation).sum()
    }
}

/// A program's run folder, and the rows that this run has written to it.
struct Side<'a> {
    request: &'a RunRequest<'a>,
    folder: &'a mut RunFolder,
    invocation: String,
    /// The last row of each cell.
    rows: HashMap<CellId, MeasurementRow>,
}

impl<'a> Side<'a> {
    /// Starts an invocation: writes its description, and marks all requested cells as pending.
    fn start(
        request: &'a RunRequest<'a>,
        folder: &'a mut RunFolder,
        together: Option<&str>,
    ) -> Result<Self, RunError> {
        let invocation = request.invocation(together);
        // Write the experiment first. The environment file marks the folder as a run folder, which needs both files.
        let techniques = request.catalogue.of_game(&request.experiment.game);
        let records: Vec<_> = techniques.map(TechniqueRecord::of).collect();
        folder.write_experiment(&config::to_toml(request.experiment), &records)?;
        folder.add_invocation(&invocation)?;
        let by = (invocation.id.as_str(), request.workers.options.threads);
        let cells = request.plan.cells().filter(|cell| cell.asked);
        let row = |it| record::pending(it, request.names(it), request.experiment, by);
        folder.plan(cells.map(row).collect())?;
        Ok(Self {
            request,
            folder,
            invocation: invocation.id,
            rows: HashMap::new(),
        })
    }
}

/// Writes each program's rows to its folder, under its own invocation, and keeps the rows in memory.
struct Folders<'s, 'a>(&'s mut [Side<'a>]);

impl Sink for Folders<'_, '_> {
    fn samples(&mut self, cell: &Cell, rows: &[Sample]) -> anyhow::Result<()> {
        let side = &mut self.0[cell.program];
        let mut rows = rows.to_vec();
        for row in &mut rows {
            row.invocation.clone_from(&side.invocation);
        }
        Ok(side.folder.append_samples(&rows)?)
    }

    fn measurement(&mut self, cell: &Cell, row: &MeasurementRow) -> anyhow::Result<()> {
        let side = &mut self.0[cell.program];
        let mut row = row.clone();
        row.invocation.clone_from(&side.invocation);
        side.folder.append_measurement(&row)?;
        side.rows.insert(row.cell.clone(), row);
        Ok(())
    }

    /// Writes a fact to every program's folder, because it describes the case.
    fn fact(&mut self, row: &FactRow) -> anyhow::Result<()> {
        for side in &mut *self.0 {
            side.folder.append_facts(std::slice::from_ref(row))?;
        }
        Ok(())
    }

    fn resource(&mut self, cell: &Cell, row: &ResourceRow) -> anyhow::Result<()> {
        let folder = &mut self.0[cell.program].folder;
        Ok(folder.append_resources(std::slice::from_ref(row))?)
    }

    fn log(&mut self, cell: &Cell, text: &str) -> anyhow::Result<String> {
        let name = format!("{} {} {}", cell.choice.label, cell.case, cell.device_label);
        Ok(self.0[cell.program].folder.write_log(&name, text)?)
    }
}
