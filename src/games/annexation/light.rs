//! Compact positions for search trees: many positions on one board.

use std::sync::Arc;

use super::{Board, COLOURS, Player};
use crate::games::{Ahead, TreeRules, half_points};

const BITS: usize = u64::BITS as usize;

const PARTS: usize = 4;

/// The parts that all positions of a tree share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ground {
    board: Board,
    /// Turns of the whole game.
    pub turns: u32,
    /// The set of cells of each colour, as words of one bit a cell.
    of_colour: Vec<u64>,
    words: usize,
}

impl Ground {
    /// A board with `turns` turns left. Its player 1 is to move.
    pub fn new(board: Board, turns: u32) -> Ground {
        let words = board.cells().div_ceil(BITS);
        let mut of_colour = vec![0; COLOURS * words];
        for cell in 0..board.cells() {
            of_colour[board.colour(cell) * words + cell / BITS] |= 1 << (cell % BITS);
        }
        Ground {
            board,
            turns,
            of_colour,
            words,
        }
    }

    /// The board.
    pub fn board(&self) -> &Board {
        &self.board
    }
}

/// A position in a tree: for each player, the sets of owned and of adjacent cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Light {
    ground: Arc<Ground>,
    /// Player 1's cells, player 2's, player 1's neighbouring cells, player 2's: [`Ground::words`] each.
    words: Box<[u64]>,
    /// Each player's cells, including those that the starts stand for.
    cells: [u32; 2],
    /// Turns played since the start.
    pub turn: u32,
}

impl Light {
    /// The start: each player owns one cell.
    pub fn start(ground: &Arc<Ground>) -> Light {
        let mut start = Light {
            ground: Arc::clone(ground),
            words: vec![0; PARTS * ground.words].into(),
            cells: ground.board.start_cells,
            turn: 0,
        };
        for (player, cell) in ground.board.starts().into_iter().enumerate() {
            start.take(player, cell);
        }
        start
    }

    /// Size of a position on a board of `cells` cells, bytes.
    pub fn bytes(cells: usize) -> usize {
        size_of::<Light>() + PARTS * size_of::<u64>() * cells.div_ceil(BITS)
    }

    /// The parts shared with the other positions of its tree.
    pub fn ground(&self) -> &Arc<Ground> {
        &self.ground
    }

    /// Turns until the game ends.
    pub fn turns_left(&self) -> u32 {
        self.ground.turns.saturating_sub(self.turn)
    }

    /// The player to move.
    pub fn mover(&self) -> Player {
        Player::at(self.turn)
    }

    /// Both players' cells as bit sets, player 1's words first.
    pub fn owners(&self) -> &[u64] {
        &self.words[..2 * self.ground.words]
    }

    /// The numbers of a player's cells, in ascending order.
    pub fn owned(&self, player: Player) -> impl Iterator<Item = usize> + Clone {
        let words = self.ground.words;
        set_bits(&self.words[player.index() * words..][..words])
    }

    /// The number of a player's cells, including those that its start stands for.
    pub fn cells(&self, player: Player) -> u32 {
        self.cells[player.index()]
    }

    #[inline(always)]
    fn annexed(&self, colour: usize) -> impl Iterator<Item = u64> {
        let words = self.ground.words;
        let mut parts = self.words.chunks_exact(words.max(1));
        let mut part = || parts.next().unwrap_or_default();
        let (first, second) = (part(), part());
        let reached = match self.mover() {
            Player::First => part(),
            Player::Second => {
                part();
                part()
            }
        };
        let of_colour = &self.ground.of_colour[colour * words..][..words];
        let owned = first.iter().zip(second);
        let next_to = reached.iter().zip(of_colour);
        let of_both = next_to.zip(owned);
        of_both.map(|((reached, colour), (first, second))| reached & colour & !(first | second))
    }

    /// The legal colours (those that annex something), as a bit set.
    fn colours(&self) -> u64 {
        let annexes = |colour: &usize| self.annexed(*colour).any(|word| word != 0);
        (0..COLOURS)
            .filter(annexes)
            .fold(0, |colours, colour| colours | 1 << colour)
    }

    fn take(&mut self, player: usize, cell: usize) {
        let words = self.ground.words;
        self.words[player * words + cell / BITS] |= 1 << (cell % BITS);
        let reached = &mut self.words[(2 + player) * words..][..words];
        for neighbour in self.ground.board.neighbours(cell) {
            let neighbour = usize::from(*neighbour);
            reached[neighbour / BITS] |= 1 << (neighbour % BITS);
        }
    }

    /// Decided as by [`super::Position::is_decided`], or without turns left.
    fn is_over(&self) -> bool {
        let all = self.ground.board.counted_cells();
        let [first, second] = self.cells;
        self.turns_left() == 0 || 2 * first.max(second) > all || first + second == all
    }
}

fn set_bits(words: &[u64]) -> impl Iterator<Item = usize> + Clone {
    words.iter().enumerate().flat_map(|(at, word)| {
        let mut word = *word;
        std::iter::from_fn(move || {
            let bit = word.trailing_zeros() as usize;
            word &= word.wrapping_sub(1);
            (bit < BITS).then_some(at * BITS + bit)
        })
    })
}

/// The rules for tree search: moves are the colours that annex something, ascending; without any, only a pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LightGame;

impl TreeRules for LightGame {
    type Position = Light;

    fn ahead(&self, position: &Light) -> Ahead {
        if position.is_over() {
            let mover = position.mover();
            let (own, other) = (position.cells(mover), position.cells(mover.other()));
            return Ahead::Over(half_points(own, other));
        }
        Ahead::Moves(position.colours().count_ones().max(1))
    }

    fn after(&self, position: &Light, index: u32) -> Light {
        let mut next = position.clone();
        next.turn += 1;
        let colours = [position.colours()];
        let Some(colour) = set_bits(&colours).nth(index as usize) else {
            return next;
        };
        let mover = position.mover().index();
        for (at, word) in position.annexed(colour).enumerate() {
            for bit in set_bits(&[word]) {
                next.take(mover, at * BITS + bit);
                next.cells[mover] += 1;
            }
        }
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::annexation::{Draws, Kind, Position};
    use crate::random::below;

    /// Random games by the plain rules, from the start and from the rest of a position.
    #[test]
    fn light_positions_are_the_plain_ones() {
        for (kind, before) in [
            (Kind::Hex7, 0),
            (Kind::Hex200, 0),
            (Kind::Hex200Merged, 31),
            (Kind::Hex1000, 60),
        ] {
            for number in 0..4 {
                let draws = Draws::new(3 + u64::from(number));
                let mut plain = Position::start(&Arc::new(kind.board(number).unwrap().0));
                for turn in 0..before {
                    plain = plain.play(draws.colour(0, turn));
                }
                let turns = plain.board().default_turns() - before;
                let mut light = Light::start(&Arc::new(Ground::new(plain.rest(), turns)));
                // Player 1 of the rest is the mover.
                let first = plain.mover();
                for turn in 0.. {
                    let legal: Vec<usize> = (0..COLOURS)
                        .filter(|colour| plain.annexed(*colour).next().is_some())
                        .collect();
                    let counts = [first, first.other()].map(|player| plain.cells(player));
                    assert_eq!(light.cells, counts, "{kind}/{number} turn {turn}");
                    let own = plain.cells(plain.mover());
                    let other = plain.cells(plain.mover().other());
                    if plain.is_decided() || turn == turns {
                        let points = 1 + u32::from(own > other) - u32::from(own < other);
                        assert_eq!(LightGame.ahead(&light), Ahead::Over(points));
                        break;
                    }
                    let moves = legal.len().max(1) as u32;
                    assert_eq!(LightGame.ahead(&light), Ahead::Moves(moves));
                    let index = below(draws.words(9, turn)[0], moves);
                    plain = match legal.get(index as usize) {
                        Some(colour) => plain.play(*colour),
                        None => plain.pass(),
                    };
                    light = LightGame.after(&light, index);
                    let owned = [Player::First, Player::Second].map(|player| {
                        let start = light.ground.board.start_cells[player.index()];
                        light.owned(player).count() as u32 + start - 1
                    });
                    assert_eq!(owned, light.cells);
                }
            }
        }
    }
}
