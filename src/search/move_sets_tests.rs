//! Compares move sets with their definition by replaying every set on the plain board.

use super::*;
use crate::games::connect_four::tests::{DRAWN, random_position};
use crate::games::connect_four::{
    Bits, Board, COLUMNS, Column, Evaluation, Order, Player, Position, WIN,
};

/// Returns the utility of a set for its first player: the sum over its plies, and the value at its end. Returns `None`
/// if the set plays in a full column.
fn replay(root: &Position, set: &[usize]) -> Option<(i64, i32)> {
    let evaluation = Evaluation::default();
    let root_player = root.mover();
    let own = |player: Player, value: i32| if player == root_player { value } else { -value };
    let (mut position, mut sum, mut end) = (root.clone(), 0, 0);
    for (ply, column) in (1..).zip(set) {
        if position.is_over() {
            break;
        }
        position = position.play(Column::new(*column).unwrap())?;
        end = match position.winner {
            Some(winner) => own(winner, WIN - ply),
            None if position.is_over() => 0,
            None => own(position.mover(), evaluation.value(&position)),
        };
        sum += i64::from(end);
    }
    Some((sum, end))
}

fn by_the_definition(root: &Position, depth: u32) -> (MoveSetSums, MoveSetBests) {
    let (mut sums, mut bests) = ([0; COLUMNS], [None; COLUMNS]);
    for number in 0..COLUMNS.pow(depth) {
        let digit = |place: u32| number / COLUMNS.pow(place) % COLUMNS;
        let set: Vec<_> = (0..depth).rev().map(digit).collect();
        if let Some((sum, end)) = replay(root, &set) {
            sums[set[0]] += sum;
            bests[set[0]] = bests[set[0]].max(Some(end));
        }
    }
    (sums, bests)
}

fn load(text: &str) -> (Bits, Board) {
    let game = Bits::new(&Evaluation::default(), Order::FromTheLeft);
    let position = Position::parse(text).unwrap();
    let board = game.load(&position);
    (game, board)
}

fn compare(position: &Position, depth: u32) {
    let (game, board) = load(&position.to_string());
    let (sums, bests) = if position.is_over() {
        ([0; COLUMNS], [None; COLUMNS])
    } else {
        by_the_definition(position, depth)
    };
    assert_eq!(
        move_set_sums(&game, &board, depth).0,
        sums,
        "{position} {depth}"
    );
    assert_eq!(
        move_set_bests(&game, &board, depth).0,
        bests,
        "{position} {depth}"
    );
}

#[test]
fn walking_the_tree_gives_what_replaying_every_set_does() {
    compare(&Position::start(), 5);
    for seed in 0..43 {
        compare(&random_position(seed as usize, seed), 1 + seed as u32 % 4);
    }
    // Tests full columns, and boards that fill up before the sets end.
    for played in 34..=42 {
        compare(&Position::parse(&DRAWN[..played]).unwrap(), 4);
    }
}

/// The results depend neither on the order of the tree walk nor on the game's move order.
#[test]
fn sums_do_not_depend_on_the_order_of_moves() {
    let (game, board) = load("4435");
    let centre = Bits::new(&Evaluation::default(), Order::CentreFirst);
    let found = move_set_sums(&game, &board, 6);
    assert_eq!(found, move_set_sums(&centre, &board, 6));
}

#[test]
fn a_win_goes_before_a_block_and_a_block_before_the_sums() {
    let choice = |text: &str| {
        let (game, board) = load(text);
        Forced::at(&game, &board)
    };
    let column = |digit: usize| Column::new(digit - 1).unwrap();
    // Both players have an open three, and the mover's win is to the right of the threat.
    assert_eq!(choice("717171"), Some(Forced::Win(column(7))));
    assert_eq!(choice("71717"), Some(Forced::Block(column(7))));
    // With three in the middle of the bottom row and both ends open, the lowest column is chosen.
    assert_eq!(choice("47375"), Some(Forced::Block(column(2))));
    assert_eq!(choice("473751"), Some(Forced::Win(column(2))));
    assert_eq!(choice("4435"), None);
    assert_eq!(choice("7171717"), None, "the game is over");
    assert_eq!(choice(&DRAWN[..40]), Some(Forced::Only(column(3))));
    assert_eq!(choice(DRAWN), None);
}

#[test]
fn forced_moves_are_those_of_the_plain_rules() {
    let wins = |position: &Position, column: &Column| {
        let next = position.play(*column);
        next.is_some_and(|next| next.winner.is_some())
    };
    let (mut won, mut blocked) = (0, 0);
    for seed in 0..600 {
        let position = random_position(7 + seed as usize % 30, seed);
        if position.is_over() {
            continue;
        }
        let (game, board) = load(&position.to_string());
        let legal = position.legal_moves();
        let win = legal.iter().copied().find(|column| wins(&position, column));
        if legal.len() == 1 {
            continue;
        }
        // The opponent's win in a column does not depend on which other column the mover plays.
        let threatens = |column: &Column| {
            let other = legal.iter().copied().find(|other| other != column);
            let after = other.and_then(|other| position.play(other));
            after.is_some_and(|after| after.winner.is_none() && wins(&after, column))
        };
        let block = legal.iter().copied().find(threatens);
        let expected = win.map(Forced::Win).or(block.map(Forced::Block));
        assert_eq!(Forced::at(&game, &board), expected, "{position}");
        won += u32::from(win.is_some());
        blocked += u32::from(win.is_none() && block.is_some());
    }
    assert!(won > 50 && blocked > 50, "{won} wins, {blocked} blocks");
}

#[test]
#[should_panic(expected = "move sets of 15 plies: allowed are at most 14")]
fn sums_that_may_not_fit_are_refused() {
    let (game, board) = load("");
    move_set_sums(&game, &board, LONGEST_MOVE_SETS + 1);
}

/// Checks the bound in [`LONGEST_MOVE_SETS`].
#[test]
fn the_longest_sums_fit_and_longer_ones_may_not() {
    let most = |plies: u32| {
        let sets = i128::from(COLUMNS as u64).pow(plies);
        sets * (i128::from(plies) * 250_000 + i128::from(WIN))
    };
    assert!(most(LONGEST_MOVE_SETS) < i128::from(i64::MAX));
    assert!(most(LONGEST_MOVE_SETS + 1) > i128::from(i64::MAX));
}
