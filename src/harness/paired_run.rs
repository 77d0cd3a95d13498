//! Measures two programs in one invocation: the same cells, by both programs' workers, in one schedule.
//!
//! The scheduler sees one plan that has each cell twice, and is unaware of programs. Cells with even numbers belong to
//! the first program, those with odd numbers to the second; an executor routes requests by the number, and a sink
//! routes rows. So both sides of a cell are sampled alternately, in the same passes, by new processes of each program
//! in every pass, and disturbances of a pass affect both.
//!
//! The answers of both are compared with the first program's references.

use std::collections::BTreeMap;
use std::time::Duration;

use super::executor::{Executor, Lost};
use super::host::{ProcWatch, WallClock, utc_now};
use super::machine::Machine;
use super::plan::{CaseGroup, Cell, Plan};
use super::process::ProcessExecutor;
use super::protocol::{Opened, Reply, Request};
use super::record;
use super::request::{RunError, RunRequest};
use super::resume::{Earlier, cell_names};
use super::run::{Finished, FolderSink};
use super::schedule::{Progress, RunState, Scheduler, Sink};
use crate::results::{FactRow, MeasurementRow, ResourceRow, RunFolder, Sample};

/// The plan that [`run`] executes: each cell of the experiment twice, the first program's before the second's.
pub fn plan(request: &RunRequest<'_>) -> Plan {
    let of_side = |cell: &Cell, side: usize| Cell {
        index: 2 * cell.index + side,
        pair: cell.index,
        program: side,
        ..cell.clone()
    };
    let twice = |group: &CaseGroup| CaseGroup {
        case: group.case.clone(),
        cells: group
            .cells
            .iter()
            .flat_map(|cell| [of_side(cell, 0), of_side(cell, 1)])
            .collect(),
    };
    Plan {
        groups: request.plan.groups.iter().map(twice).collect(),
    }
}

/// The program of a cell's number: 0 for the first request's, 1 for the second's.
fn side_of(cell: usize) -> usize {
    cell % 2
}

/// Measures every cell with the programs of both requests, each into its own folder, which must not hold a run.
///
/// The requests differ only in program and folder.
pub fn run(
    requests: [&RunRequest<'_>; 2],
    folders: [&mut RunFolder; 2],
    progress: &mut dyn Progress,
) -> Result<[Finished; 2], RunError> {
    let [first, _] = requests;
    let plan = plan(first);
    let together = utc_now();
    let mut sides = Vec::new();
    for (request, folder) in requests.into_iter().zip(folders) {
        let invocation = request.invocation(Some(&together));
        request.write_experiment(folder)?;
        folder.add_invocation(&invocation)?;
        let names = cell_names(request);
        let by = (invocation.id.as_str(), request.workers.threads);
        let cells = request.plan.cells();
        let pending = cells.map(|it| record::pending(it, names(it), request.experiment, by));
        folder.plan(pending.collect())?;
        sides.push((invocation.id, FolderSink::new(folder)));
    }
    let names = requests.map(cell_names);
    let names = |cell: &Cell| names[cell.program](cell);
    let workers = requests.map(|request| &request.workers);
    let mut host = Both(workers.map(|own| own.worker(None)));
    let mut devices: Vec<Both> = first
        .targets
        .iter()
        .map(|target| Both(workers.map(|own| own.worker(Some(target)))))
        .collect();
    let invocation = sides[0].0.clone();
    let mut sink = Apart { sides };
    let earlier = Earlier::default();
    let ended = Scheduler {
        machine: Machine {
            experiment: first.experiment,
            host: &mut host,
            devices: devices
                .iter_mut()
                .map(|it| it as &mut dyn Executor)
                .collect(),
            clock: &WallClock::start(),
            stop: &first.stop,
            hung: BTreeMap::new(),
        },
        sink: &mut sink,
        progress,
        watch: &mut ProcWatch::default(),
        earlier: &earlier,
        names: &names,
        invocation: &invocation,
        threads: first.workers.threads,
        whole_launches: Vec::new(),
        state: RunState::new(first.experiment, &earlier),
    }
    .run(&plan)
    .map_err(RunError::Write)?;
    Ok([0, 1].map(|side| Finished {
        ended,
        rows: sink.sides[side].1.rows.values().cloned().collect(),
    }))
}

/// The workers of both programs; a cell's number selects the one.
struct Both([ProcessExecutor; 2]);

impl Executor for Both {
    fn ask(&mut self, request: Request, deadline: Duration) -> Result<Reply, Lost> {
        self.0[side_of(request.cell())].ask(request, deadline)
    }

    fn retire(&mut self) {
        self.0.iter_mut().for_each(Executor::retire);
    }

    fn opened(&self) -> Option<&Opened> {
        self.0.iter().find_map(Executor::opened)
    }

    /// If one worker is lost, the cells of both sides are prepared again: more than necessary, but rare.
    fn generation(&self) -> u64 {
        self.0.iter().map(Executor::generation).sum()
    }
}

/// Writes each program's rows into its own folder, with its own invocation.
struct Apart<'a> {
    sides: Vec<(String, FolderSink<'a>)>,
}

impl Sink for Apart<'_> {
    fn samples(&mut self, cell: &Cell, rows: &[Sample]) -> anyhow::Result<()> {
        let (invocation, sink) = &mut self.sides[cell.program];
        let own = rows.iter().cloned().map(|row| Sample {
            invocation: invocation.clone(),
            ..row
        });
        sink.samples(cell, &own.collect::<Vec<_>>())
    }

    fn measurement(&mut self, cell: &Cell, row: &MeasurementRow) -> anyhow::Result<()> {
        let (invocation, sink) = &mut self.sides[cell.program];
        let invocation = invocation.clone();
        sink.measurement(
            cell,
            &MeasurementRow {
                invocation,
                ..row.clone()
            },
        )
    }

    /// A fact belongs to the case, whichever program reports it.
    fn fact(&mut self, row: &FactRow) -> anyhow::Result<()> {
        let mut sides = self.sides.iter_mut();
        sides.try_for_each(|(_, sink)| sink.fact(row))
    }

    fn resource(&mut self, cell: &Cell, row: &ResourceRow) -> anyhow::Result<()> {
        let (_, sink) = &mut self.sides[cell.program];
        sink.resource(cell, row)
    }

    fn log(&mut self, cell: &Cell, text: &str) -> anyhow::Result<String> {
        let (_, sink) = &mut self.sides[cell.program];
        sink.log(cell, text)
    }
}
