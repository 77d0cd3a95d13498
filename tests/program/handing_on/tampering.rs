//! Defines kinds of tampering with a run folder, and the message for each.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use plybench::results::{CellId, Run, by_cell};

use crate::place::{self, Row};

const SAMPLES: &str = "samples.csv";
const ROWS: &str = "measurements.csv";

/// Name, steps and expected message for each kind of tampering.
pub const TAMPERINGS: &str = r#"
a digit of a time | add samples 3 total_ns 7 | measurements.csv:
a time and its part | add samples 3 total_ns 90000000; add samples 3 host_ns 90000000 | its samples
a median | add measurements 1 median_ns 1 | measurements.csv:3:
a quartile | add measurements 0 q3_ns 1 | q3_ns is
an end of an interval | add measurements 2 high_ns 100 | measurements.csv:4:
a node count of one sample | add samples cell.2 nodes 1 | this technique counts the same each time
a node count of a whole cell | add samples cell nodes 1; add measurements cell nodes 1; seal | of the same kernels and sources
a key of a row | set measurements 0 key 0123456789abcdef | its key does not match its case
a case of a row | set measurements 0 case board=4x4 depth=9 | samples without a row in measurements.csv
a lost row | drop measurements 4 | samples without a row in measurements.csv
a lost sample | drop samples cell.3 | measurements.csv:
a lost cell | drop samples cell; drop measurements cell | samples of the run are missing
a sample twice | last_twice | samples.csv:
../ in a technique's name | set samples technique=serial technique ../serial; set measurements technique=serial technique ../serial | experiment.toml does not use "../serial"
../ in the experiment's name | set measurements all experiment ../small | measurements.csv:2:
../ in a published table's name | published_elsewhere | experiment.toml
HTML in a note | set measurements 0 notes <img src=x onerror=alert(1)> | measurements.csv:2: an HTML tag
escaped HTML in a title | text experiment.toml Small boards => \u003cscript>alert(1) | experiment.toml: an HTML tag
another revision | text environment.toml revision = " => revision = "0 | its id is not that of its entry
another revision with its id | other_revision | revision 0123456789ab is not known
other sources with their id | other_sources | has the source hash 0123456789abcdef, and
NaN in a fact | set facts 0 value NaN | facts.csv:2:
NaN in a time | set samples 0 total_ns NaN | samples.csv:2:
a number that is too large | set samples 0 total_ns 99999999999999999999999 | samples.csv:2:
bytes | byte | not text in UTF-8
a control character | set measurements 0 notes ␛[2J | measurements.csv:2: the control character
an order twice | add samples 0 order 1 | samples.csv:
a time of day | set samples order=20 at_ns 0 | was changed after it was written
threads | set measurements technique=serial threads 2 | threads is 2, but 1
a kind | set measurements technique=serial kind threads | kind is "threads", but serial is "serial"
a lost fact | drop facts 0 | facts.csv has no
a file of another kind | script | run.sh: no file of a run folder
an end that is cut off | cut_off | samples.csv
a symbolic link | link | facts.csv: a symbolic link
"#;

pub fn tamper(folder: &Path, steps: &str) {
    // Find the cell first, because a step may change its name.
    let cell = serial(folder);
    for step in steps.split("; ") {
        let words: Vec<&str> = step.splitn(5, ' ').collect();
        match words[..] {
            ["add" | "set", file, which, column, ..] => rows(folder, file, |number, row| {
                if is_meant(which, number, row, &cell) {
                    let value = words.get(4).copied().unwrap_or_default();
                    let field = row.get_mut(column).unwrap();
                    *field = match words[0] {
                        "set" => value.replace('␛', "\u{1b}"),
                        _ => {
                            let sum = field.parse::<u64>().unwrap() + value.parse::<u64>().unwrap();
                            sum.to_string()
                        }
                    };
                }
                true
            }),
            ["drop", file, which] => rows(folder, file, |number, row| {
                !is_meant(which, number, row, &cell)
            }),
            ["text", file, ..] => {
                let (_, change) = step.split_once(file).unwrap();
                let (old, new) = change.trim_start().split_once(" => ").unwrap();
                edit(folder, file, |text| text.replace(old, new));
            }
            ["last_twice"] => edit(folder, SAMPLES, |text| {
                format!("{text}{}\n", text.lines().last().unwrap())
            }),
            ["last_lost"] => edit(folder, SAMPLES, |text| {
                let (rest, _) = text.trim_end().rsplit_once('\n').unwrap();
                format!("{rest}\n")
            }),
            ["published_elsewhere"] => published_elsewhere(folder),
            ["other_revision"] => program(folder, |it| &mut it.revision, "0123456789ab"),
            ["other_sources"] => program(folder, |it| &mut it.source_hash, "0123456789abcdef"),
            ["seal"] => seal(folder),
            ["byte"] => byte(folder),
            ["script"] => fs::write(folder.join("run.sh"), "true\n").unwrap(),
            ["cut_off"] => cut_off(folder),
            ["link"] => {
                fs::remove_file(folder.join("facts.csv")).unwrap();
                std::os::unix::fs::symlink("/etc/hostname", folder.join("facts.csv")).unwrap();
            }
            _ => panic!("{step}"),
        }
    }
}

fn is_meant(which: &str, number: usize, row: &Row, cell: &[String; 3]) -> bool {
    match which.split_once(['=', '.']) {
        Some(("cell", sample)) => place::cell(row) == *cell && row["sample"] == sample,
        Some((column, value)) => row[column] == value,
        None if which == "cell" => place::cell(row) == *cell,
        None => which == "all" || which == number.to_string(),
    }
}

fn serial(folder: &Path) -> [String; 3] {
    let rows = place::rows(&folder.join(ROWS));
    let mut serial = rows.into_iter().filter(|row| row["technique"] == "serial");
    place::cell(&serial.next().unwrap())
}

fn edit(folder: &Path, name: &str, change: impl FnOnce(&str) -> String) {
    place::edit(&folder.join(name), change);
}

/// Edits the rows of a CSV file. Keeps the rows for which `change` returns true.
fn rows(folder: &Path, name: &str, mut change: impl FnMut(usize, &mut Row) -> bool) {
    let name = format!("{}.csv", name.trim_end_matches(".csv"));
    edit(folder, &name, |text| {
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let header = reader.headers().unwrap().clone();
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(&header).unwrap();
        for (number, row) in reader.deserialize().enumerate() {
            let mut row: Row = row.unwrap();
            if change(number, &mut row) {
                writer
                    .write_record(header.iter().map(|name| &row[name]))
                    .unwrap();
            }
        }
        String::from_utf8(writer.into_inner().unwrap()).unwrap()
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

/// Changes a field of the invocation's program, and updates the invocation's id in all files.
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
    seal(folder);
}

/// Seals edited rows again, which anybody with the program's source can do. Does not change an unreadable folder.
pub fn seal(folder: &Path) {
    let Ok(run) = Run::read(folder) else { return };
    let of = by_cell(&run.samples);
    let mut changes = false;
    let seals = run.measurements.iter().chain(&run.pending).map(|row| {
        let own = of.get(&row.cell).map_or(&[][..], Vec::as_slice);
        let seal = plybench::results::seal(row, own.iter().copied()).unwrap();
        changes |= seal != row.seal;
        let CellId {
            case,
            technique,
            device,
        } = &row.cell;
        ([case, technique, device].map(Clone::clone), seal)
    });
    let seals: HashMap<[String; 3], String> = seals.collect();
    if !changes {
        return;
    }
    rows(folder, ROWS, |_, row| {
        if let Some(seal) = seals.get(&place::cell(row)) {
            row.insert("seal".to_owned(), seal.clone());
        }
        true
    });
}
