//! Compares Connect Four's kernels on a real device (usually pocl) with the host's rules and searches.

use super::{Ask, held, params, searched};
use plybench::games::connect_four::{Bits, Evaluation, Order, Position};
use plybench::opencl::Device;
use plybench::search::{Forced, minimax, move_set_bests, move_set_sums};
use plybench::techniques::hard::Draw;
use plybench::words::{Params, Searched, Task};

/// Returns a position after `plies` random plies, or the end of the game if it comes first.
pub(super) fn random_position(plies: usize, draw: &mut Draw) -> Position {
    let mut position = Position::start();
    for _ in 0..plies {
        let legal = position.legal_moves();
        if legal.is_empty() {
            break;
        }
        position = position.play(legal[draw.below(legal.len())]).unwrap();
    }
    position
}

/// A full board without four in a row.
pub(super) const DRAWN: &str = "256426457127755361771411454217542236336633";

/// Returns positions near the start, in the middle, and near the end, where columns are full and move sets win. Also
/// returns the positions in the last plies of a drawn game.
fn positions(draw: &mut Draw) -> Vec<Position> {
    let mut positions: Vec<_> = [0, 3, 8, 14, 20, 26, 30, 34, 36]
        .into_iter()
        .map(|plies| random_position(plies, draw))
        .collect();
    let drawn = [33, 37, 39, 41, 42].map(|plies| Position::parse(&DRAWN[..plies]).unwrap());
    positions.extend(drawn);
    positions
}

/// Returns evaluation options that have a different value for each square.
fn uneven() -> Params {
    let row = |y: i64| (0..7).map(|x| 100 * y + 13 * x).collect();
    let rows: Vec<Vec<i64>> = (0..6).map(row).collect();
    let squares = serde_json::to_string(&rows).unwrap();
    params(&format!("squares={squares} two=17 three=3"))
}

fn ask<'a>(name: &'a str, depth: u32, given: &str, options: &Params) -> Ask<'a> {
    Ask {
        options: options.clone(),
        params: params(given),
        ..Ask::new(
            "connect-four",
            name,
            Task::Game,
            &format!("stage=average depth={depth}"),
        )
    }
}

/// Compares a technique's answers with the expected answers.
fn hold(
    device: &Device,
    (name, given): (&str, &str),
    depth: u32,
    options: &Params,
    positions: &[Position],
    expected: impl Fn(&Bits, &Position) -> Searched,
) {
    let evaluation = Evaluation::new(options).unwrap();
    let order = if name == "root-split" {
        Order::CentreFirst
    } else {
        Order::FromTheLeft
    };
    let game = Bits::new(&evaluation, order);
    let mut sampler = ask(name, depth, given, options).ready(device);
    for position in positions {
        let found = sampler.reply(&position.to_string()).unwrap().searched;
        let mut expected = expected(&game, position);
        // If the mover can win immediately, no set can be better, so the technique plays no sets.
        let wins = game.winning_column(&game.load(position)).is_some();
        if name == "move-sets-optimistic" && wins {
            expected.by_move.clear();
        }
        let about = format!("{name} {given} depth {depth}: {position}");
        assert_eq!(found, Some(expected), "{about}");
    }
}

/// Chooses by the sums of the move sets, unless a move is forced.
fn by_sums(game: &Bits, position: &Position, depth: u32) -> Searched {
    let board = game.load(position);
    if let Some(forced) = Forced::at(game, &board) {
        let choice = forced.choice();
        return Searched {
            value: choice.value,
            best: choice.best.map(|column| column.to_string()),
            by_move: Vec::new(),
        };
    }
    let (sums, _) = move_set_sums(game, &board, depth);
    let legal = position.legal_moves().into_iter();
    of_moves(legal.map(|column| (column.to_string(), sums[column.index()])))
}

/// Chooses by the best move sets.
fn by_bests(game: &Bits, position: &Position, depth: u32) -> Searched {
    let (bests, _) = move_set_bests(game, &game.load(position), depth);
    let legal = position.legal_moves().into_iter();
    of_moves(legal.map(|column| (column.to_string(), bests[column.index()].unwrap().into())))
}

/// Chooses the first move with the largest value.
fn of_moves(moves: impl Iterator<Item = (String, i64)>) -> Searched {
    let mut found = Searched {
        value: 0,
        best: None,
        by_move: Vec::new(),
    };
    for (name, value) in moves {
        if found.best.is_none() || value > found.value {
            (found.value, found.best) = (value, Some(name));
        }
        found.by_move.push(value);
    }
    found
}

#[test]
fn sums_are_those_of_the_tree_at_every_depth() {
    let Some(device) = held() else { return };
    let mut draw = Draw(1);
    let (none, other) = (Params::new(), uneven());
    for depth in 1..=6 {
        let options = if depth % 2 == 1 { &other } else { &none };
        let positions = positions(&mut draw);
        for name in ["move-sets", "move-sets-bitboard", "move-sets-even"] {
            let expected = |game: &Bits, position: &Position| by_sums(game, position, depth);
            hold(&device, (name, ""), depth, options, &positions, expected);
        }
        let name = "move-sets-optimistic";
        let expected = |game: &Bits, position: &Position| by_bests(game, position, depth);
        hold(&device, (name, ""), depth, options, &positions, expected);
    }
}

/// Covers large groups, and grids in which each work-item enumerates several moves.
#[test]
fn sums_do_not_depend_on_the_layout() {
    let Some(device) = held() else { return };
    let mut draw = Draw(2);
    let none = Params::new();
    let large = "group=49x7 grid=2401x2401";
    for depth in [2, 4, 5] {
        let positions = positions(&mut draw);
        let expected = |game: &Bits, position: &Position| by_sums(game, position, depth);
        for name in ["move-sets", "move-sets-bitboard"] {
            hold(&device, (name, large), depth, &none, &positions, expected);
        }
        for items in [1, 5, 64] {
            let group = format!("group={items}");
            hold(
                &device,
                ("move-sets-even", &group),
                depth,
                &none,
                &positions,
                expected,
            );
        }
        let expected = |game: &Bits, position: &Position| by_bests(game, position, depth);
        let asked = ("move-sets-optimistic", large);
        hold(&device, asked, depth, &none, &positions, expected);
    }
    // Search nine plies, because the published grid covers only eight.
    let nearly_full = [Position::parse(&DRAWN[..30]).unwrap()];
    let expected = |game: &Bits, position: &Position| by_sums(game, position, 9);
    let asked = ("move-sets-bitboard", "");
    hold(&device, asked, 9, &none, &nearly_full, expected);
}

#[test]
fn root_split_finds_what_minimax_does() {
    let Some(device) = held() else { return };
    let mut draw = Draw(3);
    let (none, other) = (Params::new(), uneven());
    for (depth, split) in [
        (2, ""),
        (3, "split=1"),
        (4, "split=2"),
        (5, "split=1"),
        (6, ""),
        (7, "split=5"),
    ] {
        let options = if depth % 2 == 1 { &other } else { &none };
        let positions = positions(&mut draw);
        let expected = |game: &Bits, position: &Position| {
            let found = minimax(game, &game.load(position), depth);
            Searched {
                value: found.value,
                best: found.best.map(|column| column.to_string()),
                by_move: Vec::new(),
            }
        };
        let asked = ("root-split", split);
        hold(&device, asked, depth, options, &positions, expected);
    }
}

#[test]
fn a_game_says_the_same_every_time_and_a_forced_move_costs_no_launch() {
    let Some(device) = held() else { return };
    let none = Params::new();
    for (name, reference) in [
        ("move-sets", "move-sets-serial"),
        ("move-sets-bitboard", "move-sets-serial"),
        ("move-sets-even", "move-sets-serial"),
        ("move-sets-optimistic", "move-sets-optimistic-serial"),
    ] {
        let mut found = ask(name, 5, "", &none).ready(&device);
        let expected = found.sample().unwrap();
        let reference = ask(reference, 5, "", &none).sample(&device).0;
        assert_eq!(expected.0, reference, "{name}");
        let launches = found.telemetry().parts.launches;
        assert_eq!(found.sample().unwrap(), expected, "{name}");
        assert_eq!(found.telemetry().parts.launches, launches);
        assert!(found.telemetry().build_ns > 0 && found.telemetry().notes.contains("built with"));
        // Forced moves need no launches.
        let answers = searched(expected.0);
        let made = answers.iter().filter(|one| !one.by_move.is_empty()).count() as u64;
        let each = if name == "move-sets-even" { 1 } else { 2 };
        assert_eq!(launches, each * made, "{name}");
    }
    for name in ["move-sets", "move-sets-bitboard", "move-sets-even"] {
        let mut sampler = ask(name, 5, "", &none).ready(&device);
        let last = sampler.reply(&DRAWN[..41]).unwrap();
        assert_eq!(last.best.as_deref(), Some("3"), "{name}");
        assert_eq!(sampler.telemetry().parts.launches, 0, "{name}");
    }
}
