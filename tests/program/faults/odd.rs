//! Devices and drivers as public bug reports describe them (`odd.c`).

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};

use super::place::{Place, TINY, library, said as both, text};
use crate::needed::devices;
use crate::no_device;

/// The words of `odd.c` for one device, and what `bench devices` then shows.
fn words() -> Vec<(&'static str, &'static str, Value)> {
    vec![
        ("blank-name", "name", json!("device \"\"")),
        ("amd-name", "name", json!("gfx1030:xnack-")),
        (
            "trademark-name",
            "name",
            json!("Intel(R) Core(TM) i7-4770K CPU @ 3.50GHz"),
        ),
        ("clock-0", "clock_mhz", json!(0)),
        ("units-0", "compute_units", json!(0)),
        ("group-1", "max_work_group", json!(1)),
        ("kernel-group-1", "max_work_group", json!(1024)),
        ("kernel-group-lie", "preferred_multiple", json!(1)),
        ("no-double", "fault", Value::Null),
        ("embedded", "fault", Value::Null),
        ("memory-256", "max_allocation_bytes", json!(228_170_137)),
        ("half-memory", "fault", Value::Null),
        ("lazy-half", "fault", Value::Null),
        ("tick-1000", "timer", json!("trusted, in steps of 1000 ns")),
        ("tick-52", "timer", json!("trusted, in steps of 52 ns")),
        ("tick-83", "timer", json!("trusted, in steps of 83 ns")),
        ("watchdog-200", "fault", Value::Null),
        ("fill-2g", "fault", Value::Null),
        ("fill-wrong", "fault", Value::Null),
        ("gpu", "kind", json!("gpu")),
    ]
}

/// The program on a device that is odd in this way: its output, or `None` on a machine without a device.
fn on(word: &str, arguments: &[&str]) -> Option<Output> {
    let place = Place::new(TINY);
    let mut command = place.command(arguments);
    command.env("ODD", word).env("LD_PRELOAD", library("odd"));
    (!no_device()).then(|| command.output().expect("the program starts"))
}

const SEARCH: [&str; 7] = [
    "search",
    "reversi",
    "--depth=3",
    "--technique=pv-split",
    "--case=board=4x4",
    "--set=group=board",
    "--json",
];

#[test]
fn shows_every_odd_device() {
    for (word, key, expected) in words() {
        let Some(output) = on(word, &["devices", "--json"]) else {
            return;
        };
        assert_eq!(output.status.code(), Some(0), "{word}: {}", both(&output));
        let devices: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(devices[0][key], expected, "{word}");
        assert_eq!(devices[0]["fault"], Value::Null, "{word}");
    }
}

#[test]
fn searches_on_every_odd_device() {
    for (word, ..) in words() {
        let Some(output) = on(word, &SEARCH) else {
            return;
        };
        let said = both(&output);
        // `board` wants a group of the board's 16 squares, and on some boards takes one work-item instead.
        if output.status.code() == Some(0) {
            let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
            assert_eq!(found["value"], json!(-284), "{word}");
        } else {
            assert!(word.contains("group"), "{word}: {said}");
            assert!(said.contains("bench: group: "), "{word}: {said}");
            assert_eq!(output.status.code(), Some(3), "{word}: {said}");
        }
        assert!(!said.contains("CL_INVALID"), "{word}: {said}");
    }
}

/// A busy machine answers few cases within the budget.
#[test]
fn verifies_on_every_odd_device() {
    for (word, ..) in words() {
        let arguments = [
            "verify",
            "--game=reversi",
            "--technique=^pv-split$",
            "--budget=2s",
        ];
        let Some(output) = on(word, &arguments) else {
            return;
        };
        let said = both(&output);
        match output.status.code() {
            Some(0) => {}
            Some(3) if said.contains("its budget ended before the first") => {}
            code => {
                assert_eq!((word, code), ("watchdog-200", Some(3)), "{said}");
                assert!(said.contains("watchdog"), "{said}");
            }
        }
        assert!(!said.contains("CL_INVALID"), "{word}: {said}");
    }
}

/// The kernel has `reqd_work_group_size`. `board` allows a smaller group, and 32 does not.
#[test]
fn a_kernel_with_a_small_limit_is_unsupported_or_has_a_smaller_group() {
    let refusal = "bench: group: 32 work-items; the compiled kernel takes at most 1";
    let lie = "work-items; the driver refuses them for kernel `pv_split`";
    for (word, group, expected) in [
        ("kernel-group-1", "board", "\"value\": -284"),
        ("kernel-group-1", "32", refusal),
        ("kernel-group-lie", "board", lie),
        ("kernel-group-lie", "32", lie),
    ] {
        let set = format!("--set=group={group}");
        let arguments = SEARCH.map(|it| if it.starts_with("--set") { &set } else { it });
        let Some(output) = on(word, &arguments) else {
            return;
        };
        let said = both(&output);
        assert!(said.contains(expected), "{word}, {group}: {said}");
    }
}

/// In a run it costs the cell and not the exit code.
#[test]
fn a_refused_group_is_unsupported_in_a_run() {
    let place = Place::new(&TINY.replace("name = \"pv-split\"", "name = \"pv-split\"\ngroup = 32"));
    let mut command = place.command(&["run", "tiny.toml"]);
    command
        .env("ODD", "kernel-group-lie")
        .env("LD_PRELOAD", library("odd"));
    let Some(_devices) = devices() else { return };
    let ended = super::place::ended(&mut command);
    assert_eq!(ended.code, Some(0), "{}", ended.said);
    for depth in [1, 2] {
        let row = place.row("pv-split", depth);
        assert_eq!(row["status"], "unsupported", "{}", row["reason"]);
    }
}

#[test]
fn names_the_watchdog_and_the_limit_after_a_long_launch() {
    let arguments = [
        "playouts",
        "connect-four",
        "--technique=flat-refill",
        "--count=40000000",
    ];
    let Some(lost) = on("watchdog-200", &arguments) else {
        return;
    };
    let said = both(&lost);
    assert_eq!(lost.status.code(), Some(3), "{said}");
    assert!(said.contains("CL_OUT_OF_RESOURCES (-5), "), "{said}");
    assert!(said.contains(" s after a launch began"), "{said}");
    assert!(said.contains("watchdog"), "{said}");
    assert!(said.contains("--launch-limit 20ms"), "{said}");
    // The advice helps. A busy machine may stretch a launch of 20 ms.
    let limited = [&arguments[..], &["--launch-limit=20ms"]].concat();
    let limited = on("watchdog-2000", &limited).expect("a device");
    assert_eq!(limited.status.code(), Some(0), "{}", both(&limited));
}

#[test]
fn fills_more_than_two_gigabytes() {
    let arguments = [
        "search",
        "connect-four",
        "--depth=4",
        "--technique=table-search",
        "--set=table=2048",
    ];
    let Some(output) = on("fill-2g", &arguments) else {
        return;
    };
    let said = both(&output);
    assert!(!said.contains("-9999"), "{said}");
    let is_small = said.contains("needs ") && said.contains("has ");
    assert!(is_small || output.status.success(), "{said}");
}

/// A run on a device with a timer of these steps; `None` on a machine without a device.
fn run_in_steps(word: &str) -> Option<Place> {
    let place = Place::new(TINY);
    let mut command = place.command(&["run", "tiny.toml"]);
    command.env("ODD", word).env("LD_PRELOAD", library("odd"));
    let ended = (!no_device()).then(|| super::place::ended(&mut command))?;
    assert_eq!(ended.code, Some(0), "{word}: {}", ended.said);
    Some(place)
}

const PARTS: [&str; 4] = ["upload_ns", "queue_ns", "kernel_ns", "download_ns"];

#[test]
fn parts_are_whole_steps_of_the_devices_timer() {
    let Some(place) = run_in_steps("tick-52") else {
        return;
    };
    let samples = place.csv("samples.csv").into_iter();
    let samples: Vec<_> = samples.filter(|it| it["technique"] == "pv-split").collect();
    let holds = samples.iter().any(|it| it["kernel_ns"] != "0");
    assert!(holds, "{samples:?}");
    for sample in samples {
        for part in PARTS {
            let ns: u64 = sample[part].parse().expect("a number");
            assert_eq!(ns % 52, 0, "{part} of {ns} ns");
        }
    }
    let expected = "trusted, in steps of 52 ns";
    assert_eq!(place.row("pv-split", 1)["timer"], expected);
}

/// A millisecond's steps for searches of microseconds.
#[test]
fn times_of_a_few_steps_have_no_parts_and_say_so() {
    let Some(place) = run_in_steps("tick-1000000") else {
        return;
    };
    for depth in [1, 2] {
        let row = place.row("pv-split", depth);
        for part in PARTS {
            assert_eq!(row[part], "", "{part}");
        }
        let why =
            "the device's timer has steps of 1 ms: times of a few steps are not divided into parts";
        assert_eq!(
            row["warnings"].matches(why).count(),
            1,
            "{}",
            row["warnings"]
        );
    }
}

/// A folder with these entries of the loader: name and library.
fn entries(entries: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, library) in entries {
        std::fs::write(folder.path().join(name), format!("{library}\n")).expect("a file");
    }
    folder
}

/// The library of pocl's entry. Without one, it says that the test is skipped.
fn pocl() -> Option<String> {
    let usual = Path::new("/etc/OpenCL/vendors/pocl.icd");
    let given =
        std::env::var_os("OCL_ICD_VENDORS").map(|given| PathBuf::from(given).join("pocl.icd"));
    let library = std::fs::read_to_string(given.as_deref().unwrap_or(usual));
    if library.is_err() {
        eprintln!("skipped: no pocl.icd");
    }
    Some(library.ok()?.trim().to_owned())
}

/// The program with these entries only.
fn with_entries(folder: &tempfile::TempDir, word: &str, arguments: &[&str]) -> Output {
    let place = Place::new(TINY);
    let mut command = place.command(arguments);
    command
        .env("OCL_ICD_VENDORS", folder.path())
        .env("ODD", word);
    command.output().expect("the program starts")
}

#[test]
fn a_library_behind_two_entries_is_one_device() {
    let Some(pocl) = pocl() else { return };
    let folder = entries(&[("a.icd", &pocl), ("b.icd", &pocl)]);
    let shown = text(&with_entries(&folder, "", &["devices"]).stdout);
    let holds = shown.contains("\n0:0  ") && shown.contains("     1:0 is the same device (");
    assert!(holds, "{shown}");
    let holds = !shown.contains("\n1:0  ") && !shown.contains(" #1");
    assert!(holds, "{shown}");

    let place = Place::new(TINY);
    let mut run = place.command(&["run", "tiny.toml", "--device=all"]);
    let ended = super::place::ended(run.env("OCL_ICD_VENDORS", folder.path()));
    assert_eq!(ended.code, Some(0), "{}", ended.said);
    let rows = place.rows().into_iter();
    let measured = rows.filter(|row| row["technique"] == "pv-split").count();
    assert_eq!(measured, 2, "one row per depth");
    let own = with_entries(&folder, "", &[&SEARCH[..], &["--device=1:0"]].concat());
    assert_eq!(own.status.code(), Some(0), "{}", both(&own));
}

#[test]
fn one_bad_driver_hides_no_other() {
    let Some(pocl) = pocl() else { return };
    let odd = library("odd").display().to_string();
    let folder = entries(&[("bad.icd", &odd), ("pocl.icd", &pocl)]);
    let output = with_entries(&folder, "bad-driver", &["devices"]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(text(&output.stdout).contains("\n0:0  "), "{said}");
    let [bad, good] = ["bad.icd", "pocl.icd"].map(|name| folder.path().join(name));
    let remedy = format!(
        "Remove this file, or choose a good one with OCL_ICD_VENDORS={}",
        good.display()
    );
    let part = format!("left out: {}: ", bad.display());
    assert!(said.contains(&part), "{said}");
    assert!(said.contains("its last words: LLVM ERROR"), "{said}");
    assert!(said.contains(&remedy), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    let searched = with_entries(&folder, "bad-driver", &SEARCH);
    assert_eq!(searched.status.code(), Some(0), "{}", both(&searched));
}

#[test]
fn drivers_that_abort_each_other_get_a_process_each() {
    let Some(pocl) = pocl() else { return };
    let odd = library("odd");
    let copy = odd.with_file_name("copy.so");
    std::fs::copy(&odd, &copy).expect("a copy");
    let [odd, copy] = [odd, copy].map(|file| file.display().to_string());
    let folder = entries(&[("a.icd", &odd), ("b.icd", &copy), ("pocl.icd", &pocl)]);
    let output = with_entries(&folder, "clash", &SEARCH);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    let why = "these drivers fail in one process, and each gets a process of its own";
    assert!(said.contains(why), "{said}");
}

#[test]
fn names_pocls_folder_if_it_cannot_be_written() {
    let Some(pocl) = pocl() else { return };
    let (place, folder) = (Place::new(TINY), entries(&[("pocl.icd", &pocl)]));
    let below_a_file = place.path().join("tiny.toml/cache");
    for arguments in [&["devices"][..], &SEARCH] {
        let mut command: Command = place.command(arguments);
        command.env("OCL_ICD_VENDORS", folder.path());
        let ended = super::place::ended(command.env("POCL_CACHE_DIR", &below_a_file));
        assert_eq!(ended.code, Some(5), "{}", ended.said);
        assert!(
            ended.said.contains(&below_a_file.display().to_string()),
            "{}",
            ended.said
        );
        assert!(
            ended.said.contains("Set POCL_CACHE_DIR to a folder"),
            "{}",
            ended.said
        );
        assert!(!ended.said.contains("apt-get"), "{}", ended.said);
    }
}

#[test]
fn prints_the_default_device_and_the_reason() {
    let Some(pocl) = pocl() else { return };
    let folder = entries(&[("pocl.icd", &pocl)]);
    let place = Place::new(TINY);
    for (devices, chosen) in [("pthread pthread", true), ("pthread", false)] {
        let mut command = place.command(&SEARCH);
        command.env("OCL_ICD_VENDORS", folder.path());
        let ended = super::place::ended(command.env("POCL_DEVICES", devices));
        assert_eq!(ended.code, Some(0), "{}", ended.said);
        let says = ended.said.contains("default device: 0:0 ")
            && ended
                .said
                .contains(", a CPU, the first of 2 with the most units times clock");
        assert_eq!(says, chosen, "{}", ended.said);
    }
}
