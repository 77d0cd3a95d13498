//! Compares our rules with OpenSpiel's, and tests its adapter. The tests need `pip install open_spiel`.

use std::io::{BufWriter, Write};
use std::process::{Command, Stdio};

use plybench::games::checkers::{self, Checkers, Rules};
use plybench::games::{Game, connect_four, gomoku, reversi};
use plybench::random::{below, playout_draw};
use plybench::words::{Params, Value};
use serde_json::{Value as Json, json};

use super::adapters::{Trial, adapter, lacks};

const LINES: u64 = 1_000;
const SEED: u32 = 25;

/// Plays a random line to the end of a game, in the format of `openspiel_lines.py`. Each ply has the names of the legal
/// moves and the move played. The line ends with the first player's result.
fn line<P: ToString, M>(
    number: u64,
    start: P,
    moves: impl Fn(&P) -> Vec<(String, M)>,
    play: impl Fn(&P, &M) -> P,
    first_wins: impl Fn(&P) -> i32,
) -> Json {
    let (mut position, mut plies) = (start, Vec::new());
    loop {
        let legal = moves(&position);
        if legal.is_empty() {
            let end = json!({"position": position.to_string(), "result": first_wins(&position)});
            return json!({"plies": plies, "end": end});
        }
        let word = playout_draw(SEED, number, plies.len() as u32);
        let (played, mv) = &legal[below(word, legal.len() as u32) as usize];
        let names: Vec<_> = legal.iter().map(|(name, _)| name).collect();
        let ply = json!({"position": position.to_string(), "legal": names, "played": played});
        plies.push(ply);
        position = play(&position, mv);
    }
}

fn connect_four_line(number: u64) -> Json {
    use connect_four::{Player, Position};
    line(
        number,
        Position::start(),
        |position| {
            let legal = position.legal_moves().into_iter();
            legal.map(|column| (column.to_string(), column)).collect()
        },
        |position, column| position.play(*column).unwrap(),
        |position| match position.winner {
            Some(Player::First) => 1,
            Some(Player::Second) => -1,
            None => 0,
        },
    )
}

fn reversi_line(number: u64) -> Json {
    use reversi::{Colour, Position, Size};
    line(
        number,
        Position::start(Size::STANDARD),
        |position| {
            let legal = position.legal_moves();
            if legal.is_empty() && !position.is_over() {
                return vec![("pass".to_owned(), None)];
            }
            let named = |square| (position.size.name(square), Some(square));
            legal.into_iter().map(named).collect()
        },
        |position, square| match square {
            Some(square) => position.play(*square).unwrap(),
            None => position.pass(),
        },
        |position| {
            let discs = |colour| position.discs(colour) as i32;
            (discs(Colour::Black) - discs(Colour::White)).signum()
        },
    )
}

fn gomoku_line(number: u64) -> Json {
    use gomoku::{Colour, Position, Size};
    let size = Size::new(15).unwrap();
    line(
        number,
        Position::empty(size),
        |position| {
            // Use the move order of searches, which is also the order of the first moves of playouts.
            let mut legal = position.legal_moves();
            let place = |square: &_| size.order().iter().position(|at| at == square);
            if position.moves().is_empty() {
                legal.sort_by_key(place);
            }
            let named = |square| (size.name(square), square);
            legal.into_iter().map(named).collect()
        },
        |position, square| position.play(*square).unwrap(),
        |position| match (position.has_five(), position.mover()) {
            (false, _) => 0,
            (true, Colour::White) => 1,
            (true, Colour::Black) => -1,
        },
    )
}

/// Returns OpenSpiel's rules of checkers: any capture is legal, and a game without a capture for 40 plies is drawn.
fn its_checkers() -> Checkers {
    let options = [
        ("capture".to_owned(), Value::Text("any".to_owned())),
        ("draw-after".to_owned(), Value::Int(40)),
    ];
    Checkers::new(Rules::new(&Params::from(options)).unwrap())
}

fn checkers_line(number: u64) -> Json {
    use checkers::{Colour, Position};
    let game = its_checkers();
    line(
        number,
        Position::start(),
        |position| {
            let legal = game.legal_moves(position);
            let legal = legal.filter(|_| !game.is_over(position));
            legal.map(|mv| (mv.to_string(), mv)).collect()
        },
        |position, mv| game.play(position, *mv),
        // A player without legal moves loses.
        |position| match (game.legal_moves(position).len(), position.mover) {
            (0, Colour::Black) => -1,
            (0, Colour::White) => 1,
            _ => 0,
        },
    )
}

/// Generates the random line with this number.
type RandomLine = fn(u64) -> Json;

#[test]
#[ignore = "needs OpenSpiel (pip install open_spiel), and takes minutes; ./scripts/test --long runs it, each week and after a change of the adapters"]
fn long_openspiel_plays_lines_of_each_game_by_the_same_rules() {
    if lacks("pyspiel") {
        return;
    }
    let games: [(&str, RandomLine, Json); 4] = [
        ("connect-four", connect_four_line, json!({})),
        ("reversi", reversi_line, json!({})),
        ("gomoku", gomoku_line, json!({"board": "15x15"})),
        ("checkers", checkers_line, json!({})),
    ];
    let mut child = Command::new("python3")
        .arg(adapter("openspiel_lines.py"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut to = BufWriter::new(child.stdin.take().unwrap());
    for (name, line, case) in &games {
        for number in 0..LINES {
            let mut line = line(number);
            line["game"] = json!(name);
            line["case"] = case.clone();
            line["options"] = json!({});
            writeln!(to, "{line}").unwrap();
        }
    }
    drop(to);
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    eprint!("{said}");
    assert!(output.status.success(), "{said}");
    for (name, ..) in games {
        let told = format!("{name}: {LINES} lines, ");
        assert!(said.contains(&told), "no `{told}` in {said}");
    }
}

/// The tasks that the adapter supports: game, task, a case for the test, and options.
const TRIALS: &str = r#"
connect-four | search | depth = [1, 4] |
connect-four | perft | depth = [5] |
connect-four | playouts | playouts = [2000] |
connect-four | choose | effort = "20ms" |
reversi | search | board = "8x8", depth = [1, 4] |
reversi | game | board = "8x8", depth = 2, plies = [0, 4, 7] |
reversi | perft | board = "8x8", depth = [5] |
reversi | playouts | board = "8x8", playouts = [500] |
reversi | choose | board = "8x8", effort = "20ms" |
gomoku | search | board = "9x9", depth = [1, 2] |
gomoku | perft | board = "9x9", depth = [2] |
gomoku | playouts | board = "9x9", playouts = [500] |
gomoku | choose | board = "9x9", effort = "20ms" |
connect-four | search | depth = [4] | two = 7, three = 90
reversi | search | board = "8x8", depth = [4] | mobility = 3
gomoku | game | board = "6x6", depth = 2, plies = [0, 6, 12] | shapes = [70000, 6001, 5003, 502, 43, 4]
checkers | perft | depth = [6], rules = "options" | capture = "any"
checkers | playouts | position = "start", rules = "options", playouts = [500] | capture = "any", draw-after = 40
checkers | choose | position = "start", rules = "options", effort = [100] | capture = "any", draw-after = 40
"#;

#[test]
#[ignore = "needs OpenSpiel (pip install open_spiel), and takes minutes; ./scripts/test --long runs it, each week and after a change of the adapters"]
fn long_openspiels_answers_are_right_in_every_task() {
    if lacks("pyspiel") {
        return;
    }
    let file = adapter("openspiel.py");
    for row in TRIALS.trim().lines() {
        let [game, task, case, options] = row.split('|').map(str::trim).collect::<Vec<_>>()[..]
        else {
            panic!("{row}")
        };
        let trial = Trial {
            options,
            ..Trial::new(game, task, case)
        };
        trial.is_right(&["python3", file.to_str().unwrap()]);
    }
}

#[test]
#[ignore = "needs OpenSpiel (pip install open_spiel), and takes minutes; ./scripts/test --long runs it, each week and after a change of the adapters"]
fn long_openspiel_declines_rules_that_are_not_its_own() {
    if lacks("pyspiel") {
        return;
    }
    let case = "position = \"start\", rules = \"any-80\", playouts = [100]";
    let file = adapter("openspiel.py");
    let (rows, ended) = Trial::new("checkers", "playouts", case).run(&format!(
        r#"
[[technique]]
name = "same"
command = ["python3", {file:?}]
own-random = true

[[technique]]
name = "other"
command = ["python3", {file:?}, "--other-rules"]
rules-differ = "a draw after 40 plies"
"#
    ));
    let row = |label: &str| rows.iter().find(|row| row["technique"] == label).unwrap();
    assert_eq!(row("same")["status"], "unsupported", "{}", ended.said);
    let reason = &row("same")["reason"];
    assert!(reason.contains("draw-after = 40"), "{reason}");
    assert_eq!(row("other")["status"], "ok", "{}", ended.said);
    let notes = &row("other")["notes"];
    let part = "rules differ: a draw after 40 plies";
    assert!(notes.contains(part), "{notes}");
}
