//! Tests the reports of the committed runs, and the parts of README.md and reports/README.md that are generated from
//! all of them.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::golden::{COLUMNS, Golden};
use super::recompute::numbers_drawn_at_random_are_those_of_the_samples;
use super::{ROOT, bench, page};

/// Columns that contain no results, but ids that change with each measurement.
const LEFT_OUT: [&str; 2] = ["cell", "invocation"];

/// Copies the committed runs and the pages that are generated from them.
fn copied() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    let own = |name: &str| Path::new(ROOT).join(name);
    copy(&own("reports"), &place.path().join("reports"));
    std::fs::copy(own("README.md"), place.path().join("README.md")).unwrap();
    place
}

/// Copies a folder, except for the user's own runs.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        match path.is_dir() {
            true if matches!(name, "local" | "community" | "tables" | "charts") => {}
            true => copy(&path, &to.join(name)),
            false => drop(std::fs::copy(&path, to.join(name)).unwrap()),
        }
    }
}

/// Lists the run folders below `reports`, as paths relative to `place`.
fn runs(place: &Path) -> Vec<String> {
    let mut runs = Vec::new();
    for machine in list(&place.join("reports")) {
        let folders = list(&machine)
            .into_iter()
            .filter(|it| it.join("experiment.toml").is_file());
        runs.extend(folders.map(|it| it.strip_prefix(place).unwrap().display().to_string()));
    }
    runs.sort();
    runs
}

/// Lists a folder in order. Returns an empty list for a file.
fn list(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

fn add_report(golden: &mut Golden, run: &str, folder: &Path) {
    for path in list(&folder.join("tables")) {
        let name = path.file_stem().unwrap().to_str().unwrap();
        add_table(golden, &format!("{run} {name}"), &path);
    }
    for path in list(&folder.join("charts")) {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let sum = Sha256::digest(std::fs::read(&path).unwrap());
        let sum: String = sum
            .iter()
            .take(8)
            .map(|byte| format!("{byte:02x}"))
            .collect();
        golden.add(&format!("{run} charts"), name, &[&sum]);
    }
    let text = std::fs::read_to_string(folder.join("report.md")).unwrap();
    page::add(golden, &format!("{run} page"), &text, false);
}

/// Adds the rows of a table. The labels become an entry's group and name. The other columns become its fields.
fn add_table(golden: &mut Golden, table: &str, path: &Path) {
    let mut reader = csv::Reader::from_path(path).unwrap();
    let head = reader.headers().unwrap().clone();
    let head: Vec<&str> = head.iter().collect();
    // The axes are the columns before `technique`.
    let before = head.iter().position(|own| *own == "technique");
    let axes = &head[..before.unwrap_or(0)];
    let (groups, names, axes) = match () {
        () if head.contains(&"verdict") => (vec![], vec!["id", "device"], &[][..]),
        () if head.contains(&"over") => {
            let own = [axes, &["technique", "device"]].concat();
            (own, vec!["over"], axes)
        }
        () => {
            let own = vec!["technique", "baseline", "device", "quantity"];
            (own, axes.to_vec(), axes)
        }
    };
    let is_field = |own: &&str| ![&groups[..], &names, &LEFT_OUT].concat().contains(own);
    let columns: Vec<&str> = head.iter().copied().filter(is_field).collect();
    golden.add(table, COLUMNS, &columns);
    for row in reader.records().map(Result::unwrap) {
        let at = |own: &str| head.iter().position(|it| *it == own);
        let text = |own: &str| at(own).map_or("", |at| &row[at]);
        let label = |of: &[&str]| {
            let known = of.iter().filter(|own| !text(own).is_empty());
            let shown = known.map(|own| match axes.contains(own) {
                true => format!("{own}={}", text(own)),
                false => text(own).to_owned(),
            });
            shown.collect::<Vec<_>>().join("; ")
        };
        if text("status") == "not in this experiment" {
            continue;
        }
        let group = match label(&groups) {
            none if none.is_empty() => table.to_owned(),
            group => format!("{table}: {group}"),
        };
        let fields: Vec<&str> = columns.iter().map(|own| text(own)).collect();
        golden.add(&group, &label(&names), &fields);
    }
}

/// Returns the part of a page between two marks.
fn between<'t>(text: &'t str, mark: &str) -> &'t str {
    let part = text.split_once(&format!("<!-- {mark}:begin -->"));
    let part = part.and_then(|(_, rest)| rest.split_once(&format!("<!-- {mark}:end -->")));
    part.unwrap_or_else(|| panic!("no part {mark}")).0
}

#[test]
fn keeps_every_number_of_the_reports_and_the_readme_and_each_is_that_of_the_samples() {
    let place = copied();
    let place = place.path();
    let all = runs(place);
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    bench(place, &[&["report"], &all[..]].concat());
    let mut golden = Golden::default();
    for run in &all {
        let name = run.strip_prefix("reports/").unwrap();
        add_report(&mut golden, name, &place.join(run));
    }

    let to = "--insert README.md --insert reports/README.md --chart reports/ladder.svg --scores reports/scores.csv --out site";
    let to: Vec<&str> = to.split(' ').collect();
    bench(place, &[&["report"], &all[..], &to].concat());
    let made = |name: &str| std::fs::read_to_string(place.join(name)).unwrap();
    let kept = |name: &str| std::fs::read_to_string(Path::new(ROOT).join(name)).unwrap();
    for (name, mark) in [("README.md", "reports"), ("reports/README.md", "runs")] {
        let [made, kept] = [made(name), kept(name)];
        let part = between(&made, mark);
        let holds = part == between(&kept, mark);
        assert!(holds, "{name} is outdated");
        page::add(&mut golden, name, part, true);
    }
    for file in ["reports/ladder.svg", "reports/scores.csv"] {
        assert!(made(file) == kept(file), "{file} is outdated");
    }
    let landing = "site/index.html";
    page::add(&mut golden, landing, &page::of_html(&made(landing)), false);
    golden.check("reports.json");
    numbers_drawn_at_random_are_those_of_the_samples(&place.join("site"));
}
