//! Tests modified kernels that give wrong answers. Each of their cells must be a mismatch, and the exit code must be 2.

use super::place::{Place, changed, ended, replace};
use crate::needed::devices;

fn of(experiment: &str) -> Place {
    Place::new(&format!(
        "name = \"tiny\"\ntitle = \"Truth\"\n{experiment}\n[sampling]\npasses = 1\nmin-samples = 3\n\
         max-samples = 4\n[budget]\ncell = \"5s\"\ntotal = \"2m\"\ndeadline = \"30s\"\n"
    ))
}

/// Edits a file in a copy of the kernels.
fn edit(place: &Place, file: &str, from: &str, to: &str) {
    let kernels = place.path().join("cl");
    match kernels.exists() {
        true => replace(&kernels.join(file), from, to),
        false => changed(&kernels, file, from, to),
    }
}

/// Runs the experiment. Returns the exit code, and each cell's technique, case, status and reason.
fn run(place: &Place) -> (Option<i32>, Vec<[String; 4]>) {
    let mut command = place.command("run tiny.toml --fresh");
    if place.path().join("cl").exists() {
        command.args(["--kernels", "cl"]);
    }
    let ended = ended(&mut command);
    assert!(place.file("measurements.csv").exists(), "{}", ended.said);
    let rows = place.csv("measurements.csv").into_iter();
    let rows = rows.map(|row| ["technique", "case", "status", "reason"].map(|it| row[it].clone()));
    (ended.code, rows.collect())
}

/// Fails unless all cells of the technique are mismatches with this reason, and all other cells are ok.
fn assert_wrong(place: &Place, technique: &str, says: &str) {
    let (code, rows) = run(place);
    assert!(rows.iter().any(|row| row[0] == technique), "{rows:?}");
    for [name, case, status, reason] in &rows {
        let expected = if name == technique { "mismatch" } else { "ok" };
        assert_eq!(status, expected, "{name} {case}: {reason}");
        let holds = name != technique || reason.contains(says);
        assert!(holds, "{name} {case}: {reason}");
    }
    assert_eq!(code, Some(2));
}

fn assert_right(place: &Place) {
    let (code, rows) = run(place);
    for [name, case, status, reason] in &rows {
        assert_eq!(status, "ok", "{name} {case}: {reason}");
    }
    assert_eq!(code, Some(0), "{rows:?}");
}

fn choices(technique: &str, efforts: &str) -> Place {
    of(&format!(
        "game = \"checkers\"\ntask = \"choose\"\n[options]\ncapture = \"any\"\ndraw-after = 80\n\
         [[cases]]\nposition = [\"start\", \"W:W16,19,21,22,23,27,30:B1,2,6,7,9,12,14\"]\n\
         effort = {efforts}\n[[technique]]\nname = \"serial\"\n{technique}"
    ))
}

const BLOCK: &str = "[[technique]]\nname = \"mcts-block\"\ngroups = 3\nnodes = 4096\n";
const FLAT: &str = "[[technique]]\nname = \"flat\"\n";

const BLOCK_KERNEL: &str = "checkers/mcts_block.cl";
const DRAWN: &str = "games->drawn = games->quiet >= (uint)DRAW_AFTER;";

/// Covers kernels that count a playout several times, count wins as losses, or count plies that were not played.
#[test]
fn wrong_playouts_are_a_mismatch() {
    let Some(_devices) = devices() else { return };
    let (visits, plies) = (
        "visits of its moves [",
        "plies; mcts-block-rayon counts 603 nodes, 600 ",
    );
    let one = (
        BLOCK_KERNEL,
        "ending.of[lane];\n        *plies",
        "ending.of[0];\n        *plies",
    );
    let its_plies = (
        BLOCK_KERNEL,
        "*plies += length.of[lane]",
        "*plies += length.of[0]",
    );
    let lost = (
        BLOCK_KERNEL,
        "*points += LOST - ending.of[lane]",
        "*points += ending.of[lane]",
    );
    let half = (
        "common/mcts_block.clh",
        "plies += sums.plies;",
        "plies += sums.plies / 2u;",
    );
    let short = (
        "checkers/games.clh",
        DRAWN,
        "games->drawn = games->quiet >= 6u;",
    );
    assert_right(&choices(BLOCK, "[600, \"20ms\"]"));
    // With an iteration limit, the answers are correct. With a time limit, launches are longer and games end too early.
    let early = (
        "checkers/games.clh",
        DRAWN,
        "games->drawn = games->quiet >= (games->playout > 2000u ? WORDS(6u) : WORDS(DRAW_AFTER));",
    );
    for (technique, efforts, edits, says) in [
        (BLOCK, "[600, \"20ms\"]", &[one, its_plies][..], visits),
        (BLOCK, "[600]", &[lost], visits),
        (BLOCK, "[600]", &[half], plies),
        (BLOCK, "[\"20ms\"]", &[short], "at position="),
        (FLAT, "[\"20ms\"]", &[short], "at position="),
        (FLAT, "[\"100ms\"]", &[early], "its playouts average "),
    ] {
        let place = choices(technique, efforts);
        for (file, from, to) in edits {
            edit(&place, file, from, to);
        }
        let name = if technique == FLAT {
            "flat"
        } else {
            "mcts-block"
        };
        assert_wrong(&place, name, says);
    }
}

/// If an error appears only after more iterations than the check plays, the cell with a time limit is still a mismatch.
#[test]
fn what_is_wrong_by_iterations_is_wrong_under_the_clock() {
    let Some(_devices) = devices() else { return };
    let place = choices(BLOCK, "[\"20ms\", 9000]");
    edit(
        &place,
        "checkers/mcts_block.cl",
        "*points += LOST - ending.of[lane]",
        "*points += game / ITEMS > 5000u ? ending.of[lane] : LOST - ending.of[lane]",
    );
    let (code, rows) = run(&place);
    for [name, case, status, reason] in &rows {
        let expected = match name.as_str() {
            "mcts-block" => "mismatch",
            _ => "ok",
        };
        assert_eq!(status, expected, "{name} {case}: {reason}");
    }
    let of = |row: &&[String; 4]| row[0] == "mcts-block" && row[1].contains("effort=20ms");
    let row = rows.iter().find(of).unwrap();
    let holds = row[3].starts_with("its answers by iterations are wrong in this run");
    assert!(holds, "{}", row[3]);
    assert_eq!(code, Some(2));
}

/// A technique that chooses within a time limit must prove that it is correct before it plays a match.
#[test]
fn a_match_is_not_played_by_a_technique_that_is_wrong() {
    let Some(_devices) = devices() else { return };
    let place = of(
        "game = \"checkers\"\ntask = \"match\"\n[options]\ncapture = \"any\"\ndraw-after = 10\n\
         [[cases]]\neffort = [\"2ms\"]\n[[technique]]\nname = \"serial\"\nopponent = \"none\"\n\
         [[technique]]\nname = \"flat\"\nopponent = \"serial\"\n",
    );
    edit(
        &place,
        "checkers/games.clh",
        DRAWN,
        "games->drawn = games->quiet >= 6u;",
    );
    let (code, rows) = run(&place);
    let row = rows.iter().find(|row| row[0] == "flat").unwrap();
    assert_eq!(row[2], "mismatch", "{}", row[3]);
    assert_eq!(code, Some(2), "{rows:?}");
}

/// The technique that visits the same nodes is in the experiment, or runs separately as a check.
#[test]
fn nodes_that_the_search_did_not_enter_are_a_mismatch() {
    let Some(_devices) = devices() else { return };
    for (asked, technique, (file, from, to), says) in [
        (
            "game = \"reversi\"\ntask = \"game\"\n[[cases]]\nboard = [\"4x4\"]\ndepth = [2, 4]\n",
            "pv-split",
            (
                "reversi/pv_split.cl",
                "PUT_SEARCHED(outcome, best, nodes,",
                "PUT_SEARCHED(outcome, best, nodes * 5,",
            ),
            "; rayon counts ",
        ),
        (
            "game = \"connect-four\"\ntask = \"search\"\n[[cases]]\ndepth = [4, 5]\n",
            "root-split",
            (
                "connect_four/root_split.cl",
                "PUT_SEARCHED(outcome, node.best, nodes,",
                "PUT_SEARCHED(outcome, node.best, nodes + 1,",
            ),
            "; serial-minimax counts ",
        ),
    ] {
        let techniques =
            ["serial", technique].map(|name| format!("[[technique]]\nname = \"{name}\"\n"));
        let place = of(&format!("{asked}{}", techniques.concat()));
        assert_right(&place);
        edit(&place, file, from, to);
        assert_wrong(&place, technique, says);
    }
}
