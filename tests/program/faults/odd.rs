//! Tests devices and drivers with faults from public bug reports (`odd.c`).

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::place::{Ended, Place, TINY, assert_row, ended, library};
use crate::no_device;

/// Words of `odd.c`. For each word, a property that `bench devices` then shows.
const WORDS: &str = r#"
blank-name name "device \"\""
amd-name name "gfx1030:xnack-"
trademark-name name "Intel(R) Core(TM) i7-4770K CPU @ 3.50GHz"
clock-0 clock_mhz 0
units-0 compute_units 0
group-1 max_work_group 1
kernel-group-1 max_work_group 1024
kernel-group-lie preferred_multiple 1
no-double fault null
embedded fault null
memory-256 max_allocation_bytes 228170137
half-memory fault null
lazy-half fault null
tick-1000 timer "trusted, in steps of 1000 ns"
tick-52 timer "trusted, in steps of 52 ns"
tick-83 timer "trusted, in steps of 83 ns"
watchdog-200 fault null
fill-2g fault null
fill-wrong fault null
gpu kind "gpu"
"#;

fn words() -> impl Iterator<Item = (&'static str, &'static str, Value)> {
    WORDS.trim().lines().map(|line| {
        let fields: Vec<&str> = line.splitn(3, ' ').collect();
        (
            fields[0],
            fields[1],
            serde_json::from_str(fields[2]).unwrap(),
        )
    })
}

/// Runs the program on a device with this oddity. Returns `None` if there is no device.
fn at(place: &Place, word: &str, line: &str) -> Option<Ended> {
    let mut command = place.command(line);
    command.env("ODD", word).env("LD_PRELOAD", library("odd"));
    (!no_device()).then(|| ended(&mut command))
}

fn on(word: &str, line: &str) -> Option<Ended> {
    at(&Place::new(TINY), word, line)
}

const SEARCH: &str =
    "search reversi --depth=3 --technique=pv-split --case=board=4x4 --set=group=board --json";

#[test]
fn shows_every_odd_device() {
    for (word, key, expected) in words() {
        let Some(ended) = on(word, "devices --json") else {
            return;
        };
        let devices: Value = ended.ends(0).json();
        assert_eq!(devices[0][key], expected, "{word}");
        assert_eq!(devices[0]["fault"], Value::Null, "{word}");
    }
}

#[test]
fn shows_a_number_that_the_driver_does_not_know_as_a_question_mark() {
    for (word, column) in [("units-0", 2), ("clock-0", 3)] {
        let Some(ended) = on(word, "devices") else {
            return;
        };
        let row = ended.ends(0).out.lines().nth(1).expect("a device");
        assert_eq!(row.split_whitespace().nth(column), Some("?"), "{row}");
    }
}

#[test]
fn names_a_processor_that_reports_a_gpu() {
    for line in ["devices", SEARCH] {
        let Some(ended) = on("gpu", line) else {
            return;
        };
        let said = format!("{}{}", ended.ends(0).out, ended.said);
        let note = "the driver reports a GPU with a CPU's name";
        assert!(said.contains(note), "{said}");
    }
}

/// If a watchdog ends a launch, the advice names this option.
#[test]
fn score_takes_a_launch_limit() {
    let place = Place::new(TINY);
    let line = "score --launch-limit 20ms --device absent";
    place.bench(line).ends(5).says("no device matches `absent`");
}

#[test]
fn searches_on_every_odd_device() {
    for (word, ..) in words() {
        let Some(ended) = on(word, SEARCH) else {
            return;
        };
        // `board` requests a work-item per square, 16 here, but uses only one work-item on some boards.
        if ended.code == Some(0) {
            assert_eq!(ended.json::<Value>()["value"], -284, "{word}");
        } else {
            assert!(word.contains("group"), "{word}: {ended:?}");
            ended.ends(3).says("bench: group: ");
        }
        ended.lacks("CL_INVALID");
    }
}

/// On a busy machine, the budget is enough for only a few cases.
#[test]
#[ignore = "takes minutes; ./scripts/test --long runs it each week"]
fn long_verifies_on_every_odd_device() {
    for (word, ..) in words() {
        let line = "verify --game=reversi --technique=^pv-split$ --budget=2s";
        let Some(ended) = on(word, line) else {
            return;
        };
        let said = format!("{}{}", ended.out, ended.said);
        match ended.code {
            Some(0) => {}
            Some(3) if said.contains("its budget ended before the first") => {}
            code => {
                assert_eq!((word, code), ("watchdog-200", Some(3)), "{said}");
                assert!(said.contains("watchdog"), "{said}");
            }
        }
        ended.lacks("CL_INVALID");
    }
}

/// The kernel has `reqd_work_group_size`. The group size `board` may be reduced, but 32 may not.
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
        let line = SEARCH.replace("group=board", &format!("group={group}"));
        let Some(ended) = on(word, &line) else {
            return;
        };
        let is_there = ended.out.contains(expected) || ended.said.contains(expected);
        assert!(is_there, "{word}, {group}: {ended:?}");
    }
}

/// In a run, a refused group costs only its cell, and the exit code is 0.
#[test]
fn a_refused_group_is_unsupported_in_a_run() {
    let place = Place::new(&TINY.replace("name = \"pv-split\"", "name = \"pv-split\"\ngroup = 32"));
    let Some(ended) = at(&place, "kernel-group-lie", "run tiny.toml") else {
        return;
    };
    ended.ends(0);
    for depth in [1, 2] {
        assert_row(&place.row("pv-split", depth), "unsupported", "");
    }
}

#[test]
fn names_the_watchdog_and_the_limit_after_a_long_launch() {
    let line = "playouts connect-four --technique=flat-refill --count=40000000";
    let Some(lost) = on("watchdog-200", line) else {
        return;
    };
    lost.ends(3);
    for part in [
        "CL_OUT_OF_RESOURCES (-5), ",
        " s after a launch began",
        "watchdog",
        "--launch-limit 20ms",
    ] {
        lost.says(part);
    }
    // The advice must help. On a busy machine, a launch of 20 ms may take longer.
    let limited = on("watchdog-2000", &format!("{line} --launch-limit=20ms"));
    limited.expect("a device").ends(0);
}

#[test]
fn fills_more_than_two_gigabytes() {
    let line = "search connect-four --depth=4 --technique=table-search --set=table=2048";
    let Some(ended) = on("fill-2g", line) else {
        return;
    };
    ended.lacks("-9999");
    let is_small = ended.said.contains("needs ") && ended.said.contains("has ");
    assert!(is_small || ended.code == Some(0), "{ended:?}");
}

const PARTS: [&str; 4] = ["upload_ns", "queue_ns", "kernel_ns", "download_ns"];

#[test]
fn parts_are_whole_steps_of_the_devices_timer() {
    let place = Place::new(TINY);
    let Some(ended) = at(&place, "tick-52", "run tiny.toml") else {
        return;
    };
    ended.ends(0);
    let samples = place.csv("samples.csv").into_iter();
    let samples: Vec<_> = samples.filter(|it| it["technique"] == "pv-split").collect();
    let holds = samples.iter().any(|it| it["kernel_ns"] != "0");
    assert!(holds, "{samples:?}");
    for (sample, part) in samples.iter().flat_map(|it| PARTS.map(|part| (it, part))) {
        let ns: u64 = sample[part].parse().expect("a number");
        assert_eq!(ns % 52, 0, "{part} of {ns} ns");
    }
    let expected = "trusted, in steps of 52 ns";
    assert_eq!(place.row("pv-split", 1)["timer"], expected);
}

/// The clock has steps of 1 ms, but the searches take microseconds.
#[test]
fn times_of_a_few_steps_have_no_parts_and_say_so() {
    let place = Place::new(TINY);
    let Some(ended) = at(&place, "tick-1000000", "run tiny.toml") else {
        return;
    };
    ended.ends(0);
    for depth in [1, 2] {
        let row = place.row("pv-split", depth);
        assert_eq!(PARTS.map(|part| row[part].as_str()), [""; 4]);
        let why =
            "the device's timer has steps of 1 ms: times of a few steps are not divided into parts";
        assert_eq!(row["warnings"].matches(why).count(), 1, "{row:?}");
    }
}

/// Creates a folder with these .icd files, each given by its name and library.
fn entries(entries: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, library) in entries {
        std::fs::write(folder.path().join(name), format!("{library}\n")).expect("a file");
    }
    folder
}

/// Returns the library that pocl's .icd file names. If there is no such file, prints that the test is skipped.
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

/// Runs the program with only these .icd files.
fn with_entries(place: &Place, folder: &tempfile::TempDir, word: &str, line: &str) -> Ended {
    let mut command = place.command(line);
    let command = command.env("OCL_ICD_VENDORS", folder.path());
    ended(command.env("ODD", word))
}

#[test]
fn a_library_behind_two_entries_is_one_device() {
    let Some(pocl) = pocl() else { return };
    let folder = entries(&[("a.icd", &pocl), ("b.icd", &pocl)]);
    let place = Place::new(TINY);
    let bench = |line: &str| with_entries(&place, &folder, "", line);
    let shown = bench("devices");
    shown
        .prints("\n0:0  ")
        .prints("     1:0 is the same device (");
    shown.lacks("\n1:0  ").lacks(" #1");
    bench("run tiny.toml --device=all").ends(0);
    let rows = place.rows().into_iter();
    let measured = rows.filter(|row| row["technique"] == "pv-split").count();
    assert_eq!(measured, 2, "one row per depth");
    bench(&format!("{SEARCH} --device=1:0")).ends(0);
}

#[test]
fn one_bad_driver_hides_no_other() {
    let Some(pocl) = pocl() else { return };
    let odd = library("odd").display().to_string();
    let (place, folder) = (
        Place::new(TINY),
        entries(&[("bad.icd", &odd), ("pocl.icd", &pocl)]),
    );
    let shown = with_entries(&place, &folder, "bad-driver", "devices");
    shown.ends(0).prints("\n0:0  ").says_one_line();
    let [bad, good] = ["bad.icd", "pocl.icd"].map(|name| folder.path().join(name));
    let remedy = "Remove this file, or choose a good one with OCL_ICD_VENDORS=";
    shown.says(&format!("left out: {}: ", bad.display()));
    shown.says("its last words: LLVM ERROR");
    shown.says(&format!("{remedy}{}", good.display()));
    with_entries(&place, &folder, "bad-driver", SEARCH).ends(0);
}

#[test]
fn drivers_that_abort_each_other_get_a_process_each() {
    let Some(pocl) = pocl() else { return };
    let odd = library("odd");
    let copy = odd.with_file_name("copy.so");
    std::fs::copy(&odd, &copy).expect("a copy");
    let [odd, copy] = [odd, copy].map(|file| file.display().to_string());
    let folder = entries(&[("a.icd", &odd), ("b.icd", &copy), ("pocl.icd", &pocl)]);
    with_entries(&Place::new(TINY), &folder, "clash", SEARCH)
        .ends(0)
        .says("these drivers fail in one process, and each gets a process of its own");
}

#[test]
fn names_pocls_folder_if_it_cannot_be_written() {
    let Some(pocl) = pocl() else { return };
    let (place, folder) = (Place::new(TINY), entries(&[("pocl.icd", &pocl)]));
    let below_a_file = place.path().join("tiny.toml/cache");
    for line in ["devices", SEARCH] {
        let mut command = place.command(line);
        command.env("OCL_ICD_VENDORS", folder.path());
        ended(command.env("POCL_CACHE_DIR", &below_a_file))
            .ends(5)
            .says(&below_a_file.display().to_string())
            .says("Set POCL_CACHE_DIR to a folder")
            .lacks("apt-get");
    }
}

#[test]
fn prints_the_default_device_and_the_reason() {
    let Some(pocl) = pocl() else { return };
    let folder = entries(&[("pocl.icd", &pocl)]);
    let place = Place::new(TINY);
    for (devices, chosen) in [("pthread pthread", true), ("pthread", false)] {
        let mut command = place.command(SEARCH);
        command.env("OCL_ICD_VENDORS", folder.path());
        let ended = ended(command.env("POCL_DEVICES", devices));
        let said = &ended.ends(0).said;
        let why = ", a CPU, the best of 2 by compute units times clock";
        let says = said.contains("default device: 0:0 ") && said.contains(why);
        assert_eq!(says, chosen, "{said}");
    }
}
