//! One run of an experiment on its devices, into a run folder.

use std::collections::{BTreeMap, HashMap};

use super::executor::Executor;
use super::host::{ProcWatch, WallClock};
use super::machine::Machine;
use super::plan::Cell;
use super::process::ProcessExecutor;
use super::record;
use super::request::{RunError, RunRequest};
use super::resume::{self, cell_names};
use super::schedule::{Ended, Progress, RunState, Scheduler, Sink};
use crate::results::{CellId, FactRow, MeasurementRow, ResourceRow, RunFolder, Sample};

/// How a run ended.
#[derive(Debug)]
pub struct Finished {
    /// Complete or interrupted.
    pub ended: Ended,
    /// The rows of the requested cells.
    pub rows: Vec<MeasurementRow>,
}

/// Executes a run.
pub fn run(
    request: &RunRequest<'_>,
    folder: &mut RunFolder,
    progress: &mut dyn Progress,
) -> Result<Finished, RunError> {
    let names = cell_names(request);
    let before = folder.has_run().then(|| folder.read()).transpose()?;
    let answered = before.as_ref().map(|run| resume::answered(run, request));
    let answered = answered.unwrap_or_default();
    let mut plan = request
        .plan
        .asked(|cell| answered.contains(&names(cell).key));
    plan.named_first(request.evidence);
    let asked = || plan.cells().filter(|cell| cell.asked);
    let earlier = before.map(|run| resume::earlier(&run, request, &plan, &names));
    let earlier = earlier.unwrap_or_default();

    let clock = WallClock::start();
    let invocation = request.invocation(None);
    // In this order, because the environment file marks a run folder, which must have both files.
    request.write_experiment(folder)?;
    folder.add_invocation(&invocation)?;
    let by = (invocation.id.as_str(), request.workers.threads);
    let pending = asked().map(|cell| record::pending(cell, names(cell), request.experiment, by));
    folder.plan(pending.collect())?;

    let workers = &request.workers;
    let mut host = workers.worker(None);
    let mut devices: Vec<ProcessExecutor> = request
        .targets
        .iter()
        .map(|target| workers.worker(Some(target)))
        .collect();
    let mut sink = FolderSink::new(folder);
    let experiment = request.measured();
    let mut scheduler = Scheduler {
        machine: Machine {
            experiment: &experiment,
            host: &mut host,
            devices: devices
                .iter_mut()
                .map(|it| it as &mut dyn Executor)
                .collect(),
            clock: &clock,
            stop: &request.stop,
            hung: BTreeMap::new(),
        },
        sink: &mut sink,
        progress,
        watch: &mut ProcWatch::default(),
        earlier: &earlier,
        names: &names,
        invocation: &invocation.id,
        threads: workers.threads,
        whole_launches: workers.whole_launches(request.targets),
        state: RunState::new(&experiment, &earlier),
    };
    let ended = scheduler.run(&plan).map_err(RunError::Write)?;
    let mut measured = sink.rows;
    let rows = asked().filter_map(|cell| {
        let kept = || earlier.kept.get(&names(cell).key).cloned();
        measured.remove(&cell.id()).or_else(kept)
    });
    Ok(Finished {
        ended,
        rows: rows.collect(),
    })
}

/// Appends rows to the folder and keeps them in memory.
pub(super) struct FolderSink<'a> {
    folder: &'a mut RunFolder,
    /// The last row of each cell.
    pub(super) rows: HashMap<CellId, MeasurementRow>,
}

impl<'a> FolderSink<'a> {
    pub(super) fn new(folder: &'a mut RunFolder) -> Self {
        Self {
            folder,
            rows: HashMap::new(),
        }
    }
}

impl Sink for FolderSink<'_> {
    fn samples(&mut self, _: &Cell, rows: &[Sample]) -> anyhow::Result<()> {
        Ok(self.folder.append_samples(rows)?)
    }

    fn measurement(&mut self, _: &Cell, row: &MeasurementRow) -> anyhow::Result<()> {
        self.folder.append_measurement(row)?;
        self.rows.insert(row.cell.clone(), row.clone());
        Ok(())
    }

    fn fact(&mut self, row: &FactRow) -> anyhow::Result<()> {
        Ok(self.folder.append_facts(std::slice::from_ref(row))?)
    }

    fn resource(&mut self, _: &Cell, row: &ResourceRow) -> anyhow::Result<()> {
        Ok(self.folder.append_resources(std::slice::from_ref(row))?)
    }

    fn log(&mut self, cell: &Cell, text: &str) -> anyhow::Result<String> {
        let name = format!("{} {} {}", cell.choice.label, cell.case, cell.device_label);
        Ok(self.folder.write_log(&name, text)?)
    }
}
