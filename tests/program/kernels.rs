//! Tests kernels in an experiment's own files.

use std::fs;
use std::path::Path;

use crate::needed::devices;

use super::adapters::{last_technique, of_the_page};
use super::place::{Place, assert_row};
use super::programs::EXPERIMENT;

/// The game and the contract of a starter kernel, and the axes of its case.
type Starter = (&'static str, &'static str, &'static str);

/// The first starters cover every contract once.
const STARTERS: [Starter; 11] = [
    (
        "annexation",
        "playouts",
        "board = \"hex7\"\nturns = \"auto\"\nplayouts = [2000]",
    ),
    ("reversi", "subtrees", "board = \"8x8\"\ndepth = [4]"),
    ("gomoku", "evaluate", "board = \"5x5\"\ndepth = [2]"),
    ("checkers", "perft", "depth = [4]"),
    ("connect-four", "perft", "depth = [5]"),
    ("connect-four", "playouts", "playouts = [10_000]"),
    ("connect-four", "subtrees", "depth = [5]"),
    ("connect-four", "evaluate", "depth = [5]"),
    ("reversi", "evaluate", "board = \"8x8\"\ndepth = [4]"),
    ("gomoku", "subtrees", "board = \"5x5\"\ndepth = [3]"),
    (
        "checkers",
        "playouts",
        "position = \"start\"\nplayouts = [2000]",
    ),
];

#[test]
fn starter_kernels_are_right_and_a_broken_one_shows_its_own_lines() {
    check_starters(&STARTERS[..4]);
}

#[test]
#[ignore = "takes minutes; ./scripts/test --long runs it each week"]
fn long_every_other_starter_kernel_is_right_and_a_broken_one_shows_its_own_lines() {
    check_starters(&STARTERS[4..]);
}

fn check_starters(starters: &[Starter]) {
    let Some(_devices) = devices() else { return };
    let experiment = |game: &str, contract: &str, axes: &str| {
        let task = match contract {
            "subtrees" | "evaluate" => "search",
            contract => contract,
        };
        let own = match (game, contract) {
            ("connect-four", "playouts") => "own-random = true\n",
            _ => "",
        };
        format!(
            "{}\n[[technique]]\nname = \"mine\"\nkernel = \"mine.cl\"\ncontract = \"{contract}\"\n{own}",
            EXPERIMENT
                .replace("connect-four", game)
                .replace("search", task)
                .replace("depth = [3]", axes)
                // On a busy machine, a kernel can take seconds to build.
                .replace("deadline = \"20s\"", "deadline = \"60s\"")
        )
    };
    for &(game, contract, axes) in starters {
        let place = Place::new(&experiment(game, contract, axes));
        place.ends(0, &["new", "kernel", game, contract, "mine.cl"]);
        let mine = || {
            let mut rows = place.rows().into_iter();
            rows.find(|row| row["technique"] == "mine").unwrap()
        };
        let ended = place.bench("run tiny.toml --quick");
        let row = mine();
        assert_row(&row, "ok", "");
        ended.ends(0);
        let by_statistics = row["notes"].contains("checked: statistics");
        let own_random = (game, contract) == ("connect-four", "playouts");
        assert_eq!(by_statistics, own_random, "{}", row["notes"]);

        let file = place.path().join("mine.cl");
        let text = fs::read_to_string(&file).unwrap();
        // Change the result that the kernel writes.
        let other = [
            ("results[item] = ", "results[item] = 16u + "),
            (
                "results[2 * item] = leaves",
                "results[2 * item] = leaves + 1",
            ),
            ("values[item] = ", "values[item] = 1 + "),
        ];
        let other = other
            .iter()
            .fold(text.clone(), |text, (from, to)| text.replace(from, to));
        fs::write(&file, other).unwrap();
        place.bench("run tiny.toml --quick").ends(2);
        // The output must show the error and a command that repeats the question.
        let verified = place.bench("verify --config tiny.toml --fail-fast");
        verified
            .ends(2)
            .prints("the reference")
            .prints("--set kernel=mine.cl");

        fs::write(&file, format!("int nowhere = undefined_word;\n{text}")).unwrap();
        place.ends(3, "run tiny.toml --quick");
        let reason = mine()["reason"].clone();
        let holds = reason.contains("mine.cl:1") && reason.contains("undefined_word");
        assert!(holds, "{reason}");
    }
}

#[test]
fn a_kernel_that_is_edited_during_a_run_fails_its_cell() {
    let Some(_devices) = devices() else { return };
    let place = Place::new(EXPERIMENT);
    place.ends(0, "new kernel connect-four perft mine.cl");
    let perft = "perft connect-four --depth 3 --technique kernel-perft --set kernel=mine.cl --set contract=perft";
    place.bench(perft).ends(0);
    // A run has recorded the hash of an earlier version of the file.
    place
        .bench(&format!("{perft} --set sha256=0123456789abcdef"))
        .ends(1)
        .says("mine.cl: it, or what it includes, was edited after the run began");
}

#[test]
fn the_kernels_page_shows_the_technique_that_is_written_beside_a_kernel() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("docs/KERNELS.md")).unwrap();
    let place = Place::new(EXPERIMENT);
    let new = ["new", "kernel", "connect-four", "perft", "mine.cl"];
    place.ends(0, &new);
    let written = fs::read_to_string(place.path().join("mine.toml")).unwrap();
    assert_eq!(last_technique(&written), of_the_page(&page, "```toml\n"));
    // If one of the two files exists, the command writes neither.
    fs::remove_file(place.path().join("mine.cl")).unwrap();
    let [_, said] = place.ends(1, &new);
    assert!(said.contains("mine.toml: already exists"), "{said}");
    assert!(!place.path().join("mine.cl").exists());
    let Some(_devices) = devices() else { return };
    place.bench("new kernel connect-four perft k.cl");
    place.ends(0, "run k.toml --quick");
}
