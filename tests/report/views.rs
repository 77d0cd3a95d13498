//! Tables and charts of every shape that an experiment may ask for.

use approx::assert_relative_eq;
use plybench::config::{Part, Quantity, TableSpec, TechniqueChoice, TimeUnit};
use plybench::report::{RunData, write_from};
use plybench::words::{Case, Status, Task, Value};

use crate::fixture::*;

/// A run of `serial`, `rayon`, `old` on the host, and `naive` and three of `split` on a device; its
/// only table is `view`.
fn run(folder: &std::path::Path) -> RunData {
    let mut data = empty(folder);
    let serial = data.experiment.techniques[0].clone();
    data.experiment.techniques.truncate(2);
    for label in ["old", "naive"] {
        data.experiment.techniques.push(TechniqueChoice {
            technique: label.into(),
            label: label.into(),
            ..serial.clone()
        });
    }
    for (split, depth) in [(1, 2), (2, 3), (1, 3)] {
        data.experiment.techniques.push(TechniqueChoice {
            technique: "split".into(),
            label: format!("split-{split}-{depth}"),
            params: [("split".to_owned(), Value::Int(split))].into(),
            only: Case(vec![("depth".into(), Value::Int(depth))]),
            ..serial.clone()
        });
    }
    data.experiment.charts.clear();
    data.experiment.tables = vec![TableSpec {
        id: "view".into(),
        title: String::new(),
        quantities: vec![Quantity::Speedup],
        rows: vec!["board".into()],
        columns: vec!["depth".into()],
        fixed: Case::default(),
        techniques: vec!["split-1-2".into()],
        baselines: vec!["naive".into()],
        unit: None,
        log: false,
        published: vec![],
        published_baseline: None,
        analysis: String::new(),
    }];
    data
}

fn publish(data: &mut RunData, name: &str, text: &str) {
    let folder = data.folder.join("published");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(name), text).unwrap();
    data.experiment.tables[0].published.push(name.to_owned());
}

fn view(data: &RunData) -> Csv {
    write_from(data, &data.folder).unwrap();
    Csv::read(data.folder.join("tables/view.csv"))
}

fn markdown(data: &RunData) -> String {
    std::fs::read_to_string(data.folder.join("report.md")).unwrap()
}

#[test]
fn a_baseline_on_the_device_is_that_of_the_same_device() {
    let folder = tempfile::tempdir().unwrap();
    let mut data = run(folder.path());
    data.experiment.tables[0].techniques = vec!["split-1-2".into()];
    let (small, large) = (case("8x8", 2), case("16x16", 2));
    measure(&mut data, &small, "naive", 30 * MS, 10);
    measure(&mut data, &small, "split-1-2", 10 * MS, 10);
    let why = "budget 60 s, predicted 310 s";
    fail(&mut data, &large, "naive", Status::Skipped, why);
    measure(&mut data, &large, "split-1-2", 10 * MS, 10);
    // Another device's are others' baselines.
    let mut other = data.measurements[0].clone();
    other.device = "Second".into();
    other.key = "another".into();
    data.measurements.push(other);
    write_from(&data, folder.path()).unwrap();
    let table = Csv::read(folder.path().join("tables/view-imagined-gpu-sons.csv"));
    let row = table.row(&[("board", "8x8"), ("depth", "2")]);
    assert_relative_eq!(
        row["ours"].parse::<f64>().unwrap(),
        3.0,
        max_relative = 1e-3
    );
    assert_eq!(
        (row["baseline"].as_str(), row["device"].as_str()),
        ("naive", DEVICE)
    );
    let row = table.row(&[("board", "16x16"), ("depth", "2")]);
    assert_eq!(
        (row["status"].as_str(), row["reason"].as_str()),
        (
            "no baseline",
            "naive is skipped: budget 60 s, predicted 310 s"
        )
    );
    // Only depth 2 was asked of it.
    let row = table.row(&[("board", "8x8"), ("depth", "3")]);
    assert_eq!(row["status"], "not in this experiment");
}

#[test]
fn a_missing_baseline_says_which_way_it_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let mut data = run(folder.path());
    let at = case("8x8", 2);
    let table = &mut data.experiment.tables[0];
    table.rows = vec!["technique".into()];
    table.columns = vec![];
    table.fixed = at.clone();
    table.techniques = vec!["old".into(), "naive".into(), "split-1-2".into()];
    measure(&mut data, &at, "old", 30 * MS, 10);
    measure(&mut data, &at, "naive", 30 * MS, 10);
    measure(&mut data, &at, "split-1-2", 10 * MS, 10);
    let status = |data: &RunData, technique: &str| {
        let table = view(data);
        let row = table.row(&[("technique", technique)]);
        format!("{}: {}", row["status"], row["reason"])
    };
    assert_eq!(
        status(&data, "old"),
        "no baseline: naive runs on devices, old on the host"
    );
    assert_eq!(status(&data, "naive"), "baseline: ");
    data.experiment.tables[0].baselines = vec!["split-2-3".into()];
    assert_eq!(
        status(&data, "split-1-2"),
        "no baseline: split-2-3 is not in this experiment"
    );
    data.experiment.tables[0].baselines = vec!["serial".into()];
    assert_eq!(
        status(&data, "naive"),
        "no baseline: serial is not measured"
    );
    data.environment.commands = vec!["bench run x.toml --case depth=3".into()];
    assert_eq!(
        status(&data, "naive"),
        "no baseline: serial is not in this run"
    );
}

#[test]
fn columns_may_be_pairs_of_an_axis_and_a_parameter() {
    let folder = tempfile::tempdir().unwrap();
    let mut data = run(folder.path());
    let table = &mut data.experiment.tables[0];
    table.quantities = vec![Quantity::Time];
    table.baselines = vec![];
    table.columns = vec!["depth".into(), "split".into()];
    table.techniques = ["split-1-2", "split-2-3", "split-1-3"]
        .map(str::to_owned)
        .to_vec();
    table.unit = Some(TimeUnit::Seconds);
    publish(
        &mut data,
        "pairs.csv",
        "technique,depth,split,value,unit\nsplit,2,1,0.005,s\nsplit,3,1,7,ms\nsplit,3,2,9000,us\n",
    );
    // Two techniques share split 1, but no case.
    measure(&mut data, &case("8x8", 2), "split-1-2", 10 * MS, 10);
    measure(&mut data, &case("8x8", 3), "split-2-3", 18 * MS, 10);
    let table = view(&data);
    let text = markdown(&data);
    assert!(
        text.contains("| board ↓ (depth, split) → | (2, 1) | (3, 1) | (3, 2) |"),
        "{text}"
    );
    assert_eq!(table.len(), 6);
    for (label, depth, ratio) in [("split-1-2", "2", 2.0), ("split-2-3", "3", 2.0)] {
        let row = table.row(&[("board", "8x8"), ("technique", label)]);
        assert_eq!(row["depth"], depth);
        assert_relative_eq!(
            row["ratio"].parse::<f64>().unwrap(),
            ratio,
            max_relative = 1e-2
        );
    }
    let row = table.row(&[("board", "8x8"), ("technique", "split-1-3")]);
    assert_eq!(
        (row["published"].as_str(), row["ours"].as_str()),
        ("7000000", "")
    );
    assert!(text.contains("| 0.0100 s<br>"), "{text}");
    assert!(text.contains("<br>paper 0.00500 s<br>×2.00 |"), "{text}");
}

#[test]
fn several_quantities_have_a_column_each_and_one_for_each_baseline() {
    let folder = tempfile::tempdir().unwrap();
    let mut data = run(folder.path());
    let at = case("8x8", 2);
    let table = &mut data.experiment.tables[0];
    table.quantities = vec![Quantity::Time, Quantity::Speedup];
    table.rows = vec!["technique".into()];
    table.columns = vec![];
    table.fixed = at.clone();
    table.techniques = vec!["old".into(), "naive".into()];
    table.baselines = vec!["old".into(), "serial".into()];
    publish(
        &mut data,
        "seven.csv",
        "technique,quantity,baseline,value,unit\nold,time,,0.4,s\nnaive,time,,0.1,s\n\
         naive,speedup,old,4.01,\n",
    );
    measure(&mut data, &at, "serial", 20 * MS, 10);
    measure(&mut data, &at, "old", 80 * MS, 10);
    measure(&mut data, &at, "naive", 10 * MS, 10);
    let table = view(&data);
    assert_eq!(table.len(), 2 * 3);
    let row = |technique, quantity, baseline| {
        let at = [
            ("technique", technique),
            ("quantity", quantity),
            ("baseline", baseline),
        ];
        table.row(&at).clone()
    };
    assert_eq!(row("naive", "time_ns", "")["published"], "100000000");
    assert_eq!(row("naive", "speedup", "old")["published"], "4.01");
    assert_eq!(row("naive", "speedup", "serial")["published"], "");
    assert_eq!(row("old", "speedup", "old")["status"], "baseline");
    let over = |baseline| {
        row("naive", "speedup", baseline)["ours"]
            .parse::<f64>()
            .unwrap()
    };
    assert_relative_eq!(over("old"), 8.0, max_relative = 1e-3);
    assert_relative_eq!(over("serial"), 2.0, max_relative = 1e-3);
    let text = markdown(&data);
    let head = "| technique | time of the whole task | speed-up over old | speed-up over serial |";
    assert!(text.contains(head), "{text}");
}

#[test]
fn parts_of_the_time_stand_with_their_shares_beside_a_profile() {
    let folder = tempfile::tempdir().unwrap();
    let mut data = run(folder.path());
    let at = case("8x8", 2);
    let table = &mut data.experiment.tables[0];
    table.quantities = [Quantity::Time]
        .into_iter()
        .chain(Part::ALL.map(Quantity::Part))
        .chain([Quantity::TransferShare])
        .collect();
    table.rows = vec!["technique".into()];
    table.columns = vec![];
    table.fixed = at.clone();
    table.techniques = vec!["old".into(), "naive".into()];
    table.baselines = vec![];
    publish(
        &mut data,
        "profile.csv",
        "technique,quantity,calls,value,unit,note\nnaive,part:upload,6,500,us,\n\
         naive,memset,2,3,us,\nnaive,part:kernel,8,12,s,all of it\n",
    );
    publish(&mut data, "times.csv", "technique,value,unit\nnaive,13,s\n");
    measure(&mut data, &at, "old", 80 * MS, 10);
    measure(&mut data, &at, "naive", 10 * MS, 10);
    let table = view(&data);
    let row = |technique, quantity| {
        table
            .row(&[("technique", technique), ("quantity", quantity)])
            .clone()
    };
    let upload = row("naive", "upload_ns");
    assert_relative_eq!(
        upload["ours"].parse::<f64>().unwrap(),
        1e6,
        max_relative = 1e-2
    );
    assert_eq!(upload["published"], "500000");
    assert_eq!(row("naive", "time_ns")["published"], "13000000000");
    // A time of which a file does not say that it is this part is not this part's.
    assert_eq!(row("naive", "host_ns")["published"], "");
    assert_eq!(row("old", "upload_ns")["status"], "on the host");
    // Uploads are 10 % of every sample's time, downloads 5 %.
    let share = row("naive", "transfer_share");
    for column in ["ours", "low", "high"] {
        let value = share[column].parse::<f64>().unwrap();
        assert_relative_eq!(value, 0.15, max_relative = 1e-3);
    }
    assert_eq!(row("old", "transfer_share")["status"], "on the host");
    let text = markdown(&data);
    assert!(
        text.contains("<br>60.0 %<br>paper 12.0 s (a)<br>"),
        "{text}"
    );
    assert!(text.contains("- (a) all of it\n"), "{text}");
}

#[test]
fn notes_are_marked_by_letter_and_listed_once_below_their_table() {
    let folder = tempfile::tempdir().unwrap();
    let mut data = run(folder.path());
    let table = &mut data.experiment.tables[0];
    table.columns = vec!["depth".into()];
    table.fixed = Case::default();
    table.baselines = vec!["old".into()];
    table.techniques = vec!["naive".into()];
    publish(
        &mut data,
        "times.csv",
        "technique,board,depth,value,unit,note\nnaive,8x8,1,2,s,\nnaive,8x8,2,1,s,less than before\n\
         naive,16x16,1,4,s,less than before\nold,8x8,1,4,s,<slow>\nold,8x8,2,8,s,\nold,16x16,1,8,s,\n",
    );
    let table = view(&data);
    let row = table.row(&[("board", "8x8"), ("depth", "2")]);
    // What the paper does not print is the ratio of what it does.
    assert_eq!(
        (row["published"].as_str(), row["published_note"].as_str()),
        ("8", "less than before")
    );
    let text = markdown(&data);
    assert!(text.contains("paper 2.00 (a)"), "{text}");
    assert!(text.contains("paper 8.00 (b)"), "{text}");
    let times = text.matches("(b) less than before").count();
    assert_eq!(times, 2, "beside ours, and in its own section: {text}");
    assert!(
        text.contains("- (a) &lt;slow&gt;\n- (b) less than before\n"),
        "{text}"
    );
    assert!(text.contains("its speed-up is their ratio"), "{text}");
    let page = std::fs::read_to_string(folder.path().join("index.html")).unwrap();
    assert!(page.contains("<li>(a) &lt;slow&gt;</li>"), "{page}");
    assert!(
        page.contains("paper 8.00 (b); ") || page.contains("paper 8.00 (b)\""),
        "{page}"
    );
}

#[test]
fn a_chart_crosses_out_noted_points_and_lists_their_notes() {
    let folder = tempfile::tempdir().unwrap();
    let mut data = run(folder.path());
    publish(
        &mut data,
        "times.csv",
        "technique,board,depth,value,unit,note\nnaive,8x8,2,1,s,\nnaive,8x8,3,0.5,s,odd\n",
    );
    let published = data.experiment.tables.remove(0).published;
    let chart = |rows: &[&str]| TableSpec {
        id: "figure".into(),
        title: String::new(),
        quantities: vec![Quantity::Time],
        rows: rows.iter().map(|name| (*name).to_owned()).collect(),
        columns: vec!["board".into()],
        unit: None,
        fixed: Case::default(),
        techniques: vec!["naive".into()],
        baselines: vec![],
        log: true,
        published: published.clone(),
        published_baseline: None,
        analysis: String::new(),
    };
    data.experiment.charts = vec![chart(&["depth"])];
    measure(&mut data, &case("8x8", 2), "naive", 30 * MS, 10);
    write_from(&data, folder.path()).unwrap();
    let svg = || std::fs::read_to_string(folder.path().join("charts/figure.svg")).unwrap();
    assert!(svg().contains("paper, with a note"), "{}", svg());
    let text = markdown(&data);
    assert!(text.contains("\n- 8x8, depth 3: odd\n"), "{text}");
    let with = svg().matches("<polyline").count();
    // Without the note: a cross of two strokes less at the point, and one in the legend.
    let file = folder.path().join("published/times.csv");
    let plain = std::fs::read_to_string(&file).unwrap().replace("odd", "");
    std::fs::write(&file, plain).unwrap();
    write_from(&data, folder.path()).unwrap();
    assert_eq!(with - svg().matches("<polyline").count(), 4);
    assert!(!markdown(&data).contains("odd"));
    // Lines may be pairs too.
    let mut pairs = chart(&["depth", "split"]);
    pairs.techniques = vec!["split-1-2".into(), "split-2-3".into()];
    data.experiment.charts = vec![pairs];
    measure(&mut data, &case("8x8", 3), "split-2-3", 30 * MS, 10);
    write_from(&data, folder.path()).unwrap();
    assert!(svg().contains("(depth, split)") && svg().contains("(3, 2)"));
}

/// Two players that think for a second, the second with twice the playouts of the first.
fn clocked(folder: &std::path::Path) -> RunData {
    let mut data = run(folder);
    data.experiment.task = Task::Choose;
    data.experiment.axes = vec!["board".into(), "effort".into()];
    let second = Case(vec![
        ("board".into(), Value::Text("8x8".into())),
        ("effort".into(), Value::Text("1s".into())),
    ]);
    data.experiment.cases = vec![second.clone()];
    for (technique, playouts) in [("serial", 1_000_000), ("naive", 2_000_000)] {
        measure(&mut data, &second, technique, 1_000 * MS, 0);
        let samples = data.samples.iter_mut();
        let own = samples.filter(|sample| sample.technique == technique);
        for (number, sample) in own.enumerate() {
            sample.total_ns = 1_000 * MS;
            sample.playouts = playouts + playouts / 100 * number as u64;
        }
        let row = data.measurements.last_mut().unwrap();
        row.playouts = Some(playouts);
        (row.median_ns, row.low_ns, row.high_ns) =
            (Some(1_000 * MS), Some(1_000 * MS), Some(1_000 * MS));
    }
    let table = &mut data.experiment.tables[0];
    (table.rows, table.columns) = (vec!["technique".into()], vec!["effort".into()]);
    table.fixed = Case(vec![second.0[0].clone()]);
    table.techniques = vec!["serial".into(), "naive".into()];
    table.baselines = vec!["serial".into()];
    data
}

fn number(row: &std::collections::HashMap<String, String>, column: &str) -> f64 {
    row[column].parse().unwrap()
}

#[test]
fn where_the_clock_decides_how_much_is_done_rates_vary_as_the_counts_do() {
    let folder = tempfile::tempdir().unwrap();
    let mut data = clocked(folder.path());
    data.experiment.tables[0].quantities = vec![Quantity::PlayoutRate];
    data.experiment.tables[0].baselines.clear();
    let table = view(&data);
    let row = table.row(&[("technique", "serial")]);
    let (low, rate, high) = (number(row, "low"), number(row, "ours"), number(row, "high"));
    assert!(
        1e6 <= low && low < rate && rate < high,
        "{low} {rate} {high}"
    );
    assert!(high - low > 0.01 * rate, "{low} {rate} {high}");
}

#[test]
fn where_the_clock_decides_how_much_is_done_a_ratio_is_that_of_playouts() {
    let folder = tempfile::tempdir().unwrap();
    let data = clocked(folder.path());
    let table = view(&data);
    let row = table.row(&[("technique", "naive")]);
    // Each pass has its own counts, and they have a middle.
    assert_relative_eq!(number(row, "ours"), 2.0, max_relative = 2e-3);
    assert!(markdown(&data).contains("naive"));
}
