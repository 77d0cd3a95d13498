//! Tests the scheduler with a fake worker that needs neither a clock nor a device, so each test takes milliseconds.

mod matches;
mod passes;
mod references;

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

/// A trial has two positions. Its longest launch takes a quarter of the trial: 2 µs at depth 1, and four times as long
/// with each further ply.
#[test]
fn skips_a_cell_whose_longest_launch_is_predicted_to_exceed_the_limit() {
    let limit = Duration::from_micros(20);
    let mut setting = Setting::new(&[]);
    setting.whole_launches = vec![Some(limit)];
    setting.complete(&experiment(&["serial", "device"], &[1, 2, 3, 4]));
    let ended = |depth| {
        let row = setting.rows.of("device", depth);
        (row.status, row.why())
    };
    for depth in [1, 2] {
        assert_eq!(ended(depth).0, Status::Ok);
    }
    for (depth, least) in [(3, 25_000), (4, 100_000)] {
        let (status, reason) = ended(depth);
        assert_eq!(status, Status::Skipped);
        let Reason::LaunchOverLimit {
            limit_ns,
            predicted_ns,
        } = reason
        else {
            panic!("{reason:?}")
        };
        assert_eq!(limit_ns, 20_000);
        assert!(predicted_ns > least, "{predicted_ns}");
    }
    for depth in 1..=4 {
        let row = setting.rows.of("serial", depth);
        assert_eq!(row.status, Status::Ok, "the host has no launches");
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
fn a_wrong_value_is_a_mismatch_and_never_a_timing() {
    let setting = on_device(says(13, "d3"));
    let row = setting.rows.of("device", 1);
    assert_eq!(row.status, Status::Mismatch);
    assert_eq!(row.reason, "position 1: value 13, but the reference has 12");
    assert_eq!((row.median_ns, row.samples), (None, 0));
    assert!(
        setting
            .rows
            .samples
            .iter()
            .all(|row| row.cell.technique == "serial")
    );
    assert_eq!(setting.rows.of("serial", 1).status, Status::Ok);
}

#[test]
fn an_answer_that_only_the_trial_sent_is_checked_too() {
    let mut setting = Setting::new(&[("device", says(13, "d3"))]);
    let mut experiment = experiment(&["serial", "device"], &[1]);
    // The trial covers all positions, so no later sample can show another answer.
    experiment.sampling.positions = Some(2);
    setting.complete(&experiment);
    assert_eq!(setting.rows.of("device", 1).status, Status::Mismatch);
    assert_eq!(setting.rows.of("serial", 1).status, Status::Ok);
}

#[test]
fn another_best_move_is_right_if_it_is_as_good() {
    let other = says(12, "c4");
    let setting = on_device(other.clone());
    assert_eq!(setting.rows.of("device", 1).status, Status::Ok);
    assert!(setting.host.asked.contains(&"value of c4 in 0".to_owned()));

    let mut setting = Setting::new(&[("device", other)]);
    setting.host.other_move_value = 11;
    setting.complete(&experiment(&["serial", "device"], &[1]));
    let row = setting.rows.of("device", 1);
    assert_eq!(row.status, Status::Mismatch);
    let expected = "position 1: best move c4 has value 11, the root 12";
    assert_eq!(row.reason, expected);
}

#[test]
fn a_move_that_nobody_could_check_is_no_wrong_answer() {
    let mut setting = Setting::new(&[("device", says(12, "c4"))]);
    setting.host.lost_at_value = Some(Lost::Timeout(Duration::from_secs(30)));
    setting.complete(&experiment(&["serial", "device"], &[1]));
    let row = setting.rows.of("device", 1);
    assert_eq!(row.status, Status::Timeout);
    let why = &row.reason;
    assert!(why.contains("c4 could not be checked"), "{why}");
    // The lost worker was replaced.
    assert_eq!(setting.rows.of("serial", 1).status, Status::Ok);
}

#[test]
fn a_slow_technique_halves_the_positions_of_its_case() {
    // With 0.4 s per position, 5 samples of n positions fit into 10 s for n = 4, but not for n = 8.
    let setting = on_device(slow(|_| 400_000_000));
    assert_eq!(setting.rows.of("device", 1).units, 4);
    assert_eq!(
        setting.rows.of("serial", 1).units,
        4,
        "the same positions for all"
    );
}

#[test]
fn a_reference_gets_the_samples_that_its_positions_were_chosen_for() {
    // A trial with 2 positions and 5 samples with 4 positions take 9.9 s of the 10 s. The reference's answer needs
    // another 1.8 s.
    let slow = slow(|_| 450_000_000);
    let setting = ran(
        &[("serial", slow.clone()), ("device", slow)],
        &experiment(&["serial", "device"], &[1]),
    );
    for technique in ["serial", "device"] {
        let row = setting.rows.of(technique, 1);
        assert_eq!((row.units, row.samples), (4, 5), "{}", row.reason);
    }
}

#[test]
fn a_cell_with_many_after_it_takes_no_more_than_its_share() {
    let mut setting = Setting::new(&[("device", slow(|_| 400_000_000))]);
    let mut experiment = experiment(&["serial", "device"], &[1, 2, 3, 4, 5, 6, 7, 8]);
    // A budget of 120 s for 16 cells leaves 7.5 s per cell. This is enough for 5 samples of 2 positions. The cell's
    // budget would allow 4 positions.
    experiment.budget.total = Duration::from_secs(120);
    setting.complete(&experiment);
    assert_eq!(setting.rows.of("device", 1).units, 2);
}

#[test]
fn a_long_trial_with_the_final_positions_is_a_sample() {
    // Two positions (the minimum) take 3 s. Five samples exceed the budget, but two samples and the trial fit.
    let setting = on_device(slow(|_| 1_500_000_000));
    let row = setting.rows.of("device", 1);
    assert_eq!((row.status, row.units, row.samples), (Status::Ok, 2, 3));
    let asked = setting
        .device
        .asked
        .iter()
        .filter(|a| *a == "sample device x1")
        .count();
    assert_eq!(asked, 3, "the trial is one of the three samples");
}

#[test]
fn what_cannot_end_within_its_budget_is_skipped_with_the_prediction() {
    // Costs grow by a factor of 4 per ply, so two positions cost 3.2 s at depth 3, and 12.8 s at depth 4.
    let setting = ran(
        &[("device", slow(|depth| 25_000_000 * 4_u64.pow(depth as u32)))],
        &experiment(&["serial", "device"], &[1, 2, 3, 4]),
    );
    let row = setting.rows.of("device", 3);
    assert_eq!((row.status, row.units, row.samples), (Status::Ok, 2, 3));
    assert_eq!(row.reason, "only 3 samples when its budget ended");
    let row = setting.rows.of("device", 4);
    assert_eq!(row.status, Status::Skipped);
    assert_eq!(row.reason, "budget 10 s, predicted 26 s");
    assert!(row.predicted_ns.is_some());
    assert_eq!(setting.rows.of("serial", 4).status, Status::Ok);
    let tried = "prepare device board=8x8 depth=4".to_owned();
    assert!(!setting.device.asked.contains(&tried));
}

/// A case with one position is not predicted to have the 42 positions of a game.
#[test]
fn a_case_shorter_than_the_minimum_is_predicted_with_its_own_positions() {
    let short = |cost: fn(i64) -> u64| Script {
        line: 1,
        ..slow(cost)
    };
    let scripts = [
        ("serial", short(|depth| 1_000 * 4_u64.pow(depth as u32))),
        (
            "device",
            short(|depth| 25_000_000 * 4_u64.pow(depth as u32)),
        ),
    ];
    let mut experiment = experiment(&["serial", "device"], &[1, 2, 3]);
    experiment.sampling.min_positions = 42;
    let setting = ran(&scripts, &experiment);
    for depth in [1, 2, 3] {
        let row = setting.rows.of("device", depth);
        assert_eq!((row.status, row.units), (Status::Ok, 1), "{}", row.reason);
    }
    let predicted = setting.rows.of("device", 3).predicted_ns.unwrap();
    assert_relative_eq!(predicted as f64, 1.6e9, max_relative = 0.01);
}

/// The reference's answers do not come in time, so its counters are not requested either.
#[test]
fn a_counter_reference_that_takes_too_long_is_not_asked() {
    let setting = ran(
        &[(
            "rayon",
            slow(|depth| 1_000_000_000 * 9_u64.pow(depth as u32)),
        )],
        &experiment(&["serial", "rayon", "quick"], &[1, 2, 3]),
    );
    let statuses = ["rayon", "quick"].map(|name| setting.rows.of(name, 3).status);
    assert_eq!(statuses, [Status::Skipped, Status::Ok]);
    let asked = "prepare rayon board=8x8 depth=3".to_owned();
    assert!(!setting.host.asked.contains(&asked));
}

#[test]
fn without_a_reference_nothing_is_reported() {
    let setting = ran(
        &[("serial", slow(|_| 60_000_000_000))],
        &experiment(&["serial", "device"], &[1]),
    );
    assert_eq!(setting.rows.of("serial", 1).status, Status::Skipped);
    let row = setting.rows.of("device", 1);
    assert_eq!(row.status, Status::Skipped);
    let why = "no answer to compare with: serial ended skipped";
    assert!(row.reason.starts_with(why));
}

#[test]
fn a_reference_may_have_another() {
    let names = ["serial", "rayon", "quick", "deep"];
    let slow = slow(|_| 20_000_000_000);
    let wrong = says(13, "d3");
    let setting = ran(&[], &experiment(&names, &[1]));
    assert_eq!(setting.rows.of("deep", 1).status, Status::Ok);

    // If the first reference in the chain has no time left, the answers of the second reference still count.
    let setting = ran(
        &[("serial", slow.clone()), ("rayon", slow)],
        &experiment(&names, &[1]),
    );
    assert_eq!(setting.rows.of("serial", 1).status, Status::Skipped);
    assert_eq!(setting.rows.of("deep", 1).status, Status::Ok);

    // A wrong reference in the middle is detected and not used.
    let setting = ran(&[("quick", wrong.clone())], &experiment(&names, &[1]));
    assert_eq!(setting.rows.of("quick", 1).status, Status::Mismatch);
    assert_eq!(setting.rows.of("deep", 1).status, Status::Skipped);

    let setting = ran(&[("deep", wrong)], &experiment(&names, &[1]));
    assert_eq!(setting.rows.of("quick", 1).status, Status::Ok);
    assert_eq!(setting.rows.of("deep", 1).status, Status::Mismatch);
}

#[test]
fn a_lost_worker_costs_one_cell() {
    for (lost, status) in [
        (Lost::Crashed("signal: 11".into()), Status::Crashed),
        (Lost::Timeout(Duration::from_secs(30)), Status::Timeout),
        (
            Lost::DeviceLost("device 0:0 is no longer present".into()),
            Status::Crashed,
        ),
    ] {
        let bad = loses(4, lost);
        let setting = ran(
            &[("device", bad)],
            &experiment(&["serial", "device", "device-b"], &[1, 2]),
        );
        assert_eq!(setting.rows.of("device", 1).status, status);
        assert_eq!(
            setting.rows.of("device-b", 1).status,
            Status::Ok,
            "made ready again"
        );
        assert_eq!(
            setting.rows.of("device", 2).status,
            Status::Ok,
            "the next cell runs"
        );
        let prepared = setting
            .device
            .asked
            .iter()
            .filter(|a| *a == "prepare device-b board=8x8 depth=1");
        assert_eq!(prepared.count(), 2);
    }
}

#[test]
fn a_technique_says_why_it_cannot() {
    let faults = [
        (
            Fault::Unsupported("no device-side enqueue".into()),
            Status::Unsupported,
        ),
        (
            Fault::Memory("needs 3.1 GiB, device has 2.0 GiB".into()),
            Status::Memory,
        ),
        (
            Fault::Build("error: unknown type".into()),
            Status::BuildFailed,
        ),
        (
            Fault::Wrong("answered `z9`, which is no legal move".into()),
            Status::Mismatch,
        ),
    ];
    for (fault, status) in faults {
        let reason = fault.to_string();
        let bad = fails(fault);
        let setting = on_device(bad);
        let row = setting.rows.of("device", 1);
        assert_eq!((row.status, row.reason.as_str()), (status, reason.as_str()));
        assert_eq!(row.setup_ns, None);
    }
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
fn a_spent_total_budget_skips_the_rest() {
    let mut setting = Setting::new(&[]);
    let mut experiment = experiment(&["serial", "device"], &[1, 2, 3]);
    experiment.budget.total = Duration::from_millis(8);
    setting.complete(&experiment);
    assert_eq!(setting.rows.measurements.len(), 6, "every cell has its row");
    let row = setting.rows.of("device", 3);
    assert_eq!(row.status, Status::Skipped);
    let expected = "the whole run's budget of 8ms was spent before its turn";
    assert_eq!(row.reason, expected);
}

#[test]
fn counts_are_what_decides_them() {
    let moody = Script {
        nodes: |request| 10 + request / 3,
        ..Script::default()
    };
    let other = Script {
        nodes: |_| 11,
        ..Script::default()
    };
    let scripts = [
        ("device", moody.clone()),
        ("device-b", moody),
        ("quick", other),
    ];
    let mut setting = Setting::new(&scripts);
    let techniques = ["serial", "rayon", "quick", "device", "device-b"];
    setting.complete(&experiment(&techniques, &[1]));
    let of = |technique| setting.rows.of(technique, 1);
    for technique in ["serial", "rayon", "device-b"] {
        assert_eq!(of(technique).status, Status::Ok, "{}", of(technique).reason);
    }
    let twin = of("quick");
    assert_eq!(twin.status, Status::Mismatch, "{}", twin.reason);
    assert!(twin.reason.contains("; rayon counts "), "{}", twin.reason);
    let own = of("device");
    assert_eq!(own.status, Status::Mismatch, "{}", own.reason);
    let why = &own.reason;
    assert!(why.contains("; an earlier sample counts "), "{why}");
}

#[test]
fn a_device_technique_is_not_held_against_itself() {
    let setting = ran(
        &[("device-alone", says(99, "h8"))],
        &experiment(&["serial", "device-alone"], &[1]),
    );
    let row = setting.rows.of("device-alone", 1);
    assert_eq!(row.status, Status::Skipped, "{}", row.reason);
    let reason = "no answer to compare with: device-alone is not part of this run";
    assert_eq!(row.reason, reason);
}

/// Plays a match whose games take a second each. Games come in pairs, so the budget ends long before fifty pairs.
fn a_match_that_is_cut_off(script: Script) -> Rows {
    let mut setting = Setting::new(&[("serial", script)]);
    let mut experiment = experiment(&["serial"], &[1]);
    experiment.task = Task::Match;
    experiment.sampling.min_samples = 50;
    experiment.budget.cell = Duration::from_secs(600);
    experiment.budget.deadline = Duration::from_secs(600);
    experiment.budget.total = Duration::from_secs(90);
    setting.complete(&experiment);
    setting.rows
}

#[test]
fn the_games_of_a_match_that_is_cut_off_count() {
    let slow = Script {
        ns_per_unit: |_| 1_000_000_000,
        line: 2,
        ..Script::default()
    };
    let rows = a_match_that_is_cut_off(slow);
    let row = rows.of("serial", 1);
    assert_eq!(row.status, Status::Ok, "{}", row.reason);
    assert!((1..50).contains(&row.samples), "{}", row.samples);
    // The cell's share of the budget may end before the run's budget.
    let counted = format!("{} samples", row.samples);
    assert!(row.reason.contains(&counted), "{}", row.reason);
    assert_eq!(rows.samples.len() as u64, row.samples);
}

#[test]
fn a_trial_that_is_killed_costs_no_cell_before_it() {
    let setting = ran(
        &[("device-b", loses(1, Lost::Timeout(Duration::from_secs(30))))],
        &experiment(&["serial", "device", "device-b"], &[1]),
    );
    assert_eq!(setting.rows.of("device-b", 1).status, Status::Timeout);
    let row = setting.rows.of("device", 1);
    assert_eq!(row.status, Status::Ok, "{}", row.reason);
}

#[test]
fn a_hang_is_a_timeout_though_the_run_is_over_with_it_and_the_baselines_are_measured() {
    let mut setting = Setting::new(&[("device", loses(1, Lost::Timeout(Duration::from_secs(20))))]);
    let mut experiment = experiment(&["serial", "device", "device-b"], &[1, 2]);
    experiment.budget.total = Duration::from_secs(20);
    setting.complete(&experiment);
    // The trial's deadline alone would be 30 s.
    assert!(setting.clock.now() < Duration::from_secs(41));
    let row = setting.rows.of("device", 1);
    assert_eq!(row.status, Status::Timeout, "{}", row.reason);
    for depth in [1, 2] {
        assert_eq!(setting.rows.of("serial", depth).status, Status::Ok);
        let row = setting.rows.of("device-b", depth);
        assert_eq!(row.status, Status::Skipped, "its device used up its time");
        let why = "workers that did not answer took 20s";
        assert!(row.reason.ends_with(why), "{}", row.reason);
    }
}

#[test]
fn a_preparation_ends_soon_after_the_budget_and_its_cell_is_skipped() {
    let preparing = |seconds| Script {
        set_up: Duration::from_secs(seconds),
        ..Script::default()
    };
    let mut setting = Setting::new(&[("rayon", preparing(50)), ("device", preparing(500))]);
    let mut experiment = experiment(&["serial", "rayon", "device"], &[1]);
    experiment.budget.total = Duration::from_secs(60);
    experiment.budget.deadline = Duration::from_secs(600);
    setting.complete(&experiment);
    let row = setting.rows.of("device", 1);
    assert_eq!(row.status, Status::Skipped, "{}", row.reason);
    let why = &row.reason;
    assert!(why.starts_with("the run's budget ended before it was ready"));
    for technique in ["serial", "rayon"] {
        assert_eq!(setting.rows.of(technique, 1).status, Status::Ok);
    }
    assert!(setting.clock.now() < Duration::from_secs(82));
}

#[test]
fn no_trial_begins_when_the_run_is_over() {
    let mut setting = Setting::new(&[("device", slow(|_| 2_000_000_000))]);
    let mut experiment = experiment(&["serial", "device", "device-b"], &[1]);
    experiment.budget.total = Duration::from_secs(3);
    setting.complete(&experiment);
    // The device's trial takes 4 s and ends after the run's budget, so no other trial follows.
    assert!(setting.clock.now() < Duration::from_secs(5));
    for technique in ["serial", "device", "device-b"] {
        assert_eq!(setting.rows.of(technique, 1).status, Status::Skipped);
    }
    let asked = |technique: &str| {
        let prepared = format!("prepare {technique} board=8x8 depth=1");
        setting.device.asked.contains(&prepared)
    };
    assert!(asked("device") && !asked("device-b"));
}

#[test]
fn an_interrupted_run_goes_on_where_it_stopped() {
    static STOP: AtomicBool = AtomicBool::new(false);
    let experiment = experiment(&["serial", "rayon", "device"], &[1, 2, 3]);
    let mut first = Setting::new(&[]);
    first.rows.stop_after = Some((4, &STOP));
    let found = first.run(&experiment, &STOP).expect("no fault");
    assert_eq!(found, Ended::Interrupted);
    let done = first.rows.measurements.len();
    assert!((4..9).contains(&done));

    let mut second = Setting::new(&[]);
    second.earlier.kept = first
        .rows
        .measurements
        .iter()
        .map(|row| (row.key.clone(), row.clone()))
        .collect();
    second.complete(&experiment);
    let measured = |rows: &[MeasurementRow]| -> Vec<(String, Status, u64)> {
        let mut all: Vec<_> = rows
            .iter()
            .map(|row| (row.key.clone(), row.status, row.units))
            .collect();
        all.sort();
        all
    };
    // A kept cell is measured again only together with a new cell of its case.
    let cases_begun_anew: Vec<&str> = second
        .rows
        .measurements
        .iter()
        .filter(|row| !second.earlier.kept.contains_key(&row.key))
        .map(|row| row.cell.case.as_str())
        .collect();
    for row in &second.rows.measurements {
        let is_new = !second.earlier.kept.contains_key(&row.key);
        assert!(
            is_new || cases_begun_anew.contains(&row.cell.case.as_str()),
            "{}",
            row.key
        );
    }
    let mut all = measured(&first.rows.measurements);
    all.extend(measured(&second.rows.measurements));
    all.sort();
    all.dedup();
    let mut whole = Setting::new(&[]);
    whole.complete(&experiment);
    assert_eq!(all, measured(&whole.rows.measurements));
}

/// Runs some techniques first. Returns the state after a second run with more techniques in the same folder.
fn resumed(first: &[&str], second: &[&str], scripts: &[(&'static str, Script)]) -> Setting {
    let mut before = Setting::new(&[]);
    before.complete(&experiment(first, &[1]));
    let mut after = Setting::new(scripts);
    let rows = before.rows.measurements.iter();
    after.earlier.kept = rows.map(|row| (row.key.clone(), row.clone())).collect();
    let orders = before.rows.samples.iter().map(|sample| sample.order + 1);
    after.earlier.first_order = orders.max().unwrap_or(0);
    after.earlier.facts = before.rows.facts;
    after.complete(&experiment(second, &[1]));
    after
}

#[test]
fn baselines_are_timed_again_beside_new_cells() {
    let after = resumed(
        &["serial", "rayon", "device"],
        &["serial", "rayon", "device", "device-b"],
        &[],
    );
    let rows = after.rows.measurements.iter();
    let mut measured: Vec<&str> = rows.map(|row| row.cell.technique.as_str()).collect();
    measured.sort_unstable();
    let expected = ["device-b", "rayon", "serial"];
    assert_eq!(measured, expected, "the other device keeps its row");
    for row in &after.rows.measurements {
        assert_eq!(row.invocation, "now");
        assert_eq!(row.status, Status::Ok, "{}", row.reason);
    }
    let orders = |technique: &str| {
        let own = || {
            after
                .rows
                .samples
                .iter()
                .filter(|it| it.cell.technique == technique)
        };
        let orders = || own().map(|sample| sample.order);
        (orders().min().unwrap_or(0), orders().max().unwrap_or(0))
    };
    let (serial, new) = (orders("serial"), orders("device-b"));
    let holds = serial.0 < new.1 && new.0 < serial.1;
    assert!(holds, "in turns: {serial:?} {new:?}");
    let holds = serial.0 >= after.earlier.first_order && after.earlier.first_order > 0;
    assert!(holds, "the order continues");
    assert!(after.rows.facts.is_empty(), "the folder has them");
}

#[test]
fn what_is_compared_with_a_new_baseline_is_timed_again_beside_it() {
    let techniques = ["serial", "rayon", "device"];
    let after = resumed(&["serial", "device"], &techniques, &[]);
    for technique in techniques {
        assert_eq!(after.rows.of(technique, 1).invocation, "now");
    }
}

#[test]
fn the_fastest_of_the_host_is_timed_again_whatever_its_name() {
    let mut before = Setting::new(&[]);
    before.complete(&experiment(&["serial", "rayon", "quick"], &[1]));
    let mut after = Setting::new(&[]);
    let rows = before.rows.measurements.iter();
    after.earlier.kept = rows.map(|row| (row.key.clone(), row.clone())).collect();
    let quick = after
        .earlier
        .kept
        .values_mut()
        .find(|row| row.cell.technique == "quick");
    let quick = quick.expect("its row");
    quick.median_ns = quick.median_ns.map(|ns| ns / 10);
    let slow = |row: &&mut MeasurementRow| row.cell.technique == "rayon";
    let rayon = after.earlier.kept.values_mut().find(slow).expect("its row");
    rayon.cell.technique = "another".into();
    after.complete(&experiment(&["serial", "rayon", "quick", "device"], &[1]));
    assert_eq!(after.rows.of("quick", 1).invocation, "now");
}

#[test]
fn a_baseline_that_cannot_be_timed_again_keeps_its_row() {
    let slow = slow(|_| 2_000_000_000);
    let after = resumed(
        &["serial", "rayon"],
        &["serial", "rayon", "device"],
        &[("rayon", slow)],
    );
    let rows = after.rows.measurements.iter();
    let measured: Vec<&str> = rows.map(|row| row.cell.technique.as_str()).collect();
    let holds = measured.contains(&"device") && measured.contains(&"serial");
    assert!(holds, "{measured:?}");
    let rayon = after
        .rows
        .measurements
        .iter()
        .find(|row| row.cell.technique == "rayon");
    let holds = rayon.is_none_or(|row| row.status == Status::Ok);
    assert!(holds, "no row replaces the old one");
}

#[test]
fn facts_that_the_folder_lost_are_told_again() {
    let mut before = Setting::new(&[]);
    before.complete(&experiment(&["serial", "device"], &[1]));
    assert_eq!(before.rows.facts.len(), 1);
    let mut after = Setting::new(&[]);
    let rows = before.rows.measurements.iter();
    after.earlier.kept = rows.map(|row| (row.key.clone(), row.clone())).collect();
    after.complete(&experiment(&["serial", "device"], &[1]));
    assert_eq!(after.rows.facts, before.rows.facts);
    let holds = after.rows.measurements.is_empty();
    assert!(holds, "no sample is taken for it");
}

#[test]
fn a_row_stays_if_its_lost_facts_cannot_be_told_again() {
    let mut before = Setting::new(&[]);
    before.complete(&experiment(&["serial", "device"], &[1]));
    let fails = fails(Fault::Device("lost".into()));
    let mut after = Setting::new(&[("serial", fails.clone()), ("device", fails)]);
    let rows = before.rows.measurements.iter();
    after.earlier.kept = rows.map(|row| (row.key.clone(), row.clone())).collect();
    after.complete(&experiment(&["serial", "device"], &[1]));
    assert!(after.rows.measurements.is_empty());
}

#[test]
fn a_resumed_case_keeps_the_positions_of_its_rows() {
    let mut first = Setting::new(&[]);
    first.complete(&experiment(&["serial"], &[1]));
    let mut second = Setting::new(&[(
        "device",
        Script {
            line: 60,
            ..Script::default()
        },
    )]);
    let mut row = first.rows.of("serial", 1).clone();
    row.units = 8;
    second.earlier.kept = HashMap::from([(row.key.clone(), row)]);
    second.complete(&experiment(&["serial", "device"], &[1]));
    assert_eq!(second.rows.of("device", 1).units, 8);
    assert_eq!(
        second.rows.of("serial", 1).units,
        8,
        "measured again beside it"
    );
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
