//! The commands that ask about one position, as a user runs them: `--position` of every game.

use std::process::{Command, Output};

use super::place::text;

fn bench(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bench"));
    let command = command.args(arguments).env("NO_COLOR", "1");
    command.output().expect("the program starts")
}

/// What is printed as JSON, less what a clock says.
fn answer(arguments: &[&str]) -> String {
    let done = bench(&[arguments, &["--json"]].concat());
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    let text = text(&done.stdout);
    let lines = text.lines().filter(|line| !line.contains("time_ns"));
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
    // A board begins with its first square, which is empty in most positions.
    let start = "---------------------------OX------XO--------------------------- X";
    let asked = &["playouts", "reversi", "--count", "20"][..];
    let given = answer(&[asked, &["--position", start]].concat());
    let found = given.replace(r#""form": "board""#, r#""form": "start""#);
    assert_eq!(found, answer(asked));
}

#[test]
fn a_position_is_given_once_and_what_is_wrong_with_it_is_one_line() {
    let asked = ["playouts", "checkers", "--count", "1"];
    for (more, expected) in [
        (
            &["--position", "start", "--case", "position=start"][..],
            "--case position=start: the position is given by --position",
        ),
        (&["--position", "B:W33:B1"], "position: "),
        (&["--case", "position=B:W33:B1"], "position: "),
    ] {
        let refused = bench(&[&asked[..], more].concat());
        assert_eq!(refused.status.code(), Some(1), "{more:?}");
        let said = text(&refused.stderr);
        assert!(said.contains(expected), "{said}");
        assert_eq!(said.trim_end().lines().count(), 1, "{said}");
    }
}
