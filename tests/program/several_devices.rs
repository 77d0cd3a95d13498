//! Tests techniques on several devices of a host, as a user runs them. The devices are pocl's: an environment variable
//! splits the CPU into several devices.

use std::collections::HashSet;
use std::process::Command;

use plybench::opencl::DeviceInfo;

use super::needed;
use super::place::{Place, Row, assert_row, ended};

/// Returns a command that runs the program on a host with `devices` pocl devices.
fn on(devices: usize, place: &Place, arguments: &[&str]) -> Command {
    let mut command = place.command(arguments);
    command.env("POCL_DEVICES", ["pthread"].repeat(devices).join(" "));
    command
}

/// Lists the devices of a host with two pocl devices.
fn listed(place: &Place) -> Vec<DeviceInfo> {
    let output = ended(&mut on(2, place, &["devices", "--json"]));
    serde_json::from_str(&output.out).unwrap_or_default()
}

/// Returns the number of the first of two identical devices. If pocl has no two, prints a message and returns `None`.
fn first_of_two(place: &Place) -> Option<String> {
    let devices = listed(place);
    let is_like = |one: &DeviceInfo, other: &DeviceInfo| {
        (&one.platform, &one.name) == (&other.platform, &other.name)
            && one.device_index != other.device_index
    };
    let mut like = devices.iter().filter(|one| {
        one.platform.contains("Portable Computing") && devices.iter().any(|it| is_like(one, it))
    });
    let found = like.next().map(DeviceInfo::numbers);
    if found.is_none() {
        needed::skip("pocl with two devices (POCL_DEVICES)");
    }
    found
}

/// Returns an experiment with one pass and a few samples, in which the reference checks every answer. `reference` is
/// the technique that the experiment must name. It is empty if the reference is a baseline or runs separately.
fn experiment(what: [&str; 4], reference: &str, params: &str) -> String {
    let [game, task, case, technique] = what;
    let reference = match reference {
        "" => String::new(),
        name => format!("[[technique]]\nname = \"{name}\"\n{params}\n"),
    };
    format!(
        "name = \"tiny\"\ngame = \"{game}\"\ntask = \"{task}\"\ncases = [{{ {case} }}]\n{reference}\
         [[technique]]\nname = \"{technique}\"\nlabel = \"one\"\n{params}\n\
         [[technique]]\nname = \"{technique}\"\nlabel = \"two\"\ndevices = 2\n{params}\n\
         [[technique]]\nname = \"{technique}\"\nlabel = \"all\"\ndevices = \"all\"\n{params}\n\
         [sampling]\npasses = 1\nmin-samples = 3\nmax-samples = 4\n\
         [budget]\ncell = \"5s\"\ntotal = \"4m\"\ndeadline = \"60s\"\n"
    )
}

fn row_of<'r>(rows: &'r [Row], technique: &str) -> &'r Row {
    let mut found = rows.iter().filter(|row| row["technique"] == technique);
    found
        .next_back()
        .unwrap_or_else(|| panic!("no row of {technique}"))
}

/// Runs an experiment on two devices. The reference checks every answer.
fn holds(what: [&str; 4], reference: &str, params: &str) {
    let place = Place::new(&experiment(what, reference, params));
    let Some(device) = first_of_two(&place) else {
        return;
    };
    let is_clocked = what[2].contains("ms");
    let what = what.join(" ");
    let run = ["run", "tiny.toml", "--device", &device];
    ended(&mut on(2, &place, &run)).ends(0);
    let rows = place.rows();
    for label in ["one", "two", "all"] {
        let row = row_of(&rows, label);
        assert_eq!(row["status"], "ok", "{what} {label}: {}", row["reason"]);
        let notes = &row["notes"];
        let names = [" #1 (driver ", " + ", " #2 (driver "];
        let is_named =
            notes.starts_with("devices 2: ") && names.iter().all(|it| notes.contains(it));
        assert_eq!(is_named, label != "one", "{what} {label}: {notes}");
    }
    let counted = |label: &str| {
        ["nodes", "leaves", "playouts", "plies"].map(|column| row_of(&rows, label)[column].clone())
    };
    if !is_clocked {
        assert_eq!(counted("two"), counted("all"), "{what}");
    }
}

/// Game, task, case, technique, the reference that the experiment must name, and parameters.
const DIVIDED: &str = "\
checkers | playouts | playouts = 3001 | flat | |
checkers | playouts | playouts = 3001 | flat-refill | |
checkers | playouts | playouts = 500 | lists-8 | |
connect-four | playouts | playouts = 1001 | flat-refill | |
gomoku | playouts | board = \"9x9\", playouts = 301 | flat-refill | |
reversi | playouts | board = \"8x8\", playouts = 1001 | flat-refill | |
annexation | playouts | board = \"hex7\", turns = \"auto\", playouts = 2001 | sliced | |
annexation | playouts | board = \"hex7\", turns = \"auto\", playouts = 2001 | frames-buffer | |
checkers | choose | effort = 2001 | flat-refill | |
annexation | choose | board = \"hex7\", turns = \"auto\", effort = 2001 | sliced | |
checkers | choose | effort = 301 | mcts-block | | groups = 2, group = 1, nodes = 4096
connect-four | choose | effort = 301 | mcts-block | | groups = 2, group = 1, nodes = 4096
checkers | choose | effort = 301 | mcts | mcts-batched-serial | playouts = 5
annexation | choose | board = \"hex7\", turns = \"auto\", effort = 201 | mcts | mcts-batched-serial | playouts = 5
checkers | choose | effort = \"50ms\" | flat | |
checkers | choose | effort = \"50ms\" | mcts-block | | groups = 2, group = 1, nodes = 4096";

/// Tallies, sums and counters must equal those of one device. Choices must equal a host search with as many trees.
#[test]
fn several_devices_answer_as_one_does() {
    for row in DIVIDED.lines() {
        let fields: Vec<&str> = row.split('|').map(str::trim).collect();
        let [game, task, case, technique, reference, params] = fields[..] else {
            panic!("{row}")
        };
        holds(
            [game, task, case, technique],
            reference,
            &params.replace(", ", "\n"),
        );
    }
}

#[test]
fn a_run_goes_on_only_with_the_same_devices_and_says_which_are_there() {
    let text = experiment(["checkers", "playouts", "playouts = 1001", "flat"], "", "");
    let place = Place::new(&text);
    let Some(device) = first_of_two(&place) else {
        return;
    };
    let labels: Vec<String> = listed(&place).into_iter().map(|it| it.label).collect();
    let of_list = "[[technique]]\nname = \"flat\"\nlabel = \"listed\"\ndevices";
    let text = format!("{text}{of_list} = {labels:?}\n");
    std::fs::write(place.path().join("tiny.toml"), text).expect("a file");
    let run = ["run", "tiny.toml", "--device", &device];
    ended(&mut on(2, &place, &run)).ends(0);
    let environment = place.text("environment.toml");
    assert!(environment.contains("[[invocation.beside]]"));
    let notes = &row_of(&place.rows(), "listed")["notes"].clone();
    assert!(notes.starts_with("devices "), "{notes}");
    let samples = place.text("samples.csv");
    ended(&mut on(2, &place, &run)).ends(0);
    assert_eq!(place.text("samples.csv"), samples, "all rows are kept");
    let report = place.text("report.md");
    assert!(!report.contains("its key does not match"), "{report}");
    // On a host with one device, the two techniques have other keys, and there is no second device.
    ended(&mut on(1, &place, &run)).ends(0);
    let rows = place.rows();
    let why = "devices: `2`; this host has 1 of ";
    assert_row(row_of(&rows, "two"), "unsupported", why);
    let notes = &row_of(&rows, "all")["notes"];
    assert!(notes.starts_with("devices 1: "), "{notes}");
}

#[test]
fn a_run_goes_on_with_fewer_and_with_more_devices() {
    let text = "name = \"tiny\"\ngame = \"reversi\"\ntask = \"perft\"\ncases = [{ board = \"4x4\", depth = [2, 3] }]\n\
        [[technique]]\nname = \"pv-split\"\n[sampling]\npasses = 1\nmin-samples = 3\nmax-samples = 4\n";
    for numbers in [[2, 1, 2], [1, 2, 1]] {
        let place = Place::new(text);
        if first_of_two(&place).is_none() {
            return;
        }
        let mut measured = 0;
        for devices in numbers {
            let all: Vec<String> = (0..devices).map(|at| format!("0:{at}")).collect();
            let mut arguments = vec!["run", "tiny.toml", "--strict"];
            arguments.extend(all.iter().flat_map(|it| ["--device", it.as_str()]));
            let ended = ended(&mut on(devices, &place, &arguments));
            ended.ends(0);
            let holds = !ended.out.contains("not measured");
            assert!(holds, "{numbers:?}: {}", ended.out);
            let rows = place.csv("measurements.csv");
            // There are rows for two baselines, and for each device that was ever present.
            measured = measured.max(2 * (2 + devices));
            assert_eq!(rows.len(), measured, "{numbers:?}: {rows:?}");
            let report = place.text("report.md");
            assert!(!report.contains("its key does not match"), "{report}");
        }
    }
}

#[test]
fn measures_damaged_rows_again_and_ends_with_4_if_a_filter_leaves_them_out() {
    let text = "name = \"tiny\"\ngame = \"reversi\"\ntask = \"perft\"\ncases = [{ board = \"4x4\", depth = [2, 3] }]\n\
        [sampling]\npasses = 1\nmin-samples = 3\nmax-samples = 4\n";
    let place = Place::new(text);
    place.on_host("run tiny.toml").ends(0);
    let rows = place.text("measurements.csv");
    let all = place.csv("measurements.csv");
    let row = &all[0];
    let edited = rows.replacen(&row["seal"], "0123456789abcdef", 1);
    assert_ne!(rows, edited);
    std::fs::write(place.file("measurements.csv"), edited).expect("written");
    let name = format!("{} {}", row["case"], row["technique"]);
    assert_eq!(row["case"], "board=4x4 depth=2");

    let other = place.on_host("run tiny.toml --case depth=3");
    other.ends(4).says(&name);
    other.lacks("measured again");
    assert_eq!(place.rows().len(), all.len());

    place
        .on_host("run tiny.toml")
        .ends(0)
        .says("1 row is measured again");
    place.bench("report reports/local/tiny").ends(0);
}

#[test]
fn refuses_other_rules_for_baselines_of_a_device_that_is_not_selected() {
    let place = Place::new(
        "name = \"tiny\"\ngame = \"reversi\"\ntask = \"search\"\ncases = [{ board = \"4x4\", depth = 2 }]\n\
         [[technique]]\nname = \"serial\"\n[[technique]]\nname = \"pv-split\"\n\
         [sampling]\npasses = 1\nmin-samples = 3\nmax-samples = 4\ntarget = 0.001\n",
    );
    if first_of_two(&place).is_none() {
        return;
    }
    let devices = listed(&place).into_iter();
    let numbers = devices.filter(|one| one.platform.contains("Portable Computing"));
    let numbers: Vec<String> = numbers.map(|one| one.numbers()).collect();
    let run = |device: usize, rest: &[&str]| {
        let device = numbers[device].as_str();
        let words = [&["run", "tiny.toml", "--device", device][..], rest].concat();
        ended(&mut on(2, &place, &words))
    };
    run(0, &[]).ends(0);
    let before = place.text("measurements.csv");
    run(1, &["--cell-budget", "20m"])
        .ends(1)
        .says("other sampling rules would replace ");
    assert_eq!(before, place.text("measurements.csv"));
    // With the old rules, both devices keep their samples beside those of the baseline.
    run(1, &[]).ends(0);
    let rows = place.rows();
    let of_devices = rows
        .iter()
        .filter(|row| row["technique"] == "pv-split" && row["status"] == "ok");
    assert_eq!(of_devices.count(), 2);
    let samples = place.csv("samples.csv");
    let of_baseline = samples.iter().filter(|row| row["technique"] == "serial");
    let invocations: HashSet<_> = of_baseline.map(|row| &row["invocation"]).collect();
    assert_eq!(invocations.len(), 2);
}

#[test]
fn refuses_devices_of_what_cannot_be_divided() {
    let case = "board = \"4x4\", depth = 2";
    let text = experiment(["reversi", "search", case, "pv-split"], "", "");
    let place = Place::new(&text);
    let Some(device) = first_of_two(&place) else {
        return;
    };
    let run = ["run", "tiny.toml", "--device", &device];
    let refused = ended(&mut on(2, &place, &run));
    refused.ends(1).says("technique.devices: unknown key");
}
