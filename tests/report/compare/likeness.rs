//! Tests which parts of two runs must match and which may differ.

use super::*;
use crate::devices::{SECOND, add_device};

#[test]
fn devices_are_matched_by_label_and_single_ones_by_position() {
    let mut runs = Runs::new();
    let rename = |data: &mut RunData, to: &str| {
        let from = std::mem::replace(&mut data.environment.devices[0].label, to.into());
        for row in data
            .measurements
            .iter_mut()
            .filter(|row| row.cell.device == from)
        {
            row.cell.device = to.into();
        }
        let samples = data.samples.iter_mut();
        for sample in samples.filter(|sample| sample.cell.device == from) {
            sample.cell.device = to.into();
        }
    };
    rename(&mut runs.b, "Newer");
    let comparison = runs.compare(Options::default());
    assert_eq!(
        (
            comparison.common.len(),
            comparison.only.each_ref().map(Vec::len)
        ),
        (10, [0, 0])
    );
    let holds = comparison.warnings[0].ends_with(&format!("A's {DEVICE} with B's Newer"));
    assert!(holds, "{:?}", comparison.warnings);
    // If one run has a second device, devices are matched by label, and a device with another label has no counterpart.
    add_device(&mut runs.a);
    let comparison = runs.compare(Options::default());
    assert_eq!(comparison.common.len(), 7);
    // Four cells of pv-split have a row. One of them was skipped.
    assert_eq!(comparison.only.each_ref().map(Vec::len), [8, 4]);
    rename(&mut runs.b, SECOND);
    let comparison = runs.compare(Options::default());
    assert_eq!(comparison.common.len(), 10);
    let own = the(&comparison, &case("16x16", 1), "pv-split");
    assert_eq!(own.cell.device, SECOND);
    assert_relative_eq!(own.ratio.value, 3.0, max_relative = 1e-3);
}

fn chosen(technique: Option<&str>, cases: &[&str]) -> Options {
    Options {
        technique: technique.map(str::to_owned),
        cases: cases.iter().map(|case| (*case).to_owned()).collect(),
        ..Options::default()
    }
}

#[test]
fn unlike_runs_are_refused_by_name() {
    let group = |data: &mut RunData| {
        let params = &mut data.experiment.techniques[2].params;
        params.insert("group".into(), Value::Int(64));
    };
    let changes = [
        "experiments reversi and other",
        "games reversi and gomoku",
        "tasks game and search",
        "axes board depth and depth board",
        "options (defaults) and mobility=0",
        "technique pv-split: pv-split (defaults) and pv-split group=64",
    ];
    for (number, said) in changes.into_iter().enumerate() {
        let mut runs = Runs::new();
        let b = &mut runs.b.experiment;
        match number {
            0 => b.name = "other".into(),
            1 => b.game = "gomoku".into(),
            2 => b.task = Task::Search,
            3 => b.axes.reverse(),
            4 => drop(b.options.insert("mobility".into(), Value::Int(0))),
            _ => group(&mut runs.b),
        }
        let error = runs.refused(Options::default());
        let holds = error.contains("are not runs of one experiment: ") && error.contains(said);
        assert!(holds, "{error}");
    }
    // Techniques that the filter excludes may differ.
    let mut runs = Runs::new();
    group(&mut runs.b);
    assert_eq!(runs.compare(chosen(Some("^serial$"), &[])).common.len(), 4);
}

#[test]
fn a_seed_matters_where_it_draws() {
    let mut runs = Runs::new();
    runs.b.experiment.seed = 8;
    assert_eq!(runs.compare(Options::default()).common.len(), 10);
    for data in [&mut runs.a, &mut runs.b] {
        data.experiment.task = Task::Playouts;
    }
    let error = runs.refused(Options::default());
    assert!(error.contains("seeds 7 and 8"), "{error}");
}

#[test]
fn filters_choose_cells_and_one_without_a_common_cell_is_refused() {
    let runs = Runs::new();
    assert_eq!(runs.compare(chosen(Some("split"), &[])).common.len(), 3);
    assert_eq!(runs.compare(chosen(None, &["board=16x16"])).common.len(), 3);
    assert_eq!(
        runs.compare(chosen(Some("serial"), &["depth=1", "depth=2"]))
            .common
            .len(),
        3
    );
    // A technique that only the later run has is not an error, but it cannot be compared.
    let mut runs = Runs::new();
    runs.b.experiment.techniques[2].label = "pv-split-2".into();
    for row in rows_of(&mut runs.b, "pv-split") {
        row.cell.technique = "pv-split-2".into();
    }
    let error = runs.refused(chosen(Some("pv-split-2"), &[]));
    let part = "no cell has an answer in both";
    assert!(error.contains(part), "{error}");
}

#[test]
fn what_else_differs_is_said() {
    let mut runs = Runs::new();
    let host = &mut runs.b.environment.host;
    (host.cpu, host.threads) = ("Other CPU".into(), 16);
    (host.os, host.kernel, host.memory_bytes) = ("Some OS 2".into(), "6.1".into(), 16 << 30);
    runs.a.environment.program.profile = "release 3".into();
    runs.b.environment.program.profile = "dev 1".into();
    runs.b.environment.program.compiled_for = "generic".into();
    runs.b.environment.devices[0].driver = "1.3".into();
    runs.b.measurements[0].warnings = "busy: 91 %".into();
    runs.b.measurements[1].threads = 16;
    runs.b.warnings = vec!["samples.csv: the last line was cut off and is dropped".into()];
    let comparison = runs.compare(Options::default());
    let said = comparison.warnings.join("\n");
    for part in [
        "different host: A has Imagined CPU (2 processors), B has Other CPU (2 processors)",
        "different thread count: A has 2, B has 16",
        "different build: A has release 3 for native, B has dev 1 for generic",
        "different operating system: A has Some OS 1 (6.0), B has Some OS 2 (6.1)",
        "different size of memory: A has 8 GiB, B has 16 GiB",
        "different driver of ",
        "A has 1.2, , B has 1.3, ",
        "in 0 cells of A and 1 of B",
        "samples.csv: the last line was cut off",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let rayon = the(&comparison, &case("8x8", 1), "rayon");
    assert_eq!(rayon.notes, ["2 threads, then 16"]);
    runs.b = runs.a.clone();
    let said = runs.compare(Options::default()).warnings;
    assert_eq!(said, ["A and B are the same folder"]);
}
