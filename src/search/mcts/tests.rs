use std::convert::Infallible;
use std::f64::consts::SQRT_2;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use super::*;
use crate::games::Game;
use crate::games::checkers::{Capture, Checkers, LeafGames, Position, Rules, WIN};
use crate::games::leaf_games::PlaysLeaves;
use crate::random::{
    BLOCK_ROUNDS, DRAW_ROUNDS, below, block_key, philox2x32, philox4x32, playout_draw,
};
use crate::search::value_of_move;

pub(super) fn official() -> Rules {
    Rules::default().with_capture(Capture::Any)
}

pub(super) fn uct(overlap: bool) -> Uct {
    Uct {
        c: SQRT_2,
        overlap,
        most_nodes: MOST_NODES,
        seed: 5,
    }
}

/// Plays synchronously, and records the requests.
pub(super) struct OnCore {
    games: LeafGames,
    each: u32,
    points: Vec<u32>,
    asked: Vec<(u64, usize)>,
    plies: u64,
}

impl OnCore {
    pub fn new(each: u32) -> OnCore {
        OnCore {
            games: LeafGames::new(official(), 5),
            each,
            points: Vec::new(),
            asked: Vec::new(),
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
        self.asked.push((first, leaves.len()));
        Ok(())
    }

    fn finish(&mut self, points: &mut Vec<u32>) -> Result<u64, Infallible> {
        *points = self.points.clone();
        Ok(self.plies)
    }
}

/// Plays on another thread, at varying speed.
struct OnThread {
    each: u32,
    leaves: Sender<(u64, Vec<Position>)>,
    points: Receiver<(Vec<u32>, u64)>,
}

impl OnThread {
    fn new(each: u32) -> OnThread {
        let (leaves, to_play) = channel::<(u64, Vec<Position>)>();
        let (played, points) = channel();
        std::thread::spawn(move || {
            let mut player = OnCore::new(each);
            for (first, leaves) in to_play {
                std::thread::sleep(Duration::from_millis(first % 3));
                let mut points = Vec::new();
                let Ok(()) = player.begin(first, &leaves);
                let Ok(plies) = player.finish(&mut points);
                played.send((points, plies)).unwrap();
            }
        });
        OnThread {
            each,
            leaves,
            points,
        }
    }
}

impl LeafPlayouts<Position> for OnThread {
    type Fault = Infallible;

    fn playouts(&self) -> u32 {
        self.each
    }

    fn begin(&mut self, first: u64, leaves: &[Position]) -> Result<(), Infallible> {
        self.leaves.send((first, leaves.to_vec())).unwrap();
        Ok(())
    }

    fn finish(&mut self, points: &mut Vec<u32>) -> Result<u64, Infallible> {
        let (found, plies) = self.points.recv().unwrap();
        *points = found;
        Ok(plies)
    }
}

fn search<L: LeafPlayouts<Position, Fault = Infallible> + Send>(
    player: L,
    uct: Uct,
    root: &Position,
    batch: u64,
    all: u64,
) -> (Grown, Mcts<Checkers, L>) {
    let mut mcts = Mcts::new(Checkers::new(official()), player, uct);
    let Ok(grown) = mcts.search(root, |progress| batch.min(all - progress.selected));
    (grown, mcts)
}

/// The textbook tree: boxed nodes and UCT's own terms.
struct Plain {
    position: Position,
    /// Games won by the side that moved here; a draw is half a game.
    won: f64,
    games: f64,
    children: Vec<Option<Plain>>,
}

impl Plain {
    fn new(game: &Checkers, position: Position) -> Plain {
        let moves = match game.ahead(&position) {
            Ahead::Moves(moves) => moves,
            Ahead::Over(_) => 0,
        };
        Plain {
            position,
            won: 0.0,
            games: 0.0,
            children: (0..moves).map(|_| None).collect(),
        }
    }
}

struct PlainSearch {
    game: Checkers,
    player: OnCore,
    key: u32,
    made: u32,
    descents: u32,
    leaves: u64,
}

impl PlainSearch {
    /// Adds one leaf below a node, and returns how many of its games the side to move there wins.
    fn grow(&mut self, node: &mut Plain) -> f64 {
        let each = f64::from(self.player.each);
        let untried: Vec<usize> = (0..node.children.len())
            .filter(|place| node.children[*place].is_none())
            .collect();
        if node.children.is_empty() {
            // Without a move, the side to move has lost or the game is drawn.
            each * match self.game.ahead(&node.position) {
                Ahead::Over(points) => f64::from(points) / 2.0,
                Ahead::Moves(_) => unreachable!("it has children"),
            }
        } else if !untried.is_empty() {
            let draw = philox2x32([self.descents, 0], self.key, DRAW_ROUNDS)[0];
            let place = untried[below(draw, untried.len() as u32) as usize];
            self.made += 1;
            let position = self.game.after(&node.position, place as u32);
            let mut child = Plain::new(&self.game, position);
            let lost = if child.children.is_empty() {
                self.grow_leaf(&mut child)
            } else {
                let mut points = Vec::new();
                let Ok(()) = self.player.begin(self.leaves, &[position]);
                let Ok(_) = self.player.finish(&mut points);
                self.leaves += 1;
                child.games += each;
                child.won += each - f64::from(points[0]) / 2.0;
                f64::from(points[0]) / 2.0
            };
            node.children[place] = Some(child);
            each - lost
        } else {
            let value = |child: &Plain| {
                child.won / child.games + SQRT_2 * (node.games.ln() / child.games).sqrt()
            };
            let values: Vec<f64> = node.children.iter().flatten().map(value).collect();
            let best = (0..values.len()).reduce(|best, place| {
                if values[place] > values[best] {
                    place
                } else {
                    best
                }
            });
            let child = node.children[best.unwrap()].as_mut().unwrap();
            each - self.grow_leaf(child)
        }
    }

    /// [`PlainSearch::grow`], counted at the node itself.
    fn grow_leaf(&mut self, node: &mut Plain) -> f64 {
        let each = f64::from(self.player.each);
        let won = self.grow(node);
        node.games += each;
        node.won += each - won;
        won
    }
}

#[test]
fn the_tree_is_the_textbooks() {
    for (each, leaves, position) in [
        (1, 3_000, "B:W21,22,K30:B1,2,K5"),
        (4, 1_500, "W:W18,K32:BK14,K1,12"),
        (3, 2_000, "B:W32,31:BK22,K18"),
    ] {
        let game = Checkers::new(official());
        let position = game.parse(position).unwrap();
        let mut plain = PlainSearch {
            game,
            player: OnCore::new(each),
            key: philox4x32([0, 0, 0, 1], block_key(5), BLOCK_ROUNDS)[0],
            made: 1,
            descents: 0,
            leaves: 0,
        };
        let mut root = Plain::new(&game, position);
        root.games = f64::from(each);
        for _ in 0..leaves {
            plain.descents += 1;
            plain.grow_leaf(&mut root);
        }
        let games = |child: &Option<Plain>| child.as_ref().map_or(0.0, |child| child.games);
        let expected: Vec<u64> = root
            .children
            .iter()
            .map(|child| games(child) as u64 / u64::from(each))
            .collect();
        let (grown, _) = search(OnCore::new(each), uct(false), &position, 1, leaves);
        assert_eq!(grown.visits, expected);
        assert_eq!(grown.nodes, u64::from(plain.made));
        assert_eq!(grown.playouts, plain.leaves * u64::from(each));
    }
}

#[test]
fn visits_sum_to_the_leaves_and_no_game_is_played_twice() {
    for (each, batch, leaves) in [(1, 1, 999), (3, 100, 5_000), (2, 1_000, 1_000)] {
        for overlap in [false, true] {
            let start = Position::start();
            let (grown, mcts) = search(OnCore::new(each), uct(overlap), &start, batch, leaves);
            assert_eq!(grown.visits.iter().sum::<u64>(), leaves);
            assert_eq!(grown.nodes, leaves + 1, "nothing is decided so early");
            assert_eq!(grown.playouts, leaves * u64::from(each));
            let mut next = 0;
            for (first, count) in &mcts.player().asked {
                assert_eq!(*first, next);
                next += *count as u64;
            }
            assert_eq!(next, leaves);
        }
    }
}

#[test]
fn a_tree_is_the_same_however_fast_its_games_are_played() {
    for (root, leaves) in [("start", 3_000), ("B:W21,22,K30:B1,2,K5", 2_500)] {
        let game = Checkers::new(official());
        let root = game.parse(root).unwrap_or_else(|_| Position::start());
        let (at_once, mut mcts) = search(OnCore::new(4), uct(true), &root, 128, leaves);
        let (on_thread, _) = search(OnThread::new(4), uct(true), &root, 128, leaves);
        assert_eq!(at_once, on_thread);
        let Ok(again) = mcts.search(&root, |progress| 128.min(leaves - progress.selected));
        assert_eq!(again, at_once, "nothing is left of the search before");
        let other = Uct {
            seed: 6,
            ..uct(true)
        };
        let (other, _) = search(OnCore::new(4), other, &root, 128, leaves);
        assert_ne!(other.visits, at_once.visits);
        let (waiting, _) = search(OnCore::new(4), uct(false), &root, 128, leaves);
        assert_ne!(waiting.visits, at_once.visits, "a batch was selected ahead");
    }
}

#[test]
fn a_full_tree_stops_growing_and_goes_on_playing() {
    let root = Position::start();
    let full = Uct {
        most_nodes: 300,
        ..uct(true)
    };
    let (grown, _) = search(OnCore::new(2), full, &root, 64, 4_000);
    assert_eq!(grown.visits.iter().sum::<u64>(), 4_000);
    // The batch that fills the tree gives each of its leaves a dozen children at the most.
    let most = 300 + 64 * 13;
    assert!((300..most).contains(&grown.nodes), "{}", grown.nodes);
    let (longer, _) = search(OnCore::new(2), full, &root, 64, 8_000);
    assert_eq!(longer.nodes, grown.nodes);
    assert_eq!(grown.playouts, 8_000);
    let none = Uct {
        most_nodes: 0,
        ..uct(true)
    };
    let (grown, _) = search(OnCore::new(2), none, &root, 64, 100);
    assert_eq!((grown.nodes, grown.depth), (8, 1), "the root has its moves");
}

#[test]
fn a_game_that_is_over_has_no_moves() {
    let game = Checkers::new(official());
    let over = game.parse("B:W21:B").unwrap();
    let (grown, mcts) = search(OnCore::new(2), uct(true), &over, 64, 100);
    assert_eq!((grown.best(), grown), (None, Grown::default()));
    assert!(mcts.player().asked.is_empty());
}

#[test]
fn no_time_gives_no_visits_and_the_first_move() {
    let start = Position::start();
    let (grown, _) = search(OnCore::new(2), uct(true), &start, 0, 100);
    assert_eq!(grown.visits, [0; 7]);
    assert_eq!(grown.best(), Some(0));
}

/// Endgames from random games under the official rules in which a move wins after `plies` plies and no other move gains
/// an advantage.
fn won(plies: u32, many: usize) -> Vec<Position> {
    let game = Checkers::new(official());
    let mut found = Vec::new();
    for number in 0..20_000 {
        let mut position = Position::start();
        for ply in 0..150 {
            let Ahead::Moves(moves) = game.ahead(&position) else {
                break;
            };
            let pieces = (position.white() | position.black()).count_ones();
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
