use super::Board;

/// One of the two players.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Player {
    /// Player 1, the paper's red: moves first.
    First,
    /// Player 2, the paper's blue.
    Second,
}

impl Player {
    /// The other one.
    pub fn other(self) -> Player {
        match self {
            Player::First => Player::Second,
            Player::Second => Player::First,
        }
    }

    /// Who moves at a turn, counted from 0.
    pub fn at(turn: u32) -> Player {
        if turn.is_multiple_of(2) {
            Player::First
        } else {
            Player::Second
        }
    }

    /// 0 for player 1, 1 for player 2.
    pub fn index(self) -> usize {
        self as usize
    }
}

/// Who owns each cell of a board, after how many turns: the plain form of the rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position<'a> {
    board: &'a Board,
    owners: Vec<Option<Player>>,
    turn: u32,
}

impl<'a> Position<'a> {
    /// The start: each player owns one cell.
    pub fn start(board: &'a Board) -> Position<'a> {
        let mut owners = vec![None; board.cells()];
        let [first, second] = board.starts();
        owners[first] = Some(Player::First);
        owners[second] = Some(Player::Second);
        Position {
            board,
            owners,
            turn: 0,
        }
    }

    /// The owner of each cell.
    pub fn owners(&self) -> &[Option<Player>] {
        &self.owners
    }

    /// Turns played, both players' counted.
    pub fn turn(&self) -> u32 {
        self.turn
    }

    /// Who moves next.
    pub fn mover(&self) -> Player {
        Player::at(self.turn)
    }

    /// How many cells a player owns.
    pub fn cells(&self, player: Player) -> u32 {
        let own = self.owners.iter().filter(|owner| **owner == Some(player));
        own.count() as u32
    }

    /// Whether every cell has an owner.
    pub fn is_settled(&self) -> bool {
        self.owners.iter().all(Option::is_some)
    }

    /// The cells that the mover would annex by naming a colour, in ascending order.
    pub fn annexed(&self, colour: usize) -> impl Iterator<Item = usize> {
        let mover = Some(self.mover());
        (0..self.board.cells()).filter(move |cell| {
            let mut neighbours = self.board.neighbours(*cell).iter();
            self.owners[*cell].is_none()
                && self.board.colour(*cell) == colour
                && neighbours.any(|other| self.owners[usize::from(*other)] == mover)
        })
    }

    /// The position after the mover has named a colour.
    pub fn play(&self, colour: usize) -> Position<'a> {
        let mut next = self.clone();
        for cell in self.annexed(colour) {
            next.owners[cell] = Some(self.mover());
        }
        next.turn += 1;
        next
    }
}
