//! Compares every kind of random playout with a version that scans the whole board in each turn.

use std::sync::Arc;

use super::*;
use crate::games::annexation::{Board, Draws, Kind, Position, read_board};
use crate::random::{below, draw_key, playout_draw};

/// The tally of the playouts, and the counts of cells without an owner at the end.
type Ends = (Tally, Unowned);

/// Plays by the rules, without the data structures of the fast versions: one owner per cell, a full scan in every turn,
/// and no early end.
fn by_rescanning(
    board: &Board,
    playouts: &Playouts,
    name: impl Fn(u64, u32, &[bool; 8]) -> Option<usize>,
) -> Ends {
    let (mut tally, mut unowned) = (Tally::default(), Unowned::default());
    for playout in playouts.first..playouts.first + playouts.count {
        let mut owners = vec![0_u8; board.cells()];
        owners[board.starts()[0]] = 1;
        owners[board.starts()[1]] = 2;
        for turn in 0..playouts.turns {
            let mover = 1 + (turn % 2) as u8;
            let before = owners.clone();
            let next_to = |cell: usize| {
                let mut neighbours = board.neighbours(cell).iter();
                before[cell] == 0 && neighbours.any(|other| before[usize::from(*other)] == mover)
            };
            let mut legal = [false; 8];
            for cell in (0..board.cells()).filter(|cell| next_to(*cell)) {
                legal[board.colour(cell)] = true;
            }
            let Some(colour) = name(playout, turn, &legal) else {
                continue;
            };
            for cell in 0..board.cells() {
                if next_to(cell) && board.colour(cell) == colour {
                    owners[cell] = mover;
                }
            }
        }
        let count = |player| owners.iter().filter(|owner| **owner == player).count();
        match count(1).cmp(&count(2)) {
            std::cmp::Ordering::Greater => tally.wins += 1,
            std::cmp::Ordering::Equal => tally.draws += 1,
            std::cmp::Ordering::Less => tally.losses += 1,
        }
        unowned[0] += u64::from(count(0) > 0);
        unowned[1] += count(0) as u64;
        let most = count(1).max(count(2));
        let is_even = count(1) == count(2) && count(0) == 0;
        unowned[2] += u64::from(2 * most <= board.cells() && !is_even);
    }
    (tally, unowned)
}

/// Plays with random colours, legal or not, as published.
fn any_colour(board: &Board, playouts: &Playouts) -> Ends {
    let draws = Draws::new(playouts.seed);
    by_rescanning(board, playouts, |playout, turn, _| {
        Some(draws.colour(playout, turn))
    })
}

fn legal_colour(board: &Board, playouts: &Playouts) -> Ends {
    let key = draw_key(playouts.seed);
    by_rescanning(board, playouts, |playout, turn, legal| {
        let legal: Vec<usize> = (0..8).filter(|colour| legal[*colour]).collect();
        let chosen = below(playout_draw(key, playout, turn), legal.len() as u32);
        legal.get(chosen as usize).copied()
    })
}

fn playouts(seed: u64, first: u64, count: u64, turns: u32) -> Playouts {
    Playouts {
        seed,
        first,
        count,
        turns,
    }
}

/// Compares every version with the naive version.
fn hold(board: &Board, playouts: &Playouts) {
    let (tally, unowned) = any_colour(board, playouts);
    assert_eq!(tally.playouts(), playouts.count);
    let mut serial = Frontiers::new(board);
    let mut sliced = Sliced::new(board);
    assert_eq!(serial.tally(playouts), tally, "serial, {playouts:?}");
    assert_eq!(sliced.tally(playouts), tally, "sliced, {playouts:?}");
    let mut found = Unowned::default();
    sliced.unowned(playouts, &mut found);
    assert_eq!(found, unowned, "{playouts:?}");
    let found = serial.tally_legal(playouts);
    assert_eq!(found, legal_colour(board, playouts).0, "{playouts:?}");
    // Reusing an object must give the same result.
    let expected = (tally.clone(), tally);
    assert_eq!((serial.tally(playouts), sliced.tally(playouts)), expected);
}

/// Tests ranges of playouts that mostly do not start or end at a block of 32 playouts. Some cross a boundary between
/// groups of 1024 playouts, or overflow the lower half of a block's number.
#[test]
fn all_forms_count_what_rescanning_counts() {
    let ranges = [
        (0, 1),
        (31, 2),
        (5, 77),
        (1019, 13),
        (1024, 32),
        ((1 << 37) - 17, 40),
        (u64::MAX - 45, 45),
    ];
    for kind in Kind::ALL {
        let small = kind == Kind::Hex7;
        for (at, (first, count)) in ranges.into_iter().enumerate() {
            let (board, _) = kind.board(at as u32).unwrap();
            let large = board.cells() > 500;
            let own = Playouts {
                seed: (at as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15),
                first,
                count: if large { count.min(20) } else { count },
                turns: board.default_turns(),
            };
            hold(&board, &own);
            if small {
                let playouts = playouts(
                    at as u64,
                    first,
                    count.saturating_mul(40).min(u64::MAX - first),
                    60,
                );
                hold(&board, &playouts);
            }
        }
    }
}

/// Tests odd numbers of turns, no turns, and too few turns for a decision.
#[test]
fn the_last_turn_is_the_one_asked_for() {
    for turns in (0..40).chain([61, 62, 63, 64, 65, 999]) {
        let (board, _) = Kind::Hex200.board(turns % 16).unwrap();
        let playouts = playouts(u64::from(turns), 17, 30, turns);
        hold(&board, &playouts);
    }
    let (board, _) = Kind::Hex7.board(0).unwrap();
    let none = playouts(1, 3, 0, 60);
    hold(&board, &none);
}

/// Tests boards that no generator creates: a cell with many neighbours, a path, cells with the same colour, parts that
/// only one player or neither can reach, and equal halves.
#[test]
fn any_graph_will_do() {
    let file = |colours: &[u64], edges: &[[u64; 2]], starts: [u64; 2]| {
        let text = format!("colours = {colours:?}\nedges = {edges:?}\nstarts = {starts:?}\n");
        read_board("my.toml", &text).unwrap()
    };
    let path: Vec<[u64; 2]> = (0..49).map(|cell| [cell, cell + 1]).collect();
    let star: Vec<[u64; 2]> = (1..40).map(|cell| [0, cell]).collect();
    let wheel: Vec<[u64; 2]> = star
        .iter()
        .copied()
        .chain((1..39).map(|cell| [cell, cell + 1]))
        .collect();
    let mixed: Vec<u64> = (0..50).map(|cell| cell * cell / 3 % 8).collect();
    // The board has two separate paths with one player on each, and a third path without a player.
    let apart = [[0, 1], [1, 2], [3, 4], [4, 5], [5, 6], [6, 7], [8, 9]];
    let complete: Vec<[u64; 2]> = (0..30)
        .flat_map(|a| (a + 1..30).map(move |b| [a, b]))
        .collect();
    for (board, seed) in [
        (file(&mixed, &path, [0, 49]), 1),
        (file(&mixed, &path, [20, 23]), 2),
        (file(&[3; 50], &path, [0, 49]), 3),
        (file(&mixed[..40], &star, [1, 2]), 4),
        (file(&mixed[..40], &star, [0, 2]), 5),
        (file(&mixed[..40], &wheel, [1, 39]), 6),
        (file(&[0, 1, 2, 3, 4, 5, 6, 7, 0, 1], &apart, [0, 3]), 7),
        (file(&[0, 1, 2, 3, 4, 5, 6, 7, 0, 1], &apart, [5, 1]), 8),
        (file(&mixed[..30], &complete, [29, 0]), 9),
        (file(&[0, 7], &[[0, 1]], [1, 0]), 10),
        // Every playout ends in a draw.
        (file(&[0, 1, 1, 0], &[[0, 1], [3, 2]], [0, 3]), 11),
    ] {
        for turns in [7, 60, 300] {
            let playouts = playouts(seed, 11, 70, turns);
            hold(&board, &playouts);
        }
    }
}

/// Tests positions with either player to move, throughout random games and after the last turn.
#[test]
fn playouts_of_what_is_left_are_those_of_the_position() {
    for (kind, before) in [
        (Kind::Hex7, 3),
        (Kind::Hex200, 30),
        (Kind::Hex200, 61),
        (Kind::Hex200, 180),
        (Kind::Hex200Merged, 47),
    ] {
        let board = Arc::new(kind.board(1).unwrap().0);
        let mut position = Position::start(&board, u32::MAX);
        for turn in 0..before {
            position = position.play(Draws::new(77).colour(1, turn));
        }
        let playouts = playouts(3, 40, 60, 90);
        let draws = Draws::new(playouts.seed);
        let mut expected = Tally::default();
        for playout in playouts.first..playouts.end() {
            let mut end = position.clone();
            for turn in 0..playouts.turns {
                end = end.play(draws.colour(playout, turn));
            }
            let mover = position.mover();
            match end.cells(mover).cmp(&end.cells(mover.other())) {
                std::cmp::Ordering::Greater => expected.wins += 1,
                std::cmp::Ordering::Equal => expected.draws += 1,
                std::cmp::Ordering::Less => expected.losses += 1,
            }
        }
        let rest = position.rest();
        assert_eq!(Frontiers::new(&rest).tally(&playouts), expected, "{kind}");
        assert_eq!(Sliced::new(&rest).tally(&playouts), expected, "{kind}");
    }
}
