//! Tests the commands that answer a question about one position, with `--position` for every game.

use super::place::Place;

/// Returns the JSON output without its times.
fn answer(arguments: &[&str]) -> String {
    let [out, _] = Place::new("").ends(0, &[arguments, &["--json"]].concat());
    let lines = out.lines().filter(|line| !line.contains("time_ns"));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn the_start_can_be_named_in_every_game() {
    for asked in [
        "search reversi --depth 2 --technique serial",
        "search gomoku --depth 2 --technique serial",
        "search connect-four --depth 3 --technique serial",
        "playouts checkers --count 20",
        "choose checkers --effort 20 --technique mcts-serial",
        "perft checkers --depth 3",
        "playouts annexation --count 20",
    ] {
        let asked = &asked.split(' ').collect::<Vec<_>>()[..];
        let named = answer(&[asked, &["--position", "start"]].concat());
        assert_eq!(named, answer(asked), "{asked:?}");
    }
    // The board starts with its first square, which is empty in most positions.
    let start = "---------------------------OX------XO--------------------------- X";
    let asked = &["playouts", "reversi", "--count", "20"][..];
    let given = answer(&[asked, &["--position", start]].concat());
    let found = given.replace(r#""form": "board""#, r#""form": "start""#);
    assert_eq!(found, answer(asked));
}
