use std::fs;
use std::path::Path;

use super::*;
use crate::words::{Reason, Status, Warning};

fn invocation() -> Invocation {
    Invocation {
        config: "configs/x.toml".into(),
        devices: vec![DeviceRecord {
            label: "pocl \"1\"".into(),
            ..Default::default()
        }],
        ..Default::default()
    }
    .with_id()
}

fn cell(technique: &str) -> CellId {
    CellId {
        case: "board=8x8 depth=1".into(),
        technique: technique.into(),
        device: HOST.into(),
    }
}

fn sample(technique: &str, number: u64, total_ns: u64) -> Sample {
    Sample {
        cell: cell(technique),
        sample: number,
        order: number,
        total_ns,
        host_ns: total_ns,
        nodes: 5,
        leaves: 4,
        invocation: invocation().id,
        pass: 1,
        at_ns: number * 1_000,
        ..Sample::default()
    }
}

fn measured(technique: &str, reason: &str, times: &[u64]) -> MeasurementRow {
    let samples = times.iter().map(|ns| sample(technique, 0, *ns));
    let samples: Vec<Sample> = samples.collect();
    let mut row = MeasurementRow {
        status: Status::Ok,
        ..skipped(technique, reason)
    };
    row.sum_up(&samples.iter().collect::<Vec<_>>(), true);
    row
}

fn unsealed(rows: &[MeasurementRow]) -> Vec<MeasurementRow> {
    let unsealed = |row: &MeasurementRow| MeasurementRow {
        seal: Default::default(),
        ..row.clone()
    };
    rows.iter().map(unsealed).collect()
}

fn skipped(technique: &str, reason: &str) -> MeasurementRow {
    MeasurementRow {
        cell: cell(technique),
        key: format!("key of {technique}"),
        experiment: "x".into(),
        game: "reversi".into(),
        task: "game".into(),
        kind: "serial".into(),
        threads: 1,
        status: Status::Skipped,
        reason: reason.into(),
        predicted_ns: Some(310_000_000_000),
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

/// Creates a folder with two cells, three samples and a fact.
fn made(path: &Path) -> RunFolder {
    let mut folder = RunFolder::create(path).unwrap();
    folder.add_invocation(&invocation()).unwrap();
    folder.write_experiment("name = \"x\"\n", &[]).unwrap();
    folder.append_samples(&samples()).unwrap();
    for row in rows() {
        folder.append_measurement(&row).unwrap();
    }
    folder.append_facts(&[fact(7.9)]).unwrap();
    folder
}

/// Creates and closes a folder with the content of [`made`]. Also returns the run that it contains.
fn closed() -> (tempfile::TempDir, Run) {
    let dir = tempfile::tempdir().unwrap();
    let run = made(dir.path()).read().unwrap();
    (dir, run)
}

fn open() -> (tempfile::TempDir, RunFolder) {
    let dir = tempfile::tempdir().unwrap();
    let folder = made(dir.path());
    (dir, folder)
}

fn samples() -> [Sample; 3] {
    [sample("a", 0, 10), sample("b", 0, 20), sample("a", 1, 11)]
}

fn rows() -> [MeasurementRow; 2] {
    let text = "budget 60 s, \"predicted\" 310 s";
    [measured("a", text, &[10, 11]), measured("b", "", &[20])]
}

fn times(run: &Run, technique: &str) -> Vec<u64> {
    let own = run.samples.iter();
    let own = own.filter(|sample| sample.cell == cell(technique));
    own.map(|sample| sample.total_ns).collect()
}

#[test]
fn a_run_reads_what_was_written() {
    let (_dir, folder) = open();
    let run = folder.read().unwrap();
    assert_eq!(run.environment, Environment::of(vec![invocation()]));
    assert_eq!(run.experiment, "name = \"x\"\n");
    assert_eq!(run.samples, samples());
    assert_eq!(times(&run, "a"), [10, 11]);
    assert_eq!(unsealed(&run.measurements), rows());
    assert_eq!(run.facts, [fact(7.9)]);
    assert!(run.warnings.is_empty());
}

#[test]
fn a_second_run_is_refused_and_a_later_one_goes_on() {
    let (dir, folder) = open();
    let refused = RunFolder::create(dir.path()).err().unwrap().to_string();
    assert!(refused.contains("another run"), "{refused}");
    let holds = refused.contains(&std::process::id().to_string());
    assert!(holds, "{refused}");
    assert!(RunFolder::fresh(dir.path()).is_err());
    drop(folder);
    let mut folder = RunFolder::create(dir.path()).unwrap();
    folder.append_measurement(&skipped("c", "")).unwrap();
    assert_eq!(folder.read().unwrap().measurements.len(), 3);
}

#[test]
fn keeps_the_times_of_positions() {
    let dir = tempfile::tempdir().unwrap();
    let mut timed = sample("a", 0, 10);
    timed.positions_ns = vec![4, 0, 5];
    let mut folder = made(dir.path());
    folder.append_samples(std::slice::from_ref(&timed)).unwrap();
    let path = dir.path().join(SAMPLES);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.ends_with(",4;0;5\n"), "{text}");
    let samples = Run::read(dir.path()).unwrap().samples;
    assert_eq!(samples.last(), Some(&timed));
    fs::write(&path, text.replace(",4;0;5\n", ",4;x\n")).unwrap();
    let error = Run::read(dir.path()).unwrap_err().to_string();
    assert!(error.contains("samples.csv:5: "), "{error}");
    assert!(error.contains("`x` is not an integer"), "{error}");
}

/// Data frame libraries read each row independently.
#[test]
fn every_sample_names_its_cell() {
    let (dir, _) = closed();
    let mut reader = csv::Reader::from_path(dir.path().join(SAMPLES)).unwrap();
    let header = reader.headers().unwrap().clone();
    let first: Vec<&str> = header.iter().take(5).collect();
    assert_eq!(first, ["case", "technique", "device", "invocation", "pass"]);
    let id = invocation().id;
    for (record, own) in reader.records().zip(samples()) {
        let record = record.unwrap();
        let names: Vec<&str> = record.iter().take(5).collect();
        let CellId {
            case,
            technique,
            device,
        } = &own.cell;
        assert_eq!(names, [case.as_str(), technique, device, id.as_str(), "1"]);
    }
}

#[test]
fn reads_and_continues_a_folder_with_compressed_samples() {
    use std::io::Write;
    let (dir, before) = closed();
    let file = dir.path().join(SAMPLES);
    let zipped = fs::File::create(dir.path().join(SAMPLES_ZIPPED)).unwrap();
    let mut zip = flate2::write::GzEncoder::new(zipped, flate2::Compression::best());
    zip.write_all(&fs::read(&file).unwrap()).unwrap();
    zip.finish().unwrap();
    fs::remove_file(&file).unwrap();
    assert_eq!(Run::read(dir.path()).unwrap(), before);
    let mut folder = RunFolder::create(dir.path()).unwrap();
    assert_eq!(folder.read().unwrap(), before);
    assert!(file.exists() && !dir.path().join(SAMPLES_ZIPPED).exists());
    folder.append_samples(&[sample("c", 0, 5)]).unwrap();
    folder.append_measurement(&measured("c", "", &[5])).unwrap();
    assert_eq!(folder.read().unwrap().samples.len(), 4);
}

#[test]
fn planned_cells_are_pending_until_they_have_rows() {
    let (_dir, mut folder) = open();
    let of_no_device = || {
        let mut row = skipped("c", "").pending();
        row.cell.device = NO_DEVICE.to_owned();
        row
    };
    let pending =
        |run: &Run| -> Vec<CellId> { run.pending.iter().map(|it| it.cell.clone()).collect() };
    let planned = vec![skipped("a", "").pending(), of_no_device()];
    folder.plan(planned.clone()).unwrap();
    folder.plan(planned).unwrap();
    assert_eq!(pending(&folder.read().unwrap()), [of_no_device().cell]);
    // There is a device now.
    folder.plan(vec![skipped("c", "").pending()]).unwrap();
    assert_eq!(pending(&folder.read().unwrap()), [cell("c")]);
    folder.append_measurement(&skipped("c", "")).unwrap();
    let run = folder.read().unwrap();
    assert_eq!((run.pending.len(), run.measurements.len()), (0, 3));
}

#[test]
fn the_last_row_of_a_cell_wins() {
    let (_dir, mut folder) = open();
    folder.append_samples(&[sample("a", 0, 99)]).unwrap();
    folder
        .append_measurement(&measured("a", "again", &[99]))
        .unwrap();
    folder
        .append_measurement(&skipped("b", "other driver"))
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
    assert_eq!(run.facts, [fact(8.0)]);
}

#[test]
fn a_file_cut_anywhere_is_readable_and_goes_on() {
    let (dir, _) = closed();
    let path = dir.path().join(SAMPLES);
    let bytes = fs::read(&path).unwrap();
    for length in 0..bytes.len() {
        fs::write(&path, &bytes[..length]).unwrap();
        let kept = Run::read(dir.path()).unwrap().samples;
        let mut folder = RunFolder::create(dir.path()).unwrap();
        folder.append_samples(&[sample("z", 0, 5)]).unwrap();
        folder.append_measurement(&measured("z", "", &[5])).unwrap();
        let run = folder.read().unwrap();
        assert_eq!(run.samples.len(), kept.len() + 1);
        assert_eq!(run.samples.last(), Some(&sample("z", 0, 5)));
    }
}

#[test]
fn a_line_break_in_a_text_does_not_break_the_line() {
    let (dir, mut folder) = open();
    folder
        .append_measurement(&skipped("c", "error:\r\n  line \"2\"\n"))
        .unwrap();
    let text = fs::read_to_string(dir.path().join(MEASUREMENTS)).unwrap();
    assert_eq!(text.lines().count(), 4);
    let run = folder.read().unwrap();
    assert_eq!(run.measurements[2].reason, "error:    line \"2\" ");
}

/// Each row damages a file by changing a text, and has the expected error. The first three errors affect only readers.
#[test]
fn a_damaged_file_is_named_with_its_line() {
    let other = "run folder format 2; this program reads and writes format 3";
    let invocation = b"format = 3\n\n[[invocation]]\nutc = 5\n";
    let rows: [(&str, &[u8], &str); 7] = [
        (
            FACTS,
            b"case,fact,value\na,b,many\n",
            "facts.csv:2: value: ",
        ),
        (
            FACTS,
            b"case,fact,value\na,b\n",
            "facts.csv:2: 2 columns where 3 are expected",
        ),
        (FACTS, b"case,fact,value\n\xff\xfe,b,1\n", "facts.csv:2: "),
        (
            FACTS,
            b"case,value,fact\na,1,b\n",
            "facts.csv:1: columns of another version",
        ),
        (
            ENVIRONMENT,
            b"format = 3\n[program\n",
            "environment.toml:2: ",
        ),
        (ENVIRONMENT, invocation, "environment.toml:4: "),
        (ENVIRONMENT, b"format = 2\nwhatever = true\n", other),
    ];
    for (at, (file, text, part)) in rows.into_iter().enumerate() {
        let (dir, _) = closed();
        fs::write(dir.path().join(file), text).unwrap();
        let read = Run::read(dir.path()).unwrap_err().to_string();
        let created = (at > 2).then(|| RunFolder::create(dir.path()).err().unwrap().to_string());
        for error in [Some(read), created].into_iter().flatten() {
            assert!(error.contains(part), "{part}: {error}");
            assert_eq!(error.lines().count(), 1, "{error}");
        }
        assert_eq!(fs::read(dir.path().join(file)).unwrap(), text);
    }
}

#[test]
fn a_folder_of_another_format_may_be_started_over() {
    let (dir, _) = closed();
    fs::write(dir.path().join(ENVIRONMENT), "format = 7\n").unwrap();
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
    let (dir, _) = closed();
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
fn refused_rows_become_pending_without_their_samples() {
    let (_dir, mut folder) = open();
    assert_eq!(folder.retain(|_| true).unwrap(), 0);
    let is_b = |row: &MeasurementRow| row.cell == cell("b");
    assert_eq!(folder.retain(is_b).unwrap(), 1);
    folder.append_measurement(&skipped("c", "")).unwrap();
    let run = folder.read().unwrap();
    let rows = unsealed(&run.measurements);
    assert_eq!(rows, [measured("b", "", &[20]), skipped("c", "")]);
    assert_eq!(unsealed(&run.pending), [skipped("a", "").pending()]);
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
fn keeps_the_codes_of_reasons_and_warnings() {
    let (_dir, mut folder) = open();
    let over = Reason::OverBudget {
        budget_ns: 60_000_000_000,
        predicted_ns: 310_000_000_000,
    };
    let busy = Warning::Busy(0.125);
    let row = MeasurementRow {
        warnings: busy.to_string(),
        reason_code: Some(over.clone()),
        warning_codes: Some(vec![busy.clone()]),
        ..skipped("d", &over.to_string())
    };
    folder.append_measurement(&row).unwrap();
    let rows = folder.read().unwrap().measurements;
    assert_eq!(unsealed(&rows[2..]), [row]);
    let told = MeasurementRow {
        reason_code: Some(Reason::Told(String::new())),
        ..skipped("g", "lost")
    };
    assert_eq!(told.why(), Reason::Told("lost".to_owned()));
}

#[test]
fn rows_of_cells_that_were_measured_again_go() {
    let (dir, mut folder) = open();
    folder.append_samples(&[sample("a", 0, 99)]).unwrap();
    folder
        .append_measurement(&measured("a", "", &[99]))
        .unwrap();
    let before = folder.read().unwrap();
    folder.drop_superseded().unwrap();
    // The order numbers of dropped samples disappear from the file.
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
    // Later rows follow the kept rows.
    folder.append_samples(&[sample("a", 1, 98)]).unwrap();
    folder
        .append_measurement(&measured("a", "", &[99, 98]))
        .unwrap();
    assert_eq!(folder.read().unwrap().samples.len(), 3);
}
