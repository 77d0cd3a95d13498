//! Creates a fabricated run of a small experiment, and changes it.

use std::path::{Path, PathBuf};

use plybench::config::Experiment;
use plybench::report::{Made, RunData, analyse, closing_summary, write_from};
use plybench::results::{
    CellId, DeviceRecord, Environment, FactRow, HOST, Host, Invocation, MeasurementRow, Program,
    ResourceRow, Sample, Selection,
};
use plybench::stats::median;
use plybench::techniques::registry;
use plybench::words::{Case, Kind, Reason, Status, Timer, Value};

pub const DEVICE: &str = "Imagined <GPU> & Sons";
pub const MS: u64 = 1_000_000;
/// The invocation of all rows and samples, unless a test changes it.
pub const ONE: &str = "one";

/// The paper's numbers. They lack depth 2 on the larger board.
pub const PUBLISHED: &str =
    "# Table 2\nboard,depth,value,note\n8x8,1,0.25,\n8x8,2,0.5,\n16x16,1,2,odd\n";

pub fn case(board: &str, depth: i64) -> Case {
    Case(vec![
        ("board".into(), Value::Text(board.into())),
        ("depth".into(), Value::Int(depth)),
    ])
}

/// Boards 8x8 (depths 1 to 3) and 16x16 (depths 1 and 2), with serial, rayon and pv-split.
const EXPERIMENT: &str = r#"
name = "reversi"
title = "Reversi, a made-up run"
paper = "Nobody & Son, 1911"
game = "reversi"
task = "game"
analysis = "What `pv-split` does.\n\n- one\n- two"
seed = 7
order = ["depth", "board"]

[[cases]]
board = ["8x8", "16x16"]
depth = [1, 2]
[[cases]]
board = "8x8"
depth = 3

[[technique]]
name = "pv-split"

[sampling]
passes = 5
min-samples = 5
max-samples = 100
target = 0.05
min-positions = 4

[budget]
cell = "20s"
total = "10m"
deadline = "1m"

[[table]]
id = "table-1"
title = "Branching factors"
quantity = "fact:branching-factor"
rows = "board"

[[table]]
id = "table-2"
title = "Acceleration factors"
quantity = "speedup"
rows = "board"
columns = "depth"
techniques = ["pv-split"]
baselines = ["serial", "rayon"]
published = "made-up/table-2.csv"
published-baseline = "serial"
analysis = "Above 1 the device wins."

[[chart]]
id = "figure-4"
title = "Acceleration factors"
quantity = "speedup"
x = "depth"
series = "board"
techniques = ["pv-split"]
baselines = ["serial"]
log = true
published = "made-up/table-2.csv"
"#;

pub fn experiment() -> Experiment {
    plybench::config::parse(EXPERIMENT, "reversi.toml", &registry::catalogue()).unwrap()
}

/// Gives a run folder its own claims, so that the report does not look up the real experiment's claims.
pub fn claim(folder: &Path, claims: &str) {
    let published = folder.join("published/reversi");
    std::fs::create_dir_all(&published).unwrap();
    let text = format!("paper = \"Nobody & Son, 1911\"\n{claims}");
    std::fs::write(published.join("claims.toml"), text).unwrap();
}

pub fn fresh(make: impl FnOnce(&Path) -> RunData) -> (tempfile::TempDir, RunData) {
    let folder = tempfile::tempdir().unwrap();
    let data = make(folder.path());
    (folder, data)
}

/// Creates a run folder with the paper's numbers, but without measurements.
pub fn empty(folder: &Path) -> RunData {
    let mut data = planless(folder);
    plan(&mut data, |_| true);
    data
}

fn planless(folder: &Path) -> RunData {
    let published = folder.join("published/made-up");
    std::fs::create_dir_all(&published).unwrap();
    std::fs::write(published.join("table-2.csv"), PUBLISHED).unwrap();
    claim(folder, "claim = []");
    RunData {
        folder: folder.to_owned(),
        environment: Environment::of(vec![Invocation {
            id: ONE.into(),
            config: "configs/reversi.toml".into(),
            selection: selection("--quick --threads 2"),
            program: Program {
                version: "0.1.0".into(),
                revision: "abc1234".into(),
                source_hash: "00".into(),
                kernel_hash: "11".into(),
                compiled_for: "native".into(),
                ..Program::default()
            },
            host: Host {
                cpu: "Imagined CPU".into(),
                logical_cpus: 2,
                threads: 2,
                memory_bytes: 8 << 30,
                os: "Some OS 1".into(),
                kernel: "6.0".into(),
            },
            devices: vec![DeviceRecord {
                label: DEVICE.into(),
                platform: "Platform".into(),
                name: "GPU".into(),
                kind: "gpu".into(),
                driver: "1.2".into(),
                timer: Timer::Trusted,
                ..DeviceRecord::default()
            }],
            ..Invocation::default()
        }]),
        experiment: experiment(),
        measurements: vec![],
        pending: vec![],
        samples: vec![],
        facts: [("board=8x8", 7.904), ("board=16x16", 15.79)]
            .map(|(case, value)| FactRow {
                case: case.into(),
                fact: "branching-factor".into(),
                value,
            })
            .into(),
        resources: vec![ResourceRow {
            cell: CellId {
                case: "board=8x8 depth=1".into(),
                technique: "pv-split".into(),
                device: DEVICE.into(),
            },
            resource: "local-bytes".into(),
            value: 3_087,
        }],
        references: Default::default(),
        kinds: [
            ("serial", Kind::Serial),
            ("rayon", Kind::Threads),
            ("old", Kind::Serial),
        ]
        .map(|(label, kind)| (label.to_owned(), kind))
        .into(),
        warnings: vec![],
        findings: vec![],
    }
}

pub fn selection(options: &str) -> Selection {
    let mut selection = Selection::default();
    for word in options.split_whitespace().map(str::to_owned) {
        match (word.strip_prefix("--"), selection.options.last_mut()) {
            (Some(name), _) => selection.options.push(vec![name.to_owned()]),
            (None, Some(option)) => option.push(word),
            (None, None) => panic!("{word}: no option"),
        }
    }
    selection
}

/// Plans the cells of the cases that `is_asked` selects.
pub fn plan(data: &mut RunData, is_asked: impl Fn(&str) -> bool) {
    let cases = data.experiment.cases.iter().map(ToString::to_string);
    let pending = cases.filter(|case| is_asked(case)).flat_map(|case| {
        let choices = data.experiment.techniques.iter();
        choices.map(move |choice| MeasurementRow {
            cell: CellId {
                case: case.clone(),
                technique: choice.label.clone(),
                device: DEVICE.into(),
            },
            status: Status::Pending,
            ..MeasurementRow::default()
        })
    });
    data.pending = pending.collect();
}

fn is_on_device(technique: &str) -> bool {
    !["serial", "rayon", "old"].contains(&technique)
}

/// Number of passes across which the samples are spread.
pub const PASSES: u64 = 5;

/// Adds a measured cell with samples within 1 % of `ns`.
pub fn measure(data: &mut RunData, case: &Case, technique: &str, ns: u64, nodes: u64) {
    let times: Vec<u64> = (0..31).map(|i| ns - ns / 100 + ns / 1500 * i).collect();
    measure_times(data, case, technique, &times, nodes);
}

pub fn measure_times(data: &mut RunData, case: &Case, technique: &str, times: &[u64], nodes: u64) {
    let (low_ns, high_ns) = plybench::stats::median_interval(times, 1).unzip();
    let mut row = MeasurementRow {
        samples: times.len() as u64,
        units: 60,
        low_ns,
        high_ns,
        ..failed_row(case, technique, Status::Ok, "")
    };
    let on_device = u64::from(is_on_device(technique));
    let share = |time: u64, percent: u64| on_device * time * percent / 100;
    let first = data.samples.len() as u64;
    let samples = times.iter().zip(0..).map(|(&time, number)| Sample {
        cell: row.cell.clone(),
        sample: number,
        order: first + number,
        total_ns: time,
        upload_ns: share(time, 10),
        queue_ns: share(time, 5),
        kernel_ns: share(time, 60),
        download_ns: share(time, 5),
        launches: share(12, 100),
        nodes,
        leaves: nodes / 2,
        invocation: ONE.into(),
        // The times of a baseline are spread over all passes. A device's times are divided among the passes in order.
        pass: match is_on_device(technique) {
            true => number * PASSES / times.len() as u64,
            false => number % PASSES,
        } + 1,
        at_ns: first + number,
        ..Sample::default()
    });
    let mut samples: Vec<Sample> = samples.collect();
    agree(&mut row, &mut samples);
    data.samples.extend(samples);
    data.measurements.push(row);
}

/// Computes the derived values in samples and in their row.
pub fn agree(row: &mut MeasurementRow, samples: &mut [Sample]) {
    for own in samples.iter_mut() {
        let parts = own.upload_ns + own.queue_ns + own.kernel_ns + own.download_ns;
        if parts > own.total_ns {
            (own.upload_ns, own.queue_ns, own.kernel_ns, own.download_ns) = (0, 0, 0, 0);
            own.host_ns = own.total_ns;
        } else {
            own.host_ns = own.total_ns - parts;
        }
    }
    let middle = |of: fn(&Sample) -> u64| {
        let values: Vec<u64> = samples.iter().map(of).collect();
        median(&values)
    };
    row.samples = samples.len() as u64;
    row.median_ns = middle(|own| own.total_ns);
    row.min_ns = samples.iter().map(|own| own.total_ns).min();
    row.upload_ns = middle(|own| own.upload_ns);
    row.queue_ns = middle(|own| own.queue_ns);
    row.kernel_ns = middle(|own| own.kernel_ns);
    row.download_ns = middle(|own| own.download_ns);
    row.host_ns = middle(|own| own.host_ns);
    row.launches = middle(|own| own.launches);
    row.nodes = middle(|own| own.nodes);
    row.leaves = middle(|own| own.leaves);
}

/// Adds a cell that ended without a number.
pub fn fail(data: &mut RunData, case: &Case, technique: &str, status: Status, reason: &str) {
    data.measurements
        .push(failed_row(case, technique, status, reason));
}

fn failed_row(case: &Case, technique: &str, status: Status, reason: &str) -> MeasurementRow {
    let device = is_on_device(technique);
    let over = Reason::OverBudget {
        budget_ns: 60_000_000_000,
        predicted_ns: 310_000_000_000,
    };
    let code = match reason == over.to_string() {
        true => over,
        false => Reason::Told(String::new()),
    };
    MeasurementRow {
        key: format!("key of {case} {technique}"),
        experiment: "reversi".into(),
        game: "reversi".into(),
        task: "game".into(),
        cell: CellId {
            case: case.to_string(),
            technique: technique.into(),
            device: if device { DEVICE } else { HOST }.into(),
        },
        kind: if device { "device" } else { "serial" }.into(),
        threads: if technique == "rayon" { 2 } else { 1 },
        status,
        reason: reason.into(),
        reason_code: (!reason.is_empty()).then_some(code),
        invocation: ONE.into(),
        ..MeasurementRow::default()
    }
}

pub fn rows_of<'a>(
    data: &'a mut RunData,
    technique: &str,
) -> impl Iterator<Item = &'a mut MeasurementRow> {
    let rows = data.measurements.iter_mut();
    rows.filter(move |row| row.cell.technique == technique)
}

pub fn samples_of<'a>(
    data: &'a mut RunData,
    technique: &str,
) -> impl Iterator<Item = &'a mut Sample> {
    let samples = data.samples.iter_mut();
    samples.filter(move |sample| sample.cell.technique == technique)
}

pub fn row_at<'a>(data: &'a mut RunData, at: &Case, technique: &str) -> &'a mut MeasurementRow {
    let at = at.to_string();
    let mut rows = data.measurements.iter_mut();
    rows.find(|row| row.cell.case == at && row.cell.technique == technique)
        .unwrap()
}

/// Creates a run with every kind of result. The table shows pv-split compared with the baselines:
///
/// | | depth 1 | depth 2 | depth 3 |
/// | --- | --- | --- | --- |
/// | 8x8 | 0.25x serial, a tie with rayon | rayon gave a wrong answer | pv-split skipped |
/// | 16x16 | 4x serial | not measured | |
pub fn eventful(folder: &Path) -> RunData {
    let mut data = empty(folder);
    let d = &mut data;
    for (board, depth, technique, ms, nodes) in [
        ("8x8", 1, "serial", 1, 1_000),
        ("8x8", 1, "rayon", 4, 1_200),
        ("8x8", 1, "pv-split", 4, 2_000),
        ("16x16", 1, "serial", 40, 50_000),
        ("16x16", 1, "rayon", 20, 60_000),
        ("16x16", 1, "pv-split", 10, 100_000),
        ("8x8", 2, "serial", 8, 9_000),
        ("8x8", 2, "pv-split", 4, 9_900),
        ("8x8", 3, "serial", 80, 90_000),
        ("8x8", 3, "rayon", 60, 95_000),
    ] {
        measure(d, &case(board, depth), technique, ms * MS, nodes);
    }
    let wrong = "position 3: value 5, not 7";
    fail(d, &case("8x8", 2), "rayon", Status::Mismatch, wrong);
    let over = "budget 60 s, predicted 310 s";
    fail(d, &case("8x8", 3), "pv-split", Status::Skipped, over);
    data
}

pub fn committed() -> Vec<PathBuf> {
    let reports = Path::new(env!("CARGO_MANIFEST_DIR")).join("reports");
    let folders = |path: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(path).unwrap();
        let mut folders: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        folders.retain(|path| path.is_dir() && !path.ends_with("local"));
        folders.sort();
        folders
    };
    let machines = folders(&reports);
    let runs = machines.iter().flat_map(|machine| folders(machine));
    runs.filter(|run| run.join("experiment.toml").is_file())
        .collect()
}

/// A CSV table of a report. Columns have names.
pub struct Csv(Vec<std::collections::HashMap<String, String>>);

impl Csv {
    pub fn read(path: PathBuf) -> Self {
        let mut reader = csv::Reader::from_path(&path).unwrap();
        Csv(reader.deserialize().map(Result::unwrap).collect())
    }

    pub fn row(&self, at: &[(&str, &str)]) -> &std::collections::HashMap<String, String> {
        let found: Vec<_> = self
            .0
            .iter()
            .filter(|row| at.iter().all(|(key, value)| row[*key] == *value))
            .collect();
        assert_eq!(found.len(), 1, "rows at {at:?}");
        found[0]
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }
}

pub fn number(row: &std::collections::HashMap<String, String>, column: &str) -> f64 {
    row[column].parse().unwrap()
}

pub fn write(data: &RunData, folder: &Path) -> Result<Made, plybench::report::ReportError> {
    write_from(&analyse(data.clone()), folder)
}

pub fn closing(data: &RunData, width: usize, colour: bool) -> String {
    closing_summary(&analyse(data.clone()), width, colour)
}

/// Writes the report to the run's folder. Returns its Markdown.
pub fn markdown(data: &RunData) -> String {
    let made = write(data, &data.folder).unwrap();
    std::fs::read_to_string(&made.pages[0]).unwrap()
}

pub fn page(data: &RunData) -> String {
    let made = write(data, &data.folder).unwrap();
    std::fs::read_to_string(&made.pages[1]).unwrap()
}

pub fn tables(data: &RunData, id: &str) -> Csv {
    write(data, &data.folder).unwrap();
    Csv::read(data.folder.join("tables").join(format!("{id}.csv")))
}

pub fn section<'a>(markdown: &'a str, heading: &str) -> &'a str {
    let (_, rest) = markdown.split_once(&format!("\n## {heading}\n")).unwrap();
    rest.split("\n## ").next().unwrap()
}
