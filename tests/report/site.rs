//! Tests the site of several runs, and the parts of it that other pages contain.

use std::path::PathBuf;

use plybench::report::compare::{Comparison, Options};
use plybench::report::{Made, RunData, Site, make};
use plybench::techniques::registry;

use crate::fixture::*;
use crate::folder::stored;

/// A folder that contains `reports/<machine>/<experiment>`.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        Place(tempfile::tempdir().unwrap())
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Stores an eventful run of a machine, with the changes that `change` makes, and a question for the site.
    fn run(&self, machine: &str, change: impl FnOnce(&mut RunData)) -> PathBuf {
        let folder = self.at("reports").join(machine).join("reversi");
        let mut data = eventful(&folder);
        change(&mut data);
        stored(&data);
        std::fs::write(folder.join("published/questions.toml"), QUESTION).unwrap();
        folder
    }

    fn make(&self, runs: &[PathBuf]) -> Result<Made, String> {
        let site = Site {
            out: Some(self.at("site")),
            ..Site::default()
        };
        make(runs, Some(&site), &registry::catalogue()).map_err(|error| error.to_string())
    }

    /// Builds the site. Returns a function that reads its files.
    fn written(&self, runs: &[PathBuf]) -> impl Fn(&str) -> String + use<> {
        self.make(runs).unwrap().write().unwrap();
        let out = self.at("site");
        move |name: &str| std::fs::read_to_string(out.join(name)).unwrap()
    }
}

const QUESTION: &str = "[[question]]\nexperiment = \"reversi\"\nquestion = \"Is it <faster>?\"\n\
    game = \"Reversi\"\ncase = \"board=16x16 depth=1\"\ntechnique = \"pv-split\"\n\
    baseline = \"serial\"\n";

/// Makes `serial` take twice as long, as on a machine with a slower core.
fn slower_core(data: &mut RunData) {
    slower(data, "serial", 2);
    data.environment.host.cpu = "Slower CPU".into();
}

fn slower(data: &mut RunData, technique: &str, times: u64) {
    for sample in samples_of(data, technique) {
        sample.total_ns *= times;
    }
    for row in rows_of(data, technique) {
        row.median_ns = row.median_ns.map(|ns| times * ns);
    }
}

#[test]
fn each_run_has_its_page_with_its_own_hosts_numbers_and_its_raw_data() {
    let place = Place::new();
    let runs = [place.run("m1", |_| {}), place.run("m2", slower_core)];
    let read = place.written(&runs);
    for (machine, over_one_core) in [("m1", "4.00"), ("m2", "8.00")] {
        let page = read(&format!("{machine}/reversi/index.html"));
        for text in [
            "<strong>Is it &lt;faster&gt;?</strong>".to_owned(),
            "16x16, depth 1".to_owned(),
            format!(">{over_one_core}<"),
            "href=\"../../index.html\"".to_owned(),
        ] {
            assert!(page.contains(&text), "{text}: {page}");
        }
        let folder = place.at("reports").join(machine).join("reversi");
        for name in ["samples.csv", "environment.toml"] {
            let raw = std::fs::read_to_string(folder.join(name)).unwrap();
            assert_eq!(read(&format!("{machine}/reversi/{name}")), raw);
        }
    }
    let made = runs.iter().any(|run| run.join("index.html").exists());
    assert!(!made, "nothing is written into a run folder");
}

#[test]
fn the_same_folders_give_the_same_bytes_and_no_path_of_this_machine() {
    let place = Place::new();
    let mut runs = vec![place.run("m1", |_| {}), place.run("m2", slower_core)];
    let read = place.written(&runs);
    runs.reverse();
    let again = place.make(&runs).unwrap();
    assert_eq!(again.first_difference(), None);
    let root = place.0.path().display().to_string();
    for name in ["index.html", "m1/reversi/index.html"] {
        assert!(!read(name).contains(&root), "{name}");
    }
    std::fs::write(place.at("site/m1/reversi/tables/cells.csv"), "x").unwrap();
    let difference = again.first_difference().unwrap();
    let file = place
        .at("site/m1/reversi/tables/cells.csv")
        .display()
        .to_string();
    assert!(difference.starts_with(&file), "{difference}");
}

/// If a row contradicts its samples, its cell has no number and no ratio, and is left out of comparisons.
#[test]
fn damaged_rows_have_no_numbers() {
    let place = Place::new();
    let [run, other] = ["m1", "m2"].map(|machine| place.run(machine, |_| {}));
    let file = run.join("measurements.csv");
    let text = std::fs::read_to_string(&file).unwrap();
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let head = reader.headers().unwrap().clone();
    let at = |name: &str| head.iter().position(|own| own == name).unwrap();
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(&head).unwrap();
    for record in reader.records() {
        let mut record: Vec<String> = record.unwrap().iter().map(str::to_owned).collect();
        if record[at("technique")] == "pv-split" && record[at("case")] == "board=16x16 depth=1" {
            record[at("median_ns")] = "152".to_owned();
        }
        writer.write_record(&record).unwrap();
    }
    std::fs::write(&file, writer.into_inner().unwrap()).unwrap();
    let read = |folder: &PathBuf| RunData::read(folder, &registry::catalogue()).unwrap();
    let data = read(&run);
    assert!(!data.findings.is_empty());
    let cells = tables(&data, "cells");
    let at = [("board", "16x16"), ("depth", "1")];
    let row = cells.row(&[&at[..], &[("technique", "pv-split")]].concat());
    assert_eq!(row["status"], "damaged");
    let numbers = "median_ns low_ns samples nodes nodes_per_s over_best_cpu speedup_over_serial";
    for column in numbers.split(' ') {
        assert_eq!(row[column], "", "{column}");
    }
    let ratios = std::fs::read_to_string(run.join("tables/ratios.csv")).unwrap();
    assert!(!ratios.contains("16x16,1,pv-split"), "{ratios}");
    assert!(ratios.contains("8x8,1,pv-split"), "{ratios}");
    let compared = Comparison::new(&read(&other), &data, Options::default()).unwrap();
    let said = compared.text(200, false);
    assert!(said.contains("damaged"), "{said}");
    let ratio = "board=16x16 depth=1, pv-split on Imagined <GPU> & Sons: 0.";
    assert!(!said.contains(ratio), "{said}");
}

#[test]
fn two_runs_of_one_page_are_refused_by_name() {
    let place = Place::new();
    let first = place.run("m1", |_| {});
    let again = place.at("reports/m1/reversi-again");
    let mut data = eventful(&again);
    data.folder = again.clone();
    stored(&data);
    let error = place.make(&[first.clone(), again.clone()]).unwrap_err();
    assert_eq!(error.lines().count(), 1);
    assert!(error.starts_with("reversi on m1: is in both "), "{error}");
    for folder in [first, again] {
        assert!(error.contains(&folder.display().to_string()), "{error}");
    }
}

#[test]
fn a_folder_with_somebody_elses_page_is_left_alone() {
    let place = Place::new();
    let runs = [place.run("m1", |_| {}), place.run("m2", slower_core)];
    std::fs::create_dir(place.at("site")).unwrap();
    std::fs::write(place.at("site/index.html"), "mine").unwrap();
    let error = place.make(&runs).unwrap_err();
    assert!(error.contains("did not make"), "{error}");
    // The output folder must be neither a run folder nor a folder in which the site would replace a run's page.
    for out in [runs[0].clone(), place.at("reports")] {
        let site = Site {
            out: Some(out),
            ..Site::default()
        };
        let error = make(&runs, Some(&site), &registry::catalogue()).unwrap_err();
        assert!(error.to_string().contains("is a run folder"), "{error}");
    }
}

#[test]
fn pages_get_the_results_and_the_list_of_runs_between_their_marks() {
    let place = Place::new();
    let runs = [place.run("m1", |_| {}), place.run("m2", slower_core)];
    let (page, chart) = (place.at("README.md"), place.at("reports/ladder.svg"));
    let put = || {
        let site = Site {
            insert: vec![page.clone()],
            chart: Some(chart.clone()),
            ..Site::default()
        };
        let made = make(&runs, Some(&site), &registry::catalogue());
        made.map(|made| made.write().unwrap())
            .map_err(|error| error.to_string())
    };
    std::fs::write(&page, "# A page\n").unwrap();
    assert!(
        put()
            .unwrap_err()
            .ends_with("has no line <!-- reports:begin -->")
    );
    let around = (
        "# A page\n\n<!-- reports:begin -->\n",
        "<!-- reports:end -->\n\nMore.\n<!-- runs:begin -->\n<!-- runs:end -->\n",
    );
    std::fs::write(&page, format!("{}{}", around.0, around.1)).unwrap();
    put().unwrap();
    let text = std::fs::read_to_string(&page).unwrap();
    assert!(text.starts_with(around.0), "{text}");
    assert!(text.contains("<!-- reports:end -->\n\nMore.\n"), "{text}");
    put().unwrap();
    assert_eq!(std::fs::read_to_string(&page).unwrap(), text);
    assert!(std::fs::read_to_string(&chart).unwrap().starts_with("<svg"));
}
