//! Tests reports from run folders on disk.

use std::path::Path;

use plybench::config::to_toml;
use plybench::report::RunData;
use plybench::results::{Invocation, RunFolder, Sample};
use plybench::techniques::registry;
use plybench::words::{Case, Kind};

use crate::fixture::*;

/// Gives samples an order and times that a real run could have: pass by pass, one after another.
pub fn in_order(samples: &mut [Sample]) {
    let mut order: Vec<&mut Sample> = samples.iter_mut().collect();
    order.sort_by_key(|sample| (sample.pass, sample.order));
    let mut at_ns = 0;
    for (place, sample) in (0..).zip(order) {
        (sample.order, sample.at_ns) = (place, at_ns);
        at_ns += sample.total_ns;
    }
}

/// Gives `pv-split` the counters of `rayon`.
fn counts_as_rayon(samples: &mut [Sample]) {
    let rayon = samples.iter().filter(|own| own.cell.technique == "rayon");
    let rayon = rayon.map(|own| (own.cell.case.clone(), [own.nodes, own.leaves]));
    let counts: std::collections::HashMap<String, [u64; 2]> = rayon.collect();
    for own in samples
        .iter_mut()
        .filter(|own| own.cell.technique == "pv-split")
    {
        if let Some(same) = counts.get(&own.cell.case) {
            [own.nodes, own.leaves] = *same;
        }
    }
}

/// Writes a run to its folder, but without published tables and claims.
pub fn stored(data: &RunData) {
    let mut folder = RunFolder::fresh(&data.folder).unwrap();
    let mut data = data.clone();
    let made = |name: &str| {
        let invocation = Invocation {
            utc: name.to_owned(),
            program: data.environment.program.clone(),
            host: data.environment.host.clone(),
            devices: data.environment.devices.clone(),
            ..data.environment.invocations[0].clone()
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
    in_order(&mut data.samples);
    counts_as_rayon(&mut data.samples);
    let samples = &mut data.samples;
    for row in &mut data.measurements {
        let (_, invocation) = named
            .iter()
            .find(|(name, _)| *name == row.invocation)
            .unwrap();
        let case = Case::parse(&row.cell.case).unwrap();
        let choice = data.experiment.choice(&row.cell.technique).unwrap();
        let mut devices = invocation.devices.iter();
        let device = devices.find(|device| device.label == row.cell.device);
        let provenance = invocation.provenance(&choice.params, device);
        row.key = provenance.key(&data.experiment.question(choice, &case));
        row.invocation.clone_from(&invocation.id);
        let is_own = |sample: &Sample| sample.cell == row.cell;
        let mut own: Vec<Sample> = samples.extract_if(.., |sample| is_own(sample)).collect();
        for sample in &mut own {
            sample.invocation.clone_from(&row.invocation);
        }
        if !own.is_empty() {
            agree(row, &mut own);
            let trusted = row.cell.device == DEVICE;
            row.sum_up(&own.iter().collect::<Vec<_>>(), trusted);
        }
        let kind = registry::find("reversi", &choice.technique)
            .unwrap()
            .entry
            .kind;
        row.kind = kind.word().to_owned();
        row.experiment.clone_from(&data.experiment.name);
        folder.append_samples(&own).unwrap();
    }
    let text = to_toml(&data.experiment);
    folder.write_experiment(&text, &[]).unwrap();
    folder.append_facts(&data.facts).unwrap();
    for row in &data.resources {
        folder.append_resources(std::slice::from_ref(row)).unwrap();
    }
    for row in &data.measurements {
        folder.append_measurement(row).unwrap();
    }
    claim(&data.folder, "claim = []");
}

/// A run folder describes its techniques, so the catalogue need not have them.
#[test]
fn a_technique_that_the_program_no_longer_has_needs_the_folders_own_description() {
    let run = Path::new(env!("CARGO_MANIFEST_DIR")).join("reports/nvidia-h200/gomoku");
    let catalogue = registry::catalogue();
    assert!(catalogue.technique("gomoku", "naive").is_none());
    let folder = tempfile::tempdir().unwrap();
    let copy = |name: &str| folder.path().join(name);
    for name in [
        "environment.toml",
        "experiment.toml",
        "measurements.csv",
        "techniques.json",
    ] {
        let text = std::fs::read_to_string(run.join(name)).unwrap();
        std::fs::write(copy(name), text.replace("naive-as-published", "naive")).unwrap();
    }
    std::fs::copy(run.join("samples.csv.gz"), copy("samples.csv.gz")).unwrap();
    let data = RunData::read(folder.path(), &catalogue).unwrap();
    assert_eq!(data.kinds["naive"], Kind::Device);
    std::fs::write(folder.path().join("techniques.json"), "[]").unwrap();
    let error = RunData::read(folder.path(), &catalogue)
        .unwrap_err()
        .to_string();
    // The error must name the file, the line and the column.
    let file = folder.path().join("experiment.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    let mut lines = text.lines();
    let line = 1 + lines.position(|it| it == "name = \"naive\"").unwrap();
    let why = format!(
        "{}:{line}:8: technique.name: \"naive\" is not known",
        file.display()
    );
    assert!(error.starts_with(&why), "{error}");
}
