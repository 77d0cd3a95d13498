//! What a user does with a run that is there: exports it, sends it in, and has it validated. The run is of the
//! host alone, so that the tests need no device.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::OnceLock;

use serde_json::Value;

use super::place::Place;

/// Cases of two axes, and two techniques of the host that count the same each time.
const SMALL: &str = r#"
name = "small"
title = "Small boards"
game = "reversi"
task = "game"

[[cases]]
board = ["4x4", "6x6"]
depth = [2, 3]

[[technique]]
name = "serial"

[[technique]]
name = "rayon"

[sampling]
min-samples = 6
max-samples = 12
passes = 3
positions = 4

[budget]
cell = "4s"
total = "2m"
deadline = "20s"
"#;

/// The run, made once: `kept/small` below the place.
fn run() -> &'static Place {
    static RUN: OnceLock<Place> = OnceLock::new();
    RUN.get_or_init(|| {
        let place = Place::new(SMALL);
        let out = place.path().join("kept/small");
        let out = out.to_str().unwrap();
        let output = place
            .host_command(&["run", "tiny.toml", "--out", out])
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", said(&output));
        place
    })
}

fn kept() -> PathBuf {
    run().path().join("kept/small")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn bench(arguments: &[&str]) -> Output {
    run().host_command(arguments).output().unwrap()
}

/// A copy of the run's raw files.
fn copy() -> tempfile::TempDir {
    let copy = tempfile::tempdir().unwrap();
    fs::create_dir(copy.path().join("small")).unwrap();
    for name in [
        "environment.toml",
        "experiment.toml",
        "samples.csv",
        "measurements.csv",
        "facts.csv",
        "resources.csv",
    ] {
        fs::copy(kept().join(name), copy.path().join("small").join(name)).unwrap();
    }
    copy
}

fn validate(folder: &Path) -> Output {
    let against = run().path().join("kept");
    let [folder, against] = [folder, &against].map(|path| path.to_str().unwrap());
    bench(&["validate", folder, "--against", against])
}

/// The records of a CSV file by column.
fn records(bytes: &[u8]) -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_reader(bytes);
    let header = reader.headers().unwrap().clone();
    let row = |record: Result<csv::StringRecord, csv::Error>| {
        let record = record.unwrap();
        header
            .iter()
            .map(str::to_owned)
            .zip(record.iter().map(str::to_owned))
            .collect()
    };
    reader.records().map(row).collect()
}

/// The median of a cell, computed by other means than the program's.
fn median(mut times: Vec<u128>) -> u128 {
    times.sort_unstable();
    let (half, odd) = (times.len() / 2, times.len() % 2 == 1);
    if odd {
        times[half]
    } else {
        (times[half - 1] + times[half]) / 2
    }
}

/// Case, technique and device of each measured cell, with its median, as `measurements.csv` has it.
fn measured(folder: &Path) -> BTreeMap<String, u128> {
    let rows = records(&fs::read(folder.join("measurements.csv")).unwrap());
    let ok = rows.into_iter().filter(|row| row["status"] == "ok");
    ok.map(|row| (row["key"].clone(), row["median_ns"].parse().unwrap()))
        .collect()
}

#[test]
fn medians_of_exported_samples_are_those_of_the_rows_to_the_nanosecond() {
    let folder = kept();
    let folder = folder.to_str().unwrap();
    let measured = measured(&kept());
    assert_eq!(measured.len(), 8);

    let output = bench(&["export", folder]);
    assert!(output.status.success(), "{}", said(&output));
    let rows = records(&output.stdout);
    let mut times: BTreeMap<String, Vec<u128>> = BTreeMap::new();
    for row in &rows {
        for column in [
            "machine",
            "run",
            "experiment",
            "board",
            "depth",
            "technique",
            "device",
            "revision",
            "invocation",
            "utc",
            "key",
            "cell",
            "case",
        ] {
            assert!(!row[column].is_empty(), "{column} of {row:?}");
        }
        assert_eq!(
            row["case"],
            format!("board={} depth={}", row["board"], row["depth"])
        );
        times
            .entry(row["key"].clone())
            .or_default()
            .push(row["total_ns"].parse().unwrap());
    }
    let medians: BTreeMap<String, u128> = times
        .into_iter()
        .map(|(key, own)| (key, median(own)))
        .collect();
    assert_eq!(medians, measured);
    assert_eq!(
        (rows[0]["machine"].as_str(), rows[0]["run"].as_str()),
        ("kept", "small")
    );

    let output = bench(&["export", folder, "--format", "jsonl"]);
    assert!(output.status.success(), "{}", said(&output));
    let text = String::from_utf8(output.stdout).unwrap();
    let objects: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(objects.len(), rows.len());
    let mut times: BTreeMap<String, Vec<u128>> = BTreeMap::new();
    for (object, row) in objects.iter().zip(&rows) {
        // The same values, numbers as numbers and what is missing as null.
        for (column, text) in row {
            let shown = match &object[column] {
                Value::Null => String::new(),
                Value::String(text) => text.clone(),
                number => number.to_string(),
            };
            assert_eq!(shown, *text, "{column}");
        }
        assert!(object["depth"].is_u64() && object["driver"].is_null());
        let key = object["key"].as_str().unwrap().to_owned();
        times
            .entry(key)
            .or_default()
            .push(object["total_ns"].as_u64().unwrap().into());
    }
    let medians: BTreeMap<String, u128> = times
        .into_iter()
        .map(|(key, own)| (key, median(own)))
        .collect();
    assert_eq!(medians, measured);
}

#[test]
fn a_format_that_is_not_built_in_is_refused_in_one_line() {
    let folder = kept();
    let output = bench(&[
        "export",
        folder.to_str().unwrap(),
        "--format",
        "parquet",
        "--out",
        "x.parquet",
    ]);
    if cfg!(feature = "parquet") {
        let bytes = fs::read(run().path().join("x.parquet")).unwrap();
        assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
    } else {
        assert_eq!(output.status.code(), Some(1));
        assert!(
            said(&output).contains("allowed are csv and jsonl"),
            "{}",
            said(&output)
        );
    }
}

#[test]
fn what_agrees_passes_and_its_counters_are_compared() {
    let copy = copy();
    let output = validate(copy.path());
    assert!(output.status.success(), "{}", said(&output));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("8 rows, "), "{text}");
    assert!(
        text.contains("the counters of 8 cells equal those of 1 committed run"),
        "{text}"
    );
    assert!(
        text.contains("It does not show that a device exists"),
        "{text}"
    );
}

/// The text of a file after a change.
fn edit(folder: &Path, name: &str, change: impl FnOnce(String) -> String) {
    let file = folder.join(name);
    let text = fs::read_to_string(&file).unwrap();
    let new = change(text.clone());
    assert_ne!(new, text, "{name} is as it was");
    fs::write(file, new).unwrap();
}

/// Changes the fields of lines of a CSV file without quotes; a line of which nothing is left goes.
fn fields(
    folder: &Path,
    name: &str,
    mut change: impl FnMut(usize, &mut BTreeMap<String, String>) -> bool,
) {
    edit(folder, name, |text| {
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let header = reader.headers().unwrap().clone();
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(&header).unwrap();
        for (number, record) in reader.records().enumerate() {
            let record = record.unwrap();
            let own = header.iter().zip(record.iter());
            let mut row = own
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect();
            if change(number, &mut row) {
                writer
                    .write_record(header.iter().map(|name| &row[name]))
                    .unwrap();
            }
        }
        String::from_utf8(writer.into_inner().unwrap()).unwrap()
    });
}

fn set(row: &mut BTreeMap<String, String>, column: &str, value: impl ToString) {
    *row.get_mut(column).unwrap() = value.to_string();
}

fn add(row: &mut BTreeMap<String, String>, column: &str, more: u64) {
    let value: u64 = row[column].parse().unwrap();
    set(row, column, value + more);
}

/// The key of a cell of `serial`.
fn serial_key(folder: &Path) -> String {
    let rows = records(&fs::read(folder.join("measurements.csv")).unwrap());
    rows.into_iter()
        .find(|row| row["technique"] == "serial")
        .unwrap()["key"]
        .clone()
}

/// One kind of tampering: what it is, how it is done, and what is said of it.
type Tampering = (&'static str, fn(&Path), &'static str);

const SAMPLES: &str = "samples.csv";
const ROWS: &str = "measurements.csv";

const TAMPERINGS: [Tampering; 33] = [
    (
        "a digit of a time",
        |f| {
            fields(f, SAMPLES, |n, row| {
                if n == 3 {
                    add(row, "total_ns", 7)
                }
                true
            })
        },
        "measurements.csv:",
    ),
    (
        "a time and its part",
        |f| {
            fields(f, SAMPLES, |n, row| {
                if n == 3 {
                    add(row, "total_ns", 90_000_000);
                    add(row, "host_ns", 90_000_000)
                }
                true
            })
        },
        "its samples",
    ),
    (
        "a median",
        |f| {
            fields(f, ROWS, |n, row| {
                if n == 1 {
                    add(row, "median_ns", 1)
                }
                true
            })
        },
        "measurements.csv:3: ",
    ),
    (
        "a quartile",
        |f| {
            fields(f, ROWS, |n, row| {
                if n == 0 {
                    add(row, "q3_ns", 1)
                }
                true
            })
        },
        "q3_ns is ",
    ),
    (
        "an end of an interval",
        |f| {
            fields(f, ROWS, |n, row| {
                if n == 2 {
                    add(row, "high_ns", 100)
                }
                true
            })
        },
        "measurements.csv:4: ",
    ),
    (
        "a node count of one sample",
        |f| {
            let key = serial_key(f);
            fields(f, SAMPLES, |_, row| {
                if row["key"] == key && row["sample"] == "2" {
                    add(row, "nodes", 1)
                }
                true
            });
        },
        "counts the same each time",
    ),
    (
        "a node count of a whole cell",
        |f| {
            let key = serial_key(f);
            for name in [SAMPLES, ROWS] {
                fields(f, name, |_, row| {
                    if row["key"] == key {
                        add(row, "nodes", 1)
                    }
                    true
                });
            }
        },
        "of the same kernels and sources",
    ),
    (
        "a key of a row",
        |f| {
            fields(f, ROWS, |n, row| {
                if n == 0 {
                    set(row, "key", "0123456789abcdef")
                }
                true
            })
        },
        "a sample without a row in measurements.csv",
    ),
    (
        "a key of a whole cell",
        |f| {
            let key = serial_key(f);
            for name in [SAMPLES, ROWS] {
                fields(f, name, |_, row| {
                    if row["key"] == key {
                        set(row, "key", "0123456789abcdef")
                    }
                    true
                });
            }
        },
        "its key is not that of its case",
    ),
    (
        "a lost row",
        |f| fields(f, ROWS, |n, _| n != 4),
        "a sample without a row in measurements.csv",
    ),
    (
        "a lost sample",
        |f| fields(f, SAMPLES, |n, _| n != 4),
        "samples.csv",
    ),
    (
        "a lost cell",
        |f| {
            let key = serial_key(f);
            for name in [SAMPLES, ROWS] {
                fields(f, name, |_, row| row["key"] != key);
            }
        },
        "samples of the run are missing",
    ),
    (
        "a sample twice",
        |f| {
            edit(f, SAMPLES, |text| {
                let last = text.lines().last().unwrap().to_owned();
                text + &last + "\n"
            })
        },
        "samples.csv:",
    ),
    (
        "../ in a technique's name",
        |f| {
            for name in [SAMPLES, ROWS] {
                fields(f, name, |_, row| {
                    if row["technique"] == "serial" {
                        set(row, "technique", "../serial")
                    }
                    true
                });
            }
        },
        "experiment.toml asks for no \"../serial\"",
    ),
    (
        "../ in the experiment's name",
        |f| {
            fields(f, ROWS, |_, row| {
                set(row, "experiment", "../small");
                true
            })
        },
        "measurements.csv:2: ",
    ),
    (
        "../ in a published table's name",
        |f| {
            edit(f, "experiment.toml", |text| {
                text + "\n[[table]]\nid = \"t\"\ntitle = \"t\"\nquantity = \"time\"\nrows = \"board\"\n\
                techniques = [\"serial\"]\npublished = \"../../x.csv\"\n"
            })
        },
        "experiment.toml",
    ),
    (
        "HTML in a note",
        |f| {
            fields(f, ROWS, |n, row| {
                if n == 0 {
                    set(row, "notes", "<img src=x onerror=alert(1)>")
                }
                true
            })
        },
        "measurements.csv:2: an HTML tag",
    ),
    (
        "escaped HTML in a title",
        |f| {
            edit(f, "experiment.toml", |text| {
                text.replace("Small boards", "\\u003cscript>alert(1)\\u003c/script>")
            })
        },
        "experiment.toml: an HTML tag",
    ),
    (
        "another revision",
        |f| {
            edit(f, "environment.toml", |text| {
                text.replace("revision = \"", "revision = \"0")
            })
        },
        "its id is not that of its entry",
    ),
    (
        "another revision with its id",
        |f| {
            let environment = plybench::results::read_environment(f).unwrap();
            let mut invocation = environment.invocations[0].clone();
            let (old, old_revision) = (invocation.id.clone(), invocation.program.revision.clone());
            invocation.program.revision = "0123456789ab".into();
            let new = invocation.with_id();
            edit(f, "environment.toml", |text| {
                text.replace(&old_revision, "0123456789ab")
            });
            for name in ["environment.toml", SAMPLES, ROWS] {
                edit(f, name, |text| text.replace(&old, &new.id));
            }
        },
        "revision 0123456789ab is not known",
    ),
    (
        "other sources with their id",
        |f| {
            let environment = plybench::results::read_environment(f).unwrap();
            let mut invocation = environment.invocations[0].clone();
            let (old, old_hash) = (
                invocation.id.clone(),
                invocation.program.source_hash.clone(),
            );
            invocation.program.source_hash = "0123456789abcdef".into();
            let new = invocation.with_id();
            edit(f, "environment.toml", |text| {
                text.replace(&old_hash, "0123456789abcdef")
            });
            for name in ["environment.toml", SAMPLES, ROWS] {
                edit(f, name, |text| text.replace(&old, &new.id));
            }
        },
        "has the source hash 0123456789abcdef, and ",
    ),
    (
        "NaN in a fact",
        |f| {
            fields(f, "facts.csv", |n, row| {
                if n == 0 {
                    set(row, "value", "NaN")
                }
                true
            })
        },
        "facts.csv",
    ),
    (
        "NaN in a time",
        |f| {
            fields(f, SAMPLES, |n, row| {
                if n == 0 {
                    set(row, "total_ns", "NaN")
                }
                true
            })
        },
        "samples.csv:2: ",
    ),
    (
        "a number that is too large",
        |f| {
            fields(f, SAMPLES, |n, row| {
                if n == 0 {
                    set(row, "total_ns", "99999999999999999999999")
                }
                true
            })
        },
        "samples.csv:2: ",
    ),
    (
        "bytes",
        |f| {
            let file = f.join(SAMPLES);
            let mut bytes = fs::read(&file).unwrap();
            let middle = bytes.len() / 2;
            bytes[middle] = 0xff;
            fs::write(file, bytes).unwrap();
        },
        "not text in UTF-8",
    ),
    (
        "a control character",
        |f| {
            fields(f, ROWS, |n, row| {
                if n == 0 {
                    set(row, "notes", "\u{1b}[2J")
                }
                true
            })
        },
        "measurements.csv:2: the control character",
    ),
    (
        "an order twice",
        |f| {
            fields(f, SAMPLES, |n, row| {
                if n == 0 {
                    add(row, "order", 1)
                }
                true
            })
        },
        "samples.csv:",
    ),
    (
        "a time of day",
        |f| {
            fields(f, SAMPLES, |_, row| {
                if row["order"] == "20" {
                    set(row, "at_ns", 0)
                }
                true
            })
        },
        "samples.csv:",
    ),
    (
        "threads",
        |f| {
            fields(f, ROWS, |_, row| {
                if row["technique"] == "serial" {
                    set(row, "threads", 2)
                }
                true
            })
        },
        "threads is 2, and 1",
    ),
    (
        "a kind",
        |f| {
            fields(f, ROWS, |_, row| {
                if row["technique"] == "serial" {
                    set(row, "kind", "threads")
                }
                true
            })
        },
        "kind \"threads\"; serial is \"serial\"",
    ),
    (
        "a lost fact",
        |f| fields(f, "facts.csv", |n, _| n != 0),
        "facts.csv has no ",
    ),
    (
        "a file of another kind",
        |f| fs::write(f.join("run.sh"), "true\n").unwrap(),
        "run.sh: no file of a run folder",
    ),
    (
        "an end that is cut off",
        |f| {
            let file = f.join(SAMPLES);
            let text = fs::read_to_string(&file).unwrap();
            fs::write(&file, &text[..text.len() - 4]).unwrap();
        },
        "samples.csv",
    ),
];

#[test]
fn each_kind_of_tampering_is_refused_and_none_panics() {
    let mut wrong = Vec::new();
    for (what, tamper, expected) in TAMPERINGS {
        let copy = copy();
        let folder = copy.path().join("small");
        tamper(&folder);
        let output = validate(&folder);
        let said = said(&output);
        if output.status.code() != Some(4) || !said.contains(expected) || said.contains("panicked")
        {
            wrong.push(format!(
                "{what}: {:?}, expected {expected:?}: {said}",
                output.status.code()
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[cfg(unix)]
#[test]
fn a_symbolic_link_is_not_followed() {
    let copy = copy();
    let folder = copy.path().join("small");
    fs::remove_file(folder.join("facts.csv")).unwrap();
    std::os::unix::fs::symlink("/etc/hostname", folder.join("facts.csv")).unwrap();
    let output = validate(&folder);
    assert_eq!(output.status.code(), Some(4));
    assert!(
        said(&output).contains("facts.csv: a symbolic link"),
        "{}",
        said(&output)
    );
}

/// One byte of one file is another: it is refused, or is of what nothing checks, and nothing panics.
#[test]
fn no_byte_makes_validate_panic() {
    let mut state = 1u64;
    let mut next = move |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let names = [
        "samples.csv",
        "measurements.csv",
        "facts.csv",
        "environment.toml",
        "experiment.toml",
    ];
    for _ in 0..40 {
        let copy = copy();
        let file = copy.path().join("small").join(names[next(names.len())]);
        let mut bytes = fs::read(&file).unwrap();
        let at = next(bytes.len());
        bytes[at] = b"0-,\"\n\xff="[next(7)];
        fs::write(&file, bytes).unwrap();
        let output = validate(copy.path());
        let code = output.status.code();
        assert!(
            [Some(0), Some(4)].contains(&code),
            "{file:?} at {at}: {}",
            said(&output)
        );
        assert!(
            !said(&output).contains("panicked"),
            "{file:?} at {at}: {}",
            said(&output)
        );
    }
}

#[test]
fn committed_runs_agree() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let git = std::process::Command::new("git")
        .args(["rev-parse", "--is-shallow-repository"])
        .current_dir(root)
        .output();
    if !git.is_ok_and(|output| output.stdout == b"false\n") {
        eprintln!("without the git history no revision is known: not tested");
        return;
    }
    let runs = fs::read_dir(root.join("reports"))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let has_run = |machine: &PathBuf| {
        let below = fs::read_dir(machine).into_iter().flatten().flatten();
        below
            .map(|entry| entry.path())
            .any(|run| run.join("environment.toml").exists())
    };
    let machines: Vec<PathBuf> = runs
        .filter(|path| !path.ends_with("local") && has_run(path))
        .collect();
    assert!(!machines.is_empty());
    let mut command = run().host_command(&["validate"]);
    let output = command.args(&machines).current_dir(root).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
}

#[test]
fn a_submission_has_neither_the_users_paths_nor_names_and_is_valid() {
    let place = run();
    let folder = kept();
    let output = place
        .host_command(&[
            "submit",
            folder.to_str().unwrap(),
            "--machine",
            "a-card",
            "--out",
            "community",
        ])
        .env("HOME", place.path())
        .env("USER", "ada-of-the-test")
        .output()
        .unwrap();
    let listed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        listed.contains("samples.csv") && listed.contains("command  bench run tiny.toml"),
        "{listed}"
    );
    let target = place.path().join("community/a-card/small");
    let mut names: Vec<String> = fs::read_dir(&target)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let expected = [
        "environment.toml",
        "experiment.toml",
        "facts.csv",
        "measurements.csv",
        "resources.csv",
        "samples.csv",
    ];
    assert_eq!(names, expected);
    let secret = place.path().to_str().unwrap();
    for name in names {
        let text = fs::read_to_string(target.join(&name)).unwrap();
        assert!(
            !text.contains(secret) && !text.contains("ada-of-the-test"),
            "{name}"
        );
    }
    // The command named the folder by its whole path.
    assert!(
        fs::read_to_string(kept().join("environment.toml"))
            .unwrap()
            .contains(secret)
    );
    assert_eq!(measured(&target), measured(&kept()));
    // A program of changed sources may not be sent in; all else is valid.
    let revision = plybench::results::read_environment(&target)
        .unwrap()
        .program
        .revision;
    match revision.ends_with("-dirty") {
        true => assert!(
            said(&output).contains("of changed sources"),
            "{}",
            said(&output)
        ),
        false => assert!(output.status.success(), "{}", said(&output)),
    }
    let again = bench(&["submit", folder.to_str().unwrap(), "--machine", "../x"]);
    assert_eq!(again.status.code(), Some(1));
    assert!(
        said(&again).contains("--machine \"../x\""),
        "{}",
        said(&again)
    );
}

#[test]
fn a_score_needs_a_device() {
    let output = bench(&["score"]);
    assert_eq!(output.status.code(), Some(5), "{}", said(&output));
}
