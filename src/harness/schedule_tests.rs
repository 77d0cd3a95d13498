//! Tests the scheduler with a fake worker that needs neither a clock nor a device, so each test takes milliseconds.

mod answers;
mod budgets;
mod faults;
mod matches;
mod passes;
mod references;
mod resumed;

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use approx::assert_relative_eq;

use super::clock::Clock;
use super::executor::{Executor, Lost};
use super::fake::{FakeClock, FakeExecutor, Script};
use super::host::HostWatch;
use super::machine::Machine;
use super::plan::{CaseGroup, Cell, CellNames, Plan, Target};
use super::resume::{Earlier, ResumedCell};
use super::schedule::{Ended, Progress, RunState, Scheduler, Sink};
use crate::config::{Budget, Experiment, Lists, Sampling, TechniqueChoice};
use crate::results::{DeviceRecord, FactRow, MeasurementRow, ResourceRow, Sample};
use crate::words::{
    Case, Catalogue, Counts, Fault, GameEntry, Kind, Params, Reason, Status, Task, TechniqueEntry,
    Understood, Value, Warning, resource,
};

#[derive(Default)]
struct Rows {
    samples: Vec<Sample>,
    measurements: Vec<MeasurementRow>,
    facts: Vec<FactRow>,
    resources: Vec<ResourceRow>,
    logs: Vec<String>,
    stop_after: Option<(usize, &'static AtomicBool)>,
    full: bool,
}

impl Sink for Rows {
    fn samples(&mut self, _: &Cell, rows: &[Sample]) -> anyhow::Result<()> {
        anyhow::ensure!(!self.full, "no space left on device");
        self.samples.extend_from_slice(rows);
        Ok(())
    }

    fn measurement(&mut self, _: &Cell, row: &MeasurementRow) -> anyhow::Result<()> {
        self.measurements.push(row.clone());
        if let Some((after, stop)) = self.stop_after
            && self.measurements.len() >= after
        {
            stop.store(true, std::sync::atomic::Ordering::Relaxed);
        }
        Ok(())
    }

    fn fact(&mut self, row: &FactRow) -> anyhow::Result<()> {
        self.facts.push(row.clone());
        Ok(())
    }

    fn resource(&mut self, _: &Cell, row: &ResourceRow) -> anyhow::Result<()> {
        self.resources.push(row.clone());
        Ok(())
    }

    fn log(&mut self, _: &Cell, text: &str) -> anyhow::Result<String> {
        self.logs.push(text.to_owned());
        Ok("logs/a.txt".to_owned())
    }
}

impl Rows {
    fn of(&self, technique: &str, depth: i64) -> &MeasurementRow {
        let case = format!("board=8x8 depth={depth}");
        let mut found = self
            .measurements
            .iter()
            .filter(|r| r.cell.technique == technique && r.cell.case == case);
        let row = found.next().expect("the cell has a row");
        assert!(found.next().is_none(), "the cell has one row");
        row
    }
}

struct Quiet;

impl Progress for Quiet {
    fn pass(&mut self, _: u64, _: u64) {}
    fn case(&mut self, _: &CaseGroup) {}
    fn rested(&mut self, _: &MeasurementRow) {}
    fn working(&mut self, _: &Cell) {}
    fn ended(&mut self, _: &MeasurementRow) {}
}

impl HostWatch for Quiet {
    fn begin(&mut self) {}
    fn warnings(&mut self) -> Vec<Warning> {
        vec![Warning::Busy(0.5)]
    }
}

const NONE: TechniqueEntry = TechniqueEntry {
    game: "reversi",
    name: "serial",
    kind: Kind::Serial,
    summary: "",
    paper: "",
    needs: "",
    like: "serial",
    reference: "serial",
    counts: Counts::Own,
    tasks: &[Task::Game],
    splits: false,
    params: &[],
    check: |_, _| Ok(()),
};

fn catalogue() -> Catalogue {
    Catalogue {
        games: vec![GameEntry {
            name: "reversi",
            summary: "",
            axes: &[],
            options: &[],
            tasks: &[Task::Game],
            check_axis: |_, _| Ok(()),
            check: |_, _| Ok(()),
            understand: |_, _, _| Ok(Understood::start()),
            replay: |_, _, _| Ok(1),
        }],
        techniques: vec![
            NONE,
            TechniqueEntry {
                name: "rayon",
                kind: Kind::Threads,
                ..NONE
            },
            TechniqueEntry {
                name: "quick",
                kind: Kind::Serial,
                counts: Counts::As("rayon"),
                ..NONE
            },
            TechniqueEntry {
                name: "deep",
                kind: Kind::Threads,
                reference: "quick",
                ..NONE
            },
            TechniqueEntry {
                name: "device",
                kind: Kind::Device,
                ..NONE
            },
            TechniqueEntry {
                name: "device-b",
                kind: Kind::Device,
                counts: Counts::Vary,
                ..NONE
            },
            TechniqueEntry {
                name: "device-alone",
                kind: Kind::Device,
                reference: "device-alone",
                ..NONE
            },
            references::CHOOSER,
            references::TREES_ON_HOST,
            references::TREES_ON_THREADS,
            references::TREES_ON_DEVICE,
        ],
        brought: Vec::new(),
    }
}

fn experiment(techniques: &[&str], depths: &[i64]) -> Experiment {
    let case = |depth: &i64| {
        Case(vec![
            ("board".into(), Value::Text("8x8".into())),
            ("depth".into(), Value::Int(*depth)),
        ])
    };
    let choice = |name: &&str| TechniqueChoice {
        technique: (*name).to_owned(),
        label: (*name).to_owned(),
        params: Params::new(),
        opponent: None,
        measured: true,
        only: Lists::new(),
    };
    Experiment {
        name: "test".into(),
        title: String::new(),
        paper: String::new(),
        game: "reversi".into(),
        task: Task::Game,
        analysis: String::new(),
        seed: 7,
        options: Params::new(),
        axes: vec!["board".into(), "depth".into()],
        cases: depths.iter().map(case).collect(),
        techniques: techniques.iter().map(choice).collect(),
        sampling: Sampling {
            min_samples: 5,
            max_samples: 100,
            target: 0.05,
            warmup: 1,
            passes: 1,
            positions: Some(16),
            min_positions: 2,
            shard: None,
        },
        budget: Budget {
            cell: Duration::from_secs(10),
            total: Duration::from_secs(600),
            deadline: Duration::from_secs(30),
        },
        tables: Vec::new(),
        charts: Vec::new(),
    }
}

struct Setting {
    clock: FakeClock,
    host: FakeExecutor,
    device: FakeExecutor,
    targets: Vec<Target>,
    earlier: Earlier,
    whole_launches: Vec<Option<Duration>>,
    rows: Rows,
}

impl Setting {
    fn new(scripts: &[(&'static str, Script)]) -> Self {
        let clock = FakeClock::default();
        let target = Target {
            address: (0, 0),
            record: DeviceRecord {
                label: "gpu".into(),
                ..DeviceRecord::default()
            },
            has_display: false,
            environment: Vec::new(),
            others: Vec::new(),
        };
        Self {
            host: FakeExecutor::new(&clock, scripts),
            device: FakeExecutor::new(&clock, scripts),
            clock,
            targets: vec![target],
            earlier: Earlier::default(),
            whole_launches: Vec::new(),
            rows: Rows::default(),
        }
    }

    fn run(&mut self, experiment: &Experiment, stop: &AtomicBool) -> anyhow::Result<Ended> {
        let plan = Plan::new(experiment, &self.targets, &catalogue());
        let devices: Vec<&mut dyn Executor> = if self.targets.is_empty() {
            Vec::new()
        } else {
            vec![&mut self.device]
        };
        Scheduler {
            machine: Machine {
                experiment,
                host: &mut self.host,
                devices,
                clock: &self.clock,
                stop,
                hung: std::collections::BTreeMap::new(),
            },
            sink: &mut self.rows,
            progress: &mut Quiet,
            watch: &mut Quiet,
            earlier: &self.earlier,
            names: &|cell| CellNames {
                key: format!("{} {} {}", cell.case, cell.choice.label, cell.device_label),
                ..CellNames::default()
            },
            invocation: "now",
            threads: 2,
            whole_launches: self.whole_launches.clone(),
            state: RunState::new(experiment, &self.earlier),
        }
        .run(&plan)
    }

    fn complete(&mut self, experiment: &Experiment) {
        let ended = self
            .run(experiment, &AtomicBool::new(false))
            .expect("nothing fails");
        assert_eq!(ended, Ended::Complete);
    }
}

/// Runs an experiment whose techniques behave as the scripts say.
fn ran(scripts: &[(&'static str, Script)], experiment: &Experiment) -> Setting {
    let mut setting = Setting::new(scripts);
    setting.complete(experiment);
    setting
}

/// Runs `serial` and, with this script, `device` at depth 1.
fn on_device(script: Script) -> Setting {
    ran(
        &[("device", script)],
        &experiment(&["serial", "device"], &[1]),
    )
}

fn slow(ns_per_unit: fn(depth: i64) -> u64) -> Script {
    Script {
        ns_per_unit,
        ..Script::default()
    }
}

fn says(value: i64, best: &'static str) -> Script {
    Script {
        says: (value, best),
        ..Script::default()
    }
}

fn fails(fault: Fault) -> Script {
    Script {
        prepare_fault: Some(fault),
        ..Script::default()
    }
}

fn loses(request: u64, lost: Lost) -> Script {
    Script {
        lost_at: Some((request, lost)),
        ..Script::default()
    }
}

#[test]
fn every_cell_gets_its_samples_interleaved_and_checked() {
    let setting = ran(&[], &experiment(&["serial", "rayon", "device"], &[1, 2]));
    assert_eq!(setting.rows.measurements.len(), 6);
    for row in &setting.rows.measurements {
        assert_eq!(row.status, Status::Ok, "{}", row.reason);
        assert_eq!(row.reason, "");
        assert_eq!(row.units, 16);
        assert!(row.samples >= 5);
        let found = (row.low_ns, row.high_ns);
        assert_eq!(found, (None, None), "one pass makes no interval");
        assert_eq!(row.warnings, Warning::Busy(0.5).to_string());
        assert_eq!(row.warned(), [Warning::Busy(0.5)]);
        assert_eq!(row.nodes, Some(160));
    }
    assert_eq!(setting.rows.of("rayon", 1).threads, 2);
    assert_eq!(setting.rows.of("serial", 1).threads, 1);
    let device = setting.rows.of("device", 1);
    assert_eq!((device.launches, device.build_ns), (Some(3), Some(1_000)));
    assert!(
        device
            .kernel_ns
            .is_some_and(|ns| ns * 2 <= device.median_ns.unwrap_or(0) + 2)
    );
    // The first samples of the three techniques must be interleaved.
    let first: Vec<&str> = setting
        .rows
        .samples
        .iter()
        .filter(|row| row.cell.case.ends_with("depth=1"))
        .map(|row| row.cell.technique.as_str())
        .collect();
    assert!(first.len() >= 15);
    let orders = |technique: &str| -> (u64, u64) {
        let of = || {
            setting
                .rows
                .samples
                .iter()
                .filter(|r| r.cell.technique == technique && r.cell.case.ends_with("depth=1"))
        };
        (
            of().map(|r| r.order).min().unwrap_or(0),
            of().map(|r| r.order).max().unwrap_or(0),
        )
    };
    let (serial, rayon) = (orders("serial"), orders("rayon"));
    let holds = serial.0 < rayon.1 && rayon.0 < serial.1;
    assert!(holds, "{serial:?} {rayon:?}");
    assert_eq!(setting.rows.facts.len(), 1, "a fact is written once");
    let resources = setting.rows.resources.iter();
    let of_device: Vec<_> = resources
        .filter(|row| row.cell.technique == device.cell.technique)
        .map(|row| (row.cell.device.as_str(), row.resource.as_str(), row.value))
        .collect();
    assert_eq!(of_device[0], (device.cell.device.as_str(), "group", 64));
    let groups = of_device.iter().filter(|(_, name, _)| *name == "group");
    assert_eq!(groups.count(), 2, "once a cell");
    let launches = of_device
        .iter()
        .filter(|it| it.1 == resource::LONGEST_LAUNCH);
    assert_eq!(launches.count(), 2, "at the end of each cell");
}

#[test]
fn the_order_is_the_seeds() {
    let order = |seed| {
        let mut setting = Setting::new(&[]);
        let mut experiment = experiment(&["serial", "rayon", "device", "device-b"], &[1]);
        experiment.seed = seed;
        setting.complete(&experiment);
        let mut rows = setting.rows.samples.clone();
        rows.sort_by_key(|row| row.order);
        rows.into_iter()
            .map(|row| row.cell.technique)
            .collect::<Vec<_>>()
    };
    assert_eq!(order(1), order(1));
    assert_ne!(order(1), order(2));
}

#[test]
fn without_a_device_its_cells_say_so() {
    let mut setting = Setting::new(&[]);
    setting.targets.clear();
    setting.complete(&experiment(&["serial", "device"], &[1]));
    let row = setting.rows.of("device", 1);
    let expected = (Status::Unsupported, "none");
    assert_eq!((row.status, row.cell.device.as_str()), expected);
    assert_eq!(setting.rows.of("serial", 1).status, Status::Ok);
}

#[test]
fn a_timer_that_lies_is_not_shown() {
    let lying = Script {
        broken_timer: true,
        ..Script::default()
    };
    let setting = on_device(lying);
    let row = setting.rows.of("device", 1);
    let expected = (Status::Ok, None, None);
    assert_eq!((row.status, row.kernel_ns, row.host_ns), expected);
    assert!(row.warnings.contains("timer cannot be trusted"));
    let sample = setting
        .rows
        .samples
        .iter()
        .find(|s| s.cell.technique == "device");
    assert!(sample.is_some_and(|s| s.kernel_ns == 0 && s.host_ns == s.total_ns));
}

#[test]
fn a_file_that_cannot_be_written_ends_the_run() {
    let mut setting = Setting::new(&[]);
    setting.rows.full = true;
    let error = setting
        .run(&experiment(&["serial"], &[1]), &AtomicBool::new(false))
        .expect_err("the disk is full");
    assert!(error.to_string().contains("no space left"));
}

#[test]
fn a_sample_of_less_than_a_step_of_the_clock_is_no_time() {
    let mut setting = Setting::new(&[(
        "serial",
        slow(|depth| if depth == 1 { 0 } else { 20_000_000 }),
    )]);
    setting.host.opened.clock_step_ns = 10_000_000;
    setting.complete(&experiment(&["serial"], &[1, 2, 3]));
    let row = setting.rows.of("serial", 1);
    assert_eq!((row.status, row.median_ns), (Status::Skipped, None));
    let expected = "the clock's step of 10 ms is too coarse for it: a sample measured 0 ns";
    assert_eq!(row.reason, expected);
    // The deeper cells are measured, and their rows contain the warning.
    for depth in [2, 3] {
        let row = setting.rows.of("serial", depth);
        assert_eq!(row.status, Status::Ok, "{}", row.reason);
        assert_eq!(
            row.warnings,
            "busy host: other programs took 50 % of the processor (stop them); coarse clock: \
             steps of 10 ms (times below 1 s are not exact to 1 %)"
        );
    }
    assert!(setting.rows.samples.iter().all(|row| row.total_ns > 0));
}
