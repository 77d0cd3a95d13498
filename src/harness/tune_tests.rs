//! The search for launch parameters with a fake worker: no clock, no device, milliseconds.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::clock::Clock;
use super::fake::{FakeClock, FakeExecutor, Script};
use super::host::HostWatch;
use super::plan::{CaseGroup, Cell, Target};
use super::schedule::Progress;
use super::tune::{TuneJob, TuneOutcome, TuneRequest, Tuner};
use crate::config::{Budget, Experiment, Sampling, TechniqueChoice, TunedTechnique};
use crate::results::{DeviceRecord, MeasurementRow};
use crate::words::{
    Case, Catalogue, Counts, Fault, Kind, ParamEntry, Params, Status, Task, TechniqueEntry, Value,
    Warning,
};

struct Quiet;

impl Progress for Quiet {
    fn pass(&mut self, _: u64, _: u64) {}
    fn rested(&mut self, _: &MeasurementRow) {}
    fn case(&mut self, _: &CaseGroup) {}
    fn working(&mut self, _: &Cell) {}
    fn ended(&mut self, _: &MeasurementRow, _: bool) {}
}

impl HostWatch for Quiet {
    fn begin(&mut self) {}
    fn warnings(&mut self) -> Vec<Warning> {
        Vec::new()
    }
}

const fn param(name: &'static str, default: &'static str) -> ParamEntry {
    ParamEntry {
        name,
        allowed: "",
        default,
        check: |_| Ok(()),
    }
}

const SERIAL: TechniqueEntry = TechniqueEntry {
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
    params: &[],
    check: |_, _| Ok(()),
};

const DEVICE: TechniqueEntry = TechniqueEntry {
    name: "device",
    kind: Kind::Device,
    params: &[param("group", "auto"), param("width", "1")],
    // Like a split, which must be less than the depth.
    check: |case, params| match params.get("width") {
        Some(Value::Int(9)) if case.int("depth") < Some(3) => Err("width: too wide".into()),
        _ => Ok(()),
    },
    ..SERIAL
};

fn depths(depths: &[i64]) -> Vec<Case> {
    let case = |depth: &i64| Case(vec![("depth".into(), Value::Int(*depth))]);
    depths.iter().map(case).collect()
}

fn choice(name: &str) -> TechniqueChoice {
    TechniqueChoice {
        technique: name.to_owned(),
        label: name.to_owned(),
        params: Params::new(),
        opponent: None,
        only: Case::default(),
        measured: true,
    }
}

fn experiment() -> Experiment {
    Experiment {
        name: "test".into(),
        title: String::new(),
        paper: String::new(),
        game: "reversi".into(),
        task: Task::Game,
        analysis: String::new(),
        seed: 7,
        options: Params::new(),
        axes: vec!["depth".into()],
        cases: depths(&[1, 2, 3]),
        techniques: vec![choice("serial"), choice("device")],
        sampling: Sampling::default(),
        budget: Budget::default(),
        tables: Vec::new(),
        charts: Vec::new(),
    }
}

fn values(texts: &[&str]) -> Vec<Value> {
    texts.iter().map(|text| Value::parse(text)).collect()
}

fn is(params: &Params, key: &str, value: i64) -> bool {
    params.get(key) == Some(&Value::Int(value))
}

/// The outcome for one technique, the simulated time of the search, and the requests to its device.
fn tuned(
    experiment: &Experiment,
    script: Script,
    budget: Duration,
    stop: bool,
) -> (TuneOutcome, Duration, Vec<String>) {
    let clock = FakeClock::default();
    let scripts = [("device", script)];
    let mut device = FakeExecutor::new(&clock, &scripts);
    let choice = experiment.choice("device").unwrap();
    let target = Target {
        address: (0, 0),
        record: DeviceRecord {
            label: "gpu".into(),
            ..DeviceRecord::default()
        },
        environment: Vec::new(),
        others: Vec::new(),
    };
    let catalogue = Catalogue {
        games: Vec::new(),
        techniques: vec![SERIAL, DEVICE],
        brought: Vec::new(),
    };
    let request = TuneRequest {
        catalogue: &catalogue,
        target: &target,
        stop: &AtomicBool::new(stop),
        threads: 2,
        kernel_hash: "hash",
        budget,
    };
    let outcome = Tuner {
        request: &request,
        host: &mut FakeExecutor::new(&clock, &scripts),
        device: &mut device,
        progress: &mut Quiet,
        clock: &clock,
        watch: &mut Quiet,
    }
    .tune(&TuneJob {
        experiment,
        choice,
        launch: vec![
            ("group", values(&["auto", "32", "64", "128"])),
            ("width", values(&["1", "4", "9"])),
        ],
    });
    (outcome.unwrap(), clock.now(), device.asked)
}

const MINUTE: Duration = Duration::from_secs(60);

fn found(script: Script) -> TunedTechnique {
    match tuned(&experiment(), script, MINUTE, false).0 {
        TuneOutcome::Found(found) => *found,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_best_of_each_parameter_is_found_with_the_others_at_their_best() {
    let found = found(Script {
        // A width of 4 helps only groups of 64.
        share: |params| match (is(params, "group", 64), is(params, "width", 4)) {
            (true, true) => 400,
            (true, false) => 800,
            (false, true) => 1_200,
            (false, false) => 1_000,
        },
        ..Script::default()
    });
    let expected =
        [("group", 64), ("width", 4)].map(|(key, value)| (key.into(), Value::Int(value)));
    assert_eq!(found.params, Params::from(expected));
    let best = found.tuned.unwrap();
    assert!(best.high_ns < found.default.low_ns);
    let ratio = found.default.median_ns as f64 / best.median_ns as f64;
    assert!((2.4..2.6).contains(&ratio), "{ratio}");
    assert_eq!((found.name.as_str(), found.task), ("device", Task::Game));
    // The most expensive case that the time allows.
    assert_eq!(found.case, "depth=3");
    // Each comparison contains the incumbent: the defaults at first and in the end.
    assert!(found.tried.first().unwrap().params.is_empty());
    let last: Vec<_> = found.tried.iter().rev().take(2).collect();
    assert!(last.iter().any(|it| it.params.is_empty()));
    assert!(last.iter().any(|it| it.params == found.params));
    assert!(found.tried.iter().all(|it| it.status == Status::Ok));
}

#[test]
fn a_difference_within_the_noise_changes_nothing() {
    let found = found(Script {
        // The fake's noise is 1 %.
        share: |params| if is(params, "group", 32) { 999 } else { 1_000 },
        ..Script::default()
    });
    assert_eq!((found.params, found.tuned), (Params::new(), None));
    assert!(found.default.median_ns > 0);
}

#[test]
fn the_fastest_value_with_a_wrong_answer_loses_and_is_told() {
    let found = found(Script {
        share: |params| match params.get("group") {
            Some(Value::Int(32)) => 100,
            Some(Value::Int(128)) => 700,
            _ => 1_000,
        },
        wrong: |params| is(params, "group", 32),
        ..Script::default()
    });
    assert!(is(&found.params, "group", 128), "{:?}", found.params);
    let wrong = found.tried.iter().find(|it| is(&it.params, "group", 32));
    let wrong = wrong.unwrap();
    assert_eq!((wrong.status, wrong.timing), (Status::Mismatch, None));
}

#[test]
fn a_value_that_some_case_of_the_experiment_refuses_is_not_tried() {
    let found = found(Script {
        share: |params| if is(params, "width", 9) { 1 } else { 1_000 },
        ..Script::default()
    });
    assert!(found.tried.iter().all(|it| !is(&it.params, "width", 9)));
    assert!(found.params.is_empty());
    // If all cases accept it, it is tried.
    let mut deep = experiment();
    deep.cases = depths(&[3, 4]);
    let script = Script {
        share: |params| if is(params, "width", 9) { 500 } else { 1_000 },
        ..Script::default()
    };
    let TuneOutcome::Found(found) = tuned(&deep, script, MINUTE, false).0 else {
        panic!("not found");
    };
    assert!(is(&found.params, "width", 9));
}

#[test]
fn the_search_ends_with_its_budget() {
    for seconds in [2, 5, 20] {
        let budget = Duration::from_secs(seconds);
        let script = Script {
            ns_per_unit: |depth| 300_000 * 8_u64.pow(depth as u32),
            ..Script::default()
        };
        let (outcome, took, _) = tuned(&experiment(), script, budget, false);
        assert!(matches!(outcome, TuneOutcome::Found(_)), "{outcome:?}");
        assert!(took <= budget * 3 / 2, "{took:?} of {budget:?}");
    }
}

#[test]
fn builds_that_take_longer_than_the_budget_do_not_end_it() {
    let script = Script {
        set_up: Duration::from_secs(3),
        share: |params| if is(params, "group", 64) { 500 } else { 1_000 },
        ..Script::default()
    };
    let (outcome, took, _) = tuned(&experiment(), script, Duration::from_secs(10), false);
    let TuneOutcome::Found(found) = outcome else {
        panic!("{outcome:?}");
    };
    assert!(is(&found.params, "group", 64), "{found:?}");
    assert!(took > Duration::from_secs(10), "{took:?}");
}

#[test]
fn builds_without_an_end_end_it_all_the_same() {
    let script = Script {
        set_up: Duration::from_secs(100),
        ..Script::default()
    };
    let (_, took, _) = tuned(&experiment(), script, Duration::from_secs(10), false);
    assert!(took < Duration::from_secs(1_000), "{took:?}");
}

#[test]
fn where_no_value_can_be_measured_nothing_is_said_of_them() {
    let script = Script {
        prepare_with: |params| match params.is_empty() {
            true => None,
            false => Some(Fault::Unsupported("too large a group".into())),
        },
        ..Script::default()
    };
    let (outcome, ..) = tuned(&experiment(), script, MINUTE, false);
    let why = "none but the defaults was measured: too large a group".to_owned();
    assert_eq!(outcome, TuneOutcome::Not(Status::Unsupported, why));
}

#[test]
fn the_reference_is_timed_once_and_answers_in_every_comparison() {
    let experiment = experiment();
    let (outcome, ..) = tuned(&experiment, Script::default(), MINUTE, false);
    let TuneOutcome::Found(found) = outcome else {
        panic!("{outcome:?}");
    };
    // The record contains only variants of the technique.
    let params = found.tried.iter().map(|it| it.params.len());
    assert!(params.max() <= Some(2));
    let mut alone = experiment.clone();
    alone.techniques.retain(|choice| choice.label == "device");
    let (outcome, ..) = tuned(&alone, Script::default(), MINUTE, false);
    assert!(
        matches!(&outcome, TuneOutcome::Not(Status::Skipped, why) if why.contains("no answer")),
        "{outcome:?}"
    );
}

#[test]
fn what_cannot_run_or_would_be_timed_by_a_clock_is_told() {
    let broken = Script {
        prepare_fault: Some(Fault::Unsupported("no device-side enqueue".into())),
        ..Script::default()
    };
    let (outcome, ..) = tuned(&experiment(), broken, MINUTE, false);
    let why = "no device-side enqueue".to_owned();
    assert_eq!(outcome, TuneOutcome::Not(Status::Unsupported, why));

    let wrong = Script {
        wrong: |_| true,
        ..Script::default()
    };
    let (outcome, ..) = tuned(&experiment(), wrong, MINUTE, false);
    assert!(
        matches!(outcome, TuneOutcome::Not(Status::Mismatch, _)),
        "{outcome:?}"
    );

    let mut timed = experiment();
    timed.task = Task::Match;
    let (outcome, _, asked) = tuned(&timed, Script::default(), MINUTE, false);
    assert!(
        matches!(&outcome, TuneOutcome::Not(Status::Skipped, why) if why.contains("clock")),
        "{outcome:?}"
    );
    assert!(asked.is_empty());

    let (outcome, ..) = tuned(&experiment(), Script::default(), MINUTE, true);
    assert_eq!(outcome, TuneOutcome::Interrupted);
}
