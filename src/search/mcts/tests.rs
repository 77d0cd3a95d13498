use std::convert::Infallible;
use std::f64::consts::SQRT_2;

use super::*;
use crate::games::Game;
use crate::games::checkers::{Capture, Checkers, LeafGames, Position, Rules, WIN};
use crate::games::leaf_games::PlaysLeaves;
use crate::random::{below, playout_draw};
use crate::search::value_of_move;

pub(super) fn official() -> Rules {
    Rules {
        capture: Capture::Any,
        ..Rules::default()
    }
}

pub(super) fn uct(overlap: bool) -> Uct {
    Uct {
        c: SQRT_2,
        overlap,
        most_nodes: MOST_NODES,
        seed: 5,
    }
}

/// Plays the games synchronously, and counts the requests.
pub(super) struct OnCore {
    games: LeafGames,
    each: u32,
    points: Vec<u32>,
    asked: u32,
    plies: u64,
}

impl OnCore {
    pub fn new(each: u32) -> OnCore {
        OnCore {
            games: LeafGames::new(official(), 5),
            each,
            points: Vec::new(),
            asked: 0,
            plies: 0,
        }
    }
}

impl LeafPlayouts<Position> for OnCore {
    type Fault = Infallible;

    fn playouts(&self) -> u32 {
        self.each
    }

    fn begin(&mut self, first: u64, leaves: &[Position]) -> Result<(), Infallible> {
        let number = first * u64::from(self.each);
        self.plies = self
            .games
            .play_each(leaves, self.each, number, &mut self.points);
        self.asked += 1;
        Ok(())
    }

    fn finish(&mut self, points: &mut Vec<u32>) -> Result<u64, Infallible> {
        *points = self.points.clone();
        Ok(self.plies)
    }
}

fn search(
    player: OnCore,
    uct: Uct,
    root: &Position,
    batch: u64,
    all: u64,
) -> (Grown, Mcts<Checkers, OnCore>) {
    let mut mcts = Mcts::new(Checkers::new(official()), player, uct);
    let Ok(grown) = mcts.search(root, |progress| batch.min(all - progress.selected));
    (grown, mcts)
}

#[test]
fn a_game_that_is_over_has_no_moves() {
    let game = Checkers::new(official());
    let over = game.parse("B:W21:B").unwrap();
    let (grown, mcts) = search(OnCore::new(2), uct(true), &over, 64, 100);
    assert_eq!((grown.best(), grown), (None, Grown::default()));
    assert_eq!(mcts.player.asked, 0);
}

#[test]
fn no_time_gives_no_visits_and_the_first_move() {
    let start = Position::start();
    let (grown, _) = search(OnCore::new(2), uct(true), &start, 0, 100);
    assert_eq!(grown.visits, [0; 7]);
    assert_eq!(grown.best(), Some(0));
}

/// Returns endgames from random games under the official rules. In each, one move wins after `plies` plies, and no
/// other move gains an advantage.
fn won(plies: u32, many: usize) -> Vec<Position> {
    let game = Checkers::new(official());
    let mut found = Vec::new();
    for number in 0..20_000 {
        let mut position = Position::start();
        for ply in 0..150 {
            let Ahead::Moves(moves) = game.ahead(&position) else {
                break;
            };
            let pieces = (position.white | position.black).count_ones();
            if pieces <= 8 && moves > 1 {
                let values = || {
                    game.moves(&position)
                        .map(|mv| value_of_move(&game, &position, mv, plies + 1))
                };
                let wins = |value: &i32| *value > WIN - 100;
                if values().any(|value| value == WIN - plies as i32)
                    && values().all(|value| wins(&value) || value <= 0)
                    && !values().all(|value| wins(&value))
                {
                    found.push(position);
                    break;
                }
            }
            position = game.after(&position, below(playout_draw(9, number, ply), moves));
        }
        if found.len() == many {
            return found;
        }
    }
    panic!("too few endgames: {}", found.len());
}

#[test]
fn the_minimax_move_is_found_in_endgames() {
    let game = Checkers::new(official());
    for (plies, leaves) in [(1, 2_000), (3, 10_000)] {
        for position in won(plies, 4) {
            for (each, batch) in [(1, 1), (8, 64)] {
                let player = OnCore::new(each);
                let (grown, _) = search(player, uct(batch > 1), &position, batch, leaves);
                let mv = game.moves(&position).nth(grown.best().unwrap()).unwrap();
                let value = value_of_move(&game, &position, mv, plies + 1);
                let visits = grown.visits;
                assert!(value > WIN - 100, "{position}: {mv} of {visits:?}");
            }
        }
    }
}
