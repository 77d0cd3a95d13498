use super::*;
use crate::games::random_games::Playouts;
use crate::games::random_games::tests::equal_a_plain_loop;
use crate::games::reversi::random_game::tests::children;

fn check<W: Word>(position: &Position, seed: u64, numbers: std::ops::Range<u64>) {
    let game = RandomRows::<W>::new(position.size());
    let playouts = Playouts::new(game, game.root(position), seed);
    let mover = position.mover();
    let score = |end: &Position| end.discs(mover) as i32 - end.discs(mover.other()) as i32;
    equal_a_plain_loop(&playouts, (position, seed), numbers, children, score);
}

#[test]
fn random_games_are_those_of_the_rules() {
    for (width, height, count) in [(4, 4, 400), (6, 12, 60), (8, 8, 60), (16, 16, 8)] {
        let start = Position::start(Size::new(width, height).unwrap());
        check::<u16>(&start, 7, 0..count);
        check::<u32>(&start, 8, (1 << 32) - 3..(1 << 32) + 3);
    }
    check::<u32>(&Position::start(Size::new(32, 10).unwrap()), 9, 0..4);
    check::<u64>(&Position::start(Size::new(34, 8).unwrap()), 9, 0..4);
    check::<u64>(&Position::start(Size::new(64, 6).unwrap()), 9, 0..3);
}

#[test]
fn games_that_end_soon_end_as_they_should() {
    for (seed, side) in [(1, 4), (2, 4), (3, 6), (4, 6)] {
        let mut position = Position::start(Size::new(side, side).unwrap());
        for step in 0.. {
            check::<u16>(&position, seed, 0..20);
            let next = children(&position);
            if next.is_empty() {
                break;
            }
            position = next[(5 * step + seed as usize) % next.len()].clone();
        }
    }
}
