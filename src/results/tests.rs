use std::fs;
use std::path::Path;

use super::*;
use crate::words::{Reason, Status, Warning};

fn invocation() -> Invocation {
    Invocation {
        command: "bench run configs/x.toml".into(),
        devices: vec![DeviceRecord {
            label: "pocl \"1\"".into(),
            ..Default::default()
        }],
        ..Default::default()
    }
    .with_id()
}

/// A sample of one cell; its names and its invocation apart, it is made from the three.
pub(super) fn sample(key: &str, number: u64, total_ns: u64) -> SampleRow {
    SampleRow {
        key: key.into(),
        case: "board=8x8 depth=1".into(),
        technique: if key == "b" { "rayon" } else { "serial" }.into(),
        device: "host".into(),
        sample: number,
        order: number,
        total_ns,
        upload_ns: 0,
        queue_ns: 0,
        kernel_ns: 0,
        download_ns: 0,
        host_ns: total_ns,
        launches: 0,
        bytes_up: 0,
        bytes_down: 0,
        nodes: 5,
        leaves: 4,
        playouts: 0,
        plies: 0,
        opponent_ns: 0,
        invocation: invocation().id,
        pass: 1,
        at_ns: number * 1_000,
        positions_ns: Vec::new(),
    }
}

/// The row of a cell with these samples.
pub(super) fn measured(key: &str, samples: &[SampleRow]) -> MeasurementRow {
    let times: Vec<u64> = samples.iter().map(|sample| sample.total_ns).collect();
    of_times(skipped(key, "serial", ""), &times)
}

fn of_times(row: MeasurementRow, times: &[u64]) -> MeasurementRow {
    MeasurementRow {
        status: Status::Ok,
        samples: times.len() as u64,
        median_ns: crate::stats::median(times),
        min_ns: times.iter().min().copied(),
        launches: Some(0),
        bytes_up: Some(0),
        bytes_down: Some(0),
        nodes: Some(5),
        leaves: Some(4),
        playouts: Some(0),
        plies: Some(0),
        ..row
    }
}

/// Rows as they were before the folder sealed them.
fn unsealed(rows: &[MeasurementRow]) -> Vec<MeasurementRow> {
    let unsealed = |row: &MeasurementRow| MeasurementRow {
        seal: Default::default(),
        ..row.clone()
    };
    rows.iter().map(unsealed).collect()
}

/// The rows of the cells that [`made`] has samples of; of any other a row without.
fn measurement(key: &str, technique: &str, reason: &str) -> MeasurementRow {
    let row = skipped(key, technique, reason);
    match key {
        "a" => of_times(row, &[10, 11]),
        "b" => of_times(row, &[20]),
        _ => row,
    }
}

fn skipped(key: &str, technique: &str, reason: &str) -> MeasurementRow {
    MeasurementRow {
        key: key.into(),
        experiment: "x".into(),
        game: "reversi".into(),
        task: "game".into(),
        case: "board=8x8 depth=1".into(),
        technique: technique.into(),
        kind: "serial".into(),
        device: "host".into(),
        threads: 1,
        status: Status::Skipped,
        reason: reason.into(),
        mean_ns: Some(u64::MAX),
        predicted_ns: Some(310_000_000_000),
        cell: format!("cell of {key}"),
        invocation: invocation().id,
        facts: "branching-factor".into(),
        ..MeasurementRow::default()
    }
}

fn fact(value: f64) -> FactRow {
    FactRow {
        case: "board=8x8".into(),
        fact: "branching-factor".into(),
        value,
    }
}

/// A folder with two cells, three samples and a fact.
fn made(path: &Path) -> RunFolder {
    let mut folder = RunFolder::create(path).unwrap();
    folder.add_invocation(&invocation()).unwrap();
    folder.write_experiment("name = \"x\"\n", &[]).unwrap();
    folder
        .append_samples(&[sample("a", 0, 10), sample("b", 0, 20), sample("a", 1, 11)])
        .unwrap();
    folder
        .append_measurement(&measurement(
            "a",
            "serial",
            "budget 60 s, \"predicted\" 310 s",
        ))
        .unwrap();
    folder
        .append_measurement(&measurement("b", "rayon", ""))
        .unwrap();
    folder.append_facts(&[fact(7.9)]).unwrap();
    folder
}

fn times(run: &Run, key: &str) -> Vec<u64> {
    let own = run.samples.iter().filter(|sample| sample.key == key);
    own.map(|sample| sample.total_ns).collect()
}

fn append_text(path: &Path, text: &str) {
    use std::io::Write;
    fs::OpenOptions::new()
        .append(true)
        .open(path)
        .unwrap()
        .write_all(text.as_bytes())
        .unwrap();
}

#[test]
fn a_run_reads_what_was_written() {
    let dir = tempfile::tempdir().unwrap();
    let folder = made(dir.path());
    let run = folder.read().unwrap();
    assert_eq!(run.environment, Environment::of(vec![invocation()]));
    assert_eq!(run.experiment, "name = \"x\"\n");
    let expected = [sample("a", 0, 10), sample("b", 0, 20), sample("a", 1, 11)];
    assert_eq!(run.samples, expected);
    assert_eq!(times(&run, "a"), [10, 11]);
    let rows = [
        measurement("a", "serial", "budget 60 s, \"predicted\" 310 s"),
        measurement("b", "rayon", ""),
    ];
    assert_eq!(unsealed(&run.measurements), rows);
    assert_eq!(run.facts, [fact(7.9)]);
    assert!(run.warnings.is_empty());
}

#[test]
fn a_second_run_is_refused_and_a_later_one_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let folder = made(dir.path());
    let refused = RunFolder::create(dir.path()).err().unwrap().to_string();
    assert!(refused.contains("another run"), "{refused}");
    let holds = refused.contains(&std::process::id().to_string());
    assert!(holds, "{refused}");
    assert!(RunFolder::fresh(dir.path()).is_err());
    drop(folder);
    let mut folder = RunFolder::create(dir.path()).unwrap();
    folder
        .append_measurement(&measurement("c", "rayon-shared", ""))
        .unwrap();
    assert_eq!(folder.read().unwrap().measurements.len(), 3);
}

#[test]
fn times_of_positions_are_kept_and_older_samples_lack_them() {
    let dir = tempfile::tempdir().unwrap();
    let mut timed = sample("a", 0, 10);
    timed.positions_ns = vec![4, 0, 5];
    let mut folder = made(dir.path());
    folder.append_samples(std::slice::from_ref(&timed)).unwrap();
    let path = dir.path().join(SAMPLES);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.ends_with(",4;0;5\n"), "{text}");
    let rows =
        |path: &Path| -> Vec<SampleRow> { super::csv_file::read(path, &mut Vec::new()).unwrap() };
    assert_eq!(rows(&path).last(), Some(&timed));

    let without = |line: &str| line.rsplit_once(',').unwrap().0.to_owned() + "\n";
    fs::write(&path, text.lines().map(without).collect::<String>()).unwrap();
    timed.positions_ns.clear();
    assert_eq!(rows(&path).last(), Some(&timed));
    // One that goes on has the column.
    drop(folder);
    drop(RunFolder::create(dir.path()).unwrap());
    let text = fs::read_to_string(&path).unwrap();
    let part = ",positions_ns";
    assert!(text.lines().next().unwrap().ends_with(part), "{text}");

    fs::write(&path, text.replace(",\n", ",4;x\n")).unwrap();
    let error = Run::read(dir.path()).unwrap_err().to_string();
    assert!(error.contains("samples.csv:2: "), "{error}");
    assert!(error.contains("`x` is no whole number"), "{error}");
}

#[test]
fn the_last_row_of_a_cell_wins() {
    let dir = tempfile::tempdir().unwrap();
    let mut folder = made(dir.path());
    folder.append_samples(&[sample("a", 0, 99)]).unwrap();
    folder
        .append_measurement(&of_times(skipped("a", "serial", "again"), &[99]))
        .unwrap();
    // The same cell under another key: made with another driver.
    folder
        .append_measurement(&measurement("b2", "rayon", "other driver"))
        .unwrap();
    folder.append_facts(&[fact(8.0)]).unwrap();
    let run = folder.read().unwrap();
    let reasons: Vec<&str> = run
        .measurements
        .iter()
        .map(|row| row.reason.as_str())
        .collect();
    assert_eq!(reasons, ["again", "other driver"]);
    assert_eq!(times(&run, "a"), [99]);
    assert_eq!(times(&run, "b"), [0; 0], "no row speaks of them");
    assert_eq!(run.facts, [fact(8.0)]);
}

#[test]
fn a_file_cut_anywhere_is_readable_and_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    drop(made(dir.path()));
    let path = dir.path().join(SAMPLES);
    let bytes = fs::read(&path).unwrap();
    for length in 0..bytes.len() {
        fs::write(&path, &bytes[..length]).unwrap();
        let kept = Run::read(dir.path()).unwrap().samples;
        let mut folder = RunFolder::create(dir.path()).unwrap();
        folder.append_samples(&[sample("z", 0, 5)]).unwrap();
        folder
            .append_measurement(&of_times(skipped("z", "another", ""), &[5]))
            .unwrap();
        let run = folder.read().unwrap();
        // Rows whose samples were cut off are named.
        let named = |line: &String| line.contains("samples");
        assert!(run.warnings.iter().all(named), "{:?}", run.warnings);
        assert_eq!(run.samples.len(), kept.len() + 1);
        assert_eq!(run.samples.last(), Some(&sample("z", 0, 5)));
    }
}

#[test]
fn a_line_break_in_a_text_does_not_break_the_line() {
    let dir = tempfile::tempdir().unwrap();
    let mut folder = made(dir.path());
    folder
        .append_measurement(&measurement("c", "pv-split", "error:\r\n  line \"2\"\n"))
        .unwrap();
    let text = fs::read_to_string(dir.path().join(MEASUREMENTS)).unwrap();
    assert_eq!(text.lines().count(), 4);
    let run = folder.read().unwrap();
    assert_eq!(run.measurements[2].reason, "error:    line \"2\" ");
}

#[test]
fn a_damaged_line_is_named() {
    let dir = tempfile::tempdir().unwrap();
    drop(made(dir.path()));
    append_text(&dir.path().join(FACTS), "board=8x8,positions,many\n");
    let error = Run::read(dir.path()).unwrap_err().to_string();
    assert!(error.contains("facts.csv:3: column 3: "), "{error}");
    fs::write(dir.path().join(FACTS), "case,fact,value\na,b\n").unwrap();
    let error = Run::read(dir.path()).unwrap_err().to_string();
    let part = "facts.csv:2: 2 columns where 3 are expected";
    assert!(error.contains(part), "{error}");
    fs::write(dir.path().join(FACTS), b"case,fact,value\n\xff\xfe,b,1\n").unwrap();
    let error = Run::read(dir.path()).unwrap_err().to_string();
    assert!(error.contains("facts.csv:2: "), "{error}");
}

#[test]
fn a_damaged_environment_names_its_line() {
    let dir = tempfile::tempdir().unwrap();
    drop(made(dir.path()));
    for (text, line) in [
        ("format = 2\n[program\n", 2),
        ("format = 2\n\n[[invocation]]\nutc = 5\n", 4),
    ] {
        fs::write(dir.path().join(ENVIRONMENT), text).unwrap();
        for error in [
            Run::read(dir.path()).unwrap_err().to_string(),
            RunFolder::create(dir.path()).err().unwrap().to_string(),
        ] {
            let part = format!("environment.toml:{line}: ");
            assert!(error.contains(&part), "{error}");
            assert_eq!(error.lines().count(), 1, "{error}");
        }
        let kept = fs::read_to_string(dir.path().join(ENVIRONMENT)).unwrap();
        assert_eq!(kept, text);
    }
}

#[test]
fn other_columns_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    drop(made(dir.path()));
    fs::write(dir.path().join(FACTS), "case,value,fact\na,1,b\n").unwrap();
    for error in [
        Run::read(dir.path()).unwrap_err().to_string(),
        RunFolder::create(dir.path()).err().unwrap().to_string(),
    ] {
        let part = "facts.csv:1: columns of another version";
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn another_format_is_refused_by_name() {
    let dir = tempfile::tempdir().unwrap();
    drop(made(dir.path()));
    for format in [1, 7] {
        let text = format!("format = {format}\nwhatever = true\n");
        fs::write(dir.path().join(ENVIRONMENT), text).unwrap();
        for error in [
            Run::read(dir.path()).unwrap_err().to_string(),
            RunFolder::create(dir.path()).err().unwrap().to_string(),
        ] {
            let part =
                format!("run folder format {format}; this program reads and writes format 2");
            assert!(error.contains(&part), "{error}");
        }
    }
    // But starting over is allowed.
    let folder = RunFolder::fresh(dir.path()).unwrap();
    folder.add_invocation(&invocation()).unwrap();
    folder.write_experiment("", &[]).unwrap();
    assert!(folder.read().unwrap().samples.is_empty());
}

#[test]
fn a_folder_with_other_things_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("thesis.tex"), "").unwrap();
    for refused in [RunFolder::create(dir.path()), RunFolder::fresh(dir.path())] {
        let error = refused.err().unwrap().to_string();
        let holds = error.contains("not a run folder") && error.contains("thesis.tex");
        assert!(holds, "{error}");
    }
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
}

#[test]
fn starting_over_removes_what_a_run_wrote_and_nothing_else() {
    let dir = tempfile::tempdir().unwrap();
    drop(made(dir.path()));
    fs::create_dir(dir.path().join("tables")).unwrap();
    fs::write(dir.path().join("tables/table-1.csv"), "").unwrap();
    fs::write(dir.path().join("notes.txt"), "mine").unwrap();
    let folder = RunFolder::fresh(dir.path()).unwrap();
    assert!(!dir.path().join("tables").exists());
    assert!(!dir.path().join(ENVIRONMENT).exists());
    let found = fs::read_to_string(dir.path().join("notes.txt")).unwrap();
    assert_eq!(found, "mine");
    folder.add_invocation(&invocation()).unwrap();
    folder.write_experiment("", &[]).unwrap();
    assert!(folder.read().unwrap().measurements.is_empty());
}

#[test]
fn rows_that_are_no_longer_valid_go_with_their_samples() {
    let dir = tempfile::tempdir().unwrap();
    let mut folder = made(dir.path());
    assert_eq!(folder.retain(|_| true).unwrap(), 0);
    assert_eq!(folder.retain(|row| row.key == "b").unwrap(), 1);
    folder
        .append_measurement(&measurement("c", "pv-split", ""))
        .unwrap();
    let run = folder.read().unwrap();
    assert_eq!(
        unsealed(&run.measurements),
        [
            measurement("b", "rayon", ""),
            measurement("c", "pv-split", "")
        ]
    );
    assert_eq!(run.samples, [sample("b", 0, 20)]);
}

#[cfg(unix)]
#[test]
fn written_files_are_not_their_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let plain = dir.path().join("plain");
    fs::write(&plain, "").unwrap();
    let atomic = dir.path().join("atomic");
    write_atomically(&atomic, b"text").unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(&atomic), mode(&plain));
}

#[test]
fn names_stand_at_the_first_sample_of_a_cell_alone_and_are_read_for_all() {
    let dir = tempfile::tempdir().unwrap();
    let mut folder = made(dir.path());
    let own = [sample("c", 0, 10), sample("c", 1, 11), sample("c", 2, 12)];
    folder.append_samples(&own).unwrap();
    let row = of_times(skipped("c", "serial", ""), &[10, 11, 12]);
    folder.append_measurement(&row).unwrap();
    let text = fs::read_to_string(dir.path().join(SAMPLES)).unwrap();
    let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("c,")).collect();
    assert!(
        lines[0].starts_with("c,board=8x8 depth=1,serial,host,0,"),
        "{}",
        lines[0]
    );
    assert!(lines[1].starts_with("c,,,,1,1,11,"), "{}", lines[1]);
    assert!(
        lines[2].ends_with(",,1,2000,"),
        "the pass stands in each: {}",
        lines[2]
    );
    let run = folder.read().unwrap();
    let read: Vec<&SampleRow> = run.samples.iter().filter(|it| it.key == "c").collect();
    assert_eq!(read, own.iter().collect::<Vec<_>>());
}

#[test]
fn rows_of_before_there_was_a_seal_are_read_and_gone_on_with() {
    let dir = tempfile::tempdir().unwrap();
    drop(made(dir.path()));
    let file = dir.path().join(MEASUREMENTS);
    let mut text = fs::read_to_string(&file).unwrap();
    let today = text.lines().next().unwrap().to_owned();
    let older = text.lines().map(|line| {
        let (kept, _seal) = line.rsplit_once(',').unwrap();
        format!("{kept}\n")
    });
    text = older.collect();
    fs::write(&file, &text).unwrap();
    let before = Run::read(dir.path()).unwrap().measurements;
    assert!(before.iter().all(|row| row.seal.is_empty()));

    let mut folder = RunFolder::create(dir.path()).unwrap();
    let over = Reason::OverBudget {
        budget_ns: 60_000_000_000,
        predicted_ns: 310_000_000_000,
    };
    let busy = Warning::Busy(0.125);
    let row = MeasurementRow {
        warnings: busy.to_string(),
        reason_code: Some(over.clone()),
        warning_codes: Some(vec![busy.clone()]),
        ..skipped("d", "rayon-shared", &over.to_string())
    };
    folder.append_measurement(&row).unwrap();
    let text = fs::read_to_string(&file).unwrap();
    assert_eq!(text.lines().next().unwrap(), today);
    let rows = folder.read().unwrap().measurements;
    assert_eq!(rows[..before.len()], before);
    assert_eq!(unsealed(&rows[before.len()..]), [row]);
    let told = MeasurementRow {
        reason_code: Some(Reason::Told(String::new())),
        ..skipped("g", "serial", "lost")
    };
    assert_eq!(told.why(), Reason::Told("lost".to_owned()));
}

#[test]
fn rows_of_cells_that_were_measured_again_go() {
    let dir = tempfile::tempdir().unwrap();
    let mut folder = made(dir.path());
    assert_eq!(folder.drop_superseded().unwrap(), 0);
    folder.append_samples(&[sample("a", 0, 99)]).unwrap();
    folder
        .append_measurement(&of_times(skipped("a", "serial", ""), &[99]))
        .unwrap();
    let before = folder.read().unwrap();
    // A row of the cell, and two samples of it.
    assert_eq!(folder.drop_superseded().unwrap(), 3);
    // The orders of samples that went are not in the file any more.
    let after = Run {
        orders: before.orders.clone(),
        ..folder.read().unwrap()
    };
    assert_eq!(after, before);
    let lines = |name| {
        let text = fs::read_to_string(dir.path().join(name)).unwrap();
        text.lines().count()
    };
    assert_eq!((lines(MEASUREMENTS), lines(SAMPLES)), (3, 3));
    // What comes later is appended to what was kept.
    folder.append_samples(&[sample("a", 1, 98)]).unwrap();
    folder
        .append_measurement(&of_times(skipped("a", "serial", ""), &[99, 98]))
        .unwrap();
    assert_eq!(folder.read().unwrap().samples.len(), 3);
}
