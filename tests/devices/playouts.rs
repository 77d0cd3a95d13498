//! Tests random games of Connect Four, reversi and gomoku. The tallies must be the same on one core, on several
//! threads, and on each OpenCL device of this machine.

use super::opened;
use crate::needed::devices;
use plybench::games::connect_four::{Position as Columns, RandomColumns};
use plybench::games::gomoku::{Position as Stones, RandomStones, Size as Side};
use plybench::games::reversi::{Position as Discs, RandomSquares, Size};
use plybench::techniques::Setup;
use plybench::techniques::connect_four::tasks::ConnectFour;
use plybench::techniques::gomoku::tasks::Gomoku;
use plybench::techniques::hard::Draw;
use plybench::techniques::reversi::tasks::Reversi;
use plybench::techniques::tasks::flat_refill::{RefillGame, on_device};
use plybench::techniques::tasks::random_games::on_host;
use plybench::techniques::tasks::{Play, RandomPlayer};
use plybench::words::{Case, Tally, Task};

/// Seeds without set bits, with few or many set bits, with set bits only above bit 31, and neighbouring seeds.
const SEEDS: [u64; 10] = [
    0,
    1,
    2,
    77,
    1 << 31,
    1 << 32,
    1 << 40,
    0x9e37_79b9_7f4a_7c15,
    u64::MAX - 1,
    u64::MAX,
];

const POSITIONS: usize = 20;

/// Number of playouts per position. It is a prime that exceeds the number of lanes.
const PLAYOUTS: u64 = 211;

/// Returns one position from each of several random games. The first is the start position, and each of the others is
/// from a later stage of its game than the one before.
fn positions<P: Clone>(start: &P, children: impl Fn(&P) -> Vec<P>) -> Vec<P> {
    let mut draw = Draw(23);
    let mut found = Vec::new();
    while found.len() < POSITIONS {
        let mut game = vec![start.clone()];
        loop {
            let mut next = children(&game[game.len() - 1]);
            if next.is_empty() {
                break;
            }
            let place = draw.below(next.len());
            game.push(next.swap_remove(place));
        }
        // The last two positions are one ply before the end of a game and at the end.
        let last = game.len() - 1;
        let at = last * found.len() / (POSITIONS - 2);
        found.push(game.swap_remove(at.min(last - usize::from(found.len() == POSITIONS - 2))));
    }
    found
}

fn tallies<P: Play>(
    mut player: Box<dyn RandomPlayer<P>>,
    positions: &[P::Position],
    from: u64,
) -> Vec<Tally> {
    player.load(positions).unwrap();
    let played = (0..positions.len()).map(|index| player.play(index, from..from + PLAYOUTS));
    played.map(Result::unwrap).collect()
}

/// Compares the host's threads and each device with a single core.
fn hold<P: Play, G: RefillGame<P>>(game: &G, positions: &[P::Position], seeds: &[u64]) {
    let Some(all) = devices() else { return };
    for info in all {
        let Some((_turn, device)) = opened(|| Some(info)) else {
            continue;
        };
        for (number, seed) in seeds.iter().copied().enumerate() {
            // Some ranges start 100 playouts before a multiple of 2^32, where device launches are split.
            let from = (1 << 32) * (number as u64 % 3) - (number as u64 % 3).min(1) * 100;
            let expected = tallies(on_host::<P, G>(game.clone(), seed, None), positions, from);
            assert!(expected.iter().all(|tally| tally.playouts() == PLAYOUTS));
            assert!(expected.iter().any(|tally| tally.by_first_move.is_empty()));
            let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build();
            let threads = on_host::<P, G>(game.clone(), seed, Some(pool.unwrap()));
            assert_eq!(tallies(threads, positions, from), expected, "rayon, {seed}");
            let (case, name) = (Case::default(), device.info().name.clone());
            let with = Setup {
                seed,
                ..super::setup(Task::Playouts, &case, Some(&device))
            };
            let on = on_device::<P, G>(game.clone(), &with, (&positions[0], 1)).unwrap();
            assert_eq!(tallies(on, positions, from), expected, "{name}, {seed}");
        }
    }
}

fn connect_four(seeds: &[u64]) {
    let all = positions(&Columns::start(), |position| {
        let columns = position.legal_moves().into_iter();
        columns.filter_map(|column| position.play(column)).collect()
    });
    hold::<ConnectFour, _>(&RandomColumns, &all, seeds);
}

fn reversi(seeds: &[u64]) {
    let all = positions(&Discs::start(Size::STANDARD), |position| {
        let squares = position.legal_moves().into_iter();
        let mut next: Vec<_> = squares.filter_map(|square| position.play(square)).collect();
        if next.is_empty() && !position.is_over() {
            next.push(position.pass());
        }
        next
    });
    hold::<Reversi, _>(&RandomSquares, &all, seeds);
}

fn gomoku(side: usize, seeds: &[u64]) {
    let all = positions(&Stones::first_stone(Side::new(side).unwrap()), |position| {
        let squares = position.legal_moves().into_iter();
        squares.filter_map(|square| position.play(square)).collect()
    });
    hold::<Gomoku, _>(&RandomStones, &all, seeds);
}

#[test]
fn every_game_has_one_tally_everywhere() {
    connect_four(&SEEDS[8..]);
    reversi(&SEEDS[8..]);
    gomoku(16, &SEEDS[8..]);
}

/// Takes too long to run after every change.
#[test]
#[ignore = "takes minutes; ./scripts/test --long runs it, each week and after a change of a kernel"]
fn long_every_game_has_one_tally_everywhere() {
    connect_four(&SEEDS);
    reversi(&SEEDS);
    for side in [9, 15, 16] {
        gomoku(side, &SEEDS);
    }
}
