use std::sync::Arc;

use super::{Board, Player};

/// The owners of a board's cells after some turns: the plain implementation of the rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    board: Arc<Board>,
    owners: Vec<Option<Player>>,
    turn: u32,
}

impl Position {
    /// The start: each player owns one cell.
    pub fn start(board: &Arc<Board>) -> Position {
        let mut owners = vec![None; board.cells()];
        let [first, second] = board.starts();
        owners[first] = Some(Player::First);
        owners[second] = Some(Player::Second);
        Position {
            board: Arc::clone(board),
            owners,
            turn: 0,
        }
    }

    /// The board.
    pub fn board(&self) -> &Arc<Board> {
        &self.board
    }

    /// The owner of each cell.
    pub fn owners(&self) -> &[Option<Player>] {
        &self.owners
    }

    /// Turns of both players so far.
    pub fn turn(&self) -> u32 {
        self.turn
    }

    /// The player to move.
    pub fn mover(&self) -> Player {
        Player::at(self.turn)
    }

    /// The number of a player's cells.
    pub fn cells(&self, player: Player) -> u32 {
        let own = self.owners.iter().filter(|owner| **owner == Some(player));
        own.count() as u32
    }

    /// True if every cell has an owner.
    pub fn is_settled(&self) -> bool {
        self.owners.iter().all(Option::is_some)
    }

    /// The cells that a colour would annex for the mover, in ascending order.
    pub fn annexed(&self, colour: usize) -> impl Iterator<Item = usize> {
        let mover = Some(self.mover());
        (0..self.board.cells()).filter(move |cell| {
            let mut neighbours = self.board.neighbours(*cell).iter();
            self.owners[*cell].is_none()
                && self.board.colour(*cell) == colour
                && neighbours.any(|other| self.owners[usize::from(*other)] == mover)
        })
    }

    /// The position after the mover names a colour.
    pub fn play(&self, colour: usize) -> Position {
        let mut next = self.clone();
        for cell in self.annexed(colour) {
            next.owners[cell] = Some(self.mover());
        }
        next.turn += 1;
        next
    }

    /// The position after the mover names a colour that annexes nothing.
    pub fn pass(&self) -> Position {
        Position {
            turn: self.turn + 1,
            ..self.clone()
        }
    }

    /// True if the winner is certain: one player has more than half of the cells, or all cells are owned.
    pub fn is_decided(&self) -> bool {
        let half = self.board.cells() as u32 / 2;
        [Player::First, Player::Second]
            .iter()
            .any(|player| self.cells(*player) > half)
            || self.is_settled()
    }

    /// The remaining game as a board whose player 1 is the mover. Each player's cells are merged into one start, which
    /// counts as that many. A playout on it equals one from this position.
    pub fn rest(&self) -> Board {
        let board = &self.board;
        let mut numbers = vec![0_u16; board.cells()];
        let mut starts: [Option<u16>; 2] = [None; 2];
        let mut colours = Vec::new();
        for cell in 0..board.cells() {
            let fresh = colours.len() as u16;
            numbers[cell] = match self.owners[cell] {
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
        let [own, other] = [self.mover(), self.mover().other()];
        let start = |player: Player| starts[player.index()].unwrap_or_default();
        let cells = [self.cells(own), self.cells(other)];
        Board::laid_out(colours, lists, [start(own), start(other)], cells)
    }
}
