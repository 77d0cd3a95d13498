//! Tests `bench verify` on a device of this machine, as a user runs it.

use std::time::{Duration, Instant};

use plybench::results::Conformance;
use plybench::words::Status;

use super::place::{Ended, Place, changed, ended};
use crate::needed::devices;

/// Runs the program in a folder that also has its cache.
fn bench(place: &Place, line: &str) -> Ended {
    ended(
        place
            .command(line)
            .env("PLYBENCH_CACHE", place.path().join("cache")),
    )
}

#[test]
fn a_right_technique_is_said_to_be_right() {
    let Some(_devices) = devices() else { return };
    let place = Place::new("");
    let verified = bench(
        &place,
        "verify --game connect-four --technique ^move-sets$ --json",
    );
    let printed: Conformance = verified.ends(0).json();
    let [it] = printed.techniques.as_slice() else {
        panic!("{printed:?}");
    };
    assert_eq!((it.status, it.wrong, it.failed), (Status::Ok, 0, 0));
    assert!(it.right == it.cases && it.cases > 100, "{it:?}");
    assert!(!printed.device.driver.is_empty() && !printed.program.kernel_hash.is_empty());
}

#[test]
fn a_changed_kernel_is_found_and_the_command_asks_the_case_again() {
    let Some(_devices) = devices() else { return };
    let place = Place::new("");
    let file = "connect_four/root_split.cl";
    changed(&place.path().join("cl"), file, "over ? 0 : value", "value");
    let line = "verify --technique ^root-split$ --fail-fast --json --kernels cl";
    let report: Conformance = bench(&place, line).ends(2).json();
    let it = &report.techniques[0];
    assert_eq!((it.status, it.wrong), (Status::Mismatch, 1));
    assert!(it.reason.contains("but the reference has"), "{it:?}");
    // No shell is needed, because the words of the command contain no blanks. Only the device and lists are quoted.
    let word_after = |option: &str| {
        let (_, rest) = it.command.split_once(option).unwrap();
        rest.split(' ').next().unwrap()
    };
    let (position, depth) = (word_after(" --position"), word_after("--depth "));
    let mut line = format!("search connect-four --depth {depth} --position{position}");
    for rest in it.command.split(" --set ").skip(1) {
        let end = rest.find(" --").unwrap_or(rest.len());
        line += &format!(" --set={}", rest[..end].trim_matches('\''));
    }
    let answer = |kernels: &str| {
        let found = bench(&place, &format!("{line} --technique root-split{kernels}"));
        found.ends(0).out.split(" nodes").next().unwrap().to_owned()
    };
    assert_ne!(answer(" --kernels cl"), answer(""));
}

#[test]
fn a_driver_that_dies_costs_a_technique() {
    let Some(_devices) = devices() else { return };
    let place = Place::new("");
    changed(
        &place.path().join("dies"),
        "connect_four/move_sets.cl",
        "    long joined = NONE;\n",
        "    long joined = *(volatile __global long *)0;\n",
    );
    let line = "verify --technique ^(root-split|move-sets)$ --game connect-four --kernels dies";
    let verified = bench(&place, line);
    verified.ends(3);
    let table = verified.out + &verified.said;
    for part in [
        "connect-four move-sets             crashed",
        "connect-four root-split            right",
        "techniques: 1 crashed, 1 right; ",
        "2 failed",
    ] {
        assert!(table.contains(part), "{table}");
    }
}

#[test]
fn a_case_that_hangs_ends_soon_after_the_budget() {
    let begun = Instant::now();
    let place = Place::new(
        "name = \"mine\"\ngame = \"connect-four\"\ntask = \"search\"\ncases = [{ depth = [3] }]\n\
         [[technique]]\nname = \"mine\"\ncommand = [\"sleep\", \"86400\"]\n",
    );
    let verified = bench(
        &place,
        "verify --allow-commands --config tiny.toml --budget 1s",
    );
    verified.ends(3).lacks("failed");
    let table = verified.out + &verified.said;
    for part in [
        "connect-four mine                  skipped",
        "the first of",
        "; 0 cases in ",
    ] {
        assert!(table.contains(part), "{table}");
    }
    assert!(table.trim_end().ends_with(" skipped"), "{table}");
    // The default deadline is two minutes.
    assert!(begun.elapsed() < Duration::from_secs(115), "{table}");
}
