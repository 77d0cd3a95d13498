use std::sync::Arc;

use super::{Board, Player};

/// The owners of the cells after some turns. This slow implementation of the rules is a reference for tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Plain {
    board: Arc<Board>,
    owners: Vec<Option<Player>>,
    turn: u32,
}

impl Plain {
    /// Returns the start position: each player owns one cell.
    pub fn start(board: &Arc<Board>) -> Plain {
        let mut owners = vec![None; board.cells()];
        let [first, second] = board.starts();
        owners[first] = Some(Player::First);
        owners[second] = Some(Player::Second);
        Plain {
            board: Arc::clone(board),
            owners,
            turn: 0,
        }
    }

    /// Returns the board.
    pub fn board(&self) -> &Arc<Board> {
        &self.board
    }

    /// Returns the player to move.
    pub fn mover(&self) -> Player {
        Player::at(self.turn)
    }

    /// Returns the number of a player's cells.
    pub fn cells(&self, player: Player) -> u32 {
        let own = self.owners.iter().filter(|owner| **owner == Some(player));
        own.count() as u32
    }

    /// Returns true if every cell has an owner.
    pub fn is_settled(&self) -> bool {
        self.owners.iter().all(Option::is_some)
    }

    /// Returns the cells that the mover would annex by naming a colour, in ascending order.
    pub fn annexed(&self, colour: usize) -> impl Iterator<Item = usize> {
        let mover = Some(self.mover());
        (0..self.board.cells()).filter(move |cell| {
            let mut neighbours = self.board.neighbours(*cell).iter();
            self.owners[*cell].is_none()
                && self.board.colour(*cell) == colour
                && neighbours.any(|other| self.owners[usize::from(*other)] == mover)
        })
    }

    /// Returns the position after the mover names a colour.
    pub fn play(&self, colour: usize) -> Plain {
        let mut next = self.clone();
        for cell in self.annexed(colour) {
            next.owners[cell] = Some(self.mover());
        }
        next.turn += 1;
        next
    }

    /// Returns the position after the mover names a colour that annexes nothing.
    pub fn pass(&self) -> Plain {
        Plain {
            turn: self.turn + 1,
            ..self.clone()
        }
    }

    /// Returns true if the result is certain: a player has more than half of the cells, or all cells are owned.
    pub fn is_decided(&self) -> bool {
        let half = self.board.cells() as u32 / 2;
        [Player::First, Player::Second]
            .iter()
            .any(|player| self.cells(*player) > half)
            || self.is_settled()
    }
}
