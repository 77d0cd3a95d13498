//! Connect Four's kernels against the rules and searches of the host, on a real device: pocl's on most machines.

use super::{held, setup};
use plybench::games::connect_four::{Bits, Evaluation, Order, Position};
use plybench::opencl::Device;
use plybench::search::{Forced, minimax, move_set_bests, move_set_sums};
use plybench::techniques::hard::Draw;
use plybench::techniques::{Sampler, Setup, registry};
use plybench::words::{Answer, Case, Counters, Fault, Params, Searched, Task, Value};

/// A position of a random game after this number of plies, or the game's end if it comes first.
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

/// Positions near the start, in the middle and near the end, where columns are full and sets win, and
/// the last plies before a board that is full.
fn positions(draw: &mut Draw) -> Vec<Position> {
    let mut positions: Vec<_> = [0, 3, 8, 14, 20, 26, 30, 34, 36]
        .into_iter()
        .map(|plies| random_position(plies, draw))
        .collect();
    let drawn = [33, 37, 39, 41, 42].map(|plies| Position::parse(&DRAWN[..plies]).unwrap());
    positions.extend(drawn);
    positions
}

fn text(key: &str, value: &str) -> (String, Value) {
    (key.to_owned(), Value::Text(value.to_owned()))
}

/// Every square has a worth of its own.
fn uneven() -> Params {
    let row = |y: i64| Value::List((0..7).map(|x| Value::Int(100 * y + 13 * x)).collect());
    Params::from([
        ("squares".to_owned(), Value::List((0..6).map(row).collect())),
        ("two".to_owned(), Value::Int(17)),
        ("three".to_owned(), Value::Int(3)),
    ])
}

/// A technique made ready for a depth.
fn sampler(
    device: &Device,
    name: &str,
    depth: u32,
    options: &Params,
    params: &Params,
) -> Result<Box<dyn Sampler>, Fault> {
    let case = Case::parse(&format!("stage=average depth={depth}")).unwrap();
    let technique = registry::find("connect-four", name).unwrap();
    (technique.prepare)(&Setup {
        options,
        params,
        ..setup(Task::Game, &case, Some(device))
    })
}

/// Searches positions with a technique, and holds the answers against what the host finds.
fn hold(
    device: &Device,
    (name, params): (&str, &Params),
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
    let mut sampler = sampler(device, name, depth, options, params).unwrap();
    for position in positions {
        let found = sampler
            .reply(&position.to_string())
            .unwrap()
            .searched
            .unwrap();
        let mut expected = expected(&game, position);
        // Where the mover wins at once no set ends better, and none is played.
        let wins = game.winning_column(&game.load(position)).is_some();
        if name == "move-sets-optimistic" && wins {
            expected.by_move.clear();
        }
        assert_eq!(
            found, expected,
            "{name} {params:?} depth {depth}: {position}"
        );
    }
}

/// What the sums of a position's move sets say, if nothing is forced.
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

/// What the best sets of a position say.
fn by_bests(game: &Bits, position: &Position, depth: u32) -> Searched {
    let (bests, _) = move_set_bests(game, &game.load(position), depth);
    let legal = position.legal_moves().into_iter();
    of_moves(legal.map(|column| (column.to_string(), bests[column.index()].unwrap().into())))
}

/// The first move with the largest value.
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
    let none = Params::new();
    let other = uneven();
    for depth in 1..=6 {
        let options = if depth % 2 == 1 { &other } else { &none };
        let positions = positions(&mut draw);
        for name in ["move-sets", "move-sets-bitboard", "move-sets-even"] {
            let expected = |game: &Bits, position: &Position| by_sums(game, position, depth);
            hold(&device, (name, &none), depth, options, &positions, expected);
        }
        let name = "move-sets-optimistic";
        let expected = |game: &Bits, position: &Position| by_bests(game, position, depth);
        hold(&device, (name, &none), depth, options, &positions, expected);
    }
}

/// Larger groups, and grids that leave moves to the work-items.
#[test]
fn sums_do_not_depend_on_the_layout() {
    let Some(device) = held() else { return };
    let mut draw = Draw(2);
    let none = Params::new();
    let large = Params::from([text("group", "49x7"), text("grid", "2401x2401")]);
    let group = |items| Params::from([("group".to_owned(), Value::Int(items))]);
    for depth in [2, 4, 5] {
        let positions = positions(&mut draw);
        let expected = |game: &Bits, position: &Position| by_sums(game, position, depth);
        for name in ["move-sets", "move-sets-bitboard"] {
            hold(&device, (name, &large), depth, &none, &positions, expected);
        }
        for items in [1, 5, 64] {
            let asked = ("move-sets-even", &group(items));
            hold(&device, asked, depth, &none, &positions, expected);
        }
        let expected = |game: &Bits, position: &Position| by_bests(game, position, depth);
        let asked = ("move-sets-optimistic", &large);
        hold(&device, asked, depth, &none, &positions, expected);
    }
    // Nine plies: the published grid has places for eight.
    let nearly_full = [Position::parse(&DRAWN[..30]).unwrap()];
    let expected = |game: &Bits, position: &Position| by_sums(game, position, 9);
    let asked = ("move-sets-bitboard", &none);
    hold(&device, asked, 9, &none, &nearly_full, expected);
}

#[test]
fn root_split_finds_and_counts_what_minimax_does() {
    let Some(device) = held() else { return };
    let mut draw = Draw(3);
    let none = Params::new();
    let other = uneven();
    for (depth, split) in [
        (2, None),
        (3, Some(1)),
        (4, Some(2)),
        (5, Some(1)),
        (6, None),
        (7, Some(5)),
    ] {
        let split = split.map(|split| ("split".to_owned(), Value::Int(split)));
        let params: Params = split.into_iter().collect();
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
        let asked = ("root-split", &params);
        hold(&device, asked, depth, options, &positions, expected);
    }
    let whole = |name| {
        let mut sampler = sampler(&device, name, 6, &none, &none).unwrap();
        sampler.sample().unwrap()
    };
    assert_eq!(whole("root-split"), whole("serial-minimax"));
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
        let ready = |name| sampler(&device, name, 5, &none, &none).unwrap();
        let mut found = ready(name);
        let (answer, counters) = found.sample().unwrap();
        assert_eq!(answer, ready(reference).sample().unwrap().0, "{name}");
        let launches = found.telemetry().parts.launches;
        let expected = (answer.clone(), counters);
        assert_eq!(found.sample().unwrap(), expected, "{name}");
        assert_eq!(found.telemetry().parts.launches, launches);
        assert!(found.telemetry().build_ns > 0 && found.telemetry().notes.contains("built with"));
        let Answer::Searched(answers) = answer else {
            panic!("{answer:?}");
        };
        // Only where the sums were made are there any.
        let searched = answers.iter().filter(|one| !one.by_move.is_empty()).count() as u64;
        let each = if name == "move-sets-even" { 1 } else { 2 };
        assert_eq!(launches, each * searched, "{name}");
    }
    for name in ["move-sets", "move-sets-bitboard", "move-sets-even"] {
        let mut sampler = sampler(&device, name, 5, &none, &none).unwrap();
        let last = sampler.reply(&DRAWN[..41]).unwrap();
        assert_eq!(last.best.as_deref(), Some("3"), "{name}");
        assert_eq!(sampler.telemetry().parts.launches, 0, "{name}");
    }
}

/// The published program does all of its work for a move that is forced, or the only one left.
#[test]
fn the_published_program_ends_nothing_early() {
    let Some(device) = held() else { return };
    let none = Params::new();
    let name = "move-sets-as-published";
    let mut published = sampler(&device, name, 5, &none, &none).unwrap();
    // A win, a block that the sums would not choose alone, and the only column left.
    for (position, best) in [("717171", "7"), ("71717", "7"), (&DRAWN[..41], "3")] {
        let found = published.reply(position).unwrap();
        assert_eq!(found.best.as_deref(), Some(best), "{position}");
        let searched = found.searched.unwrap();
        assert!(!searched.by_move.is_empty(), "{position}");
        assert_eq!(published.telemetry().parts.launches, 2, "{position}");
    }
    let over = published.reply("7171717").unwrap();
    assert_eq!((over.best, published.telemetry().parts.launches), (None, 0));
    let deep = Case::parse("stage=first depth=11").unwrap();
    let entry = registry::find("connect-four", name).unwrap().entry;
    let why = (entry.check)(&deep, &none).unwrap_err();
    let part = "depth: `11`; groups and the largest grid";
    assert!(why.starts_with(part), "{why}");
}

/// What work-items enter: each set from its first move.
#[test]
fn replays_are_counted() {
    let Some(device) = held() else { return };
    for name in ["move-sets", "move-sets-bitboard", "move-sets-even"] {
        let case = Case::parse("stage=first depth=4").unwrap();
        let technique = registry::find("connect-four", name).unwrap();
        let setup = setup(Task::Search, &case, Some(&*device));
        let mut sampler = (technique.prepare)(&setup).unwrap();
        // No side wins in four plies, and no column is full.
        let entered = 4 * 7_u64.pow(4);
        let expected = Counters {
            nodes: 1 + entered,
            leaves: entered,
            ..Counters::default()
        };
        assert_eq!(sampler.sample().unwrap().1, expected, "{name}");
    }
}
