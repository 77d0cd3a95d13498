//! Checks the built-in experiments against the program's catalogue and the published tables that they name.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use plybench::config::{self, Claim, ClaimTest, Claims, Experiment};
use plybench::techniques::registry;
use plybench::words::{Case, Kind, Task, Value};

/// Returns every experiment in `configs`, with its file.
fn experiments() -> Vec<(PathBuf, Experiment)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "toml")
        })
        .collect();
    files.sort();
    assert!(!files.is_empty());
    let catalogue = registry::catalogue();
    files
        .into_iter()
        .flat_map(|file| {
            let loaded = config::load(&file, &catalogue).unwrap_or_else(|error| panic!("{error}"));
            let with_file = move |(_, experiment)| (file.clone(), experiment);
            loaded.into_iter().map(with_file)
        })
        .collect()
}

fn named(name: &str) -> Experiment {
    let found = experiments()
        .into_iter()
        .find(|(_, experiment)| experiment.name == name);
    found.unwrap_or_else(|| panic!("no experiment {name}")).1
}

/// Columns of published tables that are not axes.
const OF_TABLES: [&str; 3] = ["technique", "quantity", "baseline"];
/// Columns of published tables that are only for the reader.
const FOR_READERS: [&str; 3] = ["section", "name", "calls"];

/// Returns the rows of a published table: each number, with its case.
fn published(path: &str) -> Vec<(Case, f64)> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("reports/published")
        .join(path);
    let mut reader =
        csv::Reader::from_path(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let header = reader.headers().unwrap().clone();
    let value_at = header.iter().position(|name| name == "value").unwrap();
    let after: Vec<&str> = header.iter().skip(value_at + 1).collect();
    let allowed: [&[&str]; 3] = [&[], &["unit"], &["unit", "note"]];
    assert!(allowed.contains(&after.as_slice()), "{path}: {after:?}");
    reader
        .records()
        .map(|row| {
            let row = row.unwrap();
            let place = header.iter().zip(&row).take(value_at);
            let place = place.map(|(axis, value)| (axis.to_owned(), Value::parse(value)));
            (Case(place.collect()), row[value_at].parse().unwrap())
        })
        .collect()
}

#[test]
fn every_experiment_is_right_named_after_its_file_and_reads_back() {
    let catalogue = registry::catalogue();
    let mut names = BTreeSet::new();
    for (file, experiment) in experiments() {
        // In a suite, an experiment's name extends the name of the file.
        let stem = file.file_stem().unwrap().to_str().unwrap();
        let rest = experiment.name.strip_prefix(stem).unwrap();
        assert!(rest.is_empty() || rest.starts_with('-'), "{rest}");
        assert!(names.insert(experiment.name.clone()), "{}", experiment.name);
        assert!(!experiment.analysis.is_empty(), "{}", experiment.name);
        let written = config::to_toml(&experiment);
        let expected = Ok(experiment);
        assert_eq!(config::parse(&written, "written", &catalogue), expected);
    }
}

#[test]
fn published_tables_are_there_and_in_shape() {
    for (_, experiment) in experiments() {
        let axes = experiment.axes.iter().map(String::as_str);
        let params = experiment
            .techniques
            .iter()
            .flat_map(|choice| &choice.params);
        let columns: BTreeSet<&str> = axes
            .chain(params.map(|(name, _)| name.as_str()))
            .chain(OF_TABLES)
            .chain(FOR_READERS)
            .collect();
        for path in experiment.published() {
            let rows = published(path);
            let cases: BTreeSet<&Case> = rows.iter().map(|(case, _)| case).collect();
            assert_eq!(cases.len(), rows.len(), "{path}: a duplicate case");
            for (case, value) in &rows {
                assert!(*value > 0.0, "{path}: {case}");
                let mut names = case.0.iter().map(|(name, _)| name.as_str());
                assert!(names.all(|name| columns.contains(name)), "{path}");
            }
        }
    }
}

#[test]
fn every_claim_names_what_its_experiment_has() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = std::fs::read_dir(root.join("reports/published")).unwrap();
    let mut games: Vec<PathBuf> = folders.map(|entry| entry.unwrap().path()).collect();
    games.retain(|path| path.is_dir());
    assert!(!games.is_empty());
    for folder in games {
        let file = folder.join("claims.toml");
        if !file.is_file() {
            continue;
        }
        let game = folder.file_name().unwrap().to_str().unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        let Claims { claims, mistakes } = Claims::parse(&text, "claims.toml");
        assert_eq!(mistakes, [], "{}", file.display());
        let names: BTreeSet<&str> = claims.iter().map(|own| own.experiment.as_str()).collect();
        assert!(!names.is_empty(), "{}: no claim", file.display());
        for name in names {
            let experiment = named(name);
            assert_eq!(experiment.game, game, "{name}");
            for claim in claims.iter().filter(|own| own.experiment == name) {
                let id = format!("{}: {}", file.display(), claim.id);
                let labels = [&claim.technique, &claim.baseline];
                for label in labels.into_iter().flatten() {
                    assert!(experiment.choice(label).is_some(), "{id}: {label}");
                }
                let table = &claim.table;
                let is_view = experiment.views().any(|view| view.id == *table);
                let sections = ["matches", "cells"];
                let holds = is_view || sections.contains(&table.as_str());
                assert!(holds, "{id}: {table}");
                if let Some(axis) = claim.test.along() {
                    let holds = experiment.axes.iter().any(|own| own == axis);
                    assert!(holds, "{id}: {axis}");
                }
                for part in &claim.cases {
                    let own = Claim {
                        cases: vec![part.clone()],
                        ..claim.clone()
                    };
                    let holds = experiment.cases.iter().any(|case| own.is_about(case));
                    assert!(holds, "{id}: {part:?}");
                }
                if let ClaimTest::Published { within } = claim.test {
                    let holds = within > 1.0 && experiment.published_of(table).is_some();
                    assert!(holds, "{id}");
                }
            }
        }
    }
}

#[test]
fn reversi_measures_the_cells_of_the_papers_table_2_and_no_others() {
    let experiment = named("reversi");
    let cases = |path: &str| published(path).into_iter().map(|(case, _)| case);
    let paper: BTreeSet<Case> = cases("reversi/table-2.csv").collect();
    assert_eq!(paper.len(), 36);
    let own: BTreeSet<Case> = experiment.cases.iter().cloned().collect();
    assert_eq!(own, paper);
    let board = |case: &Case| case.text("board").map(str::to_owned);
    let boards: BTreeSet<_> = own.iter().map(board).collect();
    let table_1: BTreeSet<_> = cases("reversi/table-1.csv").map(|it| board(&it)).collect();
    assert_eq!(boards, table_1);
    // Cheap cases must come first, because they predict the times of expensive cases.
    let depth = |case: &Case| case.int("depth");
    assert!(experiment.cases.is_sorted_by_key(depth));
}

#[test]
fn smoke_names_every_technique_of_every_game() {
    let catalogue = registry::catalogue();
    let suite = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs/smoke.toml");
    let smoke = config::load(&suite, &catalogue).unwrap();
    let named: BTreeSet<(&str, &str)> = smoke
        .iter()
        .flat_map(|(_, experiment)| {
            let game = experiment.game.as_str();
            let choices = experiment.techniques.iter();
            choices.map(move |choice| (game, choice.technique.as_str()))
        })
        .collect();
    let techniques = catalogue.techniques.iter();
    let all: BTreeSet<(&str, &str)> = techniques.map(|entry| (entry.game, entry.name)).collect();
    assert_eq!(named, all);

    // Perft has its own kernels.
    for entry in catalogue.techniques.iter() {
        let counts = entry.kind == Kind::Device && entry.tasks.contains(&Task::Perft);
        let is_named = smoke.iter().any(|(_, experiment)| {
            let mut choices = experiment.techniques.iter();
            (experiment.game.as_str(), experiment.task) == (entry.game, Task::Perft)
                && choices.any(|choice| choice.technique == entry.name)
        });
        let holds = !counts || is_named;
        assert!(holds, "{}: perft of {}", entry.game, entry.name);
    }
}

#[test]
fn what_a_simulator_runs_is_every_device_technique_of_the_smoke_test() {
    let catalogue = registry::catalogue();
    let of_devices = |suite: &str| -> BTreeSet<(String, String, String)> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(suite);
        let experiments = config::load(&path, &catalogue).unwrap();
        let choices = experiments.iter().flat_map(|(_, experiment)| {
            let (game, task) = (&experiment.game, experiment.task.word());
            let choices = experiment.techniques.iter().filter(|choice| {
                let entry = catalogue.technique(game, &choice.technique).unwrap();
                entry.kind == Kind::Device
            });
            choices.map(move |choice| (game.clone(), task.to_owned(), choice.label.clone()))
        });
        choices.collect()
    };
    let found = of_devices("scripts/oclgrind.toml");
    assert_eq!(found, of_devices("configs/smoke.toml"));
}

#[test]
fn a_simulators_run_of_one_technique_keeps_its_reference() {
    // scripts/matrix runs techniques separately. It selects a technique's label and all labels that contain serial.
    let catalogue = registry::catalogue();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/oclgrind.toml");
    for (_, experiment) in config::load(&path, &catalogue).unwrap() {
        for choice in &experiment.techniques {
            let entry = catalogue.technique(&experiment.game, &choice.technique);
            let reference = entry.unwrap().reference;
            if reference == "mcts-block-rayon" {
                continue; // It runs separately, in the shape that the device chose.
            }
            // If a technique is its own reference, its label selects it.
            let kept = reference.contains("serial") || reference == choice.label;
            assert!(kept, "{}", choice.label);
            let (name, label) = (&experiment.name, &choice.label);
            let mut others = experiment.techniques.iter();
            let is_there = others.any(|other| other.label == reference);
            assert!(is_there, "{name}: {label} has no {reference}");
        }
    }
}

/// Returns the cases of a planned run, in order.
fn planned(experiment: &str) -> Vec<Case> {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_bench"))
        .args(["run", experiment, "--dry-run", "--json"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let cells: Vec<BTreeMap<String, String>> = serde_json::from_slice(&output.stdout).unwrap();
    let cases = cells.iter().map(|cell| Case::parse(&cell["case"]).unwrap());
    let mut cases: Vec<Case> = cases.collect();
    cases.dedup();
    cases
}

#[test]
fn cases_that_claims_name_come_first() {
    let own = named("connect-four");
    let cases = planned("configs/connect-four.toml");
    let mut sorted = cases.clone();
    let place = |case: &Case| own.cases.iter().position(|it| it == case).unwrap();
    sorted.sort_by_key(place);
    assert_eq!(sorted, own.cases, "every case once");
    // Claims about the last stage need depths up to 8. The claim about depth 12 needs two stages.
    let (needed, others) = cases.split_at(cases.len() - 2);
    let last = |case: &Case| case.text("stage") == Some("last") && case.int("depth") > Some(8);
    let holds = others.iter().all(last) && !needed.iter().any(last);
    assert!(holds, "{cases:?}");
    assert!(needed.is_sorted_by_key(place) && others.is_sorted_by_key(place));
    assert_ne!(cases, own.cases, "the experiment has another order");
}
