//! Reports from run folders on disk.

use plybench::config::to_toml;
use plybench::report::{ReportError, RunData, make, write_from};
use plybench::results::{CellIdentity, Invocation, RunFolder, SampleRow};
use plybench::techniques::registry;
use plybench::words::Case;

use crate::fixture::*;

/// Writes a run to its folder, whose published tables go and whose claims are none. Each of its invocations
/// gets an entry, and rows and samples the keys and ids that a run gives them.
pub fn stored(data: &RunData) {
    let mut folder = RunFolder::fresh(&data.folder).unwrap();
    let mut data = data.clone();
    let made = |name: &str| {
        let invocation = Invocation {
            utc: name.to_owned(),
            command: data.environment.commands[0].clone(),
            program: data.environment.program.clone(),
            host: data.environment.host.clone(),
            devices: data.environment.devices.clone(),
            ..Invocation::default()
        };
        (name.to_owned(), invocation.with_id())
    };
    let mut named: Vec<(String, Invocation)> = Vec::new();
    let rows = data.measurements.iter();
    for name in rows.map(|row| row.invocation.as_str()).chain([ONE]) {
        if !named.iter().any(|(known, _)| known == name) {
            named.push(made(name));
        }
    }
    for (_, invocation) in &named {
        folder.add_invocation(invocation).unwrap();
    }
    let samples = &mut data.samples;
    for row in &mut data.measurements {
        let (_, invocation) = named
            .iter()
            .find(|(name, _)| *name == row.invocation)
            .unwrap();
        let place = row.key.clone();
        let case = Case::parse(&row.case).unwrap();
        let choice = data.experiment.choice(&row.technique).unwrap();
        let mut devices = invocation.devices.iter();
        let identity = CellIdentity {
            question: data.experiment.question(choice, &case),
            program: &invocation.program,
            host: &invocation.host,
            device: devices.find(|device| device.label == row.device),
            beside: Vec::new(),
        };
        (row.key, row.cell) = (identity.key(), identity.id());
        row.invocation.clone_from(&invocation.id);
        let is_own = |sample: &SampleRow| sample.key == place;
        let mut own: Vec<SampleRow> = samples.extract_if(.., |sample| is_own(sample)).collect();
        for sample in &mut own {
            sample.key.clone_from(&row.key);
            sample.invocation.clone_from(&row.invocation);
        }
        if !own.is_empty() {
            agree(row, &mut own);
        }
        folder.append_samples(&own).unwrap();
    }
    folder.write_experiment(&to_toml(&data.experiment)).unwrap();
    folder.append_facts(&data.facts).unwrap();
    for row in &data.resources {
        folder.append_resources(std::slice::from_ref(row)).unwrap();
    }
    for row in &data.measurements {
        folder.append_measurement(row).unwrap();
    }
    claim(&data.folder, "claim = []");
}

/// Makes a folder's report anew.
fn written(folder: &std::path::Path) -> Result<(), ReportError> {
    make(&[folder.to_owned()], None, &registry::catalogue())?
        .files
        .write()
}

#[test]
fn each_folder_gets_its_own_report() {
    let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    stored(&eventful(first.path()));
    stored(&empty(second.path()));
    let folders = [first.path().to_owned(), second.path().to_owned()];
    let made = make(&folders, None, &registry::catalogue()).unwrap();
    made.files.write().unwrap();
    let paths = made.reports;
    assert_eq!(paths[0].page, first.path().join("index.html"));
    assert_eq!(paths[1].markdown, second.path().join("report.md"));
    let table = Csv::read(first.path().join("tables/table-2-over-serial.csv"));
    assert_eq!(
        table.row(&[("board", "16x16"), ("depth", "1")])["status"],
        "faster"
    );
    let table = Csv::read(second.path().join("tables/table-2-over-serial.csv"));
    assert_eq!(
        table.row(&[("board", "16x16"), ("depth", "1")])["status"],
        "not measured"
    );
}

#[test]
fn a_row_that_was_cut_off_is_a_warning_in_the_report() {
    let folder = tempfile::tempdir().unwrap();
    stored(&eventful(folder.path()));
    let samples = folder.path().join("samples.csv");
    let text = std::fs::read_to_string(&samples).unwrap();
    std::fs::write(&samples, &text[..text.len() - 5]).unwrap();
    written(folder.path()).unwrap();
    let markdown = std::fs::read_to_string(folder.path().join("report.md")).unwrap();
    let (_, warnings) = markdown.split_once("## Warnings").unwrap();
    assert!(warnings.contains("samples.csv"), "{warnings}");
}

#[test]
fn a_folder_that_holds_no_run_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let error = written(folder.path()).unwrap_err().to_string();
    assert!(
        error.starts_with(&folder.path().display().to_string()),
        "{error}"
    );
    assert_eq!(error.lines().count(), 1);
}

#[test]
fn an_experiment_that_is_damaged_is_refused_by_line() {
    let folder = tempfile::tempdir().unwrap();
    stored(&empty(folder.path()));
    let file = folder.path().join("experiment.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(
        &file,
        text.replace("game = \"reversi\"", "game = \"reversy\""),
    )
    .unwrap();
    let error = written(folder.path()).unwrap_err().to_string();
    assert!(
        error.starts_with(&format!("{}:", file.display())),
        "{error}"
    );
    assert!(error.contains("reversy"), "{error}");
}

#[test]
fn tables_and_charts_of_an_earlier_report_are_removed() {
    let folder = tempfile::tempdir().unwrap();
    let mut data = eventful(folder.path());
    write_from(&data, folder.path()).unwrap();
    let at = |name: &str| folder.path().join(name);
    assert!(at("charts/figure-4.svg").is_file() && at("tables/table-1.csv").is_file());
    std::fs::write(at("tables/notes.txt"), "mine").unwrap();
    std::fs::write(at("mine.csv"), "mine").unwrap();
    data.experiment.charts.clear();
    data.experiment.tables.remove(0);
    let paths = write_from(&data, folder.path()).unwrap();
    assert!(!at("charts/figure-4.svg").exists() && !at("tables/table-1.csv").exists());
    let kept = paths.tables.iter().chain(&paths.charts);
    for path in kept.chain([&at("tables/notes.txt"), &at("mine.csv")]) {
        assert!(path.is_file(), "{}", path.display());
    }
}
