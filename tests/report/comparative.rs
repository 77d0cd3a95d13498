//! Reports of several runs together.

use std::path::{Path, PathBuf};

use plybench::report::{Made, RunData, Together, make};
use plybench::techniques::registry;
use plybench::words::Value;

use crate::fixture::*;
use crate::folder::stored;

/// A folder with `reports/<machine>/<experiment>` in it.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        Place(tempfile::tempdir().unwrap())
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// An eventful run of a machine, changed and stored.
    fn run(&self, machine: &str, change: impl FnOnce(&mut RunData)) -> PathBuf {
        let folder = self.at("reports").join(machine).join("reversi");
        let mut data = eventful(&folder);
        change(&mut data);
        stored(&data);
        folder
    }

    fn make(&self, runs: &[PathBuf]) -> Result<Made, String> {
        let out = self.at("reports");
        let together = Together {
            out: &out,
            insert: None,
        };
        make(runs, Some(together), &registry::catalogue()).map_err(|error| error.to_string())
    }

    /// The report is made, and each file of it read.
    fn written(&self, runs: &[PathBuf]) -> impl Fn(&str) -> String + use<> {
        self.make(runs).unwrap().files.write().unwrap();
        let out = self.at("reports");
        move |name: &str| std::fs::read_to_string(out.join(name)).unwrap()
    }
}

/// On this machine one core takes twice the time.
fn slower_core(data: &mut RunData) {
    for sample in data
        .samples
        .iter_mut()
        .filter(|row| row.technique == "serial")
    {
        sample.total_ns *= 2;
    }
    for row in data
        .measurements
        .iter_mut()
        .filter(|row| row.technique == "serial")
    {
        row.median_ns = row.median_ns.map(|ns| 2 * ns);
    }
    data.environment.host.cpu = "Slower CPU".into();
}

#[test]
fn each_speedup_is_over_its_own_hosts_baselines() {
    let place = Place::new();
    let runs = [place.run("m1", |_| {}), place.run("m2", slower_core)];
    let read = place.written(&runs);
    let table = Csv::read(place.at("reports/tables/first.csv"));
    let ratio = |machine: &str, baseline: &str| -> f64 {
        let row = table.row(&[("machine", machine), ("baseline", baseline)]);
        assert_eq!(row["case"], "board=16x16 depth=1");
        row["speedup"].parse().unwrap()
    };
    for (machine, baseline, expected) in [
        ("m1", "serial", 4.0),
        ("m2", "serial", 8.0),
        ("m1", "rayon", 2.0),
        ("m2", "rayon", 2.0),
    ] {
        approx::assert_relative_eq!(ratio(machine, baseline), expected, max_relative = 1e-3);
    }
    let readme = read("README.md");
    for text in [
        "Imagined &lt;GPU&gt; &amp; Sons (m1) | Imagined &lt;GPU&gt; &amp; Sons (m2) |",
        "[pv-split](m2/reversi/report.md#first)",
        "## Where a GPU helps and where it does not",
        "--technique '^pv-split$' --case board=16x16 --case depth=1",
        "| m2 | Slower CPU | 2 |",
        "](charts/over-rayon.svg)",
    ] {
        assert!(readme.contains(text), "{text}: {readme}");
    }
    assert!(!readme.contains("set apart"));
    let techniques = Csv::read(place.at("reports/tables/techniques.csv"));
    let at = [
        ("family", "board=8x8"),
        ("machine", "m2"),
        ("baseline", "serial"),
    ];
    assert_eq!(
        techniques.row(&at)["case"],
        "board=8x8 depth=1",
        "most can be compared there"
    );
}

#[test]
fn where_a_device_helps_follows_from_the_verdicts() {
    let place = Place::new();
    let runs = [
        place.run("m1", |_| {}),
        place.run("m2", |data| {
            // On 16x16 a tie with rayon there, as on 8x8.
            for sample in data
                .samples
                .iter_mut()
                .filter(|row| row.technique == "rayon" && row.case == "board=16x16 depth=1")
            {
                sample.total_ns /= 2;
            }
        }),
    ];
    let read = place.written(&runs);
    let table = Csv::read(place.at("reports/tables/where.csv"));
    let helps = |machine: &str| table.row(&[("machine", machine)])["helps"].clone();
    assert_eq!((helps("m1"), helps("m2")), ("in part".into(), "no".into()));
    let readme = read("README.md");
    let line = readme
        .lines()
        .find(|line| line.contains("| in part |") || line.contains("| **in part** |"))
        .unwrap_or_else(|| panic!("{readme}"));
    // On 8x8 rayon is no slower, and serial faster.
    for told in [
        "(m1)",
        "1 of 2 families",
        "×0.250–2.00",
        "depth=1",
        "| board=8x8 |",
        "×1.00–2.00",
    ] {
        assert!(line.contains(told), "{told}: {line}");
    }
    assert!(readme.contains("in part: reversi."), "{readme}");
    assert!(readme.contains("no: reversi."), "{readme}");
}

#[test]
fn the_same_folders_give_the_same_bytes_and_no_path_of_this_machine() {
    let place = Place::new();
    let mut runs = vec![place.run("m1", |_| {}), place.run("m2", slower_core)];
    let read = place.written(&runs);
    runs.reverse();
    let again = place.make(&runs).unwrap();
    assert_eq!(again.files.first_difference().unwrap(), None);
    let root = place.0.path().display().to_string();
    for name in [
        "README.md",
        "report.md",
        "index.html",
        "tables/first.csv",
        "tables/runs.csv",
    ] {
        assert!(!read(name).contains(&root), "{name}");
    }
    std::fs::write(place.at("reports/tables/first.csv"), "x").unwrap();
    let difference = again.files.first_difference().unwrap().unwrap();
    let file = place.at("reports/tables/first.csv").display().to_string();
    assert!(difference.starts_with(&file), "{difference}");
}

#[test]
fn every_link_leads_somewhere() {
    let place = Place::new();
    let runs = [place.run("m1", |_| {}), place.run("m 2", slower_core)];
    let read = place.written(&runs);
    let resolve = |from: &str, link: &str| {
        let (file, id) = link.split_once('#').unwrap_or((link, ""));
        let file = if file.is_empty() {
            from.to_owned()
        } else {
            file.replace("%20", " ")
        };
        let text = read(&file);
        let has = |text: &str| text.contains(&format!("id=\"{id}\""));
        assert!(id.is_empty() || has(&text), "{from}: {link}");
    };
    let mut links = 0;
    let page = read("index.html");
    for link in page.split("href=\"").skip(1) {
        resolve("index.html", link.split('"').next().unwrap());
        links += 1;
    }
    for name in ["README.md", "report.md"] {
        let text = read(name);
        for link in text.split("](").skip(1) {
            resolve(name, link.split(')').next().unwrap());
            links += 1;
        }
    }
    assert!(links > 25, "{links}");
}

#[test]
fn runs_of_unlike_programs_or_files_are_set_apart_by_name() {
    let place = Place::new();
    let runs = [
        place.run("m1", |_| {}),
        place.run("m2", |data| {
            data.environment.program.source_hash = "99".into();
            data.experiment
                .options
                .insert("mobility".into(), Value::Int(0));
            data.experiment.cases.pop();
            data.measurements
                .retain(|row| row.case != "board=8x8 depth=3");
        }),
    ];
    let read = place.written(&runs);
    let readme = read("README.md");
    for text in [
        "reversi, b (m2) beside a (m1): program 0.1.0 (abc1234, sources 99, kernels 11), not 0.1.0 \
         (abc1234, sources 00, kernels 11); option mobility 0, not its default; lacks the case \
         board=8x8 depth=3",
        "set apart: a",
        "set apart: b",
    ] {
        assert!(readme.contains(text), "{text}: {readme}");
    }
    // Each group has tables of its own, with its machine alone.
    let report = read("report.md");
    let (_, section) = report
        .split_once("<a id=\"experiment-reversi\"></a>")
        .unwrap();
    for group in ["### board=8x8: depth=1 (a)", "### board=8x8: depth=1 (b)"] {
        let found = section.split_once(group).map(|(_, rest)| rest.trim_start());
        let head = found
            .and_then(|rest| rest.lines().next())
            .unwrap_or_default();
        assert_eq!(head.matches("over rayon").count(), 1, "{group}: {section}");
    }
}

#[test]
fn runs_that_cannot_stand_together_are_refused_by_name() {
    let place = Place::new();
    let first = place.run("m1", |_| {});
    let refused = |runs: &[PathBuf]| {
        let error = place.make(runs).unwrap_err();
        assert_eq!(error.lines().count(), 1);
        error
    };
    assert_eq!(
        refused(std::slice::from_ref(&first)),
        "--out: a report of runs together needs two run folders or more, not 1"
    );
    let again = place.at("reports/m1/reversi-again");
    let mut data = eventful(&again);
    data.folder = again.clone();
    stored(&data);
    assert_eq!(
        refused(&[first.clone(), again.clone()]),
        "reversi on Imagined <GPU> & Sons (m1): is in both m1/reversi-again/ and m1/reversi/; leave \
         one of them out"
    );
    slower_core(&mut data);
    stored(&data);
    let error = refused(&[first, again]);
    assert!(
        error.starts_with("m1: m1/reversi-again/ was made on Slower CPU, 2 logical processors"),
        "{error}"
    );
}

#[test]
fn a_folder_with_somebody_elses_readme_is_left_alone() {
    let place = Place::new();
    let runs = [place.run("m1", |_| {}), place.run("m2", slower_core)];
    std::fs::write(place.at("reports/README.md"), "# Mine\n").unwrap();
    let error = place.make(&runs).unwrap_err();
    assert!(error.contains("holds a README.md"), "{error}");
    std::fs::remove_file(place.at("reports/README.md")).unwrap();
    let together = Together {
        out: &runs[0],
        insert: None,
    };
    let error = make(&runs, Some(together), &registry::catalogue()).unwrap_err();
    assert!(error.to_string().contains("is a run folder"), "{error}");
}

#[test]
fn a_page_gets_the_table_and_the_chart_between_its_marks() {
    let place = Place::new();
    let runs = [place.run("m1", |_| {}), place.run("m2", slower_core)];
    let page = place.at("README.md");
    let out = place.at("reports");
    let put = || {
        let together = Together {
            out: &out,
            insert: Some(&page),
        };
        let made = make(&runs, Some(together), &registry::catalogue());
        made.map(|made| made.files.write().unwrap())
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
        "<!-- reports:end -->\n\nMore.\n",
    );
    std::fs::write(&page, format!("{}{}", around.0, around.1)).unwrap();
    put().unwrap();
    let text = std::fs::read_to_string(&page).unwrap();
    assert!(
        text.starts_with(around.0) && text.ends_with(around.1),
        "{text}"
    );
    for link in [
        "[pv-split](reports/m1/reversi/report.md#first)",
        "](reports/charts/over-rayon.svg)",
        "[reports/README.md](reports/README.md)",
    ] {
        assert!(text.contains(link), "{link}: {text}");
    }
    put().unwrap();
    assert_eq!(std::fs::read_to_string(&page).unwrap(), text);
}

#[test]
fn claims_stand_beside_each_device() {
    let place = Place::new();
    let runs = [place.run("m1", |_| {}), place.run("m2", slower_core)];
    for run in &runs {
        let text = "[[claim]]\nid = \"five\"\nexperiment = \"reversi\"\n\
            text = \"Five times as fast.\"\nsource = \"Table 2\"\ntable = \"table-2\"\n\
            quantity = \"speedup\"\ntechnique = \"pv-split\"\nbaseline = \"serial\"\n\
            cases = { board = \"16x16\" }\ntest = \"above\"\nvalue = 5\n";
        claim(run, text);
    }
    let read = place.written(&runs);
    let line = "| Five times as fast.<br>reversi, over serial | Table 2 | \
        [not reproduced](m1/reversi/report.md#table-2)<br>holds in 0 of 1 cell<br>1 not measured | \
        [reproduced as far as measured](m2/reversi/report.md#table-2)<br>holds in 1 of 1 cell<br>1 not measured |";
    let readme = read("README.md");
    assert!(readme.contains(line), "{readme}");
    assert_eq!(Csv::read(place.at("reports/tables/claims.csv")).len(), 2);
}

#[test]
fn the_command_makes_checks_and_refuses() {
    let place = Place::new();
    let runs = [place.run("m1", |_| {}), place.run("m2", slower_core)];
    let bench = |arguments: &[&str]| {
        let mut command = assert_cmd::Command::new(assert_cmd::cargo::cargo_bin!("bench"));
        command
            .current_dir(place.0.path())
            .arg("report")
            .args(arguments);
        let output = command.output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        (output.status.code(), error)
    };
    let [first, second] = [&runs[0], &runs[1]].map(|run: &PathBuf| run.to_str().unwrap());
    let both = [first, second, "--out", "reports"];
    let check = [first, second, "--out", "reports", "--check"];
    let (code, error) = bench(&check);
    assert_eq!(code, Some(4));
    assert!(
        error.contains("report.md") || error.contains("tables/"),
        "{error}"
    );
    assert!(
        !Path::new(&place.at("reports/README.md")).exists(),
        "a check writes nothing"
    );
    assert_eq!(bench(&both).0, Some(0));
    let published = bench(&check);
    assert_eq!(published.0, Some(0), "{}", published.1);
    let (code, error) = bench(&[first, "--out", "reports"]);
    assert_eq!(code, Some(1), "{error}");
    assert_eq!(bench(&[first, second, "--insert", "README.md"]).0, Some(1));
}
