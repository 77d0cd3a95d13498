//! The site of several runs, and what of it stands in other pages.

use std::path::PathBuf;

use plybench::report::{Made, RunData, Site, make};
use plybench::techniques::registry;

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

    /// An eventful run of a machine, changed and stored, which says what it asks.
    fn run(&self, machine: &str, change: impl FnOnce(&mut RunData)) -> PathBuf {
        let folder = self.at("reports").join(machine).join("reversi");
        let mut data = eventful(&folder);
        change(&mut data);
        stored(&data);
        std::fs::write(folder.join("published/questions.toml"), QUESTION).unwrap();
        folder
    }

    fn make(&self, runs: &[PathBuf]) -> Result<Made, String> {
        let out = self.at("site");
        let site = Site {
            out: Some(&out),
            insert: &[],
            chart: None,
        };
        make(runs, Some(site), &registry::catalogue()).map_err(|error| error.to_string())
    }

    /// The site is made, and each file of it read.
    fn written(&self, runs: &[PathBuf]) -> impl Fn(&str) -> String + use<> {
        self.make(runs).unwrap().files.write().unwrap();
        let out = self.at("site");
        move |name: &str| std::fs::read_to_string(out.join(name)).unwrap()
    }
}

const QUESTION: &str = "[[question]]\nexperiment = \"reversi\"\nquestion = \"Is it <faster>?\"\n\
    game = \"Reversi\"\ncase = \"board=16x16 depth=1\"\ntechnique = \"pv-split\"\n\
    baseline = \"serial\"\n";

/// On this machine one core takes twice the time.
fn slower_core(data: &mut RunData) {
    slower(data, "serial", 2);
    data.environment.host.cpu = "Slower CPU".into();
}

/// A technique takes so many times as long.
fn slower(data: &mut RunData, technique: &str, times: u64) {
    let samples = data.samples.iter_mut();
    for sample in samples.filter(|own| own.technique == technique) {
        sample.total_ns *= times;
    }
    let rows = data.measurements.iter_mut();
    for row in rows.filter(|own| own.technique == technique) {
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
    assert!(read("m1/reversi/index.html").contains("Also on m2"));
    let made = runs.iter().any(|run| run.join("index.html").exists());
    assert!(!made, "nothing is written into a run folder");
}

#[test]
fn the_landing_page_leads_to_each_run_and_has_a_card_a_paper() {
    let place = Place::new();
    let runs = [place.run("m1", |_| {}), place.run("m2", slower_core)];
    let page = place.written(&runs)("index.html");
    for text in [
        "What a speed-up is over: Imagined &lt;GPU&gt; &amp; Sons (m1)",
        "<a href=\"m1/reversi/index.html\">Is it &lt;faster&gt;?</a>",
        "<a href=\"m2/reversi/index.html\">undated</a>",
        "Reversi: 16x16, depth 1",
        // 60 positions in 10 ms.
        "167 µs a position",
        "CPU programs on Slower (m2)",
    ] {
        assert!(page.contains(text), "{text}: {page}");
    }
    // A device of two machines has one row.
    let again = "Imagined &lt;GPU&gt; &amp; Sons (m2)";
    assert!(!page.contains(again), "{page}");
}

#[test]
fn a_device_of_two_machines_stands_where_most_papers_were_measured_on_it() {
    let place = Place::new();
    let cpu = |data: &mut RunData, name: &str| data.environment.host.cpu = name.into();
    let second = |machine: &str, name: &str| {
        let folder = place.at("reports").join(machine).join("reversi-2");
        let mut data = eventful(&folder);
        cpu(&mut data, name);
        data.experiment.name = "reversi-2".into();
        stored(&data);
        let question = QUESTION.replace("\"reversi\"", "\"reversi-2\"");
        std::fs::write(folder.join("published/questions.toml"), question).unwrap();
        folder
    };
    // The GPU of `a` is the one shown. The processor of `b`, with one paper, is like that of `c`, with two.
    let runs = [
        place.run("a", |data| cpu(data, "Shown CPU")),
        second("a", "Shown CPU"),
        place.run("b", |data| cpu(data, "Like CPU")),
        place.run("c", |data| cpu(data, "Like CPU")),
        second("c", "Like CPU"),
    ];
    let page = place.written(&runs)("index.html");
    for (row, is_there) in [
        ("Sons (a)", true),
        ("Sons (b)", false),
        ("Sons (c)", false),
        ("CPU programs on Shown (a)", true),
        ("CPU programs on Like (b)", false),
        ("CPU programs on Like (c)", true),
    ] {
        assert_eq!(page.contains(row), is_there, "{row}: {page}");
    }
}

#[test]
fn the_landing_page_names_another_experiment_where_a_papers_device_is_no_faster() {
    let place = Place::new();
    let paper = place.run("m1", |data| slower(data, "pv-split", 8));
    let other = place.at("reports/m1/reversi-strong");
    let mut data = eventful(&other);
    data.experiment.name = "reversi-strong".into();
    stored(&data);
    let read = place.written(&[paper, other]);
    let page = read("index.html");
    let win = "Faster at Reversi in reversi-strong";
    assert!(page.contains(win), "{page}");
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
    for name in ["index.html", "m1/reversi/index.html", "matches/index.html"] {
        assert!(!read(name).contains(&root), "{name}");
    }
    std::fs::write(place.at("site/m1/reversi/tables/cells.csv"), "x").unwrap();
    let difference = again.files.first_difference().unwrap().unwrap();
    let file = place
        .at("site/m1/reversi/tables/cells.csv")
        .display()
        .to_string();
    assert!(difference.starts_with(&file), "{difference}");
}

#[test]
fn every_link_leads_somewhere() {
    let place = Place::new();
    let runs = [place.run("m1", |_| {}), place.run("m 2", slower_core)];
    place.make(&runs).unwrap().files.write().unwrap();
    let mut links = 0;
    for name in [
        "index.html",
        "matches/index.html",
        "m1/reversi/index.html",
        "m 2/reversi/index.html",
    ] {
        let path = place.at("site").join(name);
        let page = std::fs::read_to_string(&path).unwrap();
        for link in page.split("href=\"").skip(1) {
            let link = link.split('"').next().unwrap().replace("%20", " ");
            if link.starts_with("https://") {
                continue;
            }
            let (file, id) = link.split_once('#').unwrap_or((&link, ""));
            let target = match file {
                "" => path.clone(),
                file => path.parent().unwrap().join(file),
            };
            let text =
                std::fs::read_to_string(&target).unwrap_or_else(|_| panic!("{name}: {link}"));
            let has = text.contains(&format!("id=\"{id}\""));
            assert!(id.is_empty() || has, "{name}: {link}");
            links += 1;
        }
    }
    assert!(links > 15, "{links}");
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
    let site = Site {
        out: Some(&runs[0]),
        insert: &[],
        chart: None,
    };
    let error = make(&runs, Some(site), &registry::catalogue()).unwrap_err();
    assert!(error.to_string().contains("is a run folder"), "{error}");
}

#[test]
fn pages_get_the_results_and_the_list_of_runs_between_their_marks() {
    let place = Place::new();
    let runs = [place.run("m1", |_| {}), place.run("m2", slower_core)];
    let (page, chart) = (place.at("README.md"), place.at("reports/ladder.svg"));
    let put = || {
        let site = Site {
            out: None,
            insert: std::slice::from_ref(&page),
            chart: Some(&chart),
        };
        let made = make(&runs, Some(site), &registry::catalogue());
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
        "<!-- reports:end -->\n\nMore.\n<!-- runs:begin -->\n<!-- runs:end -->\n",
    );
    std::fs::write(&page, format!("{}{}", around.0, around.1)).unwrap();
    put().unwrap();
    let text = std::fs::read_to_string(&page).unwrap();
    assert!(text.starts_with(around.0), "{text}");
    for part in [
        "](reports/ladder.svg)",
        "| [Reversi: 16x16, depth 1](reports/m1/reversi) | – | **4.00§** | **4.00** | **2.00** | 167 µs a position | 0 of 0 |",
        "- **Faster than the best CPU program:** Reversi by `pv-split` (2.00 times).",
        "| [Reversi, a made-up run](reports/m2/reversi) | m2 |",
        "<!-- reports:end -->\n\nMore.\n",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    put().unwrap();
    assert_eq!(std::fs::read_to_string(&page).unwrap(), text);
    assert!(std::fs::read_to_string(&chart).unwrap().starts_with("<svg"));
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
    let check = [first, second, "--out", "site", "--check"];
    let (code, error) = bench(&check);
    assert_eq!(code, Some(4), "{error}");
    assert!(!place.at("site").exists(), "a check writes nothing");
    assert_eq!(bench(&[first, second, "--out", "site"]).0, Some(0));
    let checked = bench(&check);
    assert_eq!(checked.0, Some(0), "{}", checked.1);
    assert_eq!(bench(&[first, second, "--insert", "README.md"]).0, Some(1));
}
