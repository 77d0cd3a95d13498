//! Kinds of tampering with a run folder, and what is said of each.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::records;

/// What a row has to be, to be changed.
#[derive(Clone, Copy)]
pub enum Which {
    /// The row of that number, from 0.
    At(usize),
    /// All rows.
    All,
    /// Rows with that in a column.
    With(&'static str, &'static str),
    /// The rows of the first cell of `serial`, by its key.
    Cell,
    /// Of these the sample of a number.
    SampleOfCell(&'static str),
}
use Which::{All, At, Cell, SampleOfCell, With};

/// What a field becomes.
#[derive(Clone, Copy)]
pub enum Change {
    Add(u64),
    Set(&'static str),
}
use Change::{Add, Set};

/// One change of a folder.
#[derive(Clone, Copy)]
pub enum Step {
    /// Of a file's rows, those that are meant get another value in a column.
    Field(&'static str, Which, &'static str, Change),
    /// Those rows go.
    Drop(&'static str, Which),
    /// A text is replaced in a file.
    Text(&'static str, &'static str, &'static str),
    /// Another change.
    Other(fn(&Path)),
}
use Step::{Drop, Field, Other, Text};

const SAMPLES: &str = "samples.csv";
const ROWS: &str = "measurements.csv";
const FACTS: &str = "facts.csv";

const KEY: Change = Set("0123456789abcdef");
const SERIAL: Which = With("technique", "serial");

/// What it is, how it is done, and what is said of it.
type Tampering = (&'static str, &'static [Step], &'static str);

pub const TAMPERINGS: [Tampering; 33] = [
    (
        "a digit of a time",
        &[Field(SAMPLES, At(3), "total_ns", Add(7))],
        "measurements.csv:",
    ),
    (
        "a time and its part",
        &[
            Field(SAMPLES, At(3), "total_ns", Add(90_000_000)),
            Field(SAMPLES, At(3), "host_ns", Add(90_000_000)),
        ],
        "its samples",
    ),
    (
        "a median",
        &[Field(ROWS, At(1), "median_ns", Add(1))],
        "measurements.csv:3: ",
    ),
    (
        "a quartile",
        &[Field(ROWS, At(0), "q3_ns", Add(1))],
        "q3_ns is ",
    ),
    (
        "an end of an interval",
        &[Field(ROWS, At(2), "high_ns", Add(100))],
        "measurements.csv:4: ",
    ),
    (
        "a node count of one sample",
        &[Field(SAMPLES, SampleOfCell("2"), "nodes", Add(1))],
        "counts the same each time",
    ),
    (
        "a node count of a whole cell",
        &[
            Field(SAMPLES, Cell, "nodes", Add(1)),
            Field(ROWS, Cell, "nodes", Add(1)),
        ],
        "of the same kernels and sources",
    ),
    (
        "a key of a row",
        &[Field(ROWS, At(0), "key", KEY)],
        "a sample without a row in measurements.csv",
    ),
    (
        "a key of a whole cell",
        &[
            Field(SAMPLES, Cell, "key", KEY),
            Field(ROWS, Cell, "key", KEY),
        ],
        "its key is not that of its case",
    ),
    (
        "a lost row",
        &[Drop(ROWS, At(4))],
        "a sample without a row in measurements.csv",
    ),
    (
        "a lost sample",
        &[Drop(SAMPLES, SampleOfCell("3"))],
        "measurements.csv:",
    ),
    (
        "a lost cell",
        &[Drop(SAMPLES, Cell), Drop(ROWS, Cell)],
        "samples of the run are missing",
    ),
    ("a sample twice", &[Other(last_twice)], "samples.csv:"),
    (
        "../ in a technique's name",
        &[
            Field(SAMPLES, SERIAL, "technique", Set("../serial")),
            Field(ROWS, SERIAL, "technique", Set("../serial")),
        ],
        "experiment.toml asks for no \"../serial\"",
    ),
    (
        "../ in the experiment's name",
        &[Field(ROWS, All, "experiment", Set("../small"))],
        "measurements.csv:2: ",
    ),
    (
        "../ in a published table's name",
        &[Other(published_elsewhere)],
        "experiment.toml",
    ),
    (
        "HTML in a note",
        &[Field(
            ROWS,
            At(0),
            "notes",
            Set("<img src=x onerror=alert(1)>"),
        )],
        "measurements.csv:2: an HTML tag",
    ),
    (
        "escaped HTML in a title",
        &[Text(
            "experiment.toml",
            "Small boards",
            "\\u003cscript>alert(1)",
        )],
        "experiment.toml: an HTML tag",
    ),
    (
        "another revision",
        &[Text("environment.toml", "revision = \"", "revision = \"0")],
        "its id is not that of its entry",
    ),
    (
        "another revision with its id",
        &[Other(|folder| {
            program(folder, |it| &mut it.revision, "0123456789ab")
        })],
        "revision 0123456789ab is not known",
    ),
    (
        "other sources with their id",
        &[Other(|folder| {
            program(folder, |it| &mut it.source_hash, "0123456789abcdef")
        })],
        "has the source hash 0123456789abcdef, and ",
    ),
    (
        "NaN in a fact",
        &[Field(FACTS, At(0), "value", Set("NaN"))],
        "facts.csv:2: ",
    ),
    (
        "NaN in a time",
        &[Field(SAMPLES, At(0), "total_ns", Set("NaN"))],
        "samples.csv:2: ",
    ),
    (
        "a number that is too large",
        &[Field(
            SAMPLES,
            At(0),
            "total_ns",
            Set("99999999999999999999999"),
        )],
        "samples.csv:2: ",
    ),
    ("bytes", &[Other(byte)], "not text in UTF-8"),
    (
        "a control character",
        &[Field(ROWS, At(0), "notes", Set("\u{1b}[2J"))],
        "measurements.csv:2: the control character",
    ),
    (
        "an order twice",
        &[Field(SAMPLES, At(0), "order", Add(1))],
        "samples.csv:",
    ),
    (
        "a time of day",
        &[Field(SAMPLES, With("order", "20"), "at_ns", Set("0"))],
        "samples.csv:",
    ),
    (
        "threads",
        &[Field(ROWS, SERIAL, "threads", Set("2"))],
        "threads is 2, and 1",
    ),
    (
        "a kind",
        &[Field(ROWS, SERIAL, "kind", Set("threads"))],
        "kind \"threads\"; serial is \"serial\"",
    ),
    ("a lost fact", &[Drop(FACTS, At(0))], "facts.csv has no "),
    (
        "a file of another kind",
        &[Other(|folder| {
            fs::write(folder.join("run.sh"), "true\n").unwrap()
        })],
        "run.sh: no file of a run folder",
    ),
    ("an end that is cut off", &[Other(cut_off)], "samples.csv"),
];

/// Does all of it.
pub fn tamper(folder: &Path, steps: &[Step]) {
    // The key of a cell is another one once it is changed.
    let cell = serial_key(folder);
    for step in steps {
        match *step {
            Field(name, which, column, change) => rows(folder, name, |number, row| {
                if is_meant(which, number, row, &cell) {
                    let field = row.get_mut(column).unwrap();
                    *field = match change {
                        Set(value) => value.to_owned(),
                        Add(more) => (field.parse::<u64>().unwrap() + more).to_string(),
                    };
                }
                true
            }),
            Drop(name, which) => {
                rows(folder, name, |number, row| {
                    !is_meant(which, number, row, &cell)
                });
            }
            Text(name, old, new) => edit(folder, name, |text| text.replace(old, new)),
            Other(change) => change(folder),
        }
    }
}

fn is_meant(which: Which, number: usize, row: &BTreeMap<String, String>, cell: &str) -> bool {
    match which {
        At(at) => number == at,
        All => true,
        With(column, value) => row[column] == value,
        Cell => row["key"] == cell,
        SampleOfCell(sample) => row["key"] == cell && row["sample"] == sample,
    }
}

fn serial_key(folder: &Path) -> String {
    let rows = records(&fs::read(folder.join(ROWS)).unwrap());
    let mut serial = rows.into_iter().filter(|row| row["technique"] == "serial");
    serial.next().unwrap()["key"].clone()
}

/// The text of a file after a change.
fn edit(folder: &Path, name: &str, change: impl FnOnce(&str) -> String) {
    let file = folder.join(name);
    let text = fs::read_to_string(&file).unwrap();
    let new = change(&text);
    assert_ne!(new, text, "{name} is as it was");
    fs::write(file, new).unwrap();
}

/// Changes the rows of a CSV file; those for which `change` says so stay.
fn rows(
    folder: &Path,
    name: &str,
    mut change: impl FnMut(usize, &mut BTreeMap<String, String>) -> bool,
) {
    edit(folder, name, |text| {
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let header = reader.headers().unwrap().clone();
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(&header).unwrap();
        for (number, mut row) in records(text.as_bytes()).into_iter().enumerate() {
            if change(number, &mut row) {
                writer
                    .write_record(header.iter().map(|name| &row[name]))
                    .unwrap();
            }
        }
        String::from_utf8(writer.into_inner().unwrap()).unwrap()
    });
}

fn last_twice(folder: &Path) {
    edit(folder, SAMPLES, |text| {
        format!("{text}{}\n", text.lines().last().unwrap())
    });
}

fn published_elsewhere(folder: &Path) {
    let table = "[[table]]\nid = \"t\"\ntitle = \"t\"\nquantity = \"time\"\nrows = \"board\"\n\
                 techniques = [\"serial\"]\npublished = \"../../x.csv\"\n";
    edit(folder, "experiment.toml", |text| format!("{text}\n{table}"));
}

fn byte(folder: &Path) {
    let file = folder.join(SAMPLES);
    let mut bytes = fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] = 0xff;
    fs::write(file, bytes).unwrap();
}

fn cut_off(folder: &Path) {
    let file = folder.join(SAMPLES);
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, &text[..text.len() - 4]).unwrap();
}

/// Another program in the entry of the invocation, its id made anew wherever it stands.
pub fn program(
    folder: &Path,
    part: fn(&mut plybench::results::Program) -> &mut String,
    value: &str,
) {
    let environment = plybench::results::read_environment(folder).unwrap();
    let mut invocation = environment.invocations[0].clone();
    let old = std::mem::replace(part(&mut invocation.program), value.to_owned());
    let id = invocation.id.clone();
    let new = invocation.with_id();
    edit(folder, "environment.toml", |text| text.replace(&old, value));
    for name in ["environment.toml", SAMPLES, ROWS] {
        edit(folder, name, |text| text.replace(&id, &new.id));
    }
}
