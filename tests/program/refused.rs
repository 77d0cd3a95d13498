//! Tests inputs that the program once accepted or handled badly. One line must name the fault and the allowed values.

use std::process::Output;

use super::place::{Place, text};

const EXPERIMENT: &str = r#"
name = "tiny"
game = "checkers"
task = "playouts"

[[cases]]
playouts = [64]

[[technique]]
name = "serial"
"#;

fn bench(experiment: &str, line: &str) -> Output {
    let place = Place::new(experiment);
    let arguments: Vec<&str> = line.split(' ').collect();
    place.host_command(&arguments).output().unwrap()
}

fn refusal(experiment: &str) -> String {
    let output = bench(experiment, "run --dry-run tiny.toml");
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert_eq!(said.trim_end().lines().count(), 1, "{said}");
    said
}

/// Returns `count` techniques with the same name and different labels.
fn labels(count: u32) -> String {
    let technique =
        |number| format!("[[technique]]\nname = \"serial\"\nlabel = \"serial-{number}\"\n");
    (0..count).map(technique).collect()
}

#[test]
fn refuses_plans_that_are_too_large_and_what_means_nothing() {
    // Twelve labels and two baselines make 14 techniques. With 7,143 cases, there are too many cells.
    let cases: Vec<u32> = (1..=7_143).collect();
    let cases = EXPERIMENT.replace("[64]", &format!("{cases:?}"));
    let kernel = "[[technique]]\nname = \"mine\"\nkernel = \"k.cl\"\ncontract = \"playouts\"\n";
    let kernel = |parameter: &str| format!("{EXPERIMENT}{kernel}{parameter}\n");
    for (experiment, why) in [
        (
            cases + &labels(12),
            "technique: 100002 cells (cases times techniques); at most 100000 are allowed",
        ),
        (
            format!("{EXPERIMENT}[[technique]]\nname = \"flat\"\nonly = {{ playouts = [] }}\n"),
            "only.playouts: empty; give at least one value",
        ),
        (
            kernel("rules-differ = \"\""),
            "technique.rules-differ: ``; allowed is a line",
        ),
        (kernel("rules-differ = \"a\\u001bb\""), "allowed is a line"),
        (
            kernel("defines = [\"GROUP=1\"]"),
            "other than GROUP and LEVELS",
        ),
        (kernel("defines = [\"A=1\", \"A=2\"]"), "distinct names"),
    ] {
        let said = refusal(&experiment);
        assert!(said.contains(why), "{said}");
    }
}

/// An exit code, arguments, and the error line with the allowed values.
const UNKNOWN: &str = "\
1 | search chess --depth 4 -t serial | chess: no such game; allowed: reversi, gomoku
1 | search reversi --depth 4 -t fast | --technique fast: allowed: serial-as-published, serial
1 | search checkers --depth 3 -t flat | --technique flat: cannot do search; allowed: serial, serial-table
1 | search reversi --depth 4 -t serial --set mobilty=1 | no key `mobilty`; allowed: weights, mobility
1 | search reversi --depth 4 -t serial --set mobility | --set mobility: KEY=VALUE is wanted
1 | perft reversi --depth 4 --case board=9x9 | board: `9x9`; allowed is WIDTHxHEIGHT
1 | perft reversi --depth 4 --case bord=8x8 | no axis `bord`; allowed: board
1 | verify --game chess | --game chess: allowed: reversi, gomoku
1 | verify --technique ^rayon$ | --technique: matches none of those with kernels; allowed: pv-split
1 | perft reversi --depth=3 -c=board=6x6 -c=board=8x8 | --case board=8x8: the board is given twice
1 | perft reversi --depth=3 -c=board=6x6 -c=board=x | --case board=x: the board is given twice
1 | playouts checkers --count 1 --position start --case position=start | --case position=start: the position is given by --position
1 | playouts checkers --count 1 --position B:W33:B1 | position: 
1 | playouts checkers --count 1 --case position=B:W33:B1 | position: 
4 | run tiny.toml --kernels absent | kernel folder absent:
4 | run tiny.toml --kernels . | kernel folder .: contains no kernel of this program, such as
4 | report absent | absent/environment.toml: cannot be read: ";

#[test]
fn what_is_not_known_is_refused_with_what_is_allowed_and_nothing_is_written() {
    let place = Place::new(EXPERIMENT);
    let run = |arguments: &str| {
        let arguments: Vec<&str> = arguments.split(' ').collect();
        let output = place.host_command(&arguments).output().unwrap();
        let is_written = place.path().join("reports").exists();
        assert!(!is_written, "{arguments:?}");
        (output.status.code(), text(&output.stderr))
    };
    for row in UNKNOWN.lines() {
        let [exit, arguments, why] = row.split(" | ").collect::<Vec<_>>()[..] else {
            panic!("{row}")
        };
        let (code, said) = run(arguments);
        assert_eq!(code, exit.parse().ok(), "{row}: {said}");
        let is_one = said.trim_end().lines().count() == 1 && said.matches("os error").count() < 2;
        assert!(is_one && said.contains(why), "{row}: {said}");
    }
    assert_eq!(run("run tiny.toml --dry-run").0, Some(0));
}

/// If only one program is compared, an option for two programs has no effect, so it is refused.
#[test]
fn options_of_two_programs_are_refused_without_them() {
    for option in
        "device cpu;passes 3;budget 5s;cell-budget 5s;threads 2;out x;shared;launch-limit 20ms"
            .split(';')
    {
        let output = bench(EXPERIMENT, &format!("compare a b --{option}"));
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{option}: {said}");
        assert!(said.contains("cannot be used with"), "{option}: {said}");
    }
}

/// Messages shorten user input and remove its control characters.
#[test]
fn names_are_told_back_short_and_plain() {
    let name = format!("\u{1b}[31m{}", "x".repeat(100_000));
    let file = EXPERIMENT.replace("name = \"serial\"", &format!("name = {name:?}"));
    let key = format!("{EXPERIMENT}\n[{name:?}]\n").replace("\\u{1b}", "\\u001b");
    let file = file.replace("\\u{1b}", "\\u001b");
    for (experiment, line) in [
        (EXPERIMENT, format!("run --dry-run {name}")),
        (EXPERIMENT, format!("run tiny.toml --technique {name}")),
        (EXPERIMENT, format!("run tiny.toml {name} --no-such")),
        (&file, "run --dry-run tiny.toml".to_owned()),
        (&key, "run --dry-run tiny.toml".to_owned()),
    ] {
        let output = bench(experiment, &line);
        let said = text(&output.stderr);
        assert!(matches!(output.status.code(), Some(1 | 4)), "{said:.300}");
        assert!(said.len() < 10_000, "{} bytes: {said:.300}", said.len());
        assert!(!said.contains('\u{1b}'), "{said:.300}");
    }
}

/// If messages cannot be written, the exit code stays the same.
#[cfg(target_os = "linux")]
#[test]
fn a_stderr_that_is_full_ends_nothing() {
    let full = || {
        std::fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap()
    };
    let place = Place::new(EXPERIMENT);
    for (arguments, code) in [
        (&["run", "tiny.toml", "--quick"][..], 0),
        (&["run", "nowhere.toml"], 4),
        (&["run"], 1),
    ] {
        let status = place
            .host_command(arguments)
            .stdout(std::process::Stdio::null())
            .stderr(full())
            .status()
            .unwrap();
        assert_eq!(status.code(), Some(code), "{arguments:?}");
    }
}
