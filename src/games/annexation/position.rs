use std::sync::Arc;

use super::board::BITS;
use super::{Board, COLOURS, Player};
use crate::games::{Ahead, half_points};

const PARTS: usize = 4;

/// A position: sets of each player's owned and adjacent cells. It is compact, because a tree stores many positions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    board: Arc<Board>,
    /// The sets of player 1's and 2's cells, then of the cells adjacent to these, each in [`Board::words`] words.
    words: Box<[u64]>,
    /// Number of each player's cells, including all cells that its start stands for.
    cells: [u32; 2],
    /// Number of turns so far, by both players.
    pub turn: u32,
    /// Number of turns in the whole game.
    pub turns: u32,
}

impl Position {
    /// Returns the start of a game of `turns` turns, in which each player owns one cell.
    pub fn start(board: &Arc<Board>, turns: u32) -> Position {
        let mut start = Position {
            board: Arc::clone(board),
            words: vec![0; PARTS * board.words()].into(),
            cells: board.start_cells,
            turn: 0,
            turns,
        };
        for (player, cell) in board.starts().into_iter().enumerate() {
            start.take(player, cell);
        }
        start
    }

    /// Returns the size in bytes of a position on a board of `cells` cells.
    pub fn bytes(cells: usize) -> usize {
        size_of::<Position>() + PARTS * size_of::<u64>() * cells.div_ceil(BITS)
    }

    /// Returns the board. All positions in a tree share it.
    pub fn board(&self) -> &Arc<Board> {
        &self.board
    }

    /// Returns the number of turns until the game ends.
    pub fn turns_left(&self) -> u32 {
        self.turns.saturating_sub(self.turn)
    }

    /// Returns the player to move.
    pub fn mover(&self) -> Player {
        Player::at(self.turn)
    }

    /// Returns the owner of each cell.
    pub fn owners(&self) -> Vec<Option<Player>> {
        let mut owners = vec![None; self.board.cells()];
        for player in [Player::First, Player::Second] {
            self.owned(player)
                .for_each(|cell| owners[cell] = Some(player));
        }
        owners
    }

    /// Returns the sets of both players' cells, player 1's first.
    pub fn owner_sets(&self) -> &[u64] {
        &self.words[..2 * self.board.words()]
    }

    /// Returns the cells of a player, in ascending order.
    pub fn owned(&self, player: Player) -> impl Iterator<Item = usize> + Clone {
        set_bits(self.part(player.index()))
    }

    /// Returns the number of a player's cells, including all cells that its start stands for.
    pub fn cells(&self, player: Player) -> u32 {
        self.cells[player.index()]
    }

    #[inline(always)]
    fn part(&self, part: usize) -> &[u64] {
        let words = self.board.words();
        &self.words[part * words..][..words]
    }

    #[inline(always)]
    fn annexed(&self, colour: usize) -> impl Iterator<Item = u64> {
        let reached = self.part(2 + self.mover().index()).iter();
        let next_to = reached.zip(self.board.of_colour(colour));
        let of_both = next_to.zip(self.part(0).iter().zip(self.part(1)));
        of_both.map(|((reached, colour), (first, second))| reached & colour & !(first | second))
    }

    /// Returns the set of colours that annex at least one cell, one bit per colour.
    pub fn colours(&self) -> u64 {
        let annexes = |colour: &usize| self.annexed(*colour).any(|word| word != 0);
        (0..COLOURS)
            .filter(annexes)
            .fold(0, |colours, colour| colours | 1 << colour)
    }

    fn take(&mut self, player: usize, cell: usize) {
        let words = self.board.words();
        self.words[player * words + cell / BITS] |= 1 << (cell % BITS);
        let reached = &mut self.words[(2 + player) * words..][..words];
        for neighbour in self.board.neighbours(cell) {
            let neighbour = usize::from(*neighbour);
            reached[neighbour / BITS] |= 1 << (neighbour % BITS);
        }
    }

    /// Returns true if the result is certain: a player has more than half of the cells, or all cells are owned.
    pub fn is_decided(&self) -> bool {
        let all = self.board.counted_cells();
        let [first, second] = self.cells;
        2 * first.max(second) > all || first + second == all
    }

    /// Returns the position after the mover names a colour, legal or not.
    pub fn play(&self, colour: usize) -> Position {
        let mut next = self.pass();
        let mover = self.mover().index();
        for (at, word) in self.annexed(colour).enumerate() {
            for bit in set_bits(&[word]) {
                next.take(mover, at * BITS + bit);
                next.cells[mover] += 1;
            }
        }
        next
    }

    /// Returns the position after a turn that annexes nothing.
    pub fn pass(&self) -> Position {
        let mut next = self.clone();
        next.turn += 1;
        next
    }

    /// Returns the number of moves for a tree search, or the game's result. The moves are the colours that annex a
    /// cell, in ascending order. If there are none, the only move is a pass.
    pub fn ahead(&self) -> Ahead {
        if self.turns_left() == 0 || self.is_decided() {
            let (own, other) = (self.mover(), self.mover().other());
            return Ahead::Over(half_points(self.cells(own), self.cells(other)));
        }
        Ahead::Moves(self.colours().count_ones().max(1))
    }

    /// Returns the position after move number `index` from [`Position::ahead`].
    pub fn after(&self, index: u32) -> Position {
        let colours = [self.colours()];
        let colour = set_bits(&colours).nth(index as usize);
        colour.map_or_else(|| self.pass(), |colour| self.play(colour))
    }

    /// Returns a board for the rest of the game, on which player 1 moves first. Each player's cells are merged into one
    /// start, which counts as that many cells. Playouts on this board have the same results as playouts from here.
    pub fn rest(&self) -> Board {
        let board = &self.board;
        let mut numbers = vec![0_u16; board.cells()];
        let mut starts: [Option<u16>; 2] = [None; 2];
        let mut colours = Vec::new();
        for (cell, owner) in self.owners().into_iter().enumerate() {
            let fresh = colours.len() as u16;
            numbers[cell] = match owner {
                Some(player) => *starts[player.index()].get_or_insert(fresh),
                None => fresh,
            };
            if numbers[cell] == fresh {
                colours.push(board.colours()[cell]);
            }
        }
        let mut lists = vec![Vec::new(); colours.len()];
        for [a, b] in board.edges() {
            let [a, b] = [a, b].map(|cell| numbers[usize::from(cell)]);
            if a != b {
                lists[usize::from(a)].push(b);
                lists[usize::from(b)].push(a);
            }
        }
        let sides = [self.mover(), self.mover().other()];
        let start = |player: Player| starts[player.index()].unwrap_or_default();
        Board::laid_out(
            colours,
            lists,
            sides.map(start),
            sides.map(|side| self.cells(side)),
        )
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::annexation::{Draws, Kind, Plain};
    use crate::random::below;

    /// Compares random games with the plain rules, both from the start and from the board of a remaining game.
    #[test]
    fn positions_are_the_plain_ones() {
        for (kind, before) in [
            (Kind::Hex7, 0),
            (Kind::Hex200, 0),
            (Kind::Hex200Merged, 31),
            (Kind::Hex1000, 60),
        ] {
            for number in 0..4 {
                let draws = Draws::new(3 + u64::from(number));
                let mut plain = Plain::start(&Arc::new(kind.board(number).unwrap().0));
                for turn in 0..before {
                    plain = plain.play(draws.colour(0, turn));
                }
                let turns = plain.board().default_turns() - before;
                let mut whole = Position::start(plain.board(), u32::MAX);
                for turn in 0..before {
                    whole = whole.play(draws.colour(0, turn));
                }
                let mut light = Position::start(&Arc::new(whole.rest()), turns);
                // On this board, player 1 is the mover.
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
                        assert_eq!(light.ahead(), Ahead::Over(points));
                        break;
                    }
                    let moves = legal.len().max(1) as u32;
                    assert_eq!(light.ahead(), Ahead::Moves(moves));
                    let index = below(draws.words(9, turn)[0], moves);
                    plain = match legal.get(index as usize) {
                        Some(colour) => plain.play(*colour),
                        None => plain.pass(),
                    };
                    light = light.after(index);
                    let owned = [Player::First, Player::Second].map(|player| {
                        let start = light.board.start_cells[player.index()];
                        light.owned(player).count() as u32 + start - 1
                    });
                    assert_eq!(owned, light.cells);
                }
            }
        }
    }
}
