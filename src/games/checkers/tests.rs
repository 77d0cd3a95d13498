//! Compares the bitboard rules with character-based rules, and checks the order of moves.

use super::board::Board;
use super::moves::Choices;
use super::naive::Naive;
use super::*;
use crate::games::{Game, OrderedGame, Stuck};
use crate::random::{below, draw_key, playout_draw};

pub(crate) fn any() -> Checkers {
    Checkers::new(Rules {
        capture: Capture::Any,
        ..Rules::default()
    })
}

pub(crate) fn longest() -> Checkers {
    Checkers::new(Rules::default())
}

pub(crate) fn fen(text: &str) -> Position {
    Position::parse_fen(text).unwrap()
}

pub(crate) fn random_position(game: &Checkers, plies: u32, seed: u64) -> Position {
    let mut position = Position::start();
    for ply in 0..plies {
        let moves = game.legal_moves(&position);
        let index = below(playout_draw(draw_key(seed), 0, ply), moves.len() as u32);
        let Some(mv) = moves.clone().nth(index as usize) else {
            break;
        };
        let next = game.play(&position, mv);
        if game.is_over(&next) {
            break;
        }
        position = next;
    }
    position
}

/// Places random pieces, half of them kings, so that captures of all lengths occur.
pub(crate) fn random_pieces(seed: u64) -> Position {
    let draw = |number: u32, n: u32| below(playout_draw(draw_key(seed), 1, number), n);
    let pieces = 2 + draw(100, 11);
    let mover = if draw(101, 2) == 0 {
        Colour::White
    } else {
        Colour::Black
    };
    let mut position = Position {
        mover,
        ..fen("W:W:B")
    };
    let mut counts = [0, 0];
    for piece in 0..2 * pieces {
        let Some(square) = Square::numbered(1 + draw(4 * piece, 32)) else {
            continue;
        };
        let side = draw(4 * piece + 1, 2) as usize;
        if position.at(square).is_some() || counts[side] == MOST_PIECES {
            continue;
        }
        counts[side] += 1;
        let bit = square.bit();
        let colour = [Colour::White, Colour::Black][side];
        match colour {
            Colour::White => position.white |= bit,
            Colour::Black => position.black |= bit,
        }
        if colour.king_row() & bit != 0 || draw(4 * piece + 2, 2) == 0 {
            position.kings |= bit;
        }
    }
    position
}

/// Compares the number, order, names and results of the moves. Returns the length of the longest capture.
fn compare(game: &Checkers, position: &Position) -> usize {
    let capture = game.rules().capture;
    let mut expected = Naive::of(position).moves(capture);
    expected.sort_by_key(|mv| mv.key());
    let moves: Vec<_> = game.legal_moves(position).collect();
    let names = |mv: &Move| mv.squares().map(Square::number).collect::<Vec<_>>();
    let found: Vec<_> = moves.iter().map(names).collect();
    let paths: Vec<_> = expected.iter().map(|mv| mv.path.clone()).collect();
    assert_eq!(found, paths, "{position}");

    let board = Board::of(position);
    let choices = Choices::of(&board, capture);
    assert_eq!(choices.count as usize, moves.len(), "{position}");
    assert_eq!(choices.pick(&board, capture, choices.count), None);
    for (index, mv) in moves.iter().enumerate() {
        let next = game.play(position, *mv);
        assert_eq!(Naive::of(&next), expected[index].after, "{position} {mv}");
        assert_eq!(mv.captures() as usize, expected[index].captures);
        let quiet = if mv.captures() > 0 {
            0
        } else {
            position.quiet + 1
        };
        assert_eq!(next.quiet, quiet, "{position} {mv}");
        let (picked, captured) = choices.play(&board, capture, index as u32);
        assert_eq!(picked.position(quiet), next, "{position} {mv}");
        assert_eq!(captured, mv.captures() > 0, "{position} {mv}");
    }
    expected.iter().map(|mv| mv.captures).max().unwrap_or(0)
}

#[test]
fn counted_moves_are_the_plain_rules_moves_in_order() {
    let mut lengths = [0; 10];
    for game in [any(), longest()] {
        for seed in 0..2_000 {
            lengths[compare(&game, &random_position(&game, seed as u32 % 90, seed))] += 1;
            lengths[compare(&game, &random_pieces(seed))] += 1;
        }
    }
    assert!(lengths[..6].iter().all(|count| *count > 0), "{lengths:?}");
}

/// Counts perft sequences. `search::perft` is not available here, because modules in `games` must not import searches.
fn perft(game: &Checkers, position: &Position, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let moves = game.moves(position);
    moves
        .map(|mv| perft(game, &game.play(position, mv), depth - 1))
        .sum()
}

/// These counts are published. Under the paper's capture rule, counts differ from the sixth ply onwards.
#[test]
fn perft_from_the_start_is_as_published() {
    let published = [7, 49, 302, 1469, 7361, 36_768, 179_740, 845_931];
    for (depth, leaves) in (1..).zip(published) {
        assert_eq!(perft(&any(), &Position::start(), depth), leaves);
    }
    let found = Naive::of(&Position::start()).perft(Capture::Longest, 6);
    assert_eq!(found, 36_473);
    assert_eq!(perft(&longest(), &Position::start(), 6), 36_473);
}

/// The king captures four pieces around a square, in either direction, and returns to its starting square.
#[test]
fn a_king_may_come_back_to_where_it_began() {
    let position = fen("W:WK22:B9,10,17,18");
    let game = any();
    let moves: Vec<_> = game
        .legal_moves(&position)
        .map(|mv| mv.to_string())
        .collect();
    assert_eq!(moves, ["22x15x6x13x22", "22x13x6x15x22"]);
    for mv in game.legal_moves(&position) {
        assert_eq!(game.play(&position, mv), fen("B:WK22:B"));
    }
    compare(&game, &position);
}

/// This king can reach nine pieces. The path that captures all of them visits the paper's ten squares.
#[test]
fn nine_pieces_are_taken_at_most() {
    let position = fen("W:WK29:B9,10,11,17,18,19,25,26,27");
    assert_eq!(compare(&longest(), &position), 9);
    assert_eq!(compare(&any(), &position), 9);
    for mv in longest().legal_moves(&position) {
        assert_eq!(longest().play(&position, mv), fen("B:WK8:B"), "{mv}");
    }
}

#[test]
fn a_man_crowned_by_a_jump_stops() {
    // 11x2 crowns the man. A king could then continue by jumping over 6.
    let position = fen("W:W11:B6,7");
    let moves: Vec<_> = any()
        .legal_moves(&position)
        .map(|mv| mv.to_string())
        .collect();
    assert_eq!(moves, ["11x2"]);
    let after = any().play(&position, any().legal_moves(&position).next().unwrap());
    assert_eq!(after, fen("B:WK2:B6"));
}

#[test]
fn games_end_without_a_move_or_without_captures() {
    let game = longest();
    // In the last two positions, the mover's pieces are blocked.
    for stuck in ["B:W:B", "W:W:B1", "B:W29,30,25,22:B21", "W:W5:B1"] {
        let stuck = fen(stuck);
        assert!(game.is_over(&stuck), "{stuck}");
        assert_eq!(game.moves(&stuck).next(), None);
        assert!(matches!(game.stuck(&stuck, 3), Stuck::Over(value) if value == 3 - WIN));
        assert_eq!(game.decided(&stuck, 3), None);
        let late = Position { quiet: 50, ..stuck };
        assert_eq!(game.decided(&late, 3), Some(3 - WIN), "{late}");
    }
    for (text, decided) in [("B:WK32:BK1:H49", None), ("B:WK32:BK1:H50", Some(0))] {
        let position = fen(text);
        assert_eq!(game.decided(&position, 3), decided, "{text}");
        assert_eq!(game.is_over(&position), decided.is_some(), "{text}");
    }
}

/// Repeats every playout under the plain rules. Each random number selects an index in the sorted list of moves.
#[test]
fn playouts_are_those_of_the_plain_rules() {
    let seed = 0x1234_5678_9abc;
    let high = 1 << 32;
    for (case, game) in [any(), longest(), any()].into_iter().enumerate() {
        for root in [0, 31, 60].map(|plies| random_position(&game, plies, case as u64)) {
            let playouts = Playouts::new(*game.rules(), &root, seed);
            for number in (0..40).chain(high..high + 5) {
                let expected = naive_playout(game.rules(), &root, draw_key(seed), number);
                assert_eq!(playouts.play(number), expected, "{root} {number}");
            }
        }
    }
}

fn naive_playout(rules: &Rules, root: &Position, key: u32, number: u64) -> Played {
    let (mut board, mut quiet, mut plies) = (Naive::of(root), root.quiet, 0);
    loop {
        let mut moves = board.moves(rules.capture);
        moves.sort_by_key(|mv| mv.key());
        let count = moves.len();
        if count == 0 || quiet == rules.draw_after {
            let ending = match (count, plies % 2) {
                (1.., _) => Ending::Drawn,
                (0, 0) => Ending::Lost,
                (0, _) => Ending::Won,
            };
            return Played { ending, plies };
        }
        let index = match plies {
            0 => number as usize % count,
            _ => below(playout_draw(key, number, plies), count as u32) as usize,
        };
        quiet = if moves[index].captures > 0 {
            0
        } else {
            quiet + 1
        };
        board = moves.swap_remove(index).after;
        plies += 1;
    }
}

/// Covers fewer and more playouts than run at once, playout numbers above 32 bits, and roots with long captures.
#[test]
fn playouts_many_at_a_time_are_those_one_by_one() {
    for (seed, game) in (0..20).flat_map(|seed| [(seed, any()), (seed, longest())]) {
        let near = random_position(&game, 5 * seed as u32, seed);
        for root in [near, random_pieces(seed)] {
            let playouts = Playouts::new(*game.rules(), &root, seed);
            let moves = u64::from(playouts.first_moves());
            for (from, count) in [(0, 3), (11, 16), ((1 << 32) - 50, 100)] {
                let mut expected = vec![(0, 0, 0); moves as usize];
                let mut plies = 0;
                for number in from..from + count {
                    let played = playouts.play(number);
                    plies += u64::from(played.plies);
                    if moves > 0 {
                        let sums = &mut expected[(number % moves) as usize];
                        match played.ending {
                            Ending::Won => sums.0 += 1,
                            Ending::Drawn => sums.1 += 1,
                            Ending::Lost => sums.2 += 1,
                        }
                    }
                }
                let tally = playouts.tally(from..from + count);
                let sum = |of: fn(&(u64, u64, u64)) -> u64| expected.iter().map(of).sum::<u64>();
                let endings = [sum(|it| it.0), sum(|it| it.1), sum(|it| it.2)];
                let found = [tally.wins, tally.draws, tally.losses];
                assert!(moves == 0 || found == endings, "{root}");
                assert_eq!(found.iter().sum::<u64>(), count, "{root}");
                let wanted = (expected, plies);
                assert_eq!((tally.by_first_move, tally.plies), wanted, "{root}");
            }
        }
    }
}

#[test]
fn playouts_of_a_finished_game_end_at_once() {
    for (text, ending) in [("B:W21:B", Ending::Lost), ("B:WK32:BK1:H50", Ending::Drawn)] {
        let playouts = Playouts::new(Rules::default(), &fen(text), 1);
        assert_eq!(playouts.first_moves(), 0);
        assert_eq!(playouts.play(5), Played { ending, plies: 0 });
        let tally = playouts.tally(0..10);
        assert_eq!((tally.draws + tally.losses, tally.plies), (10, 0));
        assert!(tally.by_first_move.is_empty());
    }
    let none = Playouts::new(Rules::default(), &Position::start(), 1).tally(0..0);
    assert_eq!(
        (
            none.wins + none.draws + none.losses,
            none.by_first_move.len()
        ),
        (0, 7)
    );
}

#[test]
fn evaluations_are_those_of_the_plain_rules() {
    let game = any();
    assert_eq!(game.evaluate(&Position::start()), 0);
    for seed in 0..2_000 {
        for position in [
            random_position(&game, seed as u32 % 90, seed),
            random_pieces(seed),
        ] {
            assert_eq!(
                game.evaluate(&position),
                Naive::of(&position).evaluate(),
                "{position}"
            );
        }
    }
}

/// The value of a lost position depends on its ply. Shortly before a draw, values also depend on the number of plies
/// without a capture.
#[test]
fn keys_tell_positions_apart_whose_values_differ() {
    let (game, position) = (longest(), fen("W:WK1,K2:BK32"));
    let key = |quiet| game.key(&Position { quiet, ..position });
    assert_eq!(key(0), key(50 - 32));
    for quiet in 50 - 32..50 {
        assert_ne!(key(quiet), key(quiet + 1), "{quiet}");
    }
    let mv = game.moves(&position).next().unwrap();
    let child = game.play(&position, mv);
    let mut keys = vec![game.key(&child)];
    for ply in 0..31 {
        keys.push(game.key_after(keys[ply], mv, &child));
    }
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), 32);
}
