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
    for (machine, over, baseline, expected) in [
        ("m1", "best one core", "serial", 4.0),
        ("m2", "best one core", "serial", 8.0),
        ("m1", "best CPU", "rayon", 2.0),
        ("m2", "best CPU", "rayon", 2.0),
    ] {
        let row = table.row(&[("machine", machine), ("over", over)]);
        assert_eq!(row["case"], "board=16x16 depth=1");
        assert_eq!(row["baseline"], baseline);
        let speedup: f64 = row["speedup"].parse().unwrap();
        approx::assert_relative_eq!(speedup, expected, max_relative = 1e-3);
    }
    let readme = read("README.md");
    for text in [
        "Imagined &lt;GPU&gt; &amp; Sons (m1) | Imagined &lt;GPU&gt; &amp; Sons (m2) |",
        "[pv-split](m2/reversi/report.md#first)",
        "## Where a GPU helps and where it does not",
        "--technique '^pv-split$' --case board=16x16 --case depth=1",
        "| m2 | Slower CPU | 2 |",
        "](charts/over-best-cpu.svg)",
        "](charts/over-best-one-core.svg)",
        "over best CPU, rayon on 2 threads ×2.00 (",
        "over best one core, serial ×8.00 (",
    ] {
        assert!(readme.contains(text), "{text}: {readme}");
    }
    assert!(!readme.contains("set apart"));
    let techniques = Csv::read(place.at("reports/tables/techniques.csv"));
    let at = [
        ("family", "board=8x8"),
        ("machine", "m2"),
        ("over", "best one core"),
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
    // On 8x8 one core is faster, and best CPU.
    for told in [
        "(m1)",
        "1 of 2 families",
        "×0.250–2.00",
        "depth=1",
        "| board=8x8 |",
        "×0.250–4.00",
    ] {
        assert!(line.contains(told), "{told}: {line}");
    }
    for said in [
        "faster in some families of cases: reversi.",
        "not faster: reversi.",
    ] {
        assert!(readme.contains(said), "{said}: {readme}");
    }
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
        assert_eq!(
            head.matches("over best CPU").count(),
            1,
            "{group}: {section}"
        );
    }
}

#[test]
fn runs_of_other_builds_or_systems_are_set_apart_by_name() {
    let place = Place::new();
    let runs = [
        place.run("m1", |data| {
            data.environment.program.profile = "release 3".into()
        }),
        place.run("m2", |data| {
            let environment = &mut data.environment;
            environment.program.profile = "dev 1".into();
            environment.program.compiled_for = "avx2".into();
            let host = &mut environment.host;
            (host.os, host.kernel, host.memory_bytes) =
                ("Some OS 2".into(), "6.1".into(), 16 << 30);
        }),
    ];
    let readme = place.written(&runs)("README.md");
    let said = "reversi, b (m2) beside a (m1): has the processor feature avx2; lacks the processor feature native; \
        profile dev 1, not release 3; operating system Some OS 2, not Some OS 1; kernel 6.1, not 6.0; \
        memory 16 GiB, not 8 GiB";
    assert!(readme.contains(said), "{readme}");
}

#[test]
fn a_machine_of_two_memories_is_two_and_one_of_two_kernels_is_listed() {
    let place = Place::new();
    let device = |data: &mut RunData| data.environment.devices[0].label = "Other".into();
    let change = |kernel: &str, memory: u64| {
        let folder = place.at("reports/m1/reversi-again");
        let mut data = eventful(&folder);
        device(&mut data);
        for row in data
            .measurements
            .iter_mut()
            .filter(|row| row.device == DEVICE)
        {
            row.device = "Other".into();
        }
        for sample in data.samples.iter_mut().filter(|row| row.device == DEVICE) {
            sample.device = "Other".into();
        }
        let host = &mut data.environment.host;
        (host.kernel, host.memory_bytes) = (kernel.into(), memory);
        stored(&data);
        folder
    };
    let first = place.run("m1", |_| {});
    let second = change("6.1", 8 << 30);
    let readme = place.written(&[first.clone(), second.clone()])("README.md");
    for system in ["Some OS 1, kernel 6.0", "Some OS 1, kernel 6.1"] {
        assert!(readme.contains(system), "{system}: {readme}");
    }
    change("6.1", 16 << 30);
    let error = place.make(&[first, second]).unwrap_err();
    assert!(error.contains("2 logical processors, 16 GiB"), "{error}");
    assert!(error.contains("2 logical processors, 8 GiB"), "{error}");
}

#[test]
fn damaged_rows_are_named_and_make_the_exit_code() {
    let place = Place::new();
    let run = place.run("m1", |_| {});
    let other = place.run("m2", |_| {});
    let file = run.join("samples.csv");
    let text = std::fs::read_to_string(&file).unwrap();
    // The whole of a sample in microseconds, its parts in nanoseconds.
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let head = reader.headers().unwrap().clone();
    let at = |name: &str| head.iter().position(|own| own == name).unwrap();
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(&head).unwrap();
    let mut is_ours = false;
    for record in reader.records() {
        let mut record: Vec<String> = record.unwrap().iter().map(str::to_owned).collect();
        if &record[at("sample")] == "0" {
            is_ours = record[at("technique")] == "pv-split" && record[at("case")].contains("16x16");
        }
        if is_ours {
            let whole: u64 = record[at("total_ns")].parse().unwrap();
            record[at("total_ns")] = (whole / 1_000).to_string();
        }
        writer.write_record(&record).unwrap();
    }
    std::fs::write(&file, writer.into_inner().unwrap()).unwrap();
    let bench = |arguments: &[&str]| {
        let mut command = assert_cmd::Command::new(assert_cmd::cargo::cargo_bin!("bench"));
        let output = command.args(arguments).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (
            output.status.code(),
            text(&output.stdout),
            text(&output.stderr),
        )
    };
    let [first, second] = [&run, &other].map(|run| run.to_str().unwrap());
    let named = "board=16x16 depth=1 pv-split on Imagined <GPU> & Sons: ";
    let (code, _, error) = bench(&["report", first]);
    assert_eq!(code, Some(4), "{error}");
    assert!(error.contains(named), "{error}");
    let report = std::fs::read_to_string(run.join("report.md")).unwrap();
    let (_, warnings) = report.split_once("## Warnings").unwrap();
    assert!(
        warnings.contains("board=16x16 depth=1 pv-split on"),
        "{warnings}"
    );
    let cells = Csv::read(run.join("tables/cells.csv"));
    let row = cells.row(&[
        ("board", "16x16"),
        ("depth", "1"),
        ("technique", "pv-split"),
    ]);
    assert_eq!(row["status"], "damaged");
    for column in [
        "median_ns",
        "low_ns",
        "samples",
        "nodes",
        "nodes_per_s",
        "over_best_cpu",
        "speedup_over_serial",
    ] {
        assert_eq!(row[column], "", "{column}");
    }
    let ratios = std::fs::read_to_string(run.join("tables/ratios.csv")).unwrap();
    assert!(!ratios.contains("16x16,1,pv-split"), "{ratios}");
    assert!(ratios.contains("8x8,1,pv-split"), "{ratios}");
    let (code, said, error) = bench(&["compare", second, first]);
    assert_eq!(code, Some(4), "{error}");
    assert!(error.contains(named), "{error}");
    assert!(said.contains("damaged"), "{said}");
    assert!(
        !said.contains("board=16x16 depth=1, pv-split on Imagined <GPU> & Sons: 0."),
        "{said}"
    );
    assert_eq!(bench(&["report", second]).0, Some(0));
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
        error.starts_with(
            "m1: m1/reversi-again/ was made on Slower CPU, 2 logical processors, 8 GiB, m1/reversi/ on \
             Imagined CPU, 2 logical processors, 8 GiB"
        ),
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
        "](reports/charts/over-best-cpu.svg)",
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
