//! Compares the walks of `prefix-sharing` on a device with the host. For each first move, it compares the sums of the
//! move sets, the minimax values and the perft counts.

use super::connect_four::{DRAWN, random_position};
use super::{held, params};
use plybench::games::Game;
use plybench::games::connect_four::{Bits, Board, Column, Evaluation, Order, Position, WIN};
use plybench::search::{minimax, move_set_sums, perft};
use plybench::techniques::connect_four::device_prefixes::{Prefixes, Walked};
use plybench::techniques::hard::Draw;

/// Returns an undecided position after `plies` random plies.
fn undecided(plies: usize, seed: u64) -> Position {
    let mut draws = (0..).map(|more| random_position(plies, &mut Draw(64 * seed + more)));
    draws.find(|position| !position.is_over()).unwrap()
}

/// Computes the results on the host. Takes the counters from minimax.
fn on_the_host(game: &Bits, board: &Board, depth: u32) -> Walked {
    let (own, other) = board.stones();
    let plies = depth.min(42 - (own | other).count_ones());
    let value = |column: Column| {
        let room = board.has_room(column);
        room.then(|| {
            let child = game.play(board, column);
            let below = minimax(game, &child, depth - 1).value as i32;
            // The search starts one ply below the root, so wins and losses are worth one point too much.
            match below {
                below if below < -WIN / 2 => -below - 1,
                below if below > WIN / 2 => 1 - below,
                below => -below,
            }
        })
    };
    Walked {
        sums: move_set_sums(game, board, depth).0,
        values: std::array::from_fn(|index| value(Column::new(index).unwrap())),
        counters: minimax(game, board, depth).counters,
        // Perft stops when the board is full.
        plies,
        sequences: perft(game, board, plies).leaves,
    }
}

fn compare(prefixes: &mut Prefixes, game: &Bits, position: &Position, depth: u32) -> bool {
    let board = game.load(position);
    let found = prefixes.walk(game, &board, depth).unwrap();
    let Some(found) = found else { return false };
    let expected = on_the_host(game, &board, depth);
    assert_eq!(found, expected, "`{position}` at depth {depth}");
    true
}

/// Returns undecided positions from all stages of a game: the empty board, filling columns, and the last squares.
fn positions(count: u64) -> impl Iterator<Item = Position> {
    (0..count).map(move |seed| undecided(seed as usize * 42 / count as usize, seed))
}

#[test]
fn sums_and_values_are_the_hosts_at_all_stages() {
    let Some(device) = held() else { return };
    let game = Bits::new(&Evaluation::default(), Order::FromTheLeft);
    for (depth, count) in [(1, 2), (3, 2), (4, 200), (5, 150), (6, 60), (7, 20)] {
        let evaluation = Evaluation::default();
        let mut prefixes = Prefixes::new(&evaluation, &device, None, depth, None).unwrap();
        let walked = positions(count)
            .filter(|position| compare(&mut prefixes, &game, position, depth))
            .count();
        assert_eq!(walked == 0, depth <= 3, "depth {depth}: {walked} launches");
    }
}

/// Covers every combination of plies in and below the prefix, because the kernel's loops depend on both numbers.
#[test]
fn every_prefix_gives_the_same() {
    let Some(device) = held() else { return };
    let game = Bits::new(&Evaluation::default(), Order::CentreFirst);
    let evaluation = Evaluation::default();
    let rows = [
        "4 3", "5 3", "5 4", "6 3", "6 5", "7 3", "7 4", "7 6", "8 3", "8 7",
    ];
    for row in rows {
        let (depth, plies) = row.split_once(' ').unwrap();
        let (depth, plies): (u32, usize) = (depth.parse().unwrap(), plies.parse().unwrap());
        let prefix = Some(plies);
        let mut prefixes = Prefixes::new(&evaluation, &device, prefix, depth, None).unwrap();
        for position in positions(6) {
            compare(&mut prefixes, &game, &position, depth);
        }
    }
}

/// In the last plies of a drawn game, a set ends when the board is full. The full board adds 0.
#[test]
fn full_boards_end_the_sets() {
    let Some(device) = held() else { return };
    let evaluation = Evaluation::default();
    let game = Bits::new(&evaluation, Order::FromTheLeft);
    for depth in [4, 6, 7] {
        let prefix = Some(3);
        let mut prefixes = Prefixes::new(&evaluation, &device, prefix, depth, None).unwrap();
        let walked = |played: usize| {
            let position = Position::parse(&DRAWN[..played]).unwrap();
            compare(&mut prefixes, &game, &position, depth)
        };
        let walked: Vec<_> = (32..=42).map(walked).collect();
        assert_eq!(walked.first(), Some(&true), "depth {depth}");
        assert_eq!(walked.last(), Some(&false), "a full board needs no launch");
    }
}

/// Covers tables with the largest allowed values, and tables with a different value for each square.
#[test]
fn any_table_is_taken() {
    let Some(device) = held() else { return };
    let rows = |worth: &dyn Fn(i64, i64) -> i64| -> String {
        let row = |row| (0..7).map(|x| worth(row, x)).collect();
        serde_json::to_string(&(0..6).map(row).collect::<Vec<Vec<i64>>>()).unwrap()
    };
    for (squares, more) in [
        (rows(&|row, x| 100 * row + x), "two=17 three=3"),
        (rows(&|_, _| 1000), "two=1000 three=1000"),
    ] {
        let options = params(&format!("squares={squares} {more}"));
        let evaluation = Evaluation::new(&options).unwrap();
        let game = Bits::new(&evaluation, Order::FromTheLeft);
        let mut prefixes = Prefixes::new(&evaluation, &device, Some(3), 6, None).unwrap();
        for position in positions(12) {
            compare(&mut prefixes, &game, &position, 6);
        }
    }
}
